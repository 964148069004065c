"""A Delta that owes nothing to parakin's dynamics, and the logs that its drives would record.

The robot file is read as data, and references come from parakin's inverse kinematics. Everything else is written here a
second time, in another formulation: an open tree of arms, rods and a plate in coordinates z = (x, q), rods by their two
ends as in natural coordinates (a mass matrix without velocity terms), and three loops |x + b_i - P_i(q_i)| = L_i closed
by a KKT system:

    [ M  G^T ] [ z_ddot ]   [ forces - bias  ]
    [ G   0  ] [  force ] = [ -G_dot z_dot   ]

All arrays have the logs as their first axis, so that hundreds of machines run at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import parakin as pk
from parakin.arrays import Array
from parakin.dynamics.parameters import Quantity
from parakin.simulation import Log
from parakin.simulation.log import Column
from parakin.trajectory import Motion

PERIOD = 1e-3
"""Time over which drives hold their torque, and between rows of a log [s]."""
SUBSTEPS = 4
"""Steps of Runge and Kutta in a tick: friction at rest is stiff."""
STICTION_RATE = 2e-3
"""Rate below which Coulomb friction is smooth [rad/s]."""
STABILISATION = 100.0
"""Rate at which loops that drift apart are pulled together [1/s]."""
NOISE = 0.05
"""Standard deviation of the noise of measured torques [N m]."""
COUNTS = 2.0**18 / (2 * np.pi)
"""Encoder counts in a radian."""
STIFFNESS, DAMPING = 400.0, 6.0
"""Gains of the drives [N m/rad, N m s/rad]."""
VELOCITY_FILTER = 150.0
"""Rate of the low-pass in the drives' velocity [1/s]."""


@dataclass(frozen=True, eq=False)
class Tree:
    """Numbers of a Delta: geometry of each leg (legs, 3), inertial ones of each log (logs, legs)."""

    root: Array
    axis: Array
    reference: Array
    attachment: Array
    arm_length: Array
    rod_length: Array
    gravity: Array
    plate: Array
    """Mass of the plate (logs,) [kg]."""
    arm_moment: Array
    """First moments of the arm along and across it (logs, legs, 2) [kg m]."""
    arm_inertia: Array
    """Inertia of arm and rotor about the motor's axis (logs, legs) [kg m^2]."""
    rods: Array
    """Mass, first and second moment of both rods about the elbow (logs, legs, 3) [kg, kg m, kg m^2]."""
    friction: Array
    """Viscous and Coulomb friction of each drive (logs, legs, 2) [N m s, N m]."""


def tree_of(robot: pk.Robot, parameters: Array) -> Tree:
    """Read geometry from a robot's file, and parameters (logs, parameters) in the order of robot.parameters."""
    place = {(p.owner, p.quantity): k for k, p in enumerate(robot.parameter_table)}
    Q = Quantity

    def of(owner: str, *quantities: Quantity) -> Array:
        return parameters[:, [place[owner, quantity] for quantity in quantities]]

    legs = robot.legs
    names = [leg.name for leg in legs]
    arms, forearms = [leg.elements[0] for leg in legs], [leg.elements[1] for leg in legs]
    rods = [sum(of(f"{name}.forearm.{rod}", Q.M, Q.MX, Q.IYY) for rod in ("rod_a", "rod_b")) for name in names]
    return Tree(
        root=np.array([leg.root for leg in legs]),
        axis=np.array([arm.joint.axis for arm in arms]),
        reference=np.array([arm.actuator.reference for arm in arms if arm.actuator is not None]),
        attachment=np.array([leg.attachment.b for leg in legs]),
        arm_length=np.array([arm.length for arm in arms], float),
        rod_length=np.array([forearm.length for forearm in forearms], float),
        gravity=np.array(robot.description.gravity),
        plate=of("platform.plate", Q.M)[:, 0],
        arm_moment=np.stack([of(f"{name}.arm", Q.MX, Q.MY) for name in names], axis=1),
        arm_inertia=np.stack([of(f"{name}.arm", Q.IZZ, Q.ROTOR).sum(axis=1) for name in names], axis=1),
        rods=np.stack([np.asarray(rod) for rod in rods], axis=1),
        friction=np.stack([of(f"{name}.arm", Q.VISCOUS, Q.COULOMB) for name in names], axis=1),
    )


