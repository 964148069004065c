"""What the signals of the loop are before its first tick."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array
from parakin.control import Law, Reference
from parakin.dynamics.mechanics import Acting
from parakin.errors import PoseError, SimulationError
from parakin.kernels import Kernel, Program
from parakin.kinematics.status import Status
from parakin.robot import Robot
from parakin.robot.limits import all_limits
from parakin.simulation.loop import uses_pose
from parakin.simulation.platform_sensors import SensorStage
from parakin.simulation.ports import NUMBERS, evaluated
from parakin.simulation.scenario import Scenario, stacked, unloaded

Signals = dict[str, Array]
"""Numbers of the loop's signals, by name: mostly (scenarios, ...)."""


def initial_signals(
    robot: Robot,
    law: Law,
    reference: Reference,
    scenarios: Sequence[Scenario],
    constants: Signals,
    *,
    contraction: bool = True,
) -> Signals:
    """Return everything that is carried from tick to tick (scenarios, ...), and `side`, signs of determinants.

    The drives have held the robot until now, with the forces that its true weight asks for; filters are settled.
    """
    count = len(scenarios)
    pose = stacked("pose", [s.pose for s in scenarios], reference.pose[0])
    place = robot.places(pose)
    velocity = stacked("velocity", [s.velocity for s in scenarios], reference.velocity[0])
    q: Array = robot.inverse_kinematics(pose)
    q_dot: Array = robot.actuator_velocity(pose, velocity)
    _refuse(robot, pose, np.flatnonzero(~np.isfinite(q).all(axis=-1)))
    holding, status = _holding(robot, pose, place, constants)
    _refuse(robot, pose, np.flatnonzero(status == Status.SINGULAR))
    quantum = constants["quantum"]
    twist = _twist(holding, constants) if "stiffness" in constants else None
    at = q if twist is None else q + np.where(constants["on_motor"][:, None] > 0, twist, 0.0)
    seen = np.where(quantum > 0, quantum * np.floor(at / np.where(quantum > 0, quantum, 1) + 0.5), at)
    measured = {"q": at, "q_dot": q_dot, "pose": pose, "velocity": velocity}
    signals: Signals = {
        "place": place,
        "velocity": velocity,
        "held_place": place,
        "measured_q": seen - law.period * q_dot,
        "rate": q_dot,
        "q": q,
        "law_state": evaluated(
            _start_kernel(law, contraction),
            _first_tick(law, reference, measured) | {"gains": constants["gains"], "holding": holding},
        )["state"],
        "pending": holding,
        "side": _side(robot, place),
    }
    if twist is not None:
        signals |= {"motor": q + twist, "motor_rate": q_dot, "held_motor": q + twist}
    if "sliding" in constants:
        signals |= {"bristle": np.zeros(q.shape), "slid": q if twist is None else q + twist}
    if "jitter" in constants:
        signals["shift"] = np.zeros(count)
    if scenarios[0].sensor is not None:
        begun = {"true_pose": pose, "true_velocity": velocity, "positions": at, "tau": holding}
        begun |= {"sensor_numbers": constants["sensor_numbers"]}
        signals |= evaluated(_sensor_kernel(scenarios[0].sensor.stage, contraction), begun)
    elif uses_pose(law):
        signals |= {"measured_pose": pose, "platform_rate": velocity}
    sums = dict.fromkeys(("error_sum", "error_peak", "force_sum", "force_peak", "saturated"), q.shape)
    sums |= dict.fromkeys(("platform_sum", "platform_peak"), (count, 2))
    sums |= dict.fromkeys(("tick", "status", "ticks_run"), (count,))
    sums |= {"excess": (count, len(limited))} if (limited := all_limits(robot).names) else {}
    return signals | {name: np.zeros(shape) for name, shape in sums.items()}


def _refuse(robot: Robot, pose: Array, bad: NDArray[np.intp]) -> None:
    """Raise SimulationError for the first of the scenarios whose poses are bad: out of reach, or singular."""
    if not len(bad):
        return
    first = int(bad[0])
    reason = f"the state at {pose[first].tolist()} is not finite"
    try:
        robot.static_forces(pose[first])
    except PoseError as error:
        reason = str(error)
    raise SimulationError("pose", f"scenario {first} cannot begin at its pose: {reason}")


def _holding(robot: Robot, pose: Array, place: Array, constants: Signals) -> tuple[Array, Array]:
    """Return the static forces of the true robot, with what it carries at t = 0, and the status of each pose."""
    carries = (constants["payload_tick"] <= 0)[:, None] * constants["payload"]
    kernel = unloaded(robot).kernel("static_forces", free=("parameters", "payload"))
    state = {"pose": pose, "near": place, "parameters": constants["parameters"], "payload": carries}
    found = evaluated(kernel, state)
    return found["tau"], found["status"]


def _twist(holding: Array, constants: Signals) -> Array:
    """Return by how much the forces that hold the robot wind up springs, on the side of the play that pushes."""
    return holding / constants["stiffness"] + np.sign(holding) * constants["backlash"] / 2


def _side(robot: Robot, place: Array) -> Array:
    """Return the signs of what changes its sign in singularities, at the first places (scenarios, numbers)."""
    return _side_function(robot)(place.T).full().T


@functools.lru_cache(maxsize=32)
def _side_function(robot: Robot) -> ca.Function:
    placed = robot.placed(Acting())
    return ca.Function("side", [placed.place], [ca.sign(placed.orientation)])


@functools.lru_cache(maxsize=32)
def _start_kernel(law: Law, contraction: bool) -> Kernel:
    program = Program.of(law.start)
    return Kernel(program.in_single() if law.single else program, numbers=NUMBERS, contraction=contraction)


@functools.lru_cache(maxsize=32)
def _sensor_kernel(sensing: SensorStage, contraction: bool) -> Kernel:
    return Kernel(Program.of(sensing.first), numbers=NUMBERS, contraction=contraction)


def _first_tick(law: Law, reference: Reference, measured: Signals) -> Signals:
    """Return the set points and measurements that a law starts with, by its inputs."""
    desired = {w.port: reference.ahead(w.quantity, w.ahead)[0] for w in law.interface.reference}
    seen = {f"measured_{what}": measured[what] for what in law.interface.measurement}
    places = {} if law.robot.place_is_pose else {"first_place": law.robot.places(reference.pose[0])}
    return desired | seen | places
