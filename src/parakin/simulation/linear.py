"""The closed loop linearised about a set point at rest: poles, and what noise does to the forces.

z = [delta, dv; last q, filtered rate; (last pose, filtered velocity); the law's state; commands on their way]
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import expm

from parakin.arrays import Array
from parakin.control import Law, hold
from parakin.robot import Robot
from parakin.simulation.loop import uses_pose
from parakin.simulation.scenario import Scenario, constants_of
from parakin.simulation.start import Signals, initial_signals


@dataclass(frozen=True, eq=False)
class LinearLoop:
    """Plant and law about one set point. A, B: d/dt [delta; dv] = A [delta; dv] + B dtau; J: dq = J delta.

    law: d[next_state; tau] by d[state; measured ...], with a measured pose as a displacement. share, exact: of rates.
    """

    period: float
    A: Array
    B: Array
    J: Array
    law: Array
    states: int
    with_pose: bool
    share: float
    exact: bool
    delay: float
    noise: Array

    def step(self, gain: float = 1.0, extra_delay: float = 0.0) -> tuple[Array, Array, Array]:
        """z(k + 1) = F z + G n, tau = H z + ...: F, G and the row of tau over [z, n], n the noise of positions.

        gain multiplies every force; extra_delay [s] holds all of them back.
        """
        whole, part = divmod(self.delay + extra_delay / self.period, 1.0)
        late = int(whole) + 1
        n, m = self.A.shape[0] // 2, self.J.shape[0]
        sizes = [n, n, m, m, *([n, n] if self.with_pose else []), self.states, *[m] * late]
        count = sum(sizes)
        parts = np.split(np.eye(count, count + len(self.noise)), np.cumsum(sizes)[:-1])
        seen = np.eye(count + len(self.noise))[count:]
        delta, velocity, commands = parts[0], parts[1], parts[-late:]
        memory, measured = self._measured(parts, seen)
        told = self.law @ np.vstack([parts[-late - 1], *measured])
        state, tau = told[: self.states], gain * told[self.states :]
        line = [tau, *commands]  # the newest first
        old, new = self._held(part * self.period), self._held((1 - part) * self.period)
        plant = expm(self.A * self.period) @ np.vstack([delta, velocity])
        plant += expm(self.A * (1 - part) * self.period) @ old @ line[int(whole) + 1] + new @ line[int(whole)]
        following = np.vstack([plant, *memory, state, *line[:late]])
        return following[:, :count], following[:, count:], told[self.states :]

    def _held(self, time: float) -> Array:
        """What a unit of force held for so long does: integral of expm(A s) B ds."""
        n, m = self.B.shape
        block = np.zeros((n + m, n + m))
        block[:n, :n], block[:n, n:] = self.A, self.B
        return expm(block * time)[:n, n:]

    def _measured(self, parts: list[Array], seen: Array) -> tuple[list[Array], list[Array]]:
        """What the sensors keep, and what the law is told: positions, then rates."""
        if self.with_pose:
            pose = parts[0] + seen
            rate = parts[5] + self.share * ((pose - parts[4]) / self.period - parts[5])
            return [parts[2], parts[3], pose, rate], [pose, parts[1] if self.exact else rate]
        q = self.J @ parts[0] + seen
        rate = parts[3] + self.share * ((q - parts[2]) / self.period - parts[3])
        return [q, rate], [q, self.J @ parts[1] if self.exact else rate]

    def radius(self, gain: float = 1.0, extra_delay: float = 0.0) -> float:
        """The largest pole of the sampled loop; 1 where a gain of zero leaves an integral alone."""
        return float(np.abs(np.linalg.eigvals(self.step(gain, extra_delay)[0])).max())

    def force_noise(self) -> Array:
        """Root mean square of each force under the sensors' noise: sum of (H F^k G)^2, doubled until it stands."""
        F, G, row = self.step()
        count = F.shape[0]
        covariance, power = (G * self.noise**2) @ G.T, F
        for _ in range(40):
            covariance = covariance + power @ covariance @ power.T
            power = power @ power
        H, D = row[:, :count], row[:, count:] * self.noise
        return np.sqrt(np.diag(H @ covariance @ H.T + D @ D.T), dtype=np.float64)


