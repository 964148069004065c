"""Rods between two balls, and when they can be a distance with mass instead of a body.

A rod that is round about the line of its balls needs no spin: its motion follows from that of its ends, and so does all
that it takes (`dynamics.graph.rods`). As a joint of type "distance" with a `rod` it has no coordinates, where a body
has a quaternion, three velocities and three rows. A rod that is not round must stay a body, its spin a freedom: leaving
it out was 8 % wrong on a reference whose rods have their mass off the line.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array
from parakin.mechanism.model import (
    Body,
    Frame,
    Joint,
    JointFreedom,
    MechanismDescription,
    Rod,
    coordinate_names,
)
from parakin.mechanism.skeleton import welded

ROUND = 1e-9
"""How far from round a rod may be, relative to its inertia across, so that taking it for round makes no difference."""


@dataclass(frozen=True)
class BallRod:
    """A body that two balls hold and no other joint but welds."""

    body: str
    """Its name."""
    balls: tuple[str, str]
    """The names of its joints."""
    length: float
    """Distance of the two balls [m]."""
    unround: float
    """How far it is from round: moments and products of inertia about its line that differ or do not vanish, beside
    its inertia across; or the distance of its centre of mass from the line, beside its length."""
    rod: Rod | None
    """The round rod nearest to it, counted from the first ball; None for one without mass."""
    kept: str
    """Why it must stay a body however round it is, in words; empty where nothing is against a distance."""


@dataclass(frozen=True)
class RodChoice:
    """How a plan takes a rod between two balls.

    >>> [choice.body for choice in linkage.plan.rods if choice.kept]  # rods that stay bodies: none here
    []
    """

    body: str
    """The rod's name."""
    unround: float
    """How far it is from round, as in `BallRod`."""
    kept: str
    """Why it stays a body that may spin, in words; empty where it is a distance with mass."""


def ball_rods(description: MechanismDescription, chosen: Collection[str] = ()) -> tuple[BallRod, ...]:
    """Return the bodies between two balls; chosen: independent coordinates besides the file's.

    >>> reachy = pk.mechanism.load_mechanism_description("reachy_mini")
    >>> pk.mechanism.ball_rods(reachy)  # none: its six rods are distances already
    ()
    """
    asked = {*(description.independent or ()), *chosen}
    asked |= {term.coordinate for coupling in description.couplings for term in coupling.terms}
    parts = welded(description)
    found: list[BallRod] = []
    for body in description.bodies:
        mine = [joint for joint in description.joints if body.name in (joint.parent, joint.child)]
        balls = [joint for joint in mine if joint.type != "weld"]
        if len(balls) == 2 and all(joint.type == "spherical" for joint in balls):
            found.append(_ball_rod(description, body, mine, asked, parts))
    return tuple(found)


def _ball_rod(
    description: MechanismDescription, body: Body, joints: Sequence[Joint], asked: set[str], parts: Mapping[str, str]
) -> BallRod:
    first, second = (joint for joint in joints if joint.type != "weld")
    a, b = (np.array(frame_on(joint, body.name).position) for joint in (first, second))
    length = float(np.linalg.norm(b - a))
    frames = [frame.name for frame in description.frames if frame.body == body.name]
    welds = [_other(joint, body.name) for joint in joints if joint.type == "weld"]
    kept = ""
    if welds:
        kept = f"{welds[0]} is welded to it"
    elif length == 0.0 or parts[_other(first, body.name)] == parts[_other(second, body.name)]:
        kept = "its balls are at one place" if length == 0.0 else "both its balls are on one rigid part"
    elif description.output.body == body.name or frames:
        kept = f"frame {frames[0]} is on it" if frames else "the output is on it"
    elif body.gravity_compensation:
        kept = "part of its weight is compensated"
    elif bars := [bar.called for bar in description.bars if any(end.body == body.name for end in bar.ends or ())]:
        kept = f"bar {bars[0]} ends on it"
    elif mine := asked.intersection(name for joint in (first, second) for name in coordinate_names(joint)):
        kept = f"{min(mine)} is asked for"
    else:
        kept = next((words for joint in (first, second) if (words := _more_than_a_ball(joint))), "")
        kept = kept or next(
            (words for joint in (first, second) if (words := _tilted_cone(joint, body.name, b - a))), ""
        )
    unround, rod = _nearest(body, a, (b - a) / length, length) if length > 0.0 else (0.0, None)
    return BallRod(body.name, (first.name, second.name), length, unround, rod, kept)


def _more_than_a_ball(ball: Joint) -> str:
    """Return what a ball has that turns of the rod must be known for, in words; nothing for a plain ball."""
    if ball.rows is not None:
        return f"{ball.name} does not hold along all axes"
    for name, freedom in ball.freedoms.items():
        for what in JointFreedom.model_fields:
            if getattr(freedom, what) != getattr(JointFreedom(), what):
                return f"{ball.name}.{name} has {'a limit' if what in ('lower', 'upper') else what}"
    return ""


