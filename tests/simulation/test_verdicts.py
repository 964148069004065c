"""Loops that are unstable, thin or sound, and what is said of them before anything moves."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.linalg

import parakin as pk
from parakin import control, export, simulation
from parakin.control.tuning.linear_loop import exponential
from parakin.errors import LoopWarning, UnstableLoopError
from parakin.simulation import Scenario
from tests.variants import with_light_drives

REAL = Scenario(velocity_filter=200.0, delay=True)
SERIES = 1e-13
"""Relative error of an exponential whose matrix has a norm of some tens: squaring doubles what rounding leaves."""


@pytest.fixture(scope="module")
def light() -> pk.Robot:
    """A 3-UPU so coupled that the smallest eigenvalue of D^-1/2 M_q D^-1/2 is 0.067."""
    return with_light_drives(pk.load("upu_3"))


def fast(name: str, robot: pk.Robot) -> control.Law:
    """With gains for 60 rad/s, more than the light robot bears where drives do not know of each other."""
    law = control.law(name, robot)
    return law.with_gains(**control.gains_for(law, 60.0))


@pytest.mark.parametrize("name", ["pid", "feedforward"])
def test_a_light_robot_makes_decentralised_loops_unstable_and_that_is_said(name: str, light: pk.Robot) -> None:
    law = fast(name, light)
    assert not simulation.margins(light, law, REAL).stable
    found = simulation.verdict(light, law, REAL)
    assert not found.stable
    assert str(found.said).startswith("unstable: its largest pole is 1.309, so that errors double every 2.58 ms")


def test_a_thin_loop_is_told_with_its_margins(light: pk.Robot) -> None:
    """With exact sensors and no delay the light robot is stable, just."""
    law = fast("pid", light)
    found, numbers = simulation.verdict(light, law), simulation.margins(light, law)
    assert found.stable
    assert found.margins is not None
    assert (found.margins.gain, found.margins.delay) == (numbers.gain, numbers.delay)
    assert str(found.said).endswith("gain margin 1.06, delay margin 0.518 ms, where 2 and 1.5 ms are wanted")


def test_a_sound_loop_is_not_told_of(light: pk.Robot) -> None:
    found = simulation.verdict(light, control.law("computed_torque", light), REAL)
    assert found.said is None
    assert found.margins is None


def test_a_run_that_fails_because_its_loop_is_unstable_warns(light: pk.Robot) -> None:
    law = fast("pid", light)
    start = light.home + np.array([0.0, 0.0, 1e-3])
    reference = control.hold(light, light.home, 0.2, law.period)
    with pytest.warns(LoopWarning, match="pid on upu_3: the loop is unstable") as told:
        log = simulation.simulate(light, law, reference, Scenario(velocity_filter=200.0, delay=True, pose=start))
    assert log["saturated"].any()
    assert told[0].filename == __file__
    law = control.law("computed_torque", light)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulation.simulate(light, law, reference, REAL)


def test_an_unstable_controller_is_not_exported(light: pk.Robot, tmp_path: Path) -> None:
    with pytest.raises(UnstableLoopError, match=r"pid on upu_3: the loop is unstable: .* or force it"):
        export.export_controller(fast("pid", light), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_forced_controller_is_exported_with_a_warning(light: pk.Robot, tmp_path: Path) -> None:
    law = fast("pid", light)
    held = control.hold(light, light.home, 0.01, law.period)
    with pytest.warns(LoopWarning, match="the loop is unstable"):
        files = export.export_controller(law, tmp_path, reference=held, force=True)
    assert files.source.exists()


def test_a_sweep_of_which_no_setting_is_stable_is_refused(light: pk.Robot) -> None:
    law = control.law("pid", light)
    reference = control.hold(light, light.home, 0.01, law.period)
    settings = simulation.bandwidth_settings(law, [60.0, 90.0], [1.0])
    with pytest.raises(UnstableLoopError, match="unstable at home with each of 2 settings, bandwidth 60, damping 1"):
        simulation.sweep(light, law, reference, settings, [REAL])
    assert not simulation.sweep(light, law, reference, settings[:1], [REAL], force=True).completed.any()


@pytest.mark.parametrize("size", [0.0, 1e-6, 0.1, 3.0])
def test_the_exponential_is_scipy_s(size: float) -> None:
    X = size * np.random.default_rng(0).normal(size=(10, 10))
    expected = scipy.linalg.expm(X)
    assert np.abs(exponential(X) - expected).max() <= SERIES * np.abs(expected).max()
