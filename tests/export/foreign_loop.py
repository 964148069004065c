"""Controllers in C, called through the modules that come with them, on a Delta that owes nothing to parakin.

The machine is that of tests/identification/foreign_plant.py; sensors, delay and drives are written here a second time.
All laws run at once, each on a machine of its own: the first axis of all arrays.
"""

from __future__ import annotations

import ctypes
import importlib.util
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import parakin as pk
from parakin.arrays import Array
from parakin.control import Law, Reference
from parakin.dynamics.parameters import Quantity
from parakin.export import export_controller
from tests.identification import foreign_plant
from tests.identification.foreign_plant import Tree

PERIOD = 1e-3
SUBSTEPS = 8
"""Steps of Runge and Kutta in a tick: a spring at 250 Hz turns by 0.2 rad in one."""
COUNTS = 2.0**17 / (2 * np.pi)
FILTER = 200.0
"""Cut-off of the filter of rates [Hz]."""


@dataclass(frozen=True, eq=False)
class Drives:
    """What stands between the torque that is asked for and the arms (legs,)."""

    inertia: Array
    """Of motors, as arms feel it [kg m^2]."""
    stiffness: Array
    damping: Array
    play: float
    """From one side to the other [rad]."""
    viscous: Array
    coulomb: Array
    breakaway: float = 1.5
    """Friction at rest, in Coulomb friction."""
    stribeck: float = 0.05
    """Speed by which that is gone [rad/s]."""

    def spring(self, turned: Array, rate: Array) -> Array:
        """Torque on the arms, which only pushes where there is play."""
        beyond = turned - np.clip(turned, -self.play / 2, self.play / 2)
        torque = self.stiffness * beyond + self.damping * rate
        return np.where(beyond > 0, np.maximum(torque, 0), np.where(beyond < 0, np.minimum(torque, 0), 0))

    def friction(self, rate: Array) -> Array:
        """Stribeck's curve, steep and smooth at rest."""
        sliding = self.coulomb * (1 + (self.breakaway - 1) * np.exp(-((rate / self.stribeck) ** 2)))
        return self.viscous * rate + sliding * rate / np.sqrt(rate**2 + foreign_plant.STICTION_RATE**2)


@dataclass(frozen=True, eq=False)
class Machine:
    """A machine, with rigid drives or elastic ones."""

    tree: Tree
    drives: Drives | None = None
    cable: Callable[[Array], Array] = np.zeros_like
    """Force on the plate at its position."""

    def rates(self, state: Array, tau: Array) -> Array:
        """Derivative of (z, z_dot), and of motors (theta, theta_dot) where drives are elastic."""
        z, z_dot = state[:, :6], state[:, 6:12]
        pull = self.cable(z[:, :3])
        if self.drives is None:
            return np.concatenate([z_dot, foreign_plant.accelerations(self.tree, z, z_dot, tau, pull)], axis=1)
        theta, theta_dot = state[:, 12:15], state[:, 15:]
        spring = self.drives.spring(theta - z[:, 3:], theta_dot - z_dot[:, 3:])
        z_ddot = foreign_plant.accelerations(self.tree, z, z_dot, spring, pull)
        theta_ddot = (tau - spring - self.drives.friction(theta_dot)) / self.drives.inertia
        return np.concatenate([z_dot, z_ddot, theta_dot, theta_ddot], axis=1)

    def run(self, state: Array, tau: Array, time: float) -> Array:
        """Go on by a time, with Runge and Kutta's method."""
        h = time / SUBSTEPS
        for _ in range(SUBSTEPS):
            k1 = self.rates(state, tau)
            k2 = self.rates(state + h / 2 * k1, tau)
            k3 = self.rates(state + h / 2 * k2, tau)
            state = state + h / 6 * (k1 + 2 * k2 + 2 * k3 + self.rates(state + h * k3, tau))
        return state

    def seen(self, state: Array) -> Array:
        """What encoders measure: motors."""
        return state[:, 3:6] if self.drives is None else state[:, 12:15]


def rigid(robot: pk.Robot, parameters: Array, laws: int) -> Machine:
    return Machine(foreign_plant.tree_of(robot, np.tile(parameters, (laws, 1))))


def elastic(robot: pk.Robot, parameters: Array, laws: int, drives: Drives) -> Machine:
    """The machine with rotors and friction before springs, and a cable that pulls sideways."""
    before = np.array([p.quantity in DRIVEN for p in robot.parameter_table])
    return Machine(foreign_plant.tree_of(robot, np.tile(np.where(before, 0.0, parameters), (laws, 1))), drives, cable)


DRIVEN = (Quantity.ROTOR, Quantity.VISCOUS, Quantity.COULOMB)
"""What motors have of a robot's parameters."""


def of_drives(robot: pk.Robot, parameters: Array) -> tuple[Array, ...]:
    """Return inertia, viscous and Coulomb friction of the motors, each (legs,)."""
    place = {(p.owner, p.quantity): k for k, p in enumerate(robot.parameter_table)}
    return tuple(parameters[[place[f"{leg.name}.arm", quantity] for leg in robot.legs]] for quantity in DRIVEN)


