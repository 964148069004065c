"""An observer in a closed loop that is run tick by tick: single runs with rendered pictures, or whatever else sees."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.control import Law, Reference
from parakin.motions.offsets import displaced
from parakin.robot import Robot
from parakin.simulation import Log, simulate_with
from parakin.vision.loops.sensing import FIRST_POSITION, FIRST_VELOCITY
from parakin.vision.loops.watching import Watching
from parakin.vision.observers.ideal_regions import Region
from parakin.vision.observers.observer import Observer
from parakin.vision.observers.tracked import Tracked


@frozen_arrays
class Glance:
    """What a camera is asked for: a region of interest where a rod is believed, of a robot that is somewhere.

    >>> glance = pk.vision.Glance(0, 0, 1, 0.6, believed=robot.home, pose=robot.home, velocity=np.zeros(4))
    >>> pk.vision.Rendered(rig, pk.vision.Appearance())(glance).m.shape
    (4, 2)
    """

    number: int
    """Number of the region since the start."""
    camera: int
    """Number of the camera."""
    rod: int
    """Number of the rod."""
    place: float
    """Where on the rod, as a share of its length from the root."""
    believed: Array
    """Pose at which the observer believes the platform at that time (coordinates,)."""
    pose: Array
    """True pose (coordinates,)."""
    velocity: Array
    """True velocity (freedoms,) [m/s, rad/s]."""


See = Callable[[Glance], Region]
"""What gives the region that a glance shows; points that were not found have a deviation of 0 or NaN."""


def watched_run(
    robot: Robot,
    law: Law,
    reference: Reference,
    observer: Observer,
    see: See,
    *,
    watching: Watching | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Log:
    """Run a closed loop on an observer that is shown region after region by a function, and return its log.

    The loop is that of `camera_sensor` in `simulate`, tick by tick: the same law, plant, turns and latency.

    >>> def see(glance):
    ...     return pk.vision.region_at(rig, glance.pose, rod=glance.rod, place=glance.place)
    ...
    >>> law = pk.control.law("computed_torque_platform", robot, period=2e-3)
    >>> still = pk.control.hold(robot, robot.home, 0.01, law.period)
    >>> log = pk.vision.watched_run(robot, law, still, pk.vision.Observer(rig), see)
    >>> bool(log.platform_errors.max() < 1e-4)
    True
    """
    watched = watching or Watching()
    step, late = 1 / watched.rate, watched.late
    pose, velocity = reference.pose[0], reference.velocity[0]
    before = [displaced(robot.motion_type, pose, -velocity * (k * step)) for k in range(late, 0, -1)]
    tracked = observer.first(
        before[0] if late else pose,
        velocity,
        position_deviation=FIRST_POSITION,
        velocity_deviation=FIRST_VELOCITY,
        time=-late * step,
    )
    holding = robot.static_forces(pose)
    ways = [(way, velocity, holding) for way in [*before[1:], pose][:late]]
    return simulate_with(
        robot,
        law,
        reference,
        _Watcher(observer, see, watched, law.period, tracked, deque(ways)),
        progress=progress,
    )


@dataclass(eq=False)
class _Watcher:
    """An observer between ticks, with what is on its way to it."""

    observer: Observer
    see: See
    watching: Watching
    period: float
    tracked: Tracked
    on_the_way: deque[tuple[Array, Array, Array]]
    """True pose, velocity, and the forces before, of regions that were taken and are not known yet."""
    number: int = field(default=0)

    @property
    def looks(self) -> int:
        return self.watching.looks(self.period)

    def read(self) -> tuple[Array, Array]:
        if not self.watching.late or not self.watching.compensated:
            return self.tracked.pose, self.tracked.velocity
        forces = [self.on_the_way[k][2] for k in self.watching.ahead(self.period)]
        return self.observer.ahead(self.tracked, np.stack(forces), self.watching.latency)

    def look(self, pose: Array, velocity: Array, tau: Array, time: float) -> None:
        self.on_the_way.append((pose, velocity, tau))
        then, rate, forces = self.on_the_way.popleft()
        seen_at = time - self.watching.late / self.watching.rate
        now = self.observer.wait(self.tracked, forces, seen_at)
        turns = self.watching.turns(self.observer.rig)
        region = self.see(Glance(self.number, *turns[self.number % len(turns)], now.pose, then, rate))
        self.tracked = self.observer.step(self.tracked, region, forces, seen_at)
        self.number += 1
