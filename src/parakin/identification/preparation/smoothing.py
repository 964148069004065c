"""Turns rows of a log into states of the platform: positions are smoothed and differentiated, poses solved for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array
from parakin.errors import BadLogError
from parakin.identification.logs.log_source import LogSource
from parakin.identification.logs.pose_tracking import PoseTracker
from parakin.identification.preparation.filters import Smoother
from parakin.identification.states import States
from parakin.motions.offsets import on_one_side, unit_length
from parakin.robot import Robot


@dataclass(frozen=True, eq=False)
class Smoothing:
    """How rows of a log become states."""

    robot: Robot
    """The robot whose log it is."""
    source: LogSource
    """Says which column of a row is what."""
    positions: Smoother
    """The low-pass of everything that moves."""
    forces: Smoother | None
    """The low-pass of the forces; None leaves them as they were logged."""

    @property
    def reach(self) -> int:
        """Rows that are needed on either side of a state."""
        return max(self.positions.reach, self.forces.reach if self.forces else 0)

    def states(self, tracker: PoseTracker, extended: Array, t: Array) -> States:
        """Return the states at times t (N,) from rows (N + 2 reach, signals) of a log.

        q, q_dot, q_ddot are smoothed; the pose is the one with these q; velocity and acceleration follow from J_qv v =
        q_dot and J_qv a + J_qv_dot v = q_ddot, so that no quaternion is differentiated. A measured pose is smoothed and
        taken instead; so is a measured velocity, whose difference is the acceleration.
        """
        robot, source = self.robot, self.source
        q, q_dot, q_ddot = self._smooth(extended[:, source.part("q")], self.positions, 2)
        if source.coordinates:
            pose = self._measured_pose(extended)
            configuration = tracker.follow(pose)
        else:
            configuration, pose, _ = tracker.track(q)
        if source.freedom:
            velocity, acceleration = self._smooth(extended[:, source.part("velocity")], self.positions, 1)
        else:
            velocity = robot.platform_velocity(pose, q_dot, near=configuration)
            acceleration = robot.platform_acceleration(pose, velocity, q_ddot, near=configuration)
        tau = extended[:, source.part("tau")]
        tau = self._smooth(tau, self.forces, 0)[0] if self.forces else tau[self.reach : len(tau) - self.reach]
        lost = ~np.all(np.isfinite(acceleration), axis=1)
        if np.any(lost):
            problem = (
                f"outside-workspace: at {t[lost][0]:.6g} s: the smoothed positions have no pose, or a singular one"
            )
            raise BadLogError(source.file, (problem,), "raise the cut-off, or cut the motion there")
        return States(t, pose, velocity, acceleration, tau, None if configuration is pose else configuration)

    def _smooth(self, values: Array, smoother: Smoother, derivatives: int) -> list[Array]:
        spare = self.reach - smoother.reach
        return smoother.apply(values[spare : len(values) - spare], derivatives)

    def _measured_pose(self, extended: Array) -> Array:
        """The measured pose, smoothed; quaternions are turned to one side first, and made of unit length afterwards."""
        measured = extended[:, self.source.part("pose")]
        (pose,) = self._smooth(on_one_side(self.robot.motion_type, measured), self.positions, 0)
        return unit_length(self.robot.motion_type, pose)
