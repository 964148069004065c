"""Which limit keeps a robot from poses: codes of `causes_of` for batches of poses, in lanes for robots of legs.

For a robot of legs one kernel computes the code from the pose: closing, singularities, strokes, joint limits,
clearances and the sign of det J_qv are all expressions. Only condition numbers, where they are asked for, are worked
out afterwards. A mechanism is searched for, and judged by what its kernels give.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from parakin.analysis.reason import Reason
from parakin.analysis.workspaces.capsules import clearances, leg_clearances
from parakin.analysis.workspaces.causes import Cause, Codes, causes_of
from parakin.arrays import Array
from parakin.errors import DataError
from parakin.kinematics.status import Status
from parakin.robot import Robot
from parakin.robot.limits import Bounds

if TYPE_CHECKING:
    import casadi as ca

    from parakin.kernels import Kernel, Program
    from parakin.kinematics.robot_motion import RobotMotion


@dataclass(frozen=True)
class Demands:
    """What is asked of a pose beyond the robot's own limits.

    >>> judge = pk.analysis.judge_of(robot, pk.analysis.Demands(condition=1.2))
    >>> str(judge.causes[judge(robot.home[None])[0]])
    'ill conditioned'
    """

    condition: float | None = None
    """Largest condition number of the length-scaled J_qv; None where it does not matter."""
    one_aspect: bool = True
    """Whether poses beyond a singularity of the platform are out: those where det J_qv has not the sign of home."""
    clearance: float = 0.0
    """Least distance between parts whose radii the robot file gives [m]."""

    def __post_init__(self) -> None:
        """Refuse numbers that no pose can meet or miss."""
        if self.condition is not None and not self.condition >= 1:
            raise DataError("demands", "condition", f"must be 1 or above, got {self.condition:g}")
        if not (math.isfinite(self.clearance) and self.clearance >= 0):
            raise DataError("demands", "clearance", f"must be 0 m or above, got {self.clearance:g}")


PLAIN = Demands()
"""Nothing is asked but the robot's own limits, on the side of singularities that home is on."""


class Judge(Protocol):
    """What tells the code of each of many poses. In other processes it is made anew from its robot and demands."""

    @property
    def causes(self) -> tuple[Cause, ...]:
        """The table that codes are places of."""
        ...

    def __call__(self, poses: Array, /) -> Codes:
        """Return the codes (N,) of poses (N, coordinates)."""
        ...


def judge_of(robot: Robot, demands: Demands = PLAIN) -> Judge:
    """Return what judges poses of a robot.

    >>> judge = pk.analysis.judge_of(robot)
    >>> [str(judge.causes[code]) for code in judge(np.array([[0, 0, -0.43], [0.9, 0, -0.43]]))]
    ['reachable', 'unreachable: leg1']
    """
    return LegJudge(robot, demands) if robot.legs else MechanismJudge(robot.graph, demands)


class LegJudge:
    """Judges poses of a robot of legs by one kernel."""

    def __init__(self, robot: Robot, demands: Demands) -> None:
        from parakin.kernels import Derivation, Kernel

        self.robot, self.demands, self.causes = robot, demands, causes_of(robot)
        use = f"workspace {demands.one_aspect} {demands.clearance!r}"
        derivation = Derivation(robot.content(use), lambda: _program(robot, demands, self.causes))
        self.kernel: Kernel = Kernel(derivation, status="code")
        self.unusable = np.int16(code_of(self.causes, Reason.UNUSABLE))
        self.ill = np.int16(code_of(self.causes, Reason.ILL_CONDITIONED))

    def __reduce__(self) -> tuple[object, ...]:
        return judge_of, (self.robot, self.demands)

    def __call__(self, poses: Array, /) -> Codes:
        """Return the codes (N,) of poses (N, coordinates)."""
        codes = np.asarray(self.kernel(pose=poses)["code"]).astype(np.int16)
        codes[codes < 0] = self.unusable
        return _conditioned(self.robot, self.demands, poses, codes, self.ill)


