"""Can a robot make a motion: reach, singularity, strokes, speeds and forces along the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array
from parakin.errors import MotionError
from parakin.kinematics.status import Status
from parakin.robot import Evaluation, Robot
from parakin.trajectory.limits import limits_of
from parakin.trajectory.motion import Motion
from parakin.trajectory.verdict import Excess, Peak, Quantity, Trouble, Verdict

STATES = 2001
"""How many are looked at unless told. What lies between two of them is not seen: some 1e-6 of a smooth peak."""
ROUNDING = 1e-9
"""Relative: on the limit is within it."""
_NAMES: dict[int, Literal["unreachable", "singular", "unusable"]] = {
    Status.UNREACHABLE: "unreachable",
    Status.SINGULAR: "singular",
    Status.UNUSABLE: "unusable",
}


@dataclass(frozen=True, eq=False)
class _Loads:
    """What a motion asks of the actuators at times t (N,): q, q_dot, tau (N, m), NaN where a pose is no good."""

    t: Array
    kinematics: Evaluation
    q: Array
    q_dot: Array
    tau: Array
    condition: Array
    handedness: Array


@dataclass(frozen=True, eq=False)
class Course:
    """One quantity of all actuators over time: values (N, m) at t (N,), limits (m,)."""

    quantity: Quantity
    t: Array
    values: Array
    lower: Array
    upper: Array


def check(motion: Motion, robot: Robot, states: int = STATES) -> Verdict:
    """Look at `states` moments of the motion, both ends among them, and say what is not possible."""
    if motion.kind != robot.motion:
        raise MotionError(motion.name, "robot", f"the motion is {motion.kind}, {robot.name} is {robot.motion}")
    if states < 2:
        raise MotionError(motion.name, "states", f"at least 2, got {states}")
    return _judged(motion, robot, _loads(motion, robot, states))


def _loads(motion: Motion, robot: Robot, states: int) -> _Loads:
    t = np.linspace(0.0, motion.duration, states)
    pose, velocity, acceleration = motion.at(t)
    found = robot.evaluate("inverse_kinematics", pose=pose)
    q_dot = robot.actuator_velocity(pose, velocity)
    tau = robot.inverse_dynamics(pose, velocity, acceleration)
    return _Loads(t, found, found["q"], q_dot, tau, robot.condition(pose), _handedness(robot, pose))


def _handedness(robot: Robot, pose: Array) -> Array:
    """The sign (N,) of det J_qv, which changes where the platform goes through a singularity; 0 if there is none."""
    J_qv: Array = robot.jacobian(pose)
    if J_qv.shape[-1] != J_qv.shape[-2]:
        return np.zeros(len(pose))
    return np.sign(np.linalg.det(np.nan_to_num(J_qv)))


def _judged(motion: Motion, robot: Robot, seen: _Loads) -> Verdict:
    limits = limits_of(robot)
    speed = Course("speed", seen.t, seen.q_dot, -limits.speed, limits.speed)
    force = Course("force", seen.t, seen.tau, -limits.force, limits.force)
    excesses = [
        *beyond(robot, Course("stroke", seen.t, seen.q, limits.lower, limits.upper)),
        *beyond(robot, speed),
        *beyond(robot, force),
    ]
    peaks = [*_peak(robot, speed), *_peak(robot, force)]
    troubles = tuple(_troubles(robot, seen))
    condition = float(np.max(seen.condition))
    general = robot.name, motion.name, motion.duration, len(seen.t), condition
    return Verdict(*general, troubles, tuple(excesses), tuple(peaks))


def unit_of(quantity: Quantity, length: bool) -> str:
    units = {"stroke": ("m", "rad"), "speed": ("m/s", "rad/s"), "force": ("N", "N m")}
    return units[quantity][0 if length else 1]


def beyond(robot: Robot, course: Course) -> list[Excess]:
    """One entry for each actuator that leaves its limits."""
    found: list[Excess] = []
    t, values, lower, upper = course.t, course.values, course.lower, course.upper
    lengths = limits_of(robot).lengths
    for k, actuator in enumerate(robot.actuator_names):
        excess = np.maximum(values[:, k] - upper[k], lower[k] - values[:, k])
        slack = ROUNDING * (1.0 + np.max(np.abs(np.nan_to_num([lower[k], upper[k]], posinf=0.0, neginf=0.0))))
        late = np.flatnonzero(excess > slack)
        if len(late):
            worst = int(late[np.argmax(excess[late])])
            value = float(values[worst, k])
            limit = float(upper[k] if value > upper[k] else lower[k])
            shown = limit if course.quantity == "stroke" else abs(limit)
            unit = unit_of(course.quantity, lengths[k])
            found.append(Excess(actuator, course.quantity, value, shown, unit, float(t[late[0]]), float(t[worst])))
    return found


def _peak(robot: Robot, course: Course) -> list[Peak]:
    share = np.nan_to_num(np.abs(course.values) / course.upper)
    state, k = np.unravel_index(np.argmax(share), share.shape)
    if share[state, k] == 0.0:
        return []
    unit = unit_of(course.quantity, limits_of(robot).lengths[k])
    value, limit, t = float(course.values[state, k]), float(course.upper[k]), float(course.t[state])
    return [Peak(robot.actuator_names[k], course.quantity, value, limit, unit, t)]


def _troubles(robot: Robot, seen: _Loads) -> list[Trouble]:
    status = seen.kinematics.status
    found: list[Trouble] = []
    for code, kind in _NAMES.items():
        bad = np.flatnonzero(status == code)
        if len(bad):
            part, size, worst = _worst(robot, seen, kind, bad)
            found.append(Trouble(kind, part, size, len(bad), float(seen.t[bad[0]]), float(seen.t[worst])))
    return found + _crossings(seen)


def _crossings(seen: _Loads) -> list[Trouble]:
    """Singularities that lie between two states, told by the sign of det J_qv."""
    changes = np.flatnonzero(seen.handedness[1:] * seen.handedness[:-1] < 0.0)
    if not len(changes):
        return []
    near = changes + (seen.condition[changes + 1] > seen.condition[changes])
    worst = int(near[np.argmax(seen.condition[near])])
    first, last = float(seen.t[changes[0]]), float(seen.t[worst])
    return [Trouble("singular", "the platform", float(seen.condition[worst]), len(changes), first, last)]


def _worst(robot: Robot, seen: _Loads, kind: str, bad: NDArray[np.intp]) -> tuple[str, float, int]:
    """Which part, by how much, and which state."""
    if kind == "unreachable" and seen.kinematics.excess is not None:
        excess = seen.kinematics.excess[bad]
        state, leg = np.unravel_index(np.argmax(excess), excess.shape)
        return robot.legs[leg].name, 1e3 * float(excess[state, leg]), int(bad[state])
    if kind == "singular":
        condition = seen.condition[bad]
        state = int(np.argmax(condition))
        return ("a leg" if np.isinf(condition[state]) else "the platform"), float(condition[state]), int(bad[state])
    return "", np.nan, int(bad[0])
