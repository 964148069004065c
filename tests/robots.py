"""Robots of the library, loaded once in a process: their kernels are built once for all tests that share them."""

from __future__ import annotations

import functools
from collections.abc import Iterable

import pytest
from _pytest.mark import ParameterSet

import parakin as pk

TWINS = {
    "ankle_2ups_1u": "tricept",
    "exechon": "tricept",
    "hexapod_sliding": "hexaglide",
    "kossel": "orthoglide",
    "palida": "gough_stewart",
    "quattro": "h4",
    "reachy_mini": "the reference of the same name",
    "slider_crank": "four_bar",
    "spherical_wrist": "agile_eye",
    "upu_3": "gough_stewart",
}
"""Robots and mechanisms of the library whose legs or joints are of the same types as another's: models that take
seconds to make are asked of the other alone, or of these in `make slow`."""


COSTLY = frozenset({"dymo_3uru", "hexa", "hexa_offset", "planar_3rrr"})
"""Robots and mechanisms that take longest; smaller ones have legs or joints of nearly the same types."""


def twins_later(names: Iterable[str], costly: frozenset[str] = COSTLY) -> list[ParameterSet]:
    """Return names for a test that takes seconds each: `make slow` asks it of those with a twin and of costly ones."""
    later = costly.union(TWINS)
    return [
        pytest.param(name, marks=pytest.mark.slow if name in later or name.split()[-1] in later else ())
        for name in names
    ]


@functools.cache
def robot_named(name: str) -> pk.Robot:
    return pk.load(name)
