"""What computes with a machine: its names and numbers, its kernels, and how its models are made and evaluated.

`Robot` owns one engine and is the only class that uses it. Today there are two, `leg_engine` for legs that close in
closed form and `graph_engine` for bodies and joints. No code outside this package knows which of them a robot has.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.arrays import Array
from parakin.description import Leg, RobotDescription
from parakin.description.model import Tool
from parakin.dynamics.choices import DEFAULT, FREE
from parakin.dynamics.payload import Payload, mass_alone
from parakin.errors import PoseError
from parakin.kernels.ports import names_of
from parakin.kernels.threads import COMPILING
from parakin.kinematics.status import Status
from parakin.motions import MotionType
from parakin.motions.offsets import sampled
from parakin.robot.actuators import ActuatorData
from parakin.robot.limits import Bounds
from parakin.robot.results import Evaluation, GraphState, JointWrenches, OutputMotion, PosesFound

if TYPE_CHECKING:
    import casadi as ca

    from parakin.assembly.search import Arrivals
    from parakin.dynamics.equation import EquationOfMotion
    from parakin.dynamics.linear_models import Estimated, LinearPrograms
    from parakin.dynamics.mechanics import Acting
    from parakin.dynamics.parameters import Parameter
    from parakin.kernels import Derivation, Kernel, Program
    from parakin.kernels.state_calls import Direct
    from parakin.mechanism import MechanismDescription, Plan
    from parakin.robot.graph_engine import GraphEngine
    from parakin.robot.leading import Led

STACKED = frozenset({"bodies", "body_frames", "named_frames"})
"""Models that give R of every body, one below the other."""
_GOOD = int(Status.GOOD)
"""As a plain number: comparing arrays with an enumeration takes longer than a whole model."""
Input = Payload | ArrayLike | None
"""What a method takes for an input of a model: numbers, a payload, or None where it is not given."""
State = tuple[ArrayLike, ArrayLike, ArrayLike]
"""Pose, velocity and acceleration."""


class Asked(NamedTuple):
    """What a kernel is asked to be."""

    model: str
    """Name of the model."""
    formulation: str
    """The formulation of inverse dynamics."""
    free: tuple[str, ...]
    """What is freed."""
    configuration: bool
    """Whether it takes a configuration in place of a pose."""
    by: tuple[str, ...]
    """Inputs by which its outputs are derived too."""


class MachineData:
    """Names and numbers of a machine, known before anything is derived. Robots and their engines have them."""

    payload: Payload
    """What the robot carries; `with_payload` gives a robot that carries something else."""
    name: str
    """Its short name."""
    title: str
    """What it is, in a few words."""
    pose_names: tuple[str, ...]
    """Names of the numbers of a pose: x, y, z, ..., or the independent coordinates of a mechanism, joint.freedom."""
    pose_units: tuple[str, ...]
    """Unit of each number of a pose."""
    motion: str
    """The name of its platform motion; "joints" of a mechanism."""
    coordinates: MotionType
    """Coordinates, units and offsets of its poses as an object: how they are stepped and compared."""
    loose_turns: tuple[str, ...]
    """Numbers of a pose that are some components of a spherical joint's angular velocity: rates of no coordinate."""
    degrees_of_freedom: int
    """Degrees of freedom n: how many numbers a velocity has."""
    place_names: tuple[str, ...]
    """Names of the numbers of a place, from which all follows without a search: see `dynamics.equation`."""
    place_units: tuple[str, ...]
    """Unit of each number of a place; 1 for those of quaternions."""
    place_is_pose: bool
    """Whether everything follows from a pose in closed form, so that a place is nothing else."""
    searches_from_near: bool
    """Whether the configuration of a pose is searched for from a neighbouring one, which methods take as `near`."""
    wrench_size: int
    """How many numbers an external wrench has: n, or force and moment on a mechanism's output."""
    legs: tuple[Leg, ...]
    """Its legs, written out; a mechanism has none."""
    actuators: tuple[ActuatorData, ...]
    """Its actuators, leg by leg, or joint by joint; in the order of `actuator_names`."""
    actuator_names: tuple[str, ...]
    """Names of the actuators: leg1.arm, ..., or driven freedoms of a mechanism, joint.freedom."""
    actuator_units: tuple[str, ...]
    """Units of the actuators' forces, N or N m."""
    element_names: tuple[str, ...]
    """Names of the kinematic elements: leg1.arm, leg1.forearm, ..."""
    frame_names: tuple[str, ...]
    """Names of the frames that can be asked for: "output", those of the file's `frames`, and "tool" if it has one."""
    output_name: str
    """What carries the output frame, in words."""
    tool: Tool | None
    """The tool's frame in E, or in the output frame of a mechanism, where the file has one."""
    body_names: tuple[str, ...]
    """Names of the bodies: leg1.arm, ..., platform.plate."""
    length: float
    """A length that makes angles and lengths comparable [m]: the file's; a mechanism's size where it gives none."""
    home: Array
    """The pose in the middle of its workspace; read-only."""
    home_configuration: Array
    """The configuration at home; read-only."""
    box: tuple[Array, Array]
    """Smallest and largest offsets from home of its workspace; read-only."""
    joint_names: tuple[str, ...]
    """Names of the passive joint angles: leg1.forearm.joint, or .joint.1 and .joint.2 of a universal one; every freedom
    of every joint of a mechanism, joint.freedom."""
    coordinate_names: tuple[str, ...]
    """Names of what `joints` gives as coordinates: `joint_names`, but .qw, .qx, .qy, .qz of a mechanism's ball; last
    joint.cone of its joints that have one."""
    strokes: Bounds
    """Strokes of the actuators."""
    joint_limits: Bounds
    """Limits of the passive joint angles."""