def accelerations(tree: Tree, z: Array, z_dot: Array, tau: Array, push: Array | float = 0.0) -> Array:
    """Solve the KKT system for (x_ddot, q_ddot) (logs, 6) at positions and rates (logs, 6) and torques (logs, 3).

    push: a force on the plate (logs, 3) [N].
    """
    x, q, x_dot, q_dot = z[:, None, :3], z[:, 3:], z_dot[:, None, :3], z_dot[:, 3:]
    normal = np.cross(tree.axis, tree.reference)
    c, s, length = np.cos(q)[..., None], np.sin(q)[..., None], tree.arm_length[:, None]
    along, across = c * tree.reference + s * normal, c * normal - s * tree.reference
    t = length * across  # P_i_dot = q_dot t, P_i_ddot = q_ddot t + q_dot^2 n
    n = -length * along
    rod = x + tree.attachment - tree.root - length * along
    mass, first, second = np.moveaxis(tree.rods, -1, 0)
    L = tree.rod_length
    QQ, PQ, PP = second / L**2, first / L - second / L**2, mass - 2 * first / L + second / L**2

    G = np.zeros((len(z), 3, 6))
    G[:, :, :3] = rod
    legs = np.arange(3)
    pull = np.sum(rod * t, axis=-1)
    G[:, legs, 3 + legs] = -pull
    relative = x_dot - q_dot[..., None] * t
    drift = np.sum(relative**2, axis=-1) - q_dot**2 * np.sum(rod * n, axis=-1)
    gap = (np.sum(rod**2, axis=-1) - L**2) / 2
    rate = np.sum(rod * relative, axis=-1)

    K = np.zeros((len(z), 9, 9))
    K[:, [0, 1, 2], [0, 1, 2]] = (tree.plate + QQ.sum(axis=1))[:, None]
    coupling = PQ[..., None] * t
    K[:, 3:6, :3] = coupling
    K[:, :3, 3:6] = np.swapaxes(coupling, 1, 2)
    K[:, 3 + legs, 3 + legs] = tree.arm_inertia + PP * tree.arm_length**2
    K[:, 6:, :6] = G
    K[:, :6, 6:] = np.swapaxes(G, 1, 2)

    right = np.empty((len(z), 9))
    weight = (tree.plate + (first / L).sum(axis=1))[:, None] * tree.gravity
    right[:, :3] = push + weight - np.sum(PQ[..., None] * (q_dot**2)[..., None] * n, axis=1)
    hanging = tree.arm_moment[..., :1] * across - tree.arm_moment[..., 1:] * along
    hanging = hanging + (mass - first / L)[..., None] * t
    right[:, 3:6] = tau - friction(tree, q_dot) + hanging @ tree.gravity
    right[:, 6:] = -drift - 2 * STABILISATION * rate - STABILISATION**2 * gap
    return np.asarray(np.linalg.solve(K, right[..., None])[:, :6, 0], np.float64)


def friction(tree: Tree, q_dot: Array) -> Array:
    """Return the friction of the drives (logs, legs) [N m]."""
    sign = q_dot / np.sqrt(q_dot**2 + STICTION_RATE**2)
    return tree.friction[..., 0] * q_dot + tree.friction[..., 1] * sign


def holding_torque(tree: Tree, z: Array) -> Array:
    """Return the torques (logs, 3) at which the machines stay where they are."""
    still, none = np.zeros_like(z), np.zeros((len(z), 3))
    start = accelerations(tree, z, still, none)[:, 3:]
    columns = [accelerations(tree, z, still, none + np.eye(3)[k])[:, 3:] - start for k in range(3)]
    return np.asarray(np.linalg.solve(np.stack(columns, axis=2), -start[..., None])[..., 0], np.float64)


