"""Smooth steps and ramps of one variable with two derivatives; outside their interval they go on as at its ends."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from parakin.arrays import Array


class Profile(NamedTuple):
    """The values of a function with its first two derivatives."""

    value: Array
    """Values of the function."""
    slope: Array
    """First derivative, of the shape of the values."""
    curvature: Array
    """Second derivative, of the shape of the values."""


def step(u: Array) -> Profile:
    """Rise from 0 to 1 over 0 <= u <= 1, at rest outside: 10 u^3 - 15 u^4 + 6 u^5."""
    u = np.clip(u, 0.0, 1.0)
    return Profile(u**3 * (10 + u * (6 * u - 15)), 30 * (u * (1 - u)) ** 2, 60 * u * (1 - u) * (1 - 2 * u))


def ramp(u: Array) -> Profile:
    """Integrate `step`: at rest below 0, slope 1 above 1, 5/2 u^4 - 3 u^5 + u^6 between."""
    inside = np.clip(u, 0.0, 1.0)
    below = inside**4 * (2.5 + inside * (inside - 3))
    speed = step(u)
    return Profile(below + np.maximum(u - 1.0, 0.0), speed.value, speed.slope)


def timed_step(t: Array, start: float, duration: float) -> Profile:
    """Rise from 0 to 1 as `step` does, between the times start and start + duration [s]."""
    value, slope, curvature = step((t - start) / duration)
    return Profile(value, slope / duration, curvature / duration**2)


def cruise(t: Array, up: float, cruising: float, down: float) -> Profile:
    """Go from rest to slope 1 in the time `up`, go on for `cruising`, and come to rest in `down` [s].

    s = up ramp(t/up) - down ramp((t - up - cruising)/down),    s(end) = up/2 + cruising + down/2
    """
    faster, slower = ramp(t / up), ramp((t - up - cruising) / down)
    return Profile(
        up * faster.value - down * slower.value,
        faster.slope - slower.slope,
        faster.curvature / up - slower.curvature / down,
    )
