"""Steps of a configuration towards a pose, and whether it has arrived with its loops closed.

    J_d step_d = -rows(c) - J_u u_step          c <- c (+) (step_d, u_step)

A pose has one number for each independent velocity: the joint's coordinate, or for a component of a ball's angular
velocity the turn about that axis, 2 atan2(quaternion_k, quaternion_w), whose rate depends on all three components.
"""

from __future__ import annotations

from dataclasses import replace

import casadi as ca

from parakin.kinematics.derivatives import Displacements
from parakin.kinematics.graph.loops import GraphMotion
from parakin.kinematics.graph.rows import place_of
from parakin.kinematics.status import Status
from parakin.linalg.solve import solve_pivoted
from parakin.mechanism.kinds import Move
from parakin.mechanism.plan import Plan
from parakin.mechanism.skeleton import Skeleton
from parakin.spatial import quaternion_product

LOOP_CLOSURE_TOLERANCE = 1e-10
"""Largest residual [m and rad] with which a configuration is accepted; quadratic convergence leaves far less."""
SMALLEST_SHARE = 1e-3
"""A configuration counts as singular where the smallest singular value of J_d is this small beside that at the plan's
samples: rates are then known to about 1e-9."""


def coordinates_of_pose(plan: Plan, c: ca.SX) -> ca.SX:
    """Return the pose of a configuration."""
    return ca.vertcat(*(c[k] if axis is None else 2 * ca.atan2(c[k + 1 + axis], c[k]) for k, axis in _balls(plan)))


def _ball_axis(plan: Plan, name: str) -> int | None:
    """Return the axis of a ball's velocity component, None for coordinates of other joints."""
    joint, _, freedom = name.rpartition(".")
    for link in plan.skeleton.links:
        if link.joint.name == joint:
            one = next(f for f in link.joint.kind.freedoms if f.name == freedom)
            return one.axis if one.move is Move.BALL else None
    raise AssertionError("independent velocities belong to the tree")


def stepped(skeleton: Skeleton, c: ca.SX, step: ca.SX) -> ca.SX:
    """Return a configuration after a step of the tree's velocities; quaternions stay of unit length."""
    parts: list[ca.SX] = []
    for link in skeleton.links:
        k, n = link.coordinate, link.velocity
        for move, _ in link.joint.kind.moves:
            if move is Move.BALL:
                before, turn = c[k : k + 4], ca.vertcat(1, step[n : n + 3] / 2)
                turned = quaternion_product(turn, before) if link.floats else quaternion_product(before, turn)
                parts.append(turned / ca.norm_2(turned))
                k, n = k + 4, n + 3
            else:
                parts.append(c[k] + step[n])
                k, n = k + 1, n + 1
    return ca.vertcat(*parts)


def normalized(skeleton: Skeleton, c: ca.SX) -> ca.SX:
    """Return a configuration with its quaternions brought to unit length."""
    parts: list[ca.SX] = []
    for link in skeleton.links:
        k = link.coordinate
        for move, _ in link.joint.kind.moves:
            size = 4 if move is Move.BALL else 1
            part = c[k : k + size]
            parts.append(part / ca.norm_2(part) if move is Move.BALL else part)
            k += size
    return ca.vertcat(*parts)


def configuration_rates(skeleton: Skeleton, c: ca.SX, t: ca.SX) -> ca.SX:
    """Return the rates of a configuration for velocities t of the tree, which may have several columns.

    A quaternion q turns as q_dot = q (0, omega)/2; that of a floating link, with omega in base axes, as (0, omega) q/2.
    """
    parts: list[ca.SX] = []
    for link in skeleton.links:
        k, n = link.coordinate, link.velocity
        for move, _ in link.joint.kind.moves:
            if move is Move.BALL:
                turns = [ca.vertcat(0, t[n : n + 3, j] / 2) for j in range(t.shape[1])]
                q, floats = c[k : k + 4], link.floats
                rates = [quaternion_product(turn, q) if floats else quaternion_product(q, turn) for turn in turns]
                parts.append(ca.horzcat(*rates))
                k, n = k + 4, n + 3
            else:
                parts.append(t[n, :])
                k, n = k + 1, n + 1
    return ca.vertcat(*parts)


def displacements(moving: GraphMotion) -> Displacements:
    """Return how a configuration moves with the independent velocities: S_c, by the elimination of the loops."""
    S = moving.completed(ca.SX.eye(moving.u.shape[0]))
    return Displacements(moving.c, configuration_rates(moving.plan.skeleton, moving.c, S))


