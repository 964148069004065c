"""A five-bar that owes nothing to parakin's dynamics, and the logs that its drives would record.

Lagrange's equations of four links in the plane, in the absolute angles theta of the arms and phi of the forearms, the
second leg in mirrored coordinates. Forearms follow from the arms in closed form (two circles meet in the tool point),
so that loops cannot drift:

    B phi_dot = -A theta_dot,   phi_ddot = J theta_ddot + gamma,   J = -B^-1 A

    (a + J^T b + b J + J^T f J) theta_ddot = Q_theta + J^T Q_phi - (b + J^T f) gamma

with the torques Q of drives, gravity, friction and velocity. All arrays are (2 legs, logs), so that many machines run
at once. Numbers are those of the library's five_bar.toml, written here a second time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array
from parakin.simulation import Log
from parakin.simulation.log import Column

PERIOD = 1e-3
"""Time over which drives hold their torque, and between rows of a log [s]."""
SUBSTEPS = 4
"""Steps of Runge and Kutta in a tick; delays are whole numbers of them."""
ARM, FOREARM, ROOT = 0.25, 0.32, 0.1
"""Lengths, and half the distance of the motors [m]."""
HOME, BOX = (0.0, 0.36), 0.85 * np.array([0.18, 0.1])
"""Tool point about which the machines move, and how far [m]."""
GRAVITY = 9.81
STICTION_RATE = 1e-3
"""Rate up to which Coulomb friction grows from nothing to its full size [rad/s]."""
STIFFNESS, DAMPING = 150.0, 2.0
"""Gains of the drives [N m/rad, N m s/rad]."""
VELOCITY_FILTER = 150.0
"""Rate of the low-pass in the drives' velocity [1/s]."""
HARMONICS, MOTION_PERIOD, REST = 5, 2.0, 0.5
"""Harmonics and period [s] of the references, and the time over which they begin [s]."""
NOMINAL = {
    "arm.link.mx": 0.066,
    "arm.link.my": 0.0,
    "arm.link.Izz": 0.01086,
    "forearm.link.m": 0.3,
    "forearm.link.mx": 0.048,
    "forearm.link.my": 0.0,
    "forearm.link.Izz": 0.01024,
    "arm.rotor": 0.004,
    "arm.viscous": 0.05,
    "arm.coulomb": 0.12,
    "forearm.joint.viscous": 0.002,
    "forearm.joint.coulomb": 0.01,
}
"""Numbers of each leg that its motion shows, by the names that they have in the robot file."""


@dataclass(frozen=True)
class Conditions:
    """What is the matter with a machine and its log; the default is a good machine with good sensors."""

    delay: float = 0.0
    """How long after its tick a torque begins to act, in rows. Being held, it then acts `delay` + 0.5 rows late."""
    late: int = 0
    """Rows by which the recorder writes torques late: they act so many rows earlier than it seems."""
    counts: float = 2.0**18
    """Encoder counts in a turn."""
    noise: float = 0.02
    """Standard deviation of the noise of recorded torques [N m]."""
    colour: float = 0.0
    """Part of the noise that goes on from row to row: 0 is white."""
    stribeck: float = 0.0
    """Coulomb friction of the drives at rest beyond that of motion, relative to it."""
    stribeck_rate: float = 0.1
    """Rate at which that has fallen to 1/e [rad/s]."""
    cable: float = 0.0
    """Stiffness of a cable that turns the arms back [N m/rad]."""
    vibration: float = 0.0
    """Amplitude of the base's acceleration along x and y [m/s^2]."""
    vibration_frequencies: tuple[float, float] = (17.0, 31.0)
    """Frequencies of that [Hz]."""
    force_offset: tuple[float, float] = (0.0, 0.0)
    """What recorded torques have too much, by drive [N m]."""
    encoder_offset: tuple[float, float] = (0.0, 0.0)
    """What recorded angles have too much, by drive [rad]."""
    clock: float = 0.0
    """How much too long the recorder's second is, relative to a second."""
    jitter: float = 0.0
    """Standard deviation of the recorded times [s]."""
    outliers: float = 0.0
    """Part of the torques that are recorded with an outlier."""
    outlier: float = 2.0
    """Size of an outlier [N m]; all have the same sign."""
    limit: float = np.inf
    """Torque beyond which drives saturate [N m]."""


