"""How large results may be, so that what is computed can be kept in a file, read again and shown: one number."""

from __future__ import annotations

LARGEST = 2**28
"""Bytes of all arrays of a result's file together at most."""
BESIDE_A_TABLE = 2**20
"""Bytes that are left for axes and texts beside the table of a map."""
MOST_ENTRIES = (LARGEST - BESIDE_A_TABLE) // 8
"""Numbers of a map's table at most."""
MOST_VERTICES = 6 * LARGEST // 40
"""Vertices of a workspace's finest lattice at most: code, judged and part are four bytes of each, and four tenths of a
file are left for the boundary."""
