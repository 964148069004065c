"""A camera with an observer as a sensor of the platform: against the observer itself, and in closed loops."""

from __future__ import annotations

import functools
import math
from dataclasses import replace

import numpy as np
import pytest

import parakin as pk
from parakin import control, simulation
from parakin.errors import VisionError
from parakin.simulation import PlatformSensor, Scenario
from parakin.vision import EdgeNoise, Observer, Rig, Watching, camera_sensor, encoder_sensor, region_at, rig_of
from parakin.vision.loops.true_regions import DRAWS
from parakin.vision.observers.kernels import BELIEF
from tests.vision.rigs import camera, quattro

PERIOD = 2e-3
LOOKS = 160
"""Looks at a robot that stands still, after which its radii are known."""
SAME = 1e-9
"""How far numbers of two ways to the same filter may be apart, relative to 1: they round in another order."""


@functools.cache
def exact() -> PlatformSensor:
    """A camera without latency, whose observer has the right model."""
    return camera_sensor(quattro(), PERIOD)


def _parts(sensor: PlatformSensor, state: np.ndarray) -> dict[str, np.ndarray]:
    sizes = {part.name: part.size for part in sensor.stage.state}
    return dict(zip(sizes, np.split(state, np.cumsum(list(sizes.values()))[:-1]), strict=True))


def _looks(sensor: PlatformSensor, poses: np.ndarray, tau: np.ndarray, noise: np.ndarray) -> list[np.ndarray]:
    """Return the state of a sensor in the beginning and after each look."""
    numbers, still = sensor.numbers, np.zeros(4)
    states = [sensor.stage.first(poses[0], still, np.zeros(4), tau, numbers).full().ravel()]
    for pose, drawn in zip(poses, noise, strict=True):
        states.append(sensor.stage.look(states[-1], pose, still, np.zeros(4), tau, drawn, numbers).full().ravel())
    return states


