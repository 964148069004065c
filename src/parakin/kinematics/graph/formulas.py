"""The configuration of a pose by formulas, as far as there are any: see `parakin.mechanism.closing_order`."""

from __future__ import annotations

import math
from collections.abc import Sequence

import casadi as ca

from parakin.kinematics.graph.angles import Solved
from parakin.kinematics.graph.dyads import solve_dyad, solve_pivot
from parakin.kinematics.graph.links import Turns
from parakin.kinematics.graph.rows import place_of
from parakin.kinematics.graph.single_rows import solve_single_row
from parakin.mechanism.dyads import Dyad, Formula, PivotAlone, given_by
from parakin.mechanism.kinds import Move
from parakin.mechanism.plan import Plan
from parakin.mechanism.skeleton import Skeleton


def coordinates_given_by(skeleton: Skeleton, formulas: Sequence[Formula]) -> list[int]:
    """Return the places, in a configuration, of what formulas give, formula after formula."""
    given = [k for formula in formulas for k in sorted(given_by(skeleton, formula))]
    return [place_of(skeleton, skeleton.velocity_names[k])[1] for k in given]


def from_pose(plan: Plan, pose: ca.SX, near: ca.SX) -> tuple[ca.SX, Turns]:
    """Return what a pose and formulas give of a configuration on the branch of `near`, NaN for what is searched for.

    A loop that cannot close stays open. With it come cosines and sines of the angles that were found, so that nobody
    needs to compute them again.
    """
    c = [ca.SX(math.nan)] * plan.skeleton.coordinates
    _place_pose(plan, pose, near, c)
    return _solved(Solved(plan.skeleton, c, near, {}), plan.closing.before)


def completed(plan: Plan, configuration: ca.SX, near: ca.SX) -> tuple[ca.SX, Turns]:
    """Return a configuration, of which the pose, formulas and a search gave all else, with what formulas give then."""
    c = ca.vertsplit(configuration)
    for k in coordinates_given_by(plan.skeleton, plan.closing.after):
        c[k] = ca.SX(math.nan)
    return _solved(Solved(plan.skeleton, c, near, {}), plan.closing.after)


def _solved(solved: Solved, formulas: Sequence[Formula]) -> tuple[ca.SX, Turns]:
    for formula in formulas:
        if isinstance(formula, Dyad):
            solve_dyad(solved, formula)
        elif isinstance(formula, PivotAlone):
            solve_pivot(solved, formula)
        else:
            solve_single_row(solved, formula)
    return ca.vertcat(*solved.c), solved.turns


def _place_pose(plan: Plan, pose: ca.SX, near: ca.SX, c: list[ca.SX]) -> None:
    """Fill in the coordinates that a pose gives: joints', and the quaternions of balls whose three turns it has.

    Turns theta_k = 2 atan2(q_k, q_w) are of the quaternion (1, tan(theta/2)), brought to unit length.
    """
    place = {velocity: n for n, velocity in enumerate(plan.independent)}
    for link in plan.skeleton.links:
        k, n = link.coordinate, link.velocity
        for move, _ in link.joint.kind.moves:
            if move is Move.BALL:
                if {n, n + 1, n + 2} <= place.keys():
                    turns = ca.vertcat(1, *(ca.tan(pose[place[n + i]] / 2) for i in range(3)))
                    unit = turns / ca.norm_2(turns)
                    same = ca.if_else(ca.dot(unit, near[k : k + 4]) < 0, -1, 1)
                    c[k : k + 4] = ca.vertsplit(same * unit)
                k, n = k + 4, n + 3
            else:
                if n in place:
                    c[k] = pose[place[n]]
                k, n = k + 1, n + 1
