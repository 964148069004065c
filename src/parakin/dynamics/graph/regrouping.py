"""Inertia moved from links to their neighbours where that changes no force of the motion, so that less is left to do.

A point that two links share moves with both, so that a mass there belongs to either. Without changing what independent
velocities feel,

    at a ball, universal joint or hinge      m moves to the link before, to the origin that both share
    at a hinge about z                       also h_z and masses along its axis, as much as makes Iyy vanish
    at a slide                               the tensor moves to the link before, which turns alike
    at a cut ball at r                       a mass h·r/|r|^2 moves beyond it, so that h has no part along r

and what arrives at the base is gone. Wrenches of joints do change: `reactions` takes inertias as they are.
[Codourey1997] sec. 4.2 does the first by approximation; here all is exact.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

from parakin.dynamics.graph.forces import is_nothing, moved_inertia
from parakin.dynamics.inertia import NOTHING, Inertia, point_mass, together
from parakin.mechanism.skeleton import BASE_LINK, Cut, Place, Skeleton

SHARED_ORIGIN = ("spherical", "universal", "revolute")
"""Joints that leave the origin of the link beyond them where it is on the link before."""


def regrouped(skeleton: Skeleton, inertias: Sequence[Inertia | None], *, symbols: bool = False) -> list[Inertia | None]:
    """Return other inertias of the links with which the same motion takes the same forces.

    Inertias that are not numbers stay where they are, unless those of symbols are to be moved too.
    """
    parts = [NOTHING if inertia is None else inertia for inertia in inertias]
    for cut in skeleton.cuts:
        _beyond_ball(skeleton, parts, cut, symbols)
    for k in range(len(skeleton.links) - 1, -1, -1):
        link = skeleton.links[k]
        if not (symbols or _known(parts[k])):
            continue
        moved = _passed_on(link.joint.type, parts[k])
        if moved is None:
            continue
        parts[k] = together([parts[k], _negative(moved)])
        _add(parts, link.inner, moved)
    return [None if is_nothing(part) else part for part in parts]


def _beyond_ball(skeleton: Skeleton, parts: list[Inertia], cut: Cut, symbols: bool) -> None:
    """Move mass beyond a cut ball, from a link whose joint has its origin elsewhere on the line to it."""
    if cut.joint.type != "spherical" or cut.joint.rows is not None:
        return
    for here, there in ((cut.parent, cut.child), (cut.child, cut.parent)):
        known = symbols or _known(parts[here.link])
        if here.link == BASE_LINK or skeleton.links[here.link].floats or not known:
            continue
        length = float(here.p @ here.p)
        if length <= 0.0 or (there.link != BASE_LINK and not skeleton.links[there.link].floats):
            continue
        mass = ca.dot(parts[here.link].h, ca.DM(here.p)) / length
        parts[here.link] = together([parts[here.link], point_mass(-mass, ca.SX(ca.DM(here.p)))])
        _add(parts, Place(there.link, there.p, np.eye(3)), Inertia(mass, ca.SX(3, 1), ca.SX(3, 3)))


def _passed_on(joint: str, inertia: Inertia) -> Inertia | None:
    """Return the part of a link's inertia, in its frame, that belongs to the link before it as well."""
    if joint == "prismatic":
        return Inertia(ca.SX(0), ca.SX(3, 1), inertia.I)
    if joint == "revolute":
        across = inertia.I[1, 1]
        return Inertia(inertia.m, ca.vertcat(0, 0, inertia.h[2]), ca.diag(ca.vertcat(across, across, 0)))
    return Inertia(inertia.m, ca.SX(3, 1), ca.SX(3, 3)) if joint in SHARED_ORIGIN else None


def _add(parts: list[Inertia], place: Place, inertia: Inertia) -> None:
    if place.link != BASE_LINK:
        parts[place.link] = together([parts[place.link], moved_inertia(inertia, place)])


def _negative(inertia: Inertia) -> Inertia:
    return Inertia(-inertia.m, -inertia.h, -inertia.I)


def _known(inertia: Inertia) -> bool:
    return inertia.m.is_constant() and inertia.h.is_constant() and inertia.I.is_constant()
