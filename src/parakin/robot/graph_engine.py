"""The engine of bodies and joints: their names, and kernels of a plan whose dependent joints follow by a search."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, final

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.arrays import Array, read_only
from parakin.description.model import OUTPUT, TOOL
from parakin.dynamics.choices import DEFAULT
from parakin.dynamics.equation import EquationOfMotion
from parakin.dynamics.graph.equation import GraphEquation
from parakin.dynamics.graph.mechanics import GraphMechanics
from parakin.dynamics.graph.models import FREE, MATRICES, MODELS, Options, graph_program
from parakin.dynamics.graph.parameters import all_freedoms, given_out, graph_parameters
from parakin.dynamics.mechanics import Acting
from parakin.dynamics.parameter_symbols import values_of
from parakin.dynamics.parameters import Parameter
from parakin.dynamics.payload import Payload
from parakin.errors import (
    CapabilityError,
    JointLimitError,
    LoopClosureError,
    OverflowStateError,
    PoseError,
    StrokeError,
    UnknownNameError,
)
from parakin.errors.capabilities import LEGS, ONE_MOTOR_A_FREEDOM
from parakin.kernels import Kernel, Program
from parakin.kernels.arguments import as_array, as_rows
from parakin.kinematics.graph.closing import coordinates_of_pose
from parakin.kinematics.graph.loops import graph_motion
from parakin.kinematics.status import Status
from parakin.mechanism import MechanismDescription, Plan, describe_mechanism, mechanism_to_toml, plan_to_json
from parakin.mechanism.openings import box_of
from parakin.motions import MotionType
from parakin.motions.offsets import displaced, offset_between
from parakin.robot.actuators import motor_of
from parakin.robot.condition import output_condition
from parakin.robot.engine import Asked, Engine, Input, State, given_numbers, shaped
from parakin.robot.leading import BY_FORMULAS, BY_SEARCH, Led, chained, led
from parakin.robot.limits import refuse, strokes
from parakin.robot.mechanism_names import (
    balls,
    coordinate_names,
    coordinates_of,
    limits_in,
    no_motion,
)
from parakin.robot.remembering import remembered_plan
from parakin.robot.results import Evaluation, GraphState, JointWrenches, OutputMotion, PosesFound
from parakin.units import NUMBER

if TYPE_CHECKING:
    from parakin.assembly.search import Arrivals
    from parakin.description import RobotDescription
    from parakin.dynamics.linear_models import Estimated, LinearPrograms
    from parakin.kernels.state_calls import Direct

DETERMINED = 1e-9
"""A joint's wrench is unique where a strain of 1 N between other joints adds less than this to it [N]."""
_NUMBERS = frozenset({"status", "residual", "kinetic", "potential", "smoothing"})
"""Inputs and outputs that are one number a state; all others are vectors, if only of one entry."""
_REASONS = {
    Status.SINGULAR: "the way from `near` crosses or ends at a singularity; start from a configuration beyond it",
    Status.NOT_CONVERGED: "the loops cannot be closed there, or not from `near`, or only with a joint put in "
    "backwards; start nearer, or check the reach",
}


