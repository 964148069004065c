"""Numbers and matrices as [Sinatra2009] prints them, and what follows from them without a robot model."""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array

ALPHA_0 = np.pi / 36
"""Angle of leg A's place on the base from the x axis [rad]; that on the platform follows from it."""
L_0, l_0, l_3 = 0.6, 0.3, 0.5
"""Radii of the guide points on the base and of the ball joints on the platform, and length of a leg, eq. (24) [m]."""
LEG_MASS = 0.398
"""Mass of a leg, eq. (24) [kg]."""
LEG_INERTIA = 0.0722
"""Moment of inertia across the leg, eq. (24) [kg m^2]."""
LEGS = "ABCDEF"
"""Names of the legs, one letter each."""

_U1, _U2, _U3 = np.eye(3)
_THETA_1 = np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
_THETA_2 = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
_THETA_3 = np.diag([-1.0, -1.0, 1.0])


def loop_gap(transposed: bool) -> float:
    """Return the distance by which leg A misses the platform at home, eq. (7) with all displacements zero [m].

    transposed: with the transpose on a_2alpha that eq. (2) prints, or without it
    """
    l_1 = np.sqrt(2) * (L_0 - l_0) * np.sin(np.pi / 3 - ALPHA_0)
    beta_0 = np.arcsin((L_0 - l_0) / l_1)
    beta = np.arcsin(2 * l_0 / l_3 * np.sin(np.pi / 6 - ALPHA_0))
    a_1, a_2, a_3 = (_about_z(angle) for angle in (ALPHA_0, -np.pi / 3 - ALPHA_0, np.pi / 3 - 2 * ALPHA_0))
    c, s = np.cos(beta_0), np.sin(beta_0)
    a_beta_0 = np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])
    a_10 = a_beta_0 @ _THETA_3 @ a_1
    a_21 = _THETA_1 @ (a_2.T if transposed else a_2) @ a_beta_0.T
    a_30 = _about_z(beta) @ _THETA_1 @ _THETA_2 @ a_21 @ a_10
    ball = L_0 * a_1.T @ _U1 + l_1 * a_10.T @ _U3 + l_3 * a_30.T @ _U2
    centre = np.array([0.0, 0.0, l_1 * np.cos(beta_0) + l_3 * np.cos(beta)])
    return float(np.linalg.norm(ball - l_0 * a_1.T @ a_3.T @ _U1 - centre))


def largest_leg_inertia(centre: float) -> float:
    """Return the largest moment about an end that a mass along the leg can have with its centre there [kg m^2].

    All of it is then at the two ends: m c l. centre: distance c from that end [m]
    """
    return LEG_MASS * centre * l_3


def nearest_centre() -> float:
    """Return how far from its joint a leg's centre of mass must be at least, to have the printed inertia about it [m].

    It solves m c l = I.
    """
    return LEG_INERTIA / (LEG_MASS * l_3)


def _about_z(angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
