"""Poses of a long record of actuator positions, by forward kinematics that follows the motion."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.arrays import Array
from parakin.kinematics.status import Status
from parakin.motions.offsets import unit_length
from parakin.robot import Robot

STRIDE = 32
"""Rows from one anchor pose to the next; the rows between them start from the straight way from one to the other."""
SAME_POSE = 1e-9
"""Difference up to which two poses are the same [m, rad]; Newton leaves far less between two ways to one pose."""


class PoseTracker:
    """Finds the poses of consecutive blocks of a record, on one assembly mode throughout.

    It begins at `near`, by default at home.
    """

    def __init__(self, robot: Robot, near: ArrayLike | None = None) -> None:
        self._robot = robot
        self._kernel = robot.kernel("forward_kinematics")
        self._near: Array = np.array(robot.home if near is None else near, float)

    def track(self, q: Array) -> tuple[Array, NDArray[np.int32]]:
        """Return the poses (N, coordinates) of actuator positions q, NaN where there is none, and their Status (N,)."""
        anchors = self._anchors(q[::STRIDE])
        row, on_the_way = np.divmod(np.arange(len(q)), STRIDE)
        share = (on_the_way / STRIDE)[:, None]
        near = (1 - share) * anchors[row] + share * anchors[np.minimum(row + 1, len(anchors) - 1)]
        solved = self._kernel(near=unit_length(self._robot.motion_type, near), q=q)
        return solved["pose"], solved["status"]

    def _anchors(self, q: Array) -> Array:
        """The poses that a chain of searches would find, each begun at the last.

        All are solved at once from home, then all links of the chain are checked at once; the chain is walked only
        where a link does not hold.
        """
        alone = self._kernel(near=self._robot.home, q=q)["pose"]
        before = np.concatenate([self._near[None], alone[:-1]])
        usable = np.all(np.isfinite(before), axis=1)
        linked = self._kernel(near=np.where(usable[:, None], before, self._robot.home), q=q)["pose"]
        holds = usable & np.all(np.abs(linked - alone) < SAME_POSE, axis=1)
        if holds.all():
            self._near = alone[-1]
            return alone
        poses, on_chain = np.empty_like(alone), True
        for k, positions in enumerate(q):
            if not (on_chain and holds[k]):
                self._near = self._next(positions)
            else:
                self._near = alone[k]
            poses[k], on_chain = self._near, bool((np.abs(self._near - alone[k]) < SAME_POSE).all())
        return poses

    def _next(self, q: Array) -> Array:
        """Search from the last pose, or else from home; keep the last pose where neither leads anywhere."""
        for near in (self._near, self._robot.home):
            solved = self._kernel(near=near, q=q)
            if solved["status"] == int(Status.GOOD):
                return solved["pose"]
        return self._near
