"""The closed loop is linearised about a set point at rest, for its poles and for what noise does to the forces.

z = [delta, dv; last q, filtered rate; (last pose, filtered velocity); the law's state; commands on their way]
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import replace

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.control import Law, hold
from parakin.errors import SimulationError
from parakin.kernels.arguments import as_array
from parakin.motions import MotionType
from parakin.motions.offsets import pose_slopes
from parakin.robot import Quantity, Robot
from parakin.simulation.exponential import exponential
from parakin.simulation.linear_plant import about_rest
from parakin.simulation.loop import uses_pose
from parakin.simulation.scenario import Scenario, constants_of
from parakin.simulation.start import Signals, initial_signals


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


def _law_derivative(law: Law, given: Mapping[str, Array]) -> Array:
    """Return the derivative of a law's [next_state; tau] by its state and measurements, where its inputs are `given`.

    Forward mode, a column at a time: a graph of all columns at once takes ten times as long to write.
    """
    about = ["state", *(f"measured_{what}" for what in law.interface.measurement)]
    sizes = [law.step.size1_in(name) for name in about]
    count = sum(sizes)
    seeds = dict(zip(about, np.split(np.eye(count), np.cumsum(sizes)[:-1]), strict=True))
    inputs = {name: ca.DM(value) for name, value in given.items()}
    outputs = {f"out_{name}": value for name, value in law.step(**inputs).items()}
    still = {f"fwd_{name}": ca.DM(*value.shape) for name, value in inputs.items() if name not in seeds}
    alike = {name: ca.repmat(value, 1, count) for name, value in (inputs | outputs | still).items()}
    out = _forward(law)(**alike, **{f"fwd_{name}": value for name, value in seeds.items()})
    return np.asarray(ca.vertcat(out["fwd_next_state"], out["fwd_tau"]), float)


@functools.lru_cache(maxsize=32)
def _forward(law: Law) -> ca.Function:
    """Return the directional derivative of a law's step."""
    return law.step.forward(1)


def linear_loop(robot: Robot, law: Law, scenario: Scenario | None = None, pose: ArrayLike | None = None) -> LinearLoop:
    """Linearise the closed loop at rest about a pose (home by default).

    The scenario gives gains, sensors, delay, elastic drives and the forces that hold the robot; the plant is `robot` as
    it is otherwise. The pose is its own set point, wherever the scenario begins.
    Coulomb friction is left out: the plant's, stiction, and what an adaptive law holds against it.
    """
    scenario = replace(scenario or Scenario(), pose=None, velocity=None)
    if scenario.sensor is not None:
        reason = f"{scenario.sensor.stage.name} is not linearised: leave it out for margins and verdicts of the pose"
        raise SimulationError("sensor", f"{reason} itself, or look for the boundary with simulate_many")
    place = robot.home if pose is None else as_array(robot.name, "pose", pose)
    reference = hold(robot, place, law.period, law.period)
    constants = constants_of(robot, law, (scenario,))
    signals = initial_signals(robot, law, reference, (scenario,), constants)
    still = np.zeros(robot.degrees_of_freedom)
    plant = about_rest(robot, scenario, place, signals["pending"][0])
    measured = {"q": signals["q"][0], "q_dot": 0 * signals["q"][0], "pose": place, "velocity": still}
    given = {f"measured_{what}": measured[what] for what in law.interface.measurement}
    given |= {w.port: reference.ahead(w.quantity, w.ahead)[0] for w in law.interface.reference}
    state = np.where(_coulomb(law), 0.0, signals["law_state"][0])
    derivative = _law_derivative(law, {"state": state, "gains": constants["gains"][0], **given})
    states: int = law.step.size1_in("state")
    with_pose = uses_pose(law)
    return LinearLoop(
        law.period,
        plant.A,
        plant.B,
        plant.encoders,
        _of_displacements(derivative, states, robot.motion_type, place) if with_pose else derivative,
        states,
        with_pose,
        float(constants["share"][0]),
        scenario.velocity_filter is None,
        float(scenario.delay),
        _noise(constants, with_pose),
    )


def _coulomb(law: Law) -> NDArray[np.bool_]:
    """Return which entries of a law's state are Coulomb friction.

    At rest their compensation is a step in force, which has no derivative to count.
    """
    coulomb: list[bool] = []
    for part in law.interface.state:
        of_part = [label.quantity is Quantity.COULOMB for label in part.parameters]
        coulomb += of_part or [False] * part.size
    return np.array(coulomb, bool)


def _noise(constants: Signals, with_pose: bool) -> Array:
    """Return the standard deviations of a measured pose or of measured positions.

    Counting adds an even spread over one count: quantum/sqrt(12).
    """
    if with_pose:
        return constants["noise_pose"][0]
    return np.hypot(constants["noise_q"][0], constants["quantum"][0] / np.sqrt(12), dtype=np.float64)


def _of_displacements(derivative: Array, states: int, motion: MotionType, pose: Array) -> Array:
    """Turn derivatives by the numbers of a measured pose into derivatives by its small displacement.

    Only quaternions make a difference, d(quat) = 1/2 (0, w) quat, and turns of balls.
    """
    if motion.quaternion is None and not motion.balls:
        return derivative
    head, middle, tail = np.split(derivative, [states, states + len(pose)], axis=1)
    return np.hstack([head, middle @ pose_slopes(motion, pose), tail])
