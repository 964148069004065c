"""A mechanism with its round rods as distances, and what leads back to its file.

The file's mechanism is assembled first, rods as bodies. The tree without these bodies starts from there, so that home
is the same on the same branch; parts that nothing but distances holds float.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from parakin.arrays import Array
from parakin.mechanism.assembling import assemble
from parakin.mechanism.model import BASE, MechanismDescription
from parakin.mechanism.numeric import matrix_quaternion, posture
from parakin.mechanism.rod_bodies import RodBody, TurnedEnd
from parakin.mechanism.rods import (
    ROUND,
    BallRod,
    ball_rods,
    distances_for,
    frame_of,
    rod_choices,
    says_more,
    side_of,
)
from parakin.mechanism.skeleton import BASE_LINK, Sets, Skeleton, free_joint, many_balls_hold, skeleton, welded


def reduced(tree: Skeleton, configuration: Array, taken: Collection[str]) -> tuple[Skeleton, Array]:
    """Return the tree of a mechanism with some rods as distances, and where to begin its assembly.

    tree, configuration: of the file's mechanism, assembled.
    """
    depths = _depths(tree)
    found = {rod.body: rod for rod in ball_rods(tree.file) if rod.body in taken}
    order = {
        rod.body: (0, 1) if depths[rod.ends[0].body] <= depths[rod.ends[1].body] else (1, 0) for rod in found.values()
    }
    balls = {rod: (found[rod].balls[first], found[rod].balls[second]) for rod, (first, second) in order.items()}
    made = distances_for(tree.file, balls).made
    rods: list[RodBody] = []
    for body, (first, second) in order.items():
        rod = found[body]
        _, R_P = frame_of(tree, configuration, made[body].parent)
        _, R = frame_of(tree, configuration, body)
        R_home = (R_P @ made[body].parent_frame.rotation).T @ R
        ends = rod.ends[first].point, rod.ends[second].point
        turned = None if rod.turned is None else _turned_end(tree, configuration, rod, backwards=first == 1)
        rods.append(RodBody(body, made[body].name, balls[body], ends, R_home, turned))
    result = of_rods(tree.file, tuple(rods), tree.size)
    return result, _start(result, tree, configuration)


def _turned_end(tree: Skeleton, configuration: Array, rod: BallRod, *, backwards: bool) -> TurnedEnd:
    """Return the end that gives a rod its spin; backwards: whether the distance leads from its second end."""
    assert rod.turned is not None
    end = rod.ends[rod.turned]
    assert end.axes is not None
    side = 1.0 if side_of(tree, configuration, rod) > 0.0 else -1.0
    number = 1 - rod.turned if backwards else rod.turned
    return TurnedEnd(number, end.joints, end.ring, end.axes, end.cosine, side)


def of_rods(file: MechanismDescription, rods: tuple[RodBody, ...], size: float) -> Skeleton:
    """Return the tree of a file's mechanism in which some rods are distances; size: that of the file's mechanism."""
    changed = distances_for(file, {rod.body: rod.balls for rod in rods})
    adrift = _adrift(changed.description, many_balls_hold(changed.description))
    tree = skeleton(changed.description, adrift, size)
    return replace(tree, file=file, rods=rods, parametrised=changed.parametrised)


def with_distances(description: MechanismDescription, tolerance: float = ROUND) -> MechanismDescription:
    """Return the mechanism with every rod between two balls that is round to a tolerance as a distance with mass.

    Its body and its balls are then gone, and the new joint has the body's name. A part that nothing but such rods holds
    gets a free joint, which holds nothing and says where it is at home. Other rods, those whose spin is asked for,
    those on universal joints, and those with a cone or a clearance at a ball, which a distance cannot have, stay
    bodies; `ball_rods` and the plan tell how round they are.

    A plan does the same by itself with rods that are round to `ROUND`, on universal joints too, and still knows their
    bodies and joints.

    >>> reachy = pk.mechanism.load_mechanism_description("reachy_mini")
    >>> sum(joint.type == "distance" for joint in pk.mechanism.with_distances(reachy).joints)
    6
    """
    taken = {choice.body for choice in rod_choices(description, tolerance=tolerance) if not choice.kept}
    taken -= says_more(description)
    balls = {rod.body: rod.balls for rod in ball_rods(description) if rod.body in taken and rod.turned is None}
    changed = distances_for(description, balls).description
    alone = _held_by_distances(changed)
    loose = [*alone, *_adrift(changed, alone)]
    if not loose:
        return changed
    tree = skeleton(description)
    at = assemble(tree).configuration
    homes = {body: {"name": f"{body}_free"[-64:], "home": _frame_coordinates(tree, at, body)} for body in loose}
    free = [free_joint(body).model_copy(update=home) for body, home in homes.items()]
    return changed.model_copy(update={"joints": (*changed.joints, *free)})


# Where everything is at home ----------------------------------------------------------------------------------------


def _frame_coordinates(tree: Skeleton, configuration: Array, body: str) -> tuple[float, ...]:
    """Return place and quaternion of a body's frame: the coordinates of the free joint that lets it float."""
    p, R = frame_of(tree, configuration, body)
    return *p.tolist(), *matrix_quaternion(R).tolist()


