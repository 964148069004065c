"""How far the platform can be from where it should be, for steps of encoders and play of joints.

A robot with more motors than freedoms comes to rest elsewhere if their positions do not fit each other. Rigid motors
could not be at such positions. Elastic drives with the stiffness k give way, and the platform goes to where they
balance, gravity left out:

    sum of k_i (q_i(x) - goal_i)^2 is least        dx = (J_qv^T k J_qv)^-1 J_qv^T k dq
"""

from __future__ import annotations

from itertools import product

import numpy as np

from parakin.analysis import output_accuracy
from parakin.analysis.compliance import by_geometry, closed_forms, drive_stiffnesses, elongation_slope
from parakin.analysis.options import Options
from parakin.analysis.quantity import Found, GoodPoses
from parakin.analysis.reason import Reason
from parakin.arrays import Array
from parakin.description import Leg
from parakin.motions.offsets import displaced, offset_between
from parakin.robot import Robot
from parakin.units import ANGLE

ALLOWANCE = 0.1
"""Share by which the displacement of forward kinematics may differ from the linearised one."""
MOST_MOTORS = 16
"""Motors up to which the 2^(m-1) corners of a box of errors are enumerated."""


def determined(robot: Robot, options: Options) -> str | None:
    """Return why the accuracy of a robot cannot be had, with what would be accepted; None if it can."""
    motors, freedoms = len(robot.actuators), robot.degrees_of_freedom
    if motors < freedoms:
        return f"{motors} motors do not determine {freedoms} freedoms: drive more joints"
    if motors > MOST_MOTORS:
        return f"it has more than {MOST_MOTORS} motors"
    loose = robot.loose_turns
    at_output = robot.coordinates.of_joints and options.at == "output"
    if at_output and options.direction is not None:
        return (
            "`direction` is of its independent coordinates, and at = 'output' asks for its output frame: give `space`"
        )
    if loose and not at_output:
        reason = f"{', '.join(loose)} are components of an angular velocity, of which a displacement is no difference"
        return f"{reason}: choose wx, wy and wz of the ball, in this order, or other `independent` coordinates"
    if robot.coordinates.of_joints and not at_output and output_accuracy.joint_plays(robot, options):
        return "play of joints moves its output frame, whatever its independent coordinates are: choose at = 'output'"
    played = any(any(_clearances(leg, options)) for leg in robot.legs)
    obstacle = closed_forms(robot, "`clearance`") if played else None
    return obstacle or (comparable_drives(robot, options) if motors > freedoms else None)


def accuracy(poses: GoodPoses) -> Found:
    """Return the largest displacement of the platform for any errors within steps and play [m or rad].

        max |S^T J_qv^-1 dq|    over |dq_i| <= b_i = step_i/2 + play_i

    over all corners of that box. More motors than freedoms strain against each other, and the platform comes to rest
    where their drives balance: J_qv^-1 is then (J_qv^T k J_qv)^-1 J_qv^T k, for drives with the stiffness k, or equally
    stiff ones where none is given. The worst corner is given to the exact kinematics, to both sides: where the
    displacement that they find is more than ALLOWANCE off, linearisation fails and the pose has no value. Of a
    mechanism it is the displacement of its coordinates, or if that is asked for of its output: `output_accuracy`.
    """
    if poses.robot.coordinates.of_joints and poses.options.at == "output":
        return _at_output(poses)
    bound = actuator_errors(poses)
    signs = np.array([(1.0, *rest) for rest in product((1.0, -1.0), repeat=bound.shape[1] - 1)])
    corners = bound[:, None, :] * signs
    pushes = poses.directions.pushes
    ways = fitting_step(poses.robot, poses.options, poses.jacobian) @ np.swapaxes(corners, 1, 2)
    sizes = np.linalg.norm(np.einsum("ns,knc->kcs", pushes, ways), axis=2)
    worst = np.argmax(sizes, axis=1)
    rows = np.arange(len(sizes))
    linear, off = sizes[rows, worst], corners[rows, worst]
    exact = np.maximum(_displacement(poses, off), _displacement(poses, -off))
    with np.errstate(invalid="ignore"):
        fails = ~(np.abs(exact - linear) <= ALLOWANCE * linear) & (
            linear > 0
        )  # without errors there is nothing to fail
    return poses.flagged(linear, fails, Reason.NOT_LINEAR)


def _at_output(poses: GoodPoses) -> Found:
    """Return the largest displacement of a mechanism's output; motors that are off as far give it to the kinematics."""
    errors = output_accuracy.output_errors(poses)
    farthest = errors.farthest()
    off = np.einsum("nmk,nk->nm", np.linalg.pinv(errors.unit), farthest)
    linear = np.linalg.norm(np.einsum("nkm,nm->nk", errors.unit, off), axis=1)
    exact = np.maximum(
        *(output_accuracy.output_displacement(poses, _poses_with(poses, side * off)) for side in (1.0, -1.0))
    )
    with np.errstate(invalid="ignore"):
        fails = ~(np.abs(exact - linear) <= ALLOWANCE * linear) & (linear > 0)
    return poses.flagged(np.linalg.norm(farthest, axis=1), fails, Reason.NOT_LINEAR)


