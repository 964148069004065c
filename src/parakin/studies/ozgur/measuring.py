"""The run of the study of [Ozgur2013]: it measures something about each claim, and draws the figures."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from parakin.arrays import Array
from parakin.dynamics.count import PAPER, Count
from parakin.dynamics.formulations import FORMULATIONS
from parakin.kernels import OperationCount
from parakin.robot import Robot, load
from parakin.studies.common import same_within
from parakin.studies.criteria import Measured
from parakin.studies.definition import Finding, Outcome, Progress, single
from parakin.studies.ozgur import noise
from parakin.studies.ozgur.claims import FRAMES, READINGS
from parakin.studies.ozgur.figures import noise_figure, operations_figure
from parakin.studies.ozgur.routes import PRINTED, ROBOTS, Route, five_bar_routes, route_of
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
    counts = five_bar_routes()
    progress("noise")
    sensitivity = noise.sensitivity(five_bar)
    findings = _models(routes) | _table_3(counts) | _difference(routes, counts)
    findings |= _slips(five_bar) | _noise(sensitivity)
    dots = {
        name: tuple(
            None if count is None else _basic(count) for count in (route.regrouped, route.observed, route.encoders)
        )
        for name, route in routes.items()
    }
    labels = ("observed, regrouped", "observed, A Γ + b = 0", "encoders, A Γ + b = 0")
    figures = {
        "operations": (
            operations_figure(dots, labels),
            (
                "Additions, multiplications and divisions of inverse dynamics. Gough-Stewart and the Delta with a "
                "shaft have no regrouped form."
            ),
        ),
        "noise": (
            _noise_figure(sensitivity),
            (
                "Five-bar, equal noise on each measured angle: (a) along a circle, (b) towards forearms in line. "
                "Bands: from the smallest to the largest of ten draws."
            ),
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
    divided = [name for name, route in routes.items() if route.equations.divisions]
    rooted = [name for name, route in routes.items() if route.equations.square_roots]
    sines = {name: route.trigonometric for name, route in routes.items()}
    angled = ", ".join(f"{name} {count}" for name, count in sines.items() if count)
    hidden = [f"{name} {route.unseen}" for name, route in routes.items() if route.unseen]
    return {
        "steps": Finding(
            f"{others} other formulations, {len(routes)} robots: {same_within(apart)}",
            {name: (Measured(route.disagreement),) for name, route in routes.items()},
            "From poses and from observed elements, at 200 states of each box, 1 m/s and 10 m/s^2. All formulations "
            "stand on the same kinematics; other engines are compared in tests/peers.",
        ),
        "trigonometry": Finding(
            f"none on {sum(not count for count in sines.values())} of {len(sines)} robots; {angled or 'no other'}",
            {name: (Measured(float(count)),) for name, count in sines.items()},
            "A tool's shaft on a platform that does not turn otherwise shows its angle and nothing else: a sine and a "
            "cosine in the model. The six robots that the paper names need none.",
        ),
        "operators": Finding(
            f"square roots on {', '.join(rooted) or 'none'}; divisions on {len(divided)} of {len(routes)}",
            {name: (Measured(float(route.equations.square_roots)),) for name, route in routes.items()},
            "Eq. (41) itself divides by x_a·y. The square roots are for the spin of universal joints, which the paper "
            "leaves out.",
        ),
        "unique": Finding(
            f"none on {len(routes) - len(hidden)} of {len(routes)} robots; {', '.join(hidden) or 'no other'}",
            {name: (Measured(float(route.unseen)),) for name, route in routes.items()},
            "Singular values of the directions' rates: uniqueness nearby, at five poses of each robot. The line of a "
            "tool's shaft does not show how the shaft turns about it.",
        ),
        "control": Finding("not measured", remark="Its results are in their reference [28], not in this paper."),
        "singular": Finding(
            f"A and transposed J_qv {same_within(matrix)}",
            remark="On these robots, at regular poses. So A loses rank where J_qv does: where actuators do not hold "
            "the platform within the motion that it is modelled with (type 2). It does not show the constraint "
            "singularities of platforms with fewer than six freedoms, such as a 3-UPU's, where joints let the platform "
            "leave that motion; and where a leg is stretched (type 1), eq. (41) divides by zero.",
        ),
    }


def _table_3(counts: dict[str, Count]) -> dict[str, Finding]:
    general, regrouped = counts["observed elements by A Gamma + b = 0, 3-D"], counts["observed elements, 3-D"]
    own, seen, encoders = counts[PRINTED], PAPER["observed"], counts["encoders"]
    return {
        "vision": Finding(
            f"{own.additions} additions, {own.multiplications} multiplications",
            single(*(max(n / m, m / n) for n, m in zip(_pair(own), _pair(seen), strict=True))),
            "So no more are needed than printed, and about half of them; constants are folded and nothing is computed "
            "twice here, and the paper does not say how it counts. Our formulation for robots of any legs takes "
            f"{general.additions} and {general.multiplications}, a regrouped one {regrouped.additions} and "
            f"{regrouped.multiplications}: other implementations, which say nothing about the paper's.",
        ),
        "encoders": Finding(
            f"{encoders.additions}, {encoders.multiplications}, {encoders.trigonometric} sines and cosines, "
            f"{encoders.square_roots} square root by a route of our own",
            remark="The paper's route from encoders is not described. Two circles meet in the tool point, which takes "
            "a square root; Table 3 has no line for it.",
        ),
    }


def _pair(count: Count) -> tuple[int, int]:
    return count.additions, count.multiplications


def _difference(routes: dict[str, Route], counts: dict[str, Count]) -> dict[str, Finding]:
    """Compare both routes: like for like on the five-bar, by A Gamma + b = 0 on every robot that the paper names."""
    named = {name: route for name, route in routes.items() if name != "delta_shaft"}
    more = {name: float(_basic(r.encoders) - _basic(r.observed)) for name, r in named.items()}
    times = {name: _basic(r.encoders) / _basic(r.observed) for name, r in named.items()}
    both = dict(zip(READINGS, (more, times), strict=True))
    smallest = {
        reading: min(value for name, value in values.items() if name != "five_bar") / values["five_bar"]
        for reading, values in both.items()
    }
    read, seen = counts["encoders"], counts["observed elements, planar"]
    return {
        "dearer": Finding(
            f"{read.total / seen.total:.1f} times: {read.total} and {seen.total} operations",
            dict.fromkeys(READINGS, (Measured(read.total / seen.total),)),
            "Both regrouped and in the plane; additions, multiplications and divisions. Encoders take "
            f"{read.trigonometric} sines and cosines and {read.square_roots} square root besides. Table 3: 1.19 times.",
        ),
        "severe": Finding(
            f"{more['five_bar']:,.0f} to {max(more.values()):,.0f} operations; "
            f"{', '.join(f'{value:.1f}' for value in times.values())} times",
            {reading: (Measured(value),) for reading, value in smallest.items()},
            f"In the order {', '.join(named)}. In proportion above the five-bar: {_longer(times)}.",
        ),
    }


def _slips(robot: Robot) -> dict[str, Finding]:
    """Measure along the circle which way elements turn, and the sign of the elbows' friction power."""
    samples = circle(robot).sampled(noise.RATE)
    bars, _ = noise.angles_of(robot, samples.pose, samples.velocity, samples.acceleration)
    arms, forearms = bars.rate[:, 0::2], bars.rate[:, 1::2]
    driving = 100 * float(np.mean((forearms - arms) * forearms < 0.0))
    over = _eq_10(robot, samples.pose, samples.velocity) < 0.0
    still = _eq_10(robot, robot.home[None], 0 * robot.home[None])
    shares = np.mean(over[arms > 0.0]), np.mean(~np.isfinite(still)), np.mean(over[arms < 0.0])
    numbers = [Measured(100 * float(share)) for share in shares]
    return {
        "frame": Finding(
            "; ".join(
                f"{state}: {'undefined' if state == FRAMES[1] else 'turned over'} in {number.value:.0f} %"
                for state, number in zip(FRAMES, numbers, strict=True)
            ),
            {state: (number,) for state, number in zip(FRAMES, numbers, strict=True)},
            "z follows the rate's sign, and an actuator's torque with it: turned over in "
            f"{100 * float(np.mean(over)):.0f} % of a circle.",
        ),
        "friction": Finding(
            f"friction drives the robot in {driving:.0f} % of a circle",
            single(driving),
            "Power of the elbows' friction: relative rate times rate of the forearm. With its reaction on the arm it "
            "goes with the square of the relative rate, and only takes.",
        ),
    }


