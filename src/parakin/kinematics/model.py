"""A model: expressions with the inputs they take and what can be wrong with a state; and how it becomes a program."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import casadi as ca

from parakin.description import RobotDescription
from parakin.kernels import Program, shortcut
from parakin.kernels.program import StepLike
from parakin.kinematics.derivatives import Displacements, derivatives_of
from parakin.kinematics.status import SMALLEST_PIVOT, Status
from parakin.linalg.solve import Order, platform_pivot, solve_in_order, solve_pivoted

if TYPE_CHECKING:
    from parakin.kinematics.robot_motion import RobotMotion


@dataclass(frozen=True)
class Model:
    """What a kernel is made of. `status` is added to the outputs, and where it is not GOOD the others are NaN."""

    inputs: Mapping[str, ca.SX]
    """Symbols that the model takes, by name, in the order of a call."""
    outputs: Mapping[str, ca.SX]
    """What it gives, by name."""
    pivot: ca.SX | None = None
    """A number that is zero where the actuators do not determine the motion, if the model divides by such a number."""
    reasons: Mapping[str, ca.SX] = field(default_factory=dict[str, ca.SX])
    """Outputs that are given also where the state is no good, to say why."""
    status: ca.SX | None = None
    """The status of a model that takes no pose and judges its input itself; it then has no `excess`."""
    quick: Quick | None = None
    """A quicker way to the outputs, if there is one."""
    inverse: Inverse | None = None
    """The inverse of J_qv^T, if the outputs are written with symbols of it; they are NaN where its symbols are."""


@dataclass(frozen=True)
class Quick:
    """A quicker way to a model's outputs, to be trusted in most states."""

    outputs: Mapping[str, ca.SX]
    """What the quick way computes: outputs of the same names as the model's."""
    trusted: ca.SX
    """Whether they are to be trusted in this state."""


@dataclass(frozen=True)
class Inverse:
    """The inverse of J_qv^T, found before the outputs that need it, by the quick way wherever that is to be trusted."""

    values: ca.SX
    """Symbols of the inverse; NaN where the state is no good."""
    blank: ca.SX
    """A symbol of zero, NaN where the state is no good: for what has no part in the inverse."""
    order: Order
    """The order in which J_qv^T can mostly be eliminated without exchanges."""


def inverse_in_order(n: int, order: Order) -> Inverse:
    """Return symbols of the inverse of an n x n matrix J_qv^T that is eliminated in an order where possible."""
    return Inverse(ca.SX.sym("inverse", n, n), ca.SX.sym("blank"), order)


def actuation_pivot(moving: RobotMotion, description: RobotDescription) -> ca.SX:
    """Return the number that is zero where the platform is singular: the ratio of pivots of J_qv, free of units."""
    return platform_pivot(moving.J_qv, moving.motion.scale(1 / description.length))


def _pose_status(moving: RobotMotion, pivot: ca.SX | None) -> ca.SX:
    """UNUSABLE, UNREACHABLE, SINGULAR or GOOD, the first that applies."""
    good = ca.if_else(regular(moving, pivot), Status.GOOD, Status.SINGULAR)
    usable = moving.motion.usable(moving.pose)
    return ca.if_else(usable, ca.if_else(_reached(moving), good, Status.UNREACHABLE), Status.UNUSABLE)


def _reached(moving: RobotMotion) -> ca.SX:
    return ca.mmax(moving.excess) <= 0


def regular(moving: RobotMotion, pivot: ca.SX | None) -> ca.SX:
    """Return whether no pivot of the legs, nor the given one, is small; NaN counts as small."""
    pivots = [(moving.pivot[k], bound) for k, bound in enumerate(moving.smallest_pivots)]
    good = ca.SX(1)
    for value, bound in pivots + ([] if pivot is None else [(pivot, SMALLEST_PIVOT)]):
        good = ca.logic_and(good, ca.fabs(value) > bound)
    return good


def _regular_legs(moving: RobotMotion) -> ca.SX:
    """Return what `regular` does, by fewer operations; NaN is passed over: where there is one, forces have one too."""
    good = ca.SX(1)
    for bound in sorted(set(moving.smallest_pivots)):
        first, *others = (ca.fabs(moving.pivot[k]) for k, own in enumerate(moving.smallest_pivots) if own == bound)
        smallest = first
        for size in others:
            smallest = ca.if_else(size < smallest, size, smallest)
        good = ca.logic_and(good, smallest > bound)
    return good


def derived(model: Model, inputs: Mapping[str, ca.SX], by: tuple[str, ...], moves: Displacements) -> Model:
    """Return a model with the derivatives of its outputs by some of its inputs, and with the sure way to them alone.

    Outputs that are given also where a state is no good have derivatives only where it is good.
    """
    assert model.inverse is None, "a model that is to be derived has its elimination written out"
    found = derivatives_of({**model.outputs, **model.reasons}, inputs, by, moves)
    return replace(model, outputs={**model.outputs, **found}, quick=None)