class Engine(MachineData, ABC):
    """A machine that does not change, with its kernels, each compiled when first used.

    What its kind of machine lacks raises a CapabilityError that says what to use.
    """

    place_input: ClassVar[Literal["pose", "configuration"]]
    """What programs of `linear_programs` take for where the robot is."""
    numbers: ClassVar[frozenset[str] | None]
    """Inputs and outputs of kernels that are one number a state; None where no vector has one entry."""

    def __init__(self) -> None:
        self.kernels: dict[tuple[object, ...], Kernel] = {}
        self.direct: dict[tuple[str, str, str], Direct] = {}

    # What the machine is -------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def source(self) -> RobotDescription | MechanismDescription:
        """The file that describes the machine, as data."""

    @property
    @abstractmethod
    def independent(self) -> tuple[str, ...] | None:
        """The coordinates that make up a pose, where they were chosen in place of the file's."""

    @property
    @abstractmethod
    def summary(self) -> str:
        """What the machine is, in a line."""

    @abstractmethod
    def leg_file(self, what: str, /) -> RobotDescription:
        """Return the file of legs and platform for a feature; raise its CapabilityError where there is none."""

    @property
    @abstractmethod
    def motion_type(self) -> MotionType:
        """The motion of its poses, in which motions can be given."""

    @property
    @abstractmethod
    def plan(self) -> Plan:
        """How the loops of bodies and joints are computed."""

    @property
    @abstractmethod
    def graph(self) -> GraphEngine:
        """The machine of bodies and joints: itself, or one whose pose are positions of the motors."""

    @property
    @abstractmethod
    def by_motors(self) -> GraphEngine:
        """The machine of bodies and joints whose pose are the coordinates of its motors."""

    # Kernels -------------------------------------------------------------------------------------------------------

    def kernel(
        self,
        name: str,
        *,
        formulation: str = DEFAULT,
        free: Iterable[str] = (),
        configuration: bool = False,
        by: Iterable[str] = (),
    ) -> Kernel:
        """Return the compiled model behind a method: see `Robot.kernel`."""
        key = (name, formulation, tuple(free), configuration, names_of(by))
        if key in self.kernels:
            return self.kernels[key]
        same = asked_for(*key)
        self.refuse_unknown(same)
        with COMPILING:
            from parakin.kernels import Derivation

            if same not in self.kernels:
                derivation = Derivation(self.content(same), lambda: self.program(same))
                self.kernels[same] = self.kernel_of(derivation, self.matrices(name))
            self.kernels[key] = self.kernels[same]
            return self.kernels[key]

    def kernel_of(self, derivation: Derivation, matrices: tuple[str, ...] = ()) -> Kernel:
        """Return the kernel of a derivation, in which vectors of one entry keep their axis."""
        from parakin.kernels import Kernel

        return Kernel(derivation, status="status", matrices=matrices, numbers=self.numbers)

    def evaluate(
        self, model: str, *, formulation: str = DEFAULT, near: ArrayLike | None = None, **inputs: Input
    ) -> Evaluation:
        """Return the values of a model with a status for each state: see `Robot.evaluate`."""
        return self.evaluated(model, formulation, self.given(model, inputs, near))

    def call(
        self, model: str, formulation: str = DEFAULT, near: ArrayLike | None = None, **inputs: Input
    ) -> dict[str, Array]:
        """Return the outputs of a model, by name; a single state that is no good raises."""
        given = self.given(model, inputs, near)
        out = self.outputs(model, formulation, given)
        status = out["status"]
        if status.ndim == 0 and int(status) != _GOOD:
            raise self.error(given, out)
        return out

    @abstractmethod
    def value(
        self,
        model: str,
        output: str,
        state: tuple[ArrayLike, ...],
        near: ArrayLike | None,
        formulation: str = DEFAULT,
    ) -> Array:
        """Return one output of a model that is given nothing but the state."""

    def sample(self, count: int, seed: int = 0) -> Array:
        """Return poses (count, coordinates) drawn from the box around home."""
        return sampled(self.coordinates, self.home, self.box, count, seed)

    # What each engine does its own way -----------------------------------------------------------------------------

    @abstractmethod
    def joint_wrenches(
        self, state: State, payload: Input, wrench: ArrayLike | None, near: ArrayLike | None, /
    ) -> JointWrenches:
        """Return what every joint of bodies and joints carries."""

    @abstractmethod
    def graph_state(self, state: State, /) -> GraphState:
        """Return states as those of bodies and joints, with configurations to search from."""

    @abstractmethod
    def led_from_home(self, poses: Array, /) -> Led:
        """Return the configurations (N, c) to which straight paths from home lead, and their statuses."""

    @abstractmethod
    def pose_of(self, configuration: ArrayLike, /) -> Array:
        """Return the poses of configurations."""

    @abstractmethod
    def places(self, pose: ArrayLike, /) -> Array:
        """The places of poses; NaN where the robot cannot be."""

    @abstractmethod
    def placed(self, acting: Acting, p: ca.SX | None, payload: ca.SX | None, /, *, surely: bool) -> EquationOfMotion:
        """What `placed` returns."""

    @abstractmethod
    def as_toml(self) -> str:
        """Return the text of the machine's file."""

    @abstractmethod
    def changed(self, changes: dict[str, object]) -> RobotDescription | MechanismDescription:
        """Return the file with other values in its top table."""

    @abstractmethod
    def given(self, model: str, inputs: dict[str, Input], near: ArrayLike | None, /) -> dict[str, ArrayLike]:
        """What a model is given, as numbers, with what a search begins from if it needs that."""

    @abstractmethod
    def outputs(
        self, model: str, formulation: str, given: Mapping[str, ArrayLike], by: tuple[str, ...] = ()
    ) -> dict[str, Array]:
        """The outputs of a model for what is given, and their derivatives by some inputs."""

    @abstractmethod
    def evaluated(self, model: str, formulation: str, given: dict[str, ArrayLike]) -> Evaluation:
        """What `evaluate` returns."""

    @abstractmethod
    def error(self, given: Mapping[str, ArrayLike], out: Mapping[str, Array]) -> PoseError:
        """The error for a single state that is not GOOD."""

    @abstractmethod
    def refuse_beyond(self, pose: Array, q: Array, near: ArrayLike | None, /) -> None:
        """Raise for a single pose at which an actuator or a passive joint is beyond its limits."""

    @abstractmethod
    def recorded(self, poses: Array) -> dict[str, Array]:
        """What a kernel's inputs may be, at poses (count, coordinates)."""

    @abstractmethod
    def matrices(self, name: str, /) -> tuple[str, ...]:
        """Inputs and outputs of a model that stay matrices if they have one column."""

    @abstractmethod
    def refuse_unknown(self, asked: Asked) -> None:
        """Refuse what no model of this kind of robot has."""

    @abstractmethod
    def content(self, asked: Asked) -> str:
        """Everything that `_program` reads, as text: the whole description, what is carried, and what is asked for."""

    @abstractmethod
    def program(self, asked: Asked) -> Program:
        """The program of a model."""

    @abstractmethod
    def function(self, asked: Asked) -> ca.Function:
        """The expressions of a model as they are, for solvers that find the configuration themselves."""

    @abstractmethod
    def configuration(self, pose: ArrayLike, near: ArrayLike | None, /) -> Array:
        """What searches for neighbouring poses start from."""

    @abstractmethod
    def configurations(self, poses: Array, near: ArrayLike | None, /) -> Array:
        """What searches along a motion start from, the search at each pose begun at what the one before found."""

    @abstractmethod
    def limited_values(self, pose: ArrayLike, near: ArrayLike | None, /) -> tuple[Array, Array]:
        """What `strokes` bounds and what `joint_limits` bounds, at poses."""

    @abstractmethod
    def condition(self, pose: ArrayLike, near: ArrayLike | None, /) -> Array:
        """What `condition` returns."""

    @abstractmethod
    def found_pose(self, q: ArrayLike, near: ArrayLike | None) -> Array:
        """The pose with these actuator positions."""

    @abstractmethod
    def arrivals(self, q: Array, starts: int, seed: int) -> Arrivals:
        """Where forward kinematics for actuator positions (m,) ends, from home and from random starts."""

    @abstractmethod
    def status(self, pose: ArrayLike, near: ArrayLike | None, /) -> NDArray[np.int32]:
        """The Status of each pose, limits included."""

    @abstractmethod
    def output(
        self, pose: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike, near: ArrayLike | None, /
    ) -> OutputMotion:
        """The frame of the platform, or of a mechanism's output, in motion."""

    @abstractmethod
    def as_bodies_and_joints(self) -> MechanismDescription:
        """The robot as data of a mechanism file."""

    @abstractmethod
    def parameters(self) -> tuple[Parameter, ...]:
        """Every dynamic parameter."""

    # What identification asks --------------------------------------------------------------------------------------

    @abstractmethod
    def linear_programs(self, estimated: Estimated, /) -> LinearPrograms:
        """What makes the programs of forces that are linear in some parameters; they take `_place_input`."""

    @abstractmethod
    def poses_with(self, q: Array, near: Array, /) -> PosesFound:
        """The poses with actuator positions (N, m), each searched for from one of the configurations (N, c)."""

    @abstractmethod
    def unit_length(self, configurations: Array, /) -> Array:
        """Configurations (..., c) with quaternions in them divided by their lengths."""

    @abstractmethod
    def known_forces(self, pose: Array, near: Array | None, /) -> Array | float:
        """What no parameter changes of tau: forces of springs (..., m)."""

    @abstractmethod
    def spin_inertia(self, owner: str, /) -> float:
        """Inertia about its line of a body of which only mass, centre along the line and inertia across it count."""

    @abstractmethod
    def changed_tables(self, parameters: Array, source: str, /) -> dict[str, object]:
        """What changes in the file where other parameters, without a payload's, take the place of its own."""


def asked_for(model: str, formulation: str, free: Iterable[str], configuration: bool, by: Iterable[str]) -> Asked:
    """Return what is asked of a kernel, in one order; inputs by which it is derived are freed where they can be."""
    inputs = names_of(by)
    freed = {*free, *(name for name in inputs if name in FREE)}
    return Asked(model, formulation, tuple(sorted(freed)), configuration, inputs)


def given_numbers(inputs: Mapping[str, Input]) -> dict[str, ArrayLike]:
    """Return what of the inputs is there; a payload as its ten numbers."""
    payload = inputs.get("payload")
    if payload is not None and not isinstance(payload, Payload) and np.ndim(payload) == 0:
        raise mass_alone(payload)
    return {
        name: value.about_E if isinstance(value, Payload) else value
        for name, value in inputs.items()
        if value is not None
    }


def shaped(model: str, values: dict[str, Array]) -> dict[str, Array]:
    """Return outputs as arrays of more than two dimensions, where kernels have matrices: R of every body."""
    if model in STACKED:
        R = values["R"]
        values["R"] = R.reshape(*R.shape[:-2], R.shape[-2] // 3, 3, 3)
    return values
