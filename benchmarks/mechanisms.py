"""Mechanisms of bodies and joints, measured: forces with and without the search for the configuration; Pinocchio.

Pinocchio is handed the state of the whole tree and what projects its forces through the loops, and only has to run its
recursive Newton-Euler algorithm in parallel and multiply: a user would have to find both first.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cache

import numpy as np
import pinocchio as pin  # pyright: ignore[reportMissingModuleSource] cmeel installs it out of pyright's sight

import parakin as pk
from benchmarks.timing import Figure, at_least, at_most, best_of, repeated
from parakin.arrays import Array
from parakin.kernels import Kernel
from parakin.kernels.threads import cores
from parakin.mechanism import MechanismDescription
from parakin.mechanism.expansion import graph_of
from parakin.mechanism.kinds import Move
from parakin.mechanism.numeric import loop_rows, posture
from parakin.mechanism.plan import Plan
from parakin.mechanism.skeleton import BASE_LINK
from parakin.robot import Mechanism
from tests.mechanisms import described, from_platform

STATES = 8192
"""States of a batch."""
GLUED = 1024
"""States for Pinocchio, which takes longer."""
ROUNDS, TIMES = 100, 50
"""Rounds, and calls of one state in a round."""
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
    return graph_of(pk.load(name).description) if name in pk.library() else described(name)


@cache
def mechanism(name: str) -> Mechanism:
    return Mechanism(description(name))


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
    fresh = Mechanism(description(name))
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
    )
    bound = closing.bind()
    for key, value in of_one(closing, values).items():
        bound.inputs[key][...] = value
    single = best_of({"bound": repeated(bound.run, TIMES)}, ROUNDS)["bound"] / TIMES
    each = {key: value / STATES * 1e6 for key, value in times.items()}
    yield at_most(f"{name}: forces, configuration given, one core", each["direct"], GOALS[name], "us")
    closing_goal = NEWTON_GOAL * GOALS[name]
    yield at_most(f"{name}: forces, with Newton from nearby, one core", each["closing"], closing_goal, "us")
    yield at_most(f"{name}: one state with Newton, bound call", single * 1e6, 3.0, "us")
    yield Figure(f"{name}: motor forces, configuration given, one core", each["motors"], "us")
    yield at_most(f"{name}: plan, derivation, compilation (kernel cache as it is)", compiled, 3.0, "s")


def from_pose(name: str) -> Iterator[Figure]:
    """Forces of a robot of legs as a graph whose pose is its platform's: loops close by formulas."""
    one, rng = Mechanism(from_platform(pk.load(name))), np.random.default_rng(7)
    pose = one.home + 0.3 * (one.sample(STATES) - one.home)
    values = {
        "pose": pose,
        "near": np.tile(one.home_configuration, (STATES, 1)),
        "velocity": 0.5 * rng.normal(size=pose.shape),
        "acceleration": 5.0 * rng.normal(size=pose.shape),
    }
    kernel = one.kernel("inverse_dynamics")
    inputs = [values[socket.name] for socket in kernel.inputs]
    time_of_all = best_of({"forces": lambda: kernel(*inputs, threads=1)}, ROUNDS)["forces"]
    yield at_most(f"{name}: motor forces from the pose, one core", time_of_all / STATES * 1e6, FROM_POSE_GOAL, "us")


def pinocchio_tree(plan: Plan, inertias: dict[int, list[tuple[float, Array, Array]]]) -> pin.Model:
    """The tree of a plan as a Pinocchio model; the bodies of each link as (mass, centre, tensor) in its frame."""
    kinds = {Move.TURN: pin.JointModelRZ, Move.SLIDE: pin.JointModelPZ, Move.BALL: pin.JointModelSpherical}
    model = pin.Model()
    model.gravity.linear = np.array(plan.skeleton.description.gravity)
    for k, link in enumerate(plan.skeleton.links):
        moves = link.joint.kind.moves
        joint = pin.JointModelFreeFlyer() if link.joint.type == "free" else kinds[moves[0][0]]()
        place = pin.SE3(np.array(link.inner.R), np.array(link.inner.p))
        index = model.addJoint(0 if link.inner.link == BASE_LINK else link.inner.link + 1, joint, place, f"link{k}")
        for mass, centre, tensor in inertias.get(k, []):
            model.appendBodyToJoint(index, pin.Inertia(mass, centre, tensor), pin.SE3.Identity())
    return model


