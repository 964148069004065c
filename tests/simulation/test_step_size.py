"""Steps that are too long for a spring are told: by the factor of RK4, on an oscillator that a formula solves."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import parakin as pk
from parakin import control, errors, simulation
from parakin.simulation import ElasticDrives, Scenario
from parakin.simulation.stepped_modes import SteppedMode

PERIOD = 1e-3
SPEED = 0.01
AMPLITUDE = 1e-6
"""Relative error of an amplitude after some hundred steps: the factor of a step is exact, and rounding is left."""


def oscillator(tmp_path: Path, omega: float, damping_ratio: float = 0.0) -> pk.Robot:
    """A block of 2 kg on a level slide with a spring and a damper: x_ddot = -omega^2 x - 2 ratio omega x_dot."""
    path = tmp_path / "oscillator.toml"
    path.write_text(
        f"""
name = "oscillator"
title = "A block on a spring"
source = "assumed"
independent = ["slide.travel"]
[output]
body = "block"
[[bodies]]
name = "block"
mass = 2.0
shape = "point"
[[joints]]
name = "slide"
type = "prismatic"
parent = "world"
child = "block"
parent_frame = {{ z = [1.0, 0.0, 0.0] }}
freedoms.travel = {{ drive = {{ force = 1e6 }}, spring = {{ stiffness = {2.0 * omega**2} }}, \
friction = {{ viscous = {4.0 * damping_ratio * omega} }} }}
[workspace]
lower = [-0.01]
upper = [0.01]
"""
    )
    return pk.load(path)


def free(robot: pk.Robot, duration: float) -> tuple[control.Law, control.Reference]:
    """A law that does nothing, and so long at home."""
    law = control.law("pid", robot, PERIOD).with_gains(K_p=0.0, K_d=0.0, K_i=0.0)
    return law, control.hold(robot, robot.home, duration, PERIOD)


def rk4_factor(pole: complex, step: float) -> complex:
    """One step of RK4 on y_dot = pole y, from y = 1."""
    k_1 = pole
    k_2 = pole * (1 + step / 2 * k_1)
    k_3 = pole * (1 + step / 2 * k_2)
    k_4 = pole * (1 + step * k_3)
    return 1 + step / 6 * (k_1 + 2 * k_2 + 2 * k_3 + k_4)


def test_a_stiff_spring_is_not_damped_away_in_silence(tmp_path: Path) -> None:
    """5,000 rad/s and steps of 0.25 ms: 2 s leave 1e-76 of an amplitude that should stay, and the run was COMPLETED."""
    robot = oscillator(tmp_path, 5000.0)
    law, reference = free(robot, 0.4)
    with pytest.warns(errors.LoopWarning, match=r"mode of 5,000 rad/s \(795.8 Hz\).*steps of 0.00025 s") as told:
        log = simulation.simulate(robot, law, reference, Scenario(velocity=(SPEED,)))
    assert "take 4 times as many substeps" in str(told[0].message)
    left = np.hypot(log["pose"][-1, 0] * 5000.0, log["velocity"][-1, 0]) / SPEED
    assert left == pytest.approx(abs(rk4_factor(5000j, PERIOD / 4)) ** (4 * (len(log.t) - 1)), rel=AMPLITUDE)
    assert left < 1e-14
    with pytest.warns(errors.LoopWarning):
        simulation.simulate_many(robot, law, reference, [Scenario(velocity=(SPEED,))])


def test_the_steps_that_the_warning_asks_for_keep_the_amplitude(tmp_path: Path) -> None:
    robot = oscillator(tmp_path, 5000.0)
    law, reference = free(robot, 0.4)
    log = simulation.simulate(robot, law, reference, Scenario(velocity=(SPEED,)), substeps=16)
    energy = np.hypot(log["pose"][:, 0] * 5000.0, log["velocity"][:, 0]) / SPEED
    assert energy == pytest.approx(1.0, abs=0.05)
    assert simulation.check_step_size(robot, law, reference, Scenario(velocity=(SPEED,)), substeps=16).sufficient


def test_a_check_of_the_step_has_a_verdict(tmp_path: Path) -> None:
    law, reference = free(robot := oscillator(tmp_path, 5000.0), 0.05)
    checked = simulation.check_step_size(robot, law, reference, Scenario(velocity=(SPEED,)))
    assert not checked.sufficient
    assert "TOO LONG for the worst mode of 5,000 rad/s" in str(checked)
    law, reference = free(robot := oscillator(tmp_path, 300.0), 0.05)
    checked = simulation.check_step_size(robot, law, reference, Scenario(velocity=(SPEED,)))
    assert checked.sufficient
    assert "short enough for the worst mode of 300 rad/s" in str(checked)


@pytest.mark.parametrize("ratio", [0.0, 0.02, 0.7])
def test_factors_are_those_of_rk4_and_of_the_damped_oscillator(tmp_path: Path, ratio: float) -> None:
    robot = oscillator(tmp_path, 2000.0, ratio)
    law, reference = free(robot, 0.05)
    mode = simulation.check_step_size(robot, law, reference, Scenario(velocity=(SPEED,))).mode
    assert mode is not None
    pole = 2000.0 * complex(-ratio, math.sqrt(1 - ratio**2))
    assert mode.pole == pytest.approx(pole, abs=1e-3)
    assert mode.factor == pytest.approx(abs(rk4_factor(pole, PERIOD / 4)), rel=1e-9)
    assert mode.exact_factor == pytest.approx(math.exp(-ratio * 0.5), rel=1e-9)


def test_steps_beyond_the_stability_of_rk4_are_too_long() -> None:
    for z, resolved in ((0.1j, True), (2.9j, False), (-3.0, False), (-0.5, True)):
        mode = SteppedMode(complex(z) / 1e-3, 1e-3, 1.0)
        assert mode.resolved == resolved, z
        assert ("grow" in str(mode)) == (abs(z) > 2.8)


def test_springs_in_drives_are_looked_at_too() -> None:
    """Steps are made shorter for them, but in 4 s those of undamped drives still take a quarter of the amplitude."""
    robot = frictionless_crank()
    law, long = free(robot, 4.0)
    short = control.hold(robot, robot.home, 0.05, PERIOD)
    damped, undamped = (
        Scenario(elastic=ElasticDrives(frequency=250.0, motor_inertia=0.01, damping=damping)) for damping in (None, 0.0)
    )
    simulation.simulate(robot, law, long, damped)
    simulation.simulate(robot, law, short, undamped)
    with pytest.warns(errors.LoopWarning, match=r"25\d(\.\d)? Hz"):
        simulation.simulate(robot, law, long, undamped)


def frictionless_crank() -> pk.Robot:
    """A slider-crank without weight or friction, whose one drive can be on a spring."""
    tables = pk.load("slider_crank").graph_description.model_dump()
    for joint in tables["joints"]:
        for freedom in joint["freedoms"].values():
            freedom["friction"] = {}
    return pk.load("slider_crank").replace(gravity=(0.0, 0.0, 0.0), joints=tables["joints"])
