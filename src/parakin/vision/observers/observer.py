"""An observer follows a moving robot through regions of interest, each with its own time: pose, velocity, radii.

It is a Kalman filter (`filtering`) with the acceleration of the robot's model. What it knows is a value, `Tracked`, and
every step gives a new one: one state for a control loop, any leading shape for a Monte Carlo.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array
from parakin.control.estimators.square_root import root_of_deviations
from parakin.errors import VisionError
from parakin.kernels import Kernel
from parakin.kinematics.status import Status
from parakin.robot.loading import closed_description
from parakin.robot.results import Elements
from parakin.vision.observers.filtering import OBSERVER
from parakin.vision.observers.health import FIRST_HEALTH
from parakin.vision.observers.ideal_regions import Region
from parakin.vision.observers.kernels import BELIEF, ahead_kernel, encoder_kernel, follow_kernel, region_kernel
from parakin.vision.observers.settings import ObserverSettings
from parakin.vision.observers.tracked import Tracked
from parakin.vision.rigs.rig import Rig
from parakin.vision.rigs.rods import rod_lines

NO_ROD = -1.0
"""Number of a rod that no rod has: a region without points, after which only time has passed."""


@dataclass(frozen=True, eq=False)
class Observer:
    """A filter that follows the robot of a rig through regions of interest, with the acceleration of its model.

    >>> observer = pk.vision.Observer(rig)
    >>> tracked = observer.first(robot.home, position_deviation=1e-3)
    >>> tau = robot.static_forces(robot.home)
    >>> for k in range(8):
    ...     region = pk.vision.region_at(rig, robot.home, rod=k % 4, place=0.4)
    ...     tracked = observer.step(tracked, region, tau, time=(k + 1) / 4000)
    ...
    >>> tracked.status.name
    'TRACKING'
    """

    rig: Rig
    """Which rods of which robot which cameras look at."""
    settings: ObserverSettings = field(default_factory=ObserverSettings)
    """What it is tuned by."""

    def __post_init__(self) -> None:
        closed_description(self.rig.robot, OBSERVER)

    @property
    def kernel(self) -> Kernel:
        """The compiled step of one region, for control loops that bind it: belief, dt, tau, region -> belief.

        >>> bound = observer.kernel.bind()
        >>> sorted(bound.outputs)
        ['corrections', 'disturbance', 'excess', 'health', 'pose', 'root', 'velocity']
        """
        return region_kernel(self.rig)

    def first(
        self,
        pose: ArrayLike,
        velocity: ArrayLike | None = None,
        *,
        position_deviation: float = 1e-2,
        velocity_deviation: float = 1.0,
        time: float = 0.0,
    ) -> Tracked:
        """Return what an observer knows in the beginning: a pose and a velocity (none by default), and how well.

        Deviations are of each component [m, m/s]; those of turns are these over the robot's length. An observer that is
        lost begins anew in the same way, from a pose that was estimated by other means; it must be one that the robot
        can have.

        >>> observer.first(robot.home).status.name
        'LOST'
        """
        robot, rods = self.rig.robot, self.rig.rods
        poses = _numbers("pose", pose, len(robot.home))
        n = robot.degrees_of_freedom
        given = np.zeros(n) if velocity is None else _numbers("velocity", velocity, n)
        if (rod_lines(self.rig, poses).status != Status.GOOD).any():
            raise VisionError("observer", "pose", f"must be one that {robot.name} can have, got {poses}")
        lead = np.broadcast_shapes(poses.shape[:-1], given.shape[:-1])
        for name, value in (("position_deviation", position_deviation), ("velocity_deviation", velocity_deviation)):
            if not 0 < value < np.inf:
                raise VisionError("observer", name, f"must be finite and > 0, got {value!r}")
        each = 1 / np.array(robot.motion_type.scale(robot.length))
        known = np.array([rod.radius_deviation for rod in rods])
        sizes = (self.settings.disturbance_deviation, position_deviation, velocity_deviation)
        share = np.array([self.settings.acceleration_share])
        deviations = np.concatenate([known, share, *(size * each for size in sizes)])
        health = np.array(FIRST_HEALTH)
        unknown = [np.zeros(len(rods)), np.zeros(()), np.zeros(n)]
        values = [poses, given, *unknown, root_of_deviations(deviations), health]
        parts = [np.broadcast_to(value, (*lead, *value.shape[-1:])) for value in values]
        return Tracked(self.rig, np.full(lead, time), *parts)

    def step(self, tracked: Tracked, region: Region, tau: ArrayLike, time: ArrayLike) -> Tracked:
        """Return what is known after one region, seen at a time [s], with actuator forces tau since the step before.

        >>> region = pk.vision.region_at(rig, robot.home, rod=1, place=0.4)
        >>> later = observer.step(tracked, region, robot.static_forces(robot.home), time=float(tracked.time) + 2.5e-4)
        >>> int(later.accepted - tracked.accepted)
        4
        """
        dt = _passed(tracked, time)
        told = {"dt": dt, "tau": np.asarray(tau, float), "settings": self.settings.values} | _shown(region)
        return _tracked(tracked, dt, region_kernel(self.rig).evaluate(tracked.belief() | told))

    def wait(self, tracked: Tracked, tau: ArrayLike, time: ArrayLike) -> Tracked:
        """Return what is known at a later time [s] without anything that was seen, with forces tau in between.

        >>> later = observer.wait(tracked, robot.static_forces(robot.home), time=float(tracked.time) + 2e-3)
        >>> bool(np.all(later.deviation[4:] > tracked.deviation[4:]))
        True
        """
        nothing = Region(np.zeros(()), np.array(NO_ROD), np.zeros((4, 2)), np.zeros(4))
        return self.step(tracked, nothing, tau, time)

    def read(self, tracked: Tracked, q: ArrayLike, deviation: ArrayLike, tau: ArrayLike, time: ArrayLike) -> Tracked:
        """Return what is known after encoders read positions q with standard deviations [m or rad], in the same filter.

        NaN, or a deviation of 0, is a position that was not read.

        >>> q, tau = robot.inverse_kinematics(robot.home), robot.static_forces(robot.home)
        >>> later = observer.read(tracked, q, 1e-5 * np.ones(4), tau, time=float(tracked.time) + 1e-3)
        >>> later.status.name
        'TRACKING'
        """
        dt = _passed(tracked, time)
        told = {"dt": dt, "tau": np.asarray(tau, float), "settings": self.settings.values}
        told |= {"q": np.asarray(q, float), "deviation": np.asarray(deviation, float)}
        return _tracked(tracked, dt, encoder_kernel(self.rig).evaluate(tracked.belief() | told))

    def follow(self, tracked: Tracked, regions: Region, tau: ArrayLike, times: ArrayLike) -> Tracked:
        """Return what is known after each of many regions (..., regions), in one compiled call.

        tau: forces before each of them (..., regions, m); times: when each was seen (..., regions) [s].

        >>> poses = np.tile(robot.home, (8, 1))
        >>> regions = pk.vision.region_at(rig, poses, rod=0, place=0.4)
        >>> tau, times = robot.static_forces(poses), np.arange(1, 9) / 4000
        >>> observer.follow(observer.first(robot.home), regions, tau, times).pose.shape
        (8, 4)
        """
        given = np.asarray(times, float)
        lead = np.broadcast_shapes(given.shape[:-1], tracked.time.shape)
        stamps = np.broadcast_to(given, (*lead, given.shape[-1]))
        dt = np.diff(stamps, axis=-1, prepend=np.broadcast_to(tracked.time, lead)[..., None])
        if not (dt >= 0).all():
            raise VisionError("observer", "times", "must be numbers that do not run backwards")
        told = {"dt": dt, "tau": np.asarray(tau, float), "settings": self.settings.values} | _shown(regions)
        out = follow_kernel(self.rig).evaluate(tracked.belief() | told)
        return Tracked(self.rig, np.broadcast_to(stamps, out["pose"].shape[:-1]), *(out[name] for name in BELIEF))

    def ahead(self, tracked: Tracked, taus: ArrayLike, latency: float) -> tuple[Array, Array]:
        """Return pose and velocity a latency [s] later, in which forces taus (..., steps, m) acted one after the other.

        What a camera shows is old when it is known; forces that were given meanwhile tell what became of it.

        >>> pose, velocity = observer.ahead(tracked, np.tile(robot.static_forces(robot.home), (2, 1)), latency=2e-3)
        >>> bool(np.abs(pose - tracked.pose).max() < 1e-4)  # it stands still
        True
        """
        forces = np.asarray(taus, float)
        if forces.ndim < 2 or not forces.shape[-2]:
            reason = (
                f"must be (..., steps, {len(self.rig.robot.actuator_names)}) with a step at least, got {forces.shape}"
            )
            raise VisionError("observer", "taus", reason)
        if not 0 <= latency < np.inf:
            raise VisionError("observer", "latency", f"must be finite and >= 0 s, got {latency!r}")
        out = ahead_kernel(self.rig)(
            pose=tracked.pose,
            velocity=tracked.velocity,
            excess=tracked.excess,
            disturbance=tracked.disturbance,
            tau=forces,
            dt=latency / forces.shape[-2],
            settings=self.settings.values,
        )
        return out["pose"], out["velocity"]

    def elements(self, tracked: Tracked, acceleration: ArrayLike) -> dict[str, Array]:
        """Return the states of all elements as observed, for `Robot.inverse_dynamics_observed`.

        acceleration: the platform's, as a control law wants it, or the model's: `Robot.forward_dynamics`.

        >>> tau = robot.static_forces(robot.home)
        >>> seen = observer.elements(tracked, robot.forward_dynamics(tracked.pose, tracked.velocity, tau))
        >>> bool(np.allclose(robot.inverse_dynamics_observed(seen), tau))
        True
        """
        found: Elements = self.rig.robot.elements(tracked.pose, tracked.velocity, acceleration)
        return asdict(found)


def _shown(region: Region) -> dict[str, Array]:
    return {"camera": region.camera, "rod": region.rod, "m": region.m, "deviation": region.deviation}


def _passed(tracked: Tracked, time: ArrayLike) -> Array:
    """Return the time since the last step [s], which must not be negative."""
    dt = np.asarray(time, float) - tracked.time
    if not (dt >= 0).all():
        raise VisionError("observer", "time", f"must not be before that of the last step, got {np.min(dt):.3g} s")
    return dt


def _numbers(name: str, values: ArrayLike, count: int) -> Array:
    """Return finite numbers (..., count)."""
    given = np.asarray(values, float)
    if given.ndim == 0 or given.shape[-1] != count or not np.isfinite(given).all():
        raise VisionError("observer", name, f"must be {count} finite numbers (..., {count}), got {given}")
    return given


def _tracked(before: Tracked, dt: Array, out: Mapping[str, Array]) -> Tracked:
    time = np.broadcast_to(before.time + dt, out["pose"].shape[:-1])
    return Tracked(before.rig, time, *(out[name] for name in BELIEF))
