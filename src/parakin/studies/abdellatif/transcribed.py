"""Eqs. (5) to (11) of [Abdellatif2005] for PaLiDA, line by line and shortened: what does the mass matrix cost?

Nothing of parakin's formulations is used; only what is computed twice is computed once. Let r be the position of a
strut's end from its Cardan joint, y the joint's first axis and n = r/|r|. Ring, stator and slider move by three rates:

    ring about y           p/|p|^2,                  p = y x r
    strut about p          b/|r|,                    b b^T = I - n n^T - p p^T/|p|^2
    slider along n         n

Eq. (5) adds up the bodies with their Jacobians, eq. (11). All these have the three rows above, so that the sum is
diagonal in them; what it takes then, and not by bodies, is much less. The paper says that it needs the Jacobians'
"analytical form", not how far it is worked out, so that both are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import casadi as ca
import numpy as np

from parakin.description import Leg, RobotDescription, expanded_legs
from parakin.dynamics.count import Count, paper_count
from parakin.spatial import skew, symmetric

StrutMass = Callable[[Leg, ca.SX], ca.SX]
"""From a strut and the position r of its end to R_j^0 M_j R_0^j, its mass matrix by the velocity of its end."""


def palida_mass(description: RobotDescription, position: ca.SX, R: ca.SX, strut_mass: StrutMass) -> ca.SX:
    """Return the mass matrix of a hexapod with struts on Cardan joints, upper triangle, from position and rotation.

    [Abdellatif2005] eq. (7).
    """
    parts: list[ca.SX] = []
    for leg in expanded_legs(description):
        r_B = R @ np.array(leg.attachment.b)
        r = position + r_B - np.array(leg.root)  # eq. (8)
        parts.append(_lifted(strut_mass(leg, r), r_B))
    for body in description.platform.bodies:
        rotational = R @ ca.diag(np.diag(body.inertia)) @ R.T
        parts += [_lifted(body.mass * ca.SX.eye(3), R @ np.array(body.b)), ca.diagcat(ca.SX.zeros(3, 3), rotational)]
    return ca.triu(sum(parts, ca.SX.zeros(6, 6)))


def transcribed_counts(description: RobotDescription) -> dict[str, Count]:
    """Return reading -> operations of the mass matrix from position and rotation matrix."""
    position, R = ca.SX.sym("position", 3), ca.SX.sym("R", 3, 3)
    counts: dict[str, Count] = {}
    for reading, strut_mass in READINGS.items():
        M = ca.densify(palida_mass(description, position, R, strut_mass))
        counts[reading] = paper_count(
            ca.Function("counted", [position, R], [M], ["position", "R"], ["M"], {"cse": True})
        )
    return counts


def _lifted(M_j: ca.SX, r_B: ca.SX) -> ca.SX:
    """Return J_C^T M_j J_C with J_C = [I, -r_B x], eq. (7) and (10)."""
    inertia, lever = symmetric(M_j), -skew(r_B)
    corner = inertia @ lever
    return ca.blockcat([[inertia, corner], [corner.T, lever.T @ corner]])


def _by_bodies(leg: Leg, r: ca.SX) -> ca.SX:
    """Add up m J_T^T J_T + J_R^T I J_R of ring, stator and slider in the strut's own frame, eq. (5) line by line.

    Ring axes: the first and the second axis of the Cardan joint. Strut axes: n, the second axis, across both.
    """
    ring, stator, slider = leg.elements[0].bodies
    y = _first_axis(leg)
    R_0 = np.array([np.cross(y, [0.0, 0.0, 1.0]), y, [0.0, 0.0, 1.0]])  # eq. (6); y is horizontal
    x = R_0 @ r
    across = ca.sqrt(x[0] ** 2 + x[2] ** 2)
    length = ca.sqrt(x[0] ** 2 + x[2] ** 2 + x[1] ** 2)
    cos_1, sin_1, cos_2, sin_2 = x[0] / across, x[2] / across, across / length, x[1] / length
    about_first = ca.horzcat(-sin_1, 0, cos_1) / across
    about_second = ca.horzcat(-sin_2 * cos_1, cos_2, -sin_2 * sin_1) / length
    nothing = ca.SX.zeros(1, 3)
    J_R_ring = ca.vertcat(-about_first, nothing, nothing)
    J_R = ca.vertcat(-sin_2 * about_first, about_second, -cos_2 * about_first)
    out = length + slider.com[0]
    J_T_stator = stator.com[0] * ca.vertcat(nothing, cos_2 * about_first, about_second)
    J_T_slider = ca.vertcat(x.T / length, out * cos_2 * about_first, out * about_second)
    M_j = _rotational(J_R_ring, ring.inertia)
    for body, J_T in ((stator, J_T_stator), (slider, J_T_slider)):
        M_j += body.mass * (J_T.T @ J_T) + _rotational(J_R, body.inertia)
    return R_0.T @ symmetric(M_j) @ R_0


def _rotational(J_R: ca.SX, inertia: tuple[tuple[float, ...], ...]) -> ca.SX:
    return J_R.T @ (ca.diag(np.diag(inertia)) @ J_R)


def _by_rates(leg: Leg, r: ca.SX) -> ca.SX:
    """Add up what belongs to one rate first, in base axes, so that the constant rotation of eq. (6) is in y."""
    ring, stator, slider = leg.elements[0].bodies
    p = ca.cross(ca.SX(_first_axis(leg)), r)
    across, squared = ca.dot(p, p), ca.dot(r, r)
    (I_ring, *_), I_stator, I_slider = (np.diag(body.inertia) for body in (ring, stator, slider))
    about_x, about_y, about_z = (one + other for one, other in zip(I_stator, I_slider, strict=True))
    arms = stator.mass * stator.com[0] ** 2 + slider.mass * (ca.sqrt(squared) + slider.com[0]) ** 2
    normal = across / squared  # square of y's component across the strut
    I_ring_axis = I_ring + about_x * (1 - normal) + (about_z + arms) * normal
    across_strut = (about_y + arms) / squared
    ring_part = (I_ring_axis / across - across_strut) / across * p @ p.T
    return across_strut * ca.SX.eye(3) + ring_part + (slider.mass - across_strut) / squared * r @ r.T


def _first_axis(leg: Leg) -> np.ndarray:
    axis = leg.elements[0].joint.axis
    assert axis is not None
    return np.array(axis)


READINGS: Mapping[str, StrutMass] = {"terms of each rate collected": _by_rates, "body by body": _by_bodies}
"""How far eq. (5) is worked out before it is computed."""
