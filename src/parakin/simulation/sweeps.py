"""Settings of a law tried on many plants: what tracking costs, and which settings nothing else beats."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array
from parakin.control import Law, Reference, gains_for
from parakin.control.common import INTEGRAL_SHARE
from parakin.errors import SimulationError
from parakin.robot import Payload, Robot
from parakin.simulation.run import SUBSTEPS, simulate_many
from parakin.simulation.scenario import Scenario, family
from parakin.simulation.sensors import Ending
from parakin.simulation.stability import Margins, margins
from parakin.simulation.summary import Summary

TOGETHER = 256
"""Scenarios of a call, or as many as a setting has: enough for all lanes, and progress is seen."""
PERCENTILES = (5, 50, 95)
LEAST_GAIN_MARGIN = 2.0
"""Of a setting to recommend: the rule of thumb of 6 dB."""


@dataclass(frozen=True, eq=False)
class Setting:
    """values: what was chosen, by name; gains: what follows for the law."""

    values: Mapping[str, float]
    gains: Mapping[str, Array] = field(repr=False)

    def __str__(self) -> str:
        return ", ".join(f"{name} {value:.4g}" for name, value in self.values.items())


def bandwidth_settings(
    law: Law, bandwidths: Sequence[float], dampings: Sequence[float], integral: float = INTEGRAL_SHARE
) -> tuple[Setting, ...]:
    """Every bandwidth [rad/s] with every damping."""
    return tuple(
        Setting({"bandwidth": w, "damping": d}, gains_for(law, w, damping=d, integral=integral))
        for w, d in itertools.product(bandwidths, dampings)
    )


def gain_settings(law: Law, ranges: Mapping[str, Sequence[float]]) -> tuple[Setting, ...]:
    """Every combination of the values of named gains; a value is for all actuators."""
    found: list[Setting] = []
    for values in itertools.product(*ranges.values()):
        chosen = dict(zip(ranges, values, strict=True))
        law.gain_vector(chosen)  # refuses names and values that the law does not take
        found.append(Setting(chosen, {name: np.array([value]) for name, value in chosen.items()}))
    return tuple(found)


def random_plants(robot: Robot, base: Scenario, count: int, spread: float, payload: float) -> tuple[Scenario, ...]:
    """Parameters off by up to `spread` of each, payloads from 0 to `payload` [kg], each plant its own noise."""
    if not 0 <= spread < 1:
        raise SimulationError("spread", f"must be at least 0 and less than 1, got {spread:g}")
    if not 0 <= payload < np.inf:
        raise SimulationError("payload", f"must be finite and >= 0 kg, got {payload:g}")
    if base.seed < 0:
        raise SimulationError("seed", f"must be >= 0, got {base.seed}")
    rng = np.random.default_rng(base.seed)
    factors = rng.uniform(1 - spread, 1 + spread, (count, len(robot.parameters)))
    loads = [Payload(mass=mass) for mass in rng.uniform(0.0, payload, count).tolist()]
    return family(base, count, parameters=robot.parameters * factors, payload=loads)


@dataclass(frozen=True, eq=False)
class Sweep:
    """summary: setting by setting, plant by plant. cost (settings,): rms force noise of the linearised loop at home
    where sensors have noise, otherwise the largest force of any plant; gain_margin, delay_margin [s]: of that loop.
    """

    settings: tuple[Setting, ...]
    plants: int
    summary: Summary
    cost: Array
    cost_name: str
    unit: str
    gain_margin: Array
    delay_margin: Array

    @property
    def error(self) -> Array:
        """(3, settings) [m] 5 %, median and 95 % over the plants of the platform's rms error."""
        return np.percentile(self.summary.distance_rms.reshape(-1, self.plants), PERCENTILES, axis=1)

    @property
    def completed(self) -> NDArray[np.bool_]:
        """Settings with which every plant came to its end, in a loop that is stable at home."""
        ended = (self.summary.status.reshape(-1, self.plants) == Ending.COMPLETED).all(axis=1)
        return ended & np.isfinite(self.cost)

    @property
    def front(self) -> NDArray[np.bool_]:
        """Settings that no other beats in both median error and cost."""
        error, cost, good = self.error[1], self.cost, self.completed
        found = good.copy()
        for k in np.flatnonzero(good):
            no_worse = good & (error <= error[k]) & (cost <= cost[k])
            found[k] = not (no_worse & ((error < error[k]) | (cost < cost[k]))).any()
        return found

    @property
    def best(self) -> int | None:
        """Of the front, with a gain margin of 2 or more, the least error times cost."""
        front = np.flatnonzero(self.front & (self.gain_margin >= LEAST_GAIN_MARGIN))
        return int(front[np.argmin(self.error[1][front] * self.cost[front])]) if len(front) else None


def sweep(
    robot: Robot,
    law: Law,
    reference: Reference,
    settings: Sequence[Setting],
    plants: Sequence[Scenario],
    *,
    substeps: int = SUBSTEPS,
    told: Callable[[int], None] = lambda _: None,
) -> Sweep:
    """Every setting on every plant, the same plants and noise for all. told: how many settings have been run."""
    if not settings or not plants:
        raise SimulationError("sweep", f"needs settings and plants, got {len(settings)} and {len(plants)}")
    together = max(1, TOGETHER // len(plants))
    parts: list[Summary] = []
    loops: list[Margins] = []
    for first in range(0, len(settings), together):
        group = settings[first : first + together]
        scenarios = [replace(plant, gains=setting.gains) for setting in group for plant in plants]
        parts.append(simulate_many(robot, law, reference, scenarios, substeps=substeps).summary)
        nominal = replace(plants[0], parameters=None, payload=None)
        loops += [margins(robot, law, replace(nominal, gains=setting.gains)) for setting in group]
        told(min(first + together, len(settings)))
    summary = _joined(parts)
    peak = summary.force_peak.max(axis=-1).reshape(len(settings), -1).max(axis=1)
    stable = [loop.stable for loop in loops]
    noise = np.array([loop.force_noise.max() for loop in loops])
    cost, name = (noise, "force noise, rms") if plants[0].noisy else (np.where(stable, peak, np.nan), "largest force")
    unit = " or ".join(sorted(set(robot.actuator_units)))
    gain, delay = (np.array([getattr(loop, what) for loop in loops]) for what in ("gain", "delay"))
    return Sweep(tuple(settings), len(plants), summary, cost, name, unit, gain, delay)


def _joined(parts: Sequence[Summary]) -> Summary:
    names = [name for name in vars(parts[0]) if name != "actuators"]
    return Summary(parts[0].actuators, **{name: np.concatenate([getattr(p, name) for p in parts]) for name in names})
