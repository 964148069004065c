"""What every robot has, and what a kind of robot does its own way: legs and platform, or bodies and joints.

`robot.legs` fulfils this for robots of legs, `robot.mechanism_core` for mechanisms. On top of it, the methods of a
robot are written once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.arrays import Array
from parakin.description import Leg, RobotDescription
from parakin.dynamics.payload import Payload
from parakin.errors import PoseError
from parakin.motions import MotionType
from parakin.robot.actuators import ActuatorData
from parakin.robot.evaluation import Evaluation
from parakin.robot.limits import Bounds
from parakin.robot.results import JointWrenches, OutputMotion, PosesFound

if TYPE_CHECKING:
    import casadi as ca

    from parakin.dynamics.linear_models import Estimated, LinearPrograms
    from parakin.dynamics.mechanics import Acting
    from parakin.dynamics.parameters import Parameter
    from parakin.dynamics.placed import Placed
    from parakin.kernels import Kernel, Program
    from parakin.kinematics.dimensions import Dimension
    from parakin.kinematics.joint_table import JointAngle
    from parakin.mechanism import MechanismDescription
    from parakin.robot.many_starts import Arrivals
    from parakin.robot.mechanism import Mechanism

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


class Kind(ABC):
    """A robot's names and numbers, and how its models are made and evaluated.

    What is of legs alone (`description`, `joint_table`, dimensions) is refused by a mechanism, in words.
    """

    _place_input: ClassVar[Literal["pose", "configuration"]]
    """What programs of `_linear_programs` take for where the robot is."""
    _joint_outputs: ClassVar[tuple[str, str, str]]
    """What the model "joints" calls coordinates, rates and accelerations."""
    description: RobotDescription
    """The robot file."""
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
    motion_type: MotionType
    """Its motion as an object: coordinates, units, how poses are stepped and compared. That of a mechanism is made of
    its independent coordinates; one whose pose has only some components of a ball's angular velocity has none."""
    degrees_of_freedom: int
    """Degrees of freedom n: how many numbers a velocity has."""
    place_names: tuple[str, ...]
    """Names of the numbers of a place, from which all follows without a search: see `dynamics.placed`."""
    place_units: tuple[str, ...]
    """Unit of each number of a place; 1 for those of quaternions."""
    place_is_pose: bool
    """Whether everything follows from a pose in closed form, so that a place is nothing else."""
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
    body_names: tuple[str, ...]
    """Names of the bodies: leg1.arm, ..., platform.plate."""
    length: float
    """A length that makes angles and lengths comparable [m]: the robot file's, or the size of a mechanism."""
    home: Array
    """The pose in the middle of its workspace; read-only."""
    box: tuple[Array, Array]
    """Smallest and largest offsets from home of its workspace; read-only."""
    joint_table: tuple[JointAngle, ...]
    """Every passive joint angle with its limits."""
    joint_names: tuple[str, ...]
    """Names of the passive joint angles: leg1.forearm.joint, or .joint.1 and .joint.2 of a universal one; every freedom
    of every joint of a mechanism, joint.freedom."""
    coordinate_names: tuple[str, ...]
    """Names of what `joints` gives as coordinates: `joint_names`, but .qw, .qx, .qy, .qz of a mechanism's ball."""
    strokes: Bounds
    """Strokes of the actuators."""
    joint_limits: Bounds
    """Limits of the passive joint angles."""
    geometry_table: tuple[Dimension, ...]
    """Every dimension of the legs with name, unit and value."""
    geometry_names: tuple[str, ...]
    """Names of the dimensions."""
    geometry: Array
    """Values of the dimensions [m, rad], which free=("geometry",) makes an input; read-only."""
    direction_names: tuple[str, ...]
    """Names of the components of directions: of axes, rails and references."""
    directions: Array
    """Components of the directions, which free=("directions",) makes an input; of unit length here, of any length in a
    call; read-only."""

    @abstractmethod
    def _places(self, pose: ArrayLike, /) -> Array:
        """The places of poses; NaN where the robot cannot be."""

    @abstractmethod
    def _placed(self, acting: Acting, p: ca.SX | None, payload: ca.SX | None, /, *, surely: bool) -> Placed:
        """What `placed` returns."""

    @abstractmethod
    def _as_toml(self) -> str:
        """The robot's file."""

    @abstractmethod
    def _replaced(self, changes: dict[str, object]) -> Self:
        """A variant with other values in the top table of the file."""

    @abstractmethod
    def _carrying(self, payload: Payload) -> Self:
        """The robot with this payload."""

    @abstractmethod
    def _sampled(self, count: int, seed: int) -> Array:
        """Poses of the box."""

    @abstractmethod
    def _legs_only(self, what: str, instead: str) -> None:
        """Refuse what only a robot of legs has, if this is none; instead: what to use."""

    @abstractmethod
    def _given(self, model: str, inputs: dict[str, Input], near: ArrayLike | None, /) -> dict[str, ArrayLike]:
        """What a model is given, as numbers, with what a search begins from if it needs that."""

    @abstractmethod
    def _outputs(
        self, model: str, formulation: str, given: Mapping[str, ArrayLike], by: tuple[str, ...] = ()
    ) -> dict[str, Array]:
        """The outputs of a model for what is given, and their derivatives by some inputs."""

    @abstractmethod
    def _evaluated(self, model: str, formulation: str, given: dict[str, ArrayLike]) -> Evaluation:
        """What `evaluate` returns."""

    @abstractmethod
    def _error(self, given: Mapping[str, ArrayLike], out: Mapping[str, Array]) -> PoseError:
        """The error for a single state that is not GOOD."""

    @abstractmethod
    def _refuse_beyond(self, pose: Array, q: Array, near: ArrayLike | None, /) -> None:
        """Raise for a single pose at which an actuator or a passive joint is beyond its limits."""

    @abstractmethod
    def _recorded(self, poses: Array) -> dict[str, Array]:
        """What a kernel's inputs may be, at poses (count, coordinates)."""

    @abstractmethod
    def _matrices(self, name: str, /) -> tuple[str, ...]:
        """Inputs and outputs of a model that stay matrices if they have one column."""

    @abstractmethod
    def _refuse_unknown(self, asked: Asked) -> None:
        """Refuse what no model of this kind of robot has."""

    @abstractmethod
    def _content(self, asked: Asked) -> str:
        """Everything that `_program` reads, as text: the whole description, what is carried, and what is asked for."""

    @abstractmethod
    def _program(self, asked: Asked) -> Program:
        """The program of a model."""

    @abstractmethod
    def _function(self, asked: Asked) -> ca.Function:
        """The expressions of a model as they are, for solvers that find the configuration themselves."""

    @abstractmethod
    def _configuration(self, pose: ArrayLike, near: ArrayLike | None, /) -> Array:
        """What searches for neighbouring poses start from."""

    @abstractmethod
    def _configurations(self, poses: Array, near: ArrayLike | None, /) -> Array:
        """What searches along a motion start from, the search at each pose begun at what the one before found."""

    @abstractmethod
    def _limited_values(self, pose: ArrayLike, near: ArrayLike | None, /) -> tuple[Array, Array]:
        """What `strokes` bounds and what `joint_limits` bounds, at poses."""

    @abstractmethod
    def _condition(self, pose: ArrayLike, near: ArrayLike | None, /) -> Array:
        """What `condition` returns."""

    @abstractmethod
    def _found_pose(self, q: ArrayLike, near: ArrayLike | None) -> Array:
        """The pose with these actuator positions."""

    @abstractmethod
    def _arrivals(self, q: Array, starts: int, seed: int) -> Arrivals:
        """Where forward kinematics for actuator positions (m,) ends, from home and from random starts."""

    @abstractmethod
    def _status(self, pose: ArrayLike, near: ArrayLike | None, /) -> NDArray[np.int32]:
        """The Status of each pose, limits included."""

    @abstractmethod
    def _output(
        self, pose: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike, near: ArrayLike | None, /
    ) -> OutputMotion:
        """The frame of the platform, or of a mechanism's output, in motion."""

    @abstractmethod
    def _joint_wrenches(
        self, graph: Mechanism, state: State, payload: Input, wrench: ArrayLike | None, near: ArrayLike | None, /
    ) -> JointWrenches:
        """What every joint of the robot as a graph carries at states of the robot."""

    @abstractmethod
    def _as_graph(self) -> Mechanism:
        """The robot as a mechanism of bodies and joints."""

    @abstractmethod
    def _as_bodies_and_joints(self) -> MechanismDescription:
        """The robot as data of a mechanism file."""

    @abstractmethod
    def _parameters(self) -> tuple[Parameter, ...]:
        """Every dynamic parameter."""

    # What identification asks --------------------------------------------------------------------------------------

    @abstractmethod
    def _linear_programs(self, estimated: Estimated, /) -> LinearPrograms:
        """What makes the programs of forces that are linear in some parameters; they take `_place_input`."""

    @abstractmethod
    def _run(self, kernel: Kernel, given: Mapping[str, ArrayLike], /) -> dict[str, Array]:
        """The outputs of a kernel of this robot, in which vectors of one entry keep their axis."""

    @abstractmethod
    def _poses_with(self, q: Array, near: Array, /) -> PosesFound:
        """The poses with actuator positions (N, m), each searched for from one of the configurations (N, c)."""

    @abstractmethod
    def _unit_length(self, configurations: Array, /) -> Array:
        """Configurations (..., c) with quaternions in them divided by their lengths."""

    @abstractmethod
    def _known_forces(self, pose: Array, near: Array | None, /) -> Array | float:
        """What no parameter changes of tau: forces of springs (..., m)."""

    @abstractmethod
    def _spin_inertia(self, owner: str, /) -> float:
        """Inertia about its line of a body of which only mass, centre along the line and inertia across it count."""

    @abstractmethod
    def _changed_tables(self, parameters: Array, source: str, /) -> dict[str, object]:
        """What changes in the file where other parameters, without a payload's, take the place of its own."""
