"""A model that MuJoCo compiled, as `mjcf_child` prints it: names and numbers by MuJoCo's indices, checked once here."""

from __future__ import annotations

from dataclasses import dataclass

from parakin.description.values import Number, Table, Vector
from parakin.mechanism.readers.xml_text import Element

Pair = tuple[Number, Number]
"""Two numbers, the ends of a range."""
Quaternion = tuple[Number, Number, Number, Number]
"""A turn, (w, x, y, z)."""


class MjBody(Table):
    """A body of a compiled model."""

    name: str
    """Its name, empty if it has none."""
    parent: int
    """Index of the body that carries it."""
    pos: Vector
    """Its place on the parent [m]."""
    quat: Quaternion
    """Its turn there."""
    mass: Number
    """Mass [kg]."""
    ipos: Vector
    """Centre of mass [m]."""
    iquat: Quaternion
    """Turn of the axes of inertia."""
    inertia: Vector
    """Principal moments [kg m^2]."""
    mocap: int
    """Index among mocap bodies; -1 for others."""
    gravcomp: Number
    """Share of gravity that is compensated."""


class MjJoint(Table):
    """A joint of a compiled model."""

    name: str
    """Its name, empty if it has none."""
    type: int
    """Its kind, mjJNT_..."""
    body: int
    """Index of the body that it moves."""
    pos: Vector
    """Its place on that body [m]."""
    axis: Vector
    """Its axis there."""
    limited: bool
    """Whether it has limits."""
    range: Pair
    """Its limits [rad or m]."""
    stiffness: Number
    """Stiffness of its spring [N m/rad or N/m]."""
    address: int
    """Where its coordinates begin in qpos."""
    force_limited: bool
    """Whether the sum of motor forces on it is limited."""
    force_range: Pair
    """The limits of that sum."""
    armature: Number
    """Inertia of its rotor as the joint feels it [kg m^2 or kg]."""
    damping: Number
    """Viscous friction."""
    friction: Number
    """Coulomb friction."""


class MjEquality(Table):
    """An equality constraint of a compiled model."""

    name: str
    """Its name, empty if it has none."""
    type: int
    """Its kind, mjEQ_..."""
    active: bool
    """Whether it holds when a simulation starts."""
    of: int
    """What its ends are, mjOBJ_..."""
    ends: tuple[int, int]
    """Indices of the two bodies, sites, joints or tendons; -1 for none."""
    data: tuple[Number, ...]
    """Its numbers, by kind."""


class MjSite(Table):
    """A site of a compiled model."""

    name: str
    """Its name, empty if it has none."""
    body: int
    """Index of its body."""
    pos: Vector
    """Its place there [m]."""
    quat: Quaternion
    """Its turn there."""


class MjActuator(Table):
    """An actuator of a compiled model."""

    name: str
    """Its name, empty if it has none."""
    transmission: int
    """What it acts on, mjTRN_..."""
    target: int
    """Index of that."""
    gear: tuple[Number, ...]
    """How much faster it goes than its target."""
    gain: tuple[Number, ...]
    """Parameters of its gain."""
    gain_type: int
    """Kind of its gain, mjGAIN_..."""
    bias: tuple[Number, ...]
    """Parameters of its feedback."""
    bias_type: int
    """Kind of its feedback, mjBIAS_..."""
    dynamics: int
    """Kind of its activation, mjDYN_..."""
    group: int
    """The group it belongs to, which the file may disable."""
    force_limited: bool
    """Whether its force is limited."""
    force_range: Pair
    """Limits of its force."""
    control_limited: bool
    """Whether its control signal is limited."""
    control_range: Pair
    """Limits of its control signal."""
    armature: Number
    """Inertia of its rotor on its own side of the gear."""
    damping: Number
    """Its viscous friction on its own side of the gear."""
    curved: bool
    """Whether its friction has quadratic or cubic terms too."""
    signals: int
    """How many control signals it takes; 0 for one that is passive."""
    delay: Number
    """By how much its signals come late [s]."""


