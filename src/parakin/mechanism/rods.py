"""Rods between two balls, and when they can be a distance with mass instead of a body.

A rod that is round about the line of its balls needs no spin: its motion follows from that of its ends, and so does all
that it takes (`dynamics.graph.rods`). As a joint of type "distance" with a `rod` it has no coordinates, where a body
has a quaternion, three velocities and three rows. A rod that is not round must stay a body, its spin a freedom: leaving
it out was 8 % wrong on a reference whose rods have their mass off the line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array
from parakin.mechanism.assembling import assemble
from parakin.mechanism.model import BASE, Body, Frame, Joint, MechanismDescription, Rod, coordinate_names
from parakin.mechanism.numeric import matrix_quaternion, posture
from parakin.mechanism.skeleton import skeleton, welded

ROUND = 1e-9
"""How far from round a rod may be, relative to its inertia across, so that taking it for round makes no difference."""


@dataclass(frozen=True)
class BallRod:
    """A body that two balls hold and nothing else."""

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
    asked: bool
    """Whether its spin, or a frame of it, is asked for, so that it must stay a body."""


def ball_rods(description: MechanismDescription) -> tuple[BallRod, ...]:
    """Return the bodies between two passive balls without friction.

    >>> reachy = pk.mechanism.load_mechanism_description("reachy_mini")
    >>> pk.mechanism.ball_rods(reachy)  # none: its six rods are distances already
    ()
    """
    named = {*(description.independent or ()), *(t.coordinate for c in description.couplings for t in c.terms)}
    found: list[BallRod] = []
    for body in description.bodies:
        mine = [joint for joint in description.joints if body.name in (joint.parent, joint.child)]
        if len(mine) != 2 or not all(j.type == "spherical" and not j.freedoms and j.rows is None for j in mine):
            continue
        asked = bool(named.intersection(name for joint in mine for name in coordinate_names(joint)))
        frames = {frame.body for frame in (description.output, *description.frames)}
        rod = _rod(body, mine, asked or body.name in frames)
        found += [] if rod is None else [rod]
    return tuple(found)


def _rod(body: Body, balls: Sequence[Joint], asked: bool) -> BallRod | None:
    a, b = (np.array(_frame_on(joint, body.name).position) for joint in balls)
    length = float(np.linalg.norm(b - a))
    if length == 0.0:
        return None
    com, axes = np.array(body.com) - a, _across((b - a) / length)
    tensor = axes.T @ np.array(body.inertia) @ axes
    across = float(tensor[1, 1] + tensor[2, 2]) / 2
    rest = max(abs(float(v)) for v in (tensor[0, 1], tensor[0, 2], tensor[1, 2], tensor[1, 1] - across))
    along, off_line = float(com @ axes[:, 0]), float(np.linalg.norm(com @ axes[:, 1:]))
    balls_names = balls[0].name, balls[1].name
    if not body.mass:
        return BallRod(body.name, balls_names, length, 0.0, None, asked)
    unround = max(rest / across if across > 0.0 else 0.0, off_line / length)
    return BallRod(body.name, balls_names, length, unround, Rod(mass=body.mass, com=along, inertia=across), asked)


def _across(x: Array) -> Array:
    """Return axes with x the first."""
    return Frame(position=(0.0, 0.0, 0.0), z=tuple(x.tolist())).rotation[:, [2, 0, 1]]


def _frame_on(joint: Joint, body: str) -> Frame:
    return joint.parent_frame if joint.parent == body else joint.frame_on_child


def with_distances(description: MechanismDescription, tolerance: float = ROUND) -> MechanismDescription:
    """Return the mechanism with every rod between two balls that is round to a tolerance as a distance with mass.

    Its body and its balls are then gone, and the new joint has the body's name. A body that nothing but such rods holds
    gets a free joint, which holds nothing and says where it is at home. Other rods, and those whose spin is asked for,
    stay bodies; `ball_rods` and the plan tell how round they are.

    >>> reachy = pk.mechanism.load_mechanism_description("reachy_mini")
    >>> sum(joint.type == "distance" for joint in pk.mechanism.with_distances(reachy).joints)
    6
    """
    rods: dict[str, BallRod] = {}
    joints = {joint.name: joint for joint in description.joints}
    for rod in ball_rods(description):
        if rod.unround <= tolerance and not rod.asked and not rods.keys() & set(_ends(joints, rod)):
            rods[rod.body] = rod
    kept = [joint for joint in description.joints if not rods.keys() & {joint.parent, joint.child}]
    kept += [_distance(joints, rod) for rod in rods.values()]
    bodies = tuple(body for body in description.bodies if body.name not in rods)
    kept += _free_joints(description, kept)
    return description.model_copy(update={"bodies": bodies, "joints": tuple(kept)})


def _ends(joints: dict[str, Joint], rod: BallRod) -> dict[str, Frame]:
    """Return the bodies at the two ends of a rod, and the frames there; one entry if both are the same body."""
    found: dict[str, Frame] = {}
    for joint in (joints[name] for name in rod.balls):
        other = joint.child if joint.parent == rod.body else joint.parent
        found[other] = _frame_on(joint, other)
    return found


def _distance(joints: dict[str, Joint], rod: BallRod) -> Joint:
    (parent, on_parent), (child, on_child) = _ends(joints, rod).items()
    return Joint(
        name=rod.body,
        type="distance",
        parent=parent,
        child=child,
        parent_frame=on_parent,
        child_frame=on_child,
        length=rod.length,
        rod=rod.rod,
    )


def _free_joints(description: MechanismDescription, joints: Sequence[Joint]) -> list[Joint]:
    """Return a free joint for each body that only distances hold, its home where the whole mechanism's home has it."""
    leader = welded(description)
    moving = [joint for joint in joints if joint.type != "weld"]
    ends = {joint.name: {leader[joint.parent], leader[joint.child]} - {BASE} for joint in moving}
    held = {group for joint in moving if joint.type != "distance" for group in ends[joint.name]}
    loose = sorted({group for groups in ends.values() for group in groups if group not in held})
    if not loose:
        return []
    tree = skeleton(description)
    at = posture(tree, assemble(tree).configuration)
    names = [body.name for body in description.bodies]
    found: list[Joint] = []
    for body in loose:
        p, R = at.frame(tree.bodies[names.index(body)])
        home = (*p.tolist(), *matrix_quaternion(R).tolist())
        name = f"{body}_free"[-64:]
        found.append(Joint(name=name, type="free", parent=BASE, child=body, child_frame=Frame(), home=home))
    return found
