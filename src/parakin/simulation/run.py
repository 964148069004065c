"""Closed loops are run one at a time with a log, or by the thousands with a summary."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array
from parakin.control import Law, Reference
from parakin.description.loader import levels_inside
from parakin.errors import LoopWarning, PoseError, SimulationError, UnsupportedRobotError
from parakin.robot import Robot
from parakin.robot.limits import all_limits
from parakin.simulation.effect_numbers import without_drives
from parakin.simulation.imperfections import NO_EFFECTS, Effects, effects_of
from parakin.simulation.log import Log, beyond_limits, columns_of, log_of_rows, part_columns, state_columns
from parakin.simulation.loop import (
    SENSOR,
    STATE,
    carried,
    channels,
    drawn_within,
    loop_kernel,
    recorded_names,
    summed,
    ticked,
)
from parakin.simulation.noise import first_sources, source_of
from parakin.simulation.plant import Pattern
from parakin.simulation.platform_sensors import SensorStage
from parakin.simulation.ports import evaluated
from parakin.simulation.scenario import Scenario, constants_of, file_parameters, unloaded
from parakin.simulation.sensors import Ending
from parakin.simulation.start import Signals, initial_signals
from parakin.simulation.stepped_modes import SteppedMode, has_springs, worst_mode
from parakin.simulation.summary import Summary, summary_of_sums
from parakin.simulation.verdicts import verdict, warn_of

if TYPE_CHECKING:
    from parakin.executors import Placement

SUBSTEPS = 4
"""Default number of RK4 steps of the plant in a control tick; `check_step_size` tells whether that is enough."""
MOST_SUBSTEPS = 10_000
"""Largest number of them, which is 0.1 us in a tick of 1 ms."""
BLOCK = 1024
"""Ticks run by one call of the kernel: what a block needs for each tick stays in memory only as long."""
GROUP = 1024
"""Scenarios run together: enough for all lanes and threads, while what differs between them stays in the caches."""
LEAST_CHUNK, CHUNKS = 64, 64
"""Scenarios of a chunk on an executor at least, so that lanes are full; chunks that there are where these are more."""
LOOP_FAILED = (Ending.UNREACHABLE, Ending.SINGULAR, Ending.DIVERGED, Ending.OPEN)
"""Endings that an unstable loop may come to."""
LOST = 1e300
"""Stands for place and velocity of a plant that has no finite ones: out of reach, and kernels take finite numbers."""


@dataclass(frozen=True, eq=False)
class Many:
    """The result of `simulate_many`."""

    summary: Summary
    """Figures of merit of all scenarios, in their order."""
    logs: dict[int, Log]
    """The logs that were asked for, by the number of the scenario."""
    reasons: Mapping[int, str] = field(default_factory=dict[int, str])
    """Why scenarios could not be run on an executor, by number; their ending is FAILED, their figures are NaN."""


def simulate(
    robot: Robot,
    law: Law,
    reference: Reference,
    scenario: Scenario | None = None,
    *,
    substeps: int = SUBSTEPS,
    record_state: bool = False,
    contraction: bool = True,
) -> Log:
    """Run one closed loop over the whole reference and record it.

    `robot` is the plant; `law.robot` is what the controller takes it for. With `record_state` the log has the law's
    state at every tick, as columns state.*, and that of a platform sensor as columns sensor.*. With `contraction` a
    product and a sum are rounded once, as `Kernel` does; without, as C99 does.

    Where the run ended early or a drive was at its limit, a LoopWarning tells if the loop itself is why: unstable at
    rest where the reference begins, or nearly so (docs/simulation.md). With a platform sensor nothing is told. Another
    tells where steps are too long for a spring, in a joint or in a drive.

    >>> log = pk.simulation.simulate(robot, law, reference, scenario)
    >>> log.status.name, log.summary().failure
    ('COMPLETED', '')
    """
    one = scenario or Scenario()
    runs = _one_run(robot, law, reference, one, substeps, contraction=contraction)
    runs.warn_of_long_steps()
    log = runs.logs(record_state)[0]
    if one.sensor is None and (log.status in LOOP_FAILED or log["saturated"].any()):
        with suppress(PoseError, np.linalg.LinAlgError):  # where the loop has no finite derivatives nothing can be said
            warn_of(verdict(robot, law, one, reference.pose[0]))
    return log


def simulate_many(
    robot: Robot,
    law: Law,
    reference: Reference,
    scenarios: Sequence[Scenario],
    *,
    keep: Sequence[int] = (),
    substeps: int = SUBSTEPS,
    block: int = BLOCK,
    threads: int | None = None,
    placement: Placement | None = None,
) -> Many:
    """Run many closed loops at once and summarise them; `keep` numbers the scenarios whose logs are kept.

    What comes out for a scenario does not depend on block, threads or its neighbours, nor on the `placement`, which
    says in which processes they run and in which folder the results are kept (docs/many_runs.md). Logs are made in this
    process. Scenarios whose machines have other imperfections run in programs of their own.

    >>> scenarios = pk.simulation.family(scenario, 100)
    >>> many = pk.simulation.simulate_many(robot, law, reference, scenarios, keep=(0,))
    >>> many.summary.distance_peak.shape, many.logs[0].status.name
    ((100,), 'COMPLETED')
    """
    parts = _parts_of(_Runs(robot, law, reference, tuple(scenarios), substeps, block, threads))
    for runs, _ in parts.groups:
        runs.warn_of_long_steps()
    logs = parts.logs(keep)
    reasons: Mapping[int, str] = {}
    if placement is None:
        sums = parts.sums(np.arange(len(scenarios)))
    else:
        from parakin.executors import RowStatus

        parts = parts.prepared()
        chunk = min(GROUP, max(LEAST_CHUNK, len(scenarios) // CHUNKS))
        found = placement.evaluate(_Sums(parts), len(scenarios), chunk=chunk)
        status = np.where(found.status == RowStatus.COMPUTED, found["status"], Ending.FAILED)
        sums = {name: np.asarray(found[name], float) for name in summed(robot)} | {"status": status}
        reasons = found.reasons
    summary = summary_of_sums(robot.actuator_names, robot.motion_type, law.period, sums, all_limits(robot))
    return Many(summary, logs, reasons)


def _one_run(
    robot: Robot, law: Law, reference: Reference, scenario: Scenario, substeps: int, *, contraction: bool = True
) -> _Runs:
    """Return one scenario as it runs, with steps as short as its drives need."""
    effects = effects_of(scenario)
    runs = _Runs(robot, law, reference, (scenario,), substeps, contraction=contraction, effects=effects)
    return runs.alike()[0][0]


def stepped_mode(robot: Robot, law: Law, reference: Reference, scenario: Scenario, substeps: int) -> SteppedMode | None:
    """Return the mode of the machine that a run's steps reproduce worst; None where it cannot be linearised."""
    return _one_run(robot, law, reference, scenario, substeps).worst_mode()


