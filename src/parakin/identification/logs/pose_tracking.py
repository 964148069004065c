"""Poses of a long record of actuator positions, by forward kinematics that follows the motion."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array
from parakin.kinematics.status import Status
from parakin.robot import PosesFound, Robot

STRIDE = 32
"""Rows from one anchor to the next; the rows between them start from the straight way from one to the other."""
SAME_POSE = 1e-9
"""Difference up to which two poses are the same [m, rad]; Newton leaves far less between two ways to one pose."""


class PoseTracker:
    """Finds the poses of consecutive blocks of a record, on one assembly mode throughout.

    It begins at the configuration `near`, which of a robot of legs is a pose; by default at home's.
    """

    def __init__(self, robot: Robot, near: ArrayLike | None = None) -> None:
        self._robot = robot
        self._search = robot.poses_with
        self._home = robot.configuration(robot.home)
        self._near: Array = np.array(self._home if near is None else near, float)

    def track(self, q: Array) -> PosesFound:
        """Return configurations and poses of actuator positions q (N, m), NaN where there is none, and their Status."""
        anchors = self._anchors(q[::STRIDE])
        row, on_the_way = np.divmod(np.arange(len(q)), STRIDE)
        share = (on_the_way / STRIDE)[:, None]
        near = (1 - share) * anchors[row] + share * anchors[np.minimum(row + 1, len(anchors) - 1)]
        return self._search(q, self._robot.unit_length(near))

    def follow(self, poses: Array) -> Array:
        """Return the configurations (N, c) of measured poses, carried from one to the next and from block to block."""
        found = self._robot.configurations(poses, near=self._near)
        self._near = found[-1]
        return found

    def _anchors(self, q: Array) -> Array:
        """The configurations that a chain of searches would find, each begun at the last.

        All are solved at once from home, then all links of the chain are checked at once; the chain is walked only
        where a link does not hold.
        """
        alone = self._found(q, self._home)
        before = np.concatenate([self._near[None], alone[:-1]])
        usable = np.all(np.isfinite(before), axis=1)
        linked = self._found(q, np.where(usable[:, None], before, self._home))
        holds = usable & np.all(np.abs(linked - alone) < SAME_POSE, axis=1)
        if holds.all():
            self._near = alone[-1]
            return alone
        anchors, on_chain = np.empty_like(alone), True
        for k, positions in enumerate(q):
            if not (on_chain and holds[k]):
                self._near = self._next(positions)
            else:
                self._near = alone[k]
            anchors[k], on_chain = self._near, bool((np.abs(self._near - alone[k]) < SAME_POSE).all())
        return anchors

    def _found(self, q: Array, near: Array) -> Array:
        return self._search(q, np.broadcast_to(near, (len(q), near.shape[-1]))).configuration

    def _next(self, q: Array) -> Array:
        """Search from the last configuration, or else from home; keep the last where neither leads anywhere."""
        for near in (self._near, self._home):
            found = self._search(q[None], near[None])
            if found.status[0] == int(Status.GOOD):
                return found.configuration[0]
        return self._near
