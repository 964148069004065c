"""A sweep tries settings of a law on many plants, to see what tracking costs and which settings nothing else beats."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.control import Law, Reference, gains_for
from parakin.control.common import INTEGRAL_SHARE
from parakin.control.tuning.margins import Margins
from parakin.errors import SimulationError, UnstableLoopError
from parakin.robot import Payload, Robot
from parakin.simulation.linear import margins
from parakin.simulation.run import SUBSTEPS, simulate_many
from parakin.simulation.scenario import Scenario, family
from parakin.simulation.sensors import Ending
from parakin.simulation.summary import Summary
from parakin.simulation.verdicts import LEAST_DELAY, LEAST_GAIN

if TYPE_CHECKING:
    from parakin.executors import Placement

TOGETHER = 256
"""Scenarios run by one call, or all of a setting if those are more: enough for all lanes, and progress is seen."""
PERCENTILES = (5, 50, 95)
"""Percentiles over the plants by which errors are told [%]; the middle one is the median."""


@frozen_arrays
class Setting:
    """One choice of the numbers that are swept."""

    values: Mapping[str, float]
    """What was chosen, by name: bandwidth [rad/s] and damping, or gains."""
    gains: Mapping[str, Array] = field(repr=False)
    """Gains of the law that follow from the choice, by name."""

    def __str__(self) -> str:
        return ", ".join(f"{name} {value:.4g}" for name, value in self.values.items())


def bandwidth_settings(
    law: Law, bandwidths: Sequence[float], dampings: Sequence[float], integral: float = INTEGRAL_SHARE
) -> tuple[Setting, ...]:
    """Make a setting of every bandwidth [rad/s] with every damping.

    >>> settings = pk.simulation.bandwidth_settings(law, (40.0, 80.0), (0.7, 1.0))
    >>> [dict(setting.values) for setting in settings[:2]]
    [{'bandwidth': 40.0, 'damping': 0.7}, {'bandwidth': 40.0, 'damping': 1.0}]
    """
    return tuple(
        Setting({"bandwidth": w, "damping": d}, gains_for(law, w, damping=d, integral=integral))
        for w, d in itertools.product(bandwidths, dampings)
    )


def gain_settings(law: Law, ranges: Mapping[str, Sequence[float]]) -> tuple[Setting, ...]:
    """Make a setting of every combination of the values of named gains; a value is for all actuators.

    >>> names = [gain.name for gain in law.interface.gains]
    >>> settings = pk.simulation.gain_settings(law, {names[0]: (400.0, 900.0), names[1]: (40.0, 60.0)})
    >>> len(settings)
    4
    """
    settings: list[Setting] = []
    for values in itertools.product(*ranges.values()):
        chosen = dict(zip(ranges, values, strict=True))
        law.gain_vector(chosen)  # refuses names and values that the law does not take
        settings.append(Setting(chosen, {name: np.array([value]) for name, value in chosen.items()}))
    return tuple(settings)


def random_plants(robot: Robot, base: Scenario, count: int, spread: float, payload: float) -> tuple[Scenario, ...]:
    """Draw `count` plants, each with noise of its own.

    Every parameter is off by up to `spread` of its value, and payloads are from 0 to `payload` [kg].

    >>> plants = pk.simulation.random_plants(robot, scenario, 20, spread=0.1, payload=0.5)
    >>> many = pk.simulation.simulate_many(robot, law, reference, plants)
    >>> many.summary.error_rms.shape
    (20, 3)
    """
    if not 0 <= spread < 1:
        raise SimulationError("spread", f"must be at least 0 and less than 1, got {spread:g}")
    if not 0 <= payload < np.inf:
        raise SimulationError("payload", f"must be finite and >= 0 kg, got {payload:g}")
    rng = np.random.default_rng(base.seed)
    factors = rng.uniform(1 - spread, 1 + spread, (count, len(robot.parameters)))
    loads = [Payload(mass=mass) for mass in rng.uniform(0.0, payload, count).tolist()]
    return family(base, count, parameters=robot.parameters * factors, payload=loads)


@frozen_arrays
class Sweep:
    """Settings of a law, each run on the same plants."""

    settings: tuple[Setting, ...]
    """What was tried."""
    plants: int
    """How many plants each setting ran on."""
    summary: Summary
    """Figures of merit of all runs (settings * plants,), plant by plant within setting by setting."""
    cost: Array
    """What each setting costs (settings,), in `unit`; NaN where the loop is unstable at home.

    Where sensors have noise, the largest rms force noise of the loop linearised at home; else the largest force of any
    plant.
    """
    cost_name: str
    """What the cost is, in words."""
    unit: str
    """Unit of the cost."""
    gain_margin: Array
    """Gain margin of the loop linearised at home (settings,)."""
    delay_margin: Array
    """Delay margin of the loop linearised at home (settings,) [s]; 0 where it is unstable."""
    period: float
    """Time from one control tick to the next [s]."""

    @property
    def error(self) -> Array:
        """The platform's rms error, as 5 %, median and 95 % over the plants (3, settings) [`summary.platform_unit`]."""
        return np.percentile(self.summary.platform_rms.reshape(-1, self.plants), PERCENTILES, axis=1)

    @property
    def completed(self) -> NDArray[np.bool_]:
        """Whether every plant ran to its end, in a loop that is stable at home (settings,)."""
        ended = (self.summary.status.reshape(-1, self.plants) == Ending.COMPLETED).all(axis=1)
        return ended & np.isfinite(self.cost)

    @property
    def sound(self) -> NDArray[np.bool_]:
        """Whether the loop at home has a gain margin of 2 and a delay margin of 1.5 ticks, or more (settings,)."""
        return (self.gain_margin >= LEAST_GAIN) & (self.delay_margin >= LEAST_DELAY * self.period)

    @property
    def front(self) -> NDArray[np.bool_]:
        """Whether no other setting is better in median error or cost and no worse in the other (settings,)."""
        error, cost, good = self.error[1], self.cost, self.completed
        front = good.copy()
        for k in np.flatnonzero(good):
            no_worse = good & (error <= error[k]) & (cost <= cost[k])
            front[k] = not (no_worse & ((error < error[k]) | (cost < cost[k]))).any()
        return front

    @property
    def best(self) -> int | None:
        """The number of the setting to recommend, or None: the least median error times cost.

        It is on the front and sound.
        """
        candidates = np.flatnonzero(self.front & self.sound)
        products = self.error[1][candidates] * self.cost[candidates]
        return int(candidates[np.argmin(products)]) if len(candidates) else None


