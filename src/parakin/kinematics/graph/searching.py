"""Steps of a program that find the configuration of a pose: formulas, and Newton's method for what has none.

    u_step = cut (pose - pose(c))          J_d step_d = -rows(c) - J_u u_step          c <- c (+) (step_d, u_step)

Each step moves the known coordinates, those of the pose and what formulas give before, a bounded way towards their
values and closes the other loops on the way, so that a far pose is reached along a path on one branch. Where det J_d
changes its sign, the path has crossed a singularity. Formulas for the rest follow.
"""

from __future__ import annotations

from dataclasses import replace

import casadi as ca

from parakin.kernels.program import Program, StepLike, iterate, stage
from parakin.kinematics.graph.closing import closing_status, coordinates_of_pose, residual, step_towards, stepped
from parakin.kinematics.graph.formulas import completed, coordinates_given_by, from_pose
from parakin.kinematics.graph.invariants import SearchMotion
from parakin.kinematics.graph.loops import GraphMotion, graph_motion
from parakin.linalg.pivots import Pivots
from parakin.mechanism.dyads import given_by
from parakin.mechanism.plan import Plan

_CSE = {"cse": True}
SURELY = "_surely"
"""What the names of signals end with that are found by elimination with exchange of rows."""
LONGEST_CLOSING_STEP = 0.15
"""Longest step of any coordinate [rad, and lengths in sizes of the mechanism]; longer ones are cut."""
CLOSING_STEP_TOLERANCE = 1e-9
"""Largest step [rad, and lengths in sizes] with which the search ends: Newton's next one would be its square."""
CLOSING_STEP_LIMIT = 80
"""Most steps: a pose half a turn away takes twenty and some to settle."""


def _newton(moving: GraphMotion, target: ca.SX, side: ca.SX, *, across: bool = False) -> ca.Function:
    """Return one step towards values of the known coordinates; side: the sign of det J_d before, 0 in the first step.

    across: whether the search goes on where it crosses a singularity.
    """
    plan, skeleton = moving.plan, moving.plan.skeleton
    missing = target - coordinates_of_pose(plan, moving.c)
    sizes = [skeleton.size if f.units.position == "m" else 1.0 for k in skeleton.links for f in k.joint.kind.freedoms]
    unit = ca.SX(ca.DM([1 / size for size in sizes]))
    towards = _cut(_largest(unit[list(plan.independent)] * missing)) * missing
    step = step_towards(moving, towards)
    length = _largest(unit * step)
    step = _cut(length) * step
    crossed = ca.eq(moving.factors.side, -side)
    arrived = length < CLOSING_STEP_TOLERANCE  # a step that was cut is longer
    doubted = ca.SX(0) if moving.surely else ca.logic_not(moving.trusted)
    outputs = {
        "next": stepped(skeleton, moving.c, step),
        "done": arrived if across else ca.logic_or(ca.logic_or(arrived, crossed), doubted),
        "crossed": crossed,
        "doubted": doubted,
        "side_here": moving.factors.side,
    }
    inputs = {"target": target, "configuration": moving.c, "side": side}
    return ca.Function(
        "close_loops", list(inputs.values()), list(outputs.values()), list(inputs), list(outputs), {"cse": True}
    )


def _largest(step: ca.SX) -> ca.SX:
    """Return the size of a step's largest entry: by pairs, so that no comparison waits for all those before it."""
    sizes = [ca.fabs(step[k]) for k in range(step.shape[0])]
    while len(sizes) > 1:
        pairs = [ca.fmax(one, other) for one, other in zip(sizes[::2], sizes[1::2], strict=False)]
        sizes = pairs + sizes[2 * len(pairs) :]
    return sizes[0] if sizes else ca.SX(0)


def _cut(length: ca.SX) -> ca.SX:
    """Return the factor that makes no entry of a step longer than LONGEST_CLOSING_STEP, of which `length` is the size
    of the largest.
    """
    return ca.if_else(length > LONGEST_CLOSING_STEP, LONGEST_CLOSING_STEP / length, 1)


def searching(plan: Plan, *, surely: bool) -> GraphMotion:
    """Return the mechanism as the search sees it: its rows, velocities that they give, and all that is known before."""
    order, moving = plan.closing, graph_motion(plan, surely=surely)
    if not order.formulas:
        return moving
    pivots = Pivots(order.rows, order.columns, (), (), (), ())
    known = [*plan.independent, *(k for one in order.before for k in sorted(given_by(plan.skeleton, one)))]
    search = replace(plan, pivots=pivots, pivot_sizes=order.sizes, independent=tuple(known))
    return SearchMotion(search, moving.c, moving.u, moving.u_dot, surely)


