"""The path tracker on equations small enough to know their solutions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca
import numpy as np
import pytest

from parakin.assembly import tracker as tracking
from parakin.assembly.pairs import ZERO, Pair, Pairs, combined, factored
from parakin.assembly.system import System
from parakin.assembly.tracker import SMALLEST_STEP, TOLERANCE, Ending, track, tracker


@dataclass(frozen=True)
class Square:
    """y_1^2 = a y_0^2 at one t: y_1/y_0 is a square root of a, which is linear in t."""

    a: Pair
    change: Pair

    def values(self, z: Pairs) -> Pairs:
        return [z[1] * z[1] - self.a * z[0] * z[0]]

    def rates(self, z: Pairs) -> Pairs:
        return [-(self.change * z[0] * z[0])]

    def solver(self, z: Pairs, y: Pairs) -> Callable[[Pairs], Pairs]:
        row = [(self.a * z[0]).scaled(-2), z[1].scaled(2)]
        solved = factored([row, [value.conjugate() for value in y]])
        return lambda right: solved([*right, ZERO])


def _at(groups: dict[str, Pairs], t: ca.SX) -> Square:
    (a,) = combined(groups["end"], t, groups["change"])
    return Square(a, groups["change"][0])


def _expanded(start: Pairs, end: Pairs) -> dict[str, Pairs]:
    return {"end": end, "change": combined(start, -1, end)}


def square_root() -> System:
    return System("square_root_paths", (1, 1), 1, {"end": 1, "change": 1}, _expanded, _at)


BOTH = np.array([[1.0, 2.0], [1.0, -2.0]], complex)
"""The roots of 4."""


@pytest.mark.parametrize("end", [9.0, 0.25, 4.0j, -1.0 + 0.1j])
def test_each_root_goes_to_a_root(end: complex) -> None:
    paths = track(square_root, BOTH, np.array([4.0 + 0j]), np.array([end], complex))
    assert paths.arrived.all()
    assert not paths.t.any()
    assert np.linalg.norm(paths.y, axis=-1) == pytest.approx([1.0, 1.0])
    root = paths.y[:, 1] / paths.y[:, 0]
    assert root == pytest.approx(np.array([1, -1]) * np.sqrt(end), abs=1e-12), "each on its own branch"


def test_a_double_end_stalls_just_before_it() -> None:
    paths = track(square_root, BOTH, np.array([4.0 + 0j]), np.array([0.0j]))
    assert not paths.arrived.any()
    assert np.all(paths.t < 1e-6)


def test_smaller_tolerances_take_more_steps() -> None:
    theta = np.array([4.0 + 0j]), np.array([9.0 + 3.0j])
    coarse, fine = (track(square_root, BOTH, *theta, tolerance) for tolerance in (TOLERANCE, 1e-4 * TOLERANCE))
    assert fine.steps.min() > coarse.steps.max()
    roots = [paths.y[:, 1] / paths.y[:, 0] for paths in (coarse, fine)]
    assert roots[1] == pytest.approx(roots[0], abs=1e-12)


def test_one_kernel_for_a_kind() -> None:
    assert tracker(square_root) is tracker(square_root)


def decided(t: float, h: float, first: float, second: float) -> tuple[bool, float, Ending]:
    """Return whether a step with these corrections is taken, the next h, and how the path stands."""
    decide = tracking._decide(square_root())  # pyright: ignore[reportPrivateUsage]
    y, z = [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]
    inputs = {"y": y, "z": z, "t": t, "h": h, "size_1": first, "size_2": second, "tolerance": TOLERANCE}
    out = {name: np.array(value).ravel() for name, value in decide(**inputs).items()}
    taken = out["t_next"][0] < t
    assert out["y_next"].tolist() == (z if taken else y)
    return bool(taken), float(out["h_next"][0]), Ending(int(out["ending"][0]))


def test_a_step_is_taken_where_the_corrections_are_small_and_shrink() -> None:
    assert decided(0.8, 0.1, 0.1 * TOLERANCE, 1e-3 * TOLERANCE)[0]
    assert not decided(0.8, 0.1, 2.0 * TOLERANCE, 1e-3 * TOLERANCE)[0], "the prediction was too far off"
    assert not decided(0.8, 0.1, 0.1 * TOLERANCE, 0.09 * TOLERANCE)[0], "Newton does not contract"
    assert decided(0.8, 0.1, 1e-10, 0.9e-10)[0], "rounding need not contract"
    assert not decided(0.8, 0.1, np.nan, np.nan)[0]


def test_step_sizes_aim_at_half_the_tolerance() -> None:
    assert decided(0.8, 0.1, 0.5 * TOLERANCE, 1e-12)[1] == pytest.approx(0.09)
    assert decided(0.8, 0.1, 1e-9 * TOLERANCE, 1e-12)[1] == pytest.approx(0.3), "at most three times as long"
    assert decided(0.8, 0.1, 2.0 * TOLERANCE, 1e-12)[1] == pytest.approx(0.05), "at most half as long once refused"
    assert decided(0.8, 0.1, 1e9, 1e-12)[1] == pytest.approx(0.01), "at least a tenth"
    assert decided(0.8, 0.1, np.nan, np.nan)[1] == pytest.approx(0.01)
    assert decided(0.15, 0.1, 1e-9 * TOLERANCE, 1e-12)[1] == pytest.approx(0.05), "no further than t = 0"


def test_a_path_arrives_stalls_or_goes_on() -> None:
    assert decided(0.8, 0.1, 0.1 * TOLERANCE, 1e-12)[2] is Ending.UNDERWAY
    assert decided(0.1, 0.1, 0.1 * TOLERANCE, 1e-12)[2] is Ending.ARRIVED
    assert decided(0.1, 1.5 * SMALLEST_STEP, 2.0 * TOLERANCE, 1e-12)[2] is Ending.STALLED
