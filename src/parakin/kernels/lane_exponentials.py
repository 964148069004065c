"""exp, tanh, log and pow of all lanes: powers of two apart, and Taylor series on what is left."""

from __future__ import annotations

import math
from fractions import Fraction

from parakin.kernels.lane_arithmetic import (
    LN2,
    SHIFTER,
    absolute,
    difference_and_error,
    horner,
    nearest,
    pieces,
    power_of_two,
    product_and_error,
    real_of_whole,
    scaled_by_two,
    sorted_sum_and_error,
    sum_and_error,
)
from parakin.kernels.lanes import Lanes, Pair

_EXP = [1 / math.factorial(k) for k in range(2, 15)]


def _exp_parts(b: Lanes, x: str) -> tuple[str, str]:
    """Write n (as an integer) and e^r - 1 with x = n ln 2 + r, |r| <= ln 2 / 2."""
    n, shifted = nearest(b, x, 1.0 / math.log(2.0))
    ln2_high, ln2_low = pieces(LN2, (33,))
    high = b.sub(x, b.mul(n, b.number(ln2_high)))
    r, r_low = difference_and_error(b, high, b.mul(n, b.number(ln2_low)))
    series = b.fma(b.mul(r, r), horner(b, r, _EXP), r_low)
    return b.on_bits("sub", b.bits(shifted), b.bits(b.number(SHIFTER))), b.add(r, series)


def exp(b: Lanes, x: str) -> str:
    """Write e^x = 2^n e^r, scaled in two steps so that subnormal results round once."""
    x = b.select(b.compare("ogt", x, b.number(710.0)), b.number(710.0), x)
    x = b.select(b.compare("olt", x, b.number(-746.0)), b.number(-746.0), x)
    n, less_one = _exp_parts(b, x)
    return scaled_by_two(b, b.add(b.number(1.0), less_one), n)


def tanh(b: Lanes, x: str) -> str:
    """Write tanh |x| = -m / (2 + m) with m = e^(-2|x|) - 1, computed without cancellation, and the sign of x."""
    twice = b.mul(b.number(-2.0), absolute(b, x))
    twice = b.select(b.compare("olt", twice, b.number(-44.0)), b.number(-44.0), twice)
    n, less_one = _exp_parts(b, twice)
    scale = power_of_two(b, n)
    m = b.add(b.mul(scale, less_one), b.sub(scale, b.number(1.0)))
    return b.intrinsic("copysign", b.div(b.neg(m), b.add(b.number(2.0), m)), x)


_LOG = [2 / (2 * k + 1) for k in range(1, 12)]


def _log_parts(b: Lanes, x: str) -> Pair:
    """Write n, as a real, and f with x = 2^n (1 + f), sqrt(1/2) <= 1 + f < sqrt(2), of x > 0."""
    subnormal = b.compare("olt", x, b.number(2.0**-1022))
    scaled = b.select(subnormal, b.mul(x, b.number(2.0**54)), x)
    bits = b.bits(scaled)
    n = b.on_bits("ashr", b.on_bits("sub", bits, b.bits(b.number(math.sqrt(0.5)))), b.whole(52))
    f = b.sub(b.real_of(b.on_bits("sub", bits, b.on_bits("shl", n, b.whole(52)))), b.number(1.0))
    return b.sub(real_of_whole(b, n), b.select(subnormal, b.number(54.0), b.number(0.0))), f


def log(b: Lanes, x: str) -> str:
    """Write the natural logarithm of x = 2^n (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2).

    log(1 + f) = 2 atanh(s) with s = f/(2 + f).
    """
    exponent, f = _log_parts(b, x)
    s = b.div(f, b.add(b.number(2.0), f))
    z = b.mul(s, s)
    half_square = b.mul(b.number(0.5), b.mul(f, f))
    series = b.mul(z, horner(b, z, _LOG))
    # log(1 + f) = f - (f^2/2 - s (f^2/2 + series))
    ln2_high, ln2_low = pieces(LN2, (33,))
    small = b.fma(s, b.add(half_square, series), b.mul(exponent, b.number(ln2_low)))
    finite = b.sub(b.mul(exponent, b.number(ln2_high)), b.sub(b.sub(half_square, small), f))

    result = b.select(b.compare("olt", x, b.number(math.inf)), finite, x)  # infinity and NaN stay
    result = b.select(b.compare("oeq", x, b.number(0.0)), b.number(-math.inf), result)
    return b.select(b.compare("olt", x, b.number(0.0)), b.number(math.nan), result)


# Powers --------------------------------------------------------------------------------------------------------------

_LOG_TAIL = [2 / (2 * k + 1) for k in range(3, 15)]
_LARGEST_POWER = 2.0**70
"""No power of a double other than 1 by an exponent beyond it is anything but 0 or infinite."""


