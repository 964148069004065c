"""Where the elements of a robot's legs are at home, in numbers: the pose in which its graph is put together.

The frames of elements are those of docs/conventions.md. Legs without a closed form stand where their file says they
point, which is only roughly right.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.description import Element, Leg, PlatformJoint, elbow_places
from parakin.description.patterns import BRANCHED, line_pattern, pattern_of
from parakin.errors import DescriptionError

ALONG = 1e-6
"""Distance from 1 of the cosine between a direction and an axis below which the direction gives no angle about it."""
PARALLEL = 1e-6
"""Sine of an angle between directions below which they count as parallel: rounding of the digits of a file."""


@frozen_arrays
class Placed:
    """An element at home, in base axes."""

    A: Array
    """Its root (3,) [m]."""
    d: float
    """Its length [m]."""
    R: Array
    """Its axes as columns (3, 3), x along the line."""
    carrier: Array
    """The axes of what carries it (3, 3)."""
    axis: Array
    """The axis of its root in the carrier's frame; of a ball, one across the line."""
    tip: Array | None = None
    """The axes of its tip part (3, 3) where that turns against the root part; None where it does not."""

    @property
    def B(self) -> Array:
        """The place of its tip (3,) [m]."""
        return self.A + self.d * self.R[:, 0]


IN_CARRIER = "axes of a joint are in the frame of the element that carries it, not in base axes"
"""A remedy that errors about axes of element joints name."""

Line = tuple[Array, float]
"""Direction (3,) in base axes and length [m] of an element."""


def placed_elements(
    leg: Leg, lines: list[Line], turned: Array, tips: Sequence[Array | None] = ()
) -> tuple[Placed, ...]:
    """Return the elements of a written-out leg along their lines, from the base outwards.

    turned: orientation of the platform, which the motor of a shaft shares. tips: axes of the tip part of each element
    that turns inside; none if no element does.
    """
    carrier = turned if pattern_of(leg) == "shaft" else np.eye(3)
    root = np.array(leg.root)
    placed: list[Placed] = []
    parts = tips or [None] * len(lines)
    for element, (x, d), tip in zip(leg.elements, lines, parts, strict=True):
        axis = _axis(element, x, carrier)
        _check_line(leg, element, x, carrier @ axis)
        R = _axes(element, x, carrier @ axis)
        placed.append(Placed(root, d, R, carrier, axis, tip))
        root, carrier = placed[-1].B, R if tip is None else tip
    return tuple(placed)


def end_axes(x: Array, joint: PlatformJoint, carrier: Array) -> Array:
    """Return the axes of the tip part of an element along x as the joint at the platform turns it, base axes.

    `leg_axis` = (0, c, s) of them is x x axis, normalised, of a universal joint, and the axis of a revolute one.
    """
    axis, (_, c, s) = carrier @ np.array(joint.axis), joint.leg_axis or (0.0, 1.0, 0.0)
    held = axis if joint.type == "revolute" else unit(np.cross(x, axis))
    product = np.cross(x, held)
    return np.column_stack([x, c * held - s * product, s * held + c * product])


def lines_of(leg: Leg, tip: Array) -> list[Line]:
    """Return the lines of a leg whose tip is at a place; roughly, where the leg has no closed form."""
    root = np.array(leg.root)
    if line_pattern(leg) == "numeric":
        return [(np.array(e.direction), e.length or float(np.linalg.norm(tip - root))) for e in leg.elements]
    if line_pattern(leg) not in BRANCHED:
        return [_line(tip - root)]
    elbow = elbow_places(leg, tip)[0 if leg.branch == 1 else 1]
    second = _line(tip - elbow)
    if line_pattern(leg) == "rail":
        u = np.array(leg.elements[0].direction)
        return [(u, float((elbow - root) @ u)), second]
    return [_line(elbow - root), second]


def _line(r: Array) -> Line:
    d = float(np.linalg.norm(r))
    return r / d, d


def _axis(element: Element, x: Array, carrier: Array) -> Array:
    if element.joint.axis is not None:
        return np.array(element.joint.axis)
    return carrier.T @ unit(across(np.eye(3)[int(np.argmin(np.abs(x)))], x))


def _check_line(leg: Leg, element: Element, x: Array, axis: Array) -> None:
    """Raise DescriptionError for an element whose line is along the axis of its root, which then has no frame."""
    if float(np.linalg.norm(np.cross(x, axis))) < PARALLEL:
        which = "axis 1 of its universal joint" if element.joint.type == "universal" else "the axis of its joint"
        line = f"{numbers(element.joint.axis)} is {numbers(axis)} in base axes, and at home the line of {element.name}"
        reason = f"{line} lies along {which}, where it is singular: {IN_CARRIER}"
        raise DescriptionError(leg.name, ((f"{leg.name}.{element.name}.joint.axis", reason),))


def _axes(element: Element, x: Array, axis: Array) -> Array:
    """Return the element's axes from its line and the axis of its root, both in base axes."""
    if element.joint.type in ("revolute", "fixed"):
        x = unit(across(x, axis)) if element.joint.type == "revolute" else x
        z = unit(across(axis, x))
        return np.column_stack([x, np.cross(z, x), z])
    y = unit(np.cross(x, axis))
    return np.column_stack([x, y, np.cross(x, y)])


def reference_of(element: Element, axis: Array) -> Array:
    """Return the direction from which angles about the root's axis count, across that axis, in the carrier's frame."""
    given = element.actuator.reference if element.actuator is not None else None
    given = element.joint.reference if given is None else given
    if given is None:
        given = (1.0, 0.0, 0.0) if abs(axis[0]) < 1 - ALONG else (0.0, 1.0, 0.0)
    return unit(across(np.array(given), axis))


def numbers(vector: Sequence[float] | Array | None) -> str:
    """Return a vector for messages, rounding errors as zeros."""
    return "[" + ", ".join(f"{round(float(value), 6) + 0.0:g}" for value in (() if vector is None else vector)) + "]"


def across(v: Array, axis: Array) -> Array:
    """Return the part of a vector that is across a unit axis."""
    return v - (v @ axis) * axis


def unit(v: Array) -> Array:
    """Return a vector brought to unit length."""
    return v / np.linalg.norm(v)
