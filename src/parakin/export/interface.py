"""A law in C is called with structs: their members, each with its unit and its place in the law."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from parakin.control import Law, Wanted
from parakin.control.definition import quantity_sizes
from parakin.control.units import unit_of
from parakin.errors import CExportError
from parakin.kernels.c_single import literal
from parakin.kernels.c_source import c_names


@dataclass(frozen=True)
class Member:
    """A member of a C struct: a number, or an array of numbers."""

    name: str
    """Name in C."""
    shape: tuple[int, ...]
    """(n,), or (rows, columns) of a matrix that C has row by row."""
    unit: str
    """Unit of all numbers, or one for each, separated by commas; 1 for none."""
    meaning: str
    """What the numbers are, in a few words."""
    values: tuple[float, ...] = ()
    """Defaults, which gains have."""
    real: str = "double"
    """Type of a number in C."""

    @property
    def size(self) -> int:
        """How many numbers the member has."""
        return self.shape[0] * (self.shape[1] if len(self.shape) == 2 else 1)

    @property
    def declaration(self) -> str:
        """The C declaration without its semicolon, such as `double q[4]`."""
        return f"{self.real} {self.name}" + (f"[{self.size}]" if self.size > 1 else "")

    def address(self, struct: str) -> str:
        """Return the C expression for the address of its first number; struct is the way there, such as `state->`."""
        return f"{struct}{self.name}" if self.size > 1 else f"&{struct}{self.name}"

    def initializer(self, values: Sequence[float]) -> str:
        """Return numbers as a C initialiser of this member."""
        return self.braced(values) if self.size > 1 else self.braced(values)[1:-1]

    def braced(self, values: Sequence[float]) -> str:
        """Return numbers in braces, each as a C constant of this member's type."""
        return f"{{{', '.join(map(literal if self.real == 'float' else repr, values))}}}"


@dataclass(frozen=True)
class Struct:
    """A C type of an exported controller."""

    kind: str
    """Last part of the type's name, `<controller>_<kind>`."""
    meaning: str
    """What the struct holds, in a few words."""
    members: tuple[Member, ...]
    """Members in the order in which the law takes their numbers."""


@dataclass(frozen=True)
class Structs:
    """Everything that a controller in C is told, keeps and gives."""

    gains: Struct
    """Gains, which the law does not change."""
    state: Struct
    """What the law carries from tick to tick."""
    reference: Struct
    """Set points."""
    measurement: Struct
    """What is measured of the robot."""
    supervision: Struct | None
    """What the supervisor of a guarded law tells it; None without a guard."""
    holding: Member
    """Argument of `init`: the forces that hold the robot before the first tick."""
    tau: Member
    """Result of `step`: the actuator forces until the next tick."""

    @property
    def real(self) -> str:
        """Type of every number in C: double, or float of a law in single precision."""
        return self.tau.real

    def __iter__(self) -> Iterator[Struct]:
        """Iterate over the structs, in the order in which the header has them."""
        supervised = () if self.supervision is None else (self.supervision,)
        return iter((self.gains, self.state, self.reference, self.measurement, *supervised))


def structs_of(law: Law) -> Structs:
    """Return the interface of a law as structs in C, in the order in which the law takes its numbers."""
    robot, interface = law.robot, law.interface
    if interface.supervision and law.guard is None:
        raise CExportError(law.name, "a law made of several is written with its guard, which its supervisor talks to")
    sizes = quantity_sizes(robot)
    gains = [Member(g.name, (len(g.values),), g.unit or "1", g.meaning, g.values) for g in interface.gains]
    state = [Member(part.name, (part.size,), part.unit or "1", part.meaning) for part in interface.state]
    reference = [
        Member(w.port, _shape(w, sizes[w.quantity]), unit_of(robot, w.quantity), _when(w)) for w in interface.reference
    ]
    measurement = [
        Member(f"measured_{what}", (sizes[what],), unit_of(robot, what), "at this tick")
        for what in interface.measurement
    ]
    supervision = [Member(signal.name, (1,), "1", signal.meaning) for signal in interface.supervision]
    force, count = unit_of(robot, "tau"), sizes["q"]
    real = "float" if law.single else "double"
    return Structs(
        _struct("gains", "chosen once; the law does not change them", gains, real),
        _struct("state", "what the law carries from tick to tick; only init and step write it", state, real),
        _struct("reference", "what the robot is to do", reference, real),
        _struct("measurement", "what is seen of the robot", measurement, real),
        _struct("supervision", "what the supervisor says", supervision, real) if supervision else None,
        Member("holding", (count,), force, "forces that hold the robot before the first tick", real=real),
        Member("tau", (count,), force, "actuator forces until the next tick", real=real),
    )


def _struct(kind: str, meaning: str, members: Sequence[Member], real: str) -> Struct:
    """Make a struct whose members have names that C accepts."""
    names = c_names((member.name for member in members), set())
    return Struct(kind, meaning, tuple(replace(m, name=n, real=real) for n, m in zip(names, members, strict=True)))


def _shape(wanted: Wanted, size: int) -> tuple[int, ...]:
    return (size,) if len(wanted.ahead) == 1 else (size, len(wanted.ahead))


def _when(wanted: Wanted) -> str:
    if wanted.ahead == (0,):
        return "at this tick"
    listed = ", ".join(map(str, wanted.ahead))
    return f"{listed} ticks ahead" + (", a column each" if len(wanted.ahead) > 1 else "")
