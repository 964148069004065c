"""Rigs that tests of vision share: cameras at the base of a robot that look at its rods."""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np

import parakin as pk
from parakin.vision import Camera, Rig, looking_at, rig_of

DOWN = looking_at([0, 0, 0], [0, 0, -1], [1, 0, 0])
UP = looking_at([0, 0, 0], [0, 0, 1], [1, 0, 0])


def camera(name: str = "top", upwards: bool = False) -> Camera:
    """The camera of the figures: 1024 px square, f = 640 px, at the origin of the base."""
    return Camera(name, (1024, 1024), (640.0, 640.0), np.zeros(3), UP if upwards else DOWN)


def bent(straight: Camera) -> Camera:
    """A camera with a lens that bends."""
    return replace(straight, distortion=(-0.12, 0.03, 8e-4, -5e-4, 0.004), centre=(505.3, 517.8), focal=(642.0, 639.0))


@functools.cache
def quattro() -> Rig:
    return rig_of(pk.load("quattro"), camera(), "*.forearm", radius=0.008)


@functools.cache
def delta() -> Rig:
    return rig_of(pk.load("delta"), camera(), "*.forearm", radius=0.008)


@functools.cache
def gough_stewart() -> Rig:
    return rig_of(pk.load("gough_stewart"), camera(upwards=True), "*", radius=0.008)


RIGS = {"quattro": quattro, "delta": delta, "gough_stewart": gough_stewart}