ANCHOR, PULL, SLACK = np.array([0.3, 0.0, 0.2]), 20.0, 0.2
"""Where a cable is fastened [m], its stiffness [N/m] and the length up to which it is slack [m]."""


def cable(x: Array) -> Array:
    way = ANCHOR - x
    distance = np.linalg.norm(way, axis=1, keepdims=True)
    return PULL * np.maximum(0, distance - SLACK) * way / distance


class Controller:
    """One exported law."""

    def __init__(self, law: Law, directory: Path) -> None:
        self.law = law
        files = export_controller(law, directory)
        subprocess.run(["make", "-s", "-C", str(directory), "shared"], check=True, capture_output=True)
        spec = importlib.util.spec_from_file_location(files.binding.stem, files.binding)
        assert spec is not None
        assert spec.loader is not None
        self.c: Any = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.c)
        self.state, self.tau = self.c.State(), (ctypes.c_double * self.c.COUNT)()
        self.worst = 0

    def told(self, kind: str, values: dict[str, Array]) -> Any:
        struct = getattr(self.c, kind)()
        for name, _ in struct._fields_:
            array = np.ascontiguousarray(values[name], float).ravel()
            member = getattr(struct, name)
            setattr(struct, name, type(member)(*array) if isinstance(member, ctypes.Array) else float(array[0]))
        return struct

    def begin(self, desired: dict[str, Array], measured: dict[str, Array], holding: Array) -> None:
        given = self.told("Reference", desired), self.told("Measurement", measured)
        assert self.c.init(self.state, self.c.gains, *given, (ctypes.c_double * self.c.COUNT)(*holding)) == 0

    def step(self, desired: dict[str, Array], measured: dict[str, Array], beat: int) -> Array:
        given = self.told("Reference", desired), self.told("Measurement", measured)
        status = self.c.step(self.state, self.c.gains, *given, self.c.Supervision(float(beat), 0.0), self.tau)
        self.worst = max(self.worst, status)
        return np.array(self.tau)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What the machines did (laws, ticks, ...)."""

    distance: Array
    """Of the plate from its set point [m]."""
    tau: Array
    status: list[int]
    """The worst that each guard said."""

    @property
    def rms(self) -> Array:
        return np.asarray(np.sqrt(np.mean(self.distance**2, axis=1)))


def follow(
    machine: Machine, controllers: Sequence[Controller], reference: Reference, *, jitter: float = 0.0, seed: int = 0
) -> Outcome:
    """Run all laws along a reference: encoders of 17 bits, filtered rates, forces a tick late; jitter in s."""
    laws = [controller.law for controller in controllers]
    count, rng = len(laws), np.random.default_rng(seed)
    desired = [{w.port: reference.ahead(w.quantity, w.ahead) for w in law.interface.reference} for law in laws]
    z = np.tile(np.concatenate([reference.pose[0], reference.q[0]]), (count, 1))
    holding = foreign_plant.holding_torque(machine.tree, z)
    moving = np.tile(np.concatenate([reference.velocity[0], reference.q_dot[0]]), (count, 1))
    state = np.concatenate([z, moving], axis=1)
    if machine.drives is not None:
        wound = z[:, 3:] + holding / machine.drives.stiffness + np.sign(holding) * machine.drives.play / 2
        state = np.concatenate([state, wound, moving[:, 3:]], axis=1)
    rate, velocity = moving[:, 3:], moving[:, :3]
    q = np.round(machine.seen(state) * COUNTS) / COUNTS - PERIOD * rate
    x = state[:, :3] - PERIOD * velocity
    for k, controller in enumerate(controllers):
        first = {name: rows[0] for name, rows in desired[k].items()}
        controller.begin(first, _measured(machine.seen(state)[k], rate[k], x[k], velocity[k]), holding[k])
    pending, share = holding, 1 - np.exp(-2 * np.pi * FILTER * PERIOD)
    late = rng.uniform(-jitter, jitter, reference.ticks + 1)
    distances, torques = [], []
    for tick in range(reference.ticks):
        seen = np.round(machine.seen(state) * COUNTS) / COUNTS
        rate, q = rate + share * ((seen - q) / PERIOD - rate), seen
        velocity, x = velocity + share * ((state[:, :3] - x) / PERIOD - velocity), state[:, :3]
        asked = [
            controller.step(
                {name: rows[tick] for name, rows in desired[k].items()},
                _measured(q[k], rate[k], x[k], velocity[k]),
                tick + 1,
            )
            for k, controller in enumerate(controllers)
        ]
        distances.append(np.linalg.norm(x - reference.pose[tick], axis=1))
        torques.append(pending)
        state = machine.run(state, pending, PERIOD + late[tick + 1] - late[tick])
        pending = np.array(asked)
    worst = [controller.worst for controller in controllers]
    return Outcome(np.stack(distances, axis=1), np.stack(torques, axis=1), worst)


def _measured(q: Array, rate: Array, x: Array, velocity: Array) -> dict[str, Array]:
    return {"measured_q": q, "measured_q_dot": rate, "measured_pose": x, "measured_velocity": velocity}
