"""Rods between two spherical joints, one of them perhaps universal, and when they can be a distance with mass.

A rod that is round about the line of its balls needs no spin: its motion follows from that of its ends, and so does all
that it takes (`dynamics.graph.rods`). As a joint of type "distance" with a `rod` it has no coordinates, where a body
has a quaternion, three velocities and three rows. A rod that is not round must stay a body, its spin a freedom: leaving
it out was 8 % wrong on a reference whose rods have their mass off the line.

Where one end is a universal joint, or two hinges with a ring, the rod's spin follows from its line. It is a
distance as well, round or not; its body, angles and parameters stay what they are in the file.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array
from parakin.mechanism.model import (
    BASE,
    Body,
    Frame,
    Joint,
    JointFreedom,
    MechanismDescription,
    Rod,
    coordinate_names,
)
from parakin.mechanism.numeric import cross, posture
from parakin.mechanism.rod_ends import RodEnd, carries, other, rod_end
from parakin.mechanism.skeleton import Skeleton, welded

SQUARE = 0.1
"""Largest cosine of the angles between a rod's line and axis 2 of a universal joint, and between the joint's axes."""
ALIGNED = 0.02
"""Sine of the angle between a rod's line and axis 1 of its universal joint below which the home is its singularity."""
ROUND = 1e-9
"""How far from round a rod may be, relative to its inertia across, so that taking it for round makes no difference."""


@dataclass(frozen=True)
class BallRod:
    """A body that two spherical joints hold, or one and a universal joint, and no other joint but welds."""

    body: str
    """Its name."""
    balls: tuple[str, str]
    """The names of its joints; of two hinges that away from the rod."""
    ends: tuple[RodEnd, RodEnd]
    """Its ends at these."""
    length: float
    """Distance of the two balls [m]."""
    unround: float
    """How far it is from round: moments and products of inertia about its line that differ or do not vanish, beside
    its inertia across; or the distance of its centre of mass from the line, beside its length."""
    rod: Rod | None
    """The round rod nearest to it, counted from the first ball; None for one without mass."""
    kept: str
    """Why it must stay a body however round it is, in words; empty where nothing is against a distance."""

    @property
    def turned(self) -> int | None:
        """Which of its ends gives it its spin, 0 or 1; None between two spherical joints."""
        return next((n for n, end in enumerate(self.ends) if end.axes is not None), None)


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
    """Return the bodies that rods may stand for; chosen: independent coordinates besides the file's.

    >>> reachy = pk.mechanism.load_mechanism_description("reachy_mini")
    >>> pk.mechanism.ball_rods(reachy)  # none: its six rods are distances already
    ()
    """
    asked = {*(description.independent or ()), *chosen}
    asked |= {term.coordinate for coupling in description.couplings for term in coupling.terms}
    found: list[BallRod] = []
    for body in description.bodies:
        mine = [joint for joint in description.joints if body.name in (joint.parent, joint.child)]
        moving = [joint for joint in mine if joint.type != "weld"]
        if len(moving) != 2 or all(joint.type != "spherical" for joint in moving):
            continue
        first, second = (rod_end(description, joint, body.name) for joint in moving)
        if first is not None and second is not None:
            welds = [other(joint, body.name) for joint in mine if joint.type == "weld"]
            found.append(_ball_rod(description, body, (first, second), welds, asked))
    return tuple(found)


def _ball_rod(
    description: MechanismDescription, body: Body, ends: tuple[RodEnd, RodEnd], welds: Sequence[str], asked: set[str]
) -> BallRod:
    a, b = (end.point for end in ends)
    length, parts = float(np.linalg.norm(b - a)), welded(description)
    joints = [joint for joint in description.joints if joint.name in (*ends[0].joints, *ends[1].joints)]
    turns = any(end.axes is not None for end in ends)
    if welds:
        kept = f"{welds[0]} is welded to it"
    elif length == 0.0 or parts[ends[0].body] == parts[ends[1].body]:
        kept = "its balls are at one place" if length == 0.0 else "both its balls are on one rigid part"
    elif (kept := carries(description, body.name)) and not (turns and kept.startswith("bar ")):
        pass
    elif mine := asked.intersection(name for joint in joints for name in coordinate_names(joint)):
        kept = f"{min(mine)} is asked for"
    else:
        kept = next((words for joint in joints if (words := _more_than_turns(joint, turns))), "")
        if not (kept or turns):
            kept = next((words for joint in joints if (words := _tilted_cone(joint, body.name, b - a))), "")
    unround, rod = _nearest(body, a, (b - a) / length, length) if length > 0.0 else (0.0, None)
    if turns and not kept:
        kept = _out_of_square(ends, (b - a) / length)
    return BallRod(body.name, (ends[0].joints[0], ends[1].joints[0]), ends, length, unround, rod, kept)


def _out_of_square(ends: tuple[RodEnd, RodEnd], x: Array) -> str:
    """Return why a rod along x whose spin follows from its line must stay a body, in words; empty if it need not."""
    end = next(end for end in ends if end.axes is not None)
    if end.axes is not None and max(abs(float(end.axes[1] @ x)), abs(end.cosine)) > SQUARE:
        return f"axes of {end.joints[0]} are not at right angles to each other or to its line"
    return ""