@dataclass(frozen=True, eq=False)
class Run:
    """What the machines did (logs, ticks, ...): torques as they acted, and what was recorded."""

    t: Array
    z: Array
    """True positions at the ticks (logs, ticks, 6)."""
    z_dot: Array
    """True rates at the ticks (logs, ticks, 6)."""
    torque: Array
    """Torque from each tick to the next, as it acted (logs, ticks, 3) [N m]."""
    measured_q: Array
    """Encoder readings (logs, ticks, 3) [rad]."""
    measured_torque: Array
    """Torques with noise (logs, ticks, 3) [N m]."""

    def log(self, robot: pk.Robot, k: int, first: int = 0) -> Log:
        """Return the log of machine k as any recorder writes it, from a row on."""
        names = robot.actuator_names
        columns = [Column("t", "", "s")]
        columns += [Column("q", name, "rad") for name in names] + [Column("tau", name, "N m") for name in names]
        table = np.column_stack([self.t, self.measured_q[k], self.measured_torque[k]])
        return Log(tuple(columns), table[first:])


def run(robot: pk.Robot, parameters: Array, motions: list[Motion], seed: int = 0, noise: float = NOISE) -> Run:
    """Let one machine for each row of parameters (logs, parameters) follow its motion under drives with PD control."""
    tree, rng = tree_of(robot, parameters), np.random.default_rng(seed)
    references = [motion.sampled(1 / PERIOD) for motion in motions]
    ticks = min(len(s.t) for s in references)
    q_desired = np.stack([robot.inverse_kinematics(s.pose[:ticks]) for s in references])
    rate_desired = np.gradient(q_desired, PERIOD, axis=1)
    z = np.concatenate([np.stack([s.pose[0] for s in references]), q_desired[:, 0]], axis=1)
    z_dot = np.zeros_like(z)
    hold = holding_torque(tree, z)
    seen_before = velocity = np.zeros_like(hold)
    rows: list[tuple[Array, Array, Array, Array]] = []
    for k in range(ticks):
        seen = np.round(z[:, 3:] * COUNTS) / COUNTS
        if k:
            velocity = velocity + VELOCITY_FILTER * PERIOD * ((seen - seen_before) / PERIOD - velocity)
        seen_before = seen
        tau = hold + STIFFNESS * (q_desired[:, k] - seen) + DAMPING * (rate_desired[:, k] - velocity)
        rows.append((z, z_dot, tau, seen))
        for _ in range(SUBSTEPS):
            z, z_dot = _step(tree, z, z_dot, tau)
    states, rates, torque, seen = (np.stack(part, axis=1) for part in zip(*rows, strict=True))
    measured = torque + noise * rng.normal(size=torque.shape)
    return Run(PERIOD * np.arange(float(ticks)), states, rates, torque, seen, measured)


def _step(tree: Tree, z: Array, z_dot: Array, tau: Array) -> tuple[Array, Array]:
    """One step of the classical Runge-Kutta method."""
    h = PERIOD / SUBSTEPS
    a1 = accelerations(tree, z, z_dot, tau)
    v2 = z_dot + h / 2 * a1
    a2 = accelerations(tree, z + h / 2 * z_dot, v2, tau)
    v3 = z_dot + h / 2 * a2
    a3 = accelerations(tree, z + h / 2 * v2, v3, tau)
    v4 = z_dot + h * a3
    a4 = accelerations(tree, z + h * v3, v4, tau)
    return z + h / 6 * (z_dot + 2 * v2 + 2 * v3 + v4), z_dot + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)


def machines(robot: pk.Robot, count: int, seed: int = 0) -> Array:
    """Draw parameters (count, parameters) that are 15 to 40 % off those of the file, each leg and drive its own."""
    rng = np.random.default_rng(seed)
    size = (count, len(robot.parameters))
    return robot.parameters * (1 + rng.uniform(0.15, 0.4, size) * rng.choice([-1.0, 1.0], size))
