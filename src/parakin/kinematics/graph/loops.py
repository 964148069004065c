"""A mechanism in motion: what follows from its independent velocities by loop closure.

    J t = 0,   t = (t_d, u):    J_d t_d = -J_u u        J_d t_dot_d = -J_u u_dot - (acceleration of the rows, coasting)
    forces f on t become forces on u:    Q = f_u - J_u^T lambda,    J_d^T lambda = f_d

One factorisation of J_d serves all three. [Codourey1997] never opens the loops; here they are cut, and closed again by
these equations, which is the same virtual work.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca

from parakin.kinematics.graph.elimination import Factors, factorised
from parakin.kinematics.graph.links import Tree, tree_motion
from parakin.kinematics.graph.rows import LoopRows, loop_rows
from parakin.mechanism.plan import Plan


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
    J_given: ca.SX | None = None
    """A Jacobian to be used in place of that of the rows, where rates of other numbers are asked for."""

    @cached_property
    def standing(self) -> Tree:
        """The links at rest, where only positions matter."""
        nothing = ca.SX(self.plan.skeleton.velocities, 1)
        return tree_motion(self.plan.skeleton, self.c, nothing, nothing)

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
    def factors(self) -> Factors:
        """J_d as L U."""
        return factorised(self.J, self.plan.pivots.rows, self.plan.pivots.columns)

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
        coasting = tree_motion(plan.skeleton, self.c, self.t, nothing)
        rows = loop_rows(plan.skeleton, coasting, self.c, nothing)
        return self.completed(self.u_dot, rows.acceleration[list(plan.pivots.rows)])

    @cached_property
    def tree(self) -> Tree:
        """The links in motion."""
        return tree_motion(self.plan.skeleton, self.c, self.t, self.t_dot)

    def projected(self, f: ca.SX) -> ca.SX:
        """Return the forces Q on the independent velocities that do the same work as f on those of the tree."""
        plan = self.plan
        multipliers = self.factors.solved_transposed([f[k] for k in plan.pivots.columns])
        Q = f[list(plan.independent)]
        return Q - self.J_u.T @ ca.vertcat(*multipliers) if multipliers else Q

    @cached_property
    def pivot(self) -> ca.SX:
        """The smallest pivot beside its size at the plan's samples; 1 without loops."""
        smallest = ca.SX(1)
        for pivot, size in zip(self.factors.pivots, self.plan.pivot_sizes, strict=True):
            smallest = ca.fmin(smallest, ca.fabs(pivot) * float(1 / size))
        return smallest


def graph_motion(plan: Plan) -> GraphMotion:
    """Return a mechanism with symbols for its configuration, velocities and accelerations."""
    n = len(plan.independent)
    return GraphMotion(
        plan,
        ca.SX.sym("configuration", plan.skeleton.coordinates),
        ca.SX.sym("velocity", n),
        ca.SX.sym("acceleration", n),
    )