@dataclass(frozen=True, eq=False)
class Run:
    """What the machines did, and what was recorded."""

    q: Array
    """True angles of the drives at the ticks (logs, ticks, 2) [rad]."""
    q_dot: Array
    """Their rates (logs, ticks, 2) [rad/s]."""
    tables: tuple[Array, ...]
    """Recorded t, q and tau of each log (rows, 5)."""
    truth: dict[str, Array]
    """True numbers (logs,) by their names in the robot file."""

    def log(self, k: int) -> Log:
        """Return the log of machine k as any recorder writes it."""
        names = ("side1.arm", "side2.arm")
        columns = [Column("t", "", "s")]
        columns += [Column("q", name, "rad") for name in names] + [Column("tau", name, "N m") for name in names]
        return Log(tuple(columns), self.tables[k])

    def parameters(self, names: Sequence[str], prior: Array, k: int) -> Array:
        """Return the true parameters of machine k by name; those that no motion in the plane shows are the prior's."""
        return np.array([self.truth[n][k] if n in self.truth else p for n, p in zip(names, prior, strict=True)])


def machines(count: int, seed: int = 0, spread: tuple[float, float] = (0.1, 0.3)) -> dict[str, Array]:
    """Draw machines whose numbers are off those of the file, each leg and drive its own; centres lie off the links."""
    rng = np.random.default_rng(seed)
    truth: dict[str, Array] = {}
    for side in ("side1", "side2"):
        for name, value in NOMINAL.items():
            off = rng.uniform(*spread, count) * rng.choice([-1.0, 1.0], count)
            truth[f"{side}.{name}"] = value * (1 + off) if value else 0.02 * off
    return truth


