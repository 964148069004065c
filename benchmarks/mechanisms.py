"""Mechanisms of bodies and joints, measured: forces with and without the search for the configuration; Pinocchio.

In batches Pinocchio is handed the state of the whole tree and what projects its forces through the loops, and only has
to run its recursive Newton-Euler algorithm in parallel and multiply: a user would have to find both first.

What runs on one core is timed without rests between runs: nobody's threads linger, and after a rest a core is cold and
slow (a Reachy's forces took 0.23 us a state after 20 ms of rest, and 0.17 without).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
import pinocchio as pin  # pyright: ignore[reportMissingModuleSource] cmeel installs it out of pyright's sight

import parakin as pk
from benchmarks.pinocchio_loops import (
    bodies_of,
    closed_tree,
    pinocchio_configuration,
    pinocchio_tree,
    pinocchio_velocities,
    projection,
)
from benchmarks.timing import Figure, at_least, at_most, best_of, repeated
from parakin.arrays import Array
from parakin.kernels import Kernel
from parakin.kernels.threads import cores
from parakin.mechanism import MechanismDescription
from parakin.mechanism.expansion import graph_of
from parakin.robot import Robot
from tests.mechanisms import described, from_platform

STATES = 8192
"""States of a batch."""
GLUED = 1024
"""States for Pinocchio, which takes longer."""
ROUNDS, TIMES = 100, 50
"""Rounds, and calls of one state in a round."""
IN_A_ROW = 5
"""Batches one after the other, after a rest in which threads of the other library fall asleep."""
NEARBY = 1e-3
"""How far a configuration is from the pose it is a start for [rad, m]."""
SAME = 1e-9
"""Relative to the largest: what two exact programs may differ by."""
GOALS = {"3rps": 0.069, "reachy_mini": 0.21, "gough_stewart": 0.20}
"""Time of one state's forces with the configuration given, one core [us]."""
NEWTON_GOAL = 2.5
"""How many times the goal above a state may take with the search for its configuration from nearby."""
FROM_POSE_GOAL = 0.25
"""Time of one state's forces of a Gough-Stewart platform as a graph, from the platform's pose, one core [us]."""


def description(name: str) -> MechanismDescription:
    """A reference mechanism, or a robot of legs as a graph."""
    return described(name) if name in pk.mechanism_library() else graph_of(pk.load(name).description)


@cache
def mechanism(name: str) -> Robot:
    return Robot(description(name))


@cache
def states(name: str) -> dict[str, Array]:
    """Configurations with closed loops, poses, velocities and accelerations."""
    one, rng = mechanism(name), np.random.default_rng(7)
    pose = one.home + 0.3 * (one.sample(STATES) - one.home)
    size = pose.shape
    return {
        "configuration": one.configuration(pose),
        "pose": pose,
        "velocity": 0.5 * rng.normal(size=size),
        "acceleration": 5.0 * rng.normal(size=size),
    }


def of_one(kernel: Kernel, values: dict[str, Array]) -> dict[str, Array]:
    return {socket.name: values[socket.name][0] for socket in kernel.inputs}


def sizes_and_times(name: str) -> Iterator[Figure]:
    """Forces on the independent velocities with the configuration given, with Newton from nearby, as a bound call, and
    what compiling takes; then the motors' forces, which where freedoms are passive need these to be solved for.
    """
    given = states(name)
    start = time.perf_counter()
    fresh = Robot(description(name))
    direct = fresh.kernel("generalised_force", configuration=True)
    direct.compile()
    compiled = time.perf_counter() - start
    closing = mechanism(name).kernel("generalised_force")
    motors = mechanism(name).kernel("inverse_dynamics", configuration=True)
    near = mechanism(name).configuration(given["pose"] + NEARBY)
    values = given | {"near": near}
    times = best_of(
        {
            "direct": lambda: direct(*(values[s.name] for s in direct.inputs), threads=1),
            "closing": lambda: closing(*(values[s.name] for s in closing.inputs), threads=1),
            "motors": lambda: motors(*(values[s.name] for s in motors.inputs), threads=1),
        },
        ROUNDS,
        rest=0.0,
    )
    bound = closing.bind()
    for key, value in of_one(closing, values).items():
        bound.inputs[key][...] = value
    single = best_of({"bound": repeated(bound.run, TIMES)}, ROUNDS, rest=0.0)["bound"] / TIMES
    each = {key: value / STATES * 1e6 for key, value in times.items()}
    yield at_most(f"{name}: forces, configuration given, one core", each["direct"], GOALS[name], "us")
    closing_goal = NEWTON_GOAL * GOALS[name]
    yield at_most(f"{name}: forces, with Newton from nearby, one core", each["closing"], closing_goal, "us")
    yield at_most(f"{name}: one state with Newton, bound call", single * 1e6, 3.0, "us")
    yield Figure(f"{name}: motor forces, configuration given, one core", each["motors"], "us")
    yield at_most(f"{name}: plan, derivation, compilation (kernel cache as it is)", compiled, 3.0, "s")


