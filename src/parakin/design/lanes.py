"""Outputs of models for many designs at many poses at once: designs x poses as lanes of one kernel.

What a design changes is an input of the kernels, so that a study compiles each model once, whatever the number of
designs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array
from parakin.design.subject import Subject
from parakin.errors import DescriptionError
from parakin.kernels import Kernel
from parakin.kinematics.status import Status


@dataclass(frozen=True, eq=False)
class Judged:
    """Outputs of models, with whether the robot can be there."""

    outputs: dict[str, Array]
    """Outputs by name (designs, poses, ...)."""
    good: NDArray[np.bool_]
    """Whether every leg closes, nothing is singular and no limit is left (designs, poses)."""


class Designs(Protocol):
    """Some designs of a study, ready to be evaluated."""

    @property
    def valid(self) -> NDArray[np.bool_]:
        """Which of them can be robots at all (designs,)."""
        ...

    @property
    def home(self) -> Array:
        """Their home: one for all (n,), or one for each (designs, 1, n)."""
        ...

    @property
    def mass(self) -> Array:
        """Mass of all that moves (designs,) [kg]."""
        ...

    def evaluate(self, models: tuple[str, ...], state: dict[str, Array]) -> Judged:
        """Return the outputs of models at states (poses, ...) or (designs, poses, ...)."""
        ...


class Lanes:
    """Designs as inputs of kernels.

    A study whose keys are arithmetic is evaluated so; each model is compiled when it is first asked for.
    """

    def __init__(self, subject: Subject) -> None:
        assert subject.variation is not None
        self.subject = subject
        self.free = tuple(subject.variation.inputs)
        self._vectors = Kernel(subject.variation.function, matrices=())
        self._kernels: dict[str, Kernel] = {}

    def kernel(self, model: str) -> Kernel:
        """Return the kernel of a model that takes what designs change; kinematic models take no parameters."""
        if model not in self._kernels:
            free = tuple(name for name in self.free if not (is_kinematic(model) and name == "parameters"))
            self._kernels[model] = self.subject.robot.kernel(model, free=free)
        return self._kernels[model]

    def designs(self, points: Array) -> Designs:
        """Return designs (designs, parameters), ready to be evaluated."""
        return _InLanes(self, {name: np.asarray(value) for name, value in self._vectors(x=points).items()})


_KINEMATIC = ("inverse_kinematics", "joint_angles", "jacobian", "actuator_velocity", "reach")


def is_kinematic(model: str) -> bool:
    """Return whether a model takes no dynamic parameters."""
    return model in _KINEMATIC


@dataclass(frozen=True, eq=False)
class _InLanes:
    lanes: Lanes
    vectors: dict[str, Array]

    @cached_property
    def valid(self) -> NDArray[np.bool_]:
        finite = [np.isfinite(self.vectors[name]).all(axis=1) for name in self.lanes.free]
        return np.all([(self.vectors["positive"] > 0).reshape(len(finite[0]), -1).all(axis=1), *finite], axis=0)

    @cached_property
    def home(self) -> Array:
        subject = self.lanes.subject
        assert subject.variation is not None
        return np.asarray(subject.robot.home) if subject.variation.home.is_constant() else self.vectors["home"][:, None]

    @property
    def mass(self) -> Array:
        return self.vectors["mass"]

    def evaluate(self, models: tuple[str, ...], state: dict[str, Array]) -> Judged:
        robot = self.lanes.subject.robot
        outputs: dict[str, Array] = {}
        limited = ("inverse_kinematics",) * robot.strokes.any + ("joint_angles",) * robot.joint_limits.any
        good: NDArray[np.bool_] | bool = True
        for model in dict.fromkeys((*models, *limited)):
            out = self._outputs(model, state)
            good = good & (out.pop("status") == int(Status.GOOD))
            outputs |= out
        if robot.strokes.any:
            good = good & ~robot.strokes.beyond(outputs["q"]).any(axis=-1)
        if robot.joint_limits.any:
            good = good & ~robot.joint_limits.beyond(outputs["angle"]).any(axis=-1)
        return Judged(outputs, np.asarray(good))

    def _outputs(self, model: str, state: dict[str, Array]) -> dict[str, Array]:
        kernel = self.lanes.kernel(model)
        inputs: dict[str, Array] = {}
        for socket in kernel.inputs:
            if socket.name in self.vectors:
                inputs[socket.name] = self.vectors[socket.name][:, None]
            else:
                value = state[socket.name]
                inputs[socket.name] = value if value.ndim == 3 else value[None]
        out = kernel.evaluate(inputs)
        shape = (len(self.vectors["mass"]), state["pose"].shape[-2])
        return {name: _over(np.asarray(value), shape) for name, value in out.items() if name != "excess"}


def _over(value: Array, shape: tuple[int, int]) -> Array:
    """Return outputs of one design for all of them, where no input of the model differs between designs."""
    return value if value.shape[:2] == shape else np.broadcast_to(value, (*shape, *value.shape[2:]))


class OneByOne:
    """A robot for each design: the slow way, for keys on which more depends than inputs of kernels."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject

    def designs(self, points: Array) -> Designs:
        """Return designs (designs, parameters), each a robot of its own."""
        return _Robots(self.subject, points)


@dataclass(frozen=True, eq=False)
class _Robots:
    subject: Subject
    points: Array

    @cached_property
    def robots(self) -> list:
        """The robots; None where the loader refuses a file."""
        robots = []
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

    def _one(self, k: int, models: tuple[str, ...], state: dict[str, Array]) -> Judged | None:
        robot = self.robots[k]
        if robot is None:
            return None
        own = {name: value[k] if value.ndim == 3 else value for name, value in state.items()}
        outputs: dict[str, Array] = {}
        good: NDArray[np.bool_] | bool = True
        for model in models:
            needed = _STATES.get(model, ("pose",))
            found = robot.evaluate(model, **{name: own[name] for name in needed})
            good = good & (found.status == int(Status.GOOD))
            outputs |= {name: np.asarray(found[name]) for name in (MODEL_OUTPUTS[model],)}
        return Judged(outputs, np.asarray(good))


_STATES = {"inverse_dynamics": ("pose", "velocity", "acceleration"), "actuator_velocity": ("pose", "velocity")}
MODEL_OUTPUTS = {
    "inverse_kinematics": "q",
    "joint_angles": "angle",
    "reach": "excess",
    "jacobian": "J_qv",
    "mass_matrix": "M",
    "inverse_dynamics": "tau",
    "actuator_velocity": "q_dot",
}


def mass_of(robot) -> float:
    """Return the mass of all that moves [kg]."""
    return float(sum(one.value for one in robot.parameter_table if one.quantity == "m"))
