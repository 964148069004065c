"""What a quantity of a robot at a pose is, and how it is evaluated over poses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.analysis.options import Directions, Options, directions_of
from parakin.analysis.reason import Reason
from parakin.arrays import Array, frozen_arrays
from parakin.errors import UnsupportedRobotError

if TYPE_CHECKING:
    from parakin.robot import Robot

Need = Literal["force limits", "speed limits", "stiffness", "play"]
"""What of a robot file, or of the options, a quantity cannot do without."""

Use = Literal["carried", "acceleration", "payload_centre", "drive_stiffness", "resolution", "clearance"]
"""What the robot carries, and options in numbers, on which a quantity can depend."""
FULL_RANK = 1e-14
"""Smallest singular value of J_qv with unit rows that is more than rounding."""


class Found(NamedTuple):
    """Values of a quantity at poses that are good, and what is wrong at some of them after all."""

    values: Array
    """The values (N,)."""
    reasons: NDArray[np.int32]
    """Codes of `Reason` (N,)."""


@frozen_arrays
class Values:
    """Values of a quantity over poses: numbers where it has one, NaN elsewhere, and the reason of each."""

    values: Array
    """The values (...); NaN where the reason is not GOOD."""
    reasons: NDArray[np.int32]
    """Codes of `Reason` (...)."""
    unit: str
    """Unit of the values."""

    @property
    def good(self) -> NDArray[np.bool_]:
        """Which poses (...) have a value."""
        return np.asarray(self.reasons == int(Reason.GOOD))


@frozen_arrays
class GoodPoses:
    """A robot at poses that are all good, with what several quantities ask for, each computed once."""

    robot: Robot
    """The robot."""
    poses: Array
    """The poses (N, coordinates)."""
    near: Array | None
    """Configurations from which a mechanism's are searched for (N, c); None where no search is needed."""
    options: Options
    """What was chosen."""

    @cached_property
    def directions(self) -> Directions:
        """The directions that count."""
        return directions_of(self.robot, self.options)

    @cached_property
    def jacobian(self) -> Array:
        """J_qv (N, m, n) with q_dot = J_qv v."""
        return self.ask("jacobian", "J_qv")

    @cached_property
    def regular(self) -> NDArray[np.bool_]:
        """At which poses (N,) the motors determine the motion: J_qv with rows of unit length has full rank."""
        lengths = np.linalg.norm(self.jacobian, axis=-1, keepdims=True)
        rows = np.divide(self.jacobian, lengths, out=np.zeros_like(self.jacobian), where=lengths > 0)
        known = np.asarray(np.isfinite(rows).all(axis=(1, 2)))
        known[known] = np.linalg.svd(rows[known], compute_uv=False)[:, -1] > FULL_RANK
        return known

    def chosen(self, which: NDArray[np.bool_]) -> GoodPoses:
        """Return some of the poses."""
        return replace(self, poses=self.poses[which], near=None if self.near is None else self.near[which])

    @cached_property
    def mass(self) -> Array:
        """M (N, n, n) in the coordinates of the velocity, rotors included."""
        return self.ask("mass_matrix", "M")

    @cached_property
    def load(self) -> Array:
        """What motors hold at rest, p = J_qv^T tau (N, n): gravity and springs."""
        return self.load_with(None)

    def load_with(self, payload: Array | None) -> Array:
        """Return the load (N, n) with a payload, ten numbers, in place of the robot's."""
        tau = self.ask("static_forces", "tau", payload)
        return np.einsum("kij,ki->kj", self.jacobian, tau)

    def ask(self, model: str, output: str, payload: Array | None = None) -> Array:
        """Return an output of a model at all poses, with a payload in place of the robot's if one is given."""
        if payload is None:
            return self.robot.evaluate(model, near=self.near, pose=self.poses)[output]
        return self.robot.evaluate(model, near=self.near, pose=self.poses, payload=payload)[output]

    def limits(self, kind: Literal["force", "speed"]) -> Array:
        """Return the limits of the actuators (m,), infinite where the file gives none."""
        values = [getattr(actuator, kind) for actuator in self.robot.actuators]
        return np.array([np.inf if value is None else value for value in values])

    def good(self, values: Array) -> Found:
        """Return values without anything wrong."""
        return Found(values, np.full(len(values), int(Reason.GOOD), np.int32))

    def flagged(self, values: Array, wrong: NDArray[np.bool_], reason: Reason) -> Found:
        """Return values of which some are wrong for one reason."""
        return Found(np.where(wrong, np.nan, values), np.where(wrong, int(reason), int(Reason.GOOD)).astype(np.int32))


