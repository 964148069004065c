"""From the positions of an edge in all scan lines of a region to two points of a contour, as compiled code.

    position_k = predicted_k + a + b (k - k_mean)

The prediction is a cubic along the scan lines, which has the bend of the lens, so that what is left is straight. Scan
lines that disagree lose their weight: least absolute values first, then Tukey's biweight, a fixed number of steps.
The two points that stand for all are s, the standard deviation of k, before and behind k_mean, and are undistorted.
"""

from __future__ import annotations

import functools

import casadi as ca

from parakin.kernels import Derivation, Kernel, Program, repeat, stage
from parakin.vision.edges.search import LINE
from parakin.vision.rigs.camera import distorted

ABSOLUTE_STEPS = 6
"""Steps of least absolute values: they find the line that most scan lines agree on."""
BIWEIGHT_STEPS = 4
"""Steps with Tukey's biweight: they give scan lines that agree their full weight."""
CUT = 4.685
"""Tukey's constant: deviations beyond which a scan line counts nothing; 95 % efficient where all are normal."""
LEAST_DEVIATION = 0.02
"""What deviations are taken for at least in the choice of scan lines [px]: profiles are not known better."""
LEAST_NOISE = 0.29
"""Least noise of a scan line [grey levels]: that of rounding to eight bits."""
LARGEST_CORRELATION = 0.85
"""Correlation of neighbouring scan lines' residuals that is reckoned with at most: then a dozen count like one."""
UNDISTORTION_STEPS = 6
"""Newton's steps back through the lens; four leave nothing of lenses that bend by a tenth."""


@functools.cache
def line_kernel() -> Kernel:
    """Compile the line of one edge.

    position (48) [px], formal (48) [px], noise (48) [grey levels], blur (48) [px] and good (48, 0 or 1) of its scan
    lines' profiles, edge (4): the prediction as a cubic of the scan line's number from the middle, middle: number of
    that line, origin (2): the region's first column and row, rows: whether scan lines are rows, focal, centre (2),
    distortion (5) of the camera -> m (2, 2): two points, spread: their deviations in the normalised picture (2), a, b,
    k_mean, lines: how many agree, rms: of these across the edge [px], edge_deviation [px], places (48): where the line
    is in every scan line [px], mean_blur [px].
    """
    return Kernel(Derivation("line of an edge", _line_program), matrices="m")


def _line_program() -> Program:
    lines = {name: ca.SX.sym(name, LINE) for name in ("position", "formal", "noise", "good", "blur")}
    edge, middle = ca.SX.sym("edge", 4), ca.SX.sym("middle")
    numbers = ca.DM(range(LINE)) - middle
    weight, offset, size = (ca.SX.sym(name, LINE) for name in ("weight", "offset", "size"))
    sizes = _sizes(lines)
    begun = {"offset": lines["position"] - cubic(edge, numbers), "size": sizes, "weight": lines["good"] / sizes**2}
    k, a, b = _line(numbers, offset, weight)
    residual = offset - a - b * (numbers - k)
    absolute = lines["good"] / (size * ca.fmax(ca.fabs(residual), size))
    share = ca.fmax(1 - (residual / (CUT * size)) ** 2, 0)
    fit = {"middle": middle, "good": lines["good"], "offset": offset, "size": size, "weight": weight}
    places = {name: ca.SX.sym(name, count) for name, count in (("origin", 2), ("focal", 2), ("centre", 2))}
    places |= {"rows": ca.SX.sym("rows"), "distortion": ca.SX.sym("distortion", 5)}
    ends = {**fit, "edge": edge, "blur": lines["blur"], **places}
    results = _results(ends, numbers)
    begin = {name: lines[name] for name in ("position", "formal", "noise", "good")}
    return Program(
        stage(_function("begin", begin | {"edge": edge, "middle": middle}, begun)),
        repeat(ABSOLUTE_STEPS, stage(_function("absolute", fit, {"next": absolute}), next="weight")),
        repeat(
            BIWEIGHT_STEPS,
            stage(_function("biweight", fit, {"next": lines["good"] * (share / size) ** 2}), next="weight"),
        ),
        stage(_function("results", ends, results)),
        outputs=tuple(results),
        name="edge_line",
    )


def _sizes(lines: dict[str, ca.SX]) -> ca.SX:
    """Return the deviations (48) of positions [px] from the noise that scan lines have in common.

    That of one line alone rests on few pixels: lines that fit well by chance would count too much. The harmonic mean of
    variances lets lines with something in the way have no part in it; these keep half of their own noise.
    """
    good, noise = lines["good"], ca.fmax(lines["noise"], LEAST_NOISE)
    common = ca.sqrt(ca.fmax(ca.sum1(good), 1) / ca.fmax(ca.sum1(good / noise**2), 1e-12))
    return ca.sqrt((lines["formal"] * ca.fmax(common, 0.5 * noise)) ** 2 + LEAST_DEVIATION**2)


def cubic(edge: ca.SX, k: ca.SX) -> ca.SX:
    """Return a cubic at scan lines: e_0 + e_1 k + e_2 k^2 + e_3 k^3."""
    return edge[0] + k * (edge[1] + k * (edge[2] + k * edge[3]))


