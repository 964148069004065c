"""The remainder of a division, exact for any two numbers: a long division in whole numbers."""

from __future__ import annotations

import math

from parakin.kernels.lane_arithmetic import absolute, real_of_whole, scaled_by_two
from parakin.kernels.lanes import Lanes, Pair, Values

_DIGITS = 11
"""Binary digits of the quotient in one step: 53 digits and these fill a word of 64."""


def fmod(b: Lanes, x: str, y: str) -> str:
    """Write x - n y with the whole n next to x/y towards zero, with the sign of x; as in C99 Annex F.

    |x| = M_x 2^(E_x), |y| = M_y 2^(E_y): the remainder is (M_x 2^(E_x - E_y) mod M_y) 2^(E_y), _DIGITS of the power of
    two at a time.
    """
    size_x, size_y, one = absolute(b, x), absolute(b, y), b.number(1.0)
    divides = b.both(b.compare("ole", size_y, size_x), b.compare("olt", size_x, b.number(math.inf)))
    divides = b.both(divides, b.compare("ogt", size_y, b.number(0.0)))
    smaller = b.select(b.compare("olt", size_x, size_y), x, b.number(math.nan))

    def divided() -> Values:
        rest, e_y = _remainder(b, b.select(divides, size_x, one), b.select(divides, size_y, one))
        high = b.mul(real_of_whole(b, b.on_bits("lshr", rest, b.whole(32))), b.number(2.0**32))
        whole = b.add(high, real_of_whole(b, b.on_bits("and", rest, b.whole(2**32 - 1))))
        return (b.intrinsic("copysign", scaled_by_two(b, whole, e_y), x),)

    return b.where_any(divides, divided, (smaller,))[0]


def _remainder(b: Lanes, x: str, y: str) -> Pair:
    """Write integers M and E with x mod y = M 2^E, for x >= y > 0."""
    (m_x, e_x), (m_y, e_y) = _whole_parts(b, x), _whole_parts(b, y)

    def step(values: Values) -> tuple[Values, str]:
        rest, left = values
        over = b.on_bits("sub", left, b.whole(_DIGITS))
        digits = b.on_bits("add", b.whole(_DIGITS), b.on_bits("and", over, b.on_bits("ashr", over, b.whole(63))))
        left = b.on_bits("sub", left, digits)
        rest = b.on_bits("urem", b.on_bits("shl", rest, digits), m_y)
        return (rest, left), b.unequal(left, b.whole(0))

    rest, _ = b.repeat_while((m_x, b.on_bits("sub", e_x, e_y)), step)
    return rest, e_y


def _whole_parts(b: Lanes, size: str) -> Pair:
    """Write integers M of 53 bits and E with size = M 2^E, of positive numbers."""
    subnormal = b.compare("olt", size, b.number(2.0**-1022))
    bits = b.bits(b.select(subnormal, b.mul(size, b.number(2.0**54)), size))
    offset = b.bits(b.select(subnormal, b.pattern(1075 + 54), b.pattern(1075)))
    m = b.on_bits("or", b.on_bits("and", bits, b.whole(2**52 - 1)), b.whole(2**52))
    return m, b.on_bits("sub", b.on_bits("lshr", bits, b.whole(52)), offset)
