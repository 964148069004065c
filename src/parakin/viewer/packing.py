"""Bytes as text for a page; `assets/packing.js` reads them."""

from __future__ import annotations

import base64
import zlib


def packed(content: bytes) -> str:
    """Return bytes as text for a page: deflated, in base64."""
    return base64.b64encode(zlib.compress(content, 9)).decode()
