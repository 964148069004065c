"""The array by which a call describes its data to the driver, and what both sides agree on.

The context is an array of 64-bit integers:

    dimensions, ticks, streamed, shape[dimensions], then for each input and output port:
    address, bytes from tick to tick, address of the table of element offsets in bytes, strides[dimensions]

`streamed` is 1 where the outputs are more than caches hold: whole lines are then written past these, and not fetched
from memory before. The table's address is 0 where the elements lie side by side, as those of outputs always do.
"""

from __future__ import annotations

import sys

UNUSABLE_STATUS = -1
"""What a status output says of a state whose input was unusable."""
LARGEST_INPUT = 2.0**160
"""Size (1.5e48) up to which inputs of a program with a status are usable.

Squares, cubes and sixth powers of usable numbers are finite, so that no model overflows unseen inside.
"""
GAUGE = sys.float_info.max / LARGEST_INPUT
"""Times this, numbers beyond LARGEST_INPUT are infinite, and no others: 2^160 becomes the largest double."""
HEADER_WORDS = 3
"""Words of the context before the shape: dimensions, ticks, and whether outputs are streamed."""
LINE_BYTES = 64
"""Size of a cache line [bytes]."""
PORT_WORDS = 3
"""Words of a port's record before its strides: address, bytes from tick to tick, address of its table."""
