"""The run of the study of [Ozgur2013]: it measures something about each claim, and draws the figures."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from parakin.arrays import Array
from parakin.dynamics.count import PAPER, Count
from parakin.dynamics.count_table import count_table
from parakin.dynamics.formulations import FORMULATIONS
from parakin.kernels import OperationCount
from parakin.robot import Robot, load
from parakin.studies.common import ROUNDING, same_within, verdict_if
from parakin.studies.definition import Finding, Outcome, Progress, Verdict
from parakin.studies.ozgur import noise
from parakin.studies.ozgur.figures import noise_figure, operations_figure
from parakin.studies.ozgur.routes import ROBOTS, Route, route_of
from parakin.trajectory import circle

NEAR = 0.4
"""Sine of the angle between the forearms below which the growth of errors is fitted."""


def run(progress: Progress) -> Outcome:
    """Measure something about each claim, and draw the figures."""
    five_bar = load("five_bar")
    routes: dict[str, Route] = {}
    for name in ROBOTS:
        progress(f"six steps on {name}")
        routes[name] = route_of(name)
    progress("operations of the five-bar")
    counts = {row.form: row.count for row in count_table(five_bar.description) if row.model.endswith("from")}
    progress("noise")
    sensitivity = noise.sensitivity(five_bar)
    findings = _models(routes) | _table_3(counts) | _operators(routes) | _slips(five_bar) | _noise(sensitivity)
    bars = {
        name: tuple(_basic(count) for count in (route.regrouped, route.observed, route.encoders))
        for name, route in routes.items()
    }
    labels = ("observed, regrouped", "observed, A Γ + b = 0", "encoders, A Γ + b = 0")
    figures = {
        "operations": (
            operations_figure(bars, labels),
            "Additions, multiplications and divisions of inverse dynamics. The Gough-Stewart has no regrouped form.",
        ),
        "noise": (
            _noise_figure(sensitivity),
            "Five-bar, equal noise on each measured angle. Left: along a circle. Right: towards forearms in line.",
        ),
    }
    return Outcome(findings, figures)


def _noise_figure(sensitivity: noise.Sensitivity) -> Figure:
    sizes = noise.SIZES, sensitivity.angles, sensitivity.rates, sensitivity.torque
    return noise_figure(sizes, (sensitivity.sine, sensitivity.gains))


def _models(routes: dict[str, Route]) -> dict[str, Finding]:
    apart = max(route.disagreement for route in routes.values())
    others = sum(row.exact for row in FORMULATIONS.values()) - 1
    matrix = max(route.matrix for route in routes.values())
    return {
        "steps": Finding(
            f"{len(routes)} robots by one code",
            verdict_if(all(route.disagreement < ROUNDING for route in routes.values())),
            "Formulation kinematic-elements. Forces at 200 states of each box, 1 m/s and 10 m/s^2.",
        ),
        "agreement": Finding(
            f"{others} other formulations, {len(routes)} robots: {same_within(apart)}",
            verdict_if(apart < ROUNDING),
            "From poses and from observed elements, without a pose.",
        ),
        "control": Finding("not measured", Verdict.OPEN, "Its results are in their reference [28], not in this paper."),
        "singular": Finding(
            f"A and transposed J_qv {same_within(matrix)}",
            Verdict.ADDED,
            "On all six robots: A is singular exactly where the platform is.",
        ),
    }


def _table_3(counts: dict[str, Count]) -> dict[str, Finding]:
    regrouped, implicit = counts["observed elements, 3-D"], counts["observed elements by A Gamma + b = 0, 3-D"]
    flat, encoders = counts["observed elements, planar"], counts["encoders"]
    seen, read = PAPER["observed"], PAPER["encoders"]
    times = encoders.total / flat.total
    within = encoders.within(read)
    return {
        "vision": Finding(
            f"{regrouped.additions}, {regrouped.multiplications} regrouped; "
            f"{implicit.additions}, {implicit.multiplications} by A Gamma + b = 0",
            verdict_if(regrouped.within(seen), Verdict.CONDITIONAL if implicit.within(seen) else Verdict.REFUTED),
            "In three dimensions. A Gamma + b = 0 carries full tensors in any plane; the paper's bars are uniform. "
            f"In the plane: {flat.additions}, {flat.multiplications}.",
        ),
        "encoders": Finding(
            f"{encoders.additions}, {encoders.multiplications}, {encoders.trigonometric} sines and cosines, "
            f"{encoders.square_roots} square root",
            verdict_if(within and not encoders.square_roots, Verdict.CONDITIONAL if within else Verdict.REFUTED),
            "The condition: square roots are not counted. Two circles meet in the tool point, which takes one; Table 3 "
            "has no line for it.",
        ),
        "dearer": Finding(
            f"{times:.2f} times", verdict_if(times > 1.0), "Additions and multiplications, planar forms."
        ),
    }


def _operators(routes: dict[str, Route]) -> dict[str, Finding]:
    sines = sum(route.observed.trigonometric + route.regrouped.trigonometric for route in routes.values())
    divided = [name for name, route in routes.items() if route.equations.divisions]
    rooted = [name for name, route in routes.items() if route.equations.square_roots]
    more = {name: _basic(r.encoders) - _basic(r.observed) for name, r in routes.items()}
    times = {name: _basic(r.encoders) / _basic(r.observed) for name, r in routes.items()}
    others = [name for name in routes if name != "five_bar"]
    grows = all(more[name] > more["five_bar"] for name in others)
    worsens = all(times[name] > times["five_bar"] for name in others)
    strict = not divided and not rooted
    verdict = Verdict.CONDITIONAL if len(rooted) < len(routes) else Verdict.REFUTED
    return {
        "severe": Finding(
            f"{', '.join(f'{value:.1f}' for value in times.values())} times",
            verdict_if(grows and worsens, Verdict.CONDITIONAL if grows else Verdict.REFUTED),
            f"In the order {', '.join(routes)}. In numbers of operations every robot saves more than the five-bar "
            f"({more['five_bar']:,} to {max(more.values()):,}); in proportion only {_longer(times)}.",
        ),
        "trigonometry": Finding(f"{sines} on {len(routes)} robots", verdict_if(sines == 0)),
        "operators": Finding(
            f"divisions on {len(divided)} of {len(routes)} robots, square roots on {len(rooted)}",
            verdict_if(strict, verdict),
            "Of A and b. The condition: divisions count as multiplications; eq. (41) itself divides by x_a·y. Square "
            f"roots on {', '.join(rooted) or 'none'}: for the spin of universal joints, which the paper leaves out.",
        ),
    }


def _slips(robot: Robot) -> dict[str, Finding]:
    """Measure along the circle which way elements turn, and the sign of the elbows' friction power."""
    samples = circle(robot).sampled(noise.RATE)
    bars, _ = noise.angles_of(robot, samples.pose, samples.velocity, samples.acceleration)
    arms, forearms = bars.rate[:, 0::2], bars.rate[:, 1::2]
    backwards = float(np.mean(arms < 0.0))
    still = not np.isfinite(_eq_10(robot)).all()
    relative = forearms - arms
    given = relative * forearms < 0.0
    conditions = Verdict.CONDITIONAL if backwards < 1.0 else Verdict.REFUTED
    return {
        "frame": Finding(
            f"{'undefined' if still else 'defined'} at rest; arms turned over in {100 * backwards:.0f} % of a circle",
            verdict_if(not still and backwards == 0.0, conditions),
            "Holds while an element turns one way. z follows the rate's sign, and an actuator's torque with it.",
        ),
        "friction": Finding(
            f"friction drives the robot in {100 * float(np.mean(given)):.0f} % of a circle",
            verdict_if(not given.any()),
            "Power of the elbows' friction: relative rate times rate of the forearm. With its reaction on the arm it "
            "goes with the square of the relative rate, and only takes.",
        ),
    }