def _more_than_turns(joint: Joint, turns: bool) -> str:
    """Return what a joint has for which the rod must be a body, in words; nothing for a plain one.

    turns: whether the rod's spin follows from its line, so that its friction is known without one.
    """
    if joint.rows is not None:
        return f"{joint.name} does not hold along all axes"
    for name, freedom in joint.freedoms.items():
        for what in (what for what in JointFreedom.model_fields if not (turns and what == "friction")):
            if getattr(freedom, what) != getattr(JointFreedom(), what):
                return f"{joint.name}.{name} has {'a limit' if what in ('lower', 'upper') else what}"
    return ""


def frame_of(tree: Skeleton, configuration: Array, body: str) -> tuple[Array, Array]:
    """Return origin and axes of a body's frame."""
    if body == BASE:
        return np.zeros(3), np.eye(3)
    place = tree.bodies[[one.name for one in tree.description.bodies].index(body)]
    return posture(tree, configuration).frame(place)


def side_of(tree: Skeleton, configuration: Array, rod: BallRod) -> float:
    """Return y·(e x n) of a rod with a universal joint, whose axes are e and y, and n along the line away from it."""
    assert rod.turned is not None
    near, far = (rod.ends[n] for n in (rod.turned, 1 - rod.turned))
    assert near.axes is not None
    _, R_body = frame_of(tree, configuration, near.body)
    _, R_rod = frame_of(tree, configuration, rod.body)
    e, y = R_body @ near.frame.rotation @ near.axes[0], R_rod @ near.axes[1]
    return float(y @ cross(e, R_rod @ (far.point - near.point) / rod.length))


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


def rod_choices(
    description: MechanismDescription,
    chosen: Collection[str] = (),
    tolerance: float = ROUND,
    *,
    refused: Mapping[str, str] | None = None,
) -> tuple[RodChoice, ...]:
    """Return which rods are distances, and why the others stay bodies.

    chosen: independent coordinates besides the file's. refused: rods that must stay bodies for other reasons.
    """
    taken: set[str] = set()
    choices: list[RodChoice] = []
    for rod in ball_rods(description, chosen):
        beside = sorted(taken & {end.body for end in rod.ends})
        kept = rod.kept or (f"it hangs on rod {beside[0]}, which is a distance" if beside else "")
        if not kept and rod.unround > tolerance and rod.turned is None:
            kept = f"a distance has to be round to {tolerance:.0e}"
        kept = kept or (refused or {}).get(rod.body, "")
        choices.append(RodChoice(rod.body, rod.unround, kept))
        taken |= set() if kept else {rod.body}
    return tuple(choices)


@dataclass(frozen=True)
class Reduced:
    """A mechanism with some of its rods as distances."""

    description: MechanismDescription
    """The mechanism without the bodies of these rods."""
    made: dict[str, Joint]
    """The new joints by rod."""
    parametrised: MechanismDescription
    """The mechanism without those that spin freely: the others keep bodies and joints for their parameters."""


def distances_for(description: MechanismDescription, balls: Mapping[str, tuple[str, str]]) -> Reduced:
    """Return the mechanism with some of its rods as distances.

    balls: which rods, each with its balls in the order in which the distance leads from its parent to its child. Bodies
    and joints of these rods are gone; what they held may hang on nothing else. A new joint has the body's name, unless
    a joint of the file has it.
    """
    names = {joint.name for joint in description.joints}
    made: dict[str, Joint] = {}
    gone: dict[str, set[str]] = {}
    spinning: set[str] = set()
    for rod in ball_rods(description):
        if rod.body in balls:
            name = _new_name(rod.body, {*names, *(one.name for one in made.values())})
            made[rod.body] = _distance(rod, name, backwards=balls[rod.body][0] != rod.balls[0])
            gone[rod.body] = {rod.body, *(end.ring for end in rod.ends)}
            spinning |= set() if rod.turned is not None else {rod.body}

    def without(rods: Collection[str]) -> MechanismDescription:
        if not rods:
            return description
        removed = {body for rod in rods for body in gone[rod]}
        kept = [joint for joint in description.joints if not {joint.parent, joint.child} & removed]
        bodies = tuple(body for body in description.bodies if body.name not in removed)
        new = [joint for rod, joint in made.items() if rod in rods]
        return description.model_copy(update={"bodies": bodies, "joints": (*kept, *new)})

    return Reduced(without(made), made, without(spinning))


def _distance(rod: BallRod, name: str, *, backwards: bool) -> Joint:
    mass = rod.rod
    if mass is not None and backwards:
        mass = mass.model_copy(update={"com": rod.length - mass.com})
    first, second = rod.ends[::-1] if backwards else rod.ends
    return Joint(
        name=name,
        type="distance",
        parent=first.body,
        child=second.body,
        parent_frame=first.frame,
        child_frame=second.frame,
        length=rod.length,
        rod=mass,
    )


def _new_name(body: str, names: Collection[str]) -> str:
    """Return a name for the distance of a rod: the body's, or that with a number if a joint has it already."""
    candidates = [body, *(f"{body[:58]}_rod{k or ''}" for k in range(len(names) + 1))]
    return next(name for name in candidates if name not in names)
