"""One formulation of inverse dynamics against another: how far its forces are off."""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array, frozen_arrays


@frozen_arrays(eq=True)
class Comparison:
    """How far each actuator's force by one formulation is from another's; `print` it for a table."""

    formulation: str
    """The formulation whose forces are judged."""
    against: str
    """The formulation they are compared with."""
    actuators: tuple[str, ...]
    """Names of the actuators."""
    units: tuple[str, ...]
    """Unit of each actuator's force."""
    largest: Array
    """Largest error of each actuator [N or N m]."""
    rms: Array
    """Root mean square of the error of each actuator [N or N m]."""
    largest_percent: Array
    """Largest error in percent of the largest force of `against`."""
    rms_percent: Array
    """Root mean square of the error in percent of that of the forces of `against`."""
    states: int
    """How many states were compared."""
    left_out: int
    """How many states have no force in one of the formulations."""

    def __str__(self) -> str:
        width = max(len("actuator"), *map(len, self.actuators))
        left_out = f", {self.left_out} left out" if self.left_out else ""
        lines = [
            f"{self.formulation} against {self.against}: {self.states} states{left_out}",
            f"{'actuator':<{width}}  {'largest error':>20}  {'rms error':>20}",
        ]
        for k, (name, unit) in enumerate(zip(self.actuators, self.units, strict=True)):
            largest = f"{self.largest[k]:.3g} {unit} ({self.largest_percent[k]:.2f} %)"
            rms = f"{self.rms[k]:.3g} {unit} ({self.rms_percent[k]:.2f} %)"
            lines.append(f"{name:<{width}}  {largest:>20}  {rms:>20}")
        return "\n".join(lines)


def comparison(
    formulations: tuple[str, str], actuators: tuple[tuple[str, ...], tuple[str, ...]], forces: Array, reference: Array
) -> Comparison:
    """Compare forces (..., m) with a reference; actuators: their names and units. Without a state, figures are NaN."""
    names, units = actuators
    rows, known = forces.reshape(-1, len(names)), reference.reshape(-1, len(names))
    good = np.isfinite(rows).all(axis=1) & np.isfinite(known).all(axis=1)
    error, force = rows[good] - known[good], known[good]
    largest, rms = _largest(error), _rms(error)
    return Comparison(
        *formulations,
        names,
        units,
        largest,
        rms,
        _percent(largest, _largest(force)),
        _percent(rms, _rms(force)),
        states=int(good.sum()),
        left_out=int((~good).sum()),
    )


def _largest(values: Array) -> Array:
    return np.max(np.abs(values), axis=0, initial=0.0 if len(values) else np.nan)


def _rms(values: Array) -> Array:
    return np.sqrt(np.sum(values**2, axis=0) / np.where(len(values), len(values), np.nan))


def _percent(part: Array, whole: Array) -> Array:
    """Infinite where there is no force to compare with, but zero where nothing is off."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(part == 0.0, 0.0, 100 * part / whole)
