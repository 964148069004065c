"""A cart on a rail, of which the fastest way from rest to rest is known in closed form."""

from __future__ import annotations

import math
from pathlib import Path

import parakin as pk

MASS, FORCE = 2.0, 10.0
"""Mass of the cart [kg], and the largest force of its drive [N]."""
TEXT = """
name = "cart"
title = "A cart on a rail"
source = "assumed"
independent = ["rail.travel"]
output = {{ body = "cart" }}
workspace = {{ lower = [-0.5], upper = [0.5] }}

[[bodies]]
name = "cart"
mass = {mass}
com = [0.0, 0.0, 0.0]
inertia = [[0.01, 0.0, 0.0], [0.0, 0.01, 0.0], [0.0, 0.0, 0.01]]

[[joints]]
name = "rail"
type = "prismatic"
parent = "world"
child = "cart"
parent_frame = {{ position = [0.0, 0.0, 0.0], z = [1.0, 0.0, 0.0] }}
freedoms.travel = {{ drive = {{ {limits} }}, friction = {friction}, lower = -1.0, upper = 1.0 }}
"""


def cart(directory: Path, viscous: float = 0.0, coulomb: float = 0.0, limits: str = f"force = {FORCE}") -> pk.Robot:
    """The cart with this friction [N s/m, N] and these limits."""
    file = directory / "cart.toml"
    friction = f"{{ viscous = {viscous}, coulomb = {coulomb} }}"
    file.write_text(TEXT.format(mass=MASS, limits=limits, friction=friction))
    return pk.load(str(file))


def shortest_time(way: float, force: float, viscous: float, coulomb: float) -> float:
    """Full force ahead and then back, m v_dot = ±force - coulomb - viscous v, switched so that it ends at rest.

    The switching time is found by halving; everything else is in closed form.
    """

    def ahead(t: float) -> tuple[float, float]:
        if viscous == 0.0:
            v = (force - coulomb) / MASS * t
            return v * t / 2, v
        final = (force - coulomb) / viscous
        v = final * -math.expm1(-viscous * t / MASS)
        return final * t - v * MASS / viscous, v

    def back(v: float) -> tuple[float, float]:
        if viscous == 0.0:
            t = v * MASS / (force + coulomb)
            return v * t / 2, t
        pull = (force + coulomb) / viscous
        t = MASS / viscous * math.log1p(v / pull)
        return v * MASS / viscous - pull * t, t

    low, high = 0.0, 100.0
    for _ in range(200):
        t = (low + high) / 2
        x, v = ahead(t)
        low, high = (t, high) if x + back(v)[0] < way else (low, t)
    return high + back(ahead(high)[1])[1]
