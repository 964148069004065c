"""Which coordinates make up the pose of an imported mechanism with fewer motors than freedoms."""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array
from parakin.errors import DescriptionError
from parakin.mechanism.assembling import assemble, null_space, scaled_rows
from parakin.mechanism.model import MechanismDescription
from parakin.mechanism.plan import plan
from parakin.mechanism.readers.report import Journal
from parakin.mechanism.skeleton import skeleton

RANK = 1e-6
"""Singular values of the loops' rows below this are taken for zero; lengths count in sizes of the mechanism."""
HELD_BY_OTHERS = 1e-3
"""A velocity of which others determine all but this part follows from them."""


def with_motors_in_pose(description: MechanismDescription, journal: Journal) -> MechanismDescription:
    """Return the mechanism with every motor among its independent coordinates, if it has fewer than freedoms.

    Forces are known then only if the motors are in the pose. Of the motions that the loops allow at home, columns of N,
    coordinates are taken whose rows are independent: motors first, then the one that the others determine least.
    """
    tree = skeleton(description)
    if not tree.cuts and not description.couplings:
        return description
    J = scaled_rows(tree, assemble(tree).configuration)[1]
    N = null_space(J, RANK)
    names = tree.velocity_names
    driven = {
        f"{joint.name}.{freedom}"
        for joint in description.joints
        for freedom, table in joint.freedoms.items()
        if table.drive is not None
    }
    motors = [k for k, name in enumerate(names) if name in driven]
    if not 0 < len(motors) < N.shape[1]:
        return description
    rows = _independent_rows(N, motors)
    chosen = description.model_copy(update={"independent": tuple(names[k] for k in rows)})
    try:
        if set(motors) <= set(plan(description).independent):
            return description
        plan(chosen)
    except DescriptionError:
        return description
    journal.chose("pose", "its motors are fewer than its freedoms, and all of them are independent coordinates")
    return chosen


def _independent_rows(N: Array, first: list[int]) -> list[int]:
    """Return rows of N that are independent of each other: of `first` as many as are, then the largest rests."""
    rest = N.copy()
    sizes = np.linalg.norm(N, axis=1)
    rows: list[int] = []
    for k in first:
        if np.linalg.norm(rest[k]) > HELD_BY_OTHERS * max(sizes[k], RANK):
            rows.append(k)
            rest = _without(rest, rest[k])
    while len(rows) < N.shape[1]:
        k = int(np.argmax(np.linalg.norm(rest, axis=1)))
        rows.append(k)
        rest = _without(rest, rest[k])
    return rows


def _without(rows: Array, direction: Array) -> Array:
    """Return rows without their parts along a direction."""
    unit = direction / np.linalg.norm(direction)
    return rows - np.outer(rows @ unit, unit)
