"""Poses from images as least squares: residuals and slopes of sightings, of actuator positions and of known radii.

Unknown of each image are a displacement of the platform (n,) and y (rods,), radius = known radius + deviation y, which
has a deviation of one before anything is seen.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array
from parakin.errors import VisionError
from parakin.kernels import Derivation, Kernel, Program
from parakin.kinematics.forward import misfit
from parakin.kinematics.model import Model, program_of
from parakin.kinematics.robot_motion import robot_motion
from parakin.motions.offsets import displaced
from parakin.robot import Robot
from parakin.vision.estimation.estimates import Encoders
from parakin.vision.estimation.fitting import Rows, State
from parakin.vision.rigs.rig import Rig, radii_of
from parakin.vision.rigs.rods import RodLines, rod_lines
from parakin.vision.rigs.sightings import Integers, Offsets, Sightings, offsets_of


def check_sightings(rig: Rig, seen: Sightings) -> None:
    """Raise where sightings are not those of a rig."""
    for name, limit in (("camera", len(rig.cameras)), ("rod", len(rig.rods)), ("side", 2)):
        numbers = getattr(seen, name)
        if len(numbers) and not (numbers.min() >= 0 and numbers.max() < limit):
            reason = f"must be from 0 to {limit - 1}, as the rig has them"
            raise VisionError(rig.robot.name, f"sightings.{name}", reason)
    if (seen.deviation <= 0).any():
        reason = "must be > 0, for residuals are divided by it: give sightings the deviation of their pixels"
        raise VisionError(rig.robot.name, "sightings.deviation", reason)


def offsets_of_images(rig: Rig, lines: RodLines, image: Integers, seen: Sightings, radii: Array) -> Offsets:
    """Return how sightings lie to the contours in their own images.

    lines: (images, rods, ...); image: of each point (points,); radii: (images, rods) [m]. The rods of all images are
    one long list here.
    """
    rods = len(rig.rods)
    values = {name: getattr(lines, name) for name in ("A", "x", "d", "J_A", "J_x")}
    listed = {name: value.reshape(-1, *value.shape[2:]) for name, value in values.items()}
    every = RodLines(**listed, status=np.repeat(lines.status, rods))
    return offsets_of(rig, every, replace(seen, rod=image * rods + seen.rod), radii.ravel())


class ImageProblems:
    """The poses of some images, one problem each: see `fitting.Problems`. The state is poses and y."""

    def __init__(self, rig: Rig, seen: Sightings, counts: Sequence[int], encoders: Encoders | None) -> None:
        """Take the sightings of all images one after the other, with how many each has."""
        self.rig, self.seen, self.encoders = rig, seen, encoders
        self.image: Integers = np.repeat(np.arange(len(counts)), counts)
        self.positions = 0 if encoders is None else len(rig.robot.actuator_names)
        actuators = () if encoders is None else rig.robot.actuator_names
        self.known_names = (*actuators, *(f"the radius of {name}" for name in rig.rod_names))
        known = len(self.known_names)
        ends = np.cumsum(np.asarray(counts) + known)
        self.spans = [slice(int(end - count - known), int(end)) for end, count in zip(ends, counts, strict=True)]
        self.gated: NDArray[np.bool_] = np.ones(int(ends[-1]), bool)
        for span in self.spans:
            self.gated[span.stop - known : span.stop] = False
        self._known = np.flatnonzero(~self.gated)

    def rows(self, state: State) -> Rows:
        """Return residuals and slopes: of an image's sightings, then of its actuators, then of its radii."""
        poses, y = state
        n, rods = self.rig.robot.degrees_of_freedom, len(self.rig.rods)
        e, slopes = np.empty(len(self.gated)), np.zeros((len(self.gated), n + rods))
        e[self.gated], slopes[self.gated] = self._sighted(poses, y)
        known_e, known_slopes = np.zeros((len(poses), rods)), np.zeros((len(poses), rods, n + rods))
        known_e[:], known_slopes[:, :, n:] = y, np.eye(rods)
        if self.encoders is not None:
            miss, J = self._measured(poses, self.encoders)
            known_e = np.concatenate([miss, known_e], axis=1)
            wide = np.concatenate([J, np.zeros((*J.shape[:2], rods))], axis=2)
            known_slopes = np.concatenate([wide, known_slopes], axis=1)
        e[self._known], slopes[self._known] = known_e.ravel(), known_slopes.reshape(-1, n + rods)
        return Rows(e, slopes)

    def _sighted(self, poses: Array, y: Array) -> tuple[Array, Array]:
        radius, deviation = radii_of(self.rig)
        seen, rods = self.seen, len(self.rig.rods)
        offsets = offsets_of_images(self.rig, rod_lines(self.rig, poses), self.image, seen, radius + deviation * y)
        own = np.eye(rods)[seen.rod] * (deviation[seen.rod] * offsets.by_radius)[:, None]
        slopes = np.concatenate([offsets.by_pose, own], axis=1)
        return offsets.distance / seen.deviation, slopes / seen.deviation[:, None]

    def _measured(self, poses: Array, encoders: Encoders) -> tuple[Array, Array]:
        robot = self.rig.robot
        if robot.legs:
            told = encoder_kernel(robot)(pose=poses, q=encoders.q)
            return -told["missing"] / encoders.deviation, told["J_qv"] / encoders.deviation[:, None]
        q, J = (robot.evaluate(model, pose=poses)[name] for model, name in MODELS_OF_ACTUATORS)
        return (q - encoders.q) / encoders.deviation, J / encoders.deviation[:, None]

    def moved(self, state: State, steps: Array) -> State:
        """Return poses and y after steps."""
        n = self.rig.robot.degrees_of_freedom
        poses, y = state
        return displaced(self.rig.robot.motion_type, poses, steps[:, :n]), y + steps[:, n:]


MODELS_OF_ACTUATORS = (("inverse_kinematics", "q"), ("jacobian", "J_qv"))
"""Models that give the actuators' positions and how they follow the platform, with the names of their outputs; those of
mechanisms, whose poses count whole turns themselves."""


@functools.lru_cache(maxsize=32)
def encoder_kernel(robot: Robot) -> Kernel:
    """Compile what encoders say, as observers take it: pose, q -> q - q(pose) the short way round, J_qv, status."""

    def derive() -> Program:
        description = robot.description
        moving = robot_motion(description)
        q = ca.SX.sym("q", len(robot.actuator_names))
        outputs = {"missing": misfit(moving, q, description), "J_qv": ca.densify(moving.J_qv)}
        return program_of("encoders", Model({"pose": moving.pose, "q": q}, outputs), moving, description)

    return Kernel(Derivation(robot.content("encoders"), derive), status="status")
