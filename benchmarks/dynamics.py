"""Dynamics, measured: PaLiDA against Pinocchio, MuJoCo and CasADi's C, and every robot of the library.

The peers have no friction, so that the robot they are compared on has none either.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import casadi as ca
import mujoco
import numpy as np
import pinocchio as pin  # pyright: ignore[reportMissingModuleSource] cmeel installs it out of pyright's sight

import parakin as pk
from benchmarks.peers import GeneratedC
from benchmarks.pinocchio_glue import BLOCKS, Glue, constraints_of
from benchmarks.placement import figures_of
from benchmarks.timing import Figure, at_least, at_most, best_of, empty_cache, repeated
from parakin.description import library
from parakin.dynamics.choices import DEFAULT
from parakin.dynamics.formulations import FORMULATIONS
from parakin.dynamics.leg_models import Options, leg_program
from parakin.dynamics.mechanics import mechanics
from parakin.errors import UnsupportedRobotError
from parakin.identification import States, base_model
from parakin.identification.fit.moments import moments_of
from parakin.kernels import compiler
from parakin.kernels.threads import cores
from parakin.robot.linear_form import BLOCK
from tests.peers.configuration import platform_configuration
from tests.peers.converter import tree_of
from tests.peers.mjcf import closed_chain
from tests.variants import frictionless

STATES = 100_000
IN_C, GLUED = 20_000, 2_000
"""States for CasADi's C and for Pinocchio: all take about as long, for on a busy machine only what is short has a best
run without interruption."""
TIMES, ROUNDS = 50, 100
"""Calls of one state in a round, and rounds: few calls for the same reason."""
PLACED = 4096
"""States that are run at each place of the code: few enough to stay in the caches."""
TEXTBOOK = "body-by-body"
SAME = 1e-9
"""Relative to the largest: what two exact programs may differ by."""
CHECKED = 20
"""States whose forward dynamics are compared."""


@cache
def palida() -> pk.Robot:
    return frictionless(pk.load("palida"))


@cache
def glue() -> Glue:
    return Glue(tree_of(palida().description))


def states(robot: pk.Robot, count: int) -> list[np.ndarray]:
    """Poses of the box, velocities around 0.5 m/s or rad/s, accelerations around 5 m/s^2 or rad/s^2."""
    rng = np.random.default_rng(7)
    size = (count, robot.degrees_of_freedom)
    return [robot.sample(count), 0.5 * rng.normal(size=size), 5.0 * rng.normal(size=size)]


def one_state(robot: pk.Robot) -> list[np.ndarray]:
    return [array[0].copy() for array in states(robot, 1)]


def agree(got: np.ndarray, want: np.ndarray) -> None:
    """Everywhere: a state that is no good would be fast for nothing."""
    assert np.isfinite(want).all()
    np.testing.assert_allclose(got, want, rtol=0, atol=SAME * float(np.max(np.abs(want))))


def textbook(robot: pk.Robot) -> ca.Function:
    """Platform state to forces, body by body, as a user of CasADi would write it: no status, common terms once."""
    made = mechanics(robot.description, robot.payload)
    moving = made.moving
    inputs = {"pose": moving.pose, "velocity": moving.velocity, "acceleration": moving.acceleration}
    tau = FORMULATIONS[TEXTBOOK].tau(made).tau
    return ca.Function("textbook", list(inputs.values()), [tau], list(inputs), ["tau"], {"cse": True})


def inverse_batch() -> Iterator[Figure]:
    """Many states, on all cores unless it says otherwise."""
    robot = palida()
    many = states(robot, STATES)
    some = [array[:GLUED] for array in many]
    kernel = robot.kernel("inverse_dynamics")
    with tempfile.TemporaryDirectory() as directory:
        in_c = GeneratedC(textbook(robot), Path(directory), threads=cores()).runner([array[:IN_C] for array in many])
        want = robot.inverse_dynamics(*many)
        agree(in_c()[0], want[:IN_C])
        glued = {f"pinocchio {block}": _glued(some, block) for block in BLOCKS}
        for run in glued.values():
            agree(run(), want[:GLUED])
        seconds = best_of(
            {
                # First what needs one core only: OpenMP's threads keep the other busy for a while after their work.
                "one thread": lambda: kernel(*many, threads=1),
                "parakin": lambda: robot.inverse_dynamics(*many),
                "c": in_c,
                **glued,
            },
            rounds=ROUNDS,
        )
    seconds["pinocchio"] = min(seconds[name] for name in glued)
    counts = {"c": IN_C, "pinocchio": GLUED}
    each = {name: 1e6 * total / counts.get(name, STATES) for name, total in seconds.items()}
    ours = each["parakin"]
    yield at_most(f"palida: inverse dynamics in a batch, {cores()} cores", ours, 0.05, "us")
    yield Figure("palida: inverse dynamics in a batch, one thread", each["one thread"], "us")
    yield Figure("palida: Pinocchio's rneaInParallel and vectorised legs in a batch", each["pinocchio"], "us")
    yield at_least("palida: batch faster than Pinocchio's", each["pinocchio"] / ours, 80)
    yield Figure("palida: CasADi's C of the textbook form, OpenMP, in a batch", each["c"], "us")
    yield at_least("palida: batch faster than CasADi's C of the textbook form", each["c"] / ours, 5)


def _glued(some: list[np.ndarray], block: int) -> Callable[[], np.ndarray]:
    return lambda: glue().batch(*some, threads=cores(), block=block)


def inverse_single() -> Iterator[Figure]:
    """One state at a time."""
    robot, state = palida(), one_state(palida())
    bound = robot.kernel("inverse_dynamics").bind()
    for array, value in zip(bound.inputs.values(), state, strict=True):
        array[...] = value
    bound.run()
    want = robot.inverse_dynamics(*state)
    agree(bound.outputs["tau"], want)
    agree(glue().forces(*state), want)
    each = _each(
        {
            "call": lambda: robot.inverse_dynamics(*state),
            "run": bound.run,
            "pinocchio": lambda: glue().forces(*state),
            "rnea": lambda: pin.rnea(glue().model, glue().data, glue().q, glue().z_dot, glue().z_ddot),
        }
    )
    yield Figure("palida: inverse dynamics, one state, friendly call", each["call"], "us")
    yield Figure("palida: inverse dynamics, one state, bind().run", each["run"], "us")
    yield Figure("palida: Pinocchio's rnea and tuned NumPy, one state", each["pinocchio"], "us")
    yield Figure("palida: of that, rnea", each["rnea"], "us")
    yield at_least("palida: friendly call faster than Pinocchio's", each["pinocchio"] / each["call"], 10)


def _each(contestants: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Microseconds a call."""
    seconds = best_of({name: repeated(run, TIMES) for name, run in contestants.items()}, ROUNDS)
    return {name: 1e6 * total / TIMES for name, total in seconds.items()}


