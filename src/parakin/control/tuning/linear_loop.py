"""A closed loop that is linear: plant, sensors and law about a set point at rest, for its poles and its noise.

z = [delta, dv; last q, filtered rate; (last pose, filtered velocity); the law's state; commands on their way]

Exponentials of small matrices are computed with numpy alone: importing scipy takes longer than a loop's margins.
"""

from __future__ import annotations

import functools

import numpy as np

from parakin.arrays import Array, frozen_arrays

SMALL = 0.5
"""Norm to which a matrix is halved before its series is summed."""
TERMS = 14
"""Terms of the series: the next is below SMALL^15/15! = 2.4e-17, less than a rounding of the identity."""


def exponential(matrix: Array) -> Array:
    """Return e^X of a square matrix, by its series and by squaring: e^X = (e^(X/2^s))^(2^s)."""
    norm = float(np.abs(matrix).sum(axis=0).max())
    halvings = max(0, int(np.ceil(np.log2(norm / SMALL)))) if norm > 0 else 0
    small = matrix / 2.0**halvings
    total = term = np.eye(len(matrix))
    for k in range(1, TERMS + 1):
        term = term @ small / k
        total = total + term
    for _ in range(halvings):
        total = total @ total
    return total


@frozen_arrays
class LinearLoop:
    """Plant, sensors and law linearised about one set point at rest, for n degrees of freedom and m actuators.

    d/dt [delta; dv] = A [delta; dv] + B dtau,    dq = J delta,    delta: the platform's small displacement

    With elastic drives delta goes on with that of the motors: n + m numbers.
    """

    period: float
    """Time from one control tick to the next [s]."""
    A: Array
    """Rates of the plant's displacement and velocity by these two (2n, 2n)."""
    B: Array
    """Rates of the plant's displacement and velocity by the forces (2n, m)."""
    J: Array
    """Actuator displacements by the platform's (m, n): J_qv at the set point."""
    law: Array
    """Derivative of [next_state; tau] by [state; measured ...], with a measured pose taken as a displacement."""
    states: int
    """How many numbers the law's state has."""
    with_pose: bool
    """Whether the law is told the pose of the platform instead of the positions of the actuators."""
    share: float
    """How far the filter of rates goes towards its input at each tick, from 0 to 1."""
    exact: bool
    """Whether rates are measured exactly instead of by filtered differences."""
    delay: float
    """How late forces act [ticks]."""
    noise: Array
    """Standard deviations of the noise of positions, (n,) where the law is told a pose, else (m,) [m or rad]."""

    def step(self, gain: float = 1.0, extra_delay: float = 0.0) -> tuple[Array, Array, Array]:
        """Return F and G of one tick, z(k + 1) = F z + G n, and the rows of tau over [z, n].

        n is the noise of positions. `gain` multiplies every force that goes to the plant, not the rows of tau;
        `extra_delay` [s] holds all forces back.
        """
        whole, part = divmod(self.delay + extra_delay / self.period, 1.0)
        late = int(whole) + 1
        n, m = self.A.shape[0] // 2, self.J.shape[0]
        platform = len(self.noise)  # where a law is told the pose
        sizes = [n, n, m, m, *([platform] * 2 if self.with_pose else []), self.states, *[m] * late]
        count = sum(sizes)
        parts = np.split(np.eye(count, count + len(self.noise)), np.cumsum(sizes)[:-1])
        seen = np.eye(count + len(self.noise))[count:]
        delta, velocity, commands = parts[0], parts[1], parts[-late:]
        memory, measured = self._measured(parts, seen)
        told = self.law @ np.vstack([parts[-late - 1], *measured])
        state, tau = told[: self.states], gain * told[self.states :]
        line = [tau, *commands]  # the newest first
        old, new = self._held(part * self.period), self._held((1 - part) * self.period)
        plant = self._free(1.0) @ np.vstack([delta, velocity])
        plant += self._free(1 - part) @ old @ line[int(whole) + 1] + new @ line[int(whole)]
        following = np.vstack([plant, *memory, state, *line[:late]])
        return following[:, :count], following[:, count:], told[self.states :]

    @functools.cached_property
    def _known(self) -> dict[tuple[str, float], Array]:
        """Exponentials by kind and time: searches of margins ask for the same ones again and again."""
        return {}

    def _free(self, part: float) -> Array:
        """Return what part of a tick does to the plant's state without forces: expm(A part period)."""
        key = ("free", part)
        if key not in self._known:
            self._known[key] = exponential(self.A * part * self.period)
        return self._known[key]

    def _held(self, time: float) -> Array:
        """Return what unit forces do to the plant's state when held for so long [s]: the integral of expm(A s) B ds."""
        key = ("held", time)
        if key not in self._known:
            n, m = self.B.shape
            block = np.zeros((n + m, n + m))
            block[:n, :n], block[:n, n:] = self.A, self.B
            self._known[key] = exponential(block * time)[:n, n:]
        return self._known[key]

    def _measured(self, parts: list[Array], seen: Array) -> tuple[list[Array], list[Array]]:
        """Return the rows of what the sensors keep for the next tick, and of what the law is told: positions, rates."""
        if self.with_pose:
            platform = len(self.noise)
            pose = parts[0][:platform] + seen
            rate = parts[5] + self.share * ((pose - parts[4]) / self.period - parts[5])
            return [parts[2], parts[3], pose, rate], [pose, parts[1][:platform] if self.exact else rate]
        q = self.J @ parts[0] + seen
        rate = parts[3] + self.share * ((q - parts[2]) / self.period - parts[3])
        return [q, rate], [q, self.J @ parts[1] if self.exact else rate]

    def radius(self, gain: float = 1.0, extra_delay: float = 0.0) -> float:
        """Return the magnitude of the largest pole of the sampled loop, stable below 1.

        It is 1 where an integral whose gain is zero stands still.
        """
        return float(np.abs(np.linalg.eigvals(self.step(gain, extra_delay)[0])).max())

    def force_noise(self) -> Array:
        """Return the root mean square of each commanded force under the sensors' noise (m,) [N or N m].

        The covariance sum_k F^k G N G^T F^kT is summed by doubling: 40 rounds take in 2^40 ticks. It is infinite where
        noise drives an integral that nothing calls back: redundant drives may push against each other for ever.
        """
        if not self.noise.any():
            return np.zeros(len(self.J))
        F, G, row = self.step()
        count = F.shape[0]
        covariance, power = (G * self.noise**2) @ G.T, F
        with np.errstate(over="ignore", invalid="ignore"):
            for _ in range(40):
                covariance = covariance + power @ covariance @ power.T
                power = power @ power
            H, D = row[:, :count], row[:, count:] * self.noise
            squares: Array = np.diag(H @ covariance @ H.T + D @ D.T).copy()
        squares[~np.isfinite(squares)] = np.inf
        return np.sqrt(squares, dtype=np.float64)