def displacements(moving: RobotMotion) -> Displacements:
    """Return how the pose, and z below it, move with the platform."""
    from parakin.kinematics.robot_motion import coordinate_rates

    slopes = ca.jacobian(coordinate_rates(moving), moving.velocity)
    return Displacements(ca.vertcat(moving.pose, moving.z), slopes)


def plain_function(name: str, model: Model, moving: RobotMotion) -> ca.Function:
    """Return a model's outputs as they are, whatever the state: no status, and no NaN in its place."""
    return _function(name, _inputs(model, moving), {**model.outputs, **model.reasons})


def program_of(name: str, model: Model, moving: RobotMotion, description: RobotDescription) -> Program:
    """Return a model as a program, with `status` beside its outputs, and `excess` if any leg can be out of reach."""
    if model.status is not None:
        return _program(f"{description.name}_{name}", dict(model.inputs), model.outputs, {"status": model.status})
    inputs = _inputs(model, moving)
    told = ({} if moving.excess.is_constant() else {"excess": moving.excess}) | dict(model.reasons)
    status = {"status": _pose_status(moving, model.pivot)}
    from parakin.kinematics.closing import closing_steps

    before = closing_steps(moving, description, residual="excess")
    full_name = f"{description.name}_{name}"
    if model.inverse is not None:
        steps = _inverse_steps(full_name, model, moving, description, status | told)
        symbols = {"inverse": model.inverse.values, "blank": model.inverse.blank}
        last = _function(full_name, inputs | symbols, model.outputs)
        return Program(*before, *steps, last, outputs=(*model.outputs, *status, *told), name=full_name)
    sure = _program(full_name, inputs, model.outputs, status | told, before)
    if model.quick is None:
        return sure
    good = ca.logic_and(moving.motion.usable(moving.pose), _reached(moving))
    finite = ca.sumsqr(ca.vertcat(*map(ca.vec, model.quick.outputs.values()))) < math.inf
    for condition in (_regular_legs(moving), finite, model.quick.trusted):
        good = ca.logic_and(good, condition)
    doubt = {"doubt": ca.logic_not(good)}
    outputs = dict(model.quick.outputs) | {"status": ca.SX(Status.GOOD)} | told | doubt
    quick = _function(f"{full_name}_quick", inputs, outputs)
    *_, slow = sure.steps
    return Program(*before, shortcut(quick, slow, doubt="doubt"), outputs=sure.outputs, name=full_name)


def _inputs(model: Model, moving: RobotMotion) -> dict[str, ca.SX]:
    """Return all symbols that a model's expressions have, those of legs and of their branches included."""
    return dict(model.inputs) | dict(moving.branches) | ({"z": moving.z} if moving.z.shape[0] else {})


def _inverse_steps(
    name: str,
    model: Model,
    moving: RobotMotion,
    description: RobotDescription,
    told: Mapping[str, ca.SX],
) -> tuple[StepLike, ...]:
    """Return the steps to the inverse of J_qv^T and to what is told of a state: quickly, or where in doubt surely.

    The quick way looks at each pivot by itself, so that no NaN goes unseen; what it divides by is among these pivots.
    """
    assert model.inverse is not None
    A, one = moving.J_qv.T, ca.SX.eye(moving.J_qv.shape[0])
    values, trusted = solve_in_order(A, one, model.inverse.order, moving.motion.scale(1 / description.length))
    good = ca.logic_and(moving.motion.usable(moving.pose), _reached(moving))
    for condition in (regular(moving, None), trusted):
        good = ca.logic_and(good, condition)
    quick = dict(told) | {"status": ca.SX(Status.GOOD), "inverse": ca.densify(values), "blank": ca.SX(0)}
    sure_values, _ = solve_pivoted(A, one)
    judged = ca.eq(told["status"], Status.GOOD)
    sure = {"inverse": sure_values, "blank": ca.SX(0)}
    sure = {key: ca.if_else(judged, value, math.nan) for key, value in sure.items()} | dict(told)
    inputs = _inputs(model, moving)  # all of them: a program's inputs come in the order in which steps read them
    return (
        shortcut(
            _function(f"{name}_quick", inputs, quick | {"doubt": ca.logic_not(good)}),
            _function(f"{name}_sure", inputs, sure),
            doubt="doubt",
        ),
    )


def _program(
    name: str,
    inputs: Mapping[str, ca.SX],
    values: Mapping[str, ca.SX],
    told: Mapping[str, ca.SX],
    before: tuple[StepLike, ...] = (),
) -> Program:
    """told: outputs that say how good the values are, `status` among them."""
    good = ca.eq(told["status"], Status.GOOD)
    outputs = {key: ca.if_else(good, value, math.nan) for key, value in values.items()} | dict(told)
    return Program(*before, _function(name, inputs, outputs), outputs=outputs, name=name)


def _function(name: str, inputs: Mapping[str, ca.SX], outputs: Mapping[str, ca.SX]) -> ca.Function:
    return ca.Function(name, list(inputs.values()), list(outputs.values()), list(inputs), list(outputs), {"cse": True})
