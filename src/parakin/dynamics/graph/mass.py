"""The mass matrix of a mechanism: composite bodies along the tree, then through the loops.

    M = S^T M_t S,        t = S u

For M_t, all that lies beyond a velocity of the tree is one composite body. Accelerating it by a unit takes a wrench

    F = m v + w x h        N = h x v + I w        at the origin of the link, with m, h, I of the composite, base axes

which every velocity on the way to the base feels.
"""

from __future__ import annotations

import casadi as ca

from parakin.dynamics.graph.mechanics import GraphMechanics
from parakin.dynamics.graph.rods import coupling_masses
from parakin.dynamics.graph.turned_rods import turned_masses
from parakin.dynamics.inertia import NOTHING, Inertia
from parakin.kinematics.graph.links import LinkMotion
from parakin.mechanism.skeleton import BASE_LINK
from parakin.spatial import symmetric


def mass_matrix(mechanics: GraphMechanics) -> ca.SX:
    """Return M (n, n), rotors and inertias of joints included."""
    plan, names = mechanics.moving.plan, mechanics.moving.plan.skeleton.velocity_names
    skeleton, standing = mechanics.moving.plan.skeleton, mechanics.moving.standing
    M_t = tree_mass_matrix(mechanics) + coupling_masses(skeleton, standing, mechanics.rods)
    M_t += turned_masses(skeleton, mechanics.turned_rods)
    for name, rotor in mechanics.parameters.rotors.items():
        k = names.index(name)
        M_t[k, k] = M_t[k, k] + rotor
    for motion, k, inertia in mechanics.own_inertias:
        M_t += motion.columns[k, :].T @ (inertia * motion.columns[k, :])
    S = ca.sparsify(mechanics.moving.completed(ca.SX.eye(len(plan.independent))))
    return symmetric(ca.densify(S.T @ (M_t @ S)))


def tree_mass_matrix(mechanics: GraphMechanics) -> ca.SX:
    """Return M_t; velocities of different branches do not feel each other, and such entries are not stored."""
    skeleton, tree = mechanics.moving.plan.skeleton, mechanics.moving.standing
    composites = _composites(mechanics)
    M = ca.SX(skeleton.velocities, skeleton.velocities)
    for k, composite in enumerate(composites):
        if composite is None:
            continue
        p = tree.links[k].frame.p
        for n, axis in enumerate(tree.links[k].axes):
            v, w = axis.slide + ca.cross(axis.turn, p - axis.point), axis.turn
            F = composite.m * v + ca.cross(w, composite.h)
            N = ca.cross(composite.h, v) + composite.I @ w
            column, link = skeleton.links[k].velocity + n, k
            while link != BASE_LINK:
                for m, felt in enumerate(_felt(tree.links[link], p, F, N)):
                    row = skeleton.links[link].velocity + m
                    if row <= column:
                        M[row, column] = felt
                        M[column, row] = felt
                link = skeleton.links[link].inner.link
    return M


def _felt(link: LinkMotion, p: ca.SX, F: ca.SX, N: ca.SX) -> list[ca.SX]:
    """Return what each velocity of a link's joint feels of a wrench at p."""
    return [ca.dot(axis.slide, F) + ca.dot(axis.turn, N + ca.cross(p - axis.point, F)) for axis in link.axes]


def _composites(mechanics: GraphMechanics) -> list[Inertia | None]:
    """Return all that lies beyond each link's joint as one body, about the link's origin and in base axes."""
    skeleton, tree = mechanics.moving.plan.skeleton, mechanics.moving.standing
    composites: list[Inertia | None] = []
    for inertia, link in zip(mechanics.regrouped, tree.links, strict=True):
        R = link.frame.spin.R
        composites.append(None if inertia is None else Inertia(inertia.m, R @ inertia.h, R @ inertia.I @ R.T))
    for k in range(len(composites) - 1, -1, -1):
        before, mine = skeleton.links[k].inner.link, composites[k]
        if before == BASE_LINK or mine is None:
            continue
        d = tree.links[k].frame.p - tree.links[before].frame.p
        moved = _shifted(mine, d)
        composites[before] = moved + (composites[before] or NOTHING)
    return composites


def _shifted(body: Inertia, d: ca.SX) -> Inertia:
    """Return a body about a point from which its present origin is at d."""
    h, m = body.h, body.m
    tensor = body.I + 2 * ca.dot(d, h) * ca.SX.eye(3) - d @ h.T - h @ d.T + m * (ca.sumsqr(d) * ca.SX.eye(3) - d @ d.T)
    return Inertia(m, h + m * d, tensor)
