"""The run of the study of [Abdellatif2005]: it measures something about each claim, and draws the figures."""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array
from parakin.control import law
from parakin.studies.abdellatif.costs import cost_findings
from parakin.studies.abdellatif.figures import benefit_figure, errors_figure, inertia_figure
from parakin.studies.abdellatif.machines import GEOMETRIES, machine
from parakin.studies.abdellatif.tracking import PERIOD, RULES, Tracking, phase_errors, speed_errors, tracked
from parakin.studies.common import verdict_over
from parakin.studies.definition import Finding, Outcome, Progress, Verdict

PRINTED_VARIATION, ABOUT = 60.0, 10.0
"""Variation of inertia that Fig. 5 shows, and how far from it "approximately" reaches [%]."""
FAR = 5.0
"""Factor of errors from which on "clearly improper" is taken to hold."""
SIGNIFICANT = 0.1
"""Share of an error below which a difference is not put down to control concepts."""
CORRELATED = 0.5
"""Coefficient from which on two quantities count as correlated."""
SPEEDS = np.array([0.2, 0.4, 0.6, 0.8, 1.0])
"""Speeds of the circle at which PID is tried [m/s]."""
RAMPS = (0.25, 0.05)
"""Parts of a turn on which the speed rises, and on which it falls, one value for each run."""
DRAWN = (0, 2, 5)
"""Indices of the actuators drawn: nr. 1, 3 and 6, as in the paper's figures."""


def run(progress: Progress) -> Outcome:
    """Measure something about each claim, and draw the figures."""
    progress("counting operations")
    robot = machine(GEOMETRIES["as assumed"])
    pid = law("pid", robot, PERIOD)
    findings = cost_findings(robot)
    machines: dict[str, Tracking] = {}
    for name, proportions in GEOMETRIES.items():
        progress(f"circle: {name}")
        machines[name] = tracked(robot, pid) if name == "as assumed" else tracked(machine(proportions))
    palida = machines["as assumed"]
    progress("errors against speed, and on ramps")
    errors = speed_errors(robot, pid, SPEEDS)
    phases = {ramp: phase_errors(robot, pid, ramp) for ramp in RAMPS}
    findings |= _inertias(machines) | _single_joint(palida, errors, phases)
    findings |= _decoupling(machines) | _correlation(machines)
    concepts = {"PID": "pid", "feedforward": "feedforward"}
    concepts |= {f"decoupling, {rule}": rule for rule in RULES}
    curves = {label: 1e6 * _errors(palida, name) for label, name in concepts.items()}
    names = [palida.robot.actuator_names[k] for k in DRAWN]
    figures = {
        "inertia": (
            inertia_figure(palida.reference.t, palida.inertia[:, DRAWN], names),
            "Effective inertia of three actuators along the inclined circle (Fig. 5 of the paper).",
        ),
        "tracking": (
            errors_figure(palida.reference.t, curves, names),
            "Tracking errors of three actuators, on two scales (Fig. 6 and 7 of the paper).",
        ),
        "benefit": (
            benefit_figure({n: (m.variation, {rule: m.benefit(rule) for rule in RULES}) for n, m in machines.items()}),
            "What decoupling gains on five machines, by actuator, against the variation of its effective inertia.",
        ),
    }
    return Outcome(findings, figures)


def _errors(tracking: Tracking, concept: str) -> Array:
    """Return the errors of the actuators drawn (ticks, 3) [m]."""
    log = tracking.logs[concept]
    return (log["desired_q"] - log["q"])[:, DRAWN]


def _inertias(machines: dict[str, Tracking]) -> dict[str, Finding]:
    largest = {name: float(tracking.variation.max()) for name, tracking in machines.items()}
    palida = largest["as assumed"]
    near = [name for name, value in largest.items() if abs(value - PRINTED_VARIATION) <= ABOUT]
    verdict = Verdict.HOLDS if "as assumed" in near else Verdict.CONDITIONAL if near else Verdict.REFUTED
    variation = machines["as assumed"].variation
    return {
        "inertia": Finding(
            f"{palida:.0f} %; {min(largest.values()):.0f} to {max(largest.values()):.0f} % over five machines",
            verdict,
            f"Proportions decide: {', '.join(near)} comes near." if near else "",
        ),
        "differs": Finding(
            f"{variation.min():.0f} % against {variation.max():.0f} %",
            Verdict.HOLDS if 1.5 * variation.min() < variation.max() else Verdict.REFUTED,
        ),
    }


