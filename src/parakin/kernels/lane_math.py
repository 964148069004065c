"""Functions of all lanes at once, as argument reduction and Taylor series: sin, cos, tan and their inverses; the table.

LLVM would call libm for each lane. Every series here is the plain Taylor series on an interval reduced until a dozen
terms are enough, so there are no fitted coefficients to trust; docs/kernels.md lists the intervals and the measured
errors. The same text serves width 1, so a result does not depend on how many neighbours it was computed with.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from parakin.kernels.lane_angles import HUGE_ANGLE, huge_angle
from parakin.kernels.lane_arithmetic import HALF_PI, absolute, difference_and_error, horner, nearest, pieces
from parakin.kernels.lane_exponentials import exp, log, power, tanh
from parakin.kernels.lane_remainder import fmod
from parakin.kernels.lanes import Lanes, Pair, Values

# sin and cos ---------------------------------------------------------------------------------------------------------

_TINY_ANGLE = 2.0**-27
"""Below it sin x is x to the last bit [rad]."""
_NEAR_ANGLE = 0.75
"""Below it, safely below pi/4, n is 0 [rad]."""
_SIN = [(-1) ** k / math.factorial(2 * k + 1) for k in range(1, 9)]
_COS = [(-1) ** k / math.factorial(2 * k) for k in range(2, 9)]


def sincos(b: Lanes, x: str) -> Pair:
    """Write sin x and cos x. Angles that need no reduction, in all lanes, skip it: the bits are the same."""
    s, c = b.where_all(
        lambda: b.compare("olt", absolute(b, x), b.number(_NEAR_ANGLE)),
        lambda: _sincos_near_zero(b, x, x, None),
        lambda: _sincos_of_any(b, x),
    )
    return s, c


def _sincos_of_any(b: Lanes, x: str) -> Pair:
    """Write sin x and cos x of angles of any size.

    r = x - n pi/2 in |r| <= pi/4 as an unevaluated sum r + r_low, two Taylor series, and the quadrant from the low bits
    of n. Infinite angles come out NaN.
    """
    size = absolute(b, x)
    huge = b.both(b.compare("oge", size, b.number(HUGE_ANGLE)), b.compare("olt", size, b.number(math.inf)))
    r, r_low, turns = b.where_any(huge, lambda: huge_angle(b, huge, x), _usual_angle(b, x))
    s, c = _sincos_near_zero(b, x, r, r_low)
    quadrant = b.bits(turns)
    odd = b.unequal(b.on_bits("and", quadrant, b.whole(1)), b.whole(0))
    sin_sign = b.on_bits("shl", b.on_bits("lshr", quadrant, b.whole(1)), b.whole(63))
    next_quadrant = b.on_bits("add", quadrant, b.whole(1))
    cos_sign = b.on_bits("shl", b.on_bits("lshr", next_quadrant, b.whole(1)), b.whole(63))
    sin_x = b.real_of(b.on_bits("xor", b.bits(b.select(odd, c, s)), sin_sign))
    cos_x = b.real_of(b.on_bits("xor", b.bits(b.select(odd, s, c)), cos_sign))
    return sin_x, cos_x


def _usual_angle(b: Lanes, x: str) -> Values:
    """Write r, r_low and a real whose low bits are n, for |x| < HUGE_ANGLE.

    pi/2 is in pieces of 33, 33, 33 and 53 bits, so that their products with n are exact.
    """
    n, shifted = nearest(b, x, 2.0 / math.pi)
    first, second, third, rest = pieces(HALF_PI, (33, 33, 33))
    y = b.sub(x, b.mul(n, b.number(first)))
    y, error_2 = difference_and_error(b, y, b.mul(n, b.number(second)))
    y, error_3 = difference_and_error(b, y, b.mul(n, b.number(third)))
    tail = b.sub(b.add(error_2, error_3), b.mul(n, b.number(rest)))
    r = b.add(y, tail)
    return r, b.add(b.sub(y, r), tail), shifted


def _sincos_near_zero(b: Lanes, x: str, r: str, r_low: str | None) -> Pair:
    """Write sin and cos of r + r_low, which is x modulo a quarter turn, in |r| <= pi/4; r_low may be None."""
    z = b.mul(r, r)
    half_z = b.mul(b.number(0.5), z)
    r_cubed = b.mul(r, z)
    # sin(r + r_low) = r + (r_low (1 - z/2) + r^3 S(z))
    series = horner(b, z, _SIN)
    by_r = b.mul(r_cubed, series) if r_low is None else b.fma(r_cubed, series, b.sub(r_low, b.mul(r_low, half_z)))
    s = b.add(r, by_r)
    # cos(r + r_low) = 1 - z/2 + (z^2 C(z) - r r_low), with what 1 - z/2 rounds away added back
    one_less = b.sub(b.number(1.0), half_z)
    lost = b.sub(b.sub(b.number(1.0), one_less), half_z)
    c_tail = b.mul(b.mul(z, z), horner(b, z, _COS))
    c = b.add(one_less, b.add(lost, c_tail if r_low is None else b.sub(c_tail, b.mul(r, r_low))))
    return b.select(b.compare("olt", absolute(b, x), b.number(_TINY_ANGLE)), x, s), c


def tan(b: Lanes, x: str) -> str:
    """Write tan x = sin x / cos x."""
    s, c = b.call_pair("sincos", x)
    return b.div(s, c)


# Inverse functions ---------------------------------------------------------------------------------------------------

_ATAN = [(-1) ** k / (2 * k + 1) for k in range(1, 14)]
_ATAN_HALF = Fraction(
    "0.463647609000806116214256231461214402028537054286120263810933088720197864165741705300600283984888"
)
_QUARTER_PI = HALF_PI / 2


def atan2(b: Lanes, y: str, x: str) -> str:
    """Write the angle of the point (x, y), signed zeros and infinities as in C99 Annex F.

    With small/large = min/max of |x|, |y|: t = (small - c large)/(large + c small) for c in {0, 1/2, 1}, |t| <= 0.24,
    atan(small/large) = atan(c) + t + t^3 A(t^2), then the octant.
    """
    abs_x, abs_y = absolute(b, x), absolute(b, y)
    steep = b.compare("ogt", abs_y, abs_x)
    small, large = b.select(steep, abs_x, abs_y), b.select(steep, abs_y, abs_x)

    infinite = b.compare("oeq", large, b.number(math.inf))
    diagonal = b.select(b.compare("oeq", small, b.number(math.inf)), b.number(1.0), b.number(0.0))
    small, large = b.select(infinite, diagonal, small), b.select(infinite, b.number(1.0), large)
    scale = b.select(
        b.compare("ogt", large, b.number(2.0**1000)),
        b.number(0.25),
        b.select(b.compare("olt", large, b.number(2.0**-900)), b.number(2.0**120), b.number(1.0)),
    )
    small, large = b.mul(small, scale), b.mul(large, scale)

    above_half = b.compare("ogt", small, b.mul(large, b.number(math.tan((math.atan(0.5) + math.pi / 4) / 2))))
    above_zero = b.compare("ogt", small, b.mul(large, b.number(math.tan(math.atan(0.5) / 2))))

    def choose(one: float, half: float, zero: float) -> str:
        return b.select(above_half, b.number(one), b.select(above_zero, b.number(half), b.number(zero)))

    (half_high, half_low), (one_high, one_low) = pieces(_ATAN_HALF, (53,)), pieces(_QUARTER_PI, (53,))
    c = choose(1.0, 0.5, 0.0)
    numerator = b.sub(small, b.mul(c, large))
    denominator = b.add(large, b.mul(c, small))
    origin = b.compare("oeq", large, b.number(0.0))
    t = b.div(numerator, b.select(origin, b.number(1.0), denominator))
    z = b.mul(t, t)
    low = b.fma(b.mul(t, z), horner(b, z, _ATAN), choose(one_low, half_low, 0.0))
    angle = b.add(choose(one_high, half_high, 0.0), b.add(t, low))

    half_pi_high, half_pi_low = pieces(HALF_PI, (53,))
    angle = b.select(steep, b.sub(b.number(half_pi_high), b.sub(angle, b.number(half_pi_low))), angle)
    behind = b.negative(b.bits(x))
    angle = b.select(behind, b.sub(b.number(2 * half_pi_high), b.sub(angle, b.number(2 * half_pi_low))), angle)
    angle = b.intrinsic("copysign", angle, y)
    return b.select(b.compare("uno", x, y), b.add(x, y), angle)


def atan(b: Lanes, x: str) -> str:
    """Write atan x = atan2(x, 1)."""
    return b.call("atan2", x, b.number(1.0))


def _cathetus(b: Lanes, x: str) -> str:
    """Write sqrt(1 - x^2), accurate up to |x| = 1 and NaN beyond."""
    one = b.number(1.0)
    return b.intrinsic("sqrt", b.mul(b.sub(one, x), b.add(one, x)))


def asin(b: Lanes, x: str) -> str:
    """Write asin x = atan2(x, sqrt(1 - x^2))."""
    return b.call("atan2", x, _cathetus(b, x))


def acos(b: Lanes, x: str) -> str:
    """Write acos x = atan2(sqrt(1 - x^2), x)."""
    return b.call("atan2", _cathetus(b, x), x)


# As functions of the module ------------------------------------------------------------------------------------------

LANE_FUNCTIONS: dict[str, tuple[int, Callable[..., str | tuple[str, str]]]] = {
    "sincos": (1, sincos),
    "tan": (1, tan),
    "atan2": (2, atan2),
    "atan": (1, atan),
    "asin": (1, asin),
    "acos": (1, acos),
    "exp": (1, exp),
    "tanh": (1, tanh),
    "log": (1, log),
    "pow": (2, power),
    "fmod": (2, fmod),
}
"""name -> (number of arguments, its writer)"""


def lane_function(name: str, width: int, *, fused: bool) -> tuple[str, Lanes]:
    """Write one lane function; return its text, and the writer with what it declares and calls itself."""
    arity, write = LANE_FUNCTIONS[name]
    b = Lanes(width, fused=fused)
    args = [f"%x{k}" for k in range(arity)]
    result = write(b, *args)
    kind = b.real
    if isinstance(result, tuple):
        kind = f"{{ {b.real}, {b.real} }}"
        first = b.let(f"insertvalue {kind} undef, {b.real} {result[0]}, 0")
        result = b.let(f"insertvalue {kind} {first}, {b.real} {result[1]}, 1")
    b.do(f"ret {kind} {result}")
    parameters = ", ".join(f"{b.real} {a}" for a in args)
    return b.text(f"internal {kind} @lane.{name}({parameters})"), b
