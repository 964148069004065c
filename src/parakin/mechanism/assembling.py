"""Assemble a mechanism: close its loops from the rough values of a file, and tell how well they close."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array, lock_arrays
from parakin.errors import DescriptionError
from parakin.mechanism import numeric
from parakin.mechanism.skeleton import Skeleton

MOST_STEPS = 100
"""Steps of Gauss and Newton at most."""
LONGEST_STEP = 0.3
"""Size of the longest step [rad, and lengths in sizes of the mechanism]; longer ones are cut."""
SMALLEST_STEP = 1e-14
"""Size of a step below which the loops are as closed as they can be."""
OPEN_LOOP = 1e-4
"""Largest row, in sizes of the mechanism or radians, with which loops count as closed but for the file's rounding."""
WEAKEST = (1e-3, 1e-6, 1e-9)
"""Singular values of the rows, beside the largest, that a step does not divide by: coarse first, then finer."""
SHORT_WAY = 0.05
"""How far a finer assembly may lead from the coarse one [rad, and lengths in sizes]; rounded rows lead far away."""


@dataclass(frozen=True, eq=False)
class Assembly:
    """A configuration with closed loops."""

    configuration: Array
    """Coordinates of the tree's joints."""
    closure: dict[str, float]
    """How far each loop is from closing, by the joint that is cut [m; rad times the size for turns]."""
    error: float
    """The largest of these, in sizes of the mechanism."""

    def __post_init__(self) -> None:
        lock_arrays(self)


def scales(skeleton: Skeleton) -> tuple[Array, Array]:
    """Return what makes rows and columns of the loops' Jacobian free of units: lengths count in sizes."""
    rows: list[float] = []
    for cut in skeleton.cuts:
        lengths = len(cut.joint.position_rows) + cut.joint.kind.distance_row
        rows += [1.0 / skeleton.size] * lengths + [1.0] * len(cut.joint.kind.orientation_rows)
    columns = [
        skeleton.size if freedom.units.position == "m" else 1.0
        for link in skeleton.links
        for freedom in link.joint.kind.freedoms
    ]
    for coupling in skeleton.description.couplings:
        first = columns[skeleton.velocity_names.index(coupling.terms[0].coordinate)]
        rows.append(1.0 / (first * abs(coupling.terms[0].factor or 1.0)))
    return np.array(rows), np.array(columns)


def scaled_rows(skeleton: Skeleton, configuration: Array) -> tuple[Array, Array]:
    """Return the rows that close the loops and their Jacobian, both free of units."""
    of_rows, of_columns = scales(skeleton)
    values, J = numeric.loop_rows(skeleton, configuration)
    return of_rows * values, of_rows[:, None] * J * of_columns


def closed(skeleton: Skeleton, configuration: Array, weakest: float) -> tuple[Array, float]:
    """Return the nearest configuration with closed loops, and the largest row that is left there.

    Steps are the shortest ones of least squares, so that redundant rows and singular poses do no harm. weakest: the
    singular value, beside the largest, below which a combination of rows is left as it is.
    """
    _, of_columns = scales(skeleton)
    for _ in range(MOST_STEPS):
        values, J = scaled_rows(skeleton, configuration)
        if not len(values):
            break
        step = -np.linalg.lstsq(J, values, rcond=weakest)[0]
        size = float(np.linalg.norm(step))
        step *= min(1.0, LONGEST_STEP / size) if size > 0 else 1.0
        configuration = numeric.stepped(skeleton, configuration, step * of_columns)
        if size <= SMALLEST_STEP:
            break
    values, _ = scaled_rows(skeleton, configuration)
    return configuration, float(np.max(np.abs(values), initial=0.0))


def assemble(skeleton: Skeleton) -> Assembly:
    """Close all loops from the file's rough values; loops that stay open are an error that names the worst joint."""
    configuration, error = closed(skeleton, numeric.start(skeleton), WEAKEST[0])
    for weakest in WEAKEST[1:]:
        finer, left = closed(skeleton, configuration, weakest)
        if left < 0.1 * error and float(np.max(np.abs(finer - configuration), initial=0.0)) < SHORT_WAY:
            configuration, error = finer, left
    values, _ = scaled_rows(skeleton, configuration)
    names = [cut.joint.name for cut in skeleton.cuts for _ in range(cut.joint.row_count)]
    names += [f"coupling {k + 1}" for k in range(len(skeleton.description.couplings))]
    closure: dict[str, float] = {}
    for name, value in zip(names, values, strict=True):
        closure[name] = max(closure.get(name, 0.0), abs(float(value)) * skeleton.size)
    if error > OPEN_LOOP:
        worst = max(closure, key=lambda name: closure[name])
        reason = (
            f"the loop that joint '{worst}' closes stays open by {closure[worst] * 1e3:.4g} mm: check its frames and "
            "those of the joints around the loop, or give joints better home values"
        )
        raise DescriptionError(skeleton.description.name, (("joints", reason),))
    return Assembly(configuration, closure, error)
