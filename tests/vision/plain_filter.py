"""A Kalman filter over regions of interest written the plain way, to test observers with: numpy, the whole covariance
in Joseph's form, and derivatives by differences. Nothing of `parakin.vision.observers.filtering` is used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array
from parakin.vision import ObserverSettings, Offsets, Region, Rig, Sightings, offsets_at

STEP = 1e-3
"""Step of the differences [m, rad]: with six points their truncation and their rounding are both near 1e-13."""
LARGE_STEP = 10.0
"""Step of differences by excess and disturbance, in which a step of time is linear."""
WEIGHTS = ((-3, -1 / 60), (-2, 9 / 60), (-1, -45 / 60), (1, 45 / 60), (2, -9 / 60), (3, 1 / 60))
"""Steps and weights of a central difference of sixth order."""


@dataclass(frozen=True)
class Plain:
    """A state of the filter: radii (less those of the rig), excess, disturbance, pose, velocity, and the covariance of
    their errors."""

    radii: Array
    excess: float
    disturbance: Array
    pose: Array
    velocity: Array
    P: Array


def moved(rig: Rig, pose: Array, twist: Array) -> Array:
    """Return a pose after a small displacement, as the motion type says: by a quaternion of first order."""
    quaternion = rig.robot.motion_type.quaternion
    if quaternion is None:
        return pose + twist
    w, x, y, z = pose[quaternion]
    a, b, c = 0.5 * twist[3:]
    turned = np.array(
        [w - a * x - b * y - c * z, x + a * w + b * z - c * y, y + b * w + c * x - a * z, z + c * w + a * y - b * x]
    )
    return np.concatenate([pose[:3] + twist[:3], turned / np.linalg.norm(turned)])


def between(rig: Rig, start: Array, goal: Array) -> Array:
    """Return the twist that leads from one pose to another nearby."""
    quaternion = rig.robot.motion_type.quaternion
    if quaternion is None:
        return goal - start
    w, v = start[quaternion][0], -start[quaternion][1:]
    W, V = goal[quaternion][0], goal[quaternion][1:]
    return np.concatenate([goal[:3] - start[:3], 2 * (W * v + w * V + np.cross(V, v))])


def predicted(rig: Rig, state: Plain, tau: Array, dt: float, settings: ObserverSettings) -> Plain:
    """Return the state a time dt later."""
    robot, n, rods = rig.robot, rig.robot.degrees_of_freedom, len(rig.rods)
    a = robot.forward_dynamics(state.pose, state.velocity, tau)
    lasting = np.exp(-dt / np.array([settings.acceleration_memory, *([settings.disturbance_memory] * n)]))

    T = settings.disturbance_memory

    def stepped(excess: float, disturbance: Array, pose: Array, velocity: Array) -> tuple[float, Array, Array, Array]:
        a_k, share = (1 + excess) * a, -np.expm1(-dt / T)
        way = velocity * dt + a_k * dt * dt / 2 + T * (dt - T * share) * disturbance
        return (
            excess * lasting[0],
            disturbance * lasting[1:],
            moved(rig, pose, way),
            velocity + a_k * dt + T * share * disturbance,
        )

    after = stepped(state.excess, state.disturbance, state.pose, state.velocity)

    def error(e: Array) -> Array:
        there = moved(rig, state.pose, e[1 + n : 1 + 2 * n])
        other = stepped(state.excess + e[0], state.disturbance + e[1 : 1 + n], there, state.velocity + e[1 + 2 * n :])
        off = [np.array([other[0] - after[0]]), other[1] - after[1], between(rig, after[2], other[2])]
        return np.concatenate([*off, other[3] - after[3]])

    F = np.eye(len(state.P))
    F[rods:, rods:] = slopes(error, np.array([LARGE_STEP] * (1 + n) + [STEP] * (2 * n)))
    lengths = np.array(robot.motion_type.scale(robot.length))
    turning = np.arange(n) >= len(robot.motion_type.linear)
    sizes = np.array([np.linalg.norm(a[turning == turns]) for turns in turning])
    s = settings.disturbance_deviation / lengths + settings.disturbance_share * sizes
    unknown = np.array([settings.acceleration_share, *s]) ** 2 * (1 - lasting**2)
    Q = np.diag(np.concatenate([np.full(rods, settings.radius_drift**2 * dt), unknown, np.zeros(2 * n)]))
    # What white noise of density 2 s^2/T does to pose and velocity, q dt^5/20, q dt^4/8 and q dt^3/3, less what goes
    # with the mean of the disturbance; and that.
    for k in range(n):
        i, places = rods + 1 + k, [rods + 1 + n + k, rods + 1 + 2 * n + k]
        mean = np.array([dt**2 / 6, dt / 2])
        q = 2 * s[k] ** 2 / T
        Q[np.ix_(places, places)] = q * np.array([[dt**5 / 20, dt**4 / 8], [dt**4 / 8, dt**3 / 3]])
        Q[np.ix_(places, places)] += (Q[i, i] - q * dt) * np.outer(mean, mean)
        Q[i, places] = Q[places, i] = Q[i, i] * mean
    return Plain(state.radii, *after, F @ state.P @ F.T + Q)


def slopes(function: Callable[[Array], Array], steps: Array) -> Array:
    """Return the derivative of a function at zero by differences with steps (size,) (values, size)."""
    columns = [sum(weight * function(k * step) for k, weight in WEIGHTS) for step in np.diag(steps)]
    return np.stack(columns, axis=-1) / steps


def corrected(rig: Rig, state: Plain, region: Region, settings: ObserverSettings) -> tuple[Plain, int]:
    """Return the state after a region, and how many of its points were refused; gates are those of tracking."""
    n, rods = rig.robot.degrees_of_freedom, len(rig.rods)
    first = rods + 1 + n
    nominal = np.array([rod.radius for rod in rig.rods])

    def offsets(m: Array, e: Array) -> Offsets:
        number = np.full(4, int(region.rod))
        camera, side = np.full(4, int(region.camera)), np.array([0, 0, 1, 1])
        seen = Sightings(camera, number, side, m, region.deviation, np.zeros(4))
        pose = moved(rig, state.pose, e[rods:])
        return offsets_at(rig, pose, seen, nominal + state.radii + e[:rods])

    nothing = np.zeros(rods + n)
    distance = offsets(region.m, nothing).distance
    # Distances are linear in the point: where the nearest point of the contour is follows from two differences.
    steps = 1e-2 * np.eye(2)
    gradient = np.stack([(offsets(region.m + step, nothing).distance - distance) / 1e-2 for step in steps], axis=-1)
    foot = region.m - distance[:, None] * gradient
    here = offsets(foot, nothing)
    by_radii, by_pose = np.split(slopes(lambda e: offsets(foot, e).distance, np.full(rods + n, STEP)), [rods], axis=-1)
    lengths = np.array(rig.robot.motion_type.scale(rig.robot.length))
    spread = lengths**2 @ np.diag(state.P)[first : first + n]
    # The error of the time stamp stands last, and is left out again.
    by_time = -by_pose @ state.velocity[:, None]
    H = np.concatenate([by_radii, np.zeros((4, 1 + n)), by_pose, np.zeros((4, n)), by_time], axis=-1)
    P = np.diag(np.append(np.zeros(len(state.P)), settings.time_deviation**2))
    P[:-1, :-1] = state.P
    e, refused = np.zeros(len(P)), 0
    if torn(P, H, -distance, region.deviation, settings.gate):
        return state, 4
    for k in range(4):
        variance = region.deviation[k] ** 2 + (settings.curvature * spread / here.Z[k] ** 2) ** 2
        h, missing = H[k], -distance[k] - H[k] @ e
        total = variance + h @ P @ h
        if missing**2 > settings.gate**2 * total:
            refused += 1
            continue
        gain = P @ h / total
        rest = np.eye(len(P)) - np.outer(gain, h)
        P, e = rest @ P @ rest.T + variance * np.outer(gain, gain), e + gain * missing
    pose = moved(rig, state.pose, e[first : first + n])
    velocity = state.velocity + e[first + n : first + 2 * n]
    unknown = state.excess + float(e[rods]), state.disturbance + e[rods + 1 : first]
    return Plain(state.radii + e[:rods], *unknown, pose, velocity, P[:-1, :-1]), refused


def torn(P: Array, H: Array, missing: Array, deviation: Array, gate: float) -> bool:
    """Return whether the rod is not as wide as it can be while neither contour alone is off."""
    weights = np.array([[0.5, 0.5, 0.5, 0.5], [0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5]])
    variance = np.diag(weights @ (H @ P @ H.T + np.diag(deviation**2)) @ weights.T)
    width, *sides = (weights @ missing) ** 2 > gate**2 * variance
    return bool(width and not any(sides))