@functools.lru_cache(maxsize=32)
def _law_jacobian(law: Law) -> ca.Function:
    names: list[str] = law.step.name_in()
    x = {name: ca.SX.sym(name, *law.step.size_in(name)) for name in names}
    out = law.step(**x)
    about = ["state", *(f"measured_{what}" for what in law.interface.measurement)]
    found = ca.jacobian(ca.vertcat(out["next_state"], out["tau"]), ca.vertcat(*(x[name] for name in about)))
    return ca.Function("law_jacobian", list(x.values()), [ca.densify(found)], names, ["found"])


def linear_loop(robot: Robot, law: Law, scenario: Scenario | None = None, pose: ArrayLike | None = None) -> LinearLoop:
    """About a pose (home by default). Of the scenario: gains, sensors and delay; Coulomb friction does not count.

    Neither the plant's nor what an adaptive law holds against it.
    """
    scenario = scenario or Scenario()
    place = robot.home if pose is None else np.asarray(pose, float)
    reference = hold(robot, place, law.period, law.period)
    constants = constants_of(robot, law, (scenario,))
    signals = initial_signals(robot, law, reference, (scenario,), constants)
    still = np.zeros(robot.degrees_of_freedom)
    found = robot.linearize(place, still, signals["pending"][0])
    measured = {"q": signals["q"][0], "q_dot": 0 * signals["q"][0], "pose": place, "velocity": still}
    given = {f"measured_{what}": measured[what] for what in law.interface.measurement}
    given |= {w.port: reference.ahead(w.quantity, w.ahead)[0] for w in law.interface.reference}
    state = np.where(_coulomb(law), 0.0, signals["law_state"][0])
    derivative = _law_jacobian(law)(state=state, gains=constants["gains"][0], **given)["found"]
    states: int = law.step.size1_in("state")
    with_pose = uses_pose(law)
    return LinearLoop(
        law.period,
        found.A,
        found.B,
        robot.jacobian(place),
        _of_displacements(np.asarray(derivative), states, robot.motion, place) if with_pose else np.asarray(derivative),
        states,
        with_pose,
        float(constants["share"][0]),
        scenario.velocity_filter is None,
        float(scenario.delay),
        _noise(constants, with_pose),
    )


def _coulomb(law: Law) -> NDArray[np.bool_]:
    """Entries of a law's state that are Coulomb friction: at rest their compensation is a step, and would not count."""
    parts = law.interface.state
    return np.array([name.endswith("coulomb") for part in parts for name in part.labels or ("",) * part.size], bool)


def _noise(constants: Signals, with_pose: bool) -> Array:
    """Standard deviations: of a pose, or of positions, an even spread over a count being quantum/sqrt(12)."""
    if with_pose:
        return constants["noise_pose"][0]
    return np.hypot(constants["noise_q"][0], constants["quantum"][0] / np.sqrt(12), dtype=np.float64)


def _of_displacements(derivative: Array, states: int, motion: str, pose: Array) -> Array:
    """By the small displacement of a measured pose instead of its numbers: d(quat) = 1/2 (0, w) quat."""
    if motion != "spatial":
        return derivative
    w, x, y, z = pose[3:]
    turn = 0.5 * np.array([[-x, -y, -z], [w, z, -y], [-z, w, x], [y, -x, w]])
    small = np.zeros((7, 6))
    small[:3, :3], small[3:, 3:] = np.eye(3), turn
    head, middle, tail = np.split(derivative, [states, states + 7], axis=1)
    return np.hstack([head, middle @ small, tail])
