"""The machine linearised at rest about a pose, springs in its drives included.

    M_a v_dot = -K_p delta - D_p v + J^T s,        s = K (theta - J delta) + D (theta_dot - J v)
    m theta_ddot = tau - s - V theta_dot

M_a is the mass matrix without rotors; K_p and D_p, which gravity and passive joints make, are those of
`Robot.linearize` without the friction V of the drives. Play in the springs is left out, as if they always touched, and
so is Coulomb friction, as if every drive slid; a drive that sticks has bristles of stiffness sigma_0 beside it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array, frozen_arrays
from parakin.dynamics.parameters import Quantity
from parakin.kernels.arguments import as_array
from parakin.robot import Robot
from parakin.simulation.effect_numbers import effect_numbers, of_drives
from parakin.simulation.imperfections import effects_of
from parakin.simulation.scenario import Scenario, file_parameters, unloaded

OSCILLATES = 1e-6
"""Imaginary part, as a share of the largest pole, above which a mode oscillates: rounding splits the double pole of a
robot that nothing holds by the square root of 1e-16."""


@frozen_arrays
class LinearPlant:
    """A machine of n degrees of freedom and m drives about a pose at rest: d/dt [x; x_dot] = A [x; x_dot] + B dtau.

    x is the platform's small displacement (n) and, with elastic drives, below it that of the motors (m).
    """

    A: Array
    """Rates of displacements and velocities by these two (2k, 2k), k = n or n + m."""
    B: Array
    """Rates of displacements and velocities by the forces of the motors (2k, m)."""
    encoders: Array
    """Displacements that encoders see by x (m, k)."""

    def modes(self) -> tuple[Array, Array]:
        """Return the undamped frequencies [Hz] and damping ratios of the modes that oscillate, slowest first.

        >>> soft = pk.simulation.Scenario(elastic=pk.simulation.ElasticDrives(frequency=250.0))
        >>> frequencies, ratios = pk.simulation.linearize(robot, soft).modes()
        >>> frequencies[-3:].round()  # below them those of a robot that hangs in its joints
        array([249., 249., 254.])
        """
        poles = np.linalg.eigvals(self.A)
        real, imaginary = (np.asarray(part, float) for part in (np.real(poles), np.imag(poles)))
        size = np.hypot(real, imaginary)
        chosen = np.flatnonzero(imaginary > OSCILLATES * size.max())
        chosen = chosen[np.argsort(size[chosen])]
        return size[chosen] / (2 * np.pi), -real[chosen] / size[chosen]


def linearize(
    robot: Robot, scenario: Scenario | None = None, pose: ArrayLike | None = None, *, sticking: bool = False
) -> LinearPlant:
    """Linearise a machine at rest about a pose (home by default), held by its drives against its weight.

    Of the scenario its elastic drives count, and its stiction where drives are said to stick; masses are those of the
    robot.

    >>> plant = pk.simulation.linearize(robot, pk.simulation.Scenario())
    >>> plant.A.shape, plant.B.shape
    ((6, 6), (6, 3))
    """
    place = robot.home if pose is None else as_array(robot.name, "pose", pose)
    return about_rest(robot, scenario or Scenario(), place, robot.static_forces(place), sticking=sticking)


def about_rest(robot: Robot, scenario: Scenario, pose: Array, tau: Array, *, sticking: bool = False) -> LinearPlant:
    """Linearise a machine at rest under the forces that hold it."""
    found = robot.linearize(pose, np.zeros(robot.degrees_of_freedom), tau)
    J = robot.jacobian(pose)
    rigid = LinearPlant(found.A, found.B, J)
    alone = replace(scenario, parameters=None, cable=None, ripple=None, torque_step=None, jitter=0.0)
    alone = alone if sticking else replace(alone, stiction=None)
    effects = effects_of(alone)
    if not effects.any:
        return rigid
    file = file_parameters(robot)
    rows = effect_numbers(unloaded(robot), (alone,), effects, file[None])
    numbers = {name: values[0] for name, values in rows.items()}
    M = robot.mass_matrix(pose)
    numbers["bristle_stiffness"] = numbers.get("bristle_stiffness", np.zeros(len(J)))
    numbers["bristle_damping"] = numbers.get("bristle_damping", np.zeros(len(J)))
    if scenario.elastic is None:
        return _stuck(rigid, M, numbers)
    rotors, viscous = (file[of_drives(unloaded(robot), what)] for what in (Quantity.ROTOR, Quantity.VISCOUS))
    return _on_springs(rigid, M, rotors, viscous, numbers)


def _stuck(rigid: LinearPlant, M: Array, numbers: dict[str, Array]) -> LinearPlant:
    """Return a plant of rigid drives with bristles beside them."""
    n, J = len(M), rigid.encoders
    A = rigid.A.copy()
    A[n:, :n] -= np.linalg.solve(M, J.T * numbers["bristle_stiffness"] @ J)
    A[n:, n:] -= np.linalg.solve(M, J.T * numbers["bristle_damping"] @ J)
    return LinearPlant(A, rigid.B, J)


def _on_springs(rigid: LinearPlant, M: Array, rotors: Array, viscous: Array, numbers: dict[str, Array]) -> LinearPlant:
    """Return a plant whose motors are on springs."""
    n, m, J = len(M), len(rotors), rigid.encoders
    k = n + m
    behind = M - J.T * rotors @ J
    inertia = np.block([[behind, np.zeros((n, m))], [np.zeros((m, n)), np.diag(numbers["motor_inertia"])]])
    K_p = -M @ rigid.A[n:, :n]
    D_p = -M @ rigid.A[n:, n:] - J.T * viscous @ J
    stiffness = _sprung(J, numbers["stiffness"], K_p, numbers["bristle_stiffness"])
    damping = _sprung(J, numbers["damping"], D_p, numbers["motor_viscous"] + numbers["bristle_damping"])
    A = np.zeros((2 * k, 2 * k))
    A[:k, k:] = np.eye(k)
    A[k:, :k], A[k:, k:] = -np.linalg.solve(inertia, stiffness), -np.linalg.solve(inertia, damping)
    B = np.zeros((2 * k, m))
    B[k + n :] = np.diag(1 / numbers["motor_inertia"])
    seen = np.hstack([np.zeros((m, n)), np.eye(m)]) if numbers["on_motor"] else np.hstack([J, np.zeros((m, m))])
    return LinearPlant(A, B, seen)


def _sprung(J: Array, springs: Array, platform: Array, motors: Array) -> Array:
    """Return the matrix of springs (or dampers) between motors and joints, and of those beside the two."""
    K = np.diag(springs)
    return np.block([[platform + J.T @ K @ J, -J.T @ K], [-K @ J, K + np.diag(motors)]])