def _log_pair(b: Lanes, x: str) -> Pair:
    """Write log x of x > 0 as an unevaluated sum of two reals, to some 70 bits.

    log(1 + f) = 2 s + s z (2/3 + z (2/5 + z (2/7 + ...))) with s = f/(2 + f), z = s^2; all but the dots in pairs.
    """
    exponent, f = _log_parts(b, x)
    d, d_low = sorted_sum_and_error(b, b.number(2.0), f)
    s = b.div(f, d)
    p, e = product_and_error(b, s, d)
    s_low = b.div(b.sub(b.sub(b.sub(f, p), e), b.mul(s, d_low)), d)
    z, e = product_and_error(b, s, s)
    z_low = b.add(e, b.mul(b.add(s, s), s_low))
    (third, third_low), (fifth, fifth_low) = pieces(Fraction(2, 3), (53,)), pieces(Fraction(2, 5), (53,))
    t, e = sorted_sum_and_error(b, b.number(fifth), b.mul(z, horner(b, z, _LOG_TAIL)))
    t, t_low = _pair_product(b, (z, z_low), (t, b.add(e, b.number(fifth_low))))
    t, e = sorted_sum_and_error(b, b.number(third), t)
    t, t_low = _pair_product(b, (z, z_low), (t, b.add(e, b.add(t_low, b.number(third_low)))))
    t, t_low = _pair_product(b, (s, s_low), (t, t_low))
    t, e = sorted_sum_and_error(b, b.add(s, s), t)
    t_low = b.add(e, b.add(b.add(s_low, s_low), t_low))
    ln2_high, ln2_low = pieces(LN2, (33,))
    total, e = sorted_sum_and_error(b, b.mul(exponent, b.number(ln2_high)), t)
    return sorted_sum_and_error(b, total, b.add(e, b.add(b.mul(exponent, b.number(ln2_low)), t_low)))


def _pair_product(b: Lanes, x: Pair, y: Pair) -> Pair:
    """Write the product of two unevaluated sums as another."""
    p, e = product_and_error(b, x[0], y[0])
    return p, b.add(e, b.add(b.mul(x[0], y[1]), b.mul(x[1], y[0])))


def _exp_of_pair(b: Lanes, x: str, x_low: str) -> str:
    """Write e^(x + x_low) for -746 <= x <= 710, with |x_low| no more than a rounding of x."""
    n, shifted = nearest(b, x, 1.0 / math.log(2.0))
    ln2_high, ln2_low = pieces(LN2, (33,))
    r, e = difference_and_error(b, b.sub(x, b.mul(n, b.number(ln2_high))), b.mul(n, b.number(ln2_low)))
    r, more = sum_and_error(b, r, x_low)
    r_low = b.add(e, more)
    series = b.fma(b.mul(r, r), horner(b, r, _EXP), b.add(r_low, b.mul(r_low, r)))
    mantissa, e = sorted_sum_and_error(b, b.number(1.0), r)
    whole = b.on_bits("sub", b.bits(shifted), b.bits(b.number(SHIFTER)))
    return scaled_by_two(b, b.add(mantissa, b.add(e, series)), whole)


def power(b: Lanes, x: str, y: str) -> str:
    """Write x^y = e^(y log |x|), the logarithm in two reals; signs, zeros and infinities as in C99 Annex F."""
    zero, one, infinite = b.number(0.0), b.number(1.0), b.number(math.inf)
    size = absolute(b, x)
    exponent = b.select(b.compare("ogt", y, b.number(_LARGEST_POWER)), b.number(_LARGEST_POWER), y)
    exponent = b.select(b.compare("olt", y, b.number(-_LARGEST_POWER)), b.number(-_LARGEST_POWER), exponent)
    log_x, log_low = _log_pair(b, size)
    product, e = product_and_error(b, exponent, log_x)
    product, low = sorted_sum_and_error(b, product, b.add(e, b.mul(exponent, log_low)))
    known = b.select(b.compare("oeq", size, zero), b.neg(infinite), log_x)
    known = b.select(b.compare("oeq", size, infinite), infinite, known)
    estimate = b.mul(exponent, known)
    above, below = b.compare("ogt", estimate, b.number(710.0)), b.compare("olt", estimate, b.number(-746.0))
    product = b.select(above, b.number(710.0), b.select(below, b.number(-746.0), product))
    result = _exp_of_pair(b, product, b.select(b.either(above, below), zero, low))

    whole = b.compare("oeq", b.intrinsic("floor", y), y)
    half = b.mul(y, b.number(0.5))
    odd = b.both(whole, b.compare("une", b.intrinsic("floor", half), half))
    result = b.select(b.both(odd, b.negative(b.bits(x))), b.neg(result), result)
    below_zero = b.both(b.compare("olt", x, zero), b.compare("ogt", x, b.neg(infinite)))
    result = b.select(b.both(below_zero, b.inverted(whole)), b.number(math.nan), result)
    result = b.select(b.compare("uno", x, y), b.add(x, y), result)
    return b.select(b.either(b.compare("oeq", x, one), b.compare("oeq", y, zero)), one, result)
