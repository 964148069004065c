"""The bars of a mechanism file written out: where each lies, and where it meets others by construction.

A bar whose file names a body reaches between the places of that body's joints. Two bars meet by construction where
they come to one point of the mechanism: joints of one place, on all bodies that they hold together, and the ends of
bars are such points. A bar comes to a point of its body that is not farther from its middle line than its radius.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array
from parakin.mechanism.bar_tables import Bar
from parakin.mechanism.model import Joint, MechanismDescription
from parakin.mechanism.skeleton import Sets

ONE_PLACE = 1e-4
"""Joints of a body that are closer to each other than this share of its largest distance are at one place."""
ROUNDING = 1e-9
"""Joints of a body that are closer to each other are at one place, whatever others it has [m]."""
SLIDING = ("prismatic", "cylindrical", "screw", "planar", "weld")
"""Joints along which two bodies lie beside or inside each other: their bars touch wherever they are."""
HOLDING = ("revolute", "universal", "spherical", "weld")
"""Joints that keep the origins of their two frames at one place."""
Spot = tuple[str, tuple[float, float, float]]
"""A point of a body: the body's name, and the place in its frame [m]."""


@dataclass(frozen=True)
class Segment:
    """A round bar of a mechanism."""

    name: str
    """What it is called: its body, its own name, or body.joint for a bar of a star."""
    radius: float
    """Its radius [m]."""
    ends: tuple[Spot, Spot]
    """Its two ends."""
    meets: frozenset[str]
    """Points and sliding joints that it comes to, by names of their own."""

    @property
    def part(self) -> str | None:
        """The body that all of it belongs to; None if its ends are on two."""
        first, second = (body for body, _ in self.ends)
        return first if first == second else None


def segments_of(description: MechanismDescription) -> tuple[Segment, ...]:
    """Return the bars of a mechanism in the order of its file, stars written out, with what they meet."""
    drawn = [piece for bar in description.bars for piece in _pieces(bar, description)]
    points = _points(description, [spot for _, _, ends in drawn for spot in ends])
    return tuple(
        Segment(name, radius, ends, frozenset(_met(radius, ends, points, description))) for name, radius, ends in drawn
    )


_Piece = tuple[str, float, tuple[Spot, Spot]]


def _pieces(bar: Bar, description: MechanismDescription) -> Iterator[_Piece]:
    """The bars that a table of the file stands for: name, radius and ends."""
    if bar.ends is not None:
        first, second = bar.ends
        yield bar.called, bar.radius, ((first.body, first.position), (second.body, second.position))
        return
    for joint in description.joints:
        if joint.type == "distance" and joint.name == bar.body:
            yield bar.called, bar.radius, _sides(joint)
            return
    body = bar.body or ""
    places = joint_places(description, body)
    line = _on_one_line(list(places.values()))
    if line is not None:
        a, b = line
        yield bar.called, bar.radius, ((body, _tuple(a)), (body, _tuple(b)))
        return
    middle = (body, _tuple(np.mean(list(places.values()), axis=0)))
    for name, place in places.items():
        yield f"{bar.called}.{name}", bar.radius, (middle, (body, _tuple(place)))


def joint_places(description: MechanismDescription, body: str) -> dict[str, Array]:
    """Return the places of a body's joints that differ, by the first joint at each; free joints have none."""
    found: dict[str, Array] = {}
    spots = [
        (joint.name, np.array(place))
        for joint in description.joints
        for side, place in _sides(joint)
        if side == body and joint.type != "free"
    ]
    size = max((float(np.linalg.norm(a - b)) for _, a in spots for _, b in spots), default=0.0)
    apart = max(ONE_PLACE * size, ROUNDING)
    for name, place in spots:
        if all(float(np.linalg.norm(place - other)) > apart for other in found.values()):
            found[name] = place
    return found


def _sides(joint: Joint) -> tuple[Spot, Spot]:
    return (joint.parent, joint.parent_frame.position), (joint.child, joint.frame_on_child.position)


def _on_one_line(places: list[Array]) -> tuple[Array, Array] | None:
    """The two places farthest apart if all others are on the line between them, else None."""
    a, b = max(((p, q) for p in places for q in places), key=lambda pair: float(np.linalg.norm(pair[1] - pair[0])))
    length = float(np.linalg.norm(b - a))
    off = max(_away(place, a, b) for place in places)
    return (a, b) if off <= ONE_PLACE * length else None


def _away(point: Array, a: Array, b: Array) -> float:
    """The distance of a point from the segment between a and b."""
    along = b - a
    squared = float(along @ along)
    share = min(max(float((point - a) @ along) / squared, 0.0), 1.0) if squared > 0.0 else 0.0
    return float(np.linalg.norm(point - a - share * along))


def _tuple(place: Array) -> tuple[float, float, float]:
    x, y, z = place.tolist()
    return x, y, z


def _points(description: MechanismDescription, ends: list[Spot]) -> dict[Spot, str]:
    """Return a name for each place of a joint and end of a bar; those that a joint holds together have one name."""
    spots = dict.fromkeys([*(side for joint in description.joints for side in _sides(joint)), *ends])
    names = {spot: f"{spot[0]} {spot[1]}" for spot in spots}
    sets = Sets(names.values())
    for joint in description.joints:
        if joint.type in HOLDING:
            first, second = _sides(joint)
            sets.join(names[first], names[second])
    return {spot: sets.leader(name) for spot, name in names.items()}


def _met(
    radius: float, ends: tuple[Spot, Spot], points: dict[Spot, str], description: MechanismDescription
) -> Iterator[str]:
    """The points and sliding joints that a bar comes to."""
    (first, a), (second, b) = ends
    whole = first == second
    for (body, place), name in points.items():
        lines = [(a, b)] if whole and body == first else [(end, end) for side, end in ends if side == body]
        if any(_away(np.array(place), np.array(p), np.array(q)) <= radius for p, q in lines):
            yield name
    for joint in description.joints:
        if joint.type in SLIDING and {first, second} <= {joint.parent, joint.child}:
            yield f"{joint.type} {joint.name}"
