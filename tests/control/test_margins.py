"""Where a loop ends to be stable, looked for in loops whose answer is known."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np
import pytest

from parakin.control.tuning import matching
from parakin.control.tuning.margins import delay_margin, edge, last_stable, margins_of
from parakin.control.tuning.matching import _fastest
from parakin.errors import UnmatchedLawError


@dataclass
class KnownLoop:
    """Stable between two gains and up to a delay [s]."""

    period: float = 1e-3
    low: float = 0.25
    high: float = 8.0
    late: float = 3.7e-3

    @property
    def J(self) -> np.ndarray:
        return np.eye(2)

    def radius(self, gain: float = 1.0, extra_delay: float = 0.0) -> float:
        return 0.9 if self.low <= gain <= self.high and extra_delay <= self.late else 1.1

    def force_noise(self) -> np.ndarray:
        return np.array([0.1, 0.2])


def test_margins_of_a_known_loop() -> None:
    found = margins_of(KnownLoop())  # pyright: ignore[reportArgumentType]
    assert found.stable
    assert found.gain == pytest.approx(8.0, rel=1e-5)
    assert found.gain_low == pytest.approx(0.25, rel=1e-5)
    assert found.delay == pytest.approx(3.7e-3, rel=1e-5)
    assert found.force_noise.tolist() == [0.1, 0.2]


def test_a_loop_that_bears_everything() -> None:
    found = margins_of(KnownLoop(low=0.0, high=np.inf, late=np.inf))  # pyright: ignore[reportArgumentType]
    assert (found.gain, found.gain_low, found.delay) == (np.inf, 0.0, np.inf)


def test_a_loop_that_bears_nothing() -> None:
    found = margins_of(KnownLoop(low=2.0))  # pyright: ignore[reportArgumentType]
    assert not found.stable
    assert (found.gain, found.gain_low, found.delay) == (1.0, 1.0, 0.0)
    assert np.isnan(found.force_noise).all()


@pytest.mark.parametrize("most", [3e-3, 3.6e-3, 3.8e-3, 1e-4])
def test_a_delay_is_looked_for_as_far_as_asked(most: float) -> None:
    found = delay_margin(KnownLoop(), most)  # pyright: ignore[reportArgumentType]
    assert found == (np.inf if most <= 3.7e-3 else pytest.approx(3.7e-3, rel=1e-5))


def test_a_short_range_of_delays_without_stability_is_not_stepped_over() -> None:
    loop: Any = SimpleNamespace(period=1e-3, radius=lambda extra_delay: 1.1 if 4e-4 < extra_delay < 7e-4 else 0.9)
    assert delay_margin(loop) == pytest.approx(4e-4, rel=1e-4)


def test_searches_stay_on_the_good_side() -> None:
    assert 2.0 - 1e-5 < edge(lambda value: value <= 2.0, 1.0, 5.0) <= 2.0
    assert 2.0 <= edge(lambda value: value >= 2.0, 5.0, 1.0) < 2.0 + 1e-5
    assert last_stable(lambda value: 0.5 + value, np.array([0.0, 0.4]), 7.0) == 7.0
    assert last_stable(lambda value: 0.5 + value, np.array([0.0, 0.4, 0.9]), 7.0) == pytest.approx(0.5, abs=1e-5)


def test_the_fastest_of_several_ranges_is_taken() -> None:
    assert _fastest(lambda w: w < 20 or 100 < w < 300) == pytest.approx(300, rel=1e-4)
    assert _fastest(lambda w: w < 1e9) == pytest.approx(1500.0)
    assert _fastest(lambda w: w < 1.0) is None


@pytest.mark.parametrize(("rule", "target", "best"), [("delay", 1e-2, 1e-3), ("noise", 1e-3, 0.5)])
def test_a_law_that_cannot_be_matched_says_what_it_reaches_at_best(
    rule: Literal["delay", "noise"], target: float, best: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Loops whose delay margin falls and whose noise grows with the bandwidth: best at the lowest, 5 rad/s."""

    def loop_with(gains: Any) -> Any:
        w = gains["w"]
        late = 1e-3 * 5.0 / w
        return SimpleNamespace(
            period=1e-3,
            radius=lambda extra_delay=0.0: 0.9 if extra_delay <= late else 1.1,
            force_noise=lambda: np.array([0.1 * w, 0.05 * w]),
        )

    monkeypatch.setattr(matching, "gains_for", lambda _law, bandwidth, **_: {"w": bandwidth})
    law: Any = SimpleNamespace(name="known", period=1e-3)
    with pytest.raises(UnmatchedLawError) as caught:
        matching.matched_gains(law, rule, target, loop_with)
    assert caught.value.bandwidth == pytest.approx(5.0)
    assert caught.value.reached == pytest.approx(best, rel=1e-4)
