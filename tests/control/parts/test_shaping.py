"""Shapers leave a mode at rest, at every sample time, and set points of platform and actuators fit each other."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import parakin as pk
from parakin import control, simulation, trajectory
from parakin.control.parts.shaping import Kind
from parakin.errors import ControlError
from tests.control.parts.bare import PERIOD, first_state, repeater, stepped, still

AT_REST = 1e-13
"""Rounding of a vibration of size 1 after some hundred ticks."""


def swinging(values: np.ndarray, frequency: float, damping: float) -> np.ndarray:
    """Amplitudes of an oscillator with this mode whose set points are held for a tick each."""
    s = 2 * np.pi * frequency * (-damping + 1j * np.sqrt(1 - damping**2))
    turn, amplitude, amplitudes = np.exp(s * PERIOD), 0j, list[float]()
    for before, now in itertools.pairwise(values):
        amplitude = turn * amplitude + (now - before)  # a complex number that turns with the mode: a step adds to it
        amplitudes.append(abs(amplitude))
    return np.array(amplitudes)


@pytest.mark.parametrize("kind", ["ZV", "ZVD"])
@pytest.mark.parametrize(("frequency", "damping"), [(20.0, 0.0), (33.3, 0.02), (71.7, 0.3), (240.0, 0.1)])
def test_a_mode_is_at_rest_when_the_last_impulse_has_come(kind: Kind, frequency: float, damping: float) -> None:
    """Step by step through the law: a jump of its set points leaves nothing of the mode."""
    robot = pk.load("five_bar")
    law = control.with_shaping(repeater(robot), frequency, damping, kind)
    longest = control.impulses(frequency, damping, PERIOD, kind).ticks[-1]
    told = still(np.zeros(2))
    state, values = first_state(law, told, np.zeros(2)), [0.0]
    for _ in range(longest + 5):
        state, tau = stepped(law, state, told | {"desired_q": np.ones(2)})
        values.append(1e3 * tau[0])
    assert values[-1] == pytest.approx(1.0, rel=1e-12)
    assert swinging(np.array(values), frequency, damping)[longest:].max() < AT_REST
    assert swinging(np.array(values), 1.2 * frequency, damping)[longest:].max() > 1e-3


def test_zvd_bears_a_wrong_frequency_better() -> None:
    left = {}
    for kind in ("ZV", "ZVD"):
        shaper = control.impulses(20.0, 0.0, PERIOD, kind)
        left[kind] = abs(np.sum(shaper.sizes * np.exp(-2j * np.pi * 22.0 * PERIOD * np.array(shaper.ticks))))
    assert left["ZVD"] == pytest.approx(left["ZV"] ** 2, rel=1e-9)
    assert left["ZV"] == pytest.approx(abs(np.cos(np.pi / 2 * 1.1)), rel=1e-9)


def test_shaped_set_points_of_the_platform_and_of_the_actuators_fit() -> None:
    """A law that is told both follows the shaped motion as exactly as an unshaped one."""
    robot = pk.load("five_bar")
    motion = trajectory.within_limits(trajectory.point_to_point(robot), robot).motion
    reference = control.reference(robot, motion, PERIOD, settle=0.1)
    law = control.with_shaping(control.law("feedforward", robot), 25.0)
    assert law.interface.lag == pytest.approx(0.021)
    log = simulation.simulate(robot, law, reference)
    late = [reference.pose[np.maximum(np.arange(reference.ticks) - k, 0)] for k in (0, 20, 21)]
    shaped = sum(size * rows for size, rows in zip(law.gains[-3:], late, strict=True))
    assert np.abs(log["pose"] - shaped).max() < 5e-5
    assert np.abs(log["pose"] - reference.pose).max() > 1e-3


def test_shapers_that_cannot_be_are_refused() -> None:
    robot = pk.load("five_bar")
    law = control.law("pid", robot)
    with pytest.raises(ControlError, match="shaping_frequency: must be > 0 and below 500 Hz"):
        control.with_shaping(law, 0.0)
    with pytest.raises(ControlError, match="shaping_damping: must be at least 0 and below 1"):
        control.with_shaping(law, 20.0, 1.0)
    with pytest.raises(ControlError, match=r"0\.2 Hz takes a line of 2501 ticks, more than 2000"):
        control.with_shaping(law, 0.2)


@pytest.mark.slow
def test_set_points_with_quaternions_are_not_added() -> None:
    with pytest.raises(ControlError, match="those of gough_stewart cannot be added"):
        control.with_shaping(control.law("feedforward", pk.load("gough_stewart")), 20.0)
