"""A closed loop tick by tick in Python, for what no kernel can do: pictures that are rendered, sensors that are asked.

Law and plant are the compiled ones of `simulate`: with the same measurements both ways give the same log.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

import numpy as np

from parakin.arrays import Array
from parakin.control import Law, Reference
from parakin.errors import SimulationError
from parakin.kernels import Derivation, Kernel, Program, stage
from parakin.robot import Robot, Status
from parakin.robot.limits import all_limits
from parakin.simulation.log import Log, beyond_limits, columns_of, log_of_rows
from parakin.simulation.loop import uses_pose
from parakin.simulation.plant import Pattern, plant_of, rk4_steps
from parakin.simulation.run import SUBSTEPS
from parakin.simulation.scenario import Scenario, constants_of
from parakin.simulation.sensors import LARGEST_SPEED, Ending
from parakin.simulation.start import Signals, initial_signals

Told = tuple[Array, Array]
"""Measured pose (coordinates,) and velocity (freedoms,)."""


class Watcher(Protocol):
    """What measures the platform between ticks, in Python."""

    @property
    def looks(self) -> int:
        """How often it looks in a tick."""
        ...

    def read(self) -> Told:
        """Return pose and velocity as they are measured at a tick."""
        ...

    def look(self, pose: Array, velocity: Array, tau: Array, time: float) -> None:
        """Look at the true pose and velocity at a time [s], with actuator forces tau since the look before."""
        ...


def simulate_with(
    robot: Robot,
    law: Law,
    reference: Reference,
    watcher: Watcher,
    *,
    substeps: int = SUBSTEPS,
    progress: Callable[[int, int], None] | None = None,
) -> Log:
    """Run one closed loop with a sensor that is called in Python, and record it as `simulate` does.

    The plant is the robot of its file, whose place must be its pose; the law is told pose and velocity.
    progress: called after each tick with the number of ticks so far and of all.

    >>> platform_law = pk.control.law("computed_torque_platform", robot)
    >>> class Exact:
    ...     looks, told = 2, (robot.home, np.zeros(3))
    ...
    ...     def read(self):
    ...         return self.told
    ...
    ...     def look(self, pose, velocity, tau, time):
    ...         self.told = (pose, velocity)
    ...
    >>> still = pk.control.hold(robot, robot.home, 0.02, platform_law.period)
    >>> pk.simulation.simulate_with(robot, platform_law, still, Exact()).status.name
    'COMPLETED'
    """
    if not (uses_pose(law) and {"pose", "velocity"}.issuperset(law.interface.measurement)):
        raise SimulationError("law", f"must be told pose and velocity, but {law.name} is told {law.interface.told}")
    if not robot.place_is_pose or law.guard is not None:
        raise SimulationError("robot", f"{robot.name} and its law must be steppable: a pose for a place, and no guard")
    if watcher.looks < 1:
        raise SimulationError("looks", f"must be at least 1 in a tick, got {watcher.looks}")
    constants = constants_of(robot, law, (Scenario(),))
    signals = initial_signals(robot, law, reference, (Scenario(),), constants)
    pose, velocity, state = (signals[name][0] for name in ("place", "velocity", "law_state"))
    count = watcher.looks * -(-substeps // watcher.looks)
    onward = _plant_steps(robot, _pattern(constants), law.period / count, count // watcher.looks)
    fixed = {name: constants[name][0] for name in ("parameters", "payload", "smoothing")}
    fixed |= {"wrench": np.zeros(robot.wrench_size), "tick": np.zeros(()), "payload_tick": np.zeros(())}
    limits, gains = constants["limits"][0], constants["gains"][0]
    desired = {w.port: reference.ahead(w.quantity, w.ahead) for w in law.interface.reference}
    rows: list[dict[str, Array]] = []
    row: dict[str, Array] = {}
    ending = Ending.COMPLETED
    for tick in range(reference.ticks):
        measured = dict(zip(("measured_pose", "measured_velocity"), watcher.read(), strict=True))
        told = {name: values[tick] for name, values in desired.items()} | measured
        given = {"state": state, "gains": gains} | {name: told[name] for name in law.interface.told}
        out = _law_kernel(law).evaluate(given)
        state, command = out["next_state"], out["tau"]
        tau = np.clip(command, -limits, limits)
        row = {"pose": pose, "velocity": velocity, "command": command, "tau": tau} | measured
        ending = _ending(robot, pose, velocity, command)
        if ending is not Ending.COMPLETED:
            break
        rows.append(row)
        for look in range(watcher.looks):
            after = onward.evaluate({"place": pose, "velocity": velocity, "tau": tau} | fixed)
            pose, velocity = after["place"], after["velocity"]
            if _ending(robot, pose, velocity, tau) is not Ending.COMPLETED:
                break
            watcher.look(pose, velocity, tau, (tick + (look + 1) / watcher.looks) * law.period)
        if progress is not None:
            progress(tick + 1, reference.ticks)
    log = log_of_rows(
        columns_of(robot),
        reference,
        _whole(robot, limits, rows or [row], _statuses(reference.ticks, len(rows), ending)),
    )
    return replace(log, limits=all_limits(robot), beyond=beyond_limits(robot, log))


def _ending(robot: Robot, pose: Array, velocity: Array, forces: Array) -> Ending:
    """Return how a run stands; comparisons are written so that a NaN fails them."""
    if not np.linalg.norm(pose) < LARGEST_SPEED:
        return Ending.UNREACHABLE
    if not np.linalg.norm(velocity) < LARGEST_SPEED:
        return Ending.DIVERGED
    status = robot.check(pose)
    if status == Status.UNREACHABLE:
        return Ending.UNREACHABLE
    sound = status != Status.SINGULAR and bool(np.isfinite(forces).all())
    return Ending.COMPLETED if sound else Ending.SINGULAR


def _statuses(ticks: int, sound: int, ending: Ending) -> Array:
    """Return the status of each tick (ticks,): so many are sound, and at the next one the run ended."""
    return np.where(np.arange(ticks) < sound, float(Ending.COMPLETED), float(ending))


def _whole(robot: Robot, limits: Array, rows: list[dict[str, Array]], status: Array) -> Signals:
    """Return the columns of a log from what was recorded at each tick; encoders see what is there.

    A run that ended early holds its last state, without force: its first one, where it ended there.
    """
    ended = {name: np.zeros_like(rows[-1][name]) for name in ("velocity", "command", "tau")}
    sound = int(np.sum(status == Ending.COMPLETED))
    rows = rows[:sound] + [rows[-1] | ended] * (len(status) - sound)
    table = {name: np.stack([row[name] for row in rows]) for name in rows[0]}
    q, q_dot = robot.inverse_kinematics(table["pose"]), robot.actuator_velocity(table["pose"], table["velocity"])
    table |= {"q": q, "q_dot": q_dot, "measured_q": q, "measured_q_dot": q_dot}
    table["saturated"] = (np.abs(table["command"]) >= limits).astype(float)
    return table | {"status": status}


def _pattern(constants: Signals) -> Pattern:
    there = (tuple((constants[name] != 0).any(axis=0).tolist()) for name in ("parameters", "payload"))
    return Pattern(*there)


@functools.lru_cache(maxsize=32)
def _law_kernel(law: Law) -> Kernel:
    program = Program.of(law.step)
    return Kernel(program.in_single() if law.single else program)


@functools.lru_cache(maxsize=32)
def _plant_steps(robot: Robot, pattern: Pattern, step: float, count: int) -> Kernel:
    """Compile some RK4 steps of the plant under constant forces: place, velocity, tau, ... -> place, velocity."""

    def derive() -> Program:
        plant = plant_of(robot, pattern)
        return Program(
            stage(plant.constants),
            rk4_steps(plant, step, count),
            outputs=("place", "velocity"),
            name=f"{robot.name}_plant_steps",
        )

    return Kernel(Derivation(repr((robot.content("plant_steps"), pattern, step, count)), derive))