@pytest.fixture(scope="module")
def moving() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Poses of 12 looks, forces, and noise."""
    robot = quattro().robot
    ways = np.linspace(0, 1, 12)[:, None] * [2e-4, -1e-4, 3e-4, 1e-3]
    return robot.home + ways, robot.static_forces(robot.home), np.random.default_rng(1).normal(size=(12, DRAWS))


@pytest.mark.slow
def test_a_look_is_a_step_of_the_observer(moving: tuple[np.ndarray, ...]) -> None:
    poses, tau, noise = moving
    noise[:, 4] = 0.0
    rig, watching = quattro(), Watching()
    sensor = exact()
    states = _looks(sensor, poses, tau, noise)
    observer = Observer(rig)
    tracked = observer.first(poses[0], position_deviation=1e-4, velocity_deviation=1e-2)
    for k, (pose, drawn) in enumerate(zip(poses, noise, strict=True)):
        _, rod, place = watching.turns(rig)[k % 8]
        region = region_at(rig, pose, rod=rod, place=place, noise=drawn[:4])
        tracked = observer.step(tracked, region, tau, (k + 1) / watching.rate)
        found = _parts(sensor, states[k + 1])
        for name in BELIEF:
            assert np.allclose(found[name], tracked.belief()[name], rtol=SAME, atol=SAME)


def test_a_latency_delays_what_is_known_and_nothing_else(moving: tuple[np.ndarray, ...]) -> None:
    poses, tau, noise = moving
    quiet = np.zeros_like(noise)
    rig, late = quattro(), 3
    at_once = exact()
    delayed = camera_sensor(rig, PERIOD, Watching(latency=late / 4000, compensated=False))
    before = _looks(at_once, poses, tau, quiet)
    held = np.concatenate([np.tile(poses[0], (late, 1)), poses[:-late]])  # the robot stood there before
    after, shifted = _looks(delayed, poses, tau, quiet), _looks(at_once, held, tau, quiet)
    size = len(before[0])
    assert np.allclose(after[-1][:size], shifted[-1], rtol=SAME, atol=SAME)
    told = delayed.stage.read(after[-1], delayed.numbers)
    assert np.allclose(np.asarray(told[0]).ravel(), shifted[-1][:4], rtol=SAME, atol=SAME)


@pytest.mark.slow
def test_edges_are_biased_shifted_and_dropped_as_the_noise_says(moving: tuple[np.ndarray, ...]) -> None:
    poses, tau, _ = moving
    rig = quattro()
    still = np.tile(poses[0], (LOOKS, 1))
    quiet = np.zeros((LOOKS, DRAWS))
    thick = _looks(exact().with_numbers(bias=0.05), still, tau, quiet)
    seen = _parts(exact(), thick[-1])["corrections"]
    Z = pk.vision.rod_lines(rig, poses[0]).A[:, 2] * -1 + 0.3  # some place of each rod, 0.3 m below its elbow
    assert seen == pytest.approx(0.05 / 640 * Z, rel=0.4)
    dropping = exact().with_numbers(**EdgeNoise(dropped=0.25).numbers)
    drawn = np.random.default_rng(2).normal(size=(LOOKS, DRAWS))
    accepted = _parts(dropping, _looks(dropping, still, tau, drawn)[-1])["health"][3] / 4 / LOOKS
    assert accepted == pytest.approx(0.75, abs=4 * math.sqrt(0.25 * 0.75 / LOOKS))
    narrow = camera_sensor(rig_of(rig.robot, replace(camera(), size=(64, 64)), "*.forearm", radius=0.008), PERIOD)
    assert _parts(narrow, _looks(narrow, still[:8], tau, quiet[:8])[-1])["health"][3] == 0  # nothing is in the picture


def test_what_does_not_fit_is_refused() -> None:
    rig = quattro()
    with pytest.raises(VisionError, match="rate: must give a whole number of regions in a period"):
        camera_sensor(rig, 1.1e-3)
    with pytest.raises(VisionError, match="latency: must be a whole number of regions at 4000 Hz"):
        camera_sensor(rig, PERIOD, Watching(latency=1e-4))
    with pytest.raises(VisionError, match="truth: must have the rods and cameras of the rig"):
        camera_sensor(rig, PERIOD, truth=rig_of(rig.robot, camera(), "first1.forearm", radius=0.008))
    for make, message in (
        (lambda: Watching(rate=0.0), "rate: must be > 0 Hz"),
        (lambda: Watching(places=(1.2,)), "places: must be shares"),
        (lambda: Watching(points=1), "points: must be at least 2"),
        (lambda: Watching(width=0.0), "width: must be > 0 px"),
        (lambda: EdgeNoise(deviation=-1.0), "deviation: must be finite and >= 0 px"),
        (lambda: EdgeNoise(bias=math.inf), "bias: must be finite"),
        (lambda: EdgeNoise(shift=-1.0), "shift: must be finite and >= 0 px"),
        (lambda: EdgeNoise(width=-1.0), "width: must be finite and >= 0 px"),
        (lambda: EdgeNoise(dropped=1.0), "dropped: must be from 0 to below 1"),
    ):
        with pytest.raises(VisionError, match=message):
            make()


@pytest.mark.slow
def test_a_reading_of_encoders_is_a_step_of_the_observer(moving: tuple[np.ndarray, ...]) -> None:
    poses, tau, _ = moving
    rig, quantum = quattro(), 1e-5
    sensor, observer, still = encoder_sensor(rig, PERIOD, counts=1 / quantum), Observer(rig), np.zeros(4)
    tracked = observer.first(poses[0], position_deviation=1e-4, velocity_deviation=1e-2)
    q = rig.robot.inverse_kinematics(poses)
    state = sensor.stage.first(poses[0], still, q[0], tau, sensor.numbers).full().ravel()
    for k, (pose, read) in enumerate(zip(poses, q, strict=True)):
        state = sensor.stage.look(state, pose, still, read, tau, [], sensor.numbers).full().ravel()
        counted = quantum * np.floor(read / quantum + 0.5)
        tracked = observer.read(tracked, counted, np.full(4, quantum / 12**0.5), tau, (k + 1) / 4000)
        for name in BELIEF:
            assert np.allclose(_parts(sensor, state)[name], tracked.belief()[name], rtol=SAME, atol=SAME)


@pytest.mark.slow
def test_computed_torque_on_an_observer_follows_a_fast_motion() -> None:
    """3.8 m/s and 80 m/s^2 at 160 rad/s and 500 Hz: 41 um are asked for, with 2 ms of latency, and masses 5 % off."""
    rig = quattro()
    robot = rig.robot
    law = control.computed_torque_platform(robot, PERIOD, midway=True)
    law = law.with_gains(**control.gains_for(law, 160.0))
    circle = pk.trajectory.circle(robot, diameter=0.361, speed=3.8, tilt=0.0, turns=3.0, ramp=0.5)
    reference = control.reference(robot, circle, PERIOD, settle=0.2)
    heavier = replace(rig, robot=robot.with_parameters(1.05 * robot.parameters, "test"))

    def followed(believed: Rig, latency: float, compensated: bool = True) -> float:
        sensor = camera_sensor(believed, PERIOD, Watching(latency=latency, compensated=compensated), truth=rig)
        many = simulation.simulate_many(robot, law, reference, simulation.family(Scenario(sensor=sensor), 16))
        assert not many.summary.status.any()
        return float(np.median(many.summary.distance_rms))

    for believed in (rig, heavier):
        for latency in (0.0, 2e-3):
            assert followed(believed, latency) < 41e-6
    assert followed(rig, 2e-3, compensated=False) > 5e-3  # 3.8 m/s times 2 ms, less what the gains make of it


@pytest.mark.slow
def test_forces_from_observed_elements_are_those_of_the_law_but_for_friction() -> None:
    """The law counts with the desired direction of drives, observed elements with the seen one: noise at rest."""
    rig = quattro()
    robot = rig.robot
    law = control.law("computed_torque_platform", robot, PERIOD)
    reference = control.hold(robot, robot.home, 0.05, PERIOD)
    log = simulation.simulate(robot, law, reference, Scenario(sensor=exact(), seed=1), record_state=True)
    pose, velocity = log["measured_pose"], log["measured_velocity"]
    gains = {gain.name: gain.values[0] for gain in law.interface.gains}
    error = reference.pose - pose
    grown = log["state.integral"] + PERIOD * gains["K_i"] * error
    wanted = gains["K_p"] * error - gains["K_d"] * velocity + grown
    observed = robot.inverse_dynamics_observed(robot.elements(pose, velocity, wanted))
    rubbing = np.array([entry.quantity.is_friction for entry in robot.parameter_table])
    smooth = robot.with_parameters(np.where(rubbing, 0.0, robot.parameters), "test")
    masses = smooth.inverse_dynamics_observed(smooth.elements(pose, velocity, wanted))
    assert np.allclose(masses, log["command"], atol=SAME * np.abs(log["command"]).max())
    rates = np.abs(observed - masses)[1:]
    assert (rates > 1.0).any()
