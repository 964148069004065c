"""Paths of solutions while one system of equations turns into another, in SIMD lanes.

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
from parakin.robot.assembly.pairs import Pairs, combined, pack, unpack
from parakin.robot.assembly.result import Array, Complex, Flags
from parakin.robot.assembly.system import Equations, System

FIRST_STEP = 0.05
SMALLEST_STEP = 1e-11
"""Of t. A path that needs smaller ones ends at a singular point: finite and multiple, or at infinity."""
MOST_STEPS = 4000
TOLERANCE = 1e-4
"""Largest first Newton correction, relative to |y| = 1: how far the predictor may be off its path."""
CONTRACTION = 0.05
"""The second correction against the first."""
CONVERGED = 1e-9
"""A correction below this is rounding and need not contract."""
SETTLED = 1e-8
"""The last correction of a path that arrived."""


class Ending(IntEnum):
    """How a path ended."""

    UNDERWAY = 0
    ARRIVED = 1
    STALLED = 2


@dataclass(frozen=True)
class Paths:
    """Ends of paths: y (..., unknowns) of unit length, t where they ended, whether at t = 0, steps taken."""

    y: Complex
    t: Array
    arrived: Flags
    steps: Array


def _expand(system: System) -> ca.Function:
    """The equations between two machines as polynomials in t, once for a path."""
    inputs = {name: ca.SX.sym(name, 2 * system.parameters) for name in ("theta_start", "theta_end")}
    groups = system.expanded(unpack(inputs["theta_start"]), unpack(inputs["theta_end"]))
    return _function("expand", inputs, {name: pack(value) for name, value in groups.items()})


def _place(system: System) -> tuple[dict[str, ca.SX], Equations, Pairs, Pairs]:
    """Inputs of a stage that solves equations at (z, s), steps tangent to y; the equations, y and z."""
    unknowns = {"y": len(system.weights), "z": len(system.weights)}
    inputs = {name: ca.SX.sym(name, 2 * size) for name, size in (system.sizes | unknowns).items()}
    inputs["s"] = ca.SX.sym("s")
    groups = {name: unpack(inputs[name]) for name in system.sizes}
    return inputs, system.at(groups, inputs["s"]), unpack(inputs["y"]), unpack(inputs["z"])


def _slope(system: System) -> ca.Function:
    """dy/dt: H_y slope = -H_t."""
    inputs, equations, y, z = _place(system)
    slope = equations.solver(z, y)([-rate for rate in equations.rates(z)])
    return _function("slope", inputs, {"slope": pack(slope)})


def _correct(system: System) -> ca.Function:
    """Newton's correction and, with the same matrix, a second one: H_y change = -H. Their sizes tell how it went."""
    inputs, equations, y, z = _place(system)
    solved = equations.solver(z, y)
    first = solved([-value for value in equations.values(z)])
    between = combined(z, 1, first)
    second = solved([-value for value in equations.values(between)])
    sizes = {"size_1": ca.norm_2(pack(first)), "size_2": ca.norm_2(pack(second))}
    return _function("correct", inputs, {"corrected": pack(combined(between, 1, second))} | sizes)


def _advance(n: int) -> ca.Function:
    """z = y - fraction h v at s = t - fraction h."""
    y, v = ca.SX.sym("y", n), ca.SX.sym("v", n)
    t, h, fraction = ca.SX.sym("t"), ca.SX.sym("h"), ca.SX.sym("fraction")
    inputs = {"y": y, "v": v, "t": t, "h": h, "fraction": fraction}
    return _function("advance", inputs, {"z": y - fraction * h * v, "s": t - fraction * h})


def _function(name: str, inputs: dict[str, ca.SX], outputs: dict[str, ca.SX]) -> ca.Function:
    names = list(inputs), list(outputs)
    return ca.Function(name, list(inputs.values()), list(outputs.values()), *names, {"cse": True})


def _start(system: System) -> ca.Function:
    n = 2 * len(system.weights)
    y_start = ca.SX.sym("y_start", n)
    constants = {"zero": ca.SX(0), "half": ca.SX(0.5), "one": ca.SX(1)}
    outputs = {"y": pack(system.unit(unpack(y_start))), "t": ca.SX(1), "h": ca.SX(FIRST_STEP)}
    return _function("start", {"y_start": y_start}, outputs | {"v_0": ca.SX.zeros(n)} | constants)


def _predict(n: int) -> ca.Function:
    """Runge and Kutta: z = y - h (v_1 + 2 v_2 + 2 v_3 + v_4)/6."""
    y, h = ca.SX.sym("y", n), ca.SX.sym("h")
    v = [ca.SX.sym(f"v_{k}", n) for k in range(1, 5)]
    z = y - h / 6 * (v[0] + 2 * v[1] + 2 * v[2] + v[3])
    return _function("predict", {"y": y, "h": h} | {f"v_{k}": value for k, value in enumerate(v, 1)}, {"z": z})


def _decide(system: System) -> ca.Function:
    """Take the step or a shorter one. The predictor's error grows as h^5: the next h aims at half the tolerance."""
    n = 2 * len(system.weights)
    y, z = ca.SX.sym("y", n), ca.SX.sym("z", n)
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
        "y_next": ca.if_else(taken, pack(system.unit(unpack(z))), y),
        "t_next": t_next,
        "h_next": h_next,
        "ending": ending,
    }
    return _function("decide", inputs, outputs)


@functools.cache
def tracker(system: Callable[[], System]) -> Kernel:
    """One kernel for all machines of a kind and all homotopies between them."""
    equations = system()
    n = 2 * len(equations.weights)
    slope, advance, correct = _slope(equations), _advance(n), stage(_correct(equations), corrected="z")

    def slopes(number: int, fraction: str) -> tuple[Stage, Stage]:
        """v_number at the fraction of the step that v_(number - 1) leads to."""
        return stage(advance, v=f"v_{number - 1}", fraction=fraction), stage(slope, slope=f"v_{number}")

    step = iterate(
        *slopes(1, "zero"),
        *slopes(2, "half"),
        *slopes(3, "half"),
        *slopes(4, "one"),
        _predict(n),
        correct,
        stage(_decide(equations), y_next="y", t_next="t", h_next="h"),
        until="ending",
        limit=MOST_STEPS,
    )
    settle = (stage(advance, v="v_0", fraction="zero"), correct)
    outputs = ("z", "t", "ending", "steps", "size_2")
    return Kernel(Program(_start(equations), _expand(equations), step, *settle, outputs=outputs, name=equations.name))


def track(
    system: Callable[[], System], y: Complex, theta_start: Complex, theta_end: Complex, tolerance: float = TOLERANCE
) -> Paths:
    """Follow solutions y (..., unknowns) from one machine to another; leading shapes broadcast."""
    out = tracker(system)(
        y_start=_reals(y), theta_start=_reals(theta_start), theta_end=_reals(theta_end), tolerance=tolerance
    )
    ends = _complex(out["z"])
    weights = np.array(system().weights)
    with np.errstate(invalid="ignore"):
        ends = ends / np.linalg.norm(ends[..., weights == 1], axis=-1, keepdims=True) ** weights
        arrived = (out["ending"] == Ending.ARRIVED) & (out["size_2"] < SETTLED)
    return Paths(ends, out["t"], arrived, out["steps"])


def _reals(values: Complex) -> Array:
    return np.concatenate([values.real, values.imag], axis=-1)


def _complex(values: Array) -> Complex:
    half = values.shape[-1] // 2
    return values[..., :half] + 1j * values[..., half:]
