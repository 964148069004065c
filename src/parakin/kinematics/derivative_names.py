"""What derivatives are called, and by what models can be derived."""

from __future__ import annotations

POSE = "pose"
"""The input by which a derivative is along displacements."""
NOT_DERIVED_BY = frozenset({"near", "branches", "configuration"})
"""Inputs that only choose among configurations, or follow from the pose."""


def derivative_name(output: str, by: str) -> str:
    """Return what kernels call the derivative of an output by an input."""
    return f"{output}_by_{by}"
