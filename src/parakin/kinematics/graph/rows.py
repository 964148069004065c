"""Rows of cut joints: what must vanish, its Jacobian by the tree's velocities, and its acceleration when coasting.

With r = p_C - p_P, and the motion of C seen from P

    v = v_C - v_P - w_P x r        w = w_C - w_P        alpha = w_dot_C - w_dot_P - w_P x w_C
    a = a_C - a_P - w_dot_P x r - w_P x (w_P x r) - 2 w_P x v

    position row i:            i_P·r                  i_P·v                i_P·a,   along other axes e·(a_C - a_P)
    orientation row (i, j):    i_P·j_C                w·(j_C x i_P)        i_P·(alpha x j_C + w x (w x j_C))
    distance row, length l:    (|r|^2 - l^2)/(2 l)    r·v/l                (r·(a_C - a_P) + |v_C - v_P|^2)/l

Rows along other axes than the parent's are all three imposed, so that r and v vanish.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from parakin.kinematics.bodies import Frame
from parakin.kinematics.graph.links import Axis, Tree
from parakin.mechanism.kinds import Move
from parakin.mechanism.skeleton import BASE_LINK, Cut, Place, Skeleton


@dataclass(frozen=True)
class Relative:
    """The motion of the child's frame of a joint, as the parent's frame sees it, in base axes."""

    r: ca.SX
    """Place of the child's origin beside the parent's [m]."""
    v: ca.SX
    """Velocity [m/s]."""
    a: ca.SX
    """Acceleration [m/s^2]."""
    w: ca.SX
    """Angular velocity [rad/s]."""
    alpha: ca.SX
    """Angular acceleration [rad/s^2]."""


def relative_motion(P: Frame, C: Frame) -> Relative:
    """Return how frame C moves as seen from frame P."""
    r, w_P = C.p - P.p, P.spin.w
    v = C.v - P.v - ca.cross(w_P, r)
    a = C.a - P.a - P.spin.B @ r - 2 * ca.cross(w_P, v)
    alpha = C.spin.w_dot - P.spin.w_dot - ca.cross(w_P, C.spin.w)
    return Relative(r, v, a, C.spin.w - w_P, alpha)


@dataclass(frozen=True)
class Row:
    """A row as a function of the relative twist: linear·v + angular·w, where v is that of the child's origin."""

    value: ca.SX
    """What must vanish [m or 1]."""
    linear: ca.SX
    """Its dependence on the relative velocity."""
    angular: ca.SX
    """Its dependence on the relative angular velocity."""
    acceleration: ca.SX
    """Its second derivative."""


def cut_rows(cut: Cut, tree: Tree) -> list[Row]:
    """Return the rows of a cut joint, in the order of `numeric.cut_rows`."""
    P, C = tree.at(cut.parent), tree.at(cut.child)
    moving = relative_motion(P, C)
    nothing = ca.SX.zeros(3)
    rows: list[Row] = []
    axes = P.spin.R if cut.axes is None else tree.axes(cut.axes)
    for i in cut.joint.position_rows:
        e = axes[:, i]
        second = moving.a if cut.axes is None else C.a - P.a
        rows.append(Row(ca.dot(e, moving.r), e, nothing, ca.dot(e, second)))
    for i, j in cut.joint.kind.orientation_rows:
        e, f = P.spin.R[:, i], C.spin.R[:, j]
        swept = ca.cross(moving.alpha, f) + ca.cross(moving.w, ca.cross(moving.w, f))
        rows.append(Row(ca.dot(e, f), nothing, ca.cross(f, e), ca.dot(e, swept)))
    if cut.joint.length is not None:
        length = cut.joint.length
        value = (ca.sumsqr(moving.r) - length**2) / (2 * length)
        acceleration = (ca.dot(moving.r, C.a - P.a) + ca.sumsqr(C.v - P.v)) / length
        rows.append(Row(value, moving.r / length, nothing, acceleration))
    return rows


def velocities_beyond(skeleton: Skeleton, place: Place) -> list[int]:
    """Return the links on the way from the base to a place, the place's own included."""
    path: list[int] = []
    link = place.link
    while link != BASE_LINK:
        path.append(link)
        link = skeleton.links[link].inner.link
    return path[::-1]


