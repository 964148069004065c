"""Motors on elastic shafts: how much gain each law bears, by the frequency of the elastic mode.

Linear, about home: rotors on springs and dampers that carry the arms and everything behind them, encoders on the
rotors.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from parakin.arrays import Array, lock_arrays
from parakin.blas import one_blas_thread
from parakin.control import Law
from parakin.robot import Robot
from parakin.simulation.linear import LinearLoop, linear_loop
from parakin.simulation.stability import STABLE
from parakin.studies.loops import gain_margin, last_good
from parakin.studies.vivas.machine import CELL

DAMPING = 0.05
"""Damping of the elastic mode as a share of critical damping; assumed."""
FREQUENCIES = np.geomspace(250.0, 1000.0, 13)
"""Frequencies of a rotor against what it drives, the other motors held [Hz]."""


@dataclass(frozen=True, eq=False)
class ElasticDrives:
    """The loop of a law about home with rigid drives, and what is needed to make them elastic."""

    rigid: LinearLoop
    """The linear loop with rigid drives."""
    M_q: Array
    """(actuators, actuators) Mass matrix in actuator space at home [kg m^2]."""
    rotors: Array
    """(actuators,) Inertia of the rotors [kg m^2]."""

    def __post_init__(self) -> None:
        lock_arrays(self)

    @classmethod
    def of(cls, robot: Robot, law: Law) -> ElasticDrives:
        """Linearise the loop of a robot and a law about home, in the cell assumed."""
        actuators = [element.actuator for leg in robot.legs for element in leg.elements if element.actuator]
        rotors = np.array([actuator.rotor_inertia for actuator in actuators])
        return cls(linear_loop(robot, law, CELL), robot.mass_matrix(robot.home, space="actuator"), rotors)

    def margins(self) -> Array:
        """Return for each of FREQUENCIES the largest gain, from 1 to 8, up to which the loop is stable; 0 for none.

        A controller's model that is 50 % too heavy is a gain of 1.5, a robot half as heavy as its model one of 2.
        """
        with one_blas_thread():
            return np.array([gain_margin(elastic(self.rigid, self.M_q, self.rotors, f)) for f in FREQUENCIES.tolist()])

    def lowest(self, gain: float) -> float:
        """Return the lowest mode, between 100 and 3000 Hz, above which the loop is stable with this gain [Hz]."""

        def stable(hertz: float) -> bool:
            return elastic(self.rigid, self.M_q, self.rotors, hertz).radius(gain=gain) <= STABLE

        with one_blas_thread():
            return float(np.exp(last_good(lambda x: stable(float(np.exp(x))), np.log(3000.0), np.log(100.0))))


def elastic(rigid: LinearLoop, M_q: Array, rotors: Array, hertz: float) -> LinearLoop:
    """Return the loop with springs and dampers between rotors r and arms q; its states are [r, q, r_dot, q_dot].

    hertz: frequency of a rotor against what it drives, the other motors held [Hz]

    M_r r_ddot = tau - K (r - q) - D (r_dot - q_dot)        (M_q - M_r) q_ddot = K (r - q) + D (r_dot - q_dot) + rest
    """
    count = len(rotors)
    M_r, M_arm = rotors, np.diag(M_q) - rotors
    reduced = M_r * M_arm / (M_r + M_arm)
    k = reduced * (2 * np.pi * hertz) ** 2
    d = 2 * DAMPING * reduced * 2 * np.pi * hertz
    behind = np.asarray(np.linalg.inv(M_q - np.diag(M_r)), float)
    stiffness, damping = _coupled(k, M_r, behind), _coupled(d, M_r, behind)
    to_q = np.linalg.inv(rigid.J)
    n = rigid.A.shape[0] // 2
    rest = rigid.J @ rigid.A[n:, :n] @ to_q, rigid.J @ rigid.A[n:, n:] @ to_q
    share = behind @ M_q
    A = np.zeros((4 * count, 4 * count))
    A[: 2 * count, 2 * count :] = np.eye(2 * count)
    A[2 * count :, : 2 * count], A[2 * count :, 2 * count :] = stiffness, damping
    A[3 * count :, count : 2 * count] += share @ rest[0]
    A[3 * count :, 3 * count :] += share @ rest[1]
    B = np.zeros((4 * count, count))
    B[2 * count : 3 * count] = np.diag(1 / M_r)
    return replace(rigid, A=A, B=B, J=np.eye(count, 2 * count))


def _coupled(k: Array, M_r: Array, behind: Array) -> Array:
    """Return the matrix from [r, q] to the accelerations of rotors and arms under springs (or dampers) k."""
    K = np.diag(k)
    return np.block([[-K / M_r[:, None], K / M_r[:, None]], [behind @ K, -behind @ K]])
