"""What is known of each actuator, whichever kind of file it comes from: q = sign (coordinate - zero), joint side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from parakin.description import Friction
from parakin.units import CoordinateUnits

if TYPE_CHECKING:
    from parakin.mechanism.model import Drive, JointFreedom


class ActuatorData(Protocol):
    """An actuator as data: that of a leg's element (`description.Actuator`), or a motor in a joint of a mechanism."""

    @property
    def units(self) -> CoordinateUnits:
        """The units of q, its rates and its force."""
        ...

    @property
    def sign(self) -> int:
        """Which way q counts."""
        ...

    @property
    def zero(self) -> float:
        """The coordinate where q is 0 [m or rad]."""
        ...

    @property
    def rotor_inertia(self) -> float:
        """Inertia of the rotor on the motor side [kg m^2], or mass that moves with a linear motor [kg]."""
        ...

    @property
    def gear_ratio(self) -> float:
        """How many times as fast as the joint the motor turns."""
        ...

    @property
    def friction(self) -> Friction:
        """Friction of the drive, joint side."""
        ...

    @property
    def force(self) -> float | None:
        """Largest force or torque, joint side [N or N m]."""
        ...

    @property
    def speed(self) -> float | None:
        """Largest rate, joint side [m/s or rad/s]."""
        ...

    @property
    def lower(self) -> float | None:
        """Smallest q [m or rad]."""
        ...

    @property
    def upper(self) -> float | None:
        """Largest q [m or rad]."""
        ...

    @property
    def stiffness(self) -> float | None:
        """Force per deflection of the drive while its motor stands still, joint side [N/m or N m/rad]."""
        ...

    @property
    def resolution(self) -> float | None:
        """Smallest step of the encoder, joint side [m or rad]."""
        ...


@dataclass(frozen=True)
class Motor:
    """A motor on one freedom of a joint of a mechanism, with all that belongs to that freedom."""

    units: CoordinateUnits
    """The units of q, its rates and its force."""
    sign: int
    """Which way q counts."""
    zero: float
    """The coordinate where q is 0 [m or rad]."""
    rotor_inertia: float
    """Inertia of the rotor on the motor side [kg m^2], or mass that moves with a linear motor [kg]."""
    gear_ratio: float
    """How many times as fast as the joint the motor turns."""
    friction: Friction
    """Friction of the freedom, the drive's included."""
    force: float | None
    """Largest force or torque, joint side [N or N m]."""
    speed: float | None
    """Largest rate, joint side [m/s or rad/s]."""
    lower: float | None
    """Smallest q [m or rad]; the file limits the joint's coordinate."""
    upper: float | None
    """Largest q [m or rad]."""
    stiffness: float | None
    """Force per deflection of the drive while its motor stands still, joint side [N/m or N m/rad]."""
    resolution: float | None
    """Smallest step of the encoder, joint side [m or rad]."""


def motor_of(settings: JointFreedom, drive: Drive, units: CoordinateUnits) -> Motor:
    """Return the motor of a driven freedom; the ends of its stroke, which a file gives of the coordinate, as q."""
    ends = [None if end is None else drive.sign * (end - drive.zero) for end in (settings.lower, settings.upper)]
    lower, upper = ends if drive.sign == 1 else ends[::-1]
    inertia = drive.rotor_inertia, drive.gear_ratio, settings.friction
    elastic = drive.stiffness, drive.resolution
    return Motor(units, drive.sign, drive.zero, *inertia, drive.force, drive.speed, lower, upper, *elastic)