class MjTendon(Table):
    """A tendon of a compiled model."""

    name: str
    """Its name, empty if it has none."""
    joints: tuple[tuple[int, Number], ...] | None
    """Joint and factor of each term of a fixed tendon; None of one that runs through sites."""
    acts: bool
    """Whether it has stiffness, damping, friction or inertia."""
    limited: bool
    """Whether its length is limited."""
    force_limited: bool
    """Whether the sum of motor forces on it is limited."""
    force_range: Pair
    """The limits of that sum."""


class MjStart(Table):
    """A configuration in which the model may start."""

    name: str
    """Name of the key frame; empty for the zero pose."""
    qpos: tuple[Number, ...]
    """Its coordinates."""
    open: Number
    """How far equality constraints are from holding there [m or rad]."""


class MjModel(Table):
    """A compiled model."""

    gravity: Vector
    """Acceleration of free fall [m/s^2]."""
    off: tuple[str, ...]
    """Flags that the file disables and that change the mechanism: spring, damper, equality and the like."""
    motors_compensate: bool
    """Whether motors of some joints carry the compensation of gravity (actuatorgravcomp)."""
    silent_groups: int
    """Groups of actuators that the file disables, one bit each."""
    fluid: Pair
    """Density and viscosity of what is around the bodies."""
    bodies: tuple[MjBody, ...]
    """Its bodies, the world first."""
    joints: tuple[MjJoint, ...]
    """Its joints."""
    equalities: tuple[MjEquality, ...]
    """Its equality constraints."""
    sites: tuple[MjSite, ...]
    """Its sites."""
    actuators: tuple[MjActuator, ...]
    """Its actuators."""
    tendons: tuple[MjTendon, ...]
    """Its tendons."""
    curved: tuple[int, ...]
    """Joints whose springs or dampers are not linear."""
    qpos0: tuple[Number, ...]
    """Coordinates of the zero pose."""
    rest: tuple[Number, ...]
    """Coordinates at which springs are slack."""
    starts: tuple[MjStart, ...]
    """Where it may start, the zero pose first."""
    codes: dict[str, int]
    """What MuJoCo's numbers mean, by name."""
    explicit: tuple[int, ...]
    """Bodies whose inertia the file gives."""
    balanced: tuple[int, ...]
    """Those of them whose principal moments no body has, and that have got their mean."""
    bounds: Pair
    """Least mass [kg] and least moment of inertia [kg m^2] that MuJoCo gives bodies; 0 for none."""


@dataclass(frozen=True)
class Compiled:
    """A compiled model, and the names that its things have here."""

    numbers: MjModel
    """What MuJoCo computed."""
    bodies: tuple[str, ...]
    """Names of its bodies by MuJoCo's index; BASE for the world."""
    joints: tuple[str, ...]
    """Names of its joints by MuJoCo's index."""
    lines: dict[tuple[str, str], Element]
    """Elements of the file by kind and name."""

    def place(self, kind: str, name: str) -> str:
        """Return where something stands in the file."""
        element = self.lines.get((kind, name))
        return f"{kind} '{name}'" if element is None else f"{kind} '{name}' in line {element.line} of {element.file}"

    def code(self, name: str) -> int:
        """Return one of MuJoCo's numbers for a kind, such as mjJNT_HINGE; -1 where MuJoCo has none."""
        return self.numbers.codes.get(name, -1)

    def coordinate(self, joint: int) -> float:
        """Return the coordinate of a joint at the zero pose."""
        return self.numbers.qpos0[self.numbers.joints[joint].address]

    def freedom(self, joint: int) -> tuple[str, str]:
        """Return the names of a joint that turns or slides and of its freedom."""
        slides = self.numbers.joints[joint].type == self.code("mjJNT_SLIDE")
        return self.joints[joint], "travel" if slides else "angle"
