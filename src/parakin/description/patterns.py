"""Which solver a leg's sequence of elements gets. Kinematics has one file for each."""

from __future__ import annotations

from parakin.description.model import Leg
from parakin.description.values import ROUNDING

_FREE = ("universal", "spherical", "parallelogram", "revolute")

PATTERNS: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "strut": (("telescopic", ("universal", "spherical", "revolute")),),
    "arm": (("bar", ("revolute",)), ("bar", _FREE)),
    "rail": (("telescopic", ("fixed",)), ("bar", _FREE)),
    "shaft": (("screw", ("universal",)),),
    "elbow": (("bar", ("universal",)), ("bar", ("revolute",))),
}
"""Closed form -> for each of its elements (type, joints its root may have). Every other leg is solved numerically."""

BRANCHED = ("arm", "rail", "elbow")
"""Closed forms that close in two ways, with the elbow, or the carriage, in two places."""

DRIVEN: dict[str, str] = {"strut": "length", "arm": "angle", "rail": "length", "shaft": "spin", "elbow": "angle"}
"""Closed form -> the coordinate of its first element that an actuator can drive; nothing else of it can be driven."""


def pattern_of(leg: Leg) -> str:
    """Return the name of the solver for a leg: a key of PATTERNS, or "numeric"."""
    for name, pattern in PATTERNS.items():
        if len(pattern) == len(leg.elements) and all(
            element.type == kind and element.joint.type in joints
            for element, (kind, joints) in zip(leg.elements, pattern, strict=True)
        ):
            return name if name != "elbow" or _turns_about_axis_2(leg) else "numeric"
    return "numeric"


def _turns_about_axis_2(leg: Leg) -> bool:
    """The second bar of an elbow turns about y of the first one's frame, which is axis 2 of its universal joint."""
    axis = leg.elements[1].joint.axis
    return axis is not None and abs(axis[0]) <= ROUNDING and abs(axis[2]) <= ROUNDING


ANGLES = {"fixed": 0, "revolute": 1, "universal": 2, "spherical": 2, "parallelogram": 2}
"""How many coordinates a root joint gives the direction of its element."""


def coordinate_count(leg: Leg) -> int:
    """Return how many joint coordinates decide where a leg's tip is."""
    return sum(ANGLES[element.joint.type] + (element.type == "telescopic") for element in leg.elements)


def described(leg: Leg) -> str:
    """Return a leg's sequence of elements in words, for messages."""
    return ", then ".join(f"{element.type} on {element.joint.type}" for element in leg.elements)


def known_patterns() -> str:
    """Return all closed forms in words, for messages."""
    return "; ".join(
        f"{name}: " + ", then ".join(f"{kind} on {' or '.join(joints)}" for kind, joints in pattern)
        for name, pattern in PATTERNS.items()
    )
