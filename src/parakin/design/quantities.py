"""What can be wanted of a design: the design's own quantities, those of a cycle, and all of `analysis` over a region.

A quantity has a value, or one for each actuator, at every pose; the worst, the mean or the root of the mean square over
all poses is the design's. Some also give slopes of a value by outputs of models, for optimisers; the slopes of these by
the parameters come from the exact model. Quantities without them are derived by differences.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from parakin.analysis import QUANTITIES as AT_POSES
from parakin.analysis.quantity import Quantity as AtPoses
from parakin.arrays import Array

if TYPE_CHECKING:
    from parakin.robot import Robot

Outputs = Mapping[str, Array]
"""Outputs of models by name, each (designs, poses, ...)."""
Over = Literal["design", "volume", "region", "cycle"]
"""Over which poses a quantity is taken; "design" for what no pose changes."""


@dataclass(frozen=True)
class Sloped:
    """How values follow from outputs of models, with slopes."""

    values: Callable[[Outputs, Array], Array]
    """Values (designs, poses, channels) from outputs (designs, poses, ...) and factors for the columns of J_qv."""
    slopes: Callable[[Outputs, Array, NDArray[np.intp]], Outputs]
    """Slopes (rows, ...) of values by outputs (rows, 1, ...); the last argument says which channel each row is of."""


@dataclass(frozen=True)
class Quantity:
    """A row of the table.

    >>> pk.design.QUANTITIES["cycle_force"].over, pk.design.QUANTITIES["stiffness"].over
    ('cycle', 'region')
    """

    name: str
    """What it is called in study files."""
    title: str
    """What it is, for figures."""
    over: Over
    """Over which poses it is taken."""
    goal: Literal["least", "most"]
    """Whether least or most of it is wanted, unless a study says otherwise; the worst is then the other end."""
    unit: Callable[[Robot], str]
    """Its unit for a robot."""
    models: tuple[str, ...] = ()
    """Models whose outputs it is made of, where it has slopes."""
    sloped: Sloped | None = None
    """How it follows from these outputs."""
    at_poses: AtPoses | None = None
    """The quantity of `analysis` that it is."""


def _chosen(values: Array, channels: NDArray[np.intp]) -> Array:
    """Return 1 in each row (rows, channels) for its channel, 0 for the others."""
    return np.eye(values.shape[1])[channels]


def _sizes(name: str) -> Sloped:
    """Return the quantity that is the size of an output, for each actuator."""

    def slopes(outputs: Outputs, _scale: Array, channels: NDArray[np.intp]) -> Outputs:
        values = outputs[name][:, 0]
        return {name: _chosen(values, channels) * np.sign(values)}

    return Sloped(lambda outputs, _: np.abs(outputs[name]), slopes)


def _power_slopes(outputs: Outputs, _scale: Array, channels: NDArray[np.intp]) -> Outputs:
    tau, rate = outputs["tau"][:, 0], outputs["q_dot"][:, 0]
    sign = _chosen(tau, channels) * np.sign(tau * rate)
    return {"tau": sign * rate, "q_dot": sign * tau}


_POWERS = Sloped(lambda outputs, _: np.abs(outputs["tau"] * outputs["q_dot"]), _power_slopes)


def _conditions(outputs: Outputs, scale: Array) -> Array:
    J = outputs["J_qv"] * scale
    good = np.asarray(np.isfinite(J).all(axis=(-2, -1)))
    values = np.linalg.svd(np.where(good[..., None, None], J, np.eye(*J.shape[-2:])), compute_uv=False)
    with np.errstate(divide="ignore"):
        return np.where(good, values[..., 0] / values[..., -1], np.nan)[..., None]


def _condition_slopes(outputs: Outputs, scale: Array, _channels: NDArray[np.intp]) -> Outputs:
    """dk = u_1^T dJ v_1/s_n - s_1/s_n^2 u_n^T dJ v_n of k = s_1/s_n."""
    U, s, Vt = np.linalg.svd(outputs["J_qv"][:, 0] * scale, full_matrices=False)
    first = np.einsum("ri,rj->rij", U[:, :, 0], Vt[:, 0, :]) / s[:, -1, None, None]
    last = np.einsum("ri,rj->rij", U[:, :, -1], Vt[:, -1, :]) * (s[:, 0] / s[:, -1] ** 2)[:, None, None]
    return {"J_qv": (first - last) * scale}


def _actuators(what: str) -> Callable[[Robot], str]:
    """Return what tells the unit of actuators, of all kinds that there are."""
    return lambda robot: " or ".join(dict.fromkeys(getattr(one.units, what) for one in robot.actuators))


def _power(_: Robot) -> str:
    return "W"


def _mass(_: Robot) -> str:
    return "kg"


def _volume(robot: Robot) -> str:
    return {1: "m", 2: "m^2", 3: "m^3"}.get(len(robot.motion_type.linear), "share")


_OWN = (
    Quantity("mass", "moving mass", "design", "least", _mass),
    Quantity("volume", "volume within reach", "volume", "most", _volume, ("inverse_kinematics",)),
    Quantity(
        "cycle_force",
        "largest actuator force on the cycle",
        "cycle",
        "least",
        _actuators("force"),
        ("inverse_dynamics",),
        _sizes("tau"),
    ),
    Quantity(
        "cycle_speed",
        "largest actuator speed on the cycle",
        "cycle",
        "least",
        _actuators("velocity"),
        ("actuator_velocity",),
        _sizes("q_dot"),
    ),
    Quantity(
        "cycle_power",
        "largest actuator power on the cycle",
        "cycle",
        "least",
        _power,
        ("inverse_dynamics", "actuator_velocity"),
        _POWERS,
    ),
)
ASKS_ROBOTS = ("accuracy",)
"""Quantities of `analysis` that ask a robot for more than models at poses (here: for its forward kinematics)."""
_SLOPED = {"condition": (("jacobian",), Sloped(_conditions, _condition_slopes))}
"""Quantities of `analysis` whose slopes are known: the models that they are made of, and how."""


def _of_analysis(row: AtPoses) -> Quantity:
    models, sloped = _SLOPED.get(row.name, ((), None))
    goal = "least" if row.better == "smaller" else "most"
    return Quantity(row.name, row.title, "region", goal, row.unit_of, models, sloped, row)


QUANTITIES: Mapping[str, Quantity] = {row.name: row for row in (*_OWN, *map(_of_analysis, AT_POSES.values()))}
"""What can be wanted, by its name in study files; a new one is a row here or in the table of `analysis`."""


def reduced(values: Array, how: str, goal: str) -> Array:
    """Return one number for each design from values (designs, poses, channels): NaN where any value is."""
    with np.errstate(invalid="ignore"):
        match how:
            case "mean":
                return values.mean(axis=(1, 2))
            case "rms":
                return np.sqrt((values**2).mean(axis=(1, 2)))
            case _:
                return values.max(axis=(1, 2)) if goal == "least" else values.min(axis=(1, 2))
