"""A robot for each design: the slow way, for keys on which more depends than inputs of kernels."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parakin.analysis.quantity import Quantity as AtPoses
from parakin.arrays import Array, frozen_arrays
from parakin.design.designs import MODEL_OUTPUTS, Judged
from parakin.design.subject import Subject
from parakin.errors import DescriptionError
from parakin.kinematics.status import Status
from parakin.robot import Robot

_STATES = {"inverse_dynamics": ("pose", "velocity", "acceleration"), "actuator_velocity": ("pose", "velocity")}
"""What of a state models take; others take the pose."""


class OneByOne:
    """A robot for each design: the slow way, for keys on which more depends than inputs of kernels."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject

    def designs(self, points: Array) -> _Robots:
        """Return designs (designs, parameters), each a robot of its own."""
        return _Robots(self.subject, points)


@frozen_arrays
class _Robots:
    subject: Subject
    points: Array

    @cached_property
    def robots(self) -> list[Robot | None]:
        """The robots; None where the loader refuses a file."""
        robots: list[Robot | None] = []
        for x in self.points:
            try:
                robots.append(self.subject.robot_at(x))
            except DescriptionError:
                robots.append(None)
        return robots

    @property
    def valid(self) -> NDArray[np.bool_]:
        return np.array([robot is not None for robot in self.robots])

    @property
    def home(self) -> Array:
        unknown = np.full(len(self.subject.robot.home), np.nan)
        return np.array([unknown if robot is None else robot.home for robot in self.robots])[:, None]

    @property
    def mass(self) -> Array:
        return np.array([np.nan if robot is None else mass_of(robot) for robot in self.robots])

    def evaluate(self, models: tuple[str, ...], state: dict[str, Array]) -> Judged:
        found = [self._one(k, models, state) for k in range(len(self.robots))]
        known = next((one for one in found if one is not None), None)
        count = state["pose"].shape[-2]
        if known is None:
            return Judged({}, np.zeros((len(found), count), bool))
        blank = Judged({name: np.full_like(value, np.nan) for name, value in known.outputs.items()}, known.good & False)
        whole = [blank if one is None else one for one in found]
        outputs = {name: np.stack([one.outputs[name] for one in whole]) for name in known.outputs}
        return Judged(outputs, np.stack([one.good for one in whole]))

    def at_poses(self, quantity: AtPoses, poses: Array, good: NDArray[np.bool_]) -> Array:
        every = np.broadcast_to(poses, (*good.shape, poses.shape[-1]))
        result = np.full(good.shape, np.nan)
        for k, robot in enumerate(self.robots):
            if robot is not None:
                result[k] = quantity.evaluate(robot, every[k], self.subject.study.analysis.chosen).values
        return result

    def _one(self, k: int, models: tuple[str, ...], state: dict[str, Array]) -> Judged | None:
        robot = self.robots[k]
        if robot is None:
            return None
        own = {name: value[k] if value.ndim == 3 else value for name, value in state.items()}
        outputs: dict[str, Array] = {}
        good = np.ones((), bool)
        for model in models:
            needed = _STATES.get(model, ("pose",))
            states: dict[str, Any] = {name: own[name] for name in needed}
            found = robot.evaluate(model, **states)
            good = np.asarray(good & (found.status == int(Status.GOOD)))
            outputs |= {name: np.asarray(found[name]) for name in (MODEL_OUTPUTS[model],)}
        return Judged(outputs, good)


def mass_of(robot: Robot) -> float:
    """Return the mass of all that moves [kg]."""
    return float(sum(one.value for one in robot.parameter_table if one.quantity == "m"))
