"""How a mechanism of bodies and joints gets its names and its kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NoReturn, Self

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.arrays import Array, read_only
from parakin.dynamics.choices import DEFAULT
from parakin.dynamics.graph.lifted import LIFTED, graph_function
from parakin.dynamics.graph.linear_models import graph_linear_programs
from parakin.dynamics.graph.mechanics import GraphMechanics
from parakin.dynamics.graph.models import FREE, MATRICES, MODELS, Options, graph_program
from parakin.dynamics.graph.parameters import all_freedoms, given_out, graph_parameters
from parakin.dynamics.graph.placed import PlacedMechanism
from parakin.dynamics.mechanics import Acting
from parakin.dynamics.parameter_symbols import values_of
from parakin.dynamics.parameters import Parameter
from parakin.dynamics.payload import Payload
from parakin.dynamics.placed import Placed
from parakin.errors import (
    JointLimitError,
    KernelInputError,
    LegsOnlyError,
    LoopClosureError,
    OverflowStateError,
    PoseError,
    StrokeError,
    UnknownNameError,
    UnsupportedRobotError,
)
from parakin.kernels import Kernel, Program
from parakin.kernels.arguments import as_array
from parakin.kinematics.graph.closing import coordinates_of_pose
from parakin.kinematics.graph.loops import graph_motion
from parakin.kinematics.status import Status
from parakin.mechanism import MechanismDescription, Plan, describe_mechanism, mechanism_to_toml, plan_to_json
from parakin.mechanism.model import OUTPUT
from parakin.mechanism.openings import box_of
from parakin.motions.offsets import sampled
from parakin.robot.actuators import motor_of
from parakin.robot.core import RobotCore, given_numbers
from parakin.robot.dexterity import output_condition
from parakin.robot.evaluation import Evaluation
from parakin.robot.following import chained
from parakin.robot.kind import Asked, Input, State
from parakin.robot.limits import Bounds, refuse
from parakin.robot.mechanism_names import (
    balls,
    coordinate_names,
    coordinates_of,
    limits_in,
    no_motion,
)
from parakin.robot.mechanism_parameters import along_line, changed_mechanism_tables
from parakin.robot.remembering import remembered_plan
from parakin.robot.results import JointWrenches, OutputMotion
from parakin.units import NUMBER

if TYPE_CHECKING:
    from parakin.dynamics.linear_models import Estimated, LinearPrograms
    from parakin.mechanism.readers import ImportReport
    from parakin.robot.mechanism import Mechanism

DETERMINED = 1e-9
"""A joint's wrench is unique where a strain of 1 N between other joints adds less than this to it [N]."""
_NUMBERS = frozenset({"status", "residual", "kinetic", "potential", "smoothing"})
"""Inputs and outputs that are one number a state; all others are vectors, if only of one entry."""
_REASONS = {
    Status.SINGULAR: "the way from `near` crosses or ends at a singularity; start from a configuration beyond it",
    Status.NOT_CONVERGED: "the loops cannot be closed there, or not from `near`, or only with a joint put in "
    "backwards; start nearer, or check the reach",
}
_MOTORS_AS_POSE = "a mechanism that has its motors as independent coordinates"
_INSTEAD_OF_MODELS = {
    "elements": "joints, bodies or body_frames",
    "points": "body_frames",
    "inverse_dynamics_observed": "inverse_dynamics",
    "inverse_dynamics_from_encoders": "forward_kinematics, and then inverse_dynamics",
    "coriolis_matrix": "bias, which is C v",
    "regressor_reference": "regressor without reference_velocity",
    "bias_actuator": _MOTORS_AS_POSE,
    "gravity_actuator": _MOTORS_AS_POSE,
    "forward_kinematics": "the method of that name",
    "check": "the method of that name",
    "joint_angles": "joint_coordinates",
}
"""Models of robots of legs alone, and what a mechanism has for them."""
_INSTEAD_OF_ATTRIBUTES = {
    "description": "graph_description for what its file says",
    "joint_table": "joint_names and joint_limits",
    "geometry_table": "graph_description",
    "geometry_names": "graph_description",
    "geometry": "graph_description",
    "direction_names": "graph_description",
    "directions": "graph_description",
}
"""What only robots of legs have, and what a mechanism has for it."""


