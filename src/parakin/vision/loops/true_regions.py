"""What regions of interest really show of moving rods, symbolic and with noise: for observers in compiled loops.

A region is four points, as in `observers.ideal_regions`: two of each contour of one rod, one standard deviation of its
edge points from their middle. Noise moves them across their contours; a region outside the picture, or dropped, shows
none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca

from parakin.kinematics.robot_motion import robot_motion
from parakin.vision.loops.watching import Watching
from parakin.vision.observers.beliefs import POINTS, SeenRegion
from parakin.vision.observers.ideal_regions import contour_points
from parakin.vision.observers.rows import camera_rows, chosen
from parakin.vision.rigs.rig import Rig
from parakin.vision.rigs.rods import symbolic_rods

DRAWS = POINTS + 3
"""Standard normal numbers of a region: one for each point, one for what drops it, two for both edges together."""
TO_ONE_SIDE = ca.DM([1.0, 1.0, -1.0, -1.0])
"""By how much each point is off inwards where both edges are off to the same side."""


@dataclass(frozen=True)
class _Placed:
    """One rod before one camera, as expressions."""

    A: ca.SX
    """Root in the camera's frame."""
    x: ca.SX
    """Direction in the camera's frame."""
    radius: ca.SX
    t: ca.SX
    """Where on the rod the region is, from the root [m]."""
    lens: ca.SX
    """Focal lengths, middle and size of the picture [px]."""

    @property
    def middle(self) -> ca.SX:
        """The middle of the region in space, in the camera's frame."""
        return self.A + self.t * self.x

    @property
    def focal(self) -> ca.SX:
        return ca.sqrt(self.lens[0] * self.lens[1])

    def half(self, width: float) -> ca.SX:
        """Return how far along the rod the two points of an edge are from the middle of a region that wide [m]."""
        P = self.middle
        apparent = ca.norm_2(self.x[:2] - P[:2] / P[2] * self.x[2]) / P[2]
        return width / math.sqrt(12) / self.focal / apparent

    def shown(self, width: float) -> ca.SX:
        """Return whether the whole region lies in the picture, before the camera; distortion is not looked at."""
        P = self.middle
        inside = P[2] > 0
        for k in range(2):
            pixel = self.lens[2 + k] + self.lens[k] * P[k] / P[2]
            inside = ca.logic_and(inside, ca.logic_and(pixel > width / 2, pixel < self.lens[4 + k] - 1 - width / 2))
        return inside


LEAST_EXPECTED = 1e-3
"""Deviation of an edge point that observers are told at least [px]: 0 would mean that it was not seen."""


@dataclass(frozen=True, eq=False)
class TrueRods:
    """The rods, cameras and robot that are really there, and the regions in which they are looked at."""

    rig: Rig
    """What is there."""
    watching: Watching
    """Which regions follow each other."""

    def region(self, pose: ca.SX, given: Mapping[str, ca.SX]) -> SeenRegion:
        """Return what the region whose `turn` it is shows at a pose.

        given: turn, noise (DRAWS,), the numbers of `EdgeNoise`, `expected` and `thicker` of `camera_sensor`.
        """
        watched = self.watching
        turns = ca.DM([list(each) for each in watched.turns(self.rig)])
        camera, rod, place = ca.vertsplit(chosen(turns, given["turn"]))
        placed = self._placed(pose, camera, rod, place, given["thicker"])
        m, across = contour_points(placed.A, placed.x, placed.radius, placed.t, placed.half(watched.width))
        noise, as_two = given["noise"], math.sqrt(2 / watched.points)
        off = given["deviation"] * as_two * noise[:POINTS] - given["bias"]
        off += given["shift"] * noise[POINTS + 1] * TO_ONE_SIDE - given["width"] * noise[POINTS + 2]
        m = m + ca.repmat(off / placed.focal, 1, 2) * across
        there = ca.logic_and(placed.shown(watched.width), noise[POINTS] <= given["threshold"])
        expected = ca.fmax(given["expected"], LEAST_EXPECTED)
        deviation = ca.if_else(there, expected * as_two / placed.focal, 0)
        return SeenRegion(camera, rod, m, ca.repmat(deviation, POINTS, 1))

    def _placed(self, pose: ca.SX, camera: ca.SX, rod: ca.SX, place: ca.SX, thicker: ca.SX) -> _Placed:
        rig = self.rig
        moving = robot_motion(rig.robot.description)
        rows = [ca.horzcat(line.A.T, line.x.T, line.d) for line in symbolic_rods(moving, rig.rods)]
        table = ca.Function("true_rods", [moving.pose], [ca.densify(ca.vertcat(*rows))])(pose)
        line, radii = chosen(table, rod), ca.DM([each.radius for each in rig.rods]) + thicker
        seat = chosen(camera_rows(rig.cameras), camera)
        lens = chosen(ca.DM([[*each.focal, *each.middle, *each.size] for each in rig.cameras]), camera)
        R_KO = ca.reshape(seat[3:], 3, 3)  # by columns those of R_OK's rows: its transpose
        return _Placed(R_KO @ (line[:3] - seat[:3]), R_KO @ line[3:6], chosen(radii, rod), place * line[6], lens)
