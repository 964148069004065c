"""Complex numbers as expressions, and back."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from parakin.assembly.pairs import Pairs, pack, unpack
from parakin.assembly.result import Complex


def parts(values: Any) -> np.ndarray:
    """Return real parts, then imaginary parts."""
    numbers = np.asarray(values, np.complex128)
    return np.concatenate([numbers.real, numbers.imag])


def expression(values: Any) -> Pairs:
    """Return numbers as constant expressions."""
    return unpack(ca.SX(ca.DM(parts(values))))


def number(values: Pairs | ca.SX | ca.DM) -> Complex:
    """Return the numbers that constant expressions have, packed or not."""
    column = pack(values) if isinstance(values, list) else values
    packed = np.array(ca.DM(ca.densify(column))).ravel()
    return packed[: len(packed) // 2] + 1j * packed[len(packed) // 2 :]