def _single_joint(palida: Tracking, errors: Array, phases: dict[float, tuple[float, float]]) -> dict[str, Finding]:
    times = {rule: palida.overall("pid") / palida.overall(rule) for rule in RULES}
    good = [value >= FAR for value in times.values()]
    worse = [changing > (1 + SIGNIFICANT) * constant for changing, constant in phases.values()]
    ahead = palida.overall("pid") / palida.overall("feedforward")
    slow, fast = np.log(errors[1] / errors[0]) / np.log(2), np.log(errors[-1] / errors[1]) / np.log(2.5)
    return {
        "pid": Finding(
            f"{times['equal margin']:.0f} times the error at equal margin, {times['equal noise']:.1f} at equal noise",
            verdict_over(good),
            f"Plain feedforward: {ahead:.1f} times smaller errors than PID with the same feedback.",
        ),
        "ramps": Finding(
            "; ".join(
                f"{1e3 * a:.2f} mm on ramps of {r:g} turns, {1e3 * b:.2f} mm after" for r, (a, b) in phases.items()
            ),
            verdict_over(worse),
            "Rms. How sharply the circle is entered decides.",
        ),
        "speed": Finding(
            f"error ~ speed^{slow:.1f} up to 0.4 m/s, speed^{fast:.1f} above",
            Verdict.HOLDS if fast > 1 + SIGNIFICANT and fast > slow else Verdict.REFUTED,
            "Friction rules slow circles, the square of speed fast ones.",
        ),
    }


def _decoupling(machines: dict[str, Tracking]) -> dict[str, Finding]:
    palida = machines["as assumed"]
    ratios = {rule: [m.overall(rule) / m.overall("feedforward") for m in machines.values()] for rule in RULES}
    better = {rule: all(value < 1 - SIGNIFICANT for value in values) for rule, values in ratios.items()}
    margin, noise = (ratios[rule] for rule in RULES)
    at_margin = palida.overall("equal margin")
    constant, ahead = (palida.overall(name) / at_margin - 1 for name in ("constant", "constant ahead"))
    variation = palida.variation
    matters = [constant > SIGNIFICANT, ahead > SIGNIFICANT]
    return {
        "decoupling": Finding(
            f"errors {min(margin):.2f} to {max(margin):.2f} of feedforward's at equal margin, {min(noise):.1f} to "
            f"{max(noise):.1f} at equal noise",
            verdict_over(list(better.values())),
            "At equal margin decoupling may have far higher gains: the light motions in which drives move together no "
            "longer set the limit. It pays with force noise.",
        ),
        "static": Finding(
            f"errors {100 * constant:+.1f} % with a constant matrix in the feedback, {100 * ahead:+.0f} % also ahead",
            verdict_over(matters),
            "The matrix of home against that of the desired pose, the same gains, on a machine whose inertias "
            f"vary by {variation.min():.0f} to {variation.max():.0f} %. Inertia that varies is a matter of the "
            "computed force.",
        ),
    }


def _correlation(machines: dict[str, Tracking]) -> dict[str, Finding]:
    """Correlate variation and benefit of actuators within machines, as the paper does: against their machine's mean."""
    benefits = {rule: [np.log(m.benefit(rule)) for m in machines.values()] for rule in RULES}
    variations, couplings = [m.variation for m in machines.values()], [m.coupling for m in machines.values()]
    within = {rule: _pearson(_centred(variations), _centred(values)) for rule, values in benefits.items()}
    correlated = [r >= CORRELATED for r in within.values()]
    means = _means(benefits["equal margin"])
    by_coupling, by_variation = _pearson(np.log(couplings), means), _pearson(_means(variations), means)
    return {
        "correlation": Finding(
            f"r = {within['equal margin']:+.2f} at equal margin, {within['equal noise']:+.2f} at equal noise",
            verdict_over(correlated),
            f"{len(_centred(variations))} actuators of five machines, each against the mean of its machine; benefits "
            f"as logarithms; a correlation counts from {CORRELATED:g} on. Three actuators of one machine show little.",
        ),
        "coupling": Finding(
            f"mean benefit of a machine: r = {by_coupling:.2f} with coupling, {by_variation:.2f} with variation",
            Verdict.ADDED,
            f"Coupling: the loop gain of the easiest joint motion over a drive's own, {min(couplings):.1f} to "
            f"{max(couplings):.1f} here; r of logarithms, at equal margin, five machines. Machines whose drives are "
            "coupled more also have inertias that vary more, which lends variation a correlation across machines.",
        ),
    }


def _means(values: list[Array]) -> Array:
    return np.array([each.mean() for each in values])


def _centred(values: list[Array]) -> Array:
    return np.concatenate([each - each.mean() for each in values])


def _pearson(x: Array, y: Array) -> float:
    return float(np.corrcoef(x, y)[0, 1])
