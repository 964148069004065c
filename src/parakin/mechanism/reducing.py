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
from parakin.mechanism.model import BASE, Joint, MechanismDescription
from parakin.mechanism.numeric import Posture, matrix_quaternion, posture
from parakin.mechanism.rod_bodies import RodBody
from parakin.mechanism.rods import ROUND, ball_rods, distances_for, frame_on, rod_choices, says_more
from parakin.mechanism.skeleton import BASE_LINK, Sets, Skeleton, free_joint, many_balls_hold, skeleton, welded


def reduced(tree: Skeleton, configuration: Array, taken: Collection[str]) -> tuple[Skeleton, Array]:
    """Return the tree of a mechanism with some rods as distances, and where to begin its assembly.

    tree, configuration: of the file's mechanism, assembled.
    """
    at, joints = posture(tree, configuration), {joint.name: joint for joint in tree.file.joints}
    depths = _depths(tree)
    balls: dict[str, tuple[str, str]] = {}
    for rod in ball_rods(tree.file):
        if rod.body in taken:
            first, second = rod.balls
            near_first = depths[_end(joints[first], rod.body)] <= depths[_end(joints[second], rod.body)]
            balls[rod.body] = (first, second) if near_first else (second, first)
    _, made = distances_for(tree.file, balls)
    rods: list[RodBody] = []
    for body, (first, second) in balls.items():
        a, b = (np.array(frame_on(joints[ball], body).position) for ball in (first, second))
        _, R_P = _place(tree, at, made[body].parent)
        _, R = _place(tree, at, body)
        R_home = (R_P @ made[body].parent_frame.rotation).T @ R
        rods.append(RodBody(body, made[body].name, (first, second), (a, b), R_home))
    result = of_rods(tree.file, tuple(rods), tree.size)
    return result, _start(result, tree, at, configuration)


def of_rods(file: MechanismDescription, rods: tuple[RodBody, ...], size: float) -> Skeleton:
    """Return the tree of a file's mechanism in which some rods are distances; size: that of the file's mechanism."""
    description, _ = distances_for(file, {rod.body: rod.balls for rod in rods})
    adrift = _adrift(description, many_balls_hold(description))
    return replace(skeleton(description, adrift, size), file=file, rods=rods)


def with_distances(description: MechanismDescription, tolerance: float = ROUND) -> MechanismDescription:
    """Return the mechanism with every rod between two balls that is round to a tolerance as a distance with mass.

    Its body and its balls are then gone, and the new joint has the body's name. A part that nothing but such rods holds
    gets a free joint, which holds nothing and says where it is at home. Other rods, those whose spin is asked for, and
    those with a cone or a clearance at a ball, which a distance cannot have, stay bodies; `ball_rods` and the plan tell
    how round they are.

    A plan does the same by itself with rods that are round to `ROUND`, and still knows their bodies and balls.

    >>> reachy = pk.mechanism.load_mechanism_description("reachy_mini")
    >>> sum(joint.type == "distance" for joint in pk.mechanism.with_distances(reachy).joints)
    6
    """
    taken = {choice.body for choice in rod_choices(description, tolerance=tolerance) if not choice.kept}
    taken -= says_more(description)
    changed, _ = distances_for(
        description, {rod.body: rod.balls for rod in ball_rods(description) if rod.body in taken}
    )
    alone = _held_by_distances(changed)
    loose = [*alone, *_adrift(changed, alone)]
    if not loose:
        return changed
    tree = skeleton(description)
    at = posture(tree, assemble(tree).configuration)
    homes = {body: {"name": f"{body}_free"[-64:], "home": _frame_coordinates(tree, at, body)} for body in loose}
    free = [free_joint(body).model_copy(update=home) for body, home in homes.items()]
    return changed.model_copy(update={"joints": (*changed.joints, *free)})


# Where everything is at home ----------------------------------------------------------------------------------------


def _place(tree: Skeleton, at: Posture, body: str) -> tuple[Array, Array]:
    """Return origin and axes of a body's frame."""
    if body == BASE:
        return np.zeros(3), np.eye(3)
    return at.frame(tree.bodies[[one.name for one in tree.description.bodies].index(body)])


def _frame_coordinates(tree: Skeleton, at: Posture, body: str) -> tuple[float, ...]:
    """Return place and quaternion of a body's frame: the coordinates of the free joint that lets it float."""
    p, R = _place(tree, at, body)
    return *p.tolist(), *matrix_quaternion(R).tolist()


def _start(result: Skeleton, tree: Skeleton, at: Posture, configuration: Array) -> Array:
    """Return coordinates of one tree of a mechanism from those of another one.

    Joints that are cut in the other one can be in this tree only if they have as many freedoms as a ball.
    """
    known = {link.joint.name: configuration[link.coordinate :][: len(link.joint.kind.home)] for link in tree.links}
    for cut in tree.cuts:
        (p_P, R_P), (p_C, R_C) = at.frame(cut.parent), at.frame(cut.child)
        d, D = R_P.T @ (p_C - p_P), R_P.T @ R_C
        if cut.joint.type == "spherical":
            known[cut.joint.name] = matrix_quaternion(D)
        elif cut.joint.type == "planar":
            known[cut.joint.name] = np.array([d[0], d[1], np.arctan2(D[1, 0], D[0, 0])])
    values = [
        np.array(_frame_coordinates(tree, at, link.joint.child)) if link.floats else known[link.joint.name]
        for link in result.links
    ]
    return np.concatenate(values)


# What holds what ----------------------------------------------------------------------------------------------------


def _end(ball: Joint, rod: str) -> str:
    """Return the body at the other side of a rod's ball."""
    return ball.child if ball.parent == rod else ball.parent


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
