"""Raw counts of encoders become positions and rates, once every actuator has been at its home.

q = home_q + (counts - home_counts)/counts_per_unit,    rate += share ((q - q_before)/period - rate)

home_counts are captured while an actuator's home switch is on (`homing`); counts_per_unit is negative where counts
fall as q rises. The filter of rates is that of `simulation.Scenario(velocity_filter=...)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca
import numpy as np

from parakin.control.units import listed, unit_of
from parakin.export.interface import Member
from parakin.export.onboard.block import member
from parakin.export.onboard.homing import at_switches
from parakin.robot import Robot

LARGEST = 1e15
"""Counts, or positions, from which an encoder is not believed: counts are no longer whole numbers in a double."""


@dataclass(frozen=True, eq=False)
class Encoders:
    """Positions and rates of actuators from counts."""

    robot: Robot
    """The robot."""
    period: float
    """Time from one tick to the next [s]."""
    counts: tuple[float, ...]
    """Counts per unit of each actuator, signed [1/m or 1/rad]."""
    cutoff: float
    """Cut-off of the filter of rates [Hz]."""

    @property
    def settings(self) -> tuple[Member, ...]:
        """Scale and home of each encoder."""
        units = listed([f"1/{actuator.units.position}" for actuator in self.robot.actuators])
        at_home = np.asarray(self.robot.inverse_kinematics(self.robot.home))
        n = len(self.counts)
        meaning = "counts for a unit of q, negative where they fall as q rises"
        return (
            member("counts_per_unit", n, units, meaning, self.counts),
            member("home_q", n, unit_of(self.robot, "q"), "q of each actuator at its home switch", at_home),
        )

    @property
    def state(self) -> tuple[Member, ...]:
        """What is carried from tick to tick."""
        n, robot = len(self.counts), self.robot
        return (
            member("homed", n, "1", "1 for each actuator that has been at its home switch", np.zeros(n)),
            member("home_counts", n, "1", "counts at the home switch", np.zeros(n)),
            member("last_q", n, unit_of(robot, "q"), "last position that was a number", np.zeros(n)),
            member("missed", 1, "1", "ticks since then", (0.0,)),
            member("rate", n, unit_of(robot, "q_dot"), "filtered rate", np.zeros(n)),
        )

    @property
    def input(self) -> tuple[Member, ...]:
        """What the encoders say."""
        n = len(self.counts)
        return (
            member("counts", n, "1", "raw counts of each encoder"),
            member("home", n, "1", "1 while an actuator is at its home switch"),
        )

    def read(
        self,
        now: Mapping[str, ca.SX],
        given: Mapping[str, ca.SX],
        settings: Mapping[str, ca.SX],
        homing: ca.SX,
        still: ca.SX,
    ) -> tuple[dict[str, ca.SX], ca.SX, ca.SX]:
        """Return the state after a tick, the positions (NaN where counts or settings are) and whether all are numbers.

        homing: whether home switches are looked at; still: whether the robot is known to be at rest.
        """
        counts, n = given["counts"], len(self.counts)
        sound = [ca.fabs(counts[k]) < LARGEST for k in range(n)]
        homed, zero = at_switches(now, given, homing, sound)
        q = settings["home_q"] + (counts - zero) / settings["counts_per_unit"]
        good = ca.SX(1)
        for k, one in enumerate(sound):
            good = ca.logic_and(good, ca.logic_and(one, ca.fabs(q[k]) < LARGEST))
        elapsed = self.period * (1 + now["missed"])
        share = 1 - np.exp(-2 * np.pi * self.cutoff * self.period)
        rate = now["rate"] + share * ((q - now["last_q"]) / elapsed - now["rate"])
        after = {
            "homed": homed,
            "home_counts": zero,
            "last_q": ca.if_else(good, q, now["last_q"]),
            "missed": ca.if_else(good, 0, now["missed"] + 1),
            "rate": ca.if_else(still, 0, ca.if_else(good, rate, now["rate"])),
        }
        return after, q, good
