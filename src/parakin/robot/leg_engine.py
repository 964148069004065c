"""The engine of legs that meet in a platform: their names, and kernels of their closed forms."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.arrays import Array, read_only
from parakin.description import RobotDescription, describe, expanded_legs, to_toml
from parakin.description.model import OUTPUT, TOOL
from parakin.dynamics.choices import DEFAULT, FREE
from parakin.dynamics.payload import Payload
from parakin.errors import KernelInputError, PoseError, UnknownNameError, UnsupportedRobotError
from parakin.errors.capabilities import BODIES_AND_JOINTS, CLOSED_FORM
from parakin.kernels.arguments import as_array, as_rows
from parakin.kinematics.dimensions import dimensions_of
from parakin.kinematics.directions import directions_of
from parakin.kinematics.joint_table import body_names, joint_angles, leg_bodies, searched_names
from parakin.kinematics.status import Status
from parakin.motions import MotionType
from parakin.motions.offsets import frame_at, in_space, unit_length
from parakin.robot import diagnosis, limits
from parakin.robot.condition import platform_condition
from parakin.robot.engine import Asked, Engine, Input, State, given_numbers, shaped
from parakin.robot.leading import Led
from parakin.robot.results import Evaluation, GraphState, JointWrenches, OutputMotion, PosesFound

if TYPE_CHECKING:
    import casadi as ca

    from parakin.assembly.search import Arrivals
    from parakin.dynamics.equation import EquationOfMotion
    from parakin.dynamics.linear_models import Estimated, LinearPrograms
    from parakin.dynamics.mechanics import Acting
    from parakin.dynamics.parameters import Parameter
    from parakin.kernels import Kernel, Program
    from parakin.linalg.solve import Order
    from parakin.mechanism import MechanismDescription, Plan
    from parakin.robot.graph_engine import GraphEngine

FORWARD_KINEMATICS = "forward_kinematics"
"""The one model that is a search, not a table row."""
GEOMETRY = "geometry"
"""Dimensions, which can be an input of kinematic kernels."""
DIRECTIONS = "directions"
"""Directions of axes, rails and references, likewise."""
BRANCHES = "branches"
"""The working mode, which can be an input of every kernel."""
ORDER_POSES = 256
"""Poses of the box that decide the order of an elimination."""


@final
class LegEngine(Engine):
    """A machine of legs and platform: everything follows from a pose in closed form, or leg by leg."""

    place_input, numbers = "pose", None

    def __init__(self, description: RobotDescription, payload: Payload) -> None:
        super().__init__()
        self._file = description
        self.payload = payload
        self.name = description.name
        self.title = description.title
        self.motion = description.motion
        self.coordinates, self.loose_turns = description.motion_type, ()
        self.pose_names = self.motion_type.coordinates
        self.pose_units = self.motion_type.units
        self.degrees_of_freedom = self.motion_type.degrees_of_freedom
        self.legs = expanded_legs(description)
        searched = searched_names(description)
        self.place_names = (*self.pose_names, *searched)
        self.place_units = (*self.pose_units, *searched.values())
        self.place_is_pose = not searched
        self.wrench_size = self.degrees_of_freedom
        driven = [(leg, e, e.actuator) for leg in self.legs for e in leg.elements if e.actuator is not None]
        self.actuators = tuple(actuator for _, _, actuator in driven)
        self.actuator_names = tuple(f"{leg.name}.{element.name}" for leg, element, _ in driven)
        self.actuator_units = tuple(actuator.units.force for actuator in self.actuators)
        self.element_names = tuple(f"{leg.name}.{element.name}" for leg in self.legs for element in leg.elements)
        self.body_names = body_names(description)
        self.length = description.length
        self.home = self.home_configuration = read_only(description.workspace.home)
        self.tool, self.searches_from_near = description.platform.tool, False
        self.frame_names, self.output_name = (OUTPUT, TOOL) if self.tool else (OUTPUT,), "platform"
        self.box = (read_only(description.workspace.lower), read_only(description.workspace.upper))
        angles = joint_angles(description)
        self.joint_names = tuple(angle.name for angle in angles)
        self.coordinate_names = self.joint_names
        self.strokes = limits.strokes(self)
        self.joint_limits = limits.joint_limits(angles)

    @property
    def source(self) -> RobotDescription:
        return self._file

    @property
    def independent(self) -> None:
        return None

    @property
    def summary(self) -> str:
        return f"{self.name}: {self.motion}, {len(self.legs)} legs, {len(self.actuator_names)} actuators"

    def leg_file(self, what: str, /) -> RobotDescription:
        del what
        return self._file

    @property
    def motion_type(self) -> MotionType:
        return self.coordinates

    @property
    def plan(self) -> Plan:
        raise BODIES_AND_JOINTS.error(self.name, "plan")

    @property
    def graph(self) -> GraphEngine:
        return self._graph

    @functools.cached_property
    def _graph(self) -> GraphEngine:
        from parakin.robot.reactions import graph_engine

        return graph_engine(self)

    @property
    def by_motors(self) -> GraphEngine:
        return self.graph

    def places(self, pose: ArrayLike, /) -> Array:
        """The poses themselves, with joint coordinates of legs without a closed form."""
        poses = as_array(self.name, "pose", pose)
        if self.place_is_pose:
            return poses
        key = ("searched",)
        if key not in self.kernels:
            from parakin.kernels import Kernel
            from parakin.kinematics.closing import search_program

            self.kernels[key] = Kernel(search_program(self._file), status="status")
        return np.concatenate([poses, self.kernels[key](pose=poses)["z_found"]], axis=-1)

    def placed(self, acting: Acting, p: ca.SX | None, payload: ca.SX | None, /, *, surely: bool) -> EquationOfMotion:  # noqa: ARG002
        """The robot at a place; rows are exchanged in any case, for legs have no order of elimination."""
        from parakin.dynamics.leg_equation import LegEquation
        from parakin.dynamics.mechanics import mechanics

        carried = self.payload if p is None else payload
        return LegEquation(mechanics(self._file, carried, p, acting))

    def as_toml(self) -> str:
        return to_toml(self._file)

    def changed(self, changes: dict[str, object]) -> RobotDescription:
        tables = self._file.model_dump(exclude_defaults=True) | changes
        return describe(tables, self.name)

    def given(self, model: str, inputs: dict[str, Input], near: ArrayLike | None, /) -> dict[str, ArrayLike]:
        """What a model is given; `near` is asked for by forward kinematics alone, for legs have closed forms."""
        start: dict[str, Input] = {"near": self.home if near is None else near} if model == FORWARD_KINEMATICS else {}
        return given_numbers(start | inputs)

    def outputs(
        self, model: str, formulation: str, given: Mapping[str, ArrayLike], by: tuple[str, ...] = ()
    ) -> dict[str, Array]:
        """The outputs of a model for what is given, and their derivatives by some inputs."""
        return shaped(model, self.kernel_for(model, formulation, given, by).evaluate(given))

    def evaluated(self, model: str, formulation: str, given: dict[str, ArrayLike]) -> Evaluation:
        """What `evaluate` returns."""
        kernel = self.kernel_for(model, formulation, given)
        sizes = {socket.name: len(socket.shape) for socket in kernel.inputs}
        single = all(np.ndim(value) <= sizes.get(name, 0) for name, value in given.items())
        # A single state with a number that is not finite is refused by kernels; as a batch of one it gets a status.
        batch = {name: np.asarray(value)[None] for name, value in given.items()} if single else given
        out = self.outputs(model, formulation, batch)
        status = np.asarray(out["status"], np.int32)
        values = {name: value[0] if single else value for name, value in out.items() if name != "status"}
        poses = values.get("pose", given.get("pose"))  # what forward kinematics gives, or what a model is given
        if poses is not None and not {GEOMETRY, DIRECTIONS, BRANCHES} & given.keys():
            status = limits.judged(self, as_array(self.name, "pose", poses), status[0] if single else status)
        else:
            status = status[0] if single else status
        excess = values.pop("excess", np.full((*status.shape, len(self.legs)), -np.inf))
        residual = values.pop("residual", np.zeros(status.shape))
        return Evaluation(values, status, excess, residual)

    def error(self, given: Mapping[str, ArrayLike], out: Mapping[str, Array]) -> PoseError:
        """The error for a single state that is not GOOD."""
        return diagnosis.error_of(self, given, out)

    def refuse_beyond(self, pose: Array, q: Array, _near: ArrayLike | None, /) -> None:
        """Raise for a single pose at which an actuator or a passive joint is beyond its limits."""
        limits.refuse_beyond(self, pose, q)

    def recorded(self, poses: Array) -> dict[str, Array]:
        """What a kernel's inputs may be, at poses (count, coordinates)."""
        known = {"pose": poses, "near": np.broadcast_to(self.home, poses.shape)}
        known["q"] = self.kernel("inverse_kinematics")(pose=poses)["q"]
        tables = {GEOMETRY: dimensions_of(self._file), DIRECTIONS: directions_of(self._file)}
        shape = {name: [entry.value for entry in table] for name, table in tables.items()}
        return known | {name: np.broadcast_to(value, (len(poses), len(value))) for name, value in shape.items()}

    def matrices(self, _name: str) -> tuple[str, ...]:
        """Inputs and outputs of a model that stay matrices if they have one column."""
        return ()

    def value(
        self,
        model: str,
        output: str,
        state: tuple[ArrayLike, ...],
        near: ArrayLike | None,
        formulation: str = DEFAULT,
    ) -> Array:
        """Return one output of a model that is given nothing but the state, in the order of its kernel's inputs.

        One good state goes the quickest way; `call` takes everything else.
        """
        key = (model, output, formulation)
        direct = self.direct.get(key)
        if direct is None:
            direct = self.direct[key] = self.kernel(model, formulation=formulation).direct(output)
        value = direct(state)
        if value is not None:
            return value
        names = [socket.name for socket in self.kernel(model, formulation=formulation).inputs]
        given = dict(zip(names, state, strict=True))
        return self.call(model, formulation, given.pop("near", near), **given)[output]

    def refuse_unknown(self, asked: Asked) -> None:
        """Refuse what no model has; names are looked at by `program`, for what is in the cache is known."""
        if asked.model in BODIES_AND_JOINTS.features:
            raise BODIES_AND_JOINTS.error(self.name, asked.model)
        if asked.configuration:
            reason = "kernels of a robot of legs take its pose, from which everything follows: leave configuration out"
            raise UnsupportedRobotError(self.name, reason)

    def content(self, asked: Asked) -> str:
        """Everything that `_program` reads, as text: the whole description, what is carried, and what is asked for."""
        tables = (self._file.model_dump(), self.payload.model_dump())
        return repr(("robot", tables, asked.model, asked.formulation, asked.free, asked.by))

    def program(self, asked: Asked) -> Program:
        """The program of a model; refuses names that there are not."""
        from parakin.dynamics.leg_models import QUICK_MODELS, Options, leg_program
        from parakin.kinematics.forward import forward_program

        name, formulation, free, _, by = asked
        _refuse_names(asked)
        if name == FORWARD_KINEMATICS:
            if by:
                reason = "forward kinematics is a search: derive inverse_kinematics or platform_velocity, J_qv inverted"
                raise UnsupportedRobotError(self.name, reason)
            return forward_program(self._file, free)
        order = self._elimination_order() if name in QUICK_MODELS and not by else None
        return leg_program(name, self._file, Options(self.payload, formulation, free, order, by))

    def function(self, asked: Asked) -> ca.Function:
        """The expressions of a model as they are, without a status: closed forms in the pose."""
        from parakin.dynamics.leg_models import Options, symbolic_model
        from parakin.kinematics.model import plain_function

        name, formulation, free, _, by = asked
        _refuse_names(asked)
        if name == FORWARD_KINEMATICS:
            reason = "forward kinematics is a search: constrain q of inverse_kinematics, with the pose as a variable"
            raise UnsupportedRobotError(self.name, reason)
        model, moving = symbolic_model(name, self._file, Options(self.payload, formulation, free, by=by))
        if moving.z.shape[0]:
            raise CLOSED_FORM.error(self.name, "casadi")
        return plain_function(f"{self.name}_{name}", model, moving)

    def _elimination_order(self) -> Order | None:
        """In which J_qv^T can be eliminated without exchanges all over the box, if there is such an order."""
        if len(self.actuator_names) != self.degrees_of_freedom:
            return None
        from parakin.linalg.solve import good_order

        J = np.asarray(self.kernel("jacobian")(pose=self.sample(ORDER_POSES))["J_qv"])
        known = np.isfinite(J).all(axis=(-2, -1))
        return good_order(J[known].swapaxes(-2, -1)) if known.any() else None

    def kernel_for(
        self, model: str, formulation: str, given: Mapping[str, ArrayLike], by: tuple[str, ...] = ()
    ) -> Kernel:
        """The kernel of a model with the inputs that are given, those of FREE among them freed."""
        key = (model, formulation, *given, by)
        if key not in self.kernels:
            free = tuple(name for name in given if name in FREE and name in _can_be_free(model))
            self.kernels[key] = self.kernel(model, formulation=formulation, free=free, by=by)
        return self.kernels[key]

    def configuration(self, pose: ArrayLike, _near: ArrayLike | None) -> Array:
        """The pose itself, for everything follows from it."""
        return as_rows(self.name, "pose", pose, len(self.pose_names))

    def configurations(self, poses: Array, _near: ArrayLike | None) -> Array:
        """The poses themselves."""
        return as_rows(self.name, "poses", poses, len(self.pose_names))

    def limited_values(self, pose: ArrayLike, _near: ArrayLike | None) -> tuple[Array, Array]:
        """Actuator positions, and angles of passive joints where any has a limit."""
        q = self.kernel("inverse_kinematics")(pose=pose)["q"]
        free = np.empty((*q.shape[:-1], 0))
        return q, self.kernel("joint_coordinates")(pose=pose)["coordinate"] if self.joint_limits.any else free

    def condition(self, pose: ArrayLike, _near: ArrayLike | None) -> Array:
        """Condition numbers of J_qv, with rotations scaled by the robot's length."""
        return platform_condition(self, pose)

    def found_pose(self, q: ArrayLike, near: ArrayLike | None) -> Array:
        """The pose with these actuator positions."""
        return self.value(FORWARD_KINEMATICS, "pose", (self.home if near is None else near, q), None)

    def arrivals(self, q: Array, starts: int, seed: int) -> Arrivals:
        """Where forward kinematics ends, from home and from random poses of any orientation."""
        from parakin.assembly.search import Arrivals, comparable_poses, random_poses

        poses = random_poses(self.motion_type, self.home, self.box, starts, seed)
        near = np.concatenate([self.home[None], poses])
        found = self.evaluate(FORWARD_KINEMATICS, q=np.broadcast_to(q, (len(near), len(q))), near=near)
        good, length = found.has_values, self._file.length
        poses = found["pose"][good]
        places, home = (comparable_poses(self.motion_type, length, one) for one in (poses, self.home[None]))
        return Arrivals(poses, poses, found.residual[good], places, home[0]).once()

    def status(self, pose: ArrayLike, _near: ArrayLike | None) -> NDArray[np.int32]:
        """The Status of each pose, limits included. A single pose is refused only if it is not finite."""
        status = np.asarray(self.kernel("check")(pose=pose)["status"])
        return limits.judged(self, as_array(self.name, "pose", pose), status)

    def output(
        self, pose: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike, _near: ArrayLike | None
    ) -> OutputMotion:
        """The platform's frame E, which the pose says by itself; nothing is asked about the legs."""
        state = {"pose": pose, "velocity": velocity, "acceleration": acceleration}
        numbers = {name: as_array(self.name, name, part) for name, part in state.items()}
        for name, part in numbers.items():
            size = len(self.home) if name == "pose" else self.degrees_of_freedom
            if part.shape[-1:] != (size,):
                raise KernelInputError(self.name, name, f"an array (..., {size})", f"shape {part.shape}")
        diagnosis.refuse_off_unit_length(self, numbers["pose"])
        p, R = frame_at(self.motion_type, numbers["pose"])
        twist, twist_dot = (in_space(self.motion_type, numbers[name]) for name in ("velocity", "acceleration"))
        return OutputMotion(p, R, twist, twist_dot)

    def joint_wrenches(
        self, state: State, payload: Input, wrench: ArrayLike | None, near: ArrayLike | None, /
    ) -> JointWrenches:
        """Return what the joints of the machine's graph carry, for legs in closed form know no forces inside."""
        del near
        from parakin.robot.reactions import joint_wrenches

        return joint_wrenches(self, state, payload, wrench)

    def graph_state(self, state: State, /) -> GraphState:
        from parakin.robot.reactions import graph_state

        return graph_state(self, state)

    def led_from_home(self, poses: Array, /) -> Led:
        """Return the poses themselves, for everything follows from them."""
        rows = as_rows(self.name, "poses", poses, len(self.pose_names), table=True)
        status = np.asarray(self.kernel("check")(pose=rows)["status"])
        return Led(np.where((status == int(Status.GOOD))[:, None], rows, np.nan), status)

    def pose_of(self, configuration: ArrayLike, /) -> Array:
        """Return the configurations themselves."""
        return as_rows(self.name, "configuration", configuration, len(self.pose_names))

    def as_bodies_and_joints(self) -> MechanismDescription:
        """The robot as data of a mechanism file."""
        from parakin.mechanism import graph_of

        return graph_of(self._file)

    def parameters(self) -> tuple[Parameter, ...]:
        """Parameters of bodies, actuators, joints, and of what is carried."""
        from parakin.dynamics.parameters import parameters_of

        return parameters_of(self._file, self.payload)

    def linear_programs(self, estimated: Estimated) -> LinearPrograms:
        """What makes the programs of forces that are linear in some parameters."""
        from parakin.dynamics.linear_models import linear_programs

        return linear_programs(self._file, self.payload, estimated)

    def poses_with(self, q: Array, near: Array) -> PosesFound:
        """The poses with these actuator positions, by forward kinematics."""
        found = self.kernel(FORWARD_KINEMATICS)(near=near, q=q)
        return PosesFound(found["pose"], found["pose"], np.asarray(found["status"], np.int32))

    def unit_length(self, configurations: Array) -> Array:
        """Poses whose quaternions are of unit length."""
        rows = as_rows(self.name, "configurations", configurations, len(self.pose_names))
        return unit_length(self.motion_type, rows)

    def known_forces(self, _pose: Array, _near: Array | None) -> Array | float:
        """Nothing: robots of legs have no springs."""
        return 0.0

    def spin_inertia(self, owner: str, /) -> float:
        """Ixx in the file of a body with open spin."""
        for name, (_, _, body) in zip(body_names(self._file), leg_bodies(self.legs), strict=False):
            if name == owner:
                return float(body.inertia[0][0])
        raise KeyError(owner)

    def changed_tables(self, parameters: Array, source: str) -> dict[str, object]:
        """Legs and platform with other parameters."""
        from parakin.robot.leg_parameters import changed_tables

        return changed_tables(self._file, self.legs, parameters, source)


def _refuse_names(asked: Asked) -> None:
    """Refuse a model, a formulation or an input that there is not."""
    from parakin.dynamics.formulations import FORMULATIONS
    from parakin.dynamics.leg_models import MODELS

    for kind, wanted, known in (
        ("model", (asked.model,), (FORWARD_KINEMATICS, *MODELS)),
        ("formulation", (asked.formulation,), tuple(FORMULATIONS)),
        ("input to free", asked.free, _can_be_free(asked.model)),
    ):
        for one in wanted:
            if one not in known:
                raise UnknownNameError(kind, one, known)


def _can_be_free(model: str) -> tuple[str, ...]:
    from parakin.dynamics.leg_models import LEG_FORCE_MODELS, LEG_MOTION_MODELS

    if model in LEG_FORCE_MODELS:
        return tuple(FREE)
    return (GEOMETRY, DIRECTIONS, BRANCHES) if model in LEG_MOTION_MODELS else (BRANCHES,)