@dataclass(frozen=True)
class Quantity:
    """A quantity that a robot has at a pose: a row of `QUANTITIES`.

    >>> force = pk.analysis.QUANTITIES["force"]
    >>> force.title, force.unit_of(robot), force.better
    ('largest force in the worst direction', 'N', 'larger')
    >>> force.evaluate(robot, [robot.home, [0.9, 0, -0.43]]).values.round(2)
    array([106.92,    nan])
    """

    name: str
    """What options, columns and files call it."""
    title: str
    """What it is, for axes and legends."""
    better: Literal["larger", "smaller"]
    """Which values a designer wants."""
    needs: tuple[Need, ...]
    """What of the robot file it cannot do without."""
    unit: str | Callable[[Robot, Options], str]
    """Its unit, or what tells it where that depends on robot and options."""
    subject: Callable[[Robot, Options], str]
    """Says whose coordinates or actuators it is of: the platform's, a mechanism's output frame, these motors."""
    compute: Callable[[GoodPoses], Found]
    """The values at good poses."""
    check: Callable[[Robot, Options], str | None] | None = None
    """Says why the quantity cannot be had of a robot, None if it can; not there where it always can."""
    uses: tuple[Use, ...] = ()
    """Which of the options in numbers, and whether what the robot carries, it depends on."""
    regular: bool = False
    """Whether motors must determine the motion: it has no value where J_qv loses rank."""

    def unit_of(self, robot: Robot, options: Options | None = None) -> str:
        """Return the unit of the values for a robot and options.

        >>> pk.analysis.QUANTITIES["velocity"].unit_of(robot)
        'm/s'
        """
        return self.unit if isinstance(self.unit, str) else self.unit(robot, options or Options())

    def obstacle(self, robot: Robot, options: Options | None = None) -> str | None:
        """Return why the quantity cannot be had of a robot, with a remedy; None if it can.

        >>> print(pk.analysis.QUANTITIES["velocity"].obstacle(robot))
        None
        """
        for need in self.needs:
            missing = NEEDS[need](robot, options or Options())
            if missing:
                return missing
        return None if self.check is None else self.check(robot, options or Options())

    def evaluate(self, robot: Robot, poses: ArrayLike, options: Options | None = None) -> Values:
        """Return the values at poses (..., coordinates); a bad pose has NaN and its reason, and never raises.

        A robot of which the quantity cannot be had is refused.

        >>> print(pk.analysis.QUANTITIES["dexterity"].evaluate(robot, robot.home).values.round(3))
        0.781
        """
        return evaluate_all((self,), robot, poses, options)[self.name]