def mass() -> Iterator[Figure]:
    robot = palida()
    poses = robot.sample(STATES)
    pose = poses[0].copy()
    agree(glue().mass_matrix(pose), robot.mass_matrix(pose))
    each = _each({"call": lambda: robot.mass_matrix(pose), "pinocchio": lambda: glue().mass_matrix(pose)})
    batch = 1e6 * best_of({"batch": lambda: robot.mass_matrix(poses)})["batch"] / STATES
    ratio = each["pinocchio"] / each["call"]
    yield Figure(f"palida: mass matrix in a batch, {cores()} cores", batch, "us")
    yield Figure("palida: mass matrix, one pose, friendly call", each["call"], "us")
    yield Figure("palida: mass matrix, friendly call against Pinocchio's crba and NumPy", ratio, "x")


class Closed:
    """Closed chains in Pinocchio and MuJoCo, which want the state of the whole tree: it is given, not counted."""

    def __init__(self) -> None:
        self.glue = glue()
        tree, model = self.glue.tree, self.glue.model
        self.constraints, self.constraint_data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for constraint in constraints_of(tree, model):
            self.constraints.append(constraint)
            self.constraint_data.append(constraint.createData())
        self.data = model.createData()
        pin.initConstraintDynamics(model, self.data, self.constraints, self.constraint_data)
        self.settings = pin.ProximalSettings(1e-12, 1e-10, 5)
        self.tau = np.zeros(model.nv)
        home = platform_configuration(tree, "spatial", palida().home)
        self.mujoco = mujoco.MjModel.from_xml_string(closed_chain(tree, home))
        self.mujoco_data = mujoco.MjData(self.mujoco)

    def enter(self, pose: np.ndarray, velocity: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """The state into both engines; R_OE."""
        R, _ = self.glue.enter(pose, velocity, np.zeros(6))
        self.tau[8::3] = tau
        data = self.mujoco_data
        data.qpos[:7], data.qpos[7:] = pose, self.glue.q[7:]
        data.qvel[:], data.ctrl[:] = self.glue.z_dot, tau
        return R

    def pinocchio_forward(self) -> np.ndarray:
        """z_ddot."""
        state = (self.glue.q, self.glue.z_dot, self.tau)
        model, closing = self.glue.model, (self.constraints, self.constraint_data, self.settings)
        return pin.constraintDynamics(model, self.data, *state, *closing)

    def mujoco_forward(self) -> np.ndarray:
        """z_ddot."""
        mujoco.mj_forward(self.mujoco, self.mujoco_data)
        return self.mujoco_data.qacc


def forward() -> Iterator[Figure]:
    robot, closed = palida(), Closed()
    pose, velocity, acceleration = states(robot, STATES)
    tau = robot.inverse_dynamics(pose, velocity, acceleration)
    agree(robot.forward_dynamics(pose, velocity, tau), acceleration)
    softness = 0.0
    for k in range(CHECKED):
        R = closed.enter(pose[k], velocity[k], tau[k])
        found = [z_ddot[:6].copy() for z_ddot in (closed.pinocchio_forward(), closed.mujoco_forward())]
        for z_ddot in found:
            z_ddot[3:] = R @ z_ddot[3:]
        agree(found[0], acceleration[k])
        softness = max(softness, float(np.max(np.abs(found[1] - acceleration[k])) / np.max(np.abs(acceleration[k]))))
    state = [array[0].copy() for array in (pose, velocity, tau)]
    closed.enter(*state)
    each = _each(
        {
            "call": lambda: robot.forward_dynamics(*state),
            "pinocchio": closed.pinocchio_forward,
            "mujoco": closed.mujoco_forward,
            "entered": lambda: closed.enter(*state),
        }
    )
    batch = 1e6 * best_of({"batch": lambda: robot.forward_dynamics(pose, velocity, tau)})["batch"] / STATES
    given = "state of the tree given"
    yield Figure(f"palida: forward dynamics in a batch, {cores()} cores", batch, "us")
    yield Figure("palida: forward dynamics, one state, friendly call", each["call"], "us")
    yield Figure(f"palida: Pinocchio's constraintDynamics, {given}", each["pinocchio"], "us")
    yield Figure(f"palida: MuJoCo's mj_forward, {given}", each["mujoco"], "us")
    yield Figure("palida: MuJoCo's error of acceleration, for its loops are soft", 1e6 * softness, "1e-6")
    yield Figure("palida: giving both the state of the tree, by NumPy", each["entered"], "us")
    yield Figure("palida: batch faster than constraintDynamics alone", each["pinocchio"] / batch, "x")
    yield Figure("palida: batch faster than mj_forward alone", each["mujoco"] / batch, "x")


def formulations() -> Iterator[Figure]:
    """Every exact one against the default, in a batch on all cores."""
    robot = palida()
    many = states(robot, STATES)
    want = robot.inverse_dynamics(*many)
    contestants: dict[str, Callable[[], object]] = {}
    for name, row in FORMULATIONS.items():
        if not row.exact:
            continue
        try:
            agree(robot.inverse_dynamics(*many, formulation=name), want)
        except UnsupportedRobotError:
            continue
        contestants[name] = _inverse(robot, many, name)
    seconds = best_of(contestants)
    for name, total in seconds.items():
        if name != DEFAULT:
            yield Figure(f"palida: {name} against {DEFAULT}, in a batch", total / seconds[DEFAULT], "x")


def _inverse(robot: pk.Robot, many: list[np.ndarray], formulation: str) -> Callable[[], object]:
    return lambda: robot.inverse_dynamics(*many, formulation=formulation)


def robots() -> Iterator[Figure]:
    """With their friction."""
    for name in library():
        robot = pk.load(name)
        many = states(robot, STATES)
        agree(robot.inverse_dynamics(*many, formulation=TEXTBOOK), robot.inverse_dynamics(*many))
        seconds = best_of({form: _inverse(robot, many, form) for form in (DEFAULT, TEXTBOOK)}, rounds=5)
        what = f"{name}, friction included: inverse dynamics in a batch, {cores()} cores"
        yield Figure(what, 1e6 * seconds[DEFAULT] / STATES, "us")
        yield Figure(f"{name}, friction included: faster than {TEXTBOOK}", seconds[TEXTBOOK] / seconds[DEFAULT], "x")


def regressors() -> Iterator[Figure]:
    """Block by block, scaled to a million states."""
    robot = pk.load("palida")
    many = states(robot, STATES)
    kernel = robot.kernel("regressor")

    def blocks() -> None:
        for first in range(0, STATES, BLOCK):
            kernel(*(array[first : first + BLOCK] for array in many))

    shared, free = base_model(robot, shared=True), base_model(robot)
    pose, velocity, acceleration = many
    tau = robot.inverse_dynamics(pose, velocity, acceleration)
    data = [States(1e-3 * np.arange(STATES, dtype=np.float64), pose, velocity, acceleration, tau)]
    seconds = best_of(
        {
            "alone": blocks,
            "shared": lambda: moments_of(shared, data),
            "free": lambda: moments_of(free, data),
            "triangle": lambda: robot.regressor_triangle(*many),
        },
        rounds=1,
    )
    million = 1e6 / STATES
    what = "palida: regressor of 10^6 states"
    columns = len(robot.parameters)
    yield Figure(f"{what}, {columns} columns, blocks of {BLOCK}", million * seconds["alone"], "s")
    for name, model in (("shared", shared), ("free", free)):
        text = f"{what}, {len(model.names)} base columns, legs {name}, accumulated for least squares"
        yield Figure(text, million * seconds[name], "s")
    yield Figure(f"{what}, {columns} columns, accumulated by QR", million * seconds["triangle"], "s")


def compilation() -> Iterator[Figure]:
    """From a description to a program, and from the program to the first result."""
    robot = pk.load("palida")
    few = states(robot, compiler.host().width)
    for name in ("inverse_dynamics", "regressor"):
        derived = compiled = float("inf")
        for _ in range(2):
            with empty_cache():
                start = time.perf_counter()
                program = leg_program(name, robot.description, Options(robot.payload))
                middle = time.perf_counter()
                pk.Kernel(program, status="status")(*few)
                derived = min(derived, middle - start)
                compiled = min(compiled, time.perf_counter() - middle)
        yield Figure(f"palida: {name}, derived", derived, "s")
        yield Figure(f"palida: {name}, compiled, cold", compiled, "s")


def places() -> Iterator[Figure]:
    """Over places of the code in memory, beside what the processor could do at best."""
    robot = palida()
    pose, velocity, acceleration = states(robot, PLACED)
    tau = robot.inverse_dynamics(pose, velocity, acceleration)
    inputs = {
        "inverse_dynamics": [pose, velocity, acceleration],
        "mass_matrix": [pose],
        "forward_dynamics": [pose, velocity, tau],
        "regressor": [pose, velocity, acceleration],
    }
    for name, arrays in inputs.items():
        yield from figures_of(f"palida: {name}", robot.kernel(name), arrays)


def figures() -> Iterator[Figure]:
    yield from inverse_batch()
    yield from inverse_single()
    yield from mass()
    yield from forward()
    yield from places()
    yield from formulations()
    yield from robots()
    yield from regressors()
    yield from compilation()
