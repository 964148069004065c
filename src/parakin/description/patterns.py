"""Which solver a leg's sequence of elements gets. Kinematics has one file for each."""

from __future__ import annotations

from parakin.description.elements import SWIVELLING, VARYING, Element
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
"""Closed form -> for each of its elements (type, joints its root may have). A leg whose last element turns inside is
closed by the form of the same leg without that, which is the pattern "swivel". Every other leg is solved by Newton."""

ELSEWHERE = "write the machine as a mechanism, a file of bodies and joints: docs/mechanisms.md"
"""What to do about a leg, or a motion, that robot files cannot say."""

BRANCHED = ("arm", "rail", "elbow")
"""Closed forms that close in two ways, with the elbow, or the carriage, in two places."""

DRIVEN: dict[str, tuple[str, ...]] = {
    "strut": ("length",),
    "arm": ("angle",),
    "rail": ("length",),
    "shaft": ("spin",),
    "elbow": ("angle", "second"),
}
"""Closed form -> the coordinates of its first element of which an actuator can drive one. A leg that is driven
elsewhere is solved by Newton; the spin of a last element that turns inside may be driven besides."""


def pattern_of(leg: Leg) -> str:
    """Return the name of the solver for a leg: a key of PATTERNS, "swivel", or "numeric"."""
    form = _closed_form(leg)
    if form == "numeric" and swivels_last(leg) and _closed_form(without_swivel(leg)) != "numeric":
        return "swivel"
    return form


def line_pattern(leg: Leg) -> str:
    """Return the closed form of a leg's lines, which a turn inside its last element does not change, or "numeric"."""
    pattern = pattern_of(leg)
    return _closed_form(without_swivel(leg)) if pattern == "swivel" else pattern


def swivels_last(leg: Leg) -> bool:
    """Return whether the last element of a leg, and no other, turns inside, on a root that determines its spin."""
    *others, last = leg.elements
    roots = ("revolute", "universal")
    return last.type in SWIVELLING and last.joint.type in roots and all(e.type not in SWIVELLING for e in others)


def without_swivel(leg: Leg) -> Leg:
    """Return a leg with a bar for a spindle at its end, or a telescopic element for a screw; its lines are the same."""
    *others, last = leg.elements
    actuator = None if last.actuator is not None and last.actuator.coordinate == "spin" else last.actuator
    kind = "telescopic" if last.type in VARYING else "bar"
    bodies = tuple(body for body in last.bodies if body.part != "tip" or kind == "telescopic")
    plain = last.model_copy(update={"type": kind, "actuator": actuator, "bodies": bodies})
    return leg.model_copy(update={"elements": (*others, plain)})


def _closed_form(leg: Leg) -> str:
    """Return the closed form that knows a leg's elements, their roots and its drives, or "numeric"."""
    for name, pattern in PATTERNS.items():
        if len(pattern) == len(leg.elements) and all(
            element.type == kind and element.joint.type in joints
            for element, (kind, joints) in zip(leg.elements, pattern, strict=True)
        ):
            known = _driven_as(leg, name) and (name != "elbow" or _turns_about_axis_2(leg))
            return name if known else "numeric"
    return "numeric"


def _driven_as(leg: Leg, pattern: str) -> bool:
    """Whether every actuator of a leg is where the closed form knows it."""
    driven = [
        (n, element.actuator.coordinate) for n, element in enumerate(leg.elements) if element.actuator is not None
    ]
    return all(n == 0 and coordinate in DRIVEN[pattern] for n, coordinate in driven)


def _turns_about_axis_2(leg: Leg) -> bool:
    """The second bar of an elbow turns about y of the first one's frame, which is axis 2 of its universal joint."""
    axis = leg.elements[1].joint.axis
    return axis is not None and abs(axis[0]) <= ROUNDING and abs(axis[2]) <= ROUNDING


ANGLES = {"fixed": 0, "revolute": 1, "universal": 2, "spherical": 2, "parallelogram": 2}
"""How many coordinates a root joint gives the direction of its element."""


def element_count(element: Element) -> int:
    """Return how many joint coordinates an element has: angles of its root, a length that varies, a turn inside."""
    return ANGLES[element.joint.type] + (element.type in VARYING) + (element.type in SWIVELLING)


def coordinate_count(leg: Leg) -> int:
    """Return how many joint coordinates decide where a leg's tip is and how it is turned."""
    return sum(element_count(element) for element in leg.elements)


def described(leg: Leg) -> str:
    """Return a leg's sequence of elements in words, for messages."""
    return ", then ".join(f"{element.type} on {element.joint.type}" for element in leg.elements)


def known_patterns() -> str:
    """Return all closed forms in words, for messages."""
    return "; ".join(
        f"{name}: " + ", then ".join(f"{kind} on {' or '.join(joints)}" for kind, joints in pattern)
        for name, pattern in PATTERNS.items()
    )
