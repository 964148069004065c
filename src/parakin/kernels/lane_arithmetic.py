"""What lane functions share: constants in pieces, polynomials, and sums and products with what rounding takes away."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from parakin.kernels.lanes import Lanes, Pair

SHIFTER = 1.5 * 2.0**52
"""Adding it to a number of magnitude below 2^51 rounds that to the nearest integer, and puts it into the low bits."""

HALF_PI = Fraction("1.57079632679489661923132169163975144209858469968755291048747229615390820314310449931401741267105")
"""pi/2 as an exact fraction, good to well over 160 bits."""
LN2 = Fraction("0.693147180559945309417232121458176568075500134360255254120680009493393621969694715605863326996418")
"""ln 2 as an exact fraction, good to well over 160 bits."""


def pieces(value: Fraction, bits: Sequence[int]) -> list[float]:
    """Split a number into doubles that add up to it, each but the last cut to so many significant bits."""
    parts: list[float] = []
    for count in bits:
        exponent = math.frexp(float(value))[1]
        scale = Fraction(2) ** (count - exponent)
        part = float(Fraction(math.floor(value * scale)) / scale)
        parts.append(part)
        value -= Fraction(part)
    return [*parts, float(value)]


def horner(b: Lanes, x: str, coefficients: Sequence[float]) -> str:
    """Write the polynomial coefficients[0] + coefficients[1] x + ..."""
    total = b.number(coefficients[-1])
    for c in reversed(coefficients[:-1]):
        total = b.fma(total, x, b.number(c))
    return total


def difference_and_error(b: Lanes, x: str, y: str) -> tuple[str, str]:
    """Write s = fl(x - y) and e with s + e = x - y exactly, in any order of magnitude [Knuth1997]."""
    s = b.sub(x, y)
    back = b.sub(s, x)
    return s, b.sub(b.sub(x, b.sub(s, back)), b.add(y, back))


def absolute(b: Lanes, x: str) -> str:
    """Write |x|."""
    return b.intrinsic("fabs", x)


def nearest(b: Lanes, x: str, scale: float) -> tuple[str, str]:
    """Write the integer nearest to x scale, as a real and as the shifted real whose low bits it is."""
    shifted = b.add(b.mul(x, b.number(scale)), b.number(SHIFTER))
    return b.sub(shifted, b.number(SHIFTER)), shifted


def real_of_whole(b: Lanes, n: str) -> str:
    """Write an integer of magnitude below 2^51 as a real."""
    return b.sub(b.real_of(b.on_bits("add", n, b.bits(b.number(SHIFTER)))), b.number(SHIFTER))


def power_of_two(b: Lanes, n: str) -> str:
    """Write 2^n of integers n from -1022 to 1023, by their place in the exponent's bits."""
    return b.real_of(b.on_bits("shl", b.on_bits("add", n, b.whole(1023)), b.whole(52)))


def scaled_by_two(b: Lanes, x: str, n: str) -> str:
    """Write x 2^n in two steps, so that results below 2^-1022 round once, for x of about 1 and |n| < 2044."""
    half = b.on_bits("ashr", n, b.whole(1))
    return b.mul(b.mul(x, power_of_two(b, half)), power_of_two(b, b.on_bits("sub", n, half)))


def sum_and_error(b: Lanes, x: str, y: str) -> Pair:
    """Write s = fl(x + y) and e with s + e = x + y exactly, in any order of magnitude [Knuth1997]."""
    s = b.add(x, y)
    y_seen = b.sub(s, x)
    return s, b.add(b.sub(x, b.sub(s, y_seen)), b.sub(y, y_seen))


def sorted_sum_and_error(b: Lanes, x: str, y: str) -> Pair:
    """Write s = fl(x + y) and e with s + e = x + y exactly, for |x| >= |y| or x = 0."""
    s = b.add(x, y)
    return s, b.sub(y, b.sub(s, x))


def product_and_error(b: Lanes, x: str, y: str) -> Pair:
    """Write p = fl(x y) and e with p + e = x y up to a rounding of e, unless e underflows [Dekker1971]."""
    p = b.mul(x, y)
    if b.fused:
        return p, b.fma(x, y, b.neg(p))
    (x_high, x_low), (y_high, y_low) = _halves(b, x), _halves(b, y)
    e = b.add(b.sub(b.mul(x_high, y_high), p), b.mul(x_high, y_low))
    return p, b.add(b.add(e, b.mul(x_low, y_high)), b.mul(x_low, y_low))


def _halves(b: Lanes, x: str) -> Pair:
    """Write x as the sum of its 26 leading bits and the others."""
    high = b.real_of(b.on_bits("and", b.bits(x), b.whole(-(2**27))))
    return high, b.sub(x, high)
