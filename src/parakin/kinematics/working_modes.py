"""The working mode of a robot as an input: which of its two ways each leg closes, chosen while a kernel runs."""

from __future__ import annotations

import casadi as ca

from parakin.description import Leg, RobotDescription, expanded_legs


def branched_legs(description: RobotDescription) -> tuple[Leg, ...]:
    """Return the legs that can close in two ways, in the order of the input `branches`."""
    return tuple(leg for leg in expanded_legs(description) if leg.branch is not None)


def with_branches(description: RobotDescription) -> RobotDescription:
    """Return the description with symbols in place of the branches of its legs, for building models only.

    `robot_motion` finds them there, and every model takes them as its input `branches`: 1 or -1 a leg.
    """
    legs = [
        leg if leg.branch is None else leg.model_copy(update={"branch": ca.SX.sym(f"branch_{leg.name}")})
        for leg in expanded_legs(description)
    ]
    return description.model_copy(update={"legs": tuple(legs), "symmetries": {}})


def free_branches(legs: tuple[Leg, ...]) -> dict[str, ca.SX]:
    """Return the symbols that stand for branches as an input by name; nothing where branches are numbers."""
    symbols = [leg.branch for leg in legs if isinstance(leg.branch, ca.SX)]
    return {"branches": ca.vertcat(*symbols)} if symbols else {}
