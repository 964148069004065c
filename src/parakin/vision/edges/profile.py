"""The position of an edge in a scan line to a hundredth of a pixel: a profile is fitted, as stages of a kernel.

    y_i = b + c E_i + g R_i + h S_i + a H_i
    E_i = F(i + 1/2 - p) - F(i - 1/2 - p),   F(x) = x Phi(x/sigma) + sigma phi(x/sigma)      a blurred step, over pixels
    R_i = 2 sqrt(d/w (1 - d/w)), blurred,    d = i - p                                       the light on a round rod
    S_i = F(i - p)                                                                           a blurred ramp
    H_i = exp(-(d - d_0)^2/(2 u^2))                                                          a highlight

b: what is behind; c: the contrast at the contour; p: the position; sigma: the blur along the line: these are fitted by
Gauss and Newton's steps, a fixed number of them. g, h, a, d_0 and u, how light changes from the contour inwards, and w,
the rod's width, are given (`shading`), and what they add is linear about where the edge is expected. Blur and the
level b + c at the contour may be pulled to given values.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import casadi as ca

from parakin.kernels import repeat, stage
from parakin.kernels.program import Step
from parakin.linalg.elimination import Factors, factorised
from parakin.vision.edges.search import HALF_WINDOW, WINDOW

MILLS = (
    1.2533096548656948,
    -0.9997351300241718,
    0.6240230755966836,
    -0.3232374150201425,
    0.13702130920822697,
    -0.04434457485605787,
    0.009865422347766268,
    -0.001302044539209248,
    7.536849931640547e-05,
)
"""Mills' ratio on [0, 5] as a polynomial, fitted so that R(z) phi(z) and z R(z) phi(z) are right to 1.8e-6: five
ten-thousandths of a grey level, where a picture is rounded to whole ones."""
MILLS_END = 5.0
"""Where that polynomial ends; what is beyond, 3e-7, is below its error."""

DENSITY = 1 / math.sqrt(2 * math.pi)
"""The normal density at 0."""


def gaussians(middle: ca.SX, sharpness: ca.SX, before: int, behind: int) -> list[ca.SX]:
    """Return e_i = exp(-(middle + i)^2 sharpness^2/2) for i from -before to behind, with four exponentials for all.

    e_i+1 = e_i r_i,   r_i+1 = r_i exp(-sharpness^2)
    """
    k = sharpness**2
    step = ca.exp(-k)
    found = {0: ca.exp(-0.5 * k * middle**2)}
    for way, count in ((1, behind), (-1, before)):
        ratio = ca.exp(-k * (way * middle + 0.5))
        for i in range(count):
            found[way * (i + 1)] = found[way * i] * ratio
            ratio = ratio * step
    return [found[i] for i in range(-before, behind + 1)]


def _mills(z: ca.SX) -> ca.SX:
    """Return Mills' ratio for z from 0 on; its last value beyond the polynomial."""
    kept = ca.fmin(z, MILLS_END)
    ratio = ca.SX(MILLS[-1])
    for coefficient in reversed(MILLS[:-1]):
        ratio = coefficient + kept * ratio
    return ratio


@dataclass(frozen=True)
class Steps:
    """Blurred steps at places one pixel apart."""

    Phi: list[ca.SX]
    """Share of the step that is reached there: Phi(x/sigma)."""
    phi: list[ca.SX]
    """Density phi(x/sigma)."""
    F: list[ca.SX]
    """Integral of the share [px]: x Phi(x/sigma) + sigma phi(x/sigma)."""


def steps(middle: ca.SX, sigma: ca.SX, before: int, behind: int) -> Steps:
    """Return blurred steps at middle + i, i from -before to behind [px].

    The distribution is Mills' ratio times the density, Phi(-z) = R(z) phi(z), with a polynomial for R.
    """
    sharpness = 1 / sigma
    shares: list[ca.SX] = []
    integrals: list[ca.SX] = []
    densities = [e * DENSITY for e in gaussians(middle, sharpness, before, behind)]
    for i, phi in zip(range(-before, behind + 1), densities, strict=True):
        x = middle + i
        beyond = _mills(ca.fabs(x * sharpness)) * phi
        Phi = ca.if_else(x < 0, beyond, 1 - beyond)
        shares.append(Phi)
        integrals.append(x * Phi + sigma * phi)
    return Steps(shares, densities, integrals)