def twist_columns(skeleton: Skeleton, tree: Tree, P: Place, C: Place, point: ca.SX) -> dict[int, tuple[ca.SX, ca.SX]]:
    """Return, for each velocity that moves C beside P, its share of their relative velocity at a point and of w."""
    of_parent, of_child = velocities_beyond(skeleton, P), velocities_beyond(skeleton, C)
    columns: dict[int, tuple[ca.SX, ca.SX]] = {}
    for links, others, sign in ((of_child, of_parent, 1), (of_parent, of_child, -1)):
        for k in links:
            if k in others:
                continue
            for n, axis in enumerate(tree.links[k].axes):
                columns[skeleton.links[k].velocity + n] = _share(axis, point, sign)
    return columns


def _own_columns(skeleton: Skeleton, tree: Tree, cut: Cut) -> dict[int, ca.SX]:
    """Return what the joint that carries the link along whose axes the position rows are contributes to these rows."""
    if cut.axes is None or cut.axes.link == BASE_LINK:
        return {}
    link = cut.axes.link
    if link in velocities_beyond(skeleton, cut.parent) and link in velocities_beyond(skeleton, cut.child):
        return {}
    end, sign = (cut.child, 1) if cut.child.link == link else (cut.parent, -1)
    turn, point = ca.sparsify(ca.DM(cut.axes.R)), ca.SX(ca.DM(end.p))
    shares = [_share(axis, point, sign)[0] for axis in tree.links[link].own_axes]
    return {skeleton.links[link].velocity + n: turn.T @ share for n, share in enumerate(shares)}


def _share(axis: Axis, point: ca.SX, sign: int) -> tuple[ca.SX, ca.SX]:
    """Return the velocity of a point and the angular velocity that go with a unit of an axis."""
    return sign * (axis.slide + ca.cross(axis.turn, point - axis.point)), sign * axis.turn


@dataclass(frozen=True)
class LoopRows:
    """All rows that close the loops of a mechanism."""

    values: ca.SX
    """What must vanish."""
    J: ca.SX
    """Its derivative by the tree's velocities; entries that are always zero are not stored."""
    acceleration: ca.SX
    """Its second derivative."""


def loop_rows(skeleton: Skeleton, tree: Tree, c: ca.SX, t_dot: ca.SX) -> LoopRows:
    """Return all rows, in the order of `numeric.loop_rows`; the tree may be coasting, with t_dot zero."""
    values: list[ca.SX] = []
    accelerations: list[ca.SX] = []
    J: list[ca.SX] = []
    for cut in skeleton.cuts:
        columns = twist_columns(skeleton, tree, cut.parent, cut.child, tree.at(cut.child).p)
        own = _own_columns(skeleton, tree, cut)
        for n, row in enumerate(cut_rows(cut, tree)):
            values.append(row.value)
            accelerations.append(row.acceleration)
            entries = ca.SX(1, skeleton.velocities)
            for k, (v, w) in columns.items():
                known = k in own and n < len(cut.joint.position_rows)
                entries[k] = own[k][n] if known else ca.dot(row.linear, v) + ca.dot(row.angular, w)
            J.append(ca.sparsify(entries))
    for coupling in skeleton.description.couplings:
        entries, total, acceleration = ca.SX(1, skeleton.velocities), ca.SX(-coupling.constant), ca.SX(0)
        for term in coupling.terms:
            velocity, coordinate = place_of(skeleton, term.coordinate)
            entries[velocity] = entries[velocity] + term.factor
            total += term.factor * c[coordinate]
            acceleration += term.factor * t_dot[velocity]
        values.append(total)
        accelerations.append(acceleration)
        J.append(entries)
    if not J:
        return LoopRows(ca.SX(0, 1), ca.SX(0, skeleton.velocities), ca.SX(0, 1))
    return LoopRows(ca.vertcat(*values), ca.vertcat(*J), ca.vertcat(*accelerations))


def place_of(skeleton: Skeleton, name: str) -> tuple[int, int]:
    """Return the number of a velocity and, in a configuration, the place of its coordinate; for a ball, of its w."""
    velocity = skeleton.velocity_names.index(name)
    for link in skeleton.links:
        offset = velocity - link.velocity
        if 0 <= offset < len(link.joint.kind.freedoms):
            freedom = link.joint.kind.freedoms[offset]
            return velocity, link.coordinate + offset - (freedom.axis if freedom.move is Move.BALL else 0)
    raise AssertionError("every velocity belongs to a link")
