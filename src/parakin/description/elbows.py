"""Where elbows are: a leg of two bars, or of a rail and a bar, closes in two ways, and a file says which.

At home the elbow B of such a leg (the tip of its arm, or its carriage) can be in two places. Seen from the base's axis,
the one farther out is "outwards", the other "inwards". The base's axis goes through the mean of the legs' roots, along
the axis of the leg's symmetry, or along z for a leg without one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

import numpy as np

from parakin.arrays import Array
from parakin.description.model import Leg, RobotDescription
from parakin.description.patterns import BRANCHED, described, line_pattern
from parakin.description.symmetry import expanded_legs
from parakin.motions.offsets import frame_at

Elbow = Literal["outwards", "inwards"]
"""Where an elbow points at home, seen from the base's axis."""

SIDEWAYS = 1e-6
"""Two places of an elbow whose distances from the base's axis differ by less than this share of the larger distance
are neither outwards nor inwards."""

_EITHER_WAY = 'elbow = "outwards" or elbow = "inwards"'


def unsaid(leg: Leg) -> str:
    """Return what is missing of a leg that closes in two ways and does not say which."""
    return f"is missing: {described(leg)} closes in two ways; say {_EITHER_WAY} at home, or {_signs(leg)}"


def _signs(leg: Leg) -> str:
    if line_pattern(leg) == "rail":
        return "branch = 1 (the carriage is behind the platform's joint, along its rail) or branch = -1 (ahead of it)"
    normal = "axis" if line_pattern(leg) == "arm" else "(r x axis), r from root to tip"
    return f"branch = 1 or branch = -1, the sign of (x_1 x x_2)·{normal}"


def provisional(robot: RobotDescription, elbows: Mapping[int, Elbow]) -> tuple[RobotDescription, list[tuple[str, str]]]:
    """Return the robot with some branch for every leg that says where its elbow is, and what is wrong with those."""
    wrong: list[tuple[str, str]] = []
    legs = list(robot.legs)
    for k in elbows:
        if legs[k].branch is not None:
            wrong.append((f"legs[{k}].elbow", "branch says it already: keep one of the two"))
        elif line_pattern(legs[k]) not in BRANCHED:
            wrong.append((f"legs[{k}].elbow", f"{described(legs[k])} has no elbow to choose: remove it"))
        else:
            legs[k] = legs[k].model_copy(update={"branch": 1})
    return robot.model_copy(update={"legs": tuple(legs)}), wrong


def resolved(robot: RobotDescription, elbows: Mapping[int, Elbow]) -> tuple[RobotDescription, list[tuple[str, str]]]:
    """Return the robot with the branch that puts each elbow where its leg says, and what is wrong where none does.

    The copies of a leg share its branch, so all of them must have their elbow there with it.
    """
    wrong: list[tuple[str, str]] = []
    legs = list(robot.legs)
    outward = _outward_branches(robot) if elbows else {}
    for k, elbow in elbows.items():
        signs = set(outward[k].values())
        sign = signs.pop()
        if sign is None or signs:
            reason = "its copies need different signs" if signs else "both ways are equally far from the base's axis"
            wrong.append((f"legs[{k}].elbow", f"at home {reason}: say {_signs(legs[k])}"))
        else:
            legs[k] = legs[k].model_copy(update={"branch": sign if elbow == "outwards" else -sign})
    return robot.model_copy(update={"legs": tuple(legs)}), wrong


def elbow_directions(robot: RobotDescription) -> dict[str, Elbow | None]:
    """Return where the elbow of each leg points at home, by the leg's name; None if neither outwards nor inwards.

    Legs that close in one way only are left out.

    >>> pk.description.elbow_directions(robot.description)
    {'leg1': 'outwards', 'leg2': 'outwards', 'leg3': 'outwards'}
    """
    directions: dict[str, Elbow | None] = {}
    for k, copies in _outward_branches(robot).items():
        for name, sign in copies.items():
            directions[name] = None if sign is None else "outwards" if sign == robot.legs[k].branch else "inwards"
    return {leg.name: directions[leg.name] for leg in expanded_legs(robot) if leg.name in directions}


def _outward_branches(robot: RobotDescription) -> dict[int, dict[str, int | None]]:
    """Index of a leg with two branches -> name of each of its copies -> the sign with which its elbow is outwards."""
    written_out = {leg.name: leg for leg in expanded_legs(robot)}
    centre = np.mean([leg.root for leg in written_out.values()], axis=0)
    p, R = frame_at(robot.motion_type, np.array(robot.workspace.home))
    outward: dict[int, dict[str, int | None]] = {}
    for k, leg in enumerate(robot.legs):
        if line_pattern(leg) not in BRANCHED:
            continue
        symmetry = robot.symmetries[leg.symmetry] if leg.symmetry is not None else None
        names = [f"{leg.name}{n + 1}" for n in range(symmetry.count)] if symmetry else [leg.name]
        axis = np.array(symmetry.axis if symmetry else (0.0, 0.0, 1.0))
        outward[k] = {}
        for name in names:
            copy = written_out[name]
            tip = p + R @ np.array(copy.attachment.b) + np.array(copy.attachment.c)
            outward[k][name] = _farther(elbow_places(copy, tip), centre, axis)
    return outward


def _farther(places: tuple[Array, Array], centre: Array, axis: Array) -> int | None:
    """Which of the places for branch 1 and -1 is farther from a line; None if neither is, or they cannot be told."""
    plus, minus = (float(np.linalg.norm(np.cross(axis, place - centre))) for place in places)
    if not abs(plus - minus) > SIDEWAYS * max(plus, minus):
        return None
    return 1 if plus > minus else -1


def elbow_places(leg: Leg, tip: Array) -> tuple[Array, Array]:
    """Return where the elbow is with branch 1 and with -1: equations of kinematics/arm.py, rail.py and elbow.py.

    >>> first, second = pk.description.elbow_places(leg, robot.home + leg.attachment.b)
    >>> bool(first[2] > second[2])
    True
    """
    first, second = leg.elements
    root = np.array(leg.root)
    r, d_2 = tip - root, second.length or 0.0
    if line_pattern(leg) == "rail":
        u = np.array(first.direction)
        middle = (r @ u) * u
        aside = -math.sqrt(max(d_2**2 - float((r - middle) @ (r - middle)), 0.0)) * u
    else:
        axis, d_1 = np.array(first.joint.axis), first.length or 0.0
        normal = axis if line_pattern(leg) == "arm" else _unit(np.cross(r, axis))
        across = r - (r @ normal) * normal
        squared = float(across @ across)
        if squared == 0.0:
            return root, root
        c = (float(r @ r) + d_1**2 - d_2**2) / 2
        middle = c * across / squared
        aside = -math.sqrt(max(d_1**2 * squared - c**2, 0.0)) * np.cross(normal, across) / squared
    return root + middle + aside, root + middle - aside


def _unit(v: Array) -> Array:
    return v / (float(np.linalg.norm(v)) or 1.0)
