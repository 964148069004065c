"""Angles so large that pi/2 must be known to a thousand bits: x 2/pi modulo 4 in whole numbers [Payne1983].

x = M 2^E with a whole M of 53 bits. Of the binary digits of 2/pi those before the digit 2^(1-E) give multiples of 4
turns of a quarter, and are left out; of the 192 after them those that do not matter lie below 2^-137, while no double
comes nearer to a multiple of pi/2 than 2^-62 [Muller2010].
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise

from parakin.kernels.lane_arithmetic import (
    HALF_PI,
    absolute,
    pieces,
    product_and_error,
    real_of_whole,
    sorted_sum_and_error,
    sum_and_error,
)
from parakin.kernels.lanes import Lanes, Values

HUGE_ANGLE = 2.0**20
"""From it on n pi/2 no longer splits into exact products [rad]."""
_ZEROS = 64
"""Zeros before the first digit of 2/pi in the table."""
_WORDS = 20
"""Words of 64 digits in the table: the largest double starts 1033 digits behind the first."""
_FIRST = 1075 - _ZEROS + 2
"""Exponent, as doubles store it, of the angles whose first digit that matters is the table's first."""
_LOW = 2**32 - 1


@cache
def _table() -> tuple[int, ...]:
    """Return the binary digits of 2/pi after zeros, 64 in each word; pi by Machin's formula."""
    digits = 64 * _WORDS - _ZEROS
    more = digits + 64

    def inverse_tangent(n: int) -> int:
        total, term, k = 0, 2**more // n, 1
        while term:
            total += term // k if k % 4 == 1 else -(term // k)
            term, k = term // (n * n), k + 2
        return total

    pi = 4 * (4 * inverse_tangent(5) - inverse_tangent(239))
    number = 2 ** (digits + 1 + more) // pi
    return tuple(number >> (64 * k) & (2**64 - 1) for k in reversed(range(_WORDS)))


def huge_angle(b: Lanes, huge: str, x: str) -> Values:
    """Write r, r_low and a real whose low bits are n, x = n pi/2 + r + r_low, where `huge` is set.

    Elsewhere they mean nothing.
    """
    bits = b.bits(b.select(huge, absolute(b, x), b.number(HUGE_ANGLE)))
    limbs = _quarter_turns(b, bits)
    high, low = (b.on_bits("or", b.on_bits("shl", a, b.whole(32)), c) for a, c in (limbs[:2], limbs[2:]))
    n = b.on_bits("lshr", b.on_bits("add", high, b.whole(2**61)), b.whole(62))
    first = b.on_bits("or", b.on_bits("shl", high, b.whole(2)), b.on_bits("lshr", low, b.whole(62)))
    second = b.on_bits("shl", low, b.whole(2))
    parts = [
        b.mul(real_of_whole(b, part), b.number(scale))
        for part, scale in (
            (b.on_bits("ashr", first, b.whole(32)), 2.0**-32),
            (b.on_bits("and", first, b.whole(_LOW)), 2.0**-64),
            (b.on_bits("lshr", second, b.whole(32)), 2.0**-96),
            (b.on_bits("and", second, b.whole(_LOW)), 2.0**-128),
        )
    ]
    f, error_1 = sorted_sum_and_error(b, parts[0], parts[1])
    f, error_2 = sum_and_error(b, f, parts[2])
    f_low = b.add(b.add(error_1, error_2), parts[3])
    # r = (f + f_low) pi/2
    pi_high, pi_low = pieces(HALF_PI, (53,))
    r, error = product_and_error(b, f, b.number(pi_high))
    rest = b.add(error, b.add(b.mul(f, b.number(pi_low)), b.mul(f_low, b.number(pi_high))))
    r, r_low = sorted_sum_and_error(b, r, rest)
    turned = b.negative(b.bits(x))
    n_turned = b.on_bits("sub", b.whole(4), n)
    return (
        b.select(turned, b.neg(r), r),
        b.select(turned, b.neg(r_low), r_low),
        b.select(turned, b.real_of(n_turned), b.real_of(n)),
    )


def _quarter_turns(b: Lanes, bits: str) -> list[str]:
    """Write x 2/pi modulo 4, times 2^126, as four numbers of 32 bits, the highest first."""
    first = b.on_bits("sub", b.on_bits("lshr", bits, b.whole(52)), b.whole(_FIRST))
    word, skipped = b.on_bits("lshr", first, b.whole(6)), b.on_bits("and", first, b.whole(63))
    words = [b.word("two_over_pi", _table(), b.on_bits("add", word, b.whole(k))) for k in range(4)]
    rest = b.on_bits("sub", b.whole(63), skipped)
    digits: list[str] = []
    for word, following in pairwise(words):
        over = b.on_bits("lshr", b.on_bits("lshr", following, b.whole(1)), rest)
        both = b.on_bits("or", b.on_bits("shl", word, skipped), over)
        digits += [b.on_bits("lshr", both, b.whole(32)), b.on_bits("and", both, b.whole(_LOW))]
    whole = b.on_bits("or", b.on_bits("and", bits, b.whole(2**52 - 1)), b.whole(2**52))
    m_high, m_low = b.on_bits("lshr", whole, b.whole(32)), b.on_bits("and", whole, b.whole(_LOW))
    products = [b.on_bits("mul", m_low, digit) for digit in digits]
    limbs: list[str] = []
    carried: str | None = None
    for k in reversed(range(5)):  # the fifth does nothing but carry
        total = b.on_bits("add", b.on_bits("and", products[k], b.whole(_LOW)), b.on_bits("mul", m_high, digits[k + 1]))
        total = b.on_bits("add", total, b.on_bits("lshr", products[k + 1], b.whole(32)))
        if carried is not None:
            total = b.on_bits("add", total, b.on_bits("lshr", carried, b.whole(32)))
            limbs.insert(0, b.on_bits("and", total, b.whole(_LOW)))
        carried = total
    return limbs
