"""The lane functions against 50-digit values, over their whole domain, and the same bits at every width."""

from __future__ import annotations

import casadi as ca
import mpmath
import numpy as np
import pytest

from parakin.kernels import Kernel
from tests.kernels.lane_functions import ULPS, arguments, kernel_of
from tests.support import SPECIAL, WIDTHS, below_the_checks, same_bits

MPMATH = {name: getattr(mpmath, name) for name in ULPS if name != "pow"} | {"pow": mpmath.power}


def true_value(name: str, state: np.ndarray) -> mpmath.mpf | None:
    """To 50 digits; None where argument or result is not a finite real number, or hangs on the sign of a zero."""
    arguments = [mpmath.mpf(float(v)) for v in (state if name in ("atan2", "pow") else state[:1])]
    if not all(mpmath.isfinite(a) for a in arguments) or (name == "atan2" and 0.0 in arguments):
        return None
    try:
        value = MPMATH[name](*arguments)
    except (ValueError, ZeroDivisionError):
        return None
    return value if isinstance(value, mpmath.mpf) and mpmath.isfinite(value) else None


def error_in_ulps(got: float, want: mpmath.mpf) -> float:
    if abs(want) > mpmath.mpf(np.finfo(float).max):
        return 0.0 if np.isinf(got) and np.sign(got) == mpmath.sign(want) else np.inf
    spacing = np.spacing(np.nextafter(abs(float(want)), 0.0)) if want else 5e-324
    return float(abs(mpmath.mpf(float(got)) - want) / mpmath.mpf(float(spacing)))


@pytest.mark.parametrize("name", sorted(ULPS))
def test_error_is_within_its_bound_on_the_whole_domain(name: str) -> None:
    states = arguments(name)
    got = below_the_checks(kernel_of(name), 4)(states)[0][:, 0]
    worst = (0.0, (0.0, 0.0), 0.0)
    with mpmath.workdps(50):
        for state, value in zip(states, got, strict=True):
            want = true_value(name, state)
            if want is not None:
                worst = max(worst, (error_in_ulps(value, want), tuple(state), value))
    print(f"{name}: {worst[0]:.2f} ulp at {worst[1]}")
    assert worst[0] <= ULPS[name], worst


@pytest.mark.parametrize("name", sorted(ULPS))
def test_special_values_are_those_of_c(name: str) -> None:
    """Infinities, NaN and signed zeros come out as from libm, through CasADi."""
    kernel = kernel_of(name)
    states = np.stack(np.meshgrid(SPECIAL, SPECIAL), axis=-1).reshape(-1, 2)
    states = np.concatenate([states, states[: -len(states) % 8]])
    got = below_the_checks(kernel, 4)(states)[0][:, 0]
    want = np.array([float(kernel.casadi(state)) for state in states])
    assert np.array_equal(np.isnan(got), np.isnan(want)), states[np.isnan(got) != np.isnan(want)]
    assert np.array_equal(np.isinf(got), np.isinf(want)), states[np.isinf(got) != np.isinf(want)]
    numbers = ~np.isnan(want)
    assert np.array_equal(np.signbit(got[numbers]), np.signbit(want[numbers]))


@pytest.mark.parametrize("name", sorted(ULPS))
def test_bits_do_not_depend_on_the_width(name: str) -> None:
    states = arguments(name)
    results = [below_the_checks(kernel_of(name), width)(states)[0] for width in WIDTHS]
    for result in results[1:]:
        assert same_bits(results[0], result).all()


def test_remainders_are_exact() -> None:
    x = ca.SX.sym("x", 2)
    kernel = Kernel(ca.Function("remainder", [x], [ca.fmod(x[0], x[1])], ["x"], ["y"]))
    rng = np.random.default_rng(0)
    signs = rng.choice([-1.0, 1.0], (2, 4000))
    first, second = signs * 2.0 ** rng.uniform(-1074, 1023.9, (2, 4000))
    near = first / rng.integers(1, 50, 4000)
    special = np.stack(np.meshgrid(SPECIAL, SPECIAL), axis=-1).reshape(-1, 2)
    wide = np.stack([np.concatenate([first, first]), np.concatenate([second, near])], axis=1)
    states = np.concatenate([wide, special])
    states = states[: len(states) // 8 * 8]
    got = [below_the_checks(kernel, width)(states)[0][:, 0] for width in WIDTHS]
    with np.errstate(invalid="ignore"):
        want = np.fmod(states[:, 0], states[:, 1])
    for values in got:
        assert same_bits(values, want).all(), states[~same_bits(values, want)][:5]
