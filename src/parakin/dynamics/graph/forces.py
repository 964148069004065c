"""What the motion of a mechanism takes, by virtual work along its tree and through its loops.

Each link needs the wrench of its bodies (F, N at the origin of its frame) and carries on what the links beyond it need.
A velocity of the tree with turning axis e through a point o, or sliding axis e, takes

    f = e·(N + (p - o) x F)        or        f = e·F

and `GraphMotion.projected` turns f into the forces on the independent velocities. [Codourey1997] eq. (13) to (15).
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from parakin.dynamics.inertia import Inertia, Wrench, wrench_of_link
from parakin.kinematics.graph.links import Tree
from parakin.mechanism.skeleton import BASE_LINK, Place, Skeleton


def moved_inertia(body: Inertia, place: Place) -> Inertia:
    """Return the inertia of a body, whose frame is at a place of its link, about the link's origin and in its axes.

    h' = R h + m p,        I' = R I R^T + 2 (p·R h) 1 - p (R h)^T - (R h) p^T + m (|p|^2 1 - p p^T)
    """
    R, p = ca.sparsify(ca.DM(place.R)), ca.DM(place.p)
    h = R @ body.h
    shift = 2 * ca.dot(p, h) * ca.SX.eye(3) - p @ h.T - h @ p.T
    steiner = body.m * (ca.sumsqr(p) * ca.SX.eye(3) - p @ p.T)
    return Inertia(body.m, h + body.m * p, R @ body.I @ R.T + shift + steiner)


def link_inertias(skeleton: Skeleton, bodies: Sequence[Inertia]) -> list[Inertia | None]:
    """Return the inertia of each link from those of the bodies that belong to it; None for links without mass."""
    inertias: list[Inertia | None] = [None] * len(skeleton.links)
    for body, place in zip(bodies, skeleton.bodies, strict=True):
        if place.link == BASE_LINK or is_nothing(body):
            continue
        moved = moved_inertia(body, place)
        known = inertias[place.link]
        inertias[place.link] = moved if known is None else known + moved
    return inertias


def is_nothing(body: Inertia) -> bool:
    """Tell whether a body has no mass."""
    return body.m.is_zero() and body.h.is_zero() and body.I.is_zero()


def tree_forces(
    skeleton: Skeleton, tree: Tree, inertias: Sequence[Inertia | None], gravity: ca.SX, external: dict[int, Wrench]
) -> ca.SX:
    """Return the forces f on the tree's velocities that its motion takes.

    external: wrenches that act on links from outside, at the origins of their frames, and relieve the motors.
    """
    wrenches: list[Wrench] = []
    for k, (link, inertia) in enumerate(zip(tree.links, inertias, strict=True)):
        needed = Wrench(ca.SX(3, 1), ca.SX(3, 1)) if inertia is None else wrench_of_link(inertia, link.frame, gravity)
        if k in external:
            needed = Wrench(needed.F - external[k].F, needed.N - external[k].N)
        wrenches.append(needed)
    f: list[ca.SX] = [ca.SX(0)] * skeleton.velocities
    for k in range(len(skeleton.links) - 1, -1, -1):
        link, moving, needed = skeleton.links[k], tree.links[k], wrenches[k]
        for n, axis in enumerate(moving.axes):
            if axis.turn.is_zero():
                f[link.velocity + n] = ca.dot(axis.slide, needed.F)
                continue
            moment = needed.N + ca.cross(moving.frame.p - axis.point, needed.F)
            f[link.velocity + n] = ca.dot(axis.turn, moment) + ca.dot(axis.slide, needed.F)
        before = link.inner.link
        if before != BASE_LINK:
            arm = moving.frame.p - tree.links[before].frame.p
            known = wrenches[before]
            wrenches[before] = Wrench(known.F + needed.F, known.N + needed.N + ca.cross(arm, needed.F))
    return ca.vertcat(*f)