def evaluate_all(
    quantities: tuple[Quantity, ...],
    robot: Robot,
    poses: ArrayLike,
    options: Options | None = None,
    near: Array | None = None,
) -> dict[str, Values]:
    """Return the values of several quantities at poses (..., coordinates), by name: what they share is computed once.

    near: configurations (N, c) from which those of a mechanism are searched for; by default it is led to each pose from
    home.

    >>> table = pk.analysis.QUANTITIES
    >>> found = pk.analysis.evaluate_all((table["velocity"], table["dexterity"]), robot, robot.sample(100))
    >>> found["velocity"].values.shape, found["dexterity"].unit
    ((100,), '1')
    """
    chosen = options or Options()
    refuse_obstacles(quantities, robot, chosen)
    every = np.asarray(poses, float)
    rows = every.reshape(-1, every.shape[-1])
    ended = np.zeros(len(rows), np.int32)
    if near is None and robot.searches_from_near:
        near, ended = robot.led_from_home(rows)
    status = np.atleast_1d(robot.evaluate("inverse_kinematics", near=near, pose=rows).status).astype(np.int32)
    status = np.where(ended == int(Reason.GOOD), status, ended)
    beyond = np.isin(status, [int(Reason.OUT_OF_STROKE), int(Reason.JOINT_LIMIT)])
    usable = (status == int(Reason.GOOD)) | (beyond & (not chosen.limits))
    good = GoodPoses(robot, rows[usable], None if near is None else near[usable], chosen)
    results: dict[str, Values] = {}
    for quantity in quantities:
        values, reasons = np.full(len(rows), np.nan), np.where(usable, int(Reason.GOOD), status).astype(np.int32)
        if usable.any():
            found = _at_regular(quantity, good) if quantity.regular else quantity.compute(good)
            lost = (found.reasons == int(Reason.GOOD)) & np.isnan(found.values)
            values[usable] = found.values
            reasons[usable] = np.where(lost, int(Reason.SINGULAR), found.reasons)
        shape = every.shape[:-1]
        unit = quantity.unit_of(robot, chosen)
        results[quantity.name] = Values(values.reshape(shape), reasons.reshape(shape), unit)
    return results


def _at_regular(quantity: Quantity, poses: GoodPoses) -> Found:
    """Return the values of a quantity that has none where J_qv loses rank: such poses are singular."""
    if poses.regular.all():
        return quantity.compute(poses)
    some = poses.chosen(poses.regular)
    found = poses.flagged(np.full(len(poses.poses), np.nan), ~poses.regular, Reason.SINGULAR)
    if poses.regular.any():
        found.values[poses.regular], found.reasons[poses.regular] = quantity.compute(some)
    return found


def refuse_obstacles(quantities: tuple[Quantity, ...], robot: Robot, options: Options) -> None:
    """Raise UnsupportedRobotError for the first quantity that cannot be had of a robot."""
    for quantity in quantities:
        obstacle = quantity.obstacle(robot, options)
        if obstacle:
            raise UnsupportedRobotError(robot.name, f"{quantity.name}: {obstacle}")


def _forces_limited(robot: Robot, _options: Options) -> str | None:
    if any(actuator.force is not None for actuator in robot.actuators):
        return None
    return "no actuator has a force limit: give `force` in the robot file"


def _speeds_limited(robot: Robot, _options: Options) -> str | None:
    if any(actuator.speed is not None for actuator in robot.actuators):
        return None
    return "no actuator has a speed limit: give `speed` in the robot file"


def _elastic(robot: Robot, options: Options) -> str | None:
    if options.drive_stiffness is not None or any(actuator.stiffness is not None for actuator in robot.actuators):
        return None
    if any(element.stiffness is not None for leg in robot.legs for element in leg.elements):
        return None
    return "nothing is elastic: give `stiffness` of actuators or elements in the robot file, or drive_stiffness"


def _has_play(robot: Robot, options: Options) -> str | None:
    if options.resolution is not None or any(actuator.resolution is not None for actuator in robot.actuators):
        return None
    plays = [element.joint.clearance for leg in robot.legs for element in leg.elements]
    plays += [leg.attachment.joint.clearance for leg in robot.legs if leg.attachment.joint is not None]
    if not robot.legs:
        plays = [joint.clearance for joint in robot.graph_description.joints]
    if options.clearance or (options.clearance is None and any(plays)):
        return None
    return "nothing is imprecise: give `resolution` of actuators or `clearance` of joints, in the file or as an option"


NEEDS: dict[Need, Callable[[Robot, Options], str | None]] = {
    "force limits": _forces_limited,
    "speed limits": _speeds_limited,
    "stiffness": _elastic,
    "play": _has_play,
}
"""What tells whether a robot has what quantities need: None, or what is missing and how to give it."""
