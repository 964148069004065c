"""Which signals of a loop are one number; all others are vectors, and keep their axis in kernels."""

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
"""Signals that are one number: what loop kernels are told as `numbers`."""


def evaluated(kernel: Kernel, known: Mapping[str, Array], threads: int | None = None) -> dict[str, Array]:
    """Evaluate a kernel on what it takes of the arrays that are known."""
    given: dict[str, Any] = {socket.name: known[socket.name] for socket in kernel.inputs}
    return kernel(**given, threads=threads)
