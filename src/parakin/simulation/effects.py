"""Which imperfections a loop has to compute with.

Scenarios with the same effects share a program. Without any it is the program of a perfect machine, not one with zeros.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from parakin.simulation.scenario import Scenario

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
