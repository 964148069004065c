"""Paths of solutions while one platform turns into another, in SIMD lanes.

    H(y, t) = F(y; t theta_start + (1 - t) theta_end) = 0,     t from 1 to 0

y is kept at unit length. A step is tangent to y (conj(y)·dy = 0): a patch of projective space of its own, so that
nothing is ever large and a path to infinity is a path like others.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

import casadi as ca
import numpy as np

from parakin.kernels import Kernel, Program, iterate, stage
from parakin.kernels.program import Stage
from parakin.robot.assembly.pairs import ZERO, Pairs, combined, dot, factored, pack, unpack
from parakin.robot.assembly.result import Array, Complex, Flags
from parakin.robot.assembly.study import PARAMETERS, UNKNOWNS, Quadrics, gradients, quadrics, rates

FIRST_STEP = 0.05
SMALLEST_STEP = 1e-11
"""Of t. A path that needs smaller ones ends at a singular point: finite and multiple, or at infinity."""
MOST_STEPS = 400
TOLERANCE = 1e-4
"""Largest first Newton correction, relative to |y| = 1: how far the predictor may be off its path."""
CONTRACTION = 0.05
"""The second correction against the first."""
CONVERGED = 1e-11
"""A correction below this is rounding and need not contract."""


class Ending(IntEnum):
    """How a path ended."""

    UNDERWAY = 0
    ARRIVED = 1
    STALLED = 2


@dataclass(frozen=True)
class Paths:
    """Ends of paths: y (..., 8) of unit length, t where they ended, whether at t = 0, steps taken."""

    y: Complex
    t: Array
    arrived: Flags
    steps: Array


def _expand() -> ca.Function:
    """The equations between two platforms as polynomials in t, once for a path."""
    start, end = ca.SX.sym("theta_start", 2 * PARAMETERS), ca.SX.sym("theta_end", 2 * PARAMETERS)
    between = quadrics(unpack(start), unpack(end))
    outputs = {"constant": between.constant, "linear": between.linear, "square": between.square}
    inputs = {"theta_start": start, "theta_end": end}
    return _function("expand", inputs, {name: pack(value) for name, value in outputs.items()})


@dataclass(frozen=True)
class _Place:
    """Where equations are solved: at (z, s), steps tangent to y."""

    inputs: dict[str, ca.SX]
    between: Quadrics
    y: Pairs
    z: Pairs
    s: ca.SX

    def solver(self, coefficients: Pairs) -> Callable[[Pairs], Pairs]:
        """right -> change with H_y change = right, conj(y)·change = 0."""
        solved = factored([*gradients(coefficients, self.z), [value.conjugate() for value in self.y]])
        return lambda right: solved([*right, ZERO])


def _place() -> _Place:
    names = {"constant": 81, "linear": 81, "square": 50, "y": UNKNOWNS, "z": UNKNOWNS}
    inputs = {name: ca.SX.sym(name, 2 * size) for name, size in names.items()} | {"s": ca.SX.sym("s")}
    between = Quadrics(*(unpack(inputs[name]) for name in ("constant", "linear", "square")))
    return _Place(inputs, between, unpack(inputs["y"]), unpack(inputs["z"]), inputs["s"])


def _slope() -> ca.Function:
    """dy/dt: H_y slope = -H_t."""
    place = _place()
    solved = place.solver(place.between.at(place.s))
    right = [-rate for rate in rates(place.between.rate(place.s), place.z)]
    return _function("slope", place.inputs, {"slope": pack(solved(right))})


def _correct() -> ca.Function:
    """Newton's correction and, with the same matrix, a second one: H_y change = -H. Their sizes tell how it went."""
    place = _place()
    coefficients = place.between.at(place.s)
    solved = place.solver(coefficients)
    first = solved(_residual(coefficients, place.z))
    between = combined(place.z, 1, first)
    second = solved(_residual(coefficients, between))
    sizes = {"size_1": ca.norm_2(pack(first)), "size_2": ca.norm_2(pack(second))}
    return _function("correct", place.inputs, {"corrected": pack(combined(between, 1, second))} | sizes)


def _residual(coefficients: Pairs, z: Pairs) -> Pairs:
    """-H."""
    x, g = z[:4], z[4:]
    sphere, _, *legs = rates(coefficients, z)
    return [-(sphere + dot(g, g).scaled(4)), -dot(x, g), *(-value for value in legs)]


def _advance() -> ca.Function:
    """z = y - fraction h v at s = t - fraction h."""
    y, v = ca.SX.sym("y", 2 * UNKNOWNS), ca.SX.sym("v", 2 * UNKNOWNS)
    t, h, fraction = ca.SX.sym("t"), ca.SX.sym("h"), ca.SX.sym("fraction")
    inputs = {"y": y, "v": v, "t": t, "h": h, "fraction": fraction}
    return _function("advance", inputs, {"z": y - fraction * h * v, "s": t - fraction * h})


