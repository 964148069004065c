"""Loops that are run tick by tick against compiled ones, and the noise model fitted to what was seen."""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np
import pytest

import parakin as pk
from parakin import control, simulation
from parakin.control.references import QUANTITIES
from parakin.errors import SimulationError, VisionError
from parakin.vision import (
    Appearance,
    EdgeNoise,
    Glance,
    Observer,
    Region,
    Rendered,
    Rig,
    Watching,
    camera_sensor,
    fitted_noise,
    region_at,
    region_offsets,
    rig_of,
    watched_run,
)
from tests.vision.rigs import camera, quattro

PERIOD = 2e-3
SAME_POSE, SAME_FORCE = 1e-12, 1e-8
"""How far two ways to the same loop may be apart after 40 ticks [m or rad, N m]: rounding, times the loop's gains."""


@functools.cache
def smooth() -> Rig:
    """A Quattro without friction, whose sign at rest would be one of rounding."""
    robot = pk.load("quattro")
    rubbing = np.array([entry.quantity.is_friction for entry in robot.parameter_table])
    without = robot.with_parameters(np.where(rubbing, 0.0, robot.parameters), "test")
    return rig_of(without, camera(), "*.forearm", radius=0.008)


@pytest.mark.slow
@pytest.mark.parametrize("latency", [0.0, 2e-3])
def test_a_loop_in_python_is_the_compiled_one(latency: float) -> None:
    rig, watching = smooth(), Watching(latency=latency)
    robot = rig.robot
    law = control.law("computed_torque_platform", robot, PERIOD)
    circle = pk.trajectory.circle(robot, diameter=0.361, speed=3.8, tilt=0.0, turns=3.0, ramp=0.5)
    whole = control.reference(robot, circle, PERIOD)
    reference = replace(whole, **{name: getattr(whole, name)[:40] for name in QUANTITIES})

    def see(glance: Glance) -> Region:
        assert np.abs(glance.believed - glance.pose).max() < 1e-3
        return region_at(rig, glance.pose, rod=glance.rod, place=glance.place)

    log = watched_run(robot, law, reference, Observer(rig), see, watching=watching)
    sensor = camera_sensor(rig, PERIOD, watching).with_numbers(deviation=0.0)
    compiled = simulation.simulate(robot, law, reference, simulation.Scenario(sensor=sensor))
    assert [column.name for column in log.columns] == [column.name for column in compiled.columns]
    for name in ("pose", "measured_pose"):
        assert np.abs(log[name] - compiled[name]).max() < SAME_POSE
    assert np.abs(log["command"] - compiled["command"]).max() < SAME_FORCE
    assert np.abs(log["q"] - compiled["q"]).max() < SAME_POSE


def test_what_cannot_be_stepped_is_refused() -> None:
    robot = quattro().robot
    law = control.law("pid", robot, PERIOD)
    still = control.hold(robot, robot.home, 0.01, PERIOD)
    with pytest.raises(SimulationError, match="law: must be told pose and velocity, but pid is told"):
        watched_run(robot, law, still, Observer(quattro()), _nowhere)


def _nowhere(glance: Glance) -> Region:
    """Show nothing."""
    seen = region_at(quattro(), glance.pose, rod=glance.rod, place=glance.place)
    return replace(seen, deviation=np.zeros(4))


@pytest.mark.slow
def test_a_loop_that_leaves_the_robots_reach_ends_there() -> None:
    robot = quattro().robot
    law = control.law("computed_torque_platform", robot, PERIOD)
    law = law.with_gains(**control.gains_for(law, 2000.0))
    still = control.hold(robot, robot.home, 0.8, PERIOD)
    log = watched_run(robot, law, still, Observer(quattro()), _nowhere)
    assert log.status in {simulation.Ending.UNREACHABLE, simulation.Ending.SINGULAR}
    assert len(log) == still.ticks
    assert np.isfinite(log.table).all()
    assert not log["tau"][log.ran :].any()
    assert log["tau"][log.ran - 1].any()


