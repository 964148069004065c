"""Noise is a stretch of one Philox sequence, told by seed, stream, channel and page."""

from __future__ import annotations

import numpy as np
import pytest

from parakin.simulation.noise import PAGE, normal_noise


@pytest.mark.parametrize(("channel", "number"), [("encoder", 0), ("pose", 1)])
@pytest.mark.parametrize("page", [0, 1, 7])
def test_a_page_begins_at_its_place_in_the_sequence_of_its_key(channel: str, number: int, page: int) -> None:
    """The counter has 256 bits: pages are 2^128 apart and channels 2^192, so that no two of them ever meet."""
    sequence = np.random.Philox(key=np.array([3, 5], np.uint64))
    sequence.advance(page * 2**128 + number * 2**192)
    expected = np.random.Generator(sequence).standard_normal((PAGE, 4))
    ticks = range(page * PAGE + 10, page * PAGE + 30)
    assert np.array_equal(normal_noise((3, 5), channel, ticks, 4), expected[10:30])