FARTHEST = 2.5
"""How far from its pixel the position of an edge may go [px]."""
LEAST_BLUR, LARGEST_BLUR = 0.25, 4.0
"""Between what the blur along a line is kept [px]."""
LEAST_CONTRAST = 1e-3
"""Contrast that blur is pulled with at least [grey levels]: without any, it is not determined."""
RIDGE = 1e-9
"""What is added to the diagonal of the normal equations: a window without light must not divide by zero."""
ROOT = (0.586, 0.514)
"""E sqrt(max(z + t, 0)) = M/sqrt(M + a/(1 + b M^2)) to 0.003 for normal t, M = z Phi(z) + phi(z): fitted."""
LIGHT = 3
"""Numbers of the light that changes from the contour inwards: g, h and a."""


def fit_stages(count: int, side: int, *, shaded: bool) -> list[Step]:
    """Return the stages that fit one edge, 0 or 1, in so many steps; their signals end in its number.

    window (13) [grey levels] with the rod on its right, first, last: places of its first and last pixel that count,
    from its middle [px], start: where the edge is expected from there [px], width: that of the rod along the line [px],
    blur [px], level [grey levels]: what sigma and b + c are pulled to, pull (2): how firmly [1/px, 1]; where light
    changes inwards shade (3): g [grey levels], h [grey levels/px] and a [grey levels], lobe (2): d_0 and u [px] ->
    position [px] from the middle of the window, formal: its deviation for noise of one grey level [px], contrast,
    found_blur [px], noise: deviation of the residuals [grey levels]; by_light (4): derivatives of the position by g, h,
    a and level.
    """
    begin = _shaded_begin() if shaded else _plain_begin()
    fit = _fit_inputs()
    equations = _normal_equations(fit)
    moved = _moved(fit, equations)
    ends = {**fit, "falling": ca.SX.sym("falling", WINDOW, LIGHT)} if shaded else fit
    step = _stage(_function("step", fit, {"theta_next": moved}), side, theta_next="theta")
    return [
        _stage(begin, side),
        *([repeat(count - 1, step)] if count > 1 else []),
        _stage(_function("results", ends, _results(ends, equations, moved)), side),
    ]


def _stage(function: ca.Function, side: int, **renamed: str) -> Step:
    names = {*function.name_in(), *function.name_out()} - {"pull"}
    return stage(function, **{name: f"{renamed.get(name, name)}_{side}" for name in names})


def _fit_inputs() -> dict[str, ca.SX]:
    sizes = {"theta": 4, "weight": WINDOW, "unshaded": WINDOW, "steepness": WINDOW, "start": 1, "blur": 1, "level": 1}
    return {name: ca.SX.sym(name, size) for name, size in (sizes | {"pull": 2}).items()}


def _plain_begin() -> ca.Function:
    given = {name: ca.SX.sym(name) for name in ("first", "last", "start", "blur")}
    given |= {"window": ca.SX.sym("window", WINDOW)}
    within = _within(given)
    begin = {"theta": _begin(given, given["window"], within), "weight": within, "unshaded": given["window"]}
    return _function("begin", given, begin | {"steepness": ca.SX.zeros(WINDOW), "level": ca.SX(0)})


def _shaded_begin() -> ca.Function:
    given = {name: ca.SX.sym(name) for name in ("first", "last", "start", "blur", "width")}
    given |= {"window": ca.SX.sym("window", WINDOW), "shade": ca.SX.sym("shade", LIGHT), "lobe": ca.SX.sym("lobe", 2)}
    within = _within(given)
    falling, change = _falling_light(given)
    unshaded = given["window"] - falling @ given["shade"]
    begin = {"theta": _begin(given, unshaded, within), "weight": within, "unshaded": unshaded}
    return _function("begin", given, begin | {"steepness": change @ given["shade"], "falling": falling})


def _within(given: dict[str, ca.SX]) -> ca.SX:
    places = ca.SX(range(-HALF_WINDOW, HALF_WINDOW + 1))
    return (places >= given["first"]) * (places <= given["last"])


def _begin(given: dict[str, ca.SX], window: ca.SX, within: ca.SX) -> ca.SX:
    """Return background and contrast from pixels on both sides that count, the expected position and blur."""
    sides: list[ca.SX] = []
    for part in (slice(0, 4), slice(HALF_WINDOW + 2, HALF_WINDOW + 6)):
        sides.append(ca.dot(within[part], window[part]) / ca.fmax(ca.sum1(within[part]), 1))
    return ca.vertcat(sides[0], sides[1] - sides[0], given["start"], given["blur"])


@dataclass(frozen=True)
class Equations:
    """The normal equations of a fit at its present parameters."""

    columns: tuple[ca.SX, ...]
    """Derivatives of the profile by b, c, p and sigma (13 each)."""
    residual: ca.SX
    """What the profile lacks (13)."""
    factors: Factors
    """J^T W J, and the pulls, eliminated."""
    step: ca.SX
    """What is to be added to the parameters (4)."""