def _conditioned(robot: Robot, demands: Demands, poses: Array, codes: Codes, ill: np.int16) -> Codes:
    """Return codes in which poses that nothing else keeps the robot from are judged by their condition numbers."""
    if demands.condition is None:
        return codes
    good = np.flatnonzero(codes == 0)
    if len(good):
        codes[good[~(robot.condition(poses[good]) <= demands.condition)]] = ill
    return codes


def code_of(causes: tuple[Cause, ...], reason: Reason) -> int:
    """Return the first code with a reason."""
    return next(k for k, cause in enumerate(causes) if cause.reason is reason)


# Robots of legs ------------------------------------------------------------------------------------------------------


def _program(robot: Robot, demands: Demands, causes: tuple[Cause, ...]) -> Program:
    """Return the program from a pose to its code, `closing_steps` before it where legs have no closed form."""
    import casadi as ca

    from parakin.kernels import Program
    from parakin.kinematics.closing import closing_steps
    from parakin.kinematics.robot_motion import robot_motion

    moving = robot_motion(robot.description)
    broken = _broken(robot, demands, moving)
    assert len(broken) == len(causes) - 1, "every cause but the first has its expression"
    code = ca.SX(0)
    for k in reversed(range(len(broken))):
        code = ca.if_else(broken[k], k + 1, code)
    inputs = {"pose": moving.pose} | ({"z": moving.z} if moving.z.shape[0] else {})
    name = f"{robot.name}_workspace"
    function = ca.Function(name, list(inputs.values()), [code], list(inputs), ["code"], {"cse": True})
    before = closing_steps(moving, robot.description, residual="code")
    return Program(*before, function, outputs=("code",), name=name)


def _broken(robot: Robot, demands: Demands, moving: RobotMotion) -> list[ca.SX]:
    """Return whether each cause but the first applies, in the order of `causes_of`."""
    import casadi as ca

    from parakin.kinematics.joints import angles_of_motion
    from parakin.kinematics.model import regular
    from parakin.linalg.solve import platform_pivot

    description = robot.description
    J_qv = moving.J_qv
    pivot = platform_pivot(J_qv, moving.motion.scale(1 / description.length))
    angles = angles_of_motion(moving, description) if robot.joint_limits.any else ca.SX.zeros(len(robot.joint_names))
    across = ca.SX(0)
    if demands.one_aspect and J_qv.shape[0] == J_qv.shape[1]:
        across = ca.logic_not(determinant(J_qv) * home_sign(robot) > 0)
    return [
        ca.logic_not(moving.motion.usable(moving.pose)),
        *(ca.logic_not(moving.excess[k] <= 0) for k in range(len(robot.legs))),
        ca.logic_not(regular(moving, pivot)),
        *_beyond(robot.strokes, moving.q),
        *_beyond(robot.joint_limits, angles),
        *(ca.logic_not(apart >= demands.clearance) for apart in leg_clearances(moving, robot)),
        across,
        ca.SX(0),  # condition numbers are looked at afterwards
    ]


def _beyond(bounds: Bounds, values: ca.SX) -> list[ca.SX]:
    """Return whether values are below and above their limits by more than rounding, each after the other."""
    import casadi as ca

    tests: list[ca.SX] = []
    for k, slack in enumerate(bounds.slack.tolist()):
        lower, upper = float(bounds.lower[k]), float(bounds.upper[k])
        tests.append(lower - values[k] > slack if np.isfinite(lower) else ca.SX(0))
        tests.append(values[k] - upper > slack if np.isfinite(upper) else ca.SX(0))
    return tests


def determinant(A: ca.SX) -> ca.SX:
    """Return det A by elimination with partial pivoting, rows exchanged by selects."""
    import casadi as ca

    n, result = A.shape[0], ca.SX(1)
    rows = [A[k, :] for k in range(n)]
    for k in range(n):
        for below in range(k + 1, n):
            larger = ca.fabs(rows[below][k]) > ca.fabs(rows[k][k])
            upper, lower = rows[k], rows[below]
            rows[k], rows[below] = ca.if_else(larger, lower, upper), ca.if_else(larger, upper, lower)
            result = ca.if_else(larger, -result, result)
        result *= rows[k][k]
        inverse = 1 / rows[k][k]
        for below in range(k + 1, n):
            rows[below] = rows[below] - rows[below][k] * inverse * rows[k]
    return result


