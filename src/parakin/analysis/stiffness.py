"""How stiffly a robot holds its platform, and how it vibrates, with its motors standing still.

Of a robot at rest under gravity, with compliance C_q of its actuators (`compliance`) and forces tau that hold it, a
force f on the platform moves it by dx:

    J_qv^T lambda + K_g dx = f,    J_qv dx = C_q lambda,    K_g = J_qv^T dtau/dx

K_g is what gravity, springs and the turning of loaded legs add; tau = tau(x) are the static forces. Where everything is
elastic this is K dx = f with K = J_qv^T C_q^-1 J_qv + K_g. Rigid drives have no C_q and need no K.
"""

from __future__ import annotations

import numpy as np

from parakin.analysis.compliance import actuator_compliance, closed_forms
from parakin.analysis.options import Options, directions_of
from parakin.analysis.quantity import Found, GoodPoses
from parakin.analysis.reason import Reason
from parakin.arrays import Array
from parakin.robot import Robot

INDEFINITE = 1e-9
"""A compliance below minus this share of the largest is negative, and not rounding."""


def holds(robot: Robot, _options: Options) -> str | None:
    """Return why a robot has no stiffness: fewer motors than freedoms, or elements whose elongation is not known."""
    motors, freedoms = len(robot.actuators), robot.degrees_of_freedom
    if motors < freedoms:
        return f"{motors} motors do not hold {freedoms} freedoms: drive more joints"
    elastic = any(element.stiffness is not None for leg in robot.legs for element in leg.elements)
    return closed_forms(robot, "`stiffness` of elements") if elastic else None


def platform_compliance(poses: GoodPoses) -> Array:
    """Return the compliance of the platform (N, n, n), dx = C_x f, motors held still.

    The upper left block of the inverse of [[K_g, J_qv^T], [J_qv, -C_q]].
    """
    J_qv, C_q = poses.jacobian, actuator_compliance(poses)
    tau_x = poses.robot.derivatives("static_forces", by=("pose",), near=poses.near, pose=poses.poses)["tau", "pose"]
    J_T = np.swapaxes(J_qv, 1, 2)
    n = J_qv.shape[2]
    saddle = np.concatenate([np.concatenate([J_T @ tau_x, J_T], axis=2), np.concatenate([J_qv, -C_q], axis=2)], axis=1)
    C_x = np.linalg.inv(saddle)[:, :n, :n]
    return 0.5 * (C_x + np.swapaxes(C_x, 1, 2))


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

    K phi = w^2 M' phi with M' = M - J_qv^T diag(n^2 I_rotor) J_qv; 1/w^2 are the eigenvalues of C_x M'.
    """
    J_qv = poses.jacobian
    rotors = np.array([one.gear_ratio**2 * one.rotor_inertia for one in poses.robot.actuators])
    mass = poses.mass - np.swapaxes(J_qv, 1, 2) @ (rotors[:, None] * J_qv)
    C_x = platform_compliance(poses)
    values, vectors = np.linalg.eigh(C_x)
    root = vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]
    slowest = np.linalg.eigvalsh(np.swapaxes(root, 1, 2) @ mass @ root)[:, -1]
    with np.errstate(divide="ignore"):
        hertz = 1 / (2 * np.pi * np.sqrt(np.maximum(slowest, 0.0)))
    return poses.flagged(hertz, _indefinite(poses, C_x), Reason.UNSTABLE)


def _indefinite(poses: GoodPoses, C_x: Array) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Return where a compliance (N, n, n) has a negative eigenvalue, turns scaled by the characteristic length."""
    scale = directions_of(poses.robot, Options(space="all", length=poses.options.length)).pushes
    values = np.linalg.eigvalsh(scale @ C_x @ scale)
    return np.asarray(values[:, 0] < -INDEFINITE * np.abs(values).max(axis=1))
