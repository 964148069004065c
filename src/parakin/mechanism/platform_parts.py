"""The platform of a robot as bodies: one, or the bars of a nacelle.

On a platform that turns, what has a part c in its place keeps the base's orientation. All that does so at one b is one
bar, hinged to the platform at b; a body that turns about a place away from E by c is a bar of its own, hinged to every
bar that does not turn, so that they make parallelograms with the platform.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parakin.arrays import Array
from parakin.description import Leg, RobotDescription, Vector, attachment_joint
from parakin.errors import UnsupportedRobotError
from parakin.mechanism.building import Graph, Mass, Point

PLATFORM = "platform"
"""The name of the body whose frame is E."""


def is_pin(description: RobotDescription, legs: Sequence[Leg]) -> bool:
    """Return whether legs meet in one point, which has a place and no orientation: the tip of a five-bar.

    So it is where the platform does not turn, all legs end at E in hinges or balls, and all mass is at E.
    """
    motion = description.motion_type
    joints = {attachment_joint(leg, motion).type for leg in legs}
    places = [(leg.attachment.b, leg.attachment.c) for leg in legs]
    places += [(body.b, body.c) for body in description.platform.bodies]
    return not motion.turns and joints <= {"revolute", "spherical"} and not np.any(places)


class PlatformParts:
    """The bodies of a platform in a graph."""

    def __init__(
        self, graph: Graph, description: RobotDescription, legs: Sequence[Leg], home: tuple[Array, Array]
    ) -> None:
        self._graph, self._home = graph, home
        self._turns = description.motion_type.turns
        self._first = legs[0] if is_pin(description, legs) else None
        kept = [leg.attachment.b for leg in legs if any(leg.attachment.c)]
        kept += [body.b for body in description.platform.bodies if not body.turns]
        places = tuple(dict.fromkeys(kept)) if self._turns else ()
        if places and not description.motion_type.turns_about_z:
            why = "places on its platform keep the base's orientation (c, turns = false) though it turns about all axes"
            raise UnsupportedRobotError(description.name, why)
        graph.body(PLATFORM, *home, self._masses(description, None))
        self._bars: dict[Vector, str] = {b: self._add_bar(description, b, len(places)) for b in places}
        if self._turns:
            self._add_parallels(description)

    def _masses(self, description: RobotDescription, bar: Vector | None) -> list[Mass]:
        """Return what is fixed to the platform itself, or to the bar at b that does not turn."""
        found: list[Mass] = []
        for body in description.platform.bodies:
            inertia, said = np.array(body.inertia), (body.source,)
            if self._first is not None:
                found.append(Mass(body.mass, np.zeros(3), np.zeros((3, 3)), said))
            elif not self._turns:
                found.append(Mass(body.mass, np.array(body.b) + np.array(body.c), inertia, said))
            elif body.turns and bar is None and not any(body.c):
                found.append(Mass(body.mass, np.array(body.b), inertia, said))
            elif not body.turns and bar == body.b:
                found.append(Mass(body.mass, np.array(body.c), inertia, said))
        return found

    def _add_bar(self, description: RobotDescription, b: Vector, count: int) -> str:
        """Add the bar that hangs on the platform at b and does not turn."""
        p, R = self._home
        name = "bar" if count == 1 else f"bar{len(self._graph.bodies)}"
        bar = self._graph.body(f"{PLATFORM}_{name}", p + R @ np.array(b), np.eye(3), self._masses(description, b))
        ends = Point(PLATFORM, np.array(b)), Point(bar, np.zeros(3))
        self._graph.joint("revolute", *ends, (np.eye(3), np.eye(3)))
        return bar

    def _add_parallels(self, description: RobotDescription) -> None:
        """Add the bars that turn as the platform does, beside it by c, hinged to all that do not turn."""
        p, R = self._home
        for body in description.platform.bodies:
            if not body.turns or not any(body.c):
                continue
            mass = Mass(body.mass, np.array(body.b), np.array(body.inertia), (body.source,))
            bar = self._graph.body(f"{PLATFORM}_{body.name}", p + np.array(body.c), R, [mass])
            for b, kept in self._bars.items():
                ends = Point(kept, np.array(body.c)), Point(bar, np.array(b))
                self._graph.joint("revolute", *ends, (np.eye(3), np.eye(3)))

    def point(self, leg: Leg) -> Point:
        """Return the point of the platform where a leg meets it."""
        b, c = np.array(leg.attachment.b), np.array(leg.attachment.c)
        if not self._turns:
            return Point(PLATFORM, b + c)
        return Point(self._bars[leg.attachment.b], c) if np.any(c) else Point(PLATFORM, b)

    def carried_by(self, leg: Leg) -> bool:
        """Return whether a leg carries the pin in which all legs meet."""
        return leg is self._first