def _line(numbers: ca.SX, offset: ca.SX, weight: ca.SX) -> tuple[ca.SX, ca.SX, ca.SX]:
    """Return the mean scan line, and offset and slope of the line there, by weighted least squares."""
    total = ca.fmax(ca.sum1(weight), 1e-12)
    k, a = ca.dot(weight, numbers) / total, ca.dot(weight, offset) / total
    apart = numbers - k
    return k, a, ca.dot(weight * apart, offset - a) / ca.fmax(ca.dot(weight * apart, apart), 1e-12)


def _results(given: dict[str, ca.SX], numbers: ca.SX) -> dict[str, ca.SX]:
    offset, weight, size, edge = given["offset"], given["weight"], given["size"], given["edge"]
    k, a, b = _line(numbers, offset, weight)
    residual = offset - a - b * (numbers - k)
    agree = given["good"] * (ca.fabs(residual) < CUT * size)
    count, total = ca.sum1(agree), ca.fmax(ca.sum1(agree / size**2), 1e-12)
    scatter = ca.dot(agree, (residual / size) ** 2) / ca.fmax(count - 2, 1)
    s = ca.sqrt(ca.dot(weight, (numbers - k) ** 2) / ca.fmax(ca.sum1(weight), 1e-12))
    deviation = ca.sqrt(2 * scatter * _correlated(agree * residual / size, count) / total)
    slope = edge[1] + b + 2 * edge[2] * k + 3 * edge[3] * k**2
    ends = [_undistorted(given, k + d, cubic(edge, k + d) + a + b * d) for d in (-s, s)]
    points, steps = [end[0] for end in ends], [end[1] for end in ends]
    along = points[1] - points[0]
    across = ca.vertcat(-along[1], along[0]) / ca.fmax(ca.norm_2(along), 1e-12)
    return {
        "m": ca.vertcat(*(point.T for point in points)),
        "spread": ca.vertcat(*(deviation * ca.fabs(ca.dot(across, step)) for step in steps)),
        "a": a,
        "b": b,
        "k_mean": k,
        "lines": count,
        "rms": ca.sqrt(ca.dot(agree, residual**2) / ca.fmax(count - 2, 1) / (1 + slope**2)),
        "edge_deviation": deviation / ca.sqrt(1 + slope**2),
        "places": cubic(edge, numbers) + a + b * (numbers - k),
        "mean_blur": ca.dot(weight, given["blur"]) / ca.fmax(ca.sum1(weight), 1e-12),
    }


def _correlated(residual: ca.SX, count: ca.SX) -> ca.SX:
    """Return how much larger the variance of the line is because residuals of neighbouring scan lines are alike.

        (1 + rho)/(1 - rho),   rho = sum_k r_k r_k+1/sum_k r_k^2 + 2/n

    is that of the mean of a process in which each value keeps the share rho of the one before. What is behind a rod
    shifts neighbouring scan lines together. A line through n of them takes 2/n from rho. What is not above two
    deviations of chance, 2/sqrt(n), is taken for none.
    """
    own = ca.fmax(ca.dot(residual, residual), 1e-12)
    number = ca.fmax(count, 2)
    rho = ca.dot(residual[1:], residual[:-1]) / own + 2 / number
    kept = ca.if_else(rho > 2 / ca.sqrt(number), ca.fmin(rho, LARGEST_CORRELATION), 0)
    return (1 + kept) / (1 - kept)


def _undistorted(given: dict[str, ca.SX], line: ca.SX, position: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Return the point m of a position in a scan line, and its step for one pixel along that line."""
    row = given["middle"] + line
    pixel = given["origin"] + ca.if_else(given["rows"], ca.vertcat(position, row), ca.vertcat(row, position))
    target = (pixel - given["centre"]) / given["focal"]
    coefficients = ca.vertsplit(given["distortion"])
    m = ca.SX.sym("m", 2)
    bent = ca.vertcat(*distorted(m[0], m[1], coefficients))
    slopes = ca.jacobian(bent, m)
    lens = ca.Function("lens", [m, given["distortion"]], [bent, slopes])
    now = target
    for _ in range(UNDISTORTION_STEPS):
        value, slope = lens(now, given["distortion"])
        now = now + _solved(slope, target - value)
    _, slope = lens(now, given["distortion"])
    unit = ca.if_else(given["rows"], ca.DM([1, 0]), ca.DM([0, 1]))
    return now, _solved(slope, unit / given["focal"])


def _solved(J: ca.SX, e: ca.SX) -> ca.SX:
    determinant = J[0, 0] * J[1, 1] - J[0, 1] * J[1, 0]
    return ca.vertcat(J[1, 1] * e[0] - J[0, 1] * e[1], J[0, 0] * e[1] - J[1, 0] * e[0]) / determinant


def _function(name: str, inputs: dict[str, ca.SX], outputs: dict[str, ca.SX]) -> ca.Function:
    values = [ca.densify(ca.SX(value)) for value in outputs.values()]
    return ca.Function(name, list(inputs.values()), values, list(inputs), list(outputs), {"cse": True})
