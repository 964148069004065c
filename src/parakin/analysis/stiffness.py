"""How stiffly a robot holds its platform, and how it vibrates, with its motors standing still.

Of a robot at rest under gravity, with drives of compliance C_d, elements whose elongations e have the compliance C_e,
and forces tau that hold it, forces f on the platform and h on elongations move it by dx and de:

    J_qv^T lambda + K_g dx = f,    G^T lambda + mu = h,    J_qv dx + G de = C_d lambda,    de = C_e mu

K_g = J_qv^T dtau/dx is what gravity, springs and the turning of loaded legs add; tau = tau(x) are the static forces,
G = dq/de (`compliance`). Where everything is elastic and h = 0 this is K dx = f with

    K = J_qv^T C_q^-1 J_qv + K_g,        C_q = C_d + G C_e G^T.

Rigid drives have no compliance and need no K.
"""

from __future__ import annotations

import numpy as np

from parakin.analysis.compliance import closed_forms, drive_stiffnesses, elastic_elements, elongation_slopes
from parakin.analysis.elongation import elongation_mass
from parakin.analysis.options import Options, directions_of
from parakin.analysis.quantity import Found, GoodPoses
from parakin.analysis.reason import Reason
from parakin.arrays import Array
from parakin.description import Element, Leg
from parakin.robot import Robot

INDEFINITE = 1e-9
"""A compliance below minus this share of the largest is negative, and not rounding."""


def holds(robot: Robot, _options: Options) -> str | None:
    """Return why a robot has no stiffness: fewer motors than freedoms, or elements whose elongation is not known."""
    motors, freedoms = len(robot.actuators), robot.degrees_of_freedom
    if motors < freedoms:
        return f"{motors} motors do not hold {freedoms} freedoms: drive more joints"
    return closed_forms(robot, "`stiffness` of elements") if elastic_elements(robot) else None


def whole_compliance(poses: GoodPoses, elastic: list[tuple[Leg, Element]], G: Array) -> Array:
    """Return the compliance of platform and elongations (N, n + E, n + E), (dx, de) = C (f, h), motors held still.

    The upper left block of the inverse of [[K_g, A^T], [A, -C]] with A = [[J_qv, G], [0, 1]] and C = diag(C_d, C_e).
    """
    J_qv = poses.jacobian
    count, motors, n, E = len(J_qv), J_qv.shape[1], J_qv.shape[2], len(elastic)
    tau_x = poses.robot.derivatives("static_forces", by=("pose",), near=poses.near, pose=poses.poses)["tau", "pose"]
    saddle = np.zeros((count, n + motors + 2 * E, n + motors + 2 * E))
    saddle[:, :n, :n] = np.swapaxes(J_qv, 1, 2) @ tau_x
    A = saddle[:, n + E :, : n + E]
    A[:, :motors, :n], A[:, :motors, n:], A[:, motors:, n:] = J_qv, G, np.eye(E)
    saddle[:, : n + E, n + E :] = np.swapaxes(A, 1, 2)
    stiffnesses = [*drive_stiffnesses(poses.robot, poses.options), *(element.stiffness for _, element in elastic)]
    saddle[:, n + E :, n + E :] = -np.diag([0.0 if value is None else 1 / value for value in stiffnesses])
    C = np.linalg.inv(saddle)[:, : n + E, : n + E]
    return 0.5 * (C + np.swapaxes(C, 1, 2))


def platform_compliance(poses: GoodPoses) -> Array:
    """Return the compliance of the platform (N, n, n), dx = C_x f, motors held still."""
    elastic, n = elastic_elements(poses.robot), poses.robot.degrees_of_freedom
    return whole_compliance(poses, elastic, elongation_slopes(poses, elastic))[:, :n, :n]


def stiffness(poses: GoodPoses) -> Found:
    """Return the force per way in the direction in which the platform yields most [N/m or N m/rad].

    The platform is pushed along the direction and yields as it likes: 1 over the largest eigenvalue of S^T C_x S, or of
    one given direction 1/(u^T C_x u). Turns stay free where forces count, and ways where moments do.
    """
    C_x = platform_compliance(poses)
    pushes = poses.directions.pushes
    yields = np.linalg.eigvalsh(pushes.T @ C_x @ pushes)[:, -1]
    with np.errstate(divide="ignore"):
        return poses.flagged(1 / yields, _indefinite(poses, C_x), Reason.UNSTABLE)


def frequency(poses: GoodPoses) -> Found:
    """Return the lowest eigenfrequency [Hz] with motors held still, so that rotors do not move.

    K phi = w^2 M' phi in the coordinates of platform and elongations, which have inertia of their own (`elongation`),
    with M' = M - J_qv^T diag(n^2 I_rotor) J_qv for the platform's; 1/w^2 are the eigenvalues of C M'.
    """
    J_qv, n = poses.jacobian, poses.robot.degrees_of_freedom
    elastic = elastic_elements(poses.robot)
    G = elongation_slopes(poses, elastic)
    rotors = np.array([one.gear_ratio**2 * one.rotor_inertia for one in poses.robot.actuators])
    own = poses.mass - np.swapaxes(J_qv, 1, 2) @ (rotors[:, None] * J_qv)
    stretching = elongation_mass(poses, elastic, G)
    mass = np.block([[own, stretching.mixed], [np.swapaxes(stretching.mixed, 1, 2), stretching.own]])
    C = whole_compliance(poses, elastic, G)
    values, vectors = np.linalg.eigh(C)
    root = vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]
    slowest = np.linalg.eigvalsh(np.swapaxes(root, 1, 2) @ mass @ root)[:, -1]
    with np.errstate(divide="ignore"):
        hertz = 1 / (2 * np.pi * np.sqrt(np.maximum(slowest, 0.0)))
    return poses.flagged(hertz, _indefinite(poses, C[:, :n, :n]), Reason.UNSTABLE)


def _indefinite(poses: GoodPoses, C_x: Array) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Return where a compliance (N, n, n) has a negative eigenvalue, turns scaled by the characteristic length."""
    scale = directions_of(poses.robot, Options(space="all", length=poses.options.length)).pushes
    values = np.linalg.eigvalsh(scale @ C_x @ scale)
    return np.asarray(values[:, 0] < -INDEFINITE * np.abs(values).max(axis=1))
