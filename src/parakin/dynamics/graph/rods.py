"""Rods with mass that keep a distance: what they take, by the motion of their ends alone.

Every mass point of a round rod at s along its line, from end P to end C, moves as v = v_P + (s/l) (v_C - v_P), the part
of the velocity along the line included, which is the same everywhere. With m, h = integral of s dm and I = integral of
s^2 dm (its inertia across about P) the kinetic energy is

    2 T = m_PP |v_P|^2 + 2 m_PC v_P·v_C + m_CC |v_C|^2
    m_PP = m - 2 h/l + I/l^2        m_PC = h/l - I/l^2        m_CC = I/l^2

m_PP and m_CC are masses at the ends, which belong to the links there; m_PC (a_C - g) is a force on P, m_PC (a_P - g)
one on C.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import casadi as ca

from parakin.dynamics.inertia import Inertia, Wrench, point_mass
from parakin.kinematics.graph.links import Tree
from parakin.kinematics.graph.rows import twist_columns
from parakin.mechanism.skeleton import BASE_LINK, Cut, Place, Skeleton


@dataclass(frozen=True)
class RodInertia:
    """The parameters of a round rod, counted from its parent's end along its line."""

    m: ca.SX
    """Mass [kg]."""
    h: ca.SX
    """First moment [kg m]."""
    I: ca.SX  # noqa: E741
    """Inertia across the line about the parent's end [kg m^2]."""


@dataclass(frozen=True)
class EndMasses:
    """A rod as masses of its ends."""

    cut: Cut
    """The joint that keeps its length."""
    PP: ca.SX
    """Mass at the parent's end [kg]."""
    PC: ca.SX
    """What couples the ends [kg]."""
    CC: ca.SX
    """Mass at the child's end [kg]."""


def end_masses(skeleton: Skeleton, rods: dict[str, RodInertia]) -> list[EndMasses]:
    """Return all rods as masses of their ends."""
    found: list[EndMasses] = []
    for cut in skeleton.cuts:
        if cut.joint.name in rods and cut.joint.length is not None:
            rod, length = rods[cut.joint.name], cut.joint.length
            along, across = rod.h / length, rod.I / length**2
            found.append(EndMasses(cut, rod.m - 2 * along + across, along - across, across))
    return found


def with_ends(inertias: list[Inertia | None], rods: list[EndMasses]) -> list[Inertia | None]:
    """Return the links' inertias with the masses at the ends of rods."""
    result = list(inertias)
    for rod in rods:
        for place, mass in ((rod.cut.parent, rod.PP), (rod.cut.child, rod.CC)):
            if place.link != BASE_LINK:
                point, known = point_mass(mass, ca.SX(ca.DM(place.p))), result[place.link]
                result[place.link] = point if known is None else known + point
    return result


def end_forces(rods: list[EndMasses], tree: Tree, gravity: ca.SX) -> Iterator[tuple[Place, Wrench]]:
    """Yield what the coupling of a rod's ends takes at each of them: the place, and the force there."""
    nothing = ca.SX(3, 1)
    for rod in rods:
        P, C = tree.at(rod.cut.parent), tree.at(rod.cut.child)
        yield rod.cut.parent, Wrench(rod.PC * (C.a - gravity), nothing)
        yield rod.cut.child, Wrench(rod.PC * (P.a - gravity), nothing)


def at_links(wrenches: Iterable[tuple[Place, Wrench]], tree: Tree) -> Iterator[tuple[int, Wrench]]:
    """Yield wrenches at places of links as wrenches at the links' origins."""
    for place, at in wrenches:
        if place.link != BASE_LINK:
            moment = ca.cross(tree.at(place).p - tree.links[place.link].frame.p, at.F)
            yield place.link, Wrench(at.F, at.N + moment)


def coupling_masses(skeleton: Skeleton, tree: Tree, rods: list[EndMasses]) -> ca.SX:
    """Return what the coupling of rods' ends adds to the tree's mass matrix: m_PC (J_P^T J_C + J_C^T J_P)."""
    total = ca.SX(skeleton.velocities, skeleton.velocities)
    for rod in rods:
        J_P, J_C = (_point_jacobian(skeleton, tree, place) for place in (rod.cut.parent, rod.cut.child))
        total += rod.PC * (J_P.T @ J_C + J_C.T @ J_P)
    return total


def _point_jacobian(skeleton: Skeleton, tree: Tree, place: Place) -> ca.SX:
    """Return the velocity of a frame's origin for unit velocities of the tree (3, velocities)."""
    columns = twist_columns(skeleton, tree, Place(BASE_LINK, place.p, place.R), place, tree.at(place).p)
    J = ca.SX(3, skeleton.velocities)
    for k, (v, _) in columns.items():
        J[:, k] = v
    return ca.sparsify(J)
