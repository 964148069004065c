"""Sensor noise depends on seed, scenario, channel and tick alone.

Philox is a counter: a key of (seed, stream) and a counter that begins at (channel, page) give a page of ticks, whoever
asks, in whatever order.
"""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array

PAGE = 1024
"""Ticks that are drawn together. A normal number takes a varying number of steps to draw, so that pages begin anew."""
CHANNELS = {"encoder": 0, "pose": 1}
"""Number of each kind of sensor in the counter, so that no two draw the same noise."""


def normal_noise(key: tuple[int, int], channel: str, ticks: range, size: int) -> Array:
    """Draw standard normal numbers for some ticks of a channel (ticks, size); key is (seed, stream)."""
    pages = range(ticks.start // PAGE, (ticks.stop - 1) // PAGE + 1)
    drawn = np.concatenate([_page(key, channel, page, size) for page in pages])
    begin = ticks.start - pages[0] * PAGE
    return drawn[begin : begin + len(ticks)]


def _page(key: tuple[int, int], channel: str, page: int, size: int) -> Array:
    counter = np.array([0, 0, page, CHANNELS[channel]], np.uint64)
    philox = np.random.Philox(counter=counter, key=np.array(key, np.uint64))
    return np.random.Generator(philox).standard_normal((PAGE, size))
