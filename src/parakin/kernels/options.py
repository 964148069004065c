"""What decides the code of a program besides its plan."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Options:
    """How a plan becomes code."""

    width: int
    """States that are evaluated together, one in each lane."""
    status: str | None
    """Name of the output that is an integer; None where there is none."""
    contraction: bool
    """Whether a product and a sum may be rounded once, on a host that can."""
    reciprocals: bool
    """Whether several divisions by one value may become one division and products."""
    fused: bool
    """Whether the host multiplies and adds in one instruction."""
    unchecked: tuple[str, ...] = ()
    """Names of the inputs that reach the program as they come, finite or not."""


C_TOLERANCE = 1e-12
"""What the self-test allows, relative to the largest recorded value of an output.

libm and our functions differ in the last digits. Nothing else does: states are recorded from a kernel that, like C99,
does not fuse products with sums. What a rounding of the inputs changes is allowed on top, ROUNDINGS times.
"""