def home_sign(robot: Robot) -> float:
    """Return the sign of det J_qv at home: the side of the platform's singularities on which the robot works."""
    sign = float(np.sign(np.linalg.det(robot.jacobian(robot.home))))
    return sign or 1.0


# Mechanisms ----------------------------------------------------------------------------------------------------------


class MechanismJudge:
    """Judges poses of a mechanism by the configurations to which straight ways from home lead."""

    def __init__(self, mechanism: Robot, demands: Demands) -> None:
        self.mechanism, self.demands, self.causes = mechanism, demands, causes_of(mechanism)
        self.first = {reason: code_of(self.causes, reason) for reason in {cause.reason for cause in self.causes}}
        self.square = len(mechanism.actuator_names) == mechanism.degrees_of_freedom
        home = mechanism.evaluate("jacobian", pose=mechanism.home[None])["J_qv"][0]
        self.sign = float(np.sign(np.linalg.det(home))) if self.square and np.isfinite(home).all() else 0.0

    def __reduce__(self) -> tuple[object, ...]:
        return judge_of, (self.mechanism, self.demands)

    def __call__(self, poses: Array, /) -> Codes:
        """Return the codes (N,) of poses (N, coordinates)."""
        near, status = self.mechanism.led_from_home(poses)
        codes = np.zeros(len(poses), np.int16)
        for reason in (Reason.UNUSABLE, Reason.UNREACHABLE, Reason.SINGULAR, Reason.NOT_CONVERGED):
            codes[status == int(reason)] = self.first[reason]
        there = np.flatnonzero(status == int(Status.GOOD))
        if not len(there):
            return codes
        limited = self.mechanism.limited_values(poses[there], near=near[there])
        bounds = (self.mechanism.strokes, self.mechanism.joint_limits)
        for values, bound, reason in zip(limited, bounds, (Reason.OUT_OF_STROKE, Reason.JOINT_LIMIT), strict=True):
            self._limit(codes, there, values, bound, reason)
        self._clearance(codes, poses, near)
        self._aspect(codes, poses, near)
        return self._condition(codes, poses, near)

    def _limit(self, codes: Codes, there: NDArray[np.intp], values: Array, bounds: Bounds, reason: Reason) -> None:
        """Write the code of the first limit that is broken, where nothing else is wrong."""
        below, above = bounds.lower - values > bounds.slack, values - bounds.upper > bounds.slack
        both = np.stack([below, above], axis=-1).reshape(len(there), 2 * len(bounds.names))
        broken = both.any(axis=1) & (codes[there] == 0)
        codes[there[broken]] = self.first[reason] + both[broken].argmax(axis=1) if both.shape[1] else 0

    def _clearance(self, codes: Codes, poses: Array, near: Array) -> None:
        """Write the code of the first pair of parts that are too close, where nothing else is wrong."""
        good = np.flatnonzero(codes == 0)
        if Reason.CLEARANCE not in self.first or not len(good):
            return
        close = ~(clearances(self.mechanism, poses[good], near=near[good]) >= self.demands.clearance)
        broken = close.any(axis=1)
        codes[good[broken]] = self.first[Reason.CLEARANCE] + close[broken].argmax(axis=1)

    def _aspect(self, codes: Codes, poses: Array, near: Array) -> None:
        good = np.flatnonzero(codes == 0)
        if not (self.demands.one_aspect and self.sign and len(good)):
            return
        J = self.mechanism.evaluate("jacobian", pose=poses[good], near=near[good])["J_qv"]
        det = np.linalg.det(np.where(np.isfinite(J), J, 0.0))
        codes[good[~(det * self.sign > 0)]] = self.first[Reason.BEYOND_SINGULARITY]

    def _condition(self, codes: Codes, poses: Array, near: Array) -> Codes:
        good = np.flatnonzero(codes == 0)
        if self.demands.condition is not None and len(good):
            conditions = self.mechanism.condition(poses[good], near=near[good])
            codes[good[~(conditions <= self.demands.condition)]] = self.first[Reason.ILL_CONDITIONED]
        return codes