def actuator_errors(poses: GoodPoses) -> Array:
    """Return the largest error of every actuator's position (N, m) [m or rad] from encoder steps and play.

    Play moves the root of a leg, and where it meets the platform, by up to the clearance in any direction; a joint
    between two elements lets the next one begin that much further along its line.
    """
    robot, options = poses.robot, poses.options
    steps = [one.resolution if options.resolution is None else options.resolution for one in robot.actuators]
    bound = np.tile([0.5 * (step or 0.0) for step in steps], (len(poses.poses), 1))
    played = [(leg, _clearances(leg, options)) for leg in robot.legs]
    if not any(any(values) for _, values in played):
        return bound
    slopes = by_geometry(poses)
    for leg, (root, *inside, tip) in played:
        bound += root * _norm(slopes, f"{leg.name}.root") + tip * _norm(slopes, f"{leg.name}.b")
        for element, clearance in zip(leg.elements[1:], inside, strict=True):
            bound += clearance * np.abs(elongation_slope(poses, slopes, leg, element))
    return bound


def _clearances(leg: Leg, options: Options) -> list[float]:
    """Return the play of a leg's joints [m]: at the root of each element, then at the platform."""
    own = [element.joint.clearance for element in leg.elements]
    own.append(leg.attachment.joint.clearance if leg.attachment.joint is not None else None)
    return [(one if options.clearance is None else options.clearance) or 0.0 for one in own]


def _norm(slopes: dict[str, Array], place: str) -> Array:
    """Return the size (N, m) of dq by the components of a place."""
    parts = [slopes[f"{place}.{axis}"] for axis in "xyz" if f"{place}.{axis}" in slopes]
    return np.linalg.norm(np.stack(parts), axis=0)


def _displacement(poses: GoodPoses, off: Array) -> Array:
    """Return how far (N,) the platform is with actuators off (N, m) by so much; NaN where no pose is found."""
    offsets = offset_between(poses.robot.coordinates, poses.poses, _poses_with(poses, off))
    return np.linalg.norm(offsets @ poses.directions.pushes, axis=1)


def _poses_with(poses: GoodPoses, off: Array) -> Array:
    """Return the poses (N, coordinates) with actuators off (N, m) by so much; NaN where none is found."""
    robot = poses.robot
    goal = robot.evaluate("inverse_kinematics", near=poses.near, pose=poses.poses)["q"] + off
    if goal.shape[1] > robot.degrees_of_freedom:
        return balanced_poses(poses, goal)
    return robot.poses_with(goal, poses.poses if poses.near is None else poses.near).pose


STEPS = 8
"""Steps of the search. The first is the linear answer, and each one after it leaves of the distance a share of the size
of the errors [rad, or of lengths]: enough to tell whether that answer is off by a tenth, which `accuracy` asks."""


def comparable_drives(robot: Robot, options: Options) -> str | None:
    """Return why it is not known how drives share what does not fit, and what would tell it; None if it is known."""
    known = [one is not None for one in drive_stiffnesses(robot, options)]
    units = {actuator.units.stiffness for actuator in robot.actuators}
    if all(known) or (not any(known) and len(units) == 1):
        return None
    why = "some drives have a `stiffness` and others have none" if any(known) else "its motors turn and slide"
    return f"it has more motors than freedoms, and {why}: give `stiffness` of every drive, which tells how they balance"


def fitting_step(robot: Robot, options: Options, jacobian: Array) -> Array:
    """Return the matrix (N, n, m) that takes small changes of motor positions to those of the pose, for J_qv (N, m, n).

    It is J_qv^-1 for as many motors as freedoms.
    """
    roots = np.sqrt([1.0 if one is None else one for one in drive_stiffnesses(robot, options)])
    return np.asarray(np.linalg.pinv(roots[:, None] * jacobian) * roots, float)


def balanced_poses(poses: GoodPoses, goal: Array) -> Array:
    """Return the poses (N, coordinates) at which drives with motors at `goal` (N, m) balance; NaN where none is found.

    Gauss-Newton steps, in which angles of motors go the short way round.
    """
    robot, motion = poses.robot, poses.robot.coordinates
    turning = np.array([actuator.units == ANGLE for actuator in robot.actuators])
    found = poses.poses
    for _ in range(STEPS):
        q = robot.evaluate("inverse_kinematics", near=poses.near, pose=found)["q"]
        jacobian = robot.evaluate("jacobian", near=poses.near, pose=found)["J_qv"]
        error = goal - q
        error = np.where(turning, error - 2 * np.pi * np.round(error / (2 * np.pi)), error)
        good = np.isfinite(error).all(axis=1) & np.isfinite(jacobian).all(axis=(1, 2))
        step = np.full((len(found), jacobian.shape[2]), np.nan)
        matrix = fitting_step(robot, poses.options, jacobian[good])
        step[good] = np.einsum("knm,km->kn", matrix, error[good])
        found = displaced(motion, found, step)
    return found
