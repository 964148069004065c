"""Check whether a robot can make a motion: reach, singularities, strokes, speeds and forces along the way."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.errors import MotionError
from parakin.kinematics.status import Status
from parakin.robot import Evaluation, Robot
from parakin.robot.limits import Bounds
from parakin.trajectory.check_result import Excess, MotionCheck, Peak, Quantity, Trouble, TroubleKind
from parakin.trajectory.limits import limits_of
from parakin.trajectory.states import MOST_STATES, Motion, Samples, State

STATES = 2001
"""Number of states that are checked unless told: between two of them some 1e-6 of a smooth peak goes unseen."""
_NAMES: dict[int, TroubleKind] = {
    Status.UNREACHABLE: "unreachable",
    Status.NOT_CONVERGED: "open",
    Status.SINGULAR: "singular",
    Status.UNUSABLE: "unusable",
}


@frozen_arrays
class _Loads:
    """What a motion asks of the actuators at each checked state; NaN where the robot cannot be in the pose."""

    t: Array
    """Times (N,) [s]."""
    kinematics: Evaluation
    """Inverse kinematics with a status for each state."""
    strokes: Array
    """What `robot.strokes` bounds (N, strokes) [m or rad]."""
    q_dot: Array
    """Actuator velocities (N, actuators) [m/s or rad/s]."""
    tau: Array
    """Actuator forces (N, actuators) [N or N m]."""
    angles: Array
    """What `robot.joint_limits` bounds (N, joints) [m or rad]; without columns where no passive joint has a limit."""
    condition: Array
    """Condition numbers (N,), as `robot.condition` gives them."""
    handedness: Array
    """Sign (N,) of det J_qv, 0 where J_qv is not square."""


@frozen_arrays
class Course:
    """The course of one quantity of all actuators or joints over time, with its limits."""

    quantity: Quantity
    """Which quantity it is."""
    names: tuple[str, ...]
    """Names of the actuators or joints."""
    units: tuple[str, ...]
    """Unit of each of them."""
    t: Array
    """Times (N,) [s]."""
    values: Array
    """Values (N, names) in these units."""
    lower: Array
    """Least values allowed (names,)."""
    upper: Array
    """Largest values allowed (names,)."""


def check(motion: Motion | Samples, robot: Robot, states: int = STATES) -> MotionCheck:
    """Check `states` states of the motion, evenly spaced with both ends among them, against reach and limits.

    Of samples, as `read_csv` returns them, every one is checked.

    >>> hasty = pk.trajectory.check(motion.stretched(0.2), robot)
    >>> hasty.good, [(excess.actuator, excess.quantity) for excess in hasty.excesses[:1]]
    (False, [('leg1.arm', 'speed')])
    """
    name = motion.name if isinstance(motion, Motion) else "samples"
    if motion.kind != robot.motion_type:
        raise MotionError(name, "robot", f"the motion is {motion.kind}, {robot.name} is {robot.motion_type}")
    if states < 2:
        raise MotionError(name, "states", f"at least 2, got {states}")
    if states > MOST_STATES:
        reason = f"at most {MOST_STATES:.0e}, got {states:.3g}: give a lower rate in Hz or less time in s"
        raise MotionError(name, "states", reason)
    if isinstance(motion, Samples):
        if not len(motion.t):
            raise MotionError(name, "t", "there is no state to check")
        state = State(motion.pose, motion.velocity, motion.acceleration)
        return _checked(name, robot, _loads(robot, motion.t, state))
    t = np.linspace(0.0, motion.duration, states)
    return _checked(name, robot, _loads(robot, t, motion.at(t)))


def _loads(robot: Robot, t: Array, state: State) -> _Loads:
    pose, velocity, acceleration = state
    near = robot.configurations(pose)
    kinematics = robot.evaluate("inverse_kinematics", near=near, pose=pose)
    q_dot = robot.actuator_velocity(pose, velocity, near=near)
    tau = robot.inverse_dynamics(pose, velocity, acceleration, near=near)
    strokes, angles = robot.limited_values(pose, near=near)
    condition = robot.condition(pose, near=near)
    return _Loads(t, kinematics, strokes, q_dot, tau, angles, condition, _handedness(robot, pose, near))


def _handedness(robot: Robot, pose: Array, near: Array) -> Array:
    """Return the sign (N,) of det J_qv, which changes where the platform goes through a singularity.

    Redundant robots have no determinant: the sign is 0.
    """
    J_qv: Array = robot.jacobian(pose, near=near)
    if J_qv.shape[-1] != J_qv.shape[-2]:
        return np.zeros(len(pose))
    return np.sign(np.linalg.det(np.nan_to_num(J_qv)))


def _checked(name: str, robot: Robot, loads: _Loads) -> MotionCheck:
    limits, strokes, joints = limits_of(robot), robot.strokes, robot.joint_limits
    speed = actuator_course(robot, "speed", loads.t, loads.q_dot, limits.speed)
    force = actuator_course(robot, "force", loads.t, loads.tau, limits.force)
    stroke = Course("stroke", strokes.names, strokes.units, loads.t, loads.strokes, strokes.lower, strokes.upper)
    excesses = [*beyond(stroke), *beyond(speed), *beyond(force)]
    if joints.any:
        excesses += beyond(
            Course("joint", joints.names, joints.units, loads.t, loads.angles, joints.lower, joints.upper)
        )
    peaks = [*_peak(speed), *_peak(force)]
    troubles = tuple(_troubles(robot, loads))
    condition = float(np.max(loads.condition))
    general = robot.name, name, float(loads.t[-1] - loads.t[0]), len(loads.t), condition
    return MotionCheck(*general, troubles, tuple(excesses), tuple(peaks))


def actuator_course(
    robot: Robot, quantity: Literal["speed", "force"], t: Array, values: Array, largest: Array
) -> Course:
    """Return the course of a rate or a force of all actuators, with the same limit either way."""
    units = tuple(one.units.velocity if quantity == "speed" else one.units.force for one in robot.actuators)
    return Course(quantity, robot.actuator_names, units, t, values, -largest, largest)


def beyond(course: Course) -> list[Excess]:
    """Return one entry for each actuator or joint whose values leave their limits."""
    excesses: list[Excess] = []
    bounds = Bounds(course.names, course.units, course.lower, course.upper)
    excess, outside = bounds.excess(course.values), bounds.beyond(course.values)
    for k, (name, unit) in enumerate(zip(course.names, course.units, strict=True)):
        late = np.flatnonzero(outside[:, k])
        if len(late):
            worst = int(late[np.argmax(excess[late, k])])
            value = float(course.values[worst, k])
            limit = float(course.upper[k] if value > course.upper[k] else course.lower[k])
            shown = limit if course.quantity in ("stroke", "joint") else abs(limit)
            first_and_worst = float(course.t[late[0]]), float(course.t[worst])
            excesses.append(Excess(name, course.quantity, value, shown, unit, *first_and_worst))
    return excesses


def _peak(course: Course) -> list[Peak]:
    share = np.nan_to_num(np.abs(course.values) / course.upper)
    state, k = np.unravel_index(np.argmax(share), share.shape)
    if share[state, k] == 0.0:
        return []
    value, limit, t = float(course.values[state, k]), float(course.upper[k]), float(course.t[state])
    return [Peak(course.names[k], course.quantity, value, limit, course.units[k], t)]


def _troubles(robot: Robot, loads: _Loads) -> list[Trouble]:
    status = loads.kinematics.status
    troubles: list[Trouble] = []
    for code, kind in _NAMES.items():
        bad = np.flatnonzero(status == code)
        if len(bad):
            part, size, worst = _worst(robot, loads, kind, bad)
            troubles.append(Trouble(kind, part, size, len(bad), float(loads.t[bad[0]]), float(loads.t[worst])))
    return troubles + _crossings(loads)


def _crossings(loads: _Loads) -> list[Trouble]:
    """Return the trouble of singularities that lie between two states, which the sign of det J_qv tells."""
    changes = np.flatnonzero(loads.handedness[1:] * loads.handedness[:-1] < 0.0)
    if not len(changes):
        return []
    near = changes + (loads.condition[changes + 1] > loads.condition[changes])
    worst = int(near[np.argmax(loads.condition[near])])
    times = float(loads.t[changes[0]]), float(loads.t[worst])
    return [Trouble("singular", "the platform", float(loads.condition[worst]), len(changes), *times)]


def _worst(robot: Robot, loads: _Loads, kind: str, bad: NDArray[np.intp]) -> tuple[str, float, int]:
    """Return which part is in trouble, by how much, and in which state that is worst."""
    if kind == "open":
        missing = np.nan_to_num(loads.kinematics.residual[bad], nan=np.inf)
        state = int(np.argmax(missing))
        return "a loop", float(loads.kinematics.residual[bad[state]]), int(bad[state])
    if kind == "unreachable":
        excess = loads.kinematics.excess[bad]
        state, leg = np.unravel_index(np.argmax(excess), excess.shape)
        return robot.legs[leg].name, 1e3 * float(excess[state, leg]), int(bad[state])
    if kind == "singular":
        condition = loads.condition[bad]
        state = int(np.argmax(condition))
        part = "the platform" if np.isfinite(condition[state]) else "a leg" if robot.legs else "the mechanism"
        return part, float(condition[state]), int(bad[state])
    return "", np.nan, int(bad[0])
