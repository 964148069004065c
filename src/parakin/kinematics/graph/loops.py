"""A mechanism in motion: what follows from its independent velocities by loop closure.

    J t = 0,   t = (t_d, u):    J_d t_d = -J_u u        J_d t_dot_d = -J_u u_dot - (acceleration of the rows, coasting)
    forces f on t become forces on u:    Q = f_u - J_u^T lambda,    J_d^T lambda = f_d

One factorisation of J_d serves all three. [Codourey1997] never opens the loops; here they are cut, and closed again by
these equations, which is the same virtual work.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import casadi as ca
import numpy as np

from parakin.kinematics.graph.links import Tree, Turns, tree_motion
from parakin.kinematics.graph.rod_frames import turned_rods
from parakin.kinematics.graph.rows import LoopRows, loop_rows
from parakin.linalg.elimination import ExchangedFactors, Factors, factorised, factorised_with_exchanges
from parakin.mechanism.assembling import scales
from parakin.mechanism.plan import Plan

TRUSTED_SHARE = 0.05
"""A pivot of the fixed order that is smaller than this beside its size at the plan's samples is doubted."""
TRUSTED_FACTORS = 1e4
"""Sum of the squares of the fixed order's factors, free of units, up to which rounding grows little enough."""


@dataclass(frozen=True)
class GraphMotion:
    """The symbols of a mechanism's state, and everything that moves."""

    plan: Plan
    """How the mechanism is computed."""
    c: ca.SX
    """The configuration: coordinates of the tree's joints [m, rad, quaternions]."""
    u: ca.SX
    """Independent velocities."""
    u_dot: ca.SX
    """Independent accelerations."""
    surely: bool = False
    """Whether loops are eliminated with exchange of rows, which is sure everywhere, and not in the plan's order."""
    turns: Turns = field(default_factory=dict[int, tuple[ca.SX, ca.SX]])
    """Cosines and sines of angles that formulas gave; the others are those of c."""
    J_given: ca.SX | None = None
    """A Jacobian to be used in place of that of the rows, where rates of other numbers are asked for."""

    @cached_property
    def standing(self) -> Tree:
        """The links at rest, where only positions matter."""
        nothing = ca.SX(self.plan.skeleton.velocities, 1)
        return tree_motion(self.plan.skeleton, self.c, nothing, nothing, self.turns)

    @cached_property
    def rows(self) -> LoopRows:
        """The rows that close the loops, and their Jacobian."""
        nothing = ca.SX(self.plan.skeleton.velocities, 1)
        return loop_rows(self.plan.skeleton, self.standing, self.c, nothing)

    @property
    def J(self) -> ca.SX:
        """The Jacobian of the rows by the tree's velocities."""
        return self.rows.J if self.J_given is None else self.J_given

    @cached_property
    def factors(self) -> Factors | ExchangedFactors:
        """J_d, factorised."""
        rows, columns = self.plan.pivots.rows, self.plan.pivots.columns
        if not self.surely:
            return factorised(self.J, rows, columns)
        return factorised_with_exchanges(self.J, rows, columns, self._row_scales)

    @property
    def _row_scales(self) -> list[float]:
        """What makes the imposed rows free of units; 1 for all where they have the same one."""
        of_rows, _ = scales(self.plan.skeleton)
        lengths = [1 / self.plan.skeleton.size] * len(self.plan.closing.invariants)
        mine = np.concatenate([of_rows, lengths])[list(self.plan.pivots.rows)].tolist()
        return mine if len(set(mine)) > 1 else [1.0] * len(mine)

    @cached_property
    def J_u(self) -> ca.SX:
        """The columns of the imposed rows that belong to independent velocities, in the order of pivots."""
        return self.J[list(self.plan.pivots.rows), list(self.plan.independent)]

    def completed(self, u: ca.SX, rest: ca.SX | None = None) -> ca.SX:
        """Return the tree's velocities t (or their derivatives) for independent ones u, which may have several columns.

        J_d t_d = -J_u u - rest
        """
        columns = u.shape[1]
        right = -(self.J_u @ u)
        if rest is not None:
            right = right - rest
        dependent = self.factors.solved([right[k, :] for k in range(right.shape[0])])
        t: list[ca.SX] = [ca.SX(1, columns)] * self.plan.skeleton.velocities
        for k, value in zip(self.plan.pivots.columns, dependent, strict=True):
            t[k] = value
        for n, k in enumerate(self.plan.independent):
            t[k] = u[n, :]
        return ca.vertcat(*t)

    @cached_property
    def t(self) -> ca.SX:
        """Velocities of the tree."""
        return self.completed(self.u)

    @cached_property
    def t_dot(self) -> ca.SX:
        """Accelerations of the tree."""
        plan = self.plan
        nothing = ca.SX(plan.skeleton.velocities, 1)
        coasting = tree_motion(plan.skeleton, self.c, self.t, nothing, self.turns)
        rows = loop_rows(plan.skeleton, coasting, self.c, nothing)
        return self.completed(self.u_dot, rows.acceleration[list(plan.pivots.rows)])

    @cached_property
    def tree(self) -> Tree:
        """The links in motion."""
        return tree_motion(self.plan.skeleton, self.c, self.t, self.t_dot, self.turns)

    def projected(self, f: ca.SX) -> ca.SX:
        """Return the forces Q on the independent velocities that do the same work as f on those of the tree."""
        plan = self.plan
        multipliers = self.factors.solved_transposed([f[k] for k in plan.pivots.columns])
        Q = f[list(plan.independent)]
        return Q - self.J_u.T @ ca.vertcat(*multipliers) if multipliers else Q

    @cached_property
    def trusted(self) -> ca.SX:
        """Whether the fixed order of elimination is good here: no pivot is small beside its size at the plan's samples,
        and no factor large. NaN is not trusted.
        """
        assert isinstance(self.factors, Factors), "elimination with exchanges is trusted everywhere"
        scale, squares, trusted = self._row_scales, ca.SX(0), ca.SX(1)
        for k, row in enumerate(self.factors.lower):
            for m, factor in row.items():
                squares += (factor * (scale[k] / scale[m])) ** 2
        smallest = ca.SX(1)
        for pivot, size in zip(self.factors.pivots, self.plan.pivot_sizes, strict=True):
            if not pivot.is_constant():
                smallest = ca.fmin(smallest, ca.fabs(pivot) * float(1 / size))
        for sine in self._sines:
            smallest = ca.fmin(smallest, sine)
        if not squares.is_constant():
            trusted = squares < TRUSTED_FACTORS
        return ca.logic_and(trusted, smallest > TRUSTED_SHARE)

    @cached_property
    def regularity(self) -> ca.SX:
        """The smallest singular value of J_d, free of units, beside that at the plan's samples; 1 without loops.

        It is estimated by two steps towards the singular vector that belongs to it, from a vector w that no symmetry
        of a mechanism has:

            y = J_d^-T w,    x = J_d^-1 y:        |y|/|x|

        The sine of the angle between a rod whose spin follows from its line and axis 1 of its universal joint takes its
        place where it is smaller.
        """
        least = self._loop_regularity
        for sine in self._sines:
            least = ca.if_else(sine < least, sine, least)  # NaN stays
        return least

    @cached_property
    def _sines(self) -> list[ca.SX]:
        """Sines of the angles between rods whose spin follows from their line and axis 1 of their universal joint."""
        return [ca.fabs(rod.D) for rod in turned_rods(self.plan.skeleton, self.standing).values()]

    @property
    def _loop_regularity(self) -> ca.SX:
        plan = self.plan
        if not plan.pivots.rows:
            return ca.SX(1)
        of_rows, of_columns = (1 / values for values in scales(plan.skeleton))
        rows, columns = of_rows[list(plan.pivots.rows)], of_columns[list(plan.pivots.columns)]
        w = [math.cos(k * k + 1.0) for k in range(len(rows))]
        y = self.factors.solved_transposed([ca.SX(c * v) for c, v in zip(columns, w, strict=True)])
        y = [value * float(scale) for value, scale in zip(y, rows, strict=True)]
        x = self.factors.solved([value * float(scale) for value, scale in zip(y, rows, strict=True)])
        x = [value * float(scale) for value, scale in zip(x, columns, strict=True)]
        return ca.norm_2(ca.vertcat(*y)) / ca.norm_2(ca.vertcat(*x)) * (1 / plan.smallest_singular_value)


def graph_motion(plan: Plan, *, surely: bool = False) -> GraphMotion:
    """Return a mechanism with symbols for its configuration, velocities and accelerations.

    surely: whether its loops are eliminated with exchange of rows.
    """
    n = len(plan.independent)
    return GraphMotion(
        plan,
        ca.SX.sym("configuration", plan.skeleton.coordinates),
        ca.SX.sym("velocity", n),
        ca.SX.sym("acceleration", n),
        surely,
    )
