"""What is different from one simulation to the next: the plant's true parameters, loads, sensors, gains."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.arrays import Array
from parakin.control import Law
from parakin.dynamics.parameters import parameters_of
from parakin.errors import SimulationError
from parakin.robot import Payload, Robot
from parakin.trajectory.limits import limits_of

T = TypeVar("T")

Wrench = ArrayLike | Callable[[Array], ArrayLike]
"""Constant (n,), a row for each tick (ticks, n), or a function of times (ticks,) [s] that gives such rows."""

NO_FORCE_LIMIT = 1e300
"""Kernels take finite numbers."""


@dataclass(frozen=True, eq=False)
class Scenario:
    """One run. By default the plant is the robot of its file, and everything is seen exactly and acts at once.

    parameters: true ones, as `Robot.parameters`. payload: what the robot carries from payload_time [s] on. wrench: on
    the platform. counts: of an encoder per rad or m, one or for each actuator. noise: standard deviation of a position
    before the encoder [rad or m]; pose_noise likewise of a measured pose. velocity_filter [Hz]: rates are differences
    of positions through a first-order filter of that cutoff, infinite for none; without it they are exact. delay: a
    force acts one tick after it was asked for. smoothing [rad/s or m/s]: of the sign of a rate in the plant's
    Coulomb friction. gains: of the law, those that differ. pose, velocity: to begin with, by default those of the first
    set point. seed, stream: noise is keyed by both; stream tells members of a family apart.
    """

    parameters: ArrayLike | None = None
    payload: Payload | None = None
    payload_time: float = 0.0
    wrench: Wrench | None = None
    counts: ArrayLike | None = None
    noise: float = 0.0
    pose_noise: ArrayLike = 0.0
    velocity_filter: float | None = None
    delay: bool = False
    smoothing: float = 0.01
    gains: Mapping[str, ArrayLike] = field(default_factory=dict[str, ArrayLike])
    pose: ArrayLike | None = None
    velocity: ArrayLike | None = None
    seed: int = 0
    stream: int = 0

    @property
    def noisy(self) -> bool:
        """Whether forces have noise: of positions, of a pose, or from encoders' steps."""
        return bool(self.noise or self.counts is not None or np.any(self.pose_noise))


def family(base: Scenario, count: int, **varied: Sequence[Any] | Array) -> tuple[Scenario, ...]:
    """`count` scenarios, each a stream of its own, with the k-th entry of every varied field."""
    known = {entry.name for entry in fields(Scenario)}
    for name, values in varied.items():
        if name not in known:
            raise SimulationError(name, f"a scenario has no such field; it has {', '.join(sorted(known))}")
        if len(values) != count:
            raise SimulationError(name, f"{count} scenarios need as many entries, got {len(values)}")
    if "stream" not in varied:
        varied = varied | {"stream": range(count)}
    return tuple(replace(base, **{name: values[k] for name, values in varied.items()}) for k in range(count))


@functools.lru_cache(maxsize=32)
def file_parameters(robot: Robot) -> Array:
    """The parameters of its file, without a payload."""
    return np.array([parameter.value for parameter in parameters_of(robot.description, None)])


def constants_of(robot: Robot, law: Law, scenarios: Sequence[Scenario]) -> dict[str, Array]:
    """Check the scenarios and stack them (S, ...): what the loop takes once, by name."""
    file = file_parameters(robot)
    count, freedom, period = len(robot.actuator_names), robot.degrees_of_freedom, law.period
    parameters = stacked("parameters", [s.parameters for s in scenarios], file)
    limits = np.minimum(limits_of(robot).force, NO_FORCE_LIMIT)
    payloads = [robot.payload if s.payload is None else s.payload for s in scenarios]
    wrong = [number for s in scenarios for number in (s.seed, s.stream) if not 0 <= number < 2**64]
    if wrong:
        raise SimulationError("seed, stream", f"must be at least 0 and below 2^64, got {wrong[0]}")
    times = _checked("payload_time", [s.payload_time for s in scenarios], np.isfinite, "a time in s")
    filters = np.array([np.inf if s.velocity_filter is None else s.velocity_filter for s in scenarios])
    if not (filters > 0).all():
        raise SimulationError("velocity_filter", f"must be > 0 Hz, got {filters[~(filters > 0)][0]:g}")
    return {
        "parameters": parameters,
        "payload": _each_once(payloads, lambda payload: np.array(payload.about_E)),
        "payload_tick": _first_ticks(times, period),
        "smoothing": _checked("smoothing", [s.smoothing for s in scenarios], lambda v: v > 0, "> 0"),
        "limits": np.broadcast_to(limits, (len(scenarios), count)),
        "quantum": _each_once([s.counts for s in scenarios], lambda counts: _quantum(counts, count)),
        "noise_q": _checked("noise", [s.noise for s in scenarios], lambda v: v >= 0, ">= 0"),
        "noise_pose": _each_once([s.pose_noise for s in scenarios], lambda noise: _pose_noise(noise, freedom)),
        "share": 1 - np.exp(-2 * np.pi * filters * period),
        "exact_rate": np.array([float(s.velocity_filter is None) for s in scenarios]),
        "delayed": np.array([float(s.delay) for s in scenarios]),
        "gains": _as_port(_each_once([s.gains or None for s in scenarios], lambda g: law.gain_vector(g or {}))),
    }


def _as_port(rows: Array) -> Array:
    """A kernel's port of one number has no dimension of its own."""
    return rows[:, 0] if rows.shape[1] == 1 else rows


def _first_ticks(times: Array, period: float) -> Array:
    """The first tick at or after each time, rounding aside."""
    return np.ceil(times / period - 1e-9)


def _quantum(counts: ArrayLike | None, count: int) -> Array:
    """Position per count; 0 for an encoder that sees everything."""
    if counts is None:
        return np.zeros(count)
    values = _every(counts, count)
    if not (np.isfinite(values).all() and (values > 0).all()):
        raise SimulationError("counts", f"must be finite and > 0 per rad or m, got {values.tolist()}")
    return 1 / values


def _pose_noise(noise: ArrayLike, freedom: int) -> Array:
    return stacked("pose_noise", [_every(noise, freedom)], np.zeros(freedom))[0]


def _every(value: ArrayLike, count: int) -> Array:
    array = np.asarray(value, float)
    return np.full(count, float(array)) if array.ndim == 0 else array


def _checked(name: str, given: list[float], good: Callable[[Array], NDArray[np.bool_]], rule: str) -> Array:
    values = np.asarray(given, float)
    wrong = ~(good(values) & np.isfinite(values))
    if wrong.any():
        raise SimulationError(name, f"must be finite and {rule}, got {float(values[wrong][0]):g}")
    return values


def stacked(name: str, given: Sequence[ArrayLike | None], default: Array) -> Array:
    """A row for each scenario (S, ...), the default where it has none."""

    def row(value: ArrayLike | None) -> Array:
        found = default if value is None else np.asarray(value, float)
        if found.shape != default.shape:
            raise SimulationError(name, f"must have shape {default.shape}, got {found.shape}")
        return found

    return _each_once(given, row)


def _each_once(given: Sequence[T], row: Callable[[T], Array]) -> Array:
    """The rows (S, ...) of what scenarios have, each worked out once however many share it."""
    rows = {key: row(value) for key, value in {id(value): value for value in given}.items()}
    if len(rows) == 1:
        (only,) = rows.values()
        return np.tile(only, (len(given), *[1] * only.ndim))
    return np.array([rows[id(value)] for value in given])
