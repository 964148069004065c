"""Bytes and numbers as text for a page; `assets/packing.js` reads them."""

from __future__ import annotations

import base64
import zlib

import numpy as np
from numpy.typing import ArrayLike


def packed(content: bytes) -> str:
    """Return bytes as text for a page: deflated, in base64."""
    return base64.b64encode(zlib.compress(content, 9)).decode()


def packed_integers(values: ArrayLike) -> str:
    """Return integers (N, k) of up to 32 bits as text: differences of rows, their first bytes first, deflated.

    Neighbours that differ by little have few bytes that are not zero, and bytes of one kind are alike.
    """
    rows = np.asarray(values, np.int64)
    steps = np.diff(rows, axis=0, prepend=np.zeros((1, rows.shape[1]), np.int64))
    return packed(_by_bytes(steps.T.astype("<i4")))


def packed_floats(values: ArrayLike) -> str:
    """Return numbers (N,) in 32 bits as text: their first bytes first, deflated."""
    return packed(_by_bytes(np.asarray(values, "<f4")))


def _by_bytes(values: np.ndarray) -> bytes:
    """Return the first byte of all numbers, then the second, the third and the fourth."""
    return np.ascontiguousarray(values).reshape(-1).view(np.uint8).reshape(-1, 4).T.tobytes()
