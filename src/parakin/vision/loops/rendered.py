"""Regions of interest as rendered pictures show them: rendered where the robot is, searched where it is believed.

What a `watched_run` needs to run on pictures: motion blur over the exposure, other rods in the way, edges found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array
from parakin.motions.offsets import displaced
from parakin.vision.edges.finding import find_edges
from parakin.vision.edges.regions import Slot, picture_region
from parakin.vision.loops.watched_runs import Glance
from parakin.vision.observers.beliefs import POINTS, SIDES
from parakin.vision.observers.ideal_regions import Region
from parakin.vision.pictures.appearance import Appearance
from parakin.vision.pictures.rendering import render
from parakin.vision.rigs.rig import Rig, Rod
from parakin.vision.rigs.rods import rod_lines
from parakin.vision.rigs.sightings import Sightings, visible_span

EXPOSURES = 5
"""Poses over an exposure whose pictures are added up: at 3.8 m/s and 0.1 ms a rod moves by 0.3 px."""


SEEDS_APART = 1_000_003
"""Regions of a run at most, so that no two runs of different seeds share a noise."""


@dataclass(frozen=True, eq=False)
class Rendered:
    """What shows regions to a `watched_run`: it renders what is there and finds edges where rods are believed.

    >>> see = pk.vision.Rendered(rig, pk.vision.Appearance(noise=2.0))
    >>> law = pk.control.law("computed_torque_platform", robot, period=2e-3)
    >>> still = pk.control.hold(robot, robot.home, 0.01, law.period)
    >>> log = pk.vision.watched_run(robot, law, still, pk.vision.Observer(rig), see)
    >>> bool(log.platform_errors.max() < 1e-4)
    True
    """

    rig: Rig
    """What is believed: where regions and edges are expected."""
    appearance: Appearance
    """How pictures look."""
    truth: Rig | None = None
    """What is there, that of `rig` by default."""
    others: tuple[Rod, ...] = ()
    """Rods that are in the way but not observed, such as arms."""
    reach: float = 0.02
    """How far from its place, as a share of the rod's length, a region may look for room."""
    seed: int = 0
    """Which noise."""

    def __call__(self, glance: Glance) -> Region:
        """Return what a region shows; points of edges that were refused have no deviation."""
        slot = self._slot(glance)
        window = None if slot is None else picture_region(self.rig, glance.believed, slot, others=self.others)
        if window is None:
            return _region(glance, [])
        there = self.truth or self.rig
        picture = render(
            there,
            self._exposed(glance),
            glance.camera,
            self.appearance,
            window.window,
            others=self.others,
            seed=self.seed * SEEDS_APART + glance.number,
        )
        return _region(glance, [find_edges(self.rig, window, picture).seen])

    def _slot(self, glance: Glance) -> Slot | None:
        """Return the stretch of what is seen of the rod in which the region is to be; None where nothing is seen."""
        rod, camera = self.rig.rods[glance.rod], self.rig.cameras[glance.camera]
        lines = rod_lines(self.rig, glance.believed)
        d = float(lines.d[glance.rod])
        A, x = camera.seen(lines.A[glance.rod]), lines.x[glance.rod] @ camera.R_OK
        span = visible_span(camera, A, x, (rod.start, d - rod.end))
        if span is None:
            return None
        shares = np.array([glance.place - self.reach, glance.place + self.reach])
        start, end = np.clip((shares * d - span[0]) / (span[1] - span[0]), 0.0, 1.0).tolist()
        return Slot(glance.camera, glance.rod, (start, end)) if end > start else None

    def _exposed(self, glance: Glance) -> Array:
        """Return the poses (k, coordinates) over the exposure; one where that is none."""
        exposure = (self.truth or self.rig).cameras[glance.camera].exposure
        if not exposure:
            return glance.pose
        times = exposure * ((np.arange(EXPOSURES) + 0.5) / EXPOSURES - 0.5)
        return displaced(self.rig.robot.motion_type, glance.pose, times[:, None] * glance.velocity)


def _region(glance: Glance, found: Sequence[Sightings]) -> Region:
    """Return the region of a glance from the points that were found in it, two of each edge."""
    m, deviation = np.zeros((POINTS, 2)), np.zeros(POINTS)
    for seen in found:
        for side in set(seen.side.tolist()):
            own, places = seen.side == side, np.array(SIDES) == side
            m[places], deviation[places] = seen.m[own], seen.deviation[own]
    return Region(np.array(float(glance.camera)), np.array(float(glance.rod)), m, deviation)
