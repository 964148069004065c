"""How legs yield: deflections of actuators from elastic drives and elements, and from play, at rest.

With motors held, the actuator positions that fit a pose x and elongations e of elements are q = q(x, e). What a leg
yields therefore shows as an error of q:

    dq = J_qv dx + G de,        G = dq/de by the exact inverse kinematics

A bar's elongation changes its length; that of a telescopic element adds to what its motor sets, G = -sign.
"""

from __future__ import annotations

import numpy as np

from parakin.analysis.options import Options
from parakin.analysis.quantity import GoodPoses
from parakin.arrays import Array
from parakin.description import Element, Leg
from parakin.robot import Robot


def closed_forms(robot: Robot, what: str) -> str | None:
    """Return why something that changes dimensions of legs cannot be known: they have no closed form."""
    if robot.place_is_pose:
        return None
    return f"what dimensions do is known of legs with a closed form alone, and it has others: leave {what} out"


def by_geometry(poses: GoodPoses) -> dict[str, Array]:
    """Return dq/d(dimension) (N, m) of every dimension of the legs, by its name."""
    robot = poses.robot
    slopes = robot.derivatives("inverse_kinematics", by=("geometry",), pose=poses.poses)["q", "geometry"]
    return {name: slopes[:, :, k] for k, name in enumerate(robot.geometry_names)}


def drive_stiffnesses(robot: Robot, options: Options) -> list[float | None]:
    """Return the stiffness of each drive [N/m or N m/rad]; None of rigid ones."""
    return [one.stiffness if options.drive_stiffness is None else options.drive_stiffness for one in robot.actuators]


def elastic_elements(robot: Robot) -> list[tuple[Leg, Element]]:
    """Return the elements that have a stiffness, each with its leg."""
    return [(leg, element) for leg in robot.legs for element in leg.elements if element.stiffness is not None]


def elongation_slopes(poses: GoodPoses, elastic: list[tuple[Leg, Element]]) -> Array:
    """Return G = dq/de (N, m, E) [1 or rad/m] for elongations of elements."""
    if not elastic:
        return np.zeros((len(poses.poses), len(poses.robot.actuators), 0))
    slopes = by_geometry(poses)
    return np.stack([elongation_slope(poses, slopes, *one) for one in elastic], axis=2)


def elongation_slope(poses: GoodPoses, slopes: dict[str, Array], leg: Leg, element: Element) -> Array:
    """Return dq/de (N, m) [1 or rad/m] for an elongation e of an element."""
    name = f"{leg.name}.{element.name}"
    if f"{name}.length" in slopes:
        return slopes[f"{name}.length"]
    column = np.zeros(slopes[f"{leg.name}.root.x"].shape)
    if element.actuator is not None and element.actuator.coordinate == "length":
        column[:, poses.robot.actuator_names.index(name)] = -element.actuator.sign
    return column
