"""Lane functions with their promised errors."""

from __future__ import annotations

import casadi as ca
import numpy as np

from parakin.kernels import Kernel
from tests.support import FUNCTIONS, SPECIAL

ULPS = {
    "sin": 1.0,
    "cos": 1.0,
    "tan": 2.5,
    "asin": 2.5,
    "acos": 2.5,
    "atan": 2.0,
    "atan2": 2.5,
    "exp": 1.0,
    "log": 1.0,
    "tanh": 3.0,
    "pow": 1.0,
}
"""Error allowed, in units of the last place of the true value. docs/kernels.md prints them."""


NEAREST = [6381956970095103 * 2.0**797, -6381956970095103 * 2.0**797, 1e22, 2.0**20, np.nextafter(2.0**20, 0)]
"""The double that comes nearest to a multiple of pi/2 [Muller2010], and where the reduction of angles changes."""


def arguments(name: str) -> np.ndarray:
    """States over the whole domain: small, usual, huge, next to where the function is difficult, and special."""
    rng = np.random.default_rng(0)
    signs = rng.choice([-1.0, 1.0], 4000)
    wide = signs * 10.0 ** rng.uniform(-320, 308, 4000)
    usual = signs * 10.0 ** rng.uniform(-8, 4, 4000)
    multiples = np.arange(1, 3000) * (np.pi / 2)
    near = np.concatenate([multiples, np.nextafter(multiples, 0), rng.integers(1, 2**20, 2000) * (np.pi / 2), NEAREST])
    unit = np.concatenate([rng.uniform(-1, 1, 4000), signs * (1 - 10.0 ** rng.uniform(-16, 0, 4000)), [1.0, -1.0]])
    if name in ("asin", "acos"):
        first = np.concatenate([unit, usual[np.abs(usual) < 1e-3]])
    elif name in ("exp", "pow"):
        first = np.concatenate([rng.uniform(-750, 712, 6000), usual, wide])
    elif name == "log":
        first = np.concatenate([np.abs(wide), np.abs(usual), 1 + unit * 1e-3])
    else:
        first = np.concatenate([wide, usual, near])
    if name == "pow":
        first = np.abs(first)
    second = rng.choice(first, len(first))
    if name == "pow":
        first = np.concatenate([first, 1 + rng.normal(size=4000) * 1e-6, -rng.uniform(0, 30, 1000)])
        with np.errstate(divide="ignore"):
            largest = rng.uniform(-745, 709.7, 4000) / np.log(first[-5000:-1000])
        second = np.concatenate([rng.uniform(-3, 3, len(first) - 5000), largest, rng.integers(-20, 20, 1000)])
    finite = np.stack([first, second], axis=1)
    special = np.stack(np.meshgrid(SPECIAL, SPECIAL), axis=-1).reshape(-1, 2)
    states = np.concatenate([finite, special])
    return states[: len(states) // 8 * 8]


def kernel_of(name: str) -> Kernel:
    x = ca.SX.sym("x", 2)
    f = FUNCTIONS[name]
    value = f(x[0], x[1]) if name in ("atan2", "pow") else f(x[0])
    return Kernel(ca.Function(name, [x], [value], ["x"], ["y"]))
