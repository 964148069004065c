"""Robots made for tests: geometry alone, no bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from parakin.description import RobotDescription, describe
from parakin.motions import MOTIONS

SOURCE = "assumed"
Points = np.ndarray | Sequence[Sequence[float]]
Z = [0.0, 0.0, 1.0]
REVOLUTE = {"type": "revolute", "axis": Z}


def robot(name: str, motion: str, home: Sequence[float], legs: list[dict[str, Any]], length: float) -> RobotDescription:
    freedom = MOTIONS[motion].degrees_of_freedom
    tables: dict[str, Any] = {
        "name": name,
        "title": name,
        "motion": motion,
        "length": length,
        "source": SOURCE,
        "workspace": {
            "home": [float(v) for v in home],
            "lower": [-0.05] * freedom,
            "upper": [0.05] * freedom,
            "source": SOURCE,
        },
        "platform": {"source": SOURCE},
        "legs": legs,
    }
    return describe(tables, name)


def floats(vector: Any) -> list[float]:
    return [float(value) for value in vector]


def leg(number: int, root: Any, b: Any, elements: list[dict[str, Any]], c: Any = (0, 0, 0)) -> dict[str, Any]:
    attachment = {"b": floats(b), "c": floats(c)}
    branch = {"branch": 1} if len(elements) == 2 else {}
    return branch | {
        "name": f"leg{number + 1}",
        "root": floats(root),
        "attachment": attachment,
        "elements": elements,
        "source": SOURCE,
    }


def strut(joint: dict[str, Any]) -> list[dict[str, Any]]:
    actuator = {"coordinate": "length", "source": SOURCE}
    return [{"name": "strut", "type": "telescopic", "joint": joint, "actuator": actuator, "source": SOURCE}]


def arm(axis: Any, reference: Any, lengths: tuple[float, float], joint: dict[str, Any]) -> list[dict[str, Any]]:
    actuator = {"coordinate": "angle", "reference": floats(reference), "source": SOURCE}
    root = {"type": "revolute", "axis": floats(axis)}
    return [
        {"name": "arm", "type": "bar", "joint": root, "length": lengths[0], "actuator": actuator, "source": SOURCE},
        {"name": "forearm", "type": "bar", "joint": joint, "length": lengths[1], "source": SOURCE},
    ]


def gough_stewart(name: str, base: Points, platform: Points, home: Sequence[float]) -> RobotDescription:
    spherical = {"type": "spherical"}
    legs = [leg(k, base[k], platform[k], strut(spherical)) for k in range(6)]
    return robot(name, "spatial", home, legs, 0.5)


def hexagon(radius: float, half: float, turn: float = 0.0) -> np.ndarray:
    """Coplanar and semi-regular: three pairs, each `half` to both sides of a third of the circle."""
    angles = np.array([turn + 2 * np.pi * k / 3 + side * half for k in range(3) for side in (-1, 1)])
    return np.column_stack([radius * np.cos(angles), radius * np.sin(angles), np.zeros(6)])


HOME = (0.03, -0.02, 1.1, 1.0, 0.0, 0.0, 0.0)


def semi_regular() -> RobotDescription:
    """Both hexagons coplanar and semi-regular: 28 complex solutions."""
    return gough_stewart("semi_regular", hexagon(1.0, 0.25), np.roll(hexagon(0.6, 0.3, np.pi / 3), 1, axis=0), HOME)


def six_three() -> RobotDescription:
    """Legs meet in pairs on the platform: 16 complex solutions."""
    angles = np.array([np.pi / 3, np.pi, 5 * np.pi / 3])
    corners = np.column_stack([0.6 * np.cos(angles), 0.6 * np.sin(angles), np.zeros(3)])
    return gough_stewart("six_three", hexagon(1.0, 0.35), corners[[2, 0, 0, 1, 1, 2]], HOME)


DIETMAIER_LENGTHS = (1.0, 0.645275, 1.086284, 1.503439, 1.281933, 0.771071)


def dietmaier() -> RobotDescription:
    """The platform of [Dietmaier1998], with 40 real poses at DIETMAIER_LENGTHS."""
    base = (
        (0.0, 0.0, 0.0),
        (1.107915, 0.0, 0.0),
        (0.549094, 0.756063, 0.0),
        (0.735077, -0.223935, 0.525991),
        (0.514188, -0.526063, -0.368418),
        (0.590473, 0.094733, -0.205018),
    )
    platform = (
        (0.0, 0.0, 0.0),
        (0.542805, 0.0, 0.0),
        (0.956919, -0.528915, 0.0),
        (0.665885, -0.353482, 1.402538),
        (0.478359, 1.158742, 0.107672),
        (-0.137087, -0.235121, 0.353913),
    )
    return gough_stewart("dietmaier", base, platform, (0.3, 0.2, 0.8, 1.0, 0.0, 0.0, 0.0))


def planar_3rpr() -> RobotDescription:
    base = ((0.0, 0.0, 0.0), (1.59, 0.0, 0.0), (0.77, 0.99, 0.0))
    platform = ((0.42, 0.73, 0.0), (-0.78, -0.71, 0.0), (-0.43, 0.55, 0.0))
    legs = [leg(k, base[k], platform[k], strut(REVOLUTE)) for k in range(3)]
    return robot("planar_3rpr", "planar", (0.45, 0.35, 0.1), legs, 1.0)


SIX_POSES = (1.8871734765261294, 1.9401202361296372, 1.6606909623578552)
"""Lengths at which the planar_3rpr has six poses."""


def planar_3rrr() -> RobotDescription:
    """Symmetric, so that lines of the elimination are in special position."""
    outward = [np.array([np.cos(t), np.sin(t), 0.0]) for t in 2 * np.pi * np.arange(3) / 3]
    legs = [leg(k, 0.6 * out, 0.15 * out, arm(Z, (1, 0, 0), (0.35, 0.35), REVOLUTE)) for k, out in enumerate(outward)]
    return robot("planar_3rrr", "planar", (0.0, 0.0, 0.0), legs, 0.3)


def quattro() -> RobotDescription:
    """Four-fold symmetric with an articulated nacelle; elbows at one height make the elimination of p singular."""
    legs: list[dict[str, Any]] = []
    for k, turn in enumerate(np.pi / 4 + np.pi / 2 * np.arange(4)):
        out = np.array([np.cos(turn), np.sin(turn), 0.0])
        axis = np.cross(Z, out)
        rods = {"type": "parallelogram", "axis": Z, "spacing": 0.1}
        b, c = (np.sign(out[0]) * 0.06, 0, 0), (0, np.sign(out[1]) * 0.08, 0)
        legs.append(leg(k, 0.275 * out, b, arm(axis, out, (0.375, 0.825), rods), c))
    return robot("quattro", "schoenflies", (0.0, 0.0, -0.7, 0.0), legs, 0.2)


def hexa() -> RobotDescription:
    base, platform = hexagon(0.5, 0.3), hexagon(0.15, 0.5)
    legs: list[dict[str, Any]] = []
    for k in range(6):
        out = base[k] / np.linalg.norm(base[k])
        legs.append(leg(k, base[k], platform[k], arm(np.cross(Z, out), out, (0.4, 0.9), {"type": "spherical"})))
    return robot("hexa", "spatial", (0.02, 0.01, -0.8, 1.0, 0.0, 0.0, 0.0), legs, 0.3)
