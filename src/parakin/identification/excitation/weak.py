"""Which parameters a motion shows poorly, and why; which no motion shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from parakin.arrays import Array
from parakin.identification.excitation.quality import Quality, Scaling
from parakin.robot import Robot
from parakin.robot.base_parameters import BaseParameters, Sharing
from parakin.trajectory.states import State

WEAK_DEVIATION = 0.1
"""Relative standard deviation above which a parameter counts as poorly excited."""
DEPENDENT_WIDENING = 3.0
"""Factor by which others, being estimated too, widen a deviation, beyond which they are the reason."""
NAMED_PART = 0.25
"""Part of a column that another must make up to be named."""
NAMED_OTHERS = 3
"""Others that a reason names at most."""
REACHED_SHARE = 0.97
"""Share of a limit that counts as reached."""
WEIGHT_ONLY = 0.95
"""Part of a column that is there at standstill, above which a parameter is felt as weight."""


@dataclass(frozen=True)
class Weak:
    """A base parameter whose relative standard deviation is above WEAK_DEVIATION: deviation = widening × alone."""

    name: str
    """Name of the parameter."""
    unit: str
    """Unit of the parameter."""
    value: float
    """Value in the robot file."""
    deviation: float
    """Expected standard deviation, relative to the parameter's size."""
    alone: float
    """What the deviation would be if all other parameters were known."""
    widening: float
    """Factor on the deviation through other parameters that look alike."""
    kind: Literal["small", "symmetry", "gravity", "dependent"]
    """Why it is poorly excited.

    - "small": its force is small;
    - "symmetry": it looks like the same parameter of other legs;
    - "gravity": it and others are felt as weight only;
    - "dependent": it looks like others for another reason.
    """
    reason: str
    """The reason in words, with the others' names."""

    def __str__(self) -> str:
        return f"{self.name}: ± {100 * self.deviation:.3g} %: {self.reason}"


@dataclass(frozen=True)
class Hidden:
    """A parameter that no motion of the robot shows."""

    name: str
    """Name of the parameter."""
    kind: Literal["motion", "gravity"]
    """"motion", or "gravity" where gravity in another direction would show it."""


def weak_parameters(
    robot: Robot, scaling: Scaling, quality: Quality, *, samples: float, state: State, shares: Mapping[str, float]
) -> tuple[Weak, ...]:
    """Return the parameters that a motion shows poorly, the worst first.

    samples: in all; state: states of one period; shares: of the limits, at their largest.
    """
    base, lengths = scaling.base, np.linalg.norm(quality.R, axis=0)
    deviations = quality.deviations(samples)
    alone = 1 / (np.sqrt(samples) * lengths)
    inverse = np.asarray(np.linalg.inv(quality.R / lengths), float)
    C_inv = inverse @ inverse.T
    weight = _weight(scaling, robot, state) / lengths
    reached = " and ".join(kind for kind, share in shares.items() if share > REACHED_SHARE)
    limited = f"; no more motion within {reached}" if reached else ""
    weak: list[Weak] = []
    worst_first: list[int] = np.argsort(-deviations).tolist()
    for k in worst_first:
        if deviations[k] <= WEAK_DEVIATION:
            break
        widening = float(deviations[k] / alone[k])
        parts = np.abs(C_inv[k] / C_inv[k, k])
        parts[k] = 0.0
        others = [int(j) for j in np.argsort(-parts)[:NAMED_OTHERS] if parts[j] > NAMED_PART]
        if widening > DEPENDENT_WIDENING and others:
            kind, reason = _likeness(base, k, others, weight, of_legs=bool(robot.legs))
        else:
            kind, reason = "small", _smallness(base, k, float(lengths[k]))
        name, unit = base.representatives[k].name, base.units[k]
        value, deviation = float(base.values[k]), float(deviations[k])
        weak.append(Weak(name, unit, value, deviation, float(alone[k]), widening, kind, reason + limited))
    return tuple(weak)


def _weight(scaling: Scaling, robot: Robot, state: State) -> Array:
    """The lengths of the columns at standstill in the same poses."""
    still = np.zeros_like(state.velocity)
    A = scaling.rows(robot.regressor(state.pose, still, still))
    return np.sqrt(np.mean(np.sum(A**2, axis=1), axis=0))


def _likeness(
    base: BaseParameters, k: int, others: list[int], weight: Array, *, of_legs: bool
) -> tuple[Literal["symmetry", "gravity", "dependent"], str]:
    alike = [base.representatives[j] for j in others]
    listed = ", ".join(label.name for label in alike)
    if of_legs and any(label.within_part == base.representatives[k].within_part for label in alike):
        return "symmetry", f"symmetry: legs move alike, it looks like {listed}"
    if all(weight[j] > WEIGHT_ONLY for j in (k, *others)):
        return "gravity", f"gravity pulls one way only: as weight it looks like {listed}"
    return "dependent", f"its force looks like that of {listed} along this motion"


def _smallness(base: BaseParameters, k: int, length: float) -> str:
    size = "counted at the least size that matters" if base.values[k] == 0 else "at its prior value"
    return f"small force, {length:.2g} times the noise {size}"


def hidden_parameters(robot: Robot, base: BaseParameters, shared: Sharing) -> tuple[Hidden, ...]:
    """Return the parameters without effect; those come first that gravity in another direction would show."""
    if not base.zero:
        return ()
    general = set(robot.base_parameters(shared=shared, gravity="general").zero)
    hidden = [Hidden(name, "motion" if name in general else "gravity") for name in base.zero]
    return tuple(sorted(hidden, key=lambda one: one.kind))