def _projection(plan: Plan, configuration: Array) -> Array:
    """Velocities of the tree for unit independent velocities (velocities, n), by numpy."""
    _, J = loop_rows(plan.skeleton, configuration)
    S = np.zeros((plan.skeleton.velocities, len(plan.independent)))
    rows, columns = list(plan.pivots.rows), list(plan.pivots.columns)
    S[list(plan.independent)] = np.eye(len(plan.independent))
    S[columns] = -np.linalg.solve(J[np.ix_(rows, columns)], J[np.ix_(rows, plan.independent)])
    return S


def against_pinocchio(name: str) -> Iterator[Figure]:
    one, given = mechanism(name), states(name)
    plan = one.plan
    assert not any(link.backwards for link in plan.skeleton.links)
    bodies: dict[int, list[tuple[float, Array, Array]]] = {}
    for body, place in zip(one.graph_description.bodies, plan.skeleton.bodies, strict=True):
        tensor = place.R @ np.array(body.inertia) @ place.R.T
        bodies.setdefault(place.link, []).append((body.mass, place.p + place.R @ np.array(body.com), tensor))
    model = pinocchio_tree(plan, {k: v for k, v in bodies.items() if k != BASE_LINK})
    pool = pin.ModelPool(model, cores())
    t: dict[str, list[Array]] = {key: [] for key in ("q", "v", "a", "S")}
    for k in range(GLUED):
        c = given["configuration"][k]
        S = _pinocchio_velocities(plan, c, _projection(plan, c))
        t["q"].append(_pinocchio_configuration(plan, c))
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
    data = model.createData()
    direct = one.kernel("inverse_dynamics", configuration=True)
    inputs = [given[s.name] for s in direct.inputs]
    first = [values[0] for values in inputs]
    times = best_of({"parakin": lambda: direct(*inputs), "pinocchio": glued}, ROUNDS)
    single = best_of(
        {
            "parakin": repeated(lambda: direct(*first), TIMES),
            "pinocchio": repeated(lambda: S[0].T @ pin.rnea(model, data, q[:, 0], v[:, 0], a[:, 0]), TIMES),
        },
        ROUNDS,
    )
    ratio = (times["pinocchio"] / GLUED) / (times["parakin"] / STATES)
    yield at_least(f"{name}: faster than Pinocchio's rneaInParallel and projection, state handed to it", ratio, 14.0)
    yield Figure(
        f"{name}: call of one state beside Pinocchio's rnea and projection",
        single["pinocchio"] / single["parakin"],
        "x",
    )


def _pinocchio_configuration(plan: Plan, c: Array) -> Array:
    """Coordinates of a configuration in Pinocchio's order: quaternions end with w."""
    parts: list[Array] = []
    for link in plan.skeleton.links:
        values = c[link.coordinate : link.coordinate + len(link.joint.kind.home)]
        parts.append(np.concatenate([values[:-4], values[-3:], values[-4:-3]]) if len(values) >= 4 else values)
    return np.concatenate(parts)


def _pinocchio_velocities(plan: Plan, c: Array, S: Array) -> Array:
    """Velocities in Pinocchio's coordinates: those of a floating body along its own axes."""
    result, at = S.copy(), posture(plan.skeleton, c)
    for k, link in enumerate(plan.skeleton.links):
        if link.joint.type == "free":
            result[link.velocity : link.velocity + 3] = at.R[k].T @ S[link.velocity : link.velocity + 3]
            if link.floats:
                span = slice(link.velocity + 3, link.velocity + 6)
                result[span] = at.R[k].T @ S[span]
    return result


def figures() -> Iterator[Figure]:
    """All figures of mechanisms."""
    for name in GOALS:
        yield from sizes_and_times(name)
    yield from from_pose("gough_stewart")
    yield from against_pinocchio("3rps")