def _tilted_cone(ball: Joint, body: str, line: Array) -> str:
    """Return that the cone of a ball asks for the spin of a rod along a line, in words; nothing where it does not."""
    direction = ball.cone_directions[0 if ball.parent == body else 1]
    if ball.cone is None or np.linalg.norm(np.cross(direction, line)) <= ROUND * np.linalg.norm(line):
        return ""
    return f"the cone of {ball.name} is not about its line"


def says_more(description: MechanismDescription) -> set[str]:
    """Return the bodies with a joint that says what no distance can: how far it may tilt, and its play."""
    telling = [joint for joint in description.joints if joint.cone is not None or joint.clearance is not None]
    return {body for joint in telling for body in (joint.parent, joint.child)}


def _nearest(body: Body, a: Array, x: Array, length: float) -> tuple[float, Rod | None]:
    """Return how far a body is from round about its line through a along x, and the round rod nearest to it."""
    if not body.mass:
        return 0.0, None
    com, axes = np.array(body.com) - a, _across(x)
    tensor = axes.T @ np.array(body.inertia) @ axes
    across = float(tensor[1, 1] + tensor[2, 2]) / 2
    rest = max(abs(float(v)) for v in (tensor[0, 1], tensor[0, 2], tensor[1, 2], tensor[1, 1] - across))
    along, off_line = float(com @ axes[:, 0]), float(np.linalg.norm(com @ axes[:, 1:]))
    unround = max(rest / across if across > 0.0 else 0.0, off_line / length)
    return unround, Rod(mass=body.mass, com=along, inertia=across)


def _across(x: Array) -> Array:
    """Return axes with x the first."""
    return Frame(position=(0.0, 0.0, 0.0), z=tuple(x.tolist())).rotation[:, [2, 0, 1]]


def frame_on(joint: Joint, body: str) -> Frame:
    """Return the frame of a joint on one of its two bodies."""
    return joint.parent_frame if joint.parent == body else joint.frame_on_child


def _other(joint: Joint, body: str) -> str:
    return joint.child if joint.parent == body else joint.parent


def rod_choices(
    description: MechanismDescription, chosen: Collection[str] = (), tolerance: float = ROUND, *, allowed: bool = True
) -> tuple[RodChoice, ...]:
    """Return which rods between two balls are distances, and why the others stay bodies.

    chosen: independent coordinates besides the file's. allowed: whether any rod may be a distance.
    """
    joints = {joint.name: joint for joint in description.joints}
    taken: set[str] = set()
    choices: list[RodChoice] = []
    for rod in ball_rods(description, chosen):
        beside = sorted(taken & {_other(joints[ball], rod.body) for ball in rod.balls})
        kept = rod.kept or (f"it hangs on rod {beside[0]}, which is a distance" if beside else "")
        if not kept and rod.unround > tolerance:
            kept = f"a distance has to be round to {tolerance:.0e}"
        if not kept and not allowed:
            kept = "distances were not allowed"
        choices.append(RodChoice(rod.body, rod.unround, kept))
        taken |= set() if kept else {rod.body}
    return tuple(choices)


def distances_for(
    description: MechanismDescription, balls: Mapping[str, tuple[str, str]]
) -> tuple[MechanismDescription, dict[str, Joint]]:
    """Return the mechanism with some of its rods between two balls as distances, and the new joints by rod.

    balls: which rods, each with its balls in the order in which the distance leads from its parent to its child. Bodies
    and balls of these rods are gone; what they held may hang on nothing else. A new joint has the body's name, unless a
    joint of the file has it.
    """
    joints = {joint.name: joint for joint in description.joints}
    made: dict[str, Joint] = {}
    for rod in ball_rods(description):
        if rod.body in balls:
            name = _new_name(rod.body, {*joints, *(one.name for one in made.values())})
            first, second = (joints[ball] for ball in balls[rod.body])
            made[rod.body] = _distance(rod, name, first, second)
    kept = [joint for joint in description.joints if not {joint.parent, joint.child} & balls.keys()]
    bodies = tuple(body for body in description.bodies if body.name not in balls)
    return description.model_copy(update={"bodies": bodies, "joints": (*kept, *made.values())}), made


def _distance(rod: BallRod, name: str, first: Joint, second: Joint) -> Joint:
    mass = rod.rod
    if mass is not None and first.name != rod.balls[0]:
        mass = mass.model_copy(update={"com": rod.length - mass.com})
    parent, child = _other(first, rod.body), _other(second, rod.body)
    return Joint(
        name=name,
        type="distance",
        parent=parent,
        child=child,
        parent_frame=frame_on(first, parent),
        child_frame=frame_on(second, child),
        length=rod.length,
        rod=mass,
    )


def _new_name(body: str, names: Collection[str]) -> str:
    """Return a name for the distance of a rod: the body's, or that with a number if a joint has it already."""
    candidates = [body, *(f"{body[:58]}_rod{k or ''}" for k in range(len(names) + 1))]
    return next(name for name in candidates if name not in names)
