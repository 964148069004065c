"""Arrays of a loop have an axis for the entries of every vector; kernels have none for vectors of one entry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from parakin.arrays import Array
from parakin.kernels import Kernel

NUMBERS = frozenset(
    {
        "status",
        "log_status",
        "log_residual",
        "tick",
        "ticks_run",
        "payload_tick",
        "smoothing",
        "noise_q",
        "share",
        "exact_rate",
        "delayed",
        "on_motor",
        "jitter",
        "shift",
        "reset_tick",
    }
)
"""Signals that are one number; all others are vectors, of one entry in a robot with one motor."""


def evaluated(kernel: Kernel, known: Mapping[str, Array], threads: int | None = None) -> dict[str, Array]:
    """Evaluate a kernel on what it takes of the arrays that are known; all vectors have an axis for their entries."""
    given: dict[str, Any] = {}
    for socket in kernel.inputs:
        value = known[socket.name]
        given[socket.name] = value if socket.shape or socket.name in NUMBERS else value[..., 0]
    out = kernel(**given, threads=threads)
    wide = {socket.name for socket in kernel.outputs if not socket.shape} - NUMBERS
    return {name: value[..., None] if name in wide else value for name, value in out.items()}
