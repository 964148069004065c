"""How far a motion stays from singularities."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from parakin.analysis.singularities.measures import Margins, margins
from parakin.arrays import Array, frozen_arrays
from parakin.robot import Robot
from parakin.trajectory import Samples

CONSTRAINT_POSES = 50
"""Poses of a motion at most at which the conditions of the joints are looked at: they take a millisecond each."""


@frozen_arrays
class MotionMargins:
    """Margins at every sample of a motion."""

    t: Array
    """Times of the samples (N,) [s]."""
    margins: Margins
    """The margins; that of constraints is NaN where it was not looked at."""
    crossed: bool
    """Whether the platform's margin changes its sign: the motion passes through a singularity of type 2."""

    @property
    def worst(self) -> dict[str, tuple[float, float]]:
        """The least margin of each type, with the time at which it is least [s]."""
        found: dict[str, tuple[float, float]] = {}
        rows = {"platform": np.abs(self.margins.platform), "constraint": self.margins.constraint}
        for name, each in (("leg", self.margins.legs), ("universal joint", self.margins.universal)):
            if each.shape[1]:
                rows[name] = np.min(np.where(np.isnan(each), np.inf, each), axis=1)
        for name, values in rows.items():
            if np.isfinite(values).any():
                k = int(np.nanargmin(values))
                found[name] = float(values[k]), float(self.t[k])
        return found

    def __str__(self) -> str:
        parts = [f"{name} {value:.3g} at {t:.3g} s" for name, (value, t) in self.worst.items()]
        return f"least margins: {', '.join(parts)}" + ("; it crosses a singularity of type 2" if self.crossed else "")


def margins_along(robot: Robot, samples: Samples, *, constraint: bool = False) -> MotionMargins:
    """Return the margins from singularities of every type along a sampled motion.

    >>> motion = pk.trajectory.motion("pick_and_place", robot)
    >>> print(pk.analysis.margins_along(robot, motion.sampled(100.0)))
    least margins: platform 0.786 at 0.5 s, leg 0.832 at 0.36 s
    """
    found = margins(robot, samples.pose)
    if constraint:
        chosen = np.unique(np.linspace(0, len(samples.pose) - 1, CONSTRAINT_POSES).astype(int))
        held = np.full(len(samples.pose), np.nan)
        held[chosen] = margins(robot, samples.pose[chosen], constraint=True).constraint
        found = replace(found, constraint=held)
    signs = np.sign(found.platform[~np.isnan(found.platform)])
    square = len(robot.actuator_names) == robot.degrees_of_freedom
    return MotionMargins(samples.t, found, square and bool((signs != signs[:1]).any()))
