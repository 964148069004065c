"""Machines of small robots for tests, and a plant that they drive."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping

import numpy as np

import parakin as pk
from parakin import control
from parakin.arrays import Array
from parakin.export import MoveLimits
from parakin.export.onboard.block import Block, run
from parakin.export.onboard.encoders import Encoders
from parakin.export.onboard.machine import Machine, machine_looks
from parakin.export.onboard.motion_table import motion_table
from parakin.export.onboard.player import Player

COUNTS = 2e5
"""Counts per unit of the encoders."""
PERIOD = 1e-3
SLOW = (0.2, 2.0, 50.0)
"""Velocity, acceleration and jerk of moves, of every coordinate [SI]."""


@functools.cache
def machine(robot: str, law: str, motion: str | None = None) -> Block:
    """A machine with moves of 0.2 m/s, and gains for 60 rad/s."""
    loaded = pk.load(robot)
    plain = control.law(law, loaded)
    guarded = control.guarded(plain.with_gains(**control.gains_for(plain, 60.0)))
    n = loaded.degrees_of_freedom
    played = None if motion is None else motion_table(loaded, pk.trajectory.motion(motion, loaded))
    player = Player(
        loaded, PERIOD, MoveLimits((SLOW[0],) * n, (SLOW[1],) * n, (SLOW[2],) * n), played, machine_looks(guarded)
    )
    return Machine(guarded, player, encoders(loaded)).block()


def encoders(robot: pk.Robot) -> Encoders:
    """Encoders whose signs alternate."""
    signs = [(-1) ** k for k in range(len(robot.actuator_names))]
    return Encoders(robot, PERIOD, tuple(COUNTS * sign for sign in signs), 200.0)


class Plant:
    """A robot under forces, by its forward dynamics and two Runge-Kutta steps a tick; brakes hold it still."""

    def __init__(self, robot: pk.Robot, pose: Array) -> None:
        self.robot = robot
        self.pose, self.velocity = np.array(pose), np.zeros(robot.degrees_of_freedom)
        self.home: Array = np.asarray(robot.inverse_kinematics(robot.home))
        self.zero: Array = 1000.0 * np.arange(1, len(self.home) + 1, dtype=np.float64)

    @property
    def q(self) -> Array:
        return np.asarray(self.robot.inverse_kinematics(self.pose))

    @property
    def counts(self) -> Array:
        """Whole counts, which are `zero` at home."""
        return np.round((self.q - self.home) * np.array(encoders(self.robot).counts)) + self.zero

    def step(self, tau: Array, brake: bool, steps: int = 2) -> None:
        if brake:
            self.velocity[:] = 0.0
            return
        h = PERIOD / steps

        def rates(pose: Array, velocity: Array) -> tuple[Array, Array]:
            return velocity, np.asarray(self.robot.forward_dynamics(pose, velocity, tau))

        for _ in range(steps):
            p, v = self.pose, self.velocity
            a1, b1 = rates(p, v)
            a2, b2 = rates(p + h / 2 * a1, v + h / 2 * b1)
            a3, b3 = rates(p + h / 2 * a2, v + h / 2 * b2)
            a4, b4 = rates(p + h * a3, v + h * b3)
            self.pose = p + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
            self.velocity = v + h / 6 * (b1 + 2 * b2 + 2 * b3 + b4)


Script = Callable[[int, Plant], Mapping[str, Array | float]]
"""What a machine is told beside the counts of its plant."""


def driven(block: Block, plant: Plant, ticks: int, script: Script) -> tuple[Mapping[str, Array], Array]:
    """Run a machine and its plant, which starts under brakes; return what the machine said, and poses (ticks, ...)."""
    poses: list[Array] = []

    def inputs(tick: int, said: Mapping[str, Array]) -> dict[str, Array]:
        if said:
            plant.step(said["tau"], bool(said["brake"][0]))
        poses.append(plant.pose)
        told = {"counts": plant.counts, "home": np.zeros(len(plant.zero)), "heartbeat": float(tick)}
        told |= dict.fromkeys(("enable", "start", "stop", "reset"), 0.0)
        told |= {one.name: plant.robot.home for one in block.input.members if one.name == "goal"}
        return {
            name: np.atleast_1d(np.asarray(value, float)) for name, value in (told | dict(script(tick, plant))).items()
        }

    return run(block, inputs, ticks).output, np.array(poses)


def lanes(
    block: Block, state: Mapping[str, Array], told: Mapping[str, Array], rows: Mapping[str, Array] | None = None
) -> dict[str, Array]:
    """One tick from a state, with inputs (lanes, size) and rows: everything that the kernel says (lanes, size)."""
    count = len(next(iter(told.values())))
    given = {f"setting_{one.name}": np.array(one.values) for one in block.settings.members}
    given |= {f"state_{name}": values for name, values in state.items()}
    given |= {f"input_{name}": values for name, values in told.items()} | dict(rows or {})
    shaped = {
        s.name: np.broadcast_to(given[s.name], (count, s.size)).reshape(count, *s.shape) for s in block.kernel.inputs
    }
    said = block.kernel.evaluate(shaped)
    return {s.name: np.asarray(said[s.name]).reshape(count, s.size) for s in block.kernel.outputs}
