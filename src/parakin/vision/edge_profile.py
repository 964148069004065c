"""The position of an edge in a scan line to a hundredth of a pixel: a profile is fitted, as compiled code.

    y_i = b + c E_i + g R_i + h S_i
    E_i = F(i + 1/2 - p) - F(i - 1/2 - p),   F(x) = x Phi(x/sigma) + sigma phi(x/sigma)      a blurred step, over pixels
    R_i = 2 sqrt(d/w (1 - d/w)), blurred,    d = i - p                                       the light on a round rod
    S_i = F(i - p)                                                                           a blurred ramp

b: what is behind; c: the contrast at the contour; p: the position; sigma: the blur along the line: these are fitted by
Gauss and Newton's steps, a fixed number of them. g and h, how light changes from the contour inwards, and w, the rod's
width, are given (`edge_shading`), and what they add is linear about where the edge is expected. Blur and the level
b + c at the contour may be pulled to given values.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import casadi as ca

from parakin.kernels import Derivation, Kernel, Program, repeat, stage
from parakin.kinematics.graph.elimination import Factors, factorised
from parakin.vision.edge_search import HALF_WINDOW, WINDOW

FIRST_STEPS, LATER_STEPS = 4, 2
"""Gauss and Newton's steps: from a pixel away, and from a tenth of one."""
FARTHEST = 2.5
"""How far from its pixel the position of an edge may go [px]."""
LEAST_BLUR, LARGEST_BLUR = 0.25, 4.0
"""Between what the blur along a line is kept [px]."""
LEAST_CONTRAST = 1e-3
"""Contrast that blur is pulled with at least [grey levels]: without any, it is not determined."""
RIDGE = 1e-9
"""What is added to the diagonal of the normal equations: a window without light must not divide by zero."""
ERF = (0.3275911, 0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)
"""Coefficients of erf to 1.5e-7, [Abramowitz1964] eq. 7.1.26."""
ROOT = (0.586, 0.514)
"""E sqrt(max(z + t, 0)) = M/sqrt(M + a/(1 + b M^2)) to 0.003 for normal t, M = z Phi(z) + phi(z): fitted."""


