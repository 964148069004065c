"""Derivatives of a model's outputs that keep every loop closed, for robots of legs and for mechanisms alike.

A model is written in x, all coordinates that move with the pose, and in other inputs. Coordinates that follow from the
pose by loop closure are symbols of their own in it; their derivative is by the implicit function theorem

    df/dpose = (df/dx) S,        S = dx/d(displacement): the rates of x for unit velocities

and never goes through the steps of a search. A displacement has as many numbers as a velocity: for a quaternion, or the
component of a ball's velocity, it is a small rotation, as in `linearize`. Velocity and acceleration are held as they
are, twists in base axes where the velocity is one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca

from parakin.errors import UnknownNameError
from parakin.kinematics.derivative_names import NOT_DERIVED_BY, POSE, derivative_name


@dataclass(frozen=True)
class Displacements:
    """What moves with a pose, and how."""

    x: ca.SX
    """Symbols of all coordinates that move with the pose."""
    S: ca.SX
    """Their rates for unit velocities, a column each."""


def derivatives_of(
    outputs: Mapping[str, ca.SX], inputs: Mapping[str, ca.SX], by: Sequence[str], moves: Displacements
) -> dict[str, ca.SX]:
    """Return the derivative of every output by every input that is named.

    It has a row for each entry of the output, matrices counted row by row as numpy does, and a column for each number
    of the input.
    """
    known = [name for name in inputs if name not in NOT_DERIVED_BY]
    stacked = ca.vertcat(*(ca.vec(value.T) for value in outputs.values()))
    found: dict[str, ca.SX] = {}
    for name in by:
        if name not in known:
            raise UnknownNameError("input to derive by", name, tuple(known))
        slopes = ca.jtimes(stacked, moves.x, moves.S) if name == POSE else ca.jacobian(stacked, inputs[name])
        row = 0
        for output, value in outputs.items():
            entries = value.numel()
            found[derivative_name(output, name)] = ca.densify(slopes[row : row + entries, :])
            row += entries
    return found