@dataclass(frozen=True, eq=False)
class _Runs:
    """Scenarios that run together."""

    robot: Robot
    """The plant."""
    law: Law
    """The law that closes the loop."""
    reference: Reference
    """Set points of every tick."""
    scenarios: tuple[Scenario, ...]
    """What differs from run to run."""
    substeps: int
    """RK4 steps of the plant in a tick."""
    block: int = BLOCK
    """Ticks run by one call of the kernel."""
    threads: int | None = None
    """Threads of the kernel; None lets it choose."""
    known: tuple[Pattern, tuple[str, ...], Signals] | None = None
    """Where these scenarios are some of a larger set: the pattern and noise of all, and the constants of these."""
    contraction: bool = True
    """Whether a product and a sum are rounded once, as `Kernel` does."""
    effects: Effects = NO_EFFECTS
    """Imperfections of the machine, of all scenarios alike."""

    @property
    def sensing(self) -> SensorStage | None:
        """What measures the platform in place of the scenarios' own sensor, in all of them."""
        return sensing_of(self.scenarios[0])

    def __post_init__(self) -> None:
        if not self.scenarios:
            raise SimulationError("scenarios", "at least one is needed, got none")
        if self.substeps < 1 or self.block < 1:
            raise SimulationError("substeps, block", f"must be at least 1, got {self.substeps} and {self.block}")
        if self.substeps > MOST_SUBSTEPS:
            raise SimulationError("substeps", f"at most {MOST_SUBSTEPS}, got {self.substeps}: give a shorter period")
        if abs(self.reference.period / self.law.period - 1) > 1e-9:
            periods = f"{self.reference.period:g} and {self.law.period:g}"
            raise SimulationError("period", f"reference and law must have the same, got {periods} s")
        same = self.robot.motion_type == self.law.robot.motion_type
        if not same or self.robot.actuator_names != self.law.robot.actuator_names:
            reason = f"is for {self.law.robot.name}, whose actuators or motion differ from those of {self.robot.name}"
            raise SimulationError("law", reason)

    def alike(self) -> list[tuple[_Runs, list[int]]]:
        """Return runs whose steps are as short as all their scenarios need, with the numbers of these."""
        if not self.effects.in_drives:
            return [(self, list(range(len(self.scenarios))))]
        from parakin.simulation.shorter_steps import with_short_steps

        step = self.law.period / SUBSTEPS  # finer steps that were asked for come on top
        poses = self.reference.pose
        each = with_short_steps(unloaded(self.robot), self.effects, self.constants, poses, step)
        groups = {kind: [k for k, own in enumerate(each) if own == kind] for kind in dict.fromkeys(each)}
        return [(replace(self.only(chosen), effects=kind), chosen) for kind, chosen in groups.items()]

    def worst_mode(self) -> SteppedMode | None:
        """Return the mode of the first scenario that the steps reproduce worst; None where there is no linear plant."""
        scenario, reference = self.scenarios[0], self.reference
        step = self.law.period / (self.substeps * self.effects.finer)
        with suppress(PoseError, UnsupportedRobotError, np.linalg.LinAlgError):
            return worst_mode(self.robot, scenario, reference.pose, step, reference.ticks * reference.period)
        return None

    def warn_of_long_steps(self) -> None:
        """Warn where springs of joints or drives make a mode for which steps are too long."""
        if not (self.effects.elastic or has_springs(self.robot)):
            return  # what weight and friction do is slow, and the linearised plant would have to be compiled
        mode = self.worst_mode()
        if mode is not None and not mode.resolved:
            reason = f"computed in steps that are too long for a {mode}"
            warnings.warn(LoopWarning(self.law.name, self.robot.name, reason), stacklevel=levels_inside())

    def only(self, chosen: Sequence[int]) -> _Runs:
        """Return some of the scenarios, with the compiled code that all of them run."""
        scenarios = tuple(self.scenarios[k] for k in chosen)
        constants = {name: values[np.asarray(chosen)] for name, values in self.constants.items()}
        return replace(self, scenarios=scenarios, known=(self.pattern, self.noisy, constants))

    @cached_property
    def constants(self) -> Signals:
        """What the loop takes once for each scenario, by name (scenarios, ...)."""
        if self.known is not None:
            return self.known[2]
        return constants_of(self.robot, self.law, self.scenarios, self.effects)

    @cached_property
    def pattern(self) -> Pattern:
        """What is not zero in the robot file or in some scenario; in any of the larger set if these are some of one."""
        if self.known is not None:
            return self.known[0]
        file = file_parameters(self.robot)
        file = without_drives(unloaded(self.robot), self.effects, file) if self.effects.any else file
        there = (self.constants["parameters"] != 0).any(axis=0) | (file != 0)
        return Pattern(tuple(there.tolist()), tuple((self.constants["payload"] != 0).any(axis=0).tolist()))

    @cached_property
    def noisy(self) -> tuple[str, ...]:
        """Channels with noise in some scenario; in any of the larger set if these are some of one."""
        if self.known is not None:
            return self.known[1]
        sizes = {"noise": self.constants["noise_q"], "pose_noise": self.constants["noise_pose"]}
        return tuple(channel for channel in channels(self.robot, self.law, self.sensing) if sizes[channel].any())

    def blocks(self, recorded: tuple[str, ...] = ()) -> Iterator[Signals]:
        """Run the loop block by block, and yield what the kernel gives after each."""
        kernel = loop_kernel(
            self.robot,
            self.law,
            self.pattern,
            self.substeps,
            recorded,
            noisy=self.noisy,
            contraction=self.contraction,
            effects=self.effects,
            sensing=self.sensing,
        )
        signals = initial_signals(
            self.robot, self.law, self.reference, self.scenarios, self.constants, contraction=self.contraction
        )
        keys = [(scenario.seed, scenario.stream) for scenario in self.scenarios]
        drawn = (*self.noisy, *drawn_within(self.effects, self.sensing))
        signals |= {source_of(channel): first_sources(keys, channel) for channel in drawn}
        fixed = self.constants | {"side": signals.pop("side")}
        for first in range(0, self.reference.ticks, self.block):
            ticks = min(self.block, self.reference.ticks - first)
            out = evaluated(kernel, signals | fixed | self._ticked(first, ticks), self.threads)
            yield out
            signals = {
                name: out[name] for name in carried(self.robot, self.law, self.noisy, self.effects, self.sensing)
            }
            seeing = () if self.sensing is None else ("sensor_state",)
            moving = ("place", "velocity", *self.effects.carried, *seeing)
            signals |= {name: np.where(np.isfinite(out[name]), out[name], LOST) for name in moving}

    def _judged(self, log: Log) -> Log:
        """The log with the limits that the robot left."""
        return replace(log, limits=all_limits(self.robot), beyond=beyond_limits(self.robot, log))

    def sums(self) -> Signals:
        """Run all scenarios to their end and return what the loop gathered, by name (scenarios, ...)."""
        last = deque(self.blocks(), maxlen=1).pop()
        return {name: last[name] for name in (*summed(self.robot), "status")}

    def logs(self, record_state: bool = False) -> list[Log]:
        """Run all scenarios to their end and return a log of each."""
        names, sensing = recorded_names(self.law), self.sensing
        recorded = (*names, STATE) if record_state and self.law.interface.state else names
        recorded = (*recorded, SENSOR) if record_state and sensing is not None else recorded
        parts = [{name: out[f"log_{name}"] for name in recorded} for out in self.blocks(recorded)]
        rows = {name: np.concatenate([part[name] for part in parts], axis=1) for name in recorded}
        columns = columns_of(self.robot) | ({STATE: state_columns(self.law)} if STATE in recorded else {})
        if sensing is not None and SENSOR in recorded:
            columns[SENSOR] = part_columns(SENSOR, self.robot, sensing.state)
        return [
            self._judged(log_of_rows(columns, self.reference, {name: values[k] for name, values in rows.items()}))
            for k in range(len(self.scenarios))
        ]

    def _ticked(self, first: int, ticks: int) -> Signals:
        """Return the loop's inputs for a block, by name: (ticks, ...) for all alike, or (scenarios, ticks, ...)."""
        span = slice(first, first + ticks)
        rows: Signals = {
            "desired_q": self.reference.q[span],
            "desired_pose": self.reference.pose[span],
            "wrench": self._wrench(first, ticks),
        }
        for wanted in self.law.interface.reference:
            rows[wanted.port] = self.reference.ahead(wanted.quantity, wanted.ahead)[span]
        return {name: rows[name] for name in ticked(self.law)}

    def _wrench(self, first: int, ticks: int) -> Array:
        """Return each scenario's wrench (scenarios, ticks, n); one set of rows (ticks, n) where all have the same."""
        n, span = self.robot.wrench_size, slice(first, first + ticks)
        t = self.reference.t[span]
        rows: dict[int, Array] = {}
        for scenario in self.scenarios:
            given = scenario.wrench
            if id(given) in rows:
                continue
            value = np.zeros(n) if given is None else np.asarray(given(t) if callable(given) else given, float)
            if value.shape not in ((n,), (ticks, n), (self.reference.ticks, n)):
                shapes = f"({n},), ({self.reference.ticks}, {n}) or a function that gives as many rows as times"
                raise SimulationError("wrench", f"must have shape {shapes}, got {value.shape}")
            whole = value.ndim == 2 and not callable(given)
            rows[id(given)] = np.broadcast_to(value[span] if whole else value, (ticks, n))
        if len(rows) == 1:
            return next(iter(rows.values()))
        return np.stack([rows[id(scenario.wrench)] for scenario in self.scenarios])