def step_towards(moving: GraphMotion, towards: ca.SX) -> ca.SX:
    """Return the step of all velocities that closes the loops while the pose's numbers make the steps `towards`.

    Numbers of a pose that are turns of a ball have rates theta_dot = T omega, in which the components K that belong to
    the pose are replaced by theta_dot and the others, r:

        omega_K = T_KK^-1 (theta_dot_K - T_Kr omega_r)
    """
    plan = moving.plan
    rows = moving.rows.values[list(plan.pivots.rows)]
    balls = _turns_by_ball(plan)
    if not balls:
        return moving.completed(towards, rows)
    J = ca.SX(moving.rows.J)
    known: list[tuple[list[int], list[int], ca.SX, ca.SX]] = []
    for (first, place), axes in balls.items():
        T = _turn_rates(moving.c[place : place + 4], axes)
        rest = [axis for axis in range(3) if axis not in axes]
        inverse, _ = solve_pivoted(T[:, axes], ca.SX.eye(len(axes)))
        kept, others = [first + axis for axis in axes], [first + axis for axis in rest]
        share = inverse @ T[:, rest]
        J[:, others] = J[:, others] - J[:, kept] @ share
        J[:, kept] = J[:, kept] @ inverse
        known.append((kept, others, inverse, share))
    step = replace(moving, J_given=ca.sparsify(J)).completed(towards, rows)
    for kept, others, inverse, share in known:
        step[kept] = inverse @ step[kept] - share @ step[others]
    return step


def _turn_rates(q: ca.SX, axes: list[int]) -> ca.SX:
    """Return T with theta_dot = T omega for turns theta_k = 2 atan2(q_k, q_w) of a ball with quaternion q.

    With i, j, k in cyclic order:

        theta_dot_k = omega_k + ((q_k q_i - q_w q_j) omega_i + (q_k q_j + q_w q_i) omega_j)/(q_w^2 + q_k^2)
    """
    T = ca.SX(len(axes), 3)
    for n, k in enumerate(axes):
        i, j = (k + 1) % 3, (k + 2) % 3
        w, x = q[0], [q[1], q[2], q[3]]
        size = w**2 + x[k] ** 2
        T[n, k] = 1
        T[n, i] = (x[k] * x[i] - w * x[j]) / size
        T[n, j] = (x[k] * x[j] + w * x[i]) / size
    return T


def _turns_by_ball(plan: Plan) -> dict[tuple[int, int], list[int]]:
    """Return the axes of turns that belong to a pose, for each ball: its first velocity and its quaternion's place."""
    balls: dict[tuple[int, int], list[int]] = {}
    for velocity, (place, axis) in zip(plan.independent, _balls(plan), strict=True):
        if axis is not None:
            balls.setdefault((velocity - axis, place), []).append(axis)
    return balls


def _balls(plan: Plan) -> list[tuple[int, int | None]]:
    """Return, for each number of a pose, the place of its coordinate or quaternion, and its axis if it is of a ball."""
    return [(place_of(plan.skeleton, name)[1], _ball_axis(plan, name)) for name in plan.independent_names]


def residual(moving: GraphMotion, pose: ca.SX | None = None) -> ca.SX:
    """Return how far a configuration is from closing its loops and, if a pose is given, from having it [m, rad].

    Rows of orientation are sines, which vanish also where a joint is put in backwards: that counts as open by 1.
    """
    rows = moving.rows.values[list(moving.plan.pivots.rows)]
    missing = ca.SX(0, 1) if pose is None else pose - coordinates_of_pose(moving.plan, moving.c)
    return ca.norm_2(ca.vertcat(rows, missing, *_backwards(moving), 0))


def _backwards(moving: GraphMotion) -> list[ca.SX]:
    """Return the cosines, where they are below zero, between axes of cut joints that are to point the same way.

    Two orientation rows hold z of both frames along one line, three hold all axes. Cosines that are always 1 are left
    out.
    """
    found: list[ca.SX] = []
    for cut in moving.plan.skeleton.cuts:
        axes = {2: (2,), 3: (0, 2)}.get(len(cut.joint.kind.orientation_rows), ())
        for axis in axes:
            cosine = ca.dot(*(moving.standing.axes(end)[:, axis] for end in (cut.parent, cut.child)))
            if not cosine.is_constant() or float(cosine) < 0:
                found.append(ca.fmin(cosine, 0))
    return found


def closing_status(moving: GraphMotion, error: ca.SX, crossed: ca.SX) -> ca.SX:
    """Return the status of a configuration whose residual is `error`, by elimination with exchange of rows.

    SINGULAR where the way crossed a singularity or ends at one, NOT_CONVERGED where the loops stay open.
    """
    regular = ca.if_else(moving.regularity > SMALLEST_SHARE, Status.GOOD, Status.SINGULAR)
    status = ca.if_else(error < LOOP_CLOSURE_TOLERANCE, regular, Status.NOT_CONVERGED)
    return ca.if_else(crossed, Status.SINGULAR, status)


def trusted_closing(moving: GraphMotion, error: ca.SX, crossed: ca.SX, doubted: ca.SX) -> ca.SX:
    """Return whether a configuration whose residual is `error` is surely good, by the plan's order of elimination."""
    doubts = ca.logic_or(crossed, doubted)
    return ca.logic_and(ca.logic_and(moving.trusted, error < LOOP_CLOSURE_TOLERANCE), ca.logic_not(doubts))