def _eq_10(robot: Robot, pose: Array, velocity: Array) -> Array:
    """Return the component of the arms' z along their axis by eq. (10): 1, -1 where turned over, NaN at rest."""
    elements = robot.elements(pose, velocity, 0 * velocity)
    x, x_dot = elements.x[:, 0::2], elements.x_dot[:, 0::2]
    with np.errstate(invalid="ignore"):
        y = x_dot / np.linalg.norm(x_dot, axis=-1, keepdims=True)
    return np.asarray(np.cross(x, y)[..., 2], float)


def _noise(sensitivity: noise.Sensitivity) -> dict[str, Finding]:
    middle = len(noise.SIZES) // 2
    sine = sensitivity.sine
    near = sine < NEAR
    slopes = [np.polyfit(np.log(sine[near]), np.log(gain[near]), 1)[0] for gain in sensitivity.gains]

    def compared(pair: tuple[Array, Array]) -> str:
        seen, read = (1e3 * errors[:, middle] for errors in pair)
        ratio = np.sort(read / seen)
        return (
            f"{np.mean(seen):.2g} against {np.mean(read):.2g} mN m: {np.mean(read) / np.mean(seen):.1f} times, "
            f"{ratio[0]:.1f} to {ratio[-1]:.1f} over {len(ratio)} seeds"
        )

    size = f"{1e3 * noise.SIZES[middle]:.1g} mrad on a circle"
    return {
        "angles": Finding(
            compared(sensitivity.angles),
            remark=f"At {size}; torques are {sensitivity.torque:.1f} N m rms. Four observed directions are worth more "
            "than two encoders: a camera may be noisier by this factor, not by more.",
        ),
        "rates": Finding(compared(sensitivity.rates), remark=f"At {size}."),
        "near": Finding(
            f"as sine^{slopes[0]:.1f} observed, sine^{slopes[1]:.1f} from encoders",
            remark=f"Below {NEAR:g}. Forces along the forearms go as 1/sine, and a noisy sine adds a power; from "
            "encoders forward kinematics finds the sine, which adds another.",
        ),
    }


def _basic(count: OperationCount) -> int:
    return count.additions + count.multiplications + count.divisions


def _longer(times: dict[str, float]) -> str:
    return ", ".join(name for name, value in times.items() if value > times["five_bar"]) or "none"