@dataclass(frozen=True, eq=False)
class _Parts:
    """Scenarios in groups that one program runs each."""

    groups: tuple[tuple[_Runs, tuple[int, ...]], ...]
    """The runs of each group, and the numbers of its scenarios among all."""

    def sums(self, rows: NDArray[np.int64]) -> Signals:
        """Run some scenarios, by their numbers, to their end; return what the loop gathered, by name (rows, ...)."""
        wanted = {int(row): k for k, row in enumerate(rows)}
        ends: list[Signals] = []
        order: list[int] = []
        for runs, numbers in self.groups:
            chosen = [k for k, number in enumerate(numbers) if number in wanted]
            order += [wanted[numbers[k]] for k in chosen]
            ends += [runs.only(chosen[first : first + GROUP]).sums() for first in range(0, len(chosen), GROUP)]
        back = np.argsort(order)
        return {name: np.concatenate([end[name] for end in ends])[back] for name in ends[0]}

    def logs(self, keep: Sequence[int]) -> dict[int, Log]:
        """Run some scenarios, by their numbers, and return their logs."""
        count = sum(len(numbers) for _, numbers in self.groups)
        wanted = {k: range(count)[k] for k in keep}  # negative numbers count from the end
        logs: dict[int, Log] = {}
        for runs, numbers in self.groups:
            kept = [k for k, number in enumerate(numbers) if number in wanted.values()]
            logs |= zip([numbers[k] for k in kept], runs.only(kept).logs(), strict=True) if kept else ()
        return {k: logs[number] for k, number in wanted.items()}

    def prepared(self) -> _Parts:
        """Return the groups for other processes: what is wrong with scenarios is told here, and not looked at again."""
        groups = tuple((replace(runs, block=BLOCK, threads=None), numbers) for runs, numbers in self.groups)
        for runs, _ in groups:
            _ = runs.pattern, runs.noisy
        return _Parts(groups)


def sensing_of(scenario: Scenario) -> SensorStage | None:
    """Return the equations of a scenario's platform sensor; None where it measures the pose itself."""
    return None if scenario.sensor is None else scenario.sensor.stage


def _parts_of(runs: _Runs) -> _Parts:
    """Return scenarios in groups of the same imperfections and sensors, whose plants need steps as short."""
    kinds = [(effects_of(scenario), sensing_of(scenario)) for scenario in runs.scenarios]
    groups: list[tuple[_Runs, tuple[int, ...]]] = []
    for kind in dict.fromkeys(kinds):
        chosen = [k for k, own in enumerate(kinds) if own == kind]
        those = replace(runs, scenarios=tuple(runs.scenarios[k] for k in chosen), effects=kind[0])
        groups += [(part, tuple(chosen[k] for k in places)) for part, places in those.alike()]
    return _Parts(tuple(groups))


@dataclass(frozen=True, eq=False)
class _Sums:
    """What the loop gathers of some scenarios, as a work for executors; their noise has seeds of its own."""

    parts: _Parts
    """All scenarios."""

    def __call__(self, rows: NDArray[np.int64], _: int, /) -> Signals:
        return self.parts.sums(rows)
