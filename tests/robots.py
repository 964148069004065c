"""Robots of the library, loaded once in a process: their kernels are built once for all tests that share them."""

from __future__ import annotations

import functools

import parakin as pk


@functools.cache
def robot_named(name: str) -> pk.Robot:
    return pk.load(name)
