"""Robots in motion before a camera, for tests of observers and for the table of their robustness."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from parakin.arrays import Array
from parakin.vision import Observer, ObserverSettings, Region, Rig, Tracked, region_at

RATE = 4000.0
"""Regions in a second [Hz]."""
SPEED, ACCELERATION = 3.8, 80.0
"""Speed [m/s] and acceleration [m/s^2] of the motion in the plane."""
PLACES = (0.35, 0.8)
"""Where on each rod its two regions are, as a share of its length."""
SETTLING = 800
"""Regions after which errors count: a fifth of a second."""


@dataclass(frozen=True)
class Case:
    """What happens to a robot and its camera."""

    off: float = 0.05
    """By what share the model's acceleration is off: up in half of the lanes, down in the others."""
    disturbance: float = 0.0
    """Acceleration that the model does not know of, as a share of what observers reckon with by default."""
    radius: float = 2e-4
    """Standard deviation of the rods' true radii [m]."""
    noise: float = 0.04
    """True deviation of an edge point [px]; the observer always believes 0.04."""
    dropped: float = 0.0
    """Share of regions that are missing."""
    outliers: float = 0.0
    """Share of regions in which one contour is seen elsewhere."""
    astray: float = 3.0
    """How far such a contour is off [px]."""
    jitter: float = 0.0
    """Standard deviation of the time stamps [s]."""
    blackout: float = 0.0
    """For how long nothing is seen, once, in the middle of the run [s]."""


@dataclass(frozen=True, eq=False)
class Motion:
    """A known motion: poses, velocities and accelerations at times."""

    times: Array
    pose: Array
    velocity: Array
    acceleration: Array


def circling(rig: Rig, times: Array) -> Motion:
    """Return a horizontal circle at full speed and acceleration, on which the platform heaves and, if it can, turns."""
    rate = ACCELERATION / SPEED
    radius = SPEED / rate
    n = rig.robot.degrees_of_freedom
    amplitude, speed = np.zeros(n), np.full(n, rate)
    amplitude[:3], speed[2] = (radius, radius, 0.03), 1.3 * rate
    amplitude[3:], speed[3:] = 0.4, 0.7 * rate
    phase = np.zeros(n)
    phase[0] = np.pi / 2
    angle = times[..., None] * speed + phase
    return Motion(
        times,
        rig.robot.home + amplitude * np.sin(angle),
        amplitude * speed * np.cos(angle),
        -amplitude * speed**2 * np.sin(angle),
    )


def disturbances(rig: Rig, motion: Motion, lanes: int, rng: np.random.Generator) -> Array:
    """Return accelerations (lanes, ticks, n) as observers reckon with them beside those of their model by default."""
    settings, each = ObserverSettings(), np.array(rig.robot.motion_type.scale(rig.robot.length))
    turning = np.arange(len(each)) >= len(rig.robot.motion_type.linear)
    a = motion.acceleration
    sizes = np.stack([np.linalg.norm(a[:, turning == turns], axis=-1) for turns in turning], axis=-1)
    size = settings.disturbance_deviation / each + settings.disturbance_share * sizes
    kept = np.exp(-1 / RATE / settings.disturbance_memory)
    values = size * rng.normal(size=(lanes, *size.shape))
    for k in range(1, len(size)):
        values[:, k] = kept * values[:, k - 1] + np.sqrt(1 - kept**2) * values[:, k]
    return values


def forces(rig: Rig, motion: Motion, off: Array, disturbance: Array) -> Array:
    """Return forces (lanes, times, m) under which the model accelerates by shares (lanes,) more than the robot, and by
    a disturbance (lanes, times, n) less."""
    told = motion.acceleration * (1 + off[:, None, None]) - disturbance
    lanes = (len(off), *motion.pose.shape)
    return rig.robot.inverse_dynamics(
        np.broadcast_to(motion.pose, lanes), np.broadcast_to(motion.velocity, (*lanes[:2], told.shape[-1])), told
    )


def cycle(rig: Rig) -> list[tuple[int, float]]:
    """Return rod and place of each region of a cycle."""
    return [(rod, place) for place in PLACES for rod in range(len(rig.rods))]