def sweep(
    robot: Robot,
    law: Law,
    reference: Reference,
    settings: Sequence[Setting],
    plants: Sequence[Scenario],
    *,
    substeps: int = SUBSTEPS,
    force: bool = False,
    told: Callable[[int], None] = lambda _: None,
    placement: Placement | None = None,
) -> Sweep:
    """Run every setting on every plant, with the same plants and the same noise for all settings.

    `told` is called with the number of settings that have been run so far. A `placement` says in which processes all
    of them run together, and in which folder they are kept (docs/many_runs.md). UnstableLoopError, unless `force`, if
    every setting is unstable at home.

    >>> settings = pk.simulation.bandwidth_settings(law, (40.0, 80.0, 120.0), (1.0,))
    >>> found = pk.simulation.sweep(robot, law, reference, settings, pk.simulation.family(scenario, 5))
    >>> found.completed, found.error.shape
    (array([ True,  True,  True]), (3, 3))
    """
    if not settings or not plants:
        raise SimulationError("sweep", f"needs settings and plants, got {len(settings)} and {len(plants)}")
    together = max(1, TOGETHER // len(plants)) if placement is None else len(settings)
    nominal = replace(plants[0], parameters=None, payload=None, pose=None)
    loops = [margins(robot, law, replace(nominal, gains=setting.gains)) for setting in settings]
    if not force:
        _refuse_if_all_unstable(robot, law, settings, loops)
    parts: list[Summary] = []
    for first in range(0, len(settings), together):
        group = settings[first : first + together]
        scenarios = [replace(plant, gains=setting.gains) for setting in group for plant in plants]
        parts.append(simulate_many(robot, law, reference, scenarios, substeps=substeps, placement=placement).summary)
        told(min(first + together, len(settings)))
    summary = _joined(parts)
    peak = summary.force_peak.max(axis=-1).reshape(len(settings), -1).max(axis=1)
    stable = [loop.stable for loop in loops]
    noise = np.array([loop.force_noise.max() for loop in loops])
    cost, name = (noise, "force noise, rms") if plants[0].noisy else (np.where(stable, peak, np.nan), "largest force")
    unit = " or ".join(sorted(set(robot.actuator_units)))
    gain, delay = (np.array([getattr(loop, what) for loop in loops]) for what in ("gain", "delay"))
    return Sweep(tuple(settings), len(plants), summary, cost, name, unit, gain, delay, law.period)


def _refuse_if_all_unstable(robot: Robot, law: Law, settings: Sequence[Setting], loops: Sequence[Margins]) -> None:
    """Refuse settings of which none is stable at home."""
    if any(loop.stable for loop in loops):
        return
    said = str(settings[0]) if len(settings) == 1 else f"each of {len(settings)} settings, {settings[0]} among them"
    raise UnstableLoopError(law.name, robot.name, f"unstable at home with {said}")


def _joined(parts: Sequence[Summary]) -> Summary:
    """Join summaries of some scenarios each into one of all."""
    arrays = [part.arrays() for part in parts]
    return replace(parts[0], **{name: np.concatenate([each[name] for each in arrays]) for name in arrays[0]})