def _normal_equations(fit: dict[str, ca.SX]) -> Equations:
    b, c, p, sigma = ca.vertsplit(fit["theta"])
    border = steps(-0.5 - p, sigma, HALF_WINDOW, HALF_WINDOW + 1)
    pixels = range(WINDOW)
    E = ca.vertcat(*(border.F[i + 1] - border.F[i] for i in pixels))
    by_p = c * ca.vertcat(*(border.Phi[i] - border.Phi[i + 1] for i in pixels)) + fit["steepness"]
    by_blur = c * ca.vertcat(*(border.phi[i + 1] - border.phi[i] for i in pixels))
    columns = (ca.SX([1.0] * WINDOW), E, by_p, by_blur)
    residual = fit["unshaded"] - fit["steepness"] * (p - fit["start"]) - b - c * E
    weighted = [fit["weight"] * column for column in columns]
    N = ca.SX.zeros(4, 4)
    for i in range(4):
        for j in range(i, 4):
            N[i, j] = N[j, i] = ca.dot(weighted[i], columns[j]) + RIDGE * (i == j)
    right = [ca.dot(column, residual) for column in weighted]
    firm = (fit["pull"][0] * ca.fmax(ca.fabs(c), LEAST_CONTRAST)) ** 2
    N[3, 3] += firm
    N[:2, :2] += fit["pull"][1] ** 2
    lack = fit["pull"][1] ** 2 * (fit["level"] - b - c)
    factors = factorised(N, range(4), range(4))
    step = factors.solved([right[0] + lack, right[1] + lack, right[2], right[3] + firm * (fit["blur"] - sigma)])
    return Equations(columns, residual, factors, ca.vertcat(*step))


def _moved(fit: dict[str, ca.SX], equations: Equations) -> ca.SX:
    moved = fit["theta"] + equations.step
    moved[2] = ca.fmin(ca.fmax(moved[2], -FARTHEST), FARTHEST)
    moved[3] = ca.fmin(ca.fmax(moved[3], LEAST_BLUR), LARGEST_BLUR)
    return moved


def _results(fit: dict[str, ca.SX], equations: Equations, moved: ca.SX) -> dict[str, ca.SX]:
    """Return what the last step ends with; residuals and covariance are those of the profile as it is linear there."""
    weight = fit["weight"]
    unit = ca.SX([0, 0, 1, 0])
    row = ca.vertcat(*equations.factors.solved(ca.vertsplit(unit)))  # of the inverse, which is symmetric
    left = equations.residual - sum(column * equations.step[k] for k, column in enumerate(equations.columns))
    results = {
        "position": moved[2],
        "formal": ca.sqrt(ca.fmax(row[2], 0)),
        "contrast": moved[1],
        "found_blur": moved[3],
        "noise": ca.sqrt(ca.dot(weight * left, left) / ca.fmax(ca.sum1(weight) - 3, 1)),
    }
    if "falling" not in fit:
        return results
    pixels = weight * sum(column * row[k] for k, column in enumerate(equations.columns))
    by_shade = -fit["falling"].T @ pixels
    return {**results, "by_light": ca.vertcat(by_shade, fit["pull"][1] ** 2 * (row[0] + row[1]))}


def _falling_light(given: dict[str, ca.SX]) -> tuple[ca.SX, ca.SX]:
    """Return R and S, blurred, and H at the pixels of a window (13, 3), and what a shifted edge does to them.

    R = 2 sqrt(whole/w) M sqrt((1 - whole M/w)/(M + a/(1 + b M^2))), one root and one quotient. Derivatives are central
    differences over pixels: they only carry what is left between the expected and the found position.
    """
    width, whole = given["width"], ca.sqrt(given["blur"] ** 2 + 1 / 12)
    sharpness, share = 1 / whole, whole / width
    reach = HALF_WINDOW + 1
    blurred = steps(-given["start"], whole, reach, reach)
    lobe = gaussians(-given["start"] - given["lobe"][0], 1 / given["lobe"][1], reach, reach)
    rows: list[ca.SX] = []
    for F, H in zip(blurred.F, lobe, strict=True):
        M = ca.fmax(F * sharpness, 1e-9)
        tail = 1 + ROOT[1] * M * M
        rest = ca.fmax(1 - share * M, 0.25) * tail / (M * tail + ROOT[0])
        rows.append(ca.horzcat(M * ca.sqrt(4 * share * rest), M * whole, H))
    falling = ca.vertcat(*rows)
    return falling[1:-1, :], 0.5 * (falling[:-2, :] - falling[2:, :])


def _function(name: str, inputs: dict[str, ca.SX], outputs: dict[str, ca.SX]) -> ca.Function:
    values = [ca.densify(ca.SX(value)) for value in outputs.values()]
    return ca.Function(name, list(inputs.values()), values, list(inputs), list(outputs), {"cse": True})