def closing_steps(plan: Plan, *, surely: bool, complete: bool) -> tuple[StepLike, ...]:
    """Return the steps from signals `pose` and `near` to the signals `configuration`, `crossed` and `doubted`.

    Where the plan has formulas for all loops there is one step, and no search. complete: whether formulas that follow
    the search are among the steps, or left to whoever takes its result. With exchanges of rows the signals that they
    hold in between, and the result, have names of their own, which end in SURELY.
    """
    end = SURELY if surely else ""
    if not plan.closing.rows:
        return (_by_formulas(plan, end),)
    moving = searching(plan, surely=surely)
    target, side = ca.SX.sym("target", len(moving.plan.independent)), ca.SX.sym("side")
    step = _newton(moving, target, side)
    names = {name: name + end for name in ("configuration", "side", "crossed", "doubted", "done", "target")}
    if not plan.closing.before:
        names["target"] = "pose"
    search = iterate(
        stage(
            step, next=names["configuration"], side_here=names["side"], **_but(names, step.name_in() + step.name_out())
        ),
        until=names["done"],
        limit=CLOSING_STEP_LIMIT,
        steps=f"closing_steps{end}",
        residual="residual",
    )
    begin = _begin(plan)
    first = stage(begin, **_but(names, begin.name_out()))
    return (first, search, _completing(plan, end)) if complete and plan.closing.after else (first, search)


def _by_formulas(plan: Plan, end: str) -> StepLike:
    """Return the step from a pose to its configuration where formulas give all of it."""
    pose, near = ca.SX.sym("pose", len(plan.independent)), ca.SX.sym("near", plan.skeleton.coordinates)
    configuration, _ = from_pose(plan, pose, near)
    found = {"configuration": configuration, "crossed": ca.SX(0), "doubted": ca.SX(0)}
    formulas = ca.Function("formulas", [pose, near], list(found.values()), ["pose", "near"], list(found), _CSE)
    return stage(formulas, **{name: name + end for name in found})


def _begin(plan: Plan) -> ca.Function:
    """Return what the search begins with, and where known coordinates are to come: the pose, and by formulas."""
    pose, near = ca.SX.sym("pose", len(plan.independent)), ca.SX.sym("near", plan.skeleton.coordinates)
    first = {"configuration": near, "side": ca.SX(0)}
    if not plan.closing.before:
        return ca.Function("begin", [near], list(first.values()), ["near"], list(first))
    given, _ = from_pose(plan, pose, near)
    first["target"] = ca.vertcat(pose, given[coordinates_given_by(plan.skeleton, plan.closing.before)])
    return ca.Function("begin", [pose, near], list(first.values()), ["pose", "near"], list(first), _CSE)


def _completing(plan: Plan, end: str) -> StepLike:
    """Return the step of the formulas that follow the search."""
    c, near = ca.SX.sym("configuration", plan.skeleton.coordinates), ca.SX.sym("near", plan.skeleton.coordinates)
    names = {"found": f"configuration{end}", "configuration": f"configuration{end}"}
    return stage(
        ca.Function("complete", [c, near], [completed(plan, c, near)[0]], ["configuration", "near"], ["found"], _CSE),
        **names,
    )


def closing_across_branches(plan: Plan) -> Program:
    """Return a search from any configuration, closed or not, for one of a pose, whatever branch that is on.

    It takes `pose` and `near` and gives `configuration_found`, `residual` and `status`.
    """
    moving = graph_motion(plan, surely=True)
    pose, side = ca.SX.sym("pose", len(plan.independent)), ca.SX.sym("side")
    begin = ca.Function("begin", [moving.c], [moving.c, ca.SX(0)], ["near"], ["configuration", "side"])
    step = stage(_newton(moving, pose, side, across=True), next="configuration", side_here="side", target="pose")
    search = iterate(step, until="done", limit=CLOSING_STEP_LIMIT, residual="residual")
    error = residual(moving, pose)
    found = {"configuration_found": moving.c, "residual": error, "status": closing_status(moving, error, ca.SX(0))}
    inputs = {"configuration": moving.c, "pose": pose}
    last = ca.Function("judge", list(inputs.values()), list(found.values()), list(inputs), list(found), _CSE)
    return Program(begin, search, last, outputs=found, name=f"{plan.skeleton.description.name}_any_branch")


def _but(names: dict[str, str], kept: list[str]) -> dict[str, str]:
    return {name: signal for name, signal in names.items() if name in kept}
