"""What a machine has and a model leaves out: elastic drives, backlash, stiction, ripple, and a cable that pulls.

Everything of a drive is told as its joint feels it: a motor behind a gear of ratio n counts with n^2 times its inertia,
and its position theta is the angle of the motor divided by n.

Scenarios with the same effects share a program. Without any it is the program of a perfect machine, not one with zeros.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from parakin.simulation.scenario import Scenario


@dataclass(frozen=True, eq=False)
class ElasticDrives:
    """Springs with play between the motors and the joints that they drive.

        motor_inertia theta_ddot = tau - tau_s - friction(theta_dot),        the robot without rotors is driven by tau_s
        tau_s = stiffness (theta - q) + damping (theta_dot - q_dot)

    [Spong1987]. With backlash the spring has a dead zone of that width and can only push, [Nordin2002]. Give
    either `frequency` or `stiffness`. Each is one number for all drives, or one for each.

    >>> soft = pk.simulation.ElasticDrives(frequency=250.0, backlash=1e-4)
    >>> pk.simulation.simulate(robot, law, reference, pk.simulation.Scenario(elastic=soft)).status.name
    'COMPLETED'
    """

    frequency: ArrayLike | None = None
    """Frequency of each motor against what it drives at home, the other joints held [Hz].

    On a machine with more drives than freedoms the other joints move freely instead.
    """
    stiffness: ArrayLike | None = None
    """Stiffness of each spring [N m/rad or N/m]."""
    damping_ratio: ArrayLike = 0.05
    """Damping of that mode as a share of critical damping, where no `damping` is given."""
    damping: ArrayLike | None = None
    """Damping of each spring [N m s/rad or N s/m]; None for what `damping_ratio` makes of it."""
    backlash: ArrayLike = 0.0
    """Play between motor and joint, from one side to the other [rad or m]."""
    motor_inertia: ArrayLike | None = None
    """Inertia before the spring [kg m^2 or kg]; None for the rotors among the plant's parameters."""
    encoders: Literal["motor", "joint"] = "motor"
    """On which side of the springs the encoders are."""


@dataclass(frozen=True, eq=False)
class Stiction:
    """Friction of the drives that sticks: bristles bend before they slide, and slide more easily the faster.

        F = sigma_0 z + sigma_1 z_dot,        z_dot = v - sigma_0 |v| z/g(v)
        g(v) = coulomb (1 + (breakaway - 1) e^-(v/v_s)^2)

    [CanudasDeWit1995] eq. (1) to (4), with sigma_0 = coulomb/presliding. It takes the place of the smooth sign in
    Coulomb friction of the drives; viscous friction and passive joints stay as they are.

    >>> sticky = pk.simulation.Scenario(stiction=pk.simulation.Stiction(breakaway=1.6))
    >>> pk.simulation.simulate(robot, law, reference, sticky).status.name
    'COMPLETED'
    """

    breakaway: ArrayLike = 1.5
    """Force that breaks a drive away from rest, in Coulomb friction: at least 1."""
    stribeck_speed: ArrayLike = 0.05
    """Speed v_s by which most of that is gone [rad/s or m/s]."""
    presliding: ArrayLike = 5e-4
    """How far bristles bend under Coulomb friction [rad or m]."""
    bristle_damping: ArrayLike = 0.0
    """Damping sigma_1 of the bristles [N m s/rad or N s/m]."""
    coulomb: ArrayLike | None = None
    """Coulomb friction of each drive [N m or N]; None for that among the plant's parameters."""


@dataclass(frozen=True, eq=False)
class TorqueRipple:
    """Force of each motor that comes and goes with its position: amplitude sin(periods angle + phase).

    >>> cogging = pk.simulation.Scenario(ripple=pk.simulation.TorqueRipple(amplitude=0.05, periods=24))
    >>> pk.simulation.simulate(robot, law, reference, cogging).status.name
    'COMPLETED'
    """

    amplitude: ArrayLike
    """Amplitude [N m or N]."""
    periods: ArrayLike
    """Periods in a turn of the motor, before its gear; of a drive whose coordinate is a length, in a metre."""
    phase: ArrayLike = 0.0
    """Phase where the drive's position is zero [rad]."""


