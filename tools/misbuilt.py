"""Robots and cameras that are not where they are believed to be, and what encoders and pictures then make of a pose."""

from __future__ import annotations

from typing import Any

import numpy as np

import parakin as pk
from parakin.arrays import Array
from parakin.description import expanded_legs
from parakin.quaternions import quaternion_from_vector
from parakin.vision import Rig, offsets_at, sightings_at

BUILT = {
    "all": "all joints and lengths off by 0.1 mm",
    "base": "joints at the base off by 0.1 mm",
    "arms": "lengths of arms off by 0.1 mm",
    "forearms": "lengths of forearms off by 0.1 mm",
    "platform": "joints at the nacelle off by 0.1 mm",
}
"""Errors of building: deviation of each component and length 0.1 mm."""
ENCODED = {"zeros": "zeros of encoders off by 1 mrad"}
"""Errors of encoders: deviation of each zero 1 mrad."""
MISPLACED = {"moved": "the camera off by 0.1 mm", "turned": "the camera turned by 0.1 mrad"}
"""Errors of the camera's place: deviation of each component."""
SIZE, ZERO = 1e-4, 1e-3
STEPS = 6
"""Gauss-Newton steps from the true pose, whose errors are a thousandth of the robot: they end at rounding."""


def misbuilt(robot: pk.Robot, what: str, seed: int) -> pk.Robot:
    """Return a robot whose dimensions are off at random."""
    rng = np.random.default_rng(seed)

    def off(values: Any, which: str) -> Any:
        given = np.asarray(values, float)
        moved = given + (SIZE * rng.normal(size=given.shape) if what in ("all", which) else 0.0)
        return moved.tolist()

    legs: list[dict[str, Any]] = []
    for leg in expanded_legs(robot.description):
        told = leg.model_dump(exclude_none=True)
        told["root"] = off(leg.root, "base")
        for element, kind in zip(told["elements"], ("arms", "forearms"), strict=True):
            element["length"] = off(element["length"], kind)
            if "actuator" in element and what == "zeros":
                element["actuator"]["zero"] += ZERO * rng.normal()
        told["attachment"]["b"] = off(leg.attachment.b, "platform")
        told["attachment"]["c"] = off(leg.attachment.c, "platform")
        legs.append(told)
    return robot.replace(legs=legs, symmetries={})


def misplaced(rig: Rig, what: str, seed: int) -> Rig:
    """Return a rig whose camera is elsewhere, at random."""
    rng = np.random.default_rng(seed)
    (camera,) = rig.cameras
    moved = 1e-4 * rng.normal(size=3) * (what == "moved")
    turned = quaternion_from_vector(1e-4 * rng.normal(size=3) * (what == "turned"))
    turn = pk.poses.matrix_from_quaternion(turned)
    return Rig(rig.robot, (camera.placed(camera.p_OK + moved, camera.R_OK @ turn),), rig.rods)


def encoder_error(believed: pk.Robot, plant: pk.Robot, poses: Array) -> Array:
    """Return how far off positions are that forward kinematics finds from exact encoders (poses, 3) [m]."""
    found = believed.forward_kinematics(plant.inverse_kinematics(poses), near=poses)
    return (found - poses)[:, :3]


def vision_error(believed: Rig, truth: Rig, poses: Array, radius_deviation: float) -> Array:
    """Return how far off positions are that fit exact contours best (poses, 3) [m].

    Radii are estimated along, as well known beforehand as the deviation says [m]; edge points count 0.04 px.
    """
    count, edge = poses.shape[-1], 0.04 / believed.cameras[0].focal[0]
    true_radii = np.array([rod.radius for rod in believed.rods])
    errors: list[Array] = []
    for pose in poses:
        seen = sightings_at(truth, pose, points=4)
        found, radii = pose.copy(), true_radii
        for _ in range(STEPS):
            offsets = offsets_at(believed, found, seen, radii)
            own = (seen.rod[:, None] == np.arange(len(radii))) * offsets.by_radius[:, None]
            prior = np.hstack([np.zeros((len(radii), count)), np.eye(len(radii))]) * edge / radius_deviation
            rows = np.vstack([np.hstack([offsets.by_pose, own]), prior])
            missing = np.concatenate([-offsets.distance, prior[:, count:] @ (true_radii - radii)])
            step = np.linalg.lstsq(rows, missing, rcond=None)[0]
            found, radii = found + step[:count], radii + step[count:]
        errors.append((found - pose)[:3])
    return np.array(errors)
