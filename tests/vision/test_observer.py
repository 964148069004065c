"""Observers against a filter written the plain way, and what they do with what is missing, wrong or too late."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import parakin as pk
from parakin.arrays import Array
from parakin.errors import UnsupportedRobotError, VisionError
from parakin.vision import Observer, ObserverSettings, ObserverStatus, Region, Rig, Tracked, region_at, two_points
from parakin.vision.observers.health import HEALTH
from tests.vision import plain_filter
from tests.vision.rigs import RIGS, camera, delta, quattro

AGREEING = 1e-8
"""Two filters, in standard deviations: rows by differences are off by 1e-13 or so, and a region that tells four digits
more than was known before makes 1e4 times as much of it; 1e-10 was seen."""
ROUNDING = 1e-12
"""Two orders of the same few operations, as a share."""
RATE = 4000.0
"""Regions in a second [Hz]."""


def started(observer: Observer, pose: Array, velocity: Array) -> Tracked:
    """Return a first state that does not search, for the plain filter has no such state."""
    first = observer.first(pose, velocity, position_deviation=1e-3, velocity_deviation=0.3)
    health = np.where(np.array(HEALTH) == "status", float(ObserverStatus.TRACKING), first.health)
    return replace(first, health=health)


def two_cameras() -> Rig:
    """A Delta before a camera in the middle of its base and one beside it, that looks at the platform."""
    rig, beside = delta(), np.array([0.9, 0.2, -0.5])
    turned = pk.vision.looking_at(beside, rig.robot.home, [0, 1, 0])
    return Rig(rig.robot, (*rig.cameras, camera("beside").placed(beside, turned)), rig.rods)


@pytest.mark.parametrize(
    ("name", "regions"),
    [
        ("quattro", 60),
        pytest.param("quattro", 300, marks=pytest.mark.slow),
        pytest.param("delta", 300, marks=pytest.mark.slow),
        pytest.param("gough_stewart", 300, marks=pytest.mark.slow),
        pytest.param("delta, two cameras", 100, marks=pytest.mark.slow),
    ],
)
def test_the_observer_is_a_plain_kalman_filter(name: str, regions: int) -> None:
    """A root of the covariance, rows in closed form and selects against Joseph's form, differences and branches."""
    rig = two_cameras() if "two" in name else RIGS[name]()
    robot, n = rig.robot, rig.robot.degrees_of_freedom
    rng = np.random.default_rng(3)
    settings = ObserverSettings(time_deviation=2e-5, radius_drift=1e-5)
    observer = Observer(rig, settings)
    pose, velocity = robot.home, 0.2 * rng.normal(size=n)
    tracked = started(observer, plain_filter.moved(rig, pose, 1e-3 * rng.normal(size=n)), velocity)
    plain = plain_filter.Plain(
        tracked.corrections, 0.0, tracked.disturbance, tracked.pose, tracked.velocity, tracked.covariance
    )
    refused, time = 0, 0.0
    for k in range(regions):
        dt = 2.5e-4 * (0.8 + 0.4 * rng.random())
        time += dt
        tau = robot.inverse_dynamics(pose, velocity, 5.0 * np.sin(10 * time + np.arange(n)))
        a = robot.forward_dynamics(pose, velocity, tau) + 0.2 * rng.normal(size=n)
        pose, velocity = plain_filter.moved(rig, pose, velocity * dt + a * dt**2 / 2), velocity + a * dt
        wild = 50 if k % 7 == 5 and k > 25 else 1
        place, rod = float(rng.uniform(0.2, 0.9)), int(rng.integers(len(rig.rods)))
        seen_by = int(rng.integers(len(rig.cameras)))
        region = region_at(rig, pose, rod=rod, place=place, camera=seen_by, noise=wild * rng.normal(size=4))
        tracked = observer.step(tracked, region, tau, time)
        plain = plain_filter.predicted(rig, plain, tau, dt, settings)
        plain, more = plain_filter.corrected(rig, plain, region, settings)
        refused += more
    off = plain_filter.between(rig, plain.pose, tracked.pose)
    unknown = [tracked.excess[None] - plain.excess, tracked.disturbance - plain.disturbance]
    error = np.concatenate([tracked.corrections - plain.radii, *unknown, off, tracked.velocity - plain.velocity])
    deviation = tracked.deviation
    assert refused >= regions // 20
    assert tracked.refused == refused
    assert tracked.status == ObserverStatus.TRACKING
    assert np.abs(error / deviation).max() < AGREEING
    assert np.abs((tracked.covariance - plain.P) / np.outer(deviation, deviation)).max() < AGREEING


