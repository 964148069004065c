"""C99 in double precision becomes C99 in single precision: types, constants and functions each by their narrow name."""

from __future__ import annotations

import re

import numpy as np

from parakin.kernels.operations import single

_WORDS = {"double": "float", "uint64_t": "uint32_t"} | {
    name: f"{name}f" for name in ("sqrt", "fabs", "floor", "ceil", "copysign")
}
_TOKEN = re.compile(r"\b[A-Za-z_]\w*|\b\d+\.\d+(?:e[+-]?\d+)?|\b\d+e[+-]?\d+")
"""An identifier, or a constant of floating type."""


def narrowed(text: str) -> str:
    """Return the definitions of a program, as `c_source` writes them, in single precision; comments hold no numbers.

    >>> from parakin.kernels.c_single import narrowed
    >>> narrowed("const double t1 = 0.1 * sqrt(x[0]);")
    'const float t1 = 0.1f * sqrtf(x[0]);'
    """
    return _TOKEN.sub(lambda found: _narrow(found[0]), text)


def _narrow(token: str) -> str:
    return literal(float(token)) if token[0].isdigit() else _WORDS.get(token, token)


def literal(value: float) -> str:
    """Return the shortest C constant of type float for a finite number, or what C calls an infinite one or NaN."""
    narrow = np.float32(single(value))
    if np.isfinite(narrow):
        return f"{narrow!s}f"
    return "NAN" if np.isnan(narrow) else "INFINITY" if narrow > 0 else "-INFINITY"