def normal(z: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Return the normal distribution Phi(z) to 1e-7 and its density phi(z)."""
    x = ca.fabs(z) * math.sqrt(0.5)
    e = ca.exp(-x * x)
    k = 1 / (1 + ERF[0] * x)
    tail = 0.5 * e * k * (ERF[1] + k * (ERF[2] + k * (ERF[3] + k * (ERF[4] + k * ERF[5]))))
    return ca.if_else(z < 0, tail, 1 - tail), e * (1 / math.sqrt(2 * math.pi))


@functools.cache
def profile_kernel(steps: int = FIRST_STEPS) -> Kernel:
    """Compile the fit of one edge in so many steps.

    window (13) [grey levels] with the rod on its right, first, last: places of its first and last pixel that count,
    from its middle [px], start: where the edge is expected from there [px], width: that of the rod along the line [px],
    shade (2): g [grey levels] and h [grey levels/px], blur [px], level [grey levels]: what sigma and b + c are pulled
    to, pull (2): how firmly [1/px, 1] -> position [px] from the middle of the window, formal: its deviation for noise
    of one grey level [px], by_light (3): its derivatives by g, h and level, contrast, found_blur [px], noise: deviation
    of the residuals [grey levels].
    """
    return Kernel(Derivation(f"profile of an edge in {steps} steps", functools.partial(_profile_program, steps)))


def _profile_program(steps: int) -> Program:
    given = {"window": ca.SX.sym("window", WINDOW), "width": ca.SX.sym("width"), "shade": ca.SX.sym("shade", 2)}
    given |= {"blur": ca.SX.sym("blur"), "first": ca.SX.sym("first"), "last": ca.SX.sym("last")}
    given |= {"start": ca.SX.sym("start")}
    places = ca.SX(range(-HALF_WINDOW, HALF_WINDOW + 1))
    within = (places >= given["first"]) * (places <= given["last"])
    falling, change = _falling_light(given)
    unshaded = given["window"] - falling @ given["shade"]
    begin = {
        "theta": ca.vertcat(*_begin(unshaded, within), given["start"], given["blur"]),
        "weight": within,
        "unshaded": unshaded,
        "steepness": change @ given["shade"],
        "falling": falling,
    }
    fit = {"theta": ca.SX.sym("theta", 4), "weight": ca.SX.sym("weight", WINDOW), "blur": given["blur"]}
    fit |= {"start": given["start"], "unshaded": ca.SX.sym("unshaded", WINDOW)}
    fit |= {"steepness": ca.SX.sym("steepness", WINDOW), "level": ca.SX.sym("level"), "pull": ca.SX.sym("pull", 2)}
    equations = _normal_equations(fit)
    moved = fit["theta"] + ca.vertcat(*equations.factors.solved(ca.vertsplit(equations.right)))
    moved[2] = ca.fmin(ca.fmax(moved[2], -FARTHEST), FARTHEST)
    moved[3] = ca.fmin(ca.fmax(moved[3], LEAST_BLUR), LARGEST_BLUR)
    ends = {**fit, "falling": ca.SX.sym("falling", WINDOW, 2)}
    results = _results(ends, equations)
    return Program(
        stage(_function("begin", given, begin)),
        repeat(steps, stage(_function("step", fit, {"theta_next": moved}), theta_next="theta")),
        stage(_function("results", ends, results)),
        outputs=tuple(results),
        name="edge_profile",
    )


@dataclass(frozen=True)
class Equations:
    """The normal equations of a fit at its present parameters."""

    J: ca.SX
    """Derivatives of the profile by b, c, p and sigma (13, 4)."""
    residual: ca.SX
    """What the profile lacks (13)."""
    right: ca.SX
    """J^T W r, and the pulls (4)."""
    factors: Factors
    """J^T W J, and the pulls, eliminated."""


def _results(fit: dict[str, ca.SX], equations: Equations) -> dict[str, ca.SX]:
    theta, weight, firm = fit["theta"], fit["weight"], fit["pull"][1] ** 2
    by_shade = -equations.J.T @ (ca.repmat(weight, 1, 2) * fit["falling"])
    by_light = ca.horzcat(ca.SX([0, 0, 1, 0]), by_shade, firm * ca.SX([1, 1, 0, 0]))
    inverse = equations.factors.solved([by_light[k, :] for k in range(4)])[2]
    left = ca.dot(weight * equations.residual, equations.residual)
    return {
        "position": theta[2],
        "formal": ca.sqrt(ca.fmax(inverse[0], 0)),
        "by_light": inverse[1:].T,
        "contrast": theta[1],
        "found_blur": theta[3],
        "noise": ca.sqrt(left / ca.fmax(ca.sum1(weight) - 3, 1)),
    }


def _begin(window: ca.SX, within: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Return background and contrast from pixels on both sides that count."""
    sides: list[ca.SX] = []
    for part in (slice(0, 4), slice(HALF_WINDOW + 2, HALF_WINDOW + 6)):
        sides.append(ca.dot(within[part], window[part]) / ca.fmax(ca.sum1(within[part]), 1))
    return sides[0], sides[1] - sides[0]


def _normal_equations(fit: dict[str, ca.SX]) -> Equations:
    b, c, p, sigma = ca.vertsplit(fit["theta"])
    borders = [i - 0.5 - p for i in range(-HALF_WINDOW, HALF_WINDOW + 2)]
    sharpness = 1 / sigma
    shares = [normal(x * sharpness) for x in borders]
    F = [x * Phi + sigma * phi for x, (Phi, phi) in zip(borders, shares, strict=True)]
    rows: list[ca.SX] = []
    for i in range(WINDOW):
        by_p, by_blur = shares[i][0] - shares[i + 1][0], shares[i + 1][1] - shares[i][1]
        rows.append(ca.horzcat(1, F[i + 1] - F[i], c * by_p + fit["steepness"][i], c * by_blur))
    J, weight = ca.vertcat(*rows), fit["weight"]
    residual = fit["unshaded"] - fit["steepness"] * (p - fit["start"]) - b - c * J[:, 1]
    firm = fit["pull"][0] * ca.fmax(ca.fabs(c), LEAST_CONTRAST)
    pulls = ca.vertcat(ca.horzcat(0, 0, 0, firm), fit["pull"][1] * ca.horzcat(1, 1, 0, 0))
    lack = ca.vertcat(firm * (fit["blur"] - sigma), fit["pull"][1] * (fit["level"] - b - c))
    N = J.T @ (ca.repmat(weight, 1, 4) * J) + pulls.T @ pulls + RIDGE * ca.SX.eye(4)
    right = J.T @ (weight * residual) + pulls.T @ lack
    return Equations(J, residual, right, factorised(N, range(4), range(4)))


def _falling_light(given: dict[str, ca.SX]) -> tuple[ca.SX, ca.SX]:
    """Return R and S, blurred, at the pixels of a window (13, 2), and what a shifted edge does to them.

    R = 2 sqrt(whole/w) M sqrt((1 - whole M/w)/(M + a/(1 + b M^2))), one root and one quotient. Derivatives are central
    differences over pixels: they only carry what is left between the expected and the found position.
    """
    width, whole = given["width"], ca.sqrt(given["blur"] ** 2 + 1 / 12)
    sharpness, share = 1 / whole, whole / width
    rows: list[ca.SX] = []
    for i in range(-HALF_WINDOW - 1, HALF_WINDOW + 2):
        z = (i - given["start"]) * sharpness
        Phi, phi = normal(z)
        M = ca.fmax(z * Phi + phi, 1e-9)
        tail = 1 + ROOT[1] * M * M
        rest = ca.fmax(1 - share * M, 0.25) * tail / (M * tail + ROOT[0])
        rows.append(ca.horzcat(M * ca.sqrt(4 * share * rest), M * whole))
    falling = ca.vertcat(*rows)
    return falling[1:-1, :], 0.5 * (falling[:-2, :] - falling[2:, :])


def _function(name: str, inputs: dict[str, ca.SX], outputs: dict[str, ca.SX]) -> ca.Function:
    values = [ca.densify(ca.SX(value)) for value in outputs.values()]
    return ca.Function(name, list(inputs.values()), values, list(inputs), list(outputs), {"cse": True})
