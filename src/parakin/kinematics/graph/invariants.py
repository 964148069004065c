"""Rows of the search that do not depend on pivots: see `parakin.mechanism.invariants`.

With P the frame of a pivot on the link before it, v_k the share of a velocity in that of the point beside P:

    distance:   value (r.r - s.s)/(2 length),   derivative (r.v_k - s.ds/dc_k)/length
    axial:      value e.r - s_z,                derivative e.v_k - ds_z/dc_k
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca

from parakin.kinematics.graph.loops import GraphMotion
from parakin.kinematics.graph.rows import LoopRows, loop_rows, place_of, twist_columns
from parakin.kinematics.graph.ways import Known, point_in
from parakin.mechanism.dyads import path, velocities
from parakin.mechanism.invariants import Invariant, sides


@dataclass(frozen=True)
class SearchMotion(GraphMotion):
    """A mechanism as the search sees it, with invariants after all other rows."""

    @cached_property
    def rows(self) -> LoopRows:
        """The rows that close the loops, and invariants."""
        nothing = ca.SX(self.plan.skeleton.velocities, 1)
        rows = loop_rows(self.plan.skeleton, self.standing, self.c, nothing)
        more = [_row(self, one) for one in self.plan.closing.invariants]
        values = ca.vertcat(rows.values, *(value for value, _ in more))
        return LoopRows(values, ca.vertcat(rows.J, *(J for _, J in more)), rows.acceleration)


def _row(moving: GraphMotion, invariant: Invariant) -> tuple[ca.SX, ca.SX]:
    """Return the value of an invariant and its derivatives by the tree's velocities."""
    skeleton, tree = moving.plan.skeleton, moving.standing
    mine, other = sides(skeleton, invariant.cut, invariant.pivot)
    P, p = skeleton.links[invariant.first].inner, tree.at(other).p
    r, e = p - tree.at(P).p, tree.axes(P)[:, 2]
    s = point_in(skeleton, Known(ca.vertsplit(moving.c), moving.turns), mine, invariant.pivot)
    if invariant.axial:
        n, held, value = e, s[2], ca.dot(e, r) - s[2]
    else:
        n, held = r / invariant.length, ca.sumsqr(s) / (2 * invariant.length)
        value = ca.sumsqr(r) / (2 * invariant.length) - held
    J = ca.SX(1, skeleton.velocities)
    for k, (v, _) in twist_columns(skeleton, tree, P, other, p).items():
        J[k] = ca.dot(n, v)
    way = path(skeleton, mine)
    for k in sorted(velocities(skeleton, *way[way.index(invariant.pivot) + 1 :])):
        place = place_of(skeleton, skeleton.velocity_names[k])[1]
        J[k] = J[k] - ca.jacobian(held, moving.c[place])
    return value, ca.sparsify(J)
