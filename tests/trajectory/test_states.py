"""A motion is a function of time: any shape of times, sampled on a clock, stretched."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parakin.errors import MotionError, UnknownNameError
from parakin.motions import PLANAR, PLANAR_TRANSLATION, SPATIAL, motion_named
from parakin.trajectory import MOTIONS, Motion, Samples, State
from parakin.trajectory.states import TIME_ROUNDING, positive
from tests.trajectory.helpers import PAIRS, close, made


@settings(max_examples=40)
@given(pair=st.sampled_from(PAIRS), factor=st.floats(0.1, 10.0), share=st.floats(0.0, 1.0))
def test_stretching_scales_rates(pair: tuple[str, str], factor: float, share: float) -> None:
    motion = made(*pair)
    slow = motion.stretched(factor)
    before, after = motion.at(share * motion.duration), slow.at(share * slow.duration)
    close(after.pose, before.pose, 1e-12)
    close(factor * after.velocity, before.velocity, 1e-11)
    close(factor**2 * after.acceleration, before.acceleration, 1e-10)
    close(slow.stretched(1 / factor).at(share * motion.duration).pose, before.pose, 1e-12)


@pytest.mark.parametrize("name", ["delta", "gough_stewart"])
def test_times_of_any_shape_and_motions_survive_pickling(name: str) -> None:
    for kind in MOTIONS:
        if (name, kind) not in PAIRS:
            continue
        motion = made(name, kind)
        t = np.linspace(0.0, motion.duration, 6)
        flat, shaped = motion.at(t), motion.at(t.reshape(2, 3))
        again = pickle.loads(pickle.dumps(motion)).at(t)
        for k in range(3):
            np.testing.assert_array_equal(shaped[k].reshape(6, -1), flat[k])
            np.testing.assert_array_equal(again[k], flat[k])
            close(motion.at(t[2])[k], flat[k][2], 1e-14)


def test_sampling_keeps_to_the_clock() -> None:
    motion = made("delta", "lift")
    samples = motion.sampled(1000.0)
    np.testing.assert_array_equal(samples.t, np.arange(501) / 1000)
    np.testing.assert_array_equal(samples.pose, motion.at(samples.t).pose)
    assert motion.stretched(0.3 / 0.5).sampled(10.0).t.tolist() == [0.0, 0.1, 0.2, 0.3]
    assert motion.sampled(3.0).t.tolist() == [0.0, 1 / 3]


def test_times_outside_are_refused() -> None:
    motion = made("delta", "lift")
    for t in (-0.1, 0.6, np.nan):
        with pytest.raises(MotionError, match=r"lift: t: must be from 0 to 0\.5 s, got"):
            motion.at([0.0, t])
    with pytest.raises(MotionError, match=r"lift: rate: must be finite and > 0 Hz, got 0"):
        motion.sampled(0.0)
    with pytest.raises(MotionError, match=r"lift: factor: must be finite and > 0, got -1"):
        motion.stretched(-1.0)


def linear(duration: float = 2.0) -> Motion:
    """One that does not hold its ends: pose t."""
    return Motion("line", PLANAR_TRANSLATION, duration, lambda t: State(*(np.tile(t[:, None], 2),) * 3))


def test_times_that_rounding_put_outside_are_those_of_the_ends() -> None:
    inside, outside = 0.5 * TIME_ROUNDING, 2.0 * TIME_ROUNDING
    assert linear().at([-2.0 * inside, 2.0 * (1 + inside)]).pose[:, 0].tolist() == [0.0, 2.0]
    for t in (-2.0 * outside, 2.0 * (1 + outside)):
        with pytest.raises(MotionError, match=r"line: t: must be from 0 to 2 s, got"):
            linear().at(t)


def test_the_first_time_outside_is_named() -> None:
    with pytest.raises(MotionError, match=r"got 3$"):
        linear().at([[0.0, 3.0], [-1.0, 4.0]])


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_only_finite_numbers_above_zero_are_positive(value: float) -> None:
    with pytest.raises(MotionError, match=r"line: size: must be finite and > 0 m, got"):
        positive("line", "size", value, "m")
    with pytest.raises(MotionError, match=r"line: duration: must be finite and > 0 s, got"):
        linear(value)
    positive("line", "size", 5e-324, "m")


def test_motions_say_their_name_duration_and_note() -> None:
    assert str(linear()) == "line, 2 s"
    assert str(Motion("line", PLANAR, 0.25, linear().function, "smaller")) == "line, 0.25 s (smaller)"


def test_samples_have_the_shapes_of_their_type() -> None:
    good = {"t": (2,), "pose": (2, 7), "velocity": (2, 6), "acceleration": (2, 6)}
    Samples(SPATIAL, *map(np.zeros, good.values()))
    for name, shape in good.items():
        wrong = good | {name: (*shape, 1)}
        with pytest.raises(MotionError, match=rf"samples: {name}: 2 states of spatial motion need \({shape[0]},"):
            Samples(SPATIAL, *map(np.zeros, wrong.values()))
    with pytest.raises(MotionError, match=r"velocity: 2 states of planar motion need \(2, 3\), got \(1, 3\)"):
        Samples(PLANAR, np.zeros(2), np.zeros((2, 3)), np.zeros((1, 3)), np.zeros((2, 3)))
    with pytest.raises(UnknownNameError, match=r"no type of motion 'round'; choose one of planar-translation"):
        motion_named("round")
