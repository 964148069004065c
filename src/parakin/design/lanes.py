"""Outputs of models for many designs at many poses at once: designs x poses as lanes of one kernel.

What a design changes is an input of the kernels, so that a study compiles each model once, whatever the number of
designs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from parakin.analysis.quantity import GoodPoses
from parakin.analysis.quantity import Quantity as AtPoses
from parakin.arrays import Array, frozen_arrays
from parakin.design.designs import Judged, is_kinematic
from parakin.design.subject import Subject
from parakin.kernels import Kernel
from parakin.kinematics.status import Status

if TYPE_CHECKING:
    from parakin.robot import Evaluation, Robot
    from parakin.robot.derivatives import Derivatives


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

    def designs(self, points: Array) -> _InLanes:
        """Return designs (designs, parameters), ready to be evaluated."""
        values = self._vectors(x=points if points.shape[1] > 1 else points[:, 0])  # a single number has no axis
        return _InLanes(self, {name: np.asarray(value).reshape(len(points), -1) for name, value in values.items()})


@frozen_arrays
class _InLanes:
    lanes: Lanes
    vectors: dict[str, Array]

    @property
    def valid(self) -> NDArray[np.bool_]:
        finite = [np.isfinite(self.vectors[name]).all(axis=1) for name in self.lanes.free]
        positive = (self.vectors["positive"] > 0).all(axis=1)
        return np.all([positive, *finite], axis=0)

    @property
    def home(self) -> Array:
        subject = self.lanes.subject
        assert subject.variation is not None
        return np.asarray(subject.robot.home) if subject.variation.home.is_constant() else self.vectors["home"][:, None]

    @property
    def mass(self) -> Array:
        return self.vectors["mass"][:, 0]

    def evaluate(self, models: tuple[str, ...], state: dict[str, Array]) -> Judged:
        robot = self.lanes.subject.robot
        outputs: dict[str, Array] = {}
        limited = ("inverse_kinematics",) * robot.strokes.any + ("joint_coordinates",) * robot.joint_limits.any
        good = np.ones((), bool)
        for model in dict.fromkeys((*models, *limited)):
            out = self._outputs(model, state)
            good = np.asarray(good & (out.pop("status") == int(Status.GOOD)))
            outputs |= out
        if robot.strokes.any:
            good = np.asarray(good & ~robot.strokes.beyond(outputs["q"]).any(axis=-1))
        if robot.joint_limits.any:
            good = np.asarray(good & ~robot.joint_limits.beyond(outputs["angle"]).any(axis=-1))
        return Judged(outputs, good)

    def at_poses(self, quantity: AtPoses, poses: Array, good: NDArray[np.bool_]) -> Array:
        subject = self.lanes.subject
        result = np.full(good.shape, np.nan)
        if good.any():
            rows = {name: self.vectors[name][np.nonzero(good)[0]] for name in self.lanes.free}
            robot = cast("Robot", _RobotOfRows(subject.robot, rows))
            every = np.broadcast_to(poses, (*good.shape, poses.shape[-1]))[good]
            result[good] = quantity.compute(GoodPoses(robot, every, None, subject.study.analysis.chosen)).values
        return result

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


class _RobotOfRows:
    """A robot whose every state is one of another design: what designs change goes with each call.

    Beside `evaluate` and `derivatives` it has only what no design in lanes changes, so that nothing can ask it for the
    robot of the file by mistake.
    """

    SAME = (
        *("name", "length", "legs", "actuators", "actuator_names", "degrees_of_freedom", "motion_type"),
        *("place_is_pose", "geometry_names", "coordinates", "loose_turns", "output_name", "searches_from_near"),
    )

    def __init__(self, robot: Robot, rows: dict[str, Array]) -> None:
        self._robot, self._rows = robot, rows

    def __getattr__(self, name: str) -> object:
        if name not in self.SAME:
            raise AttributeError(f"designs in lanes have no {name} in common")
        return getattr(self._robot, name)

    def _with_rows(self, model: str, inputs: dict[str, Array]) -> dict[str, Any]:
        rows = {name: value for name, value in self._rows.items() if not (is_kinematic(model) and name == "parameters")}
        return {name: value for name, value in inputs.items() if name != "near"} | rows

    def evaluate(self, model: str, **inputs: Array) -> Evaluation:
        """Evaluate a model at states (rows, ...)."""
        return self._robot.evaluate(model, **self._with_rows(model, inputs))

    def derivatives(self, model: str, *, by: tuple[str, ...], **inputs: Array) -> Derivatives:
        """Derive a model at states (rows, ...)."""
        return self._robot.derivatives(model, by=by, **self._with_rows(model, inputs))


def _over(value: Array, shape: tuple[int, int]) -> Array:
    """Return outputs of one design for all of them, where no input of the model differs between designs."""
    return value if value.shape[:2] == shape else np.broadcast_to(value, (*shape, *value.shape[2:]))