def test_a_fit_finds_the_noise_that_was_there() -> None:
    rig, rng = quattro(), np.random.default_rng(3)
    true = EdgeNoise(deviation=0.06, bias=0.03, shift=0.02, width=0.03, dropped=0.1)
    offsets: list[np.ndarray] = []
    for k in range(600):
        own = true.deviation / 0.04 * rng.normal(size=4)
        region = region_at(rig, rig.robot.home, rod=k % 4, place=0.6, noise=own)
        aside = true.shift * rng.normal() * np.array([1, 1, -1, -1]) - true.bias - true.width * rng.normal()
        lost = np.nan if rng.random() < true.dropped else 0.0
        offsets.append(region_offsets(rig, rig.robot.home, region) + aside + lost)
    found = fitted_noise(offsets)
    assert found.deviation == pytest.approx(true.deviation, rel=0.1)  # 1200 differences: 3 % a deviation
    assert found.bias == pytest.approx(true.bias, abs=0.006)  # 4 deviations of the mean of 540 widths
    assert found.width == pytest.approx(true.width, rel=0.15)
    assert found.shift == pytest.approx(true.shift, rel=0.15)
    assert found.dropped == pytest.approx(true.dropped, abs=0.04)
    with pytest.raises(VisionError, match="offsets: must be at least 8 regions"):
        fitted_noise(np.full((20, 4), np.nan))


def test_points_that_were_not_found_have_no_offset() -> None:
    rig = quattro()
    region = region_at(rig, rig.robot.home, rod=1, place=0.6)
    missing = replace(region, deviation=np.array([0.0, np.nan, *region.deviation[2:]]))
    assert np.isnan(region_offsets(rig, rig.robot.home, missing)).tolist() == [True, True, False, False]


@pytest.mark.slow
def test_rendered_pictures_close_the_loop_and_the_fitted_noise_predicts_it() -> None:
    rig = quattro()
    robot = rig.robot
    law = control.law("computed_torque_platform", robot, PERIOD)
    law = law.with_gains(**control.gains_for(law, 160.0))
    circle = pk.trajectory.circle(robot, diameter=0.361, speed=3.8, tilt=0.0, turns=3.0, ramp=0.5)
    whole = control.reference(robot, circle, PERIOD)
    reference = replace(whole, **{name: getattr(whole, name)[200:300] for name in QUANTITIES})  # at full speed
    pictures, seen = Rendered(rig, Appearance(noise=2.0), seed=1), list[np.ndarray]()

    def see(glance: Glance) -> Region:
        region = pictures(glance)
        seen.append(region_offsets(rig, glance.pose, region))
        return region

    log = watched_run(robot, law, reference, Observer(rig), see)
    noise = fitted_noise(seen)
    assert noise.deviation < 0.04
    assert abs(noise.bias) < 0.005
    sensor = camera_sensor(rig, PERIOD).with_numbers(**noise.numbers)
    family = simulation.family(simulation.Scenario(sensor=sensor), 32)
    many = simulation.simulate_many(robot, law, reference, family, keep=range(32))

    def off(one: simulation.Log) -> float:
        return float(np.linalg.norm((one["measured_pose"] - one["pose"])[40:, :3], axis=-1).mean())

    predicted = [off(one) for one in many.logs.values()]
    assert 0.7 * min(predicted) < off(log) < 1.3 * max(predicted)


def test_what_is_not_in_the_picture_is_not_found() -> None:
    rig = rig_of(quattro().robot, replace(camera(), size=(64, 64)), "*.forearm", radius=0.008)
    home = rig.robot.home
    region = Rendered(rig, Appearance())(Glance(0, 0, 1, 0.6, home, home, np.zeros(4)))
    assert not region.deviation.any()
    assert np.isnan(region_offsets(rig, home, region)).all()