def standing(observer: Observer, regions: int = 16) -> Tracked:
    """Return what an observer knows of a robot that stands still at home, after some exact regions."""
    rig = observer.rig
    tracked, tau = observer.first(rig.robot.home, position_deviation=1e-3), rig.robot.static_forces(rig.robot.home)
    for k in range(regions):
        place = (0.35, 0.8)[k // 4 % 2]
        tracked = observer.step(tracked, at_home(rig, k % len(rig.rods), place), tau, (k + 1) / RATE)
    return tracked


def at_home(rig: Rig, rod: int = 0, place: float = 0.5, off: Array | None = None) -> Region:
    """Return a region of the robot at home, or of one that has been moved by an offset."""
    pose = rig.robot.home if off is None else rig.robot.home + off
    return region_at(rig, pose, rod=rod, place=place)


def parts(tracked: Tracked) -> list[Array]:
    return [tracked.pose, tracked.velocity, tracked.corrections, tracked.excess, tracked.disturbance, tracked.root]


def test_points_that_were_not_found_change_nothing() -> None:
    """No deviation, a deviation that is no number, a point that is none, rods and cameras that there are not."""
    observer = Observer(quattro())
    before, region = standing(observer), at_home(quattro())
    tau, time = quattro().robot.static_forces(quattro().robot.home), float(before.time) + 1 / RATE
    waited = observer.wait(before, tau, time)
    nan = np.full(4, np.nan)
    missing = [
        replace(region, deviation=np.zeros(4)),
        replace(region, deviation=nan),
        replace(region, m=nan[:, None] * region.m),
        replace(region, rod=np.array(4.0)),
        replace(region, rod=np.array(0.5)),
        replace(region, camera=np.array(1.0)),
    ]
    for each in missing:
        after = observer.step(before, each, tau, time)
        assert all(np.array_equal(a, b) for a, b in zip(parts(after), parts(waited), strict=True))
        assert after.accepted == before.accepted
    assert observer.step(before, region, tau, time).accepted == before.accepted + 4
    one = replace(region, deviation=np.where(np.arange(4) == 2, region.deviation, 0.0))
    assert observer.step(before, one, tau, time).accepted == before.accepted + 1


def test_many_regions_in_one_call_are_as_many_steps() -> None:
    """Lanes and a scan have the bits of single steps."""
    rig = quattro()
    observer, robot = Observer(rig), rig.robot
    pose = robot.home + 0.01 * np.arange(3)[:, None]
    first = observer.first(pose, position_deviation=1e-3)
    rods = np.arange(9) % 4
    shown = [region_at(rig, pose, rod=int(rod), place=0.5) for rod in rods]
    stacked = {
        name: np.stack([getattr(each, name) for each in shown], 1) for name in ("camera", "rod", "m", "deviation")
    }
    tau = np.broadcast_to(robot.static_forces(pose)[:, None], (3, 9, 4))
    times = np.arange(1, 10) / RATE
    followed = observer.follow(first, Region(**stacked), tau, np.broadcast_to(times, (3, 9)))
    lane = observer.first(pose[1], position_deviation=1e-3)
    for k, region in enumerate(shown):
        one = Region(*(getattr(region, name)[1] for name in stacked))
        lane = observer.step(lane, one, tau[1, k], times[k])
        assert all(np.array_equal(a, b[1, k]) for a, b in zip(parts(lane), parts(followed), strict=True))


def test_encoders_correct_as_information_adds_up() -> None:
    """P^-1 and P^-1 x add up where measurements are linear: J_qv of the robot, positions a little off."""
    rig = quattro()
    observer, robot = Observer(rig), rig.robot
    before = standing(observer)
    tau, time = robot.static_forces(robot.home), float(before.time) + 1e-3
    waited = observer.wait(before, tau, time)
    deviation = np.array([1e-5, 2e-5, 3e-5, 4e-5])
    shift = 1e-5 * np.array([1.0, -2.0, 0.5, 1.0])
    after = observer.read(before, robot.inverse_kinematics(waited.pose) + shift, deviation, tau, time)
    H = np.zeros((4, 17))
    H[:, 9:13] = robot.jacobian(waited.pose)
    information = np.linalg.inv(waited.covariance) + H.T / deviation**2 @ H
    step = np.linalg.solve(information, H.T / deviation**2 @ shift)
    names = ("corrections", "excess", "disturbance", "pose", "velocity")
    off = np.concatenate([np.atleast_1d(getattr(after, name) - getattr(waited, name)) for name in names])
    assert np.abs((off - step) / after.deviation).max() < AGREEING
    scale = np.outer(after.deviation, after.deviation)
    assert np.abs((after.covariance - np.linalg.inv(information)) / scale).max() < AGREEING
    unread = observer.read(before, np.full(4, np.nan), deviation, tau, time)
    for a, b in zip(parts(unread), parts(waited), strict=True):  # two kernels, which need not fuse alike
        assert np.abs(a - b).max() < ROUNDING * np.abs(b).max()


def test_ahead_is_what_waiting_gives() -> None:
    observer = Observer(quattro())
    tracked = replace(standing(observer), velocity=np.array([0.3, -0.2, 0.1, 1.0]))
    robot = quattro().robot
    taus = robot.static_forces(robot.home) * np.array([[1.0], [1.2], [0.9]])
    pose, velocity = observer.ahead(tracked, taus, latency=3e-3)
    for tau in taus:
        tracked = observer.wait(tracked, tau, float(tracked.time) + 1e-3)
    assert np.abs(pose - tracked.pose).max() < ROUNDING
    assert np.abs(velocity - tracked.velocity).max() < ROUNDING


def test_forces_follow_from_observed_elements() -> None:
    """With the model's acceleration [Ozgur2013] gives back the forces that it came from."""
    observer = Observer(quattro())
    tracked, robot = standing(observer), quattro().robot
    tau = 1.3 * robot.static_forces(robot.home)
    seen = observer.elements(tracked, robot.forward_dynamics(tracked.pose, tracked.velocity, tau))
    assert np.abs(robot.inverse_dynamics_observed(seen) / tau - 1).max() < ROUNDING


def test_an_observer_that_sees_something_else_is_lost_and_finds_the_robot_again() -> None:
    """The robot is put 8 mm aside at once: points are refused, the search begins, and the robot is found."""
    rig = quattro()
    observer, robot = Observer(rig), rig.robot
    tracked, tau = standing(observer, 32), robot.static_forces(robot.home)
    assert tracked.status == ObserverStatus.TRACKING
    off = np.array([0.006, -0.005, 0.002, 0.0])
    seen: list[ObserverStatus] = []
    for k in range(160):
        region = at_home(rig, k % 4, (0.35, 0.8)[k // 4 % 2], off)
        tracked = observer.step(tracked, region, tau, float(tracked.time) + 1 / RATE)
        seen.append(tracked.status)
    first = seen.index(ObserverStatus.LOST)
    assert 8 < first < 64
    assert seen[-1] == ObserverStatus.TRACKING
    assert tracked.refused > 20
    assert np.abs(tracked.pose - robot.home - off).max() < 1e-5


def test_an_observer_that_sees_nothing_says_so() -> None:
    observer = Observer(quattro())
    tracked, tau = standing(observer), quattro().robot.static_forces(quattro().robot.home)
    assert observer.wait(tracked, tau, float(tracked.time) + 0.01).status == ObserverStatus.TRACKING
    assert observer.wait(tracked, tau, float(tracked.time) + 2.0).status == ObserverStatus.LOST
    night = observer.wait(tracked, tau, float(tracked.time) + 4e4)
    assert night.status == ObserverStatus.LOST
    assert all(np.isfinite(part).all() for part in parts(night))


def test_forces_that_are_no_numbers_of_a_robot_accelerate_nothing() -> None:
    observer = Observer(quattro())
    tracked = standing(observer)
    later = observer.wait(tracked, np.full(4, 1e12), float(tracked.time) + 1e-3)
    lasting = 0.1 * (1 - np.exp(-1e-3 / 0.1))
    assert np.abs(later.velocity - tracked.velocity - lasting * tracked.disturbance).max() < ROUNDING


def test_a_long_step_is_many_short_ones() -> None:
    """In their deviations, to what an error that fades differs from the integral of white noise."""
    observer = Observer(quattro())
    tracked = standing(observer)
    tau = quattro().robot.static_forces(quattro().robot.home)
    for gap, tolerance in ((5e-3, 0.02), (3e-2, 0.12)):
        once = observer.wait(tracked, tau, float(tracked.time) + gap)
        often = tracked
        for k in range(200):
            often = observer.wait(often, tau, float(tracked.time) + gap * (k + 1) / 200)
        for part in ("pose_deviation", "velocity_deviation", "disturbance_deviation"):
            assert np.abs(getattr(once, part) / getattr(often, part) - 1).max() < tolerance, part


def test_wild_numbers_are_no_points() -> None:
    observer = Observer(quattro())
    before, region = standing(observer), at_home(quattro())
    tau, time = quattro().robot.static_forces(quattro().robot.home), float(before.time) + 1 / RATE
    waited = observer.wait(before, tau, time)
    wild = [
        replace(region, deviation=np.full(4, np.inf)),
        replace(region, deviation=np.full(4, 1e-200)),
        replace(region, deviation=np.full(4, 1e200)),
        replace(region, m=1e100 * region.m),
        replace(region, m=np.inf * region.m),
    ]
    for each in wild:
        after = observer.step(before, each, tau, time)
        assert all(np.array_equal(a, b) for a, b in zip(parts(after), parts(waited), strict=True))
    read = observer.read(before, np.zeros(4), np.full(4, np.inf), tau, time)
    assert np.isfinite(read.root).all()
    assert read.accepted == before.accepted


def test_a_belief_out_of_reach_refuses_and_is_lost() -> None:
    observer, robot = Observer(quattro()), quattro().robot
    tracked = replace(standing(observer), pose=robot.home + np.array([0.0, 0.0, -1.0, 0.0]))
    tau = np.zeros(4)
    for k in range(64):
        tracked = observer.step(tracked, at_home(quattro(), k % 4), tau, float(tracked.time) + 1 / RATE)
    assert tracked.refused > 100
    assert tracked.status == ObserverStatus.LOST


def test_batches_share_times_and_regions() -> None:
    rig = quattro()
    observer, robot = Observer(rig), rig.robot
    one = standing(observer)
    many = region_at(rig, np.tile(robot.home, (3, 1)), rod=0, place=0.4)
    after = observer.step(one, many, robot.static_forces(robot.home), float(one.time) + 1 / RATE)
    assert after.time.shape == after.pose.shape[:-1] == (3,)
    regions = region_at(rig, np.tile(robot.home, (3, 5, 1)), rod=0, place=0.4)
    tau = np.broadcast_to(robot.static_forces(robot.home), (3, 5, 4))
    times = float(one.time) + np.arange(1, 6) / RATE
    followed = observer.follow(after, regions, tau, times + 1 / RATE)
    assert followed.time.shape == followed.pose.shape[:-1] == (3, 5)


def test_what_an_observer_refuses() -> None:
    observer = Observer(quattro())
    tracked, tau = standing(observer, 1), np.zeros(4)
    with pytest.raises(VisionError, match="must not be before that of the last step"):
        observer.step(tracked, at_home(quattro()), tau, 0.0)
    several = region_at(quattro(), np.tile(quattro().robot.home, (2, 1)), rod=0, place=0.5)
    with pytest.raises(VisionError, match="do not run backwards"):
        observer.follow(tracked, several, np.zeros((2, 4)), np.array([2.0, 1.0]))
    with pytest.raises(VisionError, match="position_deviation: must be finite and > 0"):
        observer.first(quattro().robot.home, position_deviation=0.0)
    with pytest.raises(VisionError, match="gate: must be finite and > 0, got 0"):
        ObserverSettings(gate=0.0)
    for name, value, rule in (
        ("averaging", 0.4, "at least 1 region"),
        ("most_refused", 1.5, "a share of at most 1"),
        ("search_gate", 2.0, "at least the gate, 4"),
        ("settled_deviation", 1.0, "at most largest_deviation"),
    ):
        with pytest.raises(VisionError, match=f"{name}: must be {rule}"):
            ObserverSettings(**{name: value})
    for pose in ([0.0, 0.0, 0.0], [0.0, 0.0, np.nan, 0.0], 1.0):
        with pytest.raises(VisionError, match="pose: must be 4 finite numbers"):
            observer.first(pose)
    with pytest.raises(VisionError, match="pose: must be one that quattro can have"):
        observer.first(quattro().robot.home + np.array([0.0, 0.0, -1.0, 0.0]))
    with pytest.raises(VisionError, match="velocity: must be 4 finite numbers"):
        observer.first(quattro().robot.home, [0.0, 0.0, np.inf, 0.0])
    with pytest.raises(VisionError, match=r"latency: must be finite and >= 0 s, got -0\.002"):
        observer.ahead(tracked, np.zeros((2, 4)), latency=-2e-3)
    for taus in (np.zeros(4), np.zeros((0, 4))):
        with pytest.raises(VisionError, match=r"taus: must be \(\.\.\., steps, 4\)"):
            observer.ahead(tracked, taus, latency=2e-3)
    with pytest.raises(VisionError, match="acceleration_share: must be finite and >= 0"):
        ObserverSettings(acceleration_share=-0.1)
    searched = pk.vision.rig_of(pk.load("hexa_offset"), camera(), "*", radius=0.01)
    with pytest.raises(UnsupportedRobotError, match="its legs have no closed form"):
        Observer(searched)


def test_two_points_are_as_good_as_all_of_an_edge() -> None:
    """Lines fitted through both have the same height, slope and covariance."""
    rng = np.random.default_rng(2)
    s, sigma = np.sort(rng.uniform(-1.0, 1.0, 41)), 1e-3
    edge = np.stack([s, 0.2 * s + 0.1 + 1e-9 * rng.normal(size=41)], axis=-1)
    points, deviation = two_points(edge, sigma)

    def fitted(m: Array, each: float) -> tuple[Array, Array]:
        basis = np.stack([np.ones(len(m)), m[:, 0]], axis=-1)
        information = basis.T @ basis / each**2
        P: Array = np.asarray(np.linalg.inv(information), np.float64)
        return P @ (basis.T @ m[:, 1]) / each**2, P

    (line, P), (short, Q) = fitted(edge, sigma), fitted(points, deviation)
    assert np.abs(line - short).max() < 1e-9
    assert np.abs(P - Q).max() < 1e-9 * np.abs(P).max()


def test_the_width_of_a_region_is_that_in_its_picture() -> None:
    """Points of an edge are evenly over 48 px: the two of it are that over sqrt(3) apart."""
    rig = delta()
    region = region_at(rig, rig.robot.sample(20), rod=1, place=0.6)
    pixels = rig.cameras[0].pixels_of(region.m)
    apart = np.linalg.norm(pixels[:, 1] - pixels[:, 0], axis=-1)
    assert np.allclose(apart, 48 / np.sqrt(3), rtol=0.03)