@final
class GraphEngine(Engine):
    """Bodies and joints with a plan: dependent joints follow from a pose by a search that begins at `near`."""

    place_input, numbers = "configuration", _NUMBERS

    def __init__(
        self, description: MechanismDescription, payload: Payload, independent: tuple[str, ...] | None
    ) -> None:
        super().__init__()
        self._file = description
        self._chosen = independent
        self._quick: dict[tuple[str, str, str], tuple[Direct, list[int]]] = {}
        self._plan = remembered_plan(description, independent)
        self.payload = payload
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
        self.place_is_pose, self.searches_from_near, self.tool = False, True, description.tool
        self.wrench_size = 6
        self.legs, self.element_names = (), ()
        self.motion, self.coordinates, self.loose_turns = "joints", self.plan.motion, self.plan.loose_turns
        self.output_name = f"output frame on {description.output.body}"
        self.actuator_names = self.plan.actuator_names
        settings = {name: one for name, _, _, one in all_freedoms(description)}
        driven = [(name, settings[name], settings[name].drive) for name in self.actuator_names]
        self.actuators = tuple(motor_of(one, drive, units[name]) for name, one, drive in driven if drive is not None)
        self.actuator_units = tuple(units[name].force for name in self.actuator_names)
        self.body_names = tuple(body.name for body in description.bodies)
        self.joint_names = tuple(name for name, _ in freedoms)
        self.coordinate_names = coordinate_names(description)
        moving = {link.joint.name for link in skeleton.links} | {cut.joint.name for cut in skeleton.cuts}
        moving |= {name for rod in skeleton.rods for name in rod.joints}
        self.frame_names = (
            OUTPUT,
            *(frame.name for frame in description.frames),
            *([TOOL] if description.tool else []),
        )
        self.moving_joints = tuple(joint.name for joint in description.joints if joint.name in moving)
        self.length = skeleton.size if description.length is None else description.length
        self.home_configuration = read_only(self.plan.assembly.configuration)
        self.strokes = strokes(self)
        self.joint_limits = limits_in(description, driven=False)
        home = coordinates_of_pose(self.plan, ca.SX(ca.DM(self.home_configuration)))
        self.home = read_only(ca.evalf(home).full().ravel())
        lower, upper = box_of(description, self.pose_units, skeleton.size, chosen=independent is not None)
        self.box = read_only(lower), read_only(upper)

    @property
    def source(self) -> MechanismDescription:
        return self._file

    @property
    def independent(self) -> tuple[str, ...] | None:
        return self._chosen

    @property
    def summary(self) -> str:
        freedoms, motors = len(self.pose_names), len(self.actuator_names)
        return f"{self.name}: {len(self.body_names)} bodies, {freedoms} freedoms, {motors} motors"

    def leg_file(self, what: str, /) -> RobotDescription:
        raise LEGS.error(self.name, what)

    @property
    def motion_type(self) -> MotionType:
        if self.loose_turns:
            raise CapabilityError(self.name, no_motion(self.plan))
        return self.coordinates

    @property
    def plan(self) -> Plan:
        return self._plan

    @property
    def graph(self) -> GraphEngine:
        return self

    @property
    def by_motors(self) -> GraphEngine:
        return self._by_motors

    @functools.cached_property
    def _by_motors(self) -> GraphEngine:
        motors, freedoms = len(self.actuator_names), self.degrees_of_freedom
        if motors != freedoms:
            lacking = f"has {motors} motors for {freedoms} freedoms"
            raise ONE_MOTOR_A_FREEDOM.error(self.name, "a pose from motor positions", lacking=lacking)
        if self.actuator_names == self.pose_names:
            return self
        return GraphEngine(self._file, self.payload, self.actuator_names)

    # Places --------------------------------------------------------------------------------------------------------

    def places(self, pose: ArrayLike, /) -> Array:
        """The configurations of poses."""
        return self.configuration(pose, None)

    def placed(self, acting: Acting, p: ca.SX | None, payload: ca.SX | None, /, *, surely: bool) -> EquationOfMotion:
        """The mechanism at a configuration. Inertia of symbols is regrouped too, which a plant does once a tick."""
        skeleton = self.plan.skeleton
        known = values_of(graph_parameters(skeleton.parametrised, self.payload)) if p is None else p
        parameters = given_out(skeleton, known, None if p is None else payload)
        moving, gravity = graph_motion(self.plan, surely=surely), ca.SX(ca.DM(self._file.gravity))
        return GraphEquation(GraphMechanics(moving, parameters, gravity, acting, regroups_symbols=p is not None))

    # Variants ------------------------------------------------------------------------------------------------------

    def as_toml(self) -> str:
        return mechanism_to_toml(self._file)

    def changed(self, changes: dict[str, object]) -> MechanismDescription:
        tables = self._file.model_dump(exclude_defaults=True) | changes
        return describe_mechanism(tables, self.name)

    # Models --------------------------------------------------------------------------------------------------------

    def refuse_unknown(self, asked: Asked, more: tuple[str, ...] = ()) -> None:
        """more: models that are there besides those of kernels."""
        name, formulation, free, _, _ = asked
        if name in LEGS.features:
            raise LEGS.error(self.name, name)
        if formulation != DEFAULT:
            raise LEGS.error(self.name, f"the formulation '{formulation}'", LEGS.features["compare"])
        for kind, wanted, known in (("model", (name,), (*MODELS, *more)), ("input to free", free, tuple(FREE))):
            for one in wanted:
                if one not in known:
                    raise UnknownNameError(kind, one, known)

    def content(self, asked: Asked) -> str:
        tables = (self._file.model_dump(), self.payload.model_dump())
        return repr(("mechanism", tables, plan_to_json(self.plan), *asked))

    def program(self, asked: Asked) -> Program:
        name, _, free, configuration, by = asked
        return graph_program(name, self.plan, Options(self.payload, free, not configuration, by))

    def function(self, asked: Asked) -> ca.Function:
        from parakin.dynamics.graph.lifted import LIFTED, graph_function

        self.refuse_unknown(asked, tuple(LIFTED))
        return graph_function(asked.model, self.plan, Options(self.payload, asked.free, False, asked.by))

    def matrices(self, name: str) -> tuple[str, ...]:
        return MATRICES.get(name, ())

    # States --------------------------------------------------------------------------------------------------------

    def recorded(self, poses: Array) -> dict[str, Array]:
        near = np.broadcast_to(self.home_configuration, (len(poses), len(self.home_configuration)))
        return {"pose": poses, "near": near, "configuration": self.configuration(poses, None)}

    def given(self, model: str, inputs: dict[str, Input], near: ArrayLike | None) -> dict[str, ArrayLike]:
        given = given_numbers(inputs)
        if "pose" in given or model == "forward_kinematics":
            given["near"] = self.home_configuration if near is None else near
        return given

    def value(
        self,
        model: str,
        output: str,
        state: tuple[ArrayLike, ...],
        near: ArrayLike | None,
        formulation: str = DEFAULT,
    ) -> Array:
        key = (model, output, formulation)
        quick = self._quick.get(key)
        if quick is None:
            kernel = self.kernel(model, formulation=formulation)
            names = [socket.name for socket in kernel.inputs]
            order = [*(name for name in _ORDER if name in names), "near"]
            quick = self._quick[key] = kernel.direct(output), [order.index(name) for name in names]
        known = *state, self.home_configuration if near is None else near
        direct, order = quick
        value = direct([known[k] for k in order]) if len(known) == len(order) else None
        if value is not None:
            return value
        names = [name for name in _ORDER if any(s.name == name for s in self.kernel(model).inputs)]
        return self.call(model, formulation, near, **dict(zip(names, state, strict=True)))[output]

    def outputs(
        self, model: str, formulation: str, given: Mapping[str, ArrayLike], by: tuple[str, ...] = ()
    ) -> dict[str, Array]:
        """Return the outputs of a model."""
        free, at = tuple(name for name in given if name in FREE), "configuration" in given
        kernel = self.kernel(model, formulation=formulation, free=free, configuration=at, by=by)
        return shaped(model, kernel.evaluate(given))

    def evaluated(self, model: str, formulation: str, given: dict[str, ArrayLike]) -> Evaluation:
        """Return what `evaluate` returns; forward kinematics is no model but a search with motors as the pose."""
        if model == "forward_kinematics":
            search = self.by_motors.evaluate("configuration", pose=self._coordinates_of(given["q"]), near=given["near"])
            found = search["configuration_found"]
            pose = self.outputs("pose", formulation, {"configuration": found.reshape(-1, found.shape[-1])})[
                "pose_found"
            ]
            shaped_pose = pose.reshape(*found.shape[:-1], pose.shape[-1])
            return Evaluation({"pose": shaped_pose}, search.status, search.excess, search.residual)
        arrays = {name: as_array(self.name, name, value) for name, value in given.items()}
        single = all(value.ndim <= (name not in _NUMBERS) for name, value in arrays.items())
        batch: dict[str, ArrayLike] = {name: value[None] if single else value for name, value in arrays.items()}
        out = self.outputs(model, formulation, batch)
        status = np.asarray(out.pop("status"), np.int32)
        residual = np.asarray(out.pop("residual"))
        excess = np.empty((*status.shape, 0))
        if "pose" in given and (self.strokes.any or self.joint_limits.any):
            status = self._judged(batch, status)
        if single:
            return Evaluation({name: value[0] for name, value in out.items()}, status[0], excess[0], residual[0])
        return Evaluation(out, status, excess, residual)

    def configuration(self, pose: ArrayLike, near: ArrayLike | None) -> Array:
        return self.call("configuration", near=near, pose=pose)["configuration_found"]

    def configurations(self, poses: Array, near: ArrayLike | None) -> Array:
        start = self.home_configuration if near is None else as_array(self.name, "near", near)
        rows = as_rows(self.name, "poses", poses, len(self.pose_names), table=True)
        return chained(self._searched, rows, start)

    def _searched(self, poses: Array, near: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Configurations at poses, searched for from `near`, and which of them were found; limits do not matter."""
        found, status = self._told(poses, near)
        return found, status == int(Status.GOOD)

    def _told(self, poses: Array, near: Array) -> tuple[Array, NDArray[np.int32]]:
        """Configurations at poses, searched for from `near`, and the statuses of the searches, without limits."""
        out = self.outputs("configuration", DEFAULT, {"pose": poses, "near": near})
        return out["configuration_found"], np.asarray(out["status"], np.int32)

    def limited_values(self, pose: ArrayLike, near: ArrayLike | None) -> tuple[Array, Array]:
        coordinates = self.evaluate("joint_coordinates", near=near, pose=pose)["coordinate"]
        return self._positions(coordinates), self._limited(coordinates)

    def condition(self, pose: ArrayLike, near: ArrayLike | None) -> Array:
        return output_condition(self, pose, near)

    def output(
        self, pose: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike, near: ArrayLike | None
    ) -> OutputMotion:
        out = self.call("output", near=near, pose=pose, velocity=velocity, acceleration=acceleration)
        return OutputMotion(out["p"], out["R"], out["twist"], out["twist_dot"])

    def joint_wrenches(
        self, state: State, payload: Input, wrench: ArrayLike | None, near: ArrayLike | None, /
    ) -> JointWrenches:
        given = dict(zip(("pose", "velocity", "acceleration"), state, strict=True))
        out = self.call("joint_wrenches", near=near, **given, payload=payload, wrench=wrench)
        return JointWrenches(out["wrench_on_child"], np.asarray(out["undetermined"] < DETERMINED))

    def graph_state(self, state: State, /) -> GraphState:
        pose, velocity, acceleration = (
            as_array(self.name, name, part) for name, part in zip(_ORDER, state, strict=False)
        )
        near = self.configurations(pose, None) if pose.ndim == 2 else self.home_configuration
        return GraphState(pose, velocity, acceleration, near)

    def led_from_home(self, poses: Array, /) -> Led:
        """Return the configurations to which straight paths from home lead; limits do not end a path."""
        goals = as_rows(self.name, "poses", poses, len(self.pose_names), table=True)
        motion, size = self.plan.motion, self.plan.skeleton.size
        away = offset_between(motion, self.home, goals)

        def way(shares: Array, chosen: NDArray[np.intp]) -> Array:
            on_way = displaced(motion, self.home, shares[:, None] * away[chosen])
            return np.where(shares[:, None] == 1, goals[chosen], on_way)

        lengths = np.max(np.abs(away) / np.array([size if unit == "m" else 1.0 for unit in self.pose_units]), axis=1)
        formulas = bool(self.plan.closing.formulas)
        turning = np.array([formulas and unit == "rad" for unit in self.place_units])
        longest = BY_FORMULAS if formulas else BY_SEARCH
        return led(self._told, way, lengths, self.home_configuration, turning=turning, longest=longest)

    def pose_of(self, configuration: ArrayLike, /) -> Array:
        return self.call("pose", configuration=configuration)["pose_found"]

    def found_pose(self, q: ArrayLike, near: ArrayLike | None) -> Array:
        return self.pose_of(self.by_motors.configuration(self._coordinates_of(q), near=near))

    def arrivals(self, q: Array, starts: int, seed: int) -> Arrivals:
        from parakin.assembly.search import Arrivals, assembled, random_configurations

        driven, skeleton = self.by_motors, self.plan.skeleton
        home = driven.home_configuration
        near = np.concatenate([home[None], random_configurations(skeleton, home, starts, seed)])
        out = driven.any_branch(near=near, pose=self._coordinates_of(q))
        good = np.asarray(out["status"] == int(Status.GOOD))
        configurations, residuals = out["configuration_found"][good], out["residual"][good]
        frames = self.call("body_frames", configuration=np.concatenate([home[None], configurations]))
        parts = (frames["p"] / skeleton.size, frames["R"])
        places = np.concatenate([part.reshape(len(part), -1) for part in parts], axis=1)
        found = Arrivals(configurations, self.pose_of(configurations), residuals, places[1:], places[0])
        return found.once().where(lambda configuration: assembled(skeleton, configuration))

    @functools.cached_property
    def any_branch(self) -> Kernel:
        """The search for a configuration of a pose, from `near`, whatever branch and assembly mode it is on."""
        from parakin.kinematics.graph.searching import closing_across_branches

        return Kernel(closing_across_branches(self.plan), status="status", numbers=_NUMBERS)

    def poses_with(self, q: Array, near: Array) -> PosesFound:
        """The poses with these motor positions: configurations with motors as the pose, and their independent ones."""
        motors = self.by_motors
        out = motors.outputs("configuration", DEFAULT, {"pose": self._coordinates_of(q), "near": near})
        found = out["configuration_found"]
        pose = self.outputs("pose", DEFAULT, {"configuration": found})["pose_found"]
        return PosesFound(found, pose, np.asarray(out["status"], np.int32))

    def _coordinates_of(self, q: ArrayLike) -> Array:
        """Joint coordinates of motor positions: zero + sign q."""
        sign, zero = (np.array([getattr(motor, name) for motor in self.actuators]) for name in ("sign", "zero"))
        return zero + sign * as_rows(self.name, "q", q, len(sign))

    def as_bodies_and_joints(self) -> MechanismDescription:
        return self._file

    def parameters(self) -> tuple[Parameter, ...]:
        return graph_parameters(self.plan.skeleton.parametrised, self.payload)

    def linear_programs(self, estimated: Estimated) -> LinearPrograms:
        from parakin.dynamics.graph.linear_models import graph_linear_programs

        return graph_linear_programs(self.plan, self.payload, estimated)

    def unit_length(self, configurations: Array) -> Array:
        result = np.array(configurations)
        for start in balls(self.plan.skeleton):
            quaternion = result[..., start : start + 4]
            result[..., start : start + 4] = quaternion / np.linalg.norm(quaternion, axis=-1, keepdims=True)
        return result

    def known_forces(self, pose: Array, near: Array | None) -> Array | float:
        if not any(settings.spring for _, _, _, settings in all_freedoms(self._file)):
            return 0.0
        still, nothing = np.zeros_like(pose), np.zeros(len(self.parameters()))
        return self.call(
            "inverse_dynamics", near=near, pose=pose, velocity=still, acceleration=still, parameters=nothing
        )["tau"]

    def spin_inertia(self, owner: str, /) -> float:
        """Return that of the body of a rod between two spherical joints; 0 where the file gives a distance alone."""
        from parakin.robot.mechanism_parameters import along_line

        return next((along_line(self._file, rod) for rod in self.plan.skeleton.rods if rod.joint == owner), 0.0)

    def changed_tables(self, parameters: Array, source: str) -> dict[str, object]:
        from parakin.robot.mechanism_parameters import changed_mechanism_tables

        return changed_mechanism_tables(self.plan.skeleton, parameters, source)

    # What is wrong -------------------------------------------------------------------------------------------------

    def error(self, given: Mapping[str, ArrayLike], out: Mapping[str, Array]) -> PoseError:
        status = Status(int(out["status"]))
        if status == Status.UNUSABLE:
            sizes = {
                name: float(np.max(np.abs(np.asarray(value, float)), initial=0.0)) for name, value in given.items()
            }
            largest = max(sizes, key=lambda name: sizes[name])
            return OverflowStateError(self.name, largest, sizes[largest])
        pose = np.ravel(np.asarray(given.get("pose", given.get("configuration")), float))
        return LoopClosureError(self.name, tuple(pose.tolist()), _REASONS[status], float(out["residual"]))

    def status(self, pose: ArrayLike, near: ArrayLike | None) -> NDArray[np.int32]:
        """The Status of each pose, searched for from `near`, or led there from home: as workspaces and maps see it."""
        poses = as_rows(self.name, "pose", pose, len(self.pose_names))
        if near is not None or not np.isfinite(poses).all():
            return self._status_near(pose, near)
        way = self.led_from_home(poses.reshape(-1, poses.shape[-1]))
        batch = poses.shape[:-1]
        found, ended = way.configuration.reshape(*batch, len(self.home_configuration)), way.status.reshape(batch)
        there = np.where(np.isfinite(found), found, self.home_configuration)
        return np.where(ended == int(Status.GOOD), self._status_near(poses, there), ended)

    def _status_near(self, pose: ArrayLike, near: ArrayLike | None) -> NDArray[np.int32]:
        return self.evaluate("configuration", near=near, pose=pose).status

    def _judged(self, batch: Mapping[str, ArrayLike], status: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return statuses in which GOOD poses beyond a limit are OUT_OF_STROKE or JOINT_LIMIT."""
        state = {name: batch[name] for name in ("pose", "near")}
        coordinates = self.outputs("joint_coordinates", DEFAULT, state)["coordinate"]
        result, good = np.array(status), status == int(Status.GOOD)
        beyond = self.joint_limits.beyond(self._limited(coordinates)).any(axis=-1)
        result[np.broadcast_to(beyond, result.shape) & good] = Status.JOINT_LIMIT
        beyond = self.strokes.beyond(self._positions(coordinates)).any(axis=-1)
        result[np.broadcast_to(beyond, result.shape) & good] = Status.OUT_OF_STROKE
        return result

    def refuse_beyond(self, pose: Array, q: Array, near: ArrayLike | None, /) -> None:
        del q
        if self.strokes.any or self.joint_limits.any:
            coordinates = self.call("joint_coordinates", near=near, pose=pose)["coordinate"]
            refuse(StrokeError, self.strokes, pose, self._positions(coordinates))
            refuse(JointLimitError, self.joint_limits, pose, self._limited(coordinates))

    def _positions(self, coordinates: Array) -> Array:
        """Return the actuator positions q (..., m) among joint coordinates: q = sign (coordinate - zero)."""
        places = [self.coordinate_names.index(name) for name in self.actuator_names]
        sign, zero = (np.array([getattr(motor, name) for motor in self.actuators]) for name in ("sign", "zero"))
        return sign * (coordinates[..., places] - zero)

    def _limited(self, coordinates: Array) -> Array:
        """Return those of joint coordinates (..., `coordinate_names`) that `joint_limits` bounds."""
        return coordinates[..., [self.coordinate_names.index(name) for name in self.joint_limits.names]]


_ORDER = ("pose", "velocity", "acceleration", "tau", "q_dot", "q_ddot")
"""In which order methods name the inputs of models."""
