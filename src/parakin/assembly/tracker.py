"""Follow paths of solutions while one system of equations turns into another, one path a SIMD lane.

    H(y, t) = F(y; t theta_start + (1 - t) theta_end) = 0,     t from 1 to 0

y is kept at unit length. A step is tangent to y (conj(y)·dy = 0): a patch of projective space of its own, so that
nothing is ever large and a path to infinity is a path like others.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from enum import IntEnum

import casadi as ca
import numpy as np

from parakin.arrays import frozen_arrays
from parakin.assembly.pairs import Pairs, combined, pack, unpack
from parakin.assembly.result import Array, Complex, Flags
from parakin.assembly.system import Equations, System
from parakin.kernels import Kernel, Program, iterate, stage
from parakin.kernels.program import Stage

FIRST_STEP = 0.05
"""Step in t that every path begins with; the step size adapts from there."""
SMALLEST_STEP = 1e-11
"""Step in t below which a path has stalled: its end is singular, finite and multiple or at infinity."""
PATH_STEP_LIMIT = 4000
"""Most steps of a path."""
TOLERANCE = 1e-4
"""Largest first Newton correction, relative to |y| = 1: how far the predictor may be off its path."""
CONTRACTION = 0.05
"""Largest ratio of the second Newton correction to the first in a step that is taken."""
CONVERGED = 1e-9
"""Size of a second correction that need not contract any more, because it is rounding."""
SETTLED = 1e-8
"""Largest last correction of a path that arrived."""


class Ending(IntEnum):
    """How a path ended."""

    UNDERWAY = 0
    """It took PATH_STEP_LIMIT steps and is still between the two machines."""
    ARRIVED = 1
    """It reached t = 0."""
    STALLED = 2
    """It needed steps below SMALLEST_STEP."""


@frozen_arrays(eq=True)
class Paths:
    """The ends of paths."""

    y: Complex
    """(..., unknowns) where the paths ended, the part of weight 1 at unit length."""
    t: Array
    """(...) value of t where they ended; 0 is the machine they were to reach."""
    arrived: Flags
    """(...) whether they reached t = 0 and Newton settled there."""
    steps: Array
    """(...) how many steps they took, those that were taken back included."""


def _expand(system: System) -> ca.Function:
    """Return the stage that works out the equations between two machines as polynomials in t, once for a path."""
    inputs = {name: ca.SX.sym(name, 2 * system.parameters) for name in ("theta_start", "theta_end")}
    groups = system.expanded(unpack(inputs["theta_start"]), unpack(inputs["theta_end"]))
    return _function("expand", inputs, {name: pack(value) for name, value in groups.items()})


def _place(system: System) -> tuple[dict[str, ca.SX], Equations, Pairs, Pairs]:
    """Return the inputs of a stage that solves equations at (z, s), steps tangent to y; the equations, y and z."""
    unknowns = {"y": len(system.weights), "z": len(system.weights)}
    inputs = {name: ca.SX.sym(name, 2 * size) for name, size in (system.sizes | unknowns).items()}
    inputs["s"] = ca.SX.sym("s")
    groups = {name: unpack(inputs[name]) for name in system.sizes}
    return inputs, system.at(groups, inputs["s"]), unpack(inputs["y"]), unpack(inputs["z"])


def _slope(system: System) -> ca.Function:
    """Return the stage that gives slope = dy/dt from H_y slope = -H_t."""
    inputs, equations, y, z = _place(system)
    slope = equations.solver(z, y)([-rate for rate in equations.rates(z)])
    return _function("slope", inputs, {"slope": pack(slope)})


def _correct(system: System) -> ca.Function:
    """Return the stage that corrects z by Newton, H_y change = -H, and a second time with the same matrix.

    The sizes of the two corrections tell whether the step is to be taken.
    """
    inputs, equations, y, z = _place(system)
    solved = equations.solver(z, y)
    first = solved([-value for value in equations.values(z)])
    between = combined(z, 1, first)
    second = solved([-value for value in equations.values(between)])
    sizes = {"size_1": ca.norm_2(pack(first)), "size_2": ca.norm_2(pack(second))}
    return _function("correct", inputs, {"corrected": pack(combined(between, 1, second))} | sizes)


def _advance(n: int) -> ca.Function:
    """Return the stage that goes part of a step along v: z = y - fraction h v at s = t - fraction h."""
    y, v = ca.SX.sym("y", n), ca.SX.sym("v", n)
    t, h, fraction = ca.SX.sym("t"), ca.SX.sym("h"), ca.SX.sym("fraction")
    inputs = {"y": y, "v": v, "t": t, "h": h, "fraction": fraction}
    return _function("advance", inputs, {"z": y - fraction * h * v, "s": t - fraction * h})


def _function(name: str, inputs: dict[str, ca.SX], outputs: dict[str, ca.SX]) -> ca.Function:
    """Return a function with named inputs and outputs, common subexpressions merged."""
    names = list(inputs), list(outputs)
    return ca.Function(name, list(inputs.values()), list(outputs.values()), *names, {"cse": True})


def _start(system: System) -> ca.Function:
    """Return the stage that sets a path to its beginning, y of unit length at t = 1."""
    n = 2 * len(system.weights)
    y_start = ca.SX.sym("y_start", n)
    constants = {"zero": ca.SX(0), "half": ca.SX(0.5), "one": ca.SX(1)}
    outputs = {"y": pack(system.unit(unpack(y_start))), "t": ca.SX(1), "h": ca.SX(FIRST_STEP)}
    return _function("start", {"y_start": y_start}, outputs | {"v_0": ca.SX.zeros(n)} | constants)


def _predict(n: int) -> ca.Function:
    """Return the stage that predicts by Runge and Kutta: z = y - h (v_1 + 2 v_2 + 2 v_3 + v_4)/6."""
    y, h = ca.SX.sym("y", n), ca.SX.sym("h")
    v = [ca.SX.sym(f"v_{k}", n) for k in range(1, 5)]
    z = y - h / 6 * (v[0] + 2 * v[1] + 2 * v[2] + v[3])
    return _function("predict", {"y": y, "h": h} | {f"v_{k}": value for k, value in enumerate(v, 1)}, {"z": z})


def _decide(system: System) -> ca.Function:
    """Return the stage that takes the step or a shorter one, and chooses the next.

    The predictor's error in a step grows as h^5. The next h aims at half the tolerance by a fourth root; it is at
    least half of h and at most 3 h after a step that was taken, else between a tenth and half of h.
    """
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
    """Return the one kernel that follows all homotopies between machines of a kind."""
    equations = system()
    n = 2 * len(equations.weights)
    slope, advance, correct = _slope(equations), _advance(n), stage(_correct(equations), corrected="z")

    def slopes(number: int, fraction: str) -> tuple[Stage, Stage]:
        """Return the stages that give v_number at the fraction of the step to which v_(number - 1) leads."""
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
        limit=PATH_STEP_LIMIT,
    )
    settle = (stage(advance, v="v_0", fraction="zero"), correct)
    outputs = ("z", "t", "ending", "steps", "size_2")
    return Kernel(Program(_start(equations), _expand(equations), step, *settle, outputs=outputs, name=equations.name))


def track(
    system: Callable[[], System], y: Complex, theta_start: Complex, theta_end: Complex, tolerance: float = TOLERANCE
) -> Paths:
    """Follow solutions y (..., unknowns) from machine theta_start to machine theta_end; leading shapes broadcast.

    `tolerance` bounds the first Newton correction of a step, relative to |y| = 1.
    """
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
    """Return real parts, then imaginary parts, along the last axis."""
    return np.concatenate([values.real, values.imag], axis=-1)


def _complex(values: Array) -> Complex:
    """Return complex numbers from real parts, then imaginary parts, along the last axis."""
    half = values.shape[-1] // 2
    return values[..., :half] + 1j * values[..., half:]