def shown(truth: Rig, motion: Motion, radii: Array, rng: np.random.Generator, case: Case) -> Region:
    """Return the regions (lanes, times) that a camera shows of a motion, one after the other through the cycle.

    radii: of the rods in each lane (lanes, rods) [m].
    """
    lanes, ticks = len(radii), motion.pose.shape[-2]
    camera, rod = np.zeros((lanes, ticks)), np.zeros((lanes, ticks))
    m, deviation = np.zeros((lanes, ticks, 4, 2)), np.zeros((lanes, ticks, 4))
    noise = case.noise / 0.04 * rng.normal(size=(lanes, ticks, 4))
    stray = rng.random((lanes, ticks)) < case.outliers
    side = rng.integers(2, size=(lanes, ticks))
    per_edge = 0.04 * np.sqrt(2 / 40)
    for edge in range(2):
        noise[..., 2 * edge : 2 * edge + 2] += (stray & (side == edge))[..., None] * case.astray / per_edge
    turns = cycle(truth)
    for k, (number, place) in enumerate(turns):
        mine = slice(k, None, len(turns))
        own = motion.pose[..., mine, :]
        poses = np.broadcast_to(own, (lanes, *own.shape[-2:]))
        region = region_at(truth, poses, rod=number, place=place, noise=noise[:, mine], radii=radii[:, None, :])
        rod[:, mine], m[:, mine], deviation[:, mine] = number, region.m, region.deviation
    deviation[rng.random((lanes, ticks)) < case.dropped] = 0.0
    if case.blackout:
        middle = ticks // 2
        deviation[:, middle : middle + round(case.blackout * RATE)] = 0.0
    return Region(camera, rod, m, deviation)


@dataclass(frozen=True, eq=False)
class Followed:
    """What an observer made of a motion, in all lanes."""

    tracked: Tracked
    """After each region (lanes, regions)."""
    motion: Motion
    """The true motion."""
    tau: Array
    """Forces before each region (lanes, regions, m)."""
    error: Array
    """True less estimated radii, pose and velocity at the times of the stamps (lanes, regions, k)."""

    @property
    def normalised(self) -> Array:
        """e^T P^-1 e of pose and velocity over their number (lanes, regions): 1 in the mean where all is honest."""
        last = slice(-2 * self.motion.velocity.shape[-1], None)
        P, e = self.tracked.covariance[..., last, last], self.error[..., last]
        return np.einsum("...i,...i->...", e, np.linalg.solve(P, e[..., None])[..., 0]) / e.shape[-1]

    def rms(self, settling: int = SETTLING) -> tuple[float, float, float]:
        """Return errors of position [m], angle [rad] and velocity [m/s], as roots of mean squares."""
        n = self.motion.velocity.shape[-1]
        e = self.error[:, settling:, -2 * n :]
        parts = (e[..., :3], e[..., 3:n], e[..., n : n + 3])
        position, angle, velocity = (float(np.sqrt((part**2).sum(axis=-1).mean())) for part in parts)
        return position, angle, velocity


def follow(
    observer: Observer,
    case: Case,
    *,
    lanes: int = 20,
    regions: int = 2400,
    seed: int = 1,
    truth: Rig | None = None,
    start: tuple[float, float] = (1e-3, 0.1),
) -> Followed:
    """Let an observer follow the circle. start: deviations of the first pose [m] and velocity [m/s]."""
    rig = observer.rig
    rng = np.random.default_rng(seed)
    times = np.arange(regions + 1) / RATE
    motion = circling(rig, times)
    later = Motion(*(getattr(motion, name)[1:] for name in ("times", "pose", "velocity", "acceleration")))
    before = replace(motion, **{name: getattr(motion, name)[:-1] for name in motion.__dataclass_fields__})
    n, each = rig.robot.degrees_of_freedom, np.array(rig.robot.motion_type.scale(rig.robot.length))
    disturbed = case.disturbance * disturbances(rig, before, lanes, np.random.default_rng(seed + 1000))
    tau = forces(rig, before, case.off * np.where(np.arange(lanes) % 2, 1.0, -1.0), disturbed)
    corrections = case.radius * rng.normal(size=(lanes, len(rig.rods)))
    radii = np.array([rod.radius for rod in rig.rods]) + corrections
    seen = shown(truth or rig, later, radii, rng, case)
    pose = motion.pose[0] + start[0] / each * rng.normal(size=(lanes, n))
    velocity = motion.velocity[0] + start[1] / each * rng.normal(size=(lanes, n))
    first = observer.first(pose, velocity, position_deviation=start[0], velocity_deviation=start[1])
    stamps = np.broadcast_to(later.times, (lanes, regions)) + case.jitter * rng.normal(size=(lanes, regions))
    stamps = np.maximum.accumulate(np.maximum(stamps, 0.0), axis=-1)
    tracked, now = observer.follow(first, seen, tau, stamps), circling(rig, stamps)
    radius = corrections[:, None, :] - tracked.corrections
    error = np.concatenate([radius, now.pose - tracked.pose, now.velocity - tracked.velocity], axis=-1)
    return Followed(tracked, later, tau, error)