def _start(result: Skeleton, tree: Skeleton, configuration: Array) -> Array:
    """Return coordinates of one tree of a mechanism from those of another one.

    Joints that are cut in the other one can be in this tree only if they have as many freedoms as a ball.
    """
    at = posture(tree, configuration)
    known = {link.joint.name: configuration[link.coordinate :][: len(link.joint.kind.home)] for link in tree.links}
    for cut in tree.cuts:
        (p_P, R_P), (p_C, R_C) = at.frame(cut.parent), at.frame(cut.child)
        d, D = R_P.T @ (p_C - p_P), R_P.T @ R_C
        if cut.joint.type == "spherical":
            known[cut.joint.name] = matrix_quaternion(D)
        elif cut.joint.type == "planar":
            known[cut.joint.name] = np.array([d[0], d[1], np.arctan2(D[1, 0], D[0, 0])])
    values = [
        np.array(_frame_coordinates(tree, configuration, link.joint.child)) if link.floats else known[link.joint.name]
        for link in result.links
    ]
    return np.concatenate(values)


# What holds what ----------------------------------------------------------------------------------------------------


def _held_by_distances(description: MechanismDescription) -> list[str]:
    """Return the bodies that distances hold and nothing else, one of those that are welded together."""
    groups = welded(description)
    moving = [joint for joint in description.joints if joint.type != "weld"]
    ends = {joint.name: {groups[joint.parent], groups[joint.child]} - {BASE} for joint in moving}
    held = {group for joint in moving if joint.type != "distance" for group in ends[joint.name]}
    return sorted({group for found in ends.values() for group in found if group not in held})


def _adrift(description: MechanismDescription, floating: Collection[str]) -> list[str]:
    """Return one body of each part that only distances hold, if some bodies float already."""
    sets = Sets([BASE, *(body.name for body in description.bodies)])
    for joint in description.joints:
        if joint.type != "distance":
            sets.join(joint.parent, joint.child)
    for body in floating:
        sets.join(BASE, body)
    leaders = welded(description)
    candidates = (description.output.body, *leaders)
    return [leaders[body] for body in candidates if sets.join(BASE, body)]


def _depths(tree: Skeleton) -> dict[str, int]:
    """Return how many joints away from the base each body is; one that floats is beyond all others."""
    depths: list[int] = []
    for link in tree.links:
        before = 0 if link.inner.link == BASE_LINK else depths[link.inner.link]
        depths.append(before + (len(tree.links) if link.floats else 1))
    found = {BASE: 0}
    for body, place in zip(tree.description.bodies, tree.bodies, strict=True):
        found[body.name] = 0 if place.link == BASE_LINK else depths[place.link]
    return found