@dataclass(frozen=True, eq=False)
class Cable:
    """A cable or hose that pulls a point of the platform towards an anchor on the base.

        tension = pull + stiffness max(0, distance - length)

    >>> hose = pk.simulation.Cable(anchor=(0.0, 0.0, 0.5), stiffness=20.0, length=0.6)
    >>> pk.simulation.simulate(robot, law, reference, pk.simulation.Scenario(cable=hose)).status.name
    'COMPLETED'
    """

    anchor: ArrayLike
    """Where it is fastened to the base, in base axes (3,) [m]."""
    point: ArrayLike = (0.0, 0.0, 0.0)
    """Where it is fastened to the platform, in platform axes from its origin (3,) [m]."""
    stiffness: float = 0.0
    """Stiffness of the cable [N/m]."""
    length: float = 0.0
    """Length up to which it is slack [m]."""
    pull: float = 0.0
    """Pull that is there at any distance, as that of a balancer [N]."""


OF_ELASTIC = ("motor_inertia", "stiffness", "damping", "backlash", "motor_viscous", "motor_coulomb")
"""Numbers of elastic drives, one for each actuator."""
OF_STICTION = ("sliding", "breakaway", "stribeck_speed", "bristle_stiffness", "bristle_damping")
"""Numbers of stiction, one for each actuator; sliding: the Coulomb friction that it takes the place of."""
OF_RIPPLE = ("ripple", "ripple_waves", "ripple_phase")
"""Numbers of torque ripple, one for each actuator; waves: how fast its phase goes on with q [rad per rad or m]."""


@dataclass(frozen=True)
class Effects:
    """Which imperfections a program computes with, and how much shorter than usual its steps are."""

    elastic: bool = False
    """Whether motors move against their joints."""
    backlash: bool = False
    """Whether they have play there."""
    stiction: bool = False
    """Whether the friction of drives sticks."""
    ripple: bool = False
    """Whether the force of a motor depends on its position."""
    cable: bool = False
    """Whether a cable pulls at the platform."""
    torque_step: bool = False
    """Whether forces come in steps."""
    jitter: bool = False
    """Whether ticks come early and late."""
    finer: int = 1
    """Steps of RK4 that take the place of one."""

    @property
    def any(self) -> bool:
        """Whether anything differs from a perfect machine."""
        return self != NO_EFFECTS

    @property
    def in_drives(self) -> bool:
        """Whether the force on a joint is another one than that of the motor."""
        return self.elastic or self.stiction or self.ripple

    @property
    def drive_numbers(self) -> tuple[str, ...]:
        """The names of the numbers that drives need, one for each actuator."""
        parts = ((self.elastic, OF_ELASTIC), (self.stiction, OF_STICTION), (self.ripple, OF_RIPPLE))
        return tuple(name for there, names in parts if there for name in names)

    @property
    def carried(self) -> tuple[str, ...]:
        """The signals of drives that go on from tick to tick, besides those of a perfect machine."""
        parts = ((self.elastic, ("motor", "motor_rate", "held_motor")), (self.stiction, ("bristle", "slid")))
        parts = (*parts, (self.jitter, ("shift",)))
        return tuple(name for there, names in parts if there for name in names)


NO_EFFECTS = Effects()
"""A perfect machine."""


def effects_of(scenario: Scenario) -> Effects:
    """Return which imperfections a scenario has, steps as long as ever."""
    elastic = scenario.elastic
    return Effects(
        elastic=elastic is not None,
        backlash=elastic is not None and bool(np.any(elastic.backlash)),
        stiction=scenario.stiction is not None,
        ripple=scenario.ripple is not None,
        cable=scenario.cable is not None,
        torque_step=scenario.torque_step is not None,
        jitter=bool(scenario.jitter),
    )