def from_pose(name: str) -> Iterator[Figure]:
    """Forces of a robot of legs as a graph whose pose is its platform's: loops close by formulas."""
    one, rng = Robot(from_platform(pk.load(name))), np.random.default_rng(7)
    pose = one.home + 0.3 * (one.sample(STATES) - one.home)
    values = {
        "pose": pose,
        "near": np.tile(one.home_configuration, (STATES, 1)),
        "velocity": 0.5 * rng.normal(size=pose.shape),
        "acceleration": 5.0 * rng.normal(size=pose.shape),
    }
    kernel = one.kernel("inverse_dynamics")
    inputs = [values[socket.name] for socket in kernel.inputs]
    time_of_all = best_of({"forces": lambda: kernel(*inputs, threads=1)}, ROUNDS, rest=0.0)["forces"]
    yield at_most(f"{name}: motor forces from the pose, one core", time_of_all / STATES * 1e6, FROM_POSE_GOAL, "us")


def against_pinocchio(name: str) -> Iterator[Figure]:
    one, given = mechanism(name), states(name)
    plan = one.plan
    assert not any(link.backwards for link in plan.skeleton.links)
    bodies = bodies_of(one)
    model = pinocchio_tree(plan, bodies)
    pool = pin.ModelPool(model, cores())
    t: dict[str, list[Array]] = {key: [] for key in ("q", "v", "a", "S")}
    for k in range(GLUED):
        c = given["configuration"][k]
        S = pinocchio_velocities(plan, c, projection(plan, c))
        t["q"].append(pinocchio_configuration(plan, c))
        t["S"].append(S)
        t["v"].append(S @ given["velocity"][k])
        t["a"].append(S @ given["acceleration"][k])
    q, v, a = (np.asfortranarray(np.array(t[key]).T) for key in ("q", "v", "a"))
    S = np.array(t["S"])
    tau = np.asfortranarray(np.zeros_like(v))
    motors = [plan.independent.index(k) for k in plan.actuators]

    def glued() -> Array:
        pin.rneaInParallel(cores(), pool, q, v, a, tau)
        return np.einsum("kij,ik->kj", S, tau)[:, motors]

    # At rest the accelerations of the tree are those of the projection alone, so that both must agree.
    kernel = one.kernel("generalised_force", configuration=True)
    still = given | {"velocity": 0 * given["velocity"]}
    mine = kernel(*(still[s.name][:GLUED] for s in kernel.inputs))["Q"]
    v[...] = 0.0
    np.testing.assert_allclose(glued(), mine[:, motors], rtol=0, atol=SAME * float(np.max(np.abs(mine))))
    v[...] = np.array(t["v"]).T
    direct = one.kernel("inverse_dynamics", configuration=True)
    inputs = [given[s.name] for s in direct.inputs]
    contestants: dict[str, Callable[[], object]] = {"parakin": lambda: direct(*inputs), "pinocchio": glued}
    times = best_of({key: repeated(call, IN_A_ROW) for key, call in contestants.items()}, ROUNDS)
    batch = times["parakin"] / IN_A_ROW / STATES
    ratio = (times["pinocchio"] / IN_A_ROW / GLUED) / batch
    yield at_least(f"{name}: faster than Pinocchio's rneaInParallel and projection, state handed to it", ratio, 14.0)
    yield from against_calls(name, batch, (model, S[0], [q[:, 0], v[:, 0], a[:, 0]]))


def against_calls(name: str, batch: float, handed: tuple[pin.Model, Array, list[Array]]) -> Iterator[Figure]:
    """Calls of Pinocchio on one state from Python, beside calls of one state and beside a batch.

    "Handed" is what is handed to Pinocchio in the batch: velocities and accelerations of the whole tree, and the matrix
    that projects its forces. In the other call it finds these itself, as parakin does, from the configuration and the
    independent velocities. batch: time of a state of a batch on all cores [s].
    """
    one, given = mechanism(name), states(name)
    direct = one.kernel("inverse_dynamics", configuration=True)
    first = [given[s.name][0] for s in direct.inputs]
    model, S, state = handed
    data, closed = model.createData(), closed_tree(one.plan, bodies_of(one))
    q, u, u_dot = state[0], given["velocity"][0], given["acceleration"][0]
    forces = one.kernel("generalised_force", configuration=True)
    mine = forces(*(given[s.name][0] for s in forces.inputs))["Q"]
    np.testing.assert_allclose(closed.forces(q, u, u_dot), mine, rtol=0, atol=SAME * float(np.max(np.abs(mine))))
    calls = best_of(
        {
            "parakin": repeated(lambda: direct(*first), TIMES),
            "handed": repeated(lambda: S.T @ pin.rnea(model, data, *state), TIMES),
            "closed": repeated(lambda: closed.forces(q, u, u_dot), TIMES),
        },
        ROUNDS,
        rest=0.0,
    )
    each = {key: seconds / TIMES for key, seconds in calls.items()}
    yield Figure(f"{name}: call of one state", each["parakin"] * 1e6, "us")
    yield Figure(f"{name}: Pinocchio's rnea and projection, one call, state handed to it", each["handed"] * 1e6, "us")
    yield Figure(f"{name}: Pinocchio's Jacobians, solution and rnea, one call", each["closed"] * 1e6, "us")
    what = f"{name}: call faster than Pinocchio's call"
    yield at_least(f"{what} that closes the loops too", each["closed"] / each["parakin"], 10.0)
    yield Figure(f"{what}, state handed to it", each["handed"] / each["parakin"], "x")
    yield Figure(f"{name}: state of a batch beside Pinocchio's call, state handed to it", each["handed"] / batch, "x")


def figures() -> Iterator[Figure]:
    """All figures of mechanisms."""
    for name in GOALS:
        yield from sizes_and_times(name)
    yield from from_pose("gough_stewart")
    yield from against_pinocchio("3rps")
