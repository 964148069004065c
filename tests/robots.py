"""Robots of the library, loaded once in a process: their kernels are built once for all tests that share them."""

from __future__ import annotations

import functools

import parakin as pk

TWINS = {"hexapod_sliding": "hexaglide", "palida": "gough_stewart", "quattro": "h4"}
"""Robots of the library whose legs and platform are of the same types as another's: models that take seconds to make
are asked of the other alone."""


@functools.cache
def robot_named(name: str) -> pk.Robot:
    return pk.load(name)
