"""Which sequences of elements have a solver, by name. Kinematics has one file for each."""

from __future__ import annotations

from parakin.description.model import Leg

_FREE = ("universal", "spherical", "parallelogram")

PATTERNS: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "strut": (("telescopic", ("universal", "spherical", "revolute")),),
    "arm": (("bar", ("revolute",)), ("bar", (*_FREE, "revolute"))),
    "rail": (("telescopic", ("fixed",)), ("bar", _FREE)),
}
"""Solver -> for each element (type, joints its root may have)."""


def pattern_of(leg: Leg) -> str | None:
    """The solver for a leg, if there is one."""
    for name, pattern in PATTERNS.items():
        if len(pattern) == len(leg.elements) and all(
            element.type == kind and element.joint.type in joints
            for element, (kind, joints) in zip(leg.elements, pattern, strict=True)
        ):
            return name
    return None


def described(leg: Leg) -> str:
    """A leg's pattern in words."""
    return ", then ".join(f"{element.type} on {element.joint.type}" for element in leg.elements)


def known_patterns() -> str:
    return "; ".join(
        f"{name}: " + ", then ".join(f"{kind} on {' or '.join(joints)}" for kind, joints in pattern)
        for name, pattern in PATTERNS.items()
    )