def simulate(truth: dict[str, Array], conditions: Sequence[Conditions], duration: float, seed: int = 0) -> Run:
    """Let each machine follow a motion of its own under PD control for a time [s], and record it."""
    rng = np.random.default_rng(seed)
    plant = Plant(truth, conditions)
    ticks = round(duration / PERIOD)
    t = PERIOD * np.arange(float(ticks))
    desired, desired_rate = references(len(conditions), t, rng)
    step = 2 * np.pi / np.array([c.counts for c in conditions])
    limit = np.array([c.limit for c in conditions])
    begin = np.array([round(SUBSTEPS * c.delay) for c in conditions])
    q, q_dot = desired[0], np.zeros_like(desired[0])
    hold = plant.holding(q)
    seen_before, velocity = np.round(q / step) * step, np.zeros_like(q)
    held = np.broadcast_to(hold, (int(begin.max()) // SUBSTEPS + 2, *hold.shape)).copy()
    logs, rows = np.arange(len(conditions)), list[tuple[Array, Array, Array, Array]]()
    for k in range(ticks):
        seen = np.round(q / step) * step
        velocity = velocity + VELOCITY_FILTER * PERIOD * ((seen - seen_before) / PERIOD - velocity)
        seen_before = seen
        command = hold + STIFFNESS * (desired[k] - seen) + DAMPING * (desired_rate[k] - velocity)
        held = np.roll(held, 1, axis=0)
        held[0] = np.clip(command, -limit, limit)
        rows.append((q, q_dot, held[0], seen))
        for n in range(SUBSTEPS):
            ago = -((n - begin) // SUBSTEPS)
            q, q_dot = plant.step(q, q_dot, held[ago, :, logs].T, t[k] + n * PERIOD / SUBSTEPS)
    states, rates, torque, seen = (np.moveaxis(np.stack(part), 2, 0) for part in zip(*rows, strict=True))
    tables = tuple(_recorded(c, t, seen[k], torque[k], rng) for k, c in enumerate(conditions))
    return Run(states, rates, tables, truth)


def references(count: int, t: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return desired angles and rates (ticks, 2, count): Fourier series about home, as large as the box allows."""
    W = 2 * np.pi / MOTION_PERIOD
    home = angles_of(np.array(HOME))
    k = np.arange(1, HARMONICS + 1)[:, None, None]
    size, phase = rng.normal(size=(2, HARMONICS, 2, count)) / k**0.5
    begin = np.clip(t / REST, 0, 1)
    begin = begin**3 * (10 - 15 * begin + 6 * begin**2)
    waves = begin[:, None, None] * sum(
        size[i] * np.sin(k[i] * W * t[:, None, None]) + phase[i] * np.cos(k[i] * W * t[:, None, None])
        for i in range(HARMONICS)
    )
    scale = np.full(count, 0.6) / np.abs(waves).max(axis=(0, 1))
    for _ in range(40):
        with np.errstate(invalid="ignore"):  # a tool point out of reach is not inside
            tool = tool_of(home[:, None] + scale * waves)
        inside = np.all(np.abs(tool - np.array(HOME)[:, None]) <= BOX[:, None], axis=(0, 1))
        scale = np.where(inside, scale, 0.93 * scale)
    desired = home[:, None] + scale * waves
    return desired, np.gradient(desired, t, axis=0)


def angles_of(tool: Array) -> Array:
    """Return the angles of the drives (2,) with elbows outwards at a tool point (2,)."""
    r = np.array([tool[0] - ROOT, -tool[0] - ROOT])
    reach = np.hypot(r, tool[1])
    return np.arctan2(tool[1], r) - np.arccos((ARM**2 + reach**2 - FOREARM**2) / (2 * ARM * reach))


def tool_of(theta: Array) -> Array:
    """Return the tool point (..., 2, logs) at angles of the drives (..., 2, logs)."""
    x, y = ROOT + ARM * np.cos(theta), ARM * np.sin(theta)
    x = x * np.array([[1.0], [-1.0]])
    dx, dy = x[..., 1, :] - x[..., 0, :], y[..., 1, :] - y[..., 0, :]
    d = np.hypot(dx, dy)
    height = np.sqrt(FOREARM**2 - d**2 / 4) / d
    middle = np.stack([x.mean(axis=-2), y.mean(axis=-2)], axis=-2)
    return middle + np.stack([dy * height, -dx * height], axis=-2)


class Plant:
    """The equations of motion of several machines."""

    def __init__(self, truth: dict[str, Array], conditions: Sequence[Conditions]) -> None:
        def of(name: str) -> Array:
            return np.stack([truth[f"side1.{name}"], truth[f"side2.{name}"]])

        self.mass = of("forearm.link.m")
        self.arm = of("arm.link.mx") + ARM * self.mass, of("arm.link.my")
        self.forearm = of("forearm.link.mx"), of("forearm.link.my")
        self.a = of("arm.link.Izz") + of("arm.rotor") + ARM**2 * self.mass
        self.f = of("forearm.link.Izz")
        self.viscous, self.coulomb = of("arm.viscous"), of("arm.coulomb")
        self.joint = of("forearm.joint.viscous"), of("forearm.joint.coulomb")
        self.stribeck = np.array([c.stribeck for c in conditions])
        self.stribeck_rate = np.array([c.stribeck_rate for c in conditions])
        self.cable = np.array([c.cable for c in conditions])
        self.vibration = np.array([c.vibration for c in conditions])
        self.frequencies = np.array([c.vibration_frequencies for c in conditions]).T

    def step(self, q: Array, v: Array, tau: Array, t: float) -> tuple[Array, Array]:
        """One step of the classical Runge-Kutta method; the base shakes as at its middle."""
        h = PERIOD / SUBSTEPS
        g = self.gravity(t + h / 2)
        a1 = self.accelerations(q, v, tau, g)
        v2 = v + h / 2 * a1
        a2 = self.accelerations(q + h / 2 * v, v2, tau, g)
        v3 = v + h / 2 * a2
        a3 = self.accelerations(q + h / 2 * v2, v3, tau, g)
        v4 = v + h * a3
        a4 = self.accelerations(q + h * v3, v4, tau, g)
        return q + h / 6 * (v + 2 * v2 + 2 * v3 + v4), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)

    def gravity(self, t: float) -> tuple[Array, Array]:
        """Acceleration of the base against gravity along x of either leg's own side, and along y."""
        shake = self.vibration * np.sin(2 * np.pi * self.frequencies * t)
        return np.stack([shake[0], -shake[0]]), GRAVITY + shake[1]

    def accelerations(self, theta: Array, rate: Array, tau: Array, gravity: tuple[Array, Array]) -> Array:
        """Solve the equations of motion for the accelerations of the drives (2, logs)."""
        ct, st = np.cos(theta), np.sin(theta)
        tool = tool_of(theta)
        cp = (tool[:1] * _SIDES - ROOT - ARM * ct) / FOREARM
        sp = (tool[1:] - ARM * st) / FOREARM
        # J = -B^-1 A, with B = l [[-sp1, -sp2], [cp1, -cp2]] and A = L [[-st1, -st2], [ct1, -ct2]]
        det = sp[0] * cp[1] + cp[0] * sp[1]
        ratio = -ARM / (FOREARM * det)
        other = cp[::-1] * st, sp[::-1] * ct
        diagonal = ratio * (other[0] + other[1])
        # [0, 1] and [1, 0]
        across = ratio * (st[::-1] * cp[::-1] - sp[::-1] * ct[::-1]), ratio * (cp * st - sp * ct)
        J01, J10 = across[0][0], across[1][0]
        phi_rate = np.stack([diagonal[0] * rate[0] + J01 * rate[1], J10 * rate[0] + diagonal[1] * rate[1]])
        square, phi_square = rate**2, phi_rate**2
        right_x = (ARM * (ct * square) + FOREARM * (cp * phi_square)).sum(axis=0) / FOREARM
        right_y = (ARM * (st * square) + FOREARM * (sp * phi_square)) * _SIDES
        right_y = right_y.sum(axis=0) / FOREARM
        gamma = np.stack([-cp[1] * right_x + sp[1] * right_y, -cp[0] * right_x - sp[0] * right_y]) / det
        # links
        cd, sd = cp * ct + sp * st, sp * ct - cp * st
        mx, my = self.forearm
        b, b_prime = ARM * (mx * cd - my * sd), -ARM * (mx * sd + my * cd)
        gx, gy = gravity
        hx, hy = self.arm
        joint = self.joint[0] * (phi_rate - rate) + self.joint[1] * sign(phi_rate - rate)
        Q = tau - b_prime * phi_square - gy * (hx * ct - hy * st) + gx * (hx * st + hy * ct)
        Q = Q - self.friction(rate) + joint - self.cable * (theta - _REST_ANGLE)
        Q_phi = b_prime * square - gy * (mx * cp - my * sp) + gx * (mx * sp + my * cp) - joint
        Q, Q_phi = Q - b * gamma, Q_phi - self.f * gamma
        right = Q + diagonal * Q_phi + np.stack([J10 * Q_phi[1], J01 * Q_phi[0]])
        f = self.f
        M = self.a + 2 * b * diagonal + f * diagonal**2 + f[::-1] * np.stack([J10, J01]) ** 2
        M01 = b[0] * J01 + b[1] * J10 + f[0] * diagonal[0] * J01 + f[1] * diagonal[1] * J10
        return (M[::-1] * right - M01 * right[::-1]) / (M[0] * M[1] - M01**2)

    def friction(self, rate: Array) -> Array:
        """Return the friction of the drives [N m]."""
        more = 1 + self.stribeck * np.exp(-((rate / self.stribeck_rate) ** 2))
        return self.viscous * rate + self.coulomb * more * sign(rate)

    def holding(self, q: Array) -> Array:
        """Return the torques at which the machines stay where they are."""
        none, g = np.zeros_like(q), (np.zeros_like(q), np.full(q.shape[1], GRAVITY))
        start = self.accelerations(q, none, none, g)
        columns = [self.accelerations(q, none, none + np.eye(2)[:, [k]], g) - start for k in range(2)]
        matrices = np.stack(columns, axis=1).transpose(2, 0, 1)
        found: Array = np.linalg.solve(matrices, -start.T[..., None]).astype(np.float64)
        return found[..., 0].T


_SIDES = np.array([[1.0], [-1.0]])
_REST_ANGLE = float(angles_of(np.array(HOME))[0])


def sign(rate: Array) -> Array:
    """Return the sign of a rate, smooth below STICTION_RATE."""
    return np.clip(rate / STICTION_RATE, -1.0, 1.0)


def _recorded(c: Conditions, t: Array, seen: Array, torque: Array, rng: np.random.Generator) -> Array:
    """The table of a log (rows, 5), with all that goes wrong when it is recorded."""
    white = rng.normal(size=torque.shape)
    if c.colour:
        from scipy.signal import lfilter

        white = np.sqrt(1 - c.colour**2) * lfilter([1.0], [1.0, -c.colour], white, axis=0)
    tau = torque + c.noise * white + np.array(c.force_offset)
    tau = np.where(rng.random(tau.shape) < c.outliers, tau + c.outlier, tau)
    t = (1 + c.clock) * t + c.jitter * rng.normal(size=t.shape)
    table = np.column_stack([t, seen + np.array(c.encoder_offset), np.roll(tau, c.late, axis=0)])
    return table[max(c.late, 0) : len(table) + min(c.late, 0)]