class MechanismCore(RobotCore):
    """A mechanism with its plan: dependent joints follow from a pose by a search that begins at `near`."""

    _place_input = "configuration"
    _joint_outputs = ("coordinate", "rate", "acceleration_of_joints")
    plan: Plan
    """How it is computed, and what its joints allow; `print` it."""
    moving_joints: tuple[str, ...]
    """Names of the joints that are not welds: those whose wrenches can be asked for."""
    frame_names: tuple[str, ...]
    """Names of the frames that can be asked for: "output", and those of the file's `frames`."""
    home_configuration: Array
    """Coordinates of the tree's joints at home; read-only."""

    def __init__(
        self,
        description: MechanismDescription,
        payload: Payload | None = None,
        independent: tuple[str, ...] | None = None,
        import_report: ImportReport | None = None,
    ) -> None:
        RobotCore.__init__(self, import_report)
        self._file = description
        self._chosen = independent
        self.plan = remembered_plan(description, independent)
        self.payload = payload or Payload()
        self.name, self.title = description.name, description.title
        skeleton = self.plan.skeleton
        freedoms = [(name, freedom) for name, _, freedom, _ in all_freedoms(description)]
        tree = [(f"{link.joint.name}.{one.name}", one) for link in skeleton.links for one in link.joint.kind.freedoms]
        units = {name: freedom.units for name, freedom in (*freedoms, *tree)}
        self.pose_names = self.plan.independent_names
        self.pose_units = tuple(units[name].position for name in self.pose_names)
        self.degrees_of_freedom = len(self.pose_names)
        self.place_names = tuple(name for link in skeleton.links for name in coordinates_of(link.joint))
        self.place_units = tuple(units[name].position if name in units else NUMBER for name in self.place_names)
        self.place_is_pose = False
        self.wrench_size = 6
        self.legs, self.element_names = (), ()
        self.motion = "joints"
        if not self.plan.loose_turns:
            self.motion_type = self.plan.motion
        self.actuator_names = self.plan.actuator_names
        settings = {name: one for name, _, _, one in all_freedoms(description)}
        driven = [(name, settings[name], settings[name].drive) for name in self.actuator_names]
        self.actuators = tuple(motor_of(one, drive, units[name]) for name, one, drive in driven if drive is not None)
        self.actuator_units = tuple(units[name].force for name in self.actuator_names)
        self.body_names = tuple(body.name for body in description.bodies)
        self.joint_names = tuple(name for name, _ in freedoms)
        self.coordinate_names = coordinate_names(description)
        moving = {link.joint.name for link in skeleton.links} | {cut.joint.name for cut in skeleton.cuts}
        moving |= {ball for rod in skeleton.rods for ball in rod.balls}
        self.frame_names = (OUTPUT, *(frame.name for frame in description.frames))
        self.moving_joints = tuple(joint.name for joint in description.joints if joint.name in moving)
        self.length = skeleton.size
        self.home_configuration = read_only(self.plan.assembly.configuration)
        self.strokes = limits_in(description, driven=True)
        self.joint_limits = limits_in(description, driven=False)
        home = coordinates_of_pose(self.plan, ca.SX(ca.DM(self.home_configuration)))
        self.home = read_only(ca.evalf(home).full().ravel())
        lower, upper = box_of(description, self.pose_units, skeleton.size, chosen=independent is not None)
        self.box = read_only(lower), read_only(upper)
        self._complete = True

    def __repr__(self) -> str:
        freedoms, motors = len(self.pose_names), len(self.actuator_names)
        return f"Mechanism({self.name}: {len(self.body_names)} bodies, {freedoms} freedoms, {motors} motors)"

    def __reduce__(self) -> tuple[type[RobotCore], tuple[object, ...]]:
        return type(self), (self._file, self.payload, self._chosen, self.import_report)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            """Refuse what only robots of legs have, in words; asked for by whatever works on legs."""
            if name == "motion_type":
                raise UnsupportedRobotError(self.name, no_motion(self.plan))
            if name in _INSTEAD_OF_ATTRIBUTES:
                raise _refused(self.name, name, _INSTEAD_OF_ATTRIBUTES[name])
            raise AttributeError(f"a mechanism has no attribute '{name}'")

    # Places --------------------------------------------------------------------------------------------------------

    def _places(self, pose: ArrayLike, /) -> Array:
        """The configurations of poses."""
        return self._configuration(pose, None)

    def _placed(self, acting: Acting, p: ca.SX | None, payload: ca.SX | None, /, *, surely: bool) -> Placed:
        """The mechanism at a configuration. Inertia of symbols is regrouped too, which a plant does once a tick."""
        description = self.plan.skeleton.description
        known = values_of(graph_parameters(description, self.payload)) if p is None else p
        parameters = given_out(description, known, None if p is None else payload)
        moving, gravity = graph_motion(self.plan, surely=surely), ca.SX(ca.DM(description.gravity))
        return PlacedMechanism(GraphMechanics(moving, parameters, gravity, acting, regroups_symbols=p is not None))

    # Variants ------------------------------------------------------------------------------------------------------

    def _as_toml(self) -> str:
        return mechanism_to_toml(self._file)

    def _replaced(self, changes: dict[str, object]) -> Self:
        tables = self._file.model_dump(exclude_defaults=True) | changes
        return type(self)(describe_mechanism(tables, self.name), self.payload, self._chosen, self.import_report)

    def _carrying(self, payload: Payload) -> Self:
        return type(self)(self._file, payload, self._chosen, self.import_report)

    def _legs_only(self, what: str, instead: str) -> None:
        raise _refused(self.name, what, instead)

    # Models --------------------------------------------------------------------------------------------------------

    def _refuse_unknown(self, asked: Asked, more: tuple[str, ...] = ()) -> None:
        """more: models that are there besides those of kernels."""
        name, formulation, free, _, _ = asked
        if name in _INSTEAD_OF_MODELS:
            raise _refused(self.name, name, _INSTEAD_OF_MODELS[name])
        if formulation != DEFAULT:
            raise _refused(self.name, f"the formulation '{formulation}'", f"'{DEFAULT}', the body-oriented one")
        for kind, wanted, known in (("model", (name,), (*MODELS, *more)), ("input to free", free, tuple(FREE))):
            for one in wanted:
                if one not in known:
                    raise UnknownNameError(kind, one, known)

    def _content(self, asked: Asked) -> str:
        tables = (self._file.model_dump(), self.payload.model_dump())
        return repr(("mechanism", tables, plan_to_json(self.plan), *asked))

    def _program(self, asked: Asked) -> Program:
        name, _, free, configuration, by = asked
        return graph_program(name, self.plan, Options(self.payload, free, not configuration, by))

    def _function(self, asked: Asked) -> ca.Function:
        self._refuse_unknown(asked, tuple(LIFTED))
        return graph_function(asked.model, self.plan, Options(self.payload, asked.free, False, asked.by))

    def _matrices(self, name: str) -> tuple[str, ...]:
        return MATRICES.get(name, ())

    # States --------------------------------------------------------------------------------------------------------

    def _sampled(self, count: int, seed: int) -> Array:
        return sampled(self.plan.motion, self.home, self.box, count, seed)

    def _recorded(self, poses: Array) -> dict[str, Array]:
        near = np.broadcast_to(self.home_configuration, (len(poses), len(self.home_configuration)))
        return {"pose": poses, "near": near, "configuration": self._configuration(poses, None)}

    def _given(self, model: str, inputs: dict[str, Input], near: ArrayLike | None) -> dict[str, ArrayLike]:
        given = given_numbers(inputs)
        if "pose" in given or model == "forward_kinematics":
            given["near"] = self.home_configuration if near is None else near
        return given

    def _value(
        self,
        model: str,
        output: str,
        state: tuple[ArrayLike, ...],
        near: ArrayLike | None,
        formulation: str = DEFAULT,
    ) -> Array:
        names = [socket.name for socket in self.kernel(model, formulation=formulation).inputs]
        given = dict(zip((name for name in _ORDER if name in names), state, strict=True))
        return self._call(model, formulation, near, **given)[output]

    def _outputs(
        self, model: str, formulation: str, given: Mapping[str, ArrayLike], by: tuple[str, ...] = ()
    ) -> dict[str, Array]:
        """The outputs of a model; vectors of one entry, which kernels take for numbers, keep their axis."""
        free, at = tuple(name for name in given if name in FREE), "configuration" in given
        kernel = self.kernel(model, formulation=formulation, free=free, configuration=at, by=by)
        return self._shaped(model, self._run(kernel, given))

    def _run(self, kernel: Kernel, given: Mapping[str, ArrayLike]) -> dict[str, Array]:
        values = dict(given)
        for socket in kernel.inputs:
            if socket.name in values and not socket.shape and socket.name not in _NUMBERS:
                array = as_array(self.name, socket.name, values[socket.name])
                if array.ndim == 0 or array.shape[-1] != 1:
                    expected = "an array whose last axis has one entry, (..., 1)"
                    raise KernelInputError(kernel.name, socket.name, expected, f"shape {array.shape}")
                values[socket.name] = array[..., 0]
        out = kernel.evaluate(values)
        wide = {socket.name for socket in kernel.outputs if not socket.shape} - _NUMBERS
        return {name: value[..., None] if name in wide else value for name, value in out.items()}

    def _evaluated(self, model: str, formulation: str, given: dict[str, ArrayLike]) -> Evaluation:
        arrays = {name: as_array(self.name, name, value) for name, value in given.items()}
        single = all(value.ndim <= (name not in _NUMBERS) for name, value in arrays.items())
        batch: dict[str, ArrayLike] = {name: value[None] if single else value for name, value in arrays.items()}
        out = self._outputs(model, formulation, batch)
        status = np.asarray(out.pop("status"), np.int32)
        residual = np.asarray(out.pop("residual"))[..., None]
        if "pose" in given and (self.strokes.any or self.joint_limits.any):
            status = self._judged(batch, status)
        if single:
            return Evaluation({name: value[0] for name, value in out.items()}, status[0], residual[0])
        return Evaluation(out, status, residual)

    def _configuration(self, pose: ArrayLike, near: ArrayLike | None) -> Array:
        return self._call("configuration", near=near, pose=pose)["configuration_found"]

    def _configurations(self, poses: Array, near: ArrayLike | None) -> Array:
        start = self.home_configuration if near is None else as_array(self.name, "near", near)
        return chained(self._searched, poses, start)

    def _searched(self, poses: Array, near: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Configurations at poses, searched for from `near`, and which of them were found; limits do not matter."""
        found, status = self._told(poses, near)
        return found, status == int(Status.GOOD)

    def _told(self, poses: Array, near: Array) -> tuple[Array, NDArray[np.int32]]:
        """Configurations at poses, searched for from `near`, and the statuses of the searches, without limits."""
        out = self._outputs("configuration", DEFAULT, {"pose": poses, "near": near})
        return out["configuration_found"], np.asarray(out["status"], np.int32)

    def _limited_values(self, pose: ArrayLike, near: ArrayLike | None) -> tuple[Array, Array]:
        coordinates = self.evaluate("joint_coordinates", near=near, pose=pose)["coordinate"]
        return self.limited(coordinates, self.strokes), self.limited(coordinates, self.joint_limits)

    def _condition(self, pose: ArrayLike, near: ArrayLike | None) -> Array:
        return output_condition(self, pose, near)

    def _output(
        self, pose: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike, near: ArrayLike | None
    ) -> OutputMotion:
        out = self._call("output", near=near, pose=pose, velocity=velocity, acceleration=acceleration)
        return OutputMotion(out["p"], out["R"], out["twist"], out["twist_dot"])

    def _joint_wrenches(
        self, _graph: Mechanism, state: State, payload: Input, wrench: ArrayLike | None, near: ArrayLike | None
    ) -> JointWrenches:
        given = dict(zip(("pose", "velocity", "acceleration"), state, strict=True))
        out = self._call("joint_wrenches", near=near, **given, payload=payload, wrench=wrench)
        return JointWrenches(out["wrench_on_child"], np.asarray(out["undetermined"] < DETERMINED))

    def _as_bodies_and_joints(self) -> MechanismDescription:
        return self._file

    def _parameters(self) -> tuple[Parameter, ...]:
        return graph_parameters(self.plan.skeleton.description, self.payload)

    def _linear_programs(self, estimated: Estimated) -> LinearPrograms:
        return graph_linear_programs(self.plan, self.payload, estimated)

    def _unit_length(self, configurations: Array) -> Array:
        result = np.array(configurations)
        for start in balls(self.plan.skeleton):
            quaternion = result[..., start : start + 4]
            result[..., start : start + 4] = quaternion / np.linalg.norm(quaternion, axis=-1, keepdims=True)
        return result

    def _known_forces(self, pose: Array, near: Array | None) -> Array | float:
        if not any(settings.spring for _, _, _, settings in all_freedoms(self._file)):
            return 0.0
        still, nothing = np.zeros_like(pose), np.zeros(len(self._parameters()))
        return self._call(
            "inverse_dynamics", near=near, pose=pose, velocity=still, acceleration=still, parameters=nothing
        )["tau"]

    def _spin_inertia(self, owner: str, /) -> float:
        """Of a rod between two balls what its body has; a distance of the file does not tell it, and it has no part."""
        return next((along_line(self._file, rod) for rod in self.plan.skeleton.rods if rod.joint == owner), 0.0)

    def _changed_tables(self, parameters: Array, source: str) -> dict[str, object]:
        return changed_mechanism_tables(self.plan.skeleton, parameters, source)

    # What is wrong -------------------------------------------------------------------------------------------------

    def _error(self, given: Mapping[str, ArrayLike], out: Mapping[str, Array]) -> PoseError:
        status = Status(int(out["status"]))
        if status == Status.UNUSABLE:
            sizes = {
                name: float(np.max(np.abs(np.asarray(value, float)), initial=0.0)) for name, value in given.items()
            }
            largest = max(sizes, key=lambda name: sizes[name])
            return OverflowStateError(self.name, largest, sizes[largest])
        pose = np.ravel(np.asarray(given.get("pose", given.get("configuration")), float))
        return LoopClosureError(self.name, tuple(pose.tolist()), _REASONS[status], float(out["residual"]))

    def _status(self, pose: ArrayLike, near: ArrayLike | None) -> NDArray[np.int32]:
        return self.evaluate("configuration", near=near, pose=pose).status

    def _judged(self, batch: Mapping[str, ArrayLike], status: NDArray[np.int32]) -> NDArray[np.int32]:
        """Statuses in which GOOD poses beyond a limit are OUT_OF_STROKE or JOINT_LIMIT."""
        state = {name: batch[name] for name in ("pose", "near")}
        values = self._outputs("joint_coordinates", DEFAULT, state)["coordinate"]
        result, good = np.array(status), status == int(Status.GOOD)
        for bounds, code in ((self.joint_limits, Status.JOINT_LIMIT), (self.strokes, Status.OUT_OF_STROKE)):
            beyond = bounds.beyond(self.limited(values, bounds)).any(axis=-1)
            result[np.broadcast_to(beyond, result.shape) & good] = code
        return result

    def _refuse_beyond(self, pose: Array, _q: Array, near: ArrayLike | None) -> None:
        if self.strokes.any or self.joint_limits.any:
            coordinates = self._call("joint_coordinates", near=near, pose=pose)["coordinate"]
            refuse(StrokeError, self.strokes, pose, self.limited(coordinates, self.strokes))
            refuse(JointLimitError, self.joint_limits, pose, self.limited(coordinates, self.joint_limits))

    def limited(self, coordinates: Array, bounds: Bounds) -> Array:
        """Return those of coordinates (..., `coordinate_names`) that have the limits `bounds`.

        >>> coordinates = linkage.joints([0.3], [0.0], [0.0]).coordinate
        >>> linkage.limited(coordinates, linkage.joint_limits).shape
        (1,)
        """
        places = {name: k for k, name in enumerate(self.coordinate_names)}
        return coordinates[..., [places[name] for name in bounds.names]]


_ORDER = ("pose", "velocity", "acceleration", "tau", "q_dot", "q_ddot")
"""In which order methods name the inputs of models."""


def _refused(mechanism: str, what: str, instead: str) -> LegsOnlyError:
    """Return the error for what only robots of legs have."""
    reason = f"is a mechanism of bodies and joints, and {what} is of robots of legs alone: use {instead}"
    return LegsOnlyError(mechanism, reason)
