"""Points and frames along a mechanism's tree, at rest; of the coordinates only those on the way need be known."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from parakin.kinematics.graph.links import Turns, rotation_about
from parakin.mechanism.dyads import path
from parakin.mechanism.kinds import Move
from parakin.mechanism.skeleton import BASE_LINK, Link, Place, Skeleton
from parakin.spatial import rotation_of_quaternion

Axes = tuple[ca.SX, ca.SX]
"""A frame: its origin and its axes; or an angle: its cosine and sine."""


@dataclass(frozen=True)
class Known:
    """Coordinates, with the cosines and sines that are known of them."""

    c: list[ca.SX]
    """Coordinates of the tree's joints."""
    turns: Turns
    """Cosines and sines, by the places of their angles."""


def _moves(link: Link, known: Known) -> list[Axes]:
    """Return the moves of a link's joint, in the tree's direction, each as a way and a turn after it."""
    c = known.c
    found: list[Axes] = []
    k = link.coordinate
    for move, axis in link.joint.kind.moves:
        if move is Move.BALL:
            turn = rotation_of_quaternion(ca.vertcat(*c[k : k + 4]))
            found.append((ca.SX(3, 1), turn.T if link.backwards else turn))
            k += 4
            continue
        value, sign = (-c[k], -1) if link.backwards else (c[k], 1)
        lead = (link.joint.pitch or 0.0) / (2 * ca.pi) if move is Move.SCREW else 1.0
        along = ca.SX.eye(3)[:, axis] * (value * lead)
        slides, turns = move is not Move.TURN, move is not Move.SLIDE
        turn = ca.SX.eye(3)
        if turns:
            cosine, sine = known.turns.get(k) or (ca.cos(c[k]), ca.sin(c[k]))
            turn = rotation_about(axis, cosine, sign * sine)
        found.append((along if slides else ca.SX(3, 1), turn))
        k += 1
    return found[::-1] if link.backwards else found


def _beyond(link: Link, known: Known, frame: Axes) -> Axes:
    """Return the frame of a link from that of its joint on the link before."""
    p, axes = frame
    for way, turn in _moves(link, known):
        p, axes = p + axes @ way, axes @ turn
    return p, axes


def _before(link: Link, known: Known, point: ca.SX) -> ca.SX:
    """Return a point of a link as its joint's frame on the link before sees it."""
    for way, turn in reversed(_moves(link, known)):
        point = way + turn @ point
    return point


def _at(frame: Axes, place: Place) -> Axes:
    return frame[0] + frame[1] @ ca.sparsify(ca.DM(place.p)), frame[1] @ ca.SX(ca.sparsify(ca.DM(place.R)))


_HERE: Axes = ca.SX(3, 1), ca.SX.eye(3)
"""The frame from which others are counted."""


def frame_of(skeleton: Skeleton, known: Known, place: Place, root: int = BASE_LINK) -> Axes:
    """Return a frame that is fixed to a link, counted from that of the link `root`."""
    frame = _HERE
    for k in path(skeleton, place):
        if root == BASE_LINK or root in path(skeleton, skeleton.links[k].inner):
            frame = _beyond(skeleton.links[k], known, _at(frame, skeleton.links[k].inner))
    return _at(frame, place)


def point_in(skeleton: Skeleton, known: Known, place: Place, link: int) -> ca.SX:
    """Return the origin of a frame as a link sees it that is on the way to it."""
    point, k = ca.SX(ca.sparsify(ca.DM(place.p))), place.link
    while k != link:
        inner = skeleton.links[k].inner
        point = ca.sparsify(ca.DM(inner.p)) + ca.sparsify(ca.DM(inner.R)) @ _before(skeleton.links[k], known, point)
        k = inner.link
    return point
