"""How short the plant's steps have to be for springs in drives and for friction that sticks.

Motors accelerate by W = 1/motor_inertia under a unit of force, joints by B = J M^-1 J^T with M without rotors. Springs
K and D then make modes no faster than omega, which die out no faster than delta:

    omega^2 <= |K^1/2 (W + B) K^1/2| + |S^1/2 W S^1/2|        delta <= |D^1/2 (W + B) D^1/2| + |V^1/2 W V^1/2|

with the largest slopes S of bristles (2 sigma_0, where they turn round) and of ripple, V of friction. RK4 with steps h
damps a mode by (omega h)^5/144 of critical damping and is off its frequency by (omega h)^4/120: with omega h = 0.4
these are 7e-5 and 2e-4. It is stable up to delta h = 2.8; 1 is allowed. Rigid drives have B, rotors included, for W.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from parakin.arrays import Array
from parakin.errors import SimulationError
from parakin.robot import Robot
from parakin.simulation.imperfections import Effects
from parakin.simulation.ports import evaluated
from parakin.simulation.start import Signals

OSCILLATING = 0.4
"""Largest phase of an elastic mode in a step [rad]."""
KINKED = 4.0
"""How many times shorter steps are where springs touch and let go, which RK4 meets with errors of second order."""
DYING = 1.0
"""Largest step in time constants of what dies out fastest."""
PLACES = 9
"""Poses of a reference at which modes are looked at."""
FINEST = 64
"""Largest number of steps that take the place of one."""


def with_short_steps(robot: Robot, effects: Effects, constants: Signals, poses: Array, step: float) -> list[Effects]:
    """Return the effects of each scenario with steps as short as it needs them, by powers of two.

    robot: without what it carries; constants: those of scenarios with these effects; step: that of a rigid plant [s].
    """
    count = len(constants["parameters"])
    if not effects.in_drives:
        return [effects] * count
    along = poses[np.unique(np.linspace(0, len(poses) - 1, PLACES).astype(int))]
    omega, delta = fastest(robot, effects, constants, along)
    kinks = KINKED if effects.backlash else 1.0
    needed = step * np.maximum(kinks * omega / OSCILLATING, delta / DYING)
    factors = 2 ** np.ceil(np.log2(np.maximum(needed, 1.0)))
    if not factors.max() <= FINEST:  # NaN where numbers of a drive overflow
        worst = int(np.argmax(factors))
        reason = f"scenario {worst} has modes of {omega[worst] / 2 / np.pi:.3g} Hz or decay of {delta[worst]:.3g}/s"
        remedy = (
            f"for which steps of {step:g} s are over {FINEST} times too long: a shorter period or less stiffness helps"
        )
        raise SimulationError("elastic, stiction", f"{reason}, {remedy}")
    return [replace(effects, finer=int(factor)) for factor in factors]


def fastest(robot: Robot, effects: Effects, constants: Signals, poses: Array) -> tuple[Array, Array]:
    """Return bounds of omega [rad/s] and delta [1/s] of each scenario, over poses."""
    joints = _joint_mobility(robot, constants["parameters"], poses)
    zero = np.zeros((len(joints), 1, joints.shape[-1]))
    known = {name: constants[name][:, None, :] for name in effects.drive_numbers}
    stiff, slow = zero, zero
    if effects.stiction:
        stiff = stiff + 2 * known["bristle_stiffness"]
        falling = known["breakaway"] / known["stribeck_speed"]  # g falls no faster than this with the rate
        slow = slow + 2 * known["bristle_damping"] + falling
    if effects.ripple:
        stiff = stiff + known["ripple"] * known["ripple_waves"]
    if not effects.elastic:
        return np.sqrt(_norm(stiff, joints)), _norm(slow, joints)
    slow = slow + known["motor_viscous"] + known["motor_coulomb"] / constants["smoothing"][:, None, None]
    motors = np.eye(joints.shape[-1]) / known["motor_inertia"][..., None, :]
    both = motors + joints
    omega = np.sqrt(_norm(known["stiffness"], both) + _norm(stiff, motors))
    return omega, _norm(known["damping"], both) + _norm(slow, motors)


def _norm(diagonal: Array, mobility: Array) -> Array:
    """Return the largest eigenvalue of D^1/2 (mobility) D^1/2 over the poses of each scenario (scenarios,)."""
    root = np.sqrt(diagonal)
    return np.linalg.eigvalsh(root[..., :, None] * mobility * root[..., None, :])[..., -1].max(axis=1)


def _joint_mobility(robot: Robot, parameters: Array, poses: Array) -> Array:
    """Return B = J M^-1 J^T of each scenario at each pose (scenarios, poses, actuators, actuators)."""
    J, places = robot.jacobian(poses), robot.places(poses)
    kernel = robot.kernel("mass_matrix", free=("parameters",))
    rows, first = np.unique(parameters, axis=0, return_inverse=True)
    given = {"pose": poses[None], "near": places[None], "parameters": rows[:, None, :]}
    M = evaluated(kernel, given)["M"]
    try:
        moved = np.linalg.solve(M, np.broadcast_to(np.swapaxes(J, -1, -2), (len(rows), *np.swapaxes(J, -1, -2).shape)))
        found = J @ moved
    except np.linalg.LinAlgError:
        found = np.full((1,), np.nan)
    if not np.isfinite(found).all():
        raise SimulationError("elastic", f"behind the rotors of {robot.name} something has no mass")
    return found[first.ravel()]
