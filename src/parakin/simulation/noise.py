"""Sensor noise is drawn inside the loop's kernel, and depends on seed, scenario, channel and tick alone.

Each scenario and channel has a source of its own, the six numbers of MRG32k3a [LEcuyer1999], which go on from tick to
tick like every other signal of the loop. So the numbers are the same for any split of ticks, scenarios and threads:

    s1(n) = (1403580 s1(n-2) -  810728 s1(n-3)) mod 4294967087
    s2(n) = ( 527612 s2(n-1) - 1370589 s2(n-3)) mod 4294944443        u = ((s1 - s2) mod 4294967087) / 4294967088

Every product and difference is a whole number below 2^53, exact in doubles, so that rounding, contraction and vector
width change nothing. Pairs of u become pairs of standard normal numbers [Box1958], up to 6.7 in size:

    sqrt(-2 log u1) cos(2 pi u2),   sqrt(-2 log u1) sin(2 pi u2)

A source begins where a hash of seed, stream and channel puts it on the generator's cycle, which is 2^191 long.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array

MODULI = (4294967087, 4294944443)
"""Moduli of the two recurrences."""
CHANNELS = {"noise": 1, "pose_noise": 2, "jitter": 3, "sensor_noise": 4}
"""Number of each signal in the hash: encoders, sensors of the pose and the clock draw nothing alike."""
SOURCE = 6
"""Numbers of a source: the last three of each recurrence, the oldest first."""
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""Step of the hash: 2^64 divided by the golden ratio."""


def source_of(channel: str) -> str:
    """Return the name of the signal that carries a channel's source."""
    return f"{channel}_source"


def drawing(channel: str, size: int) -> ca.Function:
    """Return the function that draws a channel's standard normal numbers (size) for a tick, and moves its source on."""
    source = ca.SX.sym("source", SOURCE)
    state, uniform = source, list[ca.SX]()
    for _ in range(size + size % 2):
        state, u = _next(state)
        uniform.append(u)
    drawn: list[ca.SX] = []
    for first, second in zip(uniform[::2], uniform[1::2], strict=True):
        radius, angle = ca.sqrt(-2 * ca.log(first)), 2 * math.pi * second
        drawn += [radius * ca.cos(angle), radius * ca.sin(angle)]
    names = [source_of(channel)], [f"next_{source_of(channel)}", channel]
    return ca.Function(f"draw_{channel}", [source], [state, ca.vertcat(*drawn[:size])], *names, {"cse": True})


def shifting(period: float, steps: int) -> ca.Function:
    """Return the function that draws how late the next tick is, evenly within +-jitter, and the plant's steps to it.

    step = (period + next shift - shift)/steps
    """
    source, jitter, shift = ca.SX.sym("source", SOURCE), ca.SX.sym("jitter"), ca.SX.sym("shift")
    state, u = _next(source)
    late = jitter * (2 * u - 1)
    names = [source_of("jitter"), "jitter", "shift"], [f"next_{source_of('jitter')}", "next_shift", "step"]
    return ca.Function("shift_tick", [source, jitter, shift], [state, late, (period + late - shift) / steps], *names)


def silence(channel: str, size: int) -> ca.Function:
    """Return the function that stands for `drawing` where no scenario has this noise: zeros."""
    return ca.Function(f"no_{channel}", [], [ca.SX(ca.DM([0.0] * size))], [], [channel])


def _next(state: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Return the source one number further, and that number, between 0 and 1."""
    s1 = _modulo(1403580 * state[1] - 810728 * state[0], MODULI[0])
    s2 = _modulo(527612 * state[5] - 1370589 * state[3], MODULI[1])
    difference = s1 - s2
    u = ca.if_else(difference <= 0, difference + MODULI[0], difference) / (MODULI[0] + 1)
    return ca.vertcat(state[1], state[2], s1, state[4], state[5], s2), u


def _modulo(value: ca.SX, modulus: int) -> ca.SX:
    """Return a whole number modulo another; a quotient that is rounded the wrong way is set right."""
    rest = value - modulus * ca.floor(value / modulus)
    rest = ca.if_else(rest < 0, rest + modulus, rest)
    return ca.if_else(rest >= modulus, rest - modulus, rest)


def first_sources(keys: Sequence[tuple[int, int]], channel: str) -> Array:
    """Return where the sources of a channel begin (scenarios, SOURCE), for keys of (seed, stream)."""
    pairs = np.array(keys, np.uint64)
    with np.errstate(over="ignore"):  # whole numbers modulo 2^64 are meant
        place = _mixed(pairs[:, 0] + _GOLDEN)
        place = _mixed((place ^ pairs[:, 1]) + _GOLDEN)
        place = _mixed((place ^ np.uint64(CHANNELS[channel])) + _GOLDEN)
        drawn = np.stack([_mixed(place + np.uint64(k) * _GOLDEN) for k in range(1, SOURCE + 1)], axis=1)
    largest = np.repeat(np.array(MODULI, np.uint64) - np.uint64(1), SOURCE // 2)
    return (drawn % largest + np.uint64(1)).astype(float)


def _mixed(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the numbers mixed, by the last steps of SplitMix64 [Steele2014]: each bit depends on all others."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