def _function(name: str, inputs: dict[str, ca.SX], outputs: dict[str, ca.SX]) -> ca.Function:
    names = list(inputs), list(outputs)
    return ca.Function(name, list(inputs.values()), list(outputs.values()), *names, {"cse": True})


def _start() -> ca.Function:
    y_start = ca.SX.sym("y_start", 2 * UNKNOWNS)
    constants = {"zero": ca.SX(0), "half": ca.SX(0.5), "one": ca.SX(1)}
    outputs = {"y": y_start / ca.norm_2(y_start), "t": ca.SX(1), "h": ca.SX(FIRST_STEP)}
    return _function("start", {"y_start": y_start}, outputs | {"v_0": ca.SX.zeros(2 * UNKNOWNS)} | constants)


def _predict() -> ca.Function:
    """Runge and Kutta: z = y - h (v_1 + 2 v_2 + 2 v_3 + v_4)/6."""
    y, h = ca.SX.sym("y", 2 * UNKNOWNS), ca.SX.sym("h")
    v = [ca.SX.sym(f"v_{k}", 2 * UNKNOWNS) for k in range(1, 5)]
    z = y - h / 6 * (v[0] + 2 * v[1] + 2 * v[2] + v[3])
    return _function("predict", {"y": y, "h": h} | {f"v_{k}": value for k, value in enumerate(v, 1)}, {"z": z})


def _decide() -> ca.Function:
    """Take the step or a shorter one. The predictor's error grows as h^5: the next h aims at half the tolerance."""
    y, z = ca.SX.sym("y", 2 * UNKNOWNS), ca.SX.sym("z", 2 * UNKNOWNS)
    t, h, tolerance = ca.SX.sym("t"), ca.SX.sym("h"), ca.SX.sym("tolerance")
    first, second = ca.SX.sym("size_1"), ca.SX.sym("size_2")
    contracts = ca.logic_or(second <= CONTRACTION * first, second <= CONVERGED)
    taken = ca.logic_and(first <= tolerance, contracts)
    root = ca.sqrt(ca.sqrt(0.5 * tolerance / ca.fmax(first, 1e-20)))
    factor = ca.if_else(taken, ca.fmin(ca.fmax(0.9 * root, 0.5), 3), ca.fmax(ca.fmin(0.9 * root, 0.5), 0.1))
    factor = ca.if_else(first >= 0, factor, 0.1)  # not a number: the step hit a singular matrix
    t_next = ca.if_else(taken, t - h, t)
    h_next = ca.fmin(h * factor, t_next)
    arrived = t_next <= 0
    ending = ca.if_else(
        arrived, Ending.ARRIVED, ca.if_else(h * factor < SMALLEST_STEP, Ending.STALLED, Ending.UNDERWAY)
    )
    inputs = {"y": y, "z": z, "t": t, "h": h, "size_1": first, "size_2": second, "tolerance": tolerance}
    outputs = {
        "y_next": ca.if_else(taken, z / ca.norm_2(z), y),
        "t_next": t_next,
        "h_next": h_next,
        "ending": ending,
    }
    return _function("decide", inputs, outputs)


@functools.cache
def tracker() -> Kernel:
    """One kernel for all platforms and all homotopies between them."""
    slope, advance, correct = _slope(), _advance(), stage(_correct(), corrected="z")

    def slopes(number: int, fraction: str) -> tuple[Stage, Stage]:
        """v_number at the fraction of the step that v_(number - 1) leads to."""
        return stage(advance, v=f"v_{number - 1}", fraction=fraction), stage(slope, slope=f"v_{number}")

    step = iterate(
        *slopes(1, "zero"),
        *slopes(2, "half"),
        *slopes(3, "half"),
        *slopes(4, "one"),
        _predict(),
        correct,
        stage(_decide(), y_next="y", t_next="t", h_next="h"),
        until="ending",
        limit=MOST_STEPS,
    )
    settle = (stage(advance, v="v_0", fraction="zero"), correct)
    outputs = ("z", "t", "ending", "steps", "size_2")
    return Kernel(Program(_start(), _expand(), step, *settle, outputs=outputs, name="platform_paths"))


def track(y: Complex, theta_start: Complex, theta_end: Complex, tolerance: float = TOLERANCE) -> Paths:
    """Follow solutions y (..., 8) from one platform to another; leading shapes broadcast."""
    out = tracker()(
        y_start=_reals(y), theta_start=_reals(theta_start), theta_end=_reals(theta_end), tolerance=tolerance
    )
    z: Array = out["z"]
    with np.errstate(invalid="ignore"):
        ends = (z[..., :UNKNOWNS] + 1j * z[..., UNKNOWNS:]) / np.linalg.norm(z, axis=-1, keepdims=True)
        arrived = (out["ending"] == Ending.ARRIVED) & (out["size_2"] < CONVERGED * 1e3)
    return Paths(ends, out["t"], arrived, out["steps"])


def _reals(values: Complex) -> Array:
    return np.concatenate([values.real, values.imag], axis=-1)
