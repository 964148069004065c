"""Moves with limited jerk: limits are kept, no limit is left unused, and the times are those of the textbook."""

from __future__ import annotations

import functools
import itertools

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parakin.arrays import Array
from parakin.kernels import Kernel
from parakin.trajectory.onboard.jerk_limited import Times, share_at, times_of

AXES = 3
LIMIT_ROUNDING = 1e-9
"""Share by which a limit may seem exceeded: the jerk is a difference of accelerations, 1e-13 of them, over a step."""


@functools.cache
def kernels() -> tuple[Kernel, Kernel]:
    way, v, a, j = (ca.SX.sym(name, AXES) for name in ("way", "v", "a", "j"))
    made = times_of(way, v, a, j)
    times, t = ca.SX.sym("times", 3), ca.SX.sym("t")
    timing = ca.Function(
        "timing", [way, v, a, j], [ca.vertcat(*made), made.total], ["way", "v", "a", "j"], ["times", "T"]
    )
    profile = ca.Function(
        "profile", [times, t], list(share_at(t, Times(*ca.vertsplit(times)))), ["times", "t"], ["p", "v", "a"]
    )
    return Kernel(timing), Kernel(profile)


size = st.floats(-3, 2).map(lambda e: 10.0**e)
limits = st.lists(st.floats(-1, 3).map(lambda e: 10.0**e), min_size=AXES, max_size=AXES)
ways = st.lists(st.floats(-1.0, 1.0), min_size=AXES, max_size=AXES).filter(lambda way: max(map(abs, way)) > 1e-3)


def textbook(v: float, a: float, j: float) -> float:
    """The time of the fastest move over the distance 1, [Biagiotti2008] sec. 3.4, case by case."""
    ramp = a / j + v / a if v * j >= a**2 else 2 * (v / j) ** 0.5
    if 1 / v - ramp >= 0:
        return 1 / v + ramp
    if 2 * a**3 / j**2 <= 1:
        ramp = a / (2 * j) + ((a / (2 * j)) ** 2 + 1 / a) ** 0.5
        return 2 * ramp
    return 4 * (1 / (2 * j)) ** (1 / 3)


@settings(max_examples=100, deadline=None)
@given(way=ways, scale=size, v=limits, a=limits, j=limits)
def test_limits_are_kept_and_times_are_those_of_the_textbook(
    way: list[float], scale: float, v: list[float], a: list[float], j: list[float]
) -> None:
    d = scale * np.array(way)
    made = kernels()[0].evaluate({"way": d, "v": v, "a": a, "j": j})
    total, times = float(made["T"]), np.asarray(made["times"])
    assert (times >= 0.0).all()
    common = [1 / float((np.abs(d) / np.array(limit)).max()) for limit in (v, a, j)]
    assert total == pytest.approx(textbook(*common), rel=1e-12)
    knots = np.cumsum([0, times[1], times[0] - times[1], times[1], times[2], times[1], times[0] - times[1], times[1]])
    t = np.unique(np.concatenate([np.linspace(*ends, 9) for ends in itertools.pairwise(knots)]))
    said = kernels()[1].evaluate({"times": np.tile(times, (len(t), 1)), "t": t})
    peaks = [np.abs(said["v"]).max(), np.abs(said["a"]).max()]
    lengths = np.diff(knots)
    slopes = np.diff(np.asarray(kernels()[1].evaluate({"times": np.tile(times, (8, 1)), "t": knots})["a"]))
    real = lengths > 1e-6 * total
    jerk = np.abs(slopes[real] / lengths[real]).max()
    for reached, limit in zip((*peaks, jerk), common, strict=True):
        assert reached <= limit * (1 + LIMIT_ROUNDING)
    assert max(reached / limit for reached, limit in zip((*peaks, jerk), common, strict=True)) > 1 - LIMIT_ROUNDING
    assert said["p"][0] == 0.0
    assert said["p"][-1] == pytest.approx(1.0, abs=1e-12)
    assert (np.diff(said["p"]) >= -1e-12).all()


@settings(max_examples=50, deadline=None)
@given(way=ways, v=limits, a=limits, j=limits, when=st.floats(0.01, 0.99))
def test_rates_are_derivatives(way: list[float], v: list[float], a: list[float], j: list[float], when: float) -> None:
    made = kernels()[0].evaluate({"way": way, "v": v, "a": a, "j": j})
    times, T = np.asarray(made["times"]), float(made["T"])
    step = 1e-4 * T
    t = when * T + np.array([-step, 0.0, step])

    def at(t: Array) -> dict[str, Array]:
        return dict(kernels()[1].evaluate({"times": np.tile(times, (len(t), 1)), "t": t}))

    said = at(t)
    jerk = 1 / (times[0] * times[1] * (times.sum()))
    assert (said["p"][2] - said["p"][0]) / (2 * step) == pytest.approx(said["v"][1], abs=jerk * step**2)
    assert (said["v"][2] - said["v"][0]) / (2 * step) == pytest.approx(said["a"][1], abs=jerk * step)


def test_no_way_takes_no_time() -> None:
    made = kernels()[0].evaluate({"way": np.zeros(AXES), "v": np.ones(AXES), "a": np.ones(AXES), "j": np.ones(AXES)})
    assert 0.0 < float(made["T"]) < 1e-8
    said = kernels()[1].evaluate({"times": made["times"], "t": 1e-3})
    assert (said["p"], said["v"], said["a"]) == (1.0, 0.0, 0.0)