def _eq_10(robot: Robot) -> Array:
    """Return y of every element by eq. (10), at rest: NaN, for x_dot is zero."""
    still = np.zeros((1, robot.degrees_of_freedom))
    x_dot = robot.elements(robot.home[None], still, still).x_dot
    with np.errstate(invalid="ignore"):
        return x_dot / np.linalg.norm(x_dot, axis=-1, keepdims=True)


def _noise(sensitivity: noise.Sensitivity) -> dict[str, Finding]:
    middle = len(noise.SIZES) // 2
    sine = sensitivity.sine
    near = sine < NEAR
    slopes = [np.polyfit(np.log(sine[near]), np.log(gain[near]), 1)[0] for gain in sensitivity.gains]

    def compared(pair: tuple[Array, Array]) -> str:
        seen, read = (1e3 * float(errors[middle]) for errors in pair)
        return f"{seen:.2g} against {read:.2g} mN m: {read / seen:.1f} times"

    size = f"{1e3 * noise.SIZES[middle]:.1g} mrad on a circle"
    return {
        "angles": Finding(
            compared(sensitivity.angles),
            Verdict.ADDED,
            f"At {size}; torques are {sensitivity.torque:.1f} N m rms. Four observed directions are worth more than "
            "two encoders: a camera may be noisier by this factor, not by more.",
        ),
        "rates": Finding(
            compared(sensitivity.rates),
            Verdict.ADDED,
            f"At {size}.",
        ),
        "near": Finding(
            f"as sine^{slopes[0]:.1f} observed, sine^{slopes[1]:.1f} from encoders",
            Verdict.ADDED,
            f"Below {NEAR:g}. Forces along the forearms go as 1/sine, and a noisy sine adds a power; from encoders "
            "forward kinematics finds the sine, which adds another.",
        ),
    }


def _basic(count: OperationCount) -> int:
    return count.additions + count.multiplications + count.divisions


def _longer(times: dict[str, float]) -> str:
    return ", ".join(name for name, value in times.items() if value > times["five_bar"]) or "none"
