"""The run of the study of [Abdellatif2005]: it measures something about each claim, and draws the figures."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from matplotlib.figure import Figure

from parakin.arrays import Array
from parakin.studies.abdellatif.costs import cost_findings
from parakin.studies.abdellatif.figures import benefit_figure, errors_figure, inertia_figure
from parakin.studies.abdellatif.machines import ASSUMED, GEOMETRIES, RAMPS, RULES, SETUPS, Setup, machine
from parakin.studies.abdellatif.tracking import PLANTS, Tracking, speed_errors, tracked
from parakin.studies.common import correlation_interval
from parakin.studies.criteria import Measured, NominalLoop, spread
from parakin.studies.definition import Finding, Outcome, Progress, single

SPEEDS = np.array([0.2, 0.4, 0.6, 0.8, 1.0])
"""Speeds of the circle at which PID is tried [m/s]."""
DRAWN = (0, 2, 5)
"""Indices of the actuators whose errors are drawn: nr. 1, 3 and 6, as in the paper's figures."""

TWINS = ((0, 1), (2, 5), (3, 4))
"""Indices of actuators that are each other's mirror image in a plane of symmetry of machine and circle."""
ALIKE = (
    "The circle and the machine share a plane of symmetry, so that six actuators are three mirrored pairs, and three "
    "pairs exclude no correlation."
)
"""Why six actuators do not decide about a correlation."""

Machines = dict[str, Tracking]
"""Name of a machine -> what it did on the circle."""
Numbers = Callable[[Tracking, Setup], Measured]
"""From what a machine did, in this configuration, to the number of a claim."""


def run(progress: Progress) -> Outcome:
    """Measure something about each claim, and draw the figures."""
    progress("counting operations")
    palida = machine(GEOMETRIES[ASSUMED])
    findings = cost_findings(palida)
    machines: Machines = {}
    for name, proportions in GEOMETRIES.items():
        progress(f"circle: {name}")
        machines[name] = tracked(machine(proportions), feedback=name == ASSUMED)
    progress("errors against speed")
    findings |= {"speed": _speed(speed_errors(palida, SPEEDS))}
    findings |= _inertias(machines) | _concepts(machines) | _correlations(machines)
    return Outcome(findings, _figures(machines), _loops(machines))


def _loops(machines: Machines) -> dict[str, tuple[NominalLoop, ...]]:
    return {
        name: tuple(machines[setup.machine].loops[concept] for concept in ("pid", "feedforward", setup.rule))
        for name, setup in SETUPS.items()
    }


def _cases(machines: Machines, numbers: Numbers) -> dict[str, tuple[Measured, ...]]:
    return {name: (numbers(machines[setup.machine], setup),) for name, setup in SETUPS.items()}


def _texts(machines: Machines, text: Callable[[Tracking, Setup], str]) -> dict[str, str]:
    """Return what was measured in every configuration."""
    return {name: text(machines[setup.machine], setup) for name, setup in SETUPS.items()}


def _figures(machines: Machines) -> dict[str, tuple[Figure, str]]:
    palida, first = machines[ASSUMED], RAMPS[0]
    concepts = {"PID": "pid", "feedforward": "feedforward"}
    concepts |= {f"decoupling, {rule}": rule for rule in RULES}
    curves = {label: 1e6 * _errors(palida, name) for label, name in concepts.items()}
    names = palida.robot.actuator_names
    benefits = {n: (m.variation, {rule: m.benefit(first, rule) for rule in RULES}) for n, m in machines.items()}
    return {
        "inertia": (
            inertia_figure(palida.reference.t, palida.inertia, names),
            (
                "Effective inertia of all six actuators along the inclined circle (Fig. 5 of the paper shows three), "
                "on PaLiDA as assumed."
            ),
        ),
        "tracking": (
            errors_figure(palida.reference.t, curves, [names[k] for k in DRAWN]),
            (
                "Tracking errors of three actuators under (a to c) all concepts and (d to f) those with feedforward, "
                "on a finer scale (Fig. 6 and 7 of the paper). PaLiDA as assumed, one of eight plants."
            ),
        ),
        "benefit": (
            benefit_figure(benefits),
            (
                "What decoupling gains on five machines, by actuator, against the variation of its effective inertia, "
                "at (a) equal margin and (b) equal noise."
            ),
        ),
    }


def _errors(tracking: Tracking, concept: str) -> Array:
    """Return the errors of the actuators drawn (ticks, 3) [m]."""
    log = tracking.logs[concept]
    return (log["desired_q"] - log["q"])[:, DRAWN]


def _inertias(machines: Machines) -> dict[str, Finding]:
    largest = {name: float(tracking.variation.max()) for name, tracking in machines.items()}
    return {
        "inertia": Finding(
            f"{largest[ASSUMED]:.0f} % as assumed; {min(largest.values()):.0f} to {max(largest.values()):.0f} % over "
            f"{len(machines)} machines",
            remark="The proportions decide, and are not printed: a machine that is narrower and taller than PaLiDA is "
            "assumed to be comes near 60 %. So agreement would prove nothing.",
        ),
        "differs": Finding(
            _texts(machines, lambda m, _: f"{m.variation.min():.0f} % against {m.variation.max():.0f} %"),
            _cases(machines, lambda m, _: Measured(float(m.variation.min() / m.variation.max()))),
        ),
    }


def _concepts(machines: Machines) -> dict[str, Finding]:
    palida, first = machines[ASSUMED], RAMPS[0]

    def over(concept: str, other: str) -> str:
        values = [each.ratio(first, concept, other).value for each in machines.values()]
        return f"{min(values):.2g} to {max(values):.2g}"

    phases = "; ".join(f"{ratio:.1f} on ramps of {ramp:g} turns" for ramp, ratio in palida.phases.items())
    feedback = palida.ratio(first, f"{RULES[0]}, constant feedback", RULES[0]).value
    return {
        "pid": Finding(
            _texts(machines, lambda m, s: f"{m.ratio(s.ramp, 'pid', s.rule).value:.2g} times the error"),
            _cases(machines, lambda m, s: m.ratio(s.ramp, "pid", s.rule)),
            f"Over five machines with ramps of {first:g} turns: {over('pid', RULES[0])} times at equal margin, "
            f"{over('pid', RULES[1])} at equal noise. Feedforward alone: {over('pid', 'feedforward')} times smaller "
            "errors than PID.",
        ),
        "ramps": Finding(
            _texts(machines, lambda m, s: f"{m.phases[s.ramp]:.1f} times the error"),
            _cases(machines, lambda m, s: Measured(m.phases[s.ramp])),
            "Rms error while the speed changes over that while it is constant. How the circle is entered decides: on "
            f"PaLiDA as assumed {phases}.",
        ),
        "decoupling": Finding(
            _texts(machines, lambda m, s: f"{m.ratio(s.ramp, s.rule, 'feedforward').value:.2g} times the error"),
            _cases(machines, lambda m, s: m.ratio(s.ramp, s.rule, "feedforward")),
            f"Over five machines with ramps of {first:g} turns: {over(RULES[0], 'feedforward')} times at equal margin, "
            f"{over(RULES[1], 'feedforward')} at equal noise. "
            "At equal margin decoupling may have far higher gains: the light motions in which drives move together no "
            "longer set the limit. It pays with force noise.",
        ),
        "static": Finding(
            _texts(machines, lambda m, s: f"errors {100 * (_constant(m, s).value - 1):+.0f} %"),
            _cases(machines, _constant),
            "The matrix of home against that of the desired pose, in the feedback and in the computed force, with the "
            f"same gains. In the feedback alone errors change by {100 * (feedback - 1):+.1f} % on PaLiDA as assumed, "
            "at equal margin. Inertia that varies is a matter of the computed force; the feedback does not mind.",
        ),
    }


def _constant(machine: Tracking, setup: Setup) -> Measured:
    """Return the error with the mass matrix of home in feedback and computed force, over that of decoupling."""
    return machine.ratio(setup.ramp, f"{setup.rule}, constant ahead", setup.rule)


def _speed(errors: Array) -> Finding:
    """Fit exponents below and above 0.4 m/s. errors (speeds, plants) [m]."""
    slow = np.log(errors[1] / errors[0]) / np.log(SPEEDS[1] / SPEEDS[0])
    fast = np.log(errors[-1] / errors[1]) / np.log(SPEEDS[-1] / SPEEDS[1])
    return Finding(
        f"error ~ speed^{slow.mean():.1f} up to 0.4 m/s, speed^{fast.mean():.1f} above",
        single(spread(float(fast.mean()), fast, f"{PLANTS} plants")),
        "Friction rules slow circles, the square of speed fast ones.",
    )


def _correlations(machines: Machines) -> dict[str, Finding]:
    """Correlate the variation of an actuator's inertia with its error and with what it gains, within each machine."""
    first, rule = RAMPS[0], RULES[0]
    variations = [paired(m.variation) for m in machines.values()]
    errors = [[np.log(paired(m.errors(ramp, "feedforward"))) for m in machines.values()] for ramp in RAMPS]
    gains = {each: [np.log(paired(m.benefit(first, each))) for m in machines.values()] for each in RULES}
    pooled = [pearson(_centred(variations), _centred(values)) for values in (*errors, *gains.values())]
    couplings = np.array([m.coupling for m in machines.values()])
    means = np.array([values.mean() for values in gains[rule]])
    exponent = float(np.polyfit(np.log(couplings), means, 1)[0])
    across = pearson(np.array([v.mean() for v in variations]), means)
    count = len(_centred(variations))

    def pooled_text(r: float) -> str:
        low, high = correlation_interval(r, count - len(machines) + 1)  # a mean was taken from each machine
        return f"r = {r:+.2f} ({low:+.2f} to {high:+.2f})"

    return {
        "correlation": Finding(
            _texts(machines, lambda m, s: _r(correlated(m.variation, m.errors(s.ramp, "feedforward")))),
            _cases(machines, lambda m, s: correlated(m.variation, m.errors(s.ramp, "feedforward"))),
            f"{ALIKE} Over the {count} pairs of all machines, each against its machine's mean, "
            f"{pooled_text(pooled[0])} on ramps of {RAMPS[0]:g} turns and {pooled_text(pooled[1])} on ramps of "
            f"{RAMPS[1]:g}, 95 % intervals. The paper's three actuators say no more.",
        ),
        "benefit": Finding(
            _texts(machines, lambda m, s: _r(correlated(m.variation, m.benefit(s.ramp, s.rule)))),
            _cases(machines, lambda m, s: correlated(m.variation, m.benefit(s.ramp, s.rule))),
            f"{ALIKE} Over the pairs of all machines {pooled_text(pooled[2])} at equal margin, "
            f"{pooled_text(pooled[3])} at equal noise; benefits as logarithms.",
        ),
        "coupling": Finding(
            f"benefit ~ coupling^{exponent:.1f}; r = {across:.2f} with the mean variation",
            remark=f"Coupling: the loop gain of the easiest joint motion over a drive's own, {couplings.min():.1f} to "
            f"{couplings.max():.1f} on five machines. This follows from the rule of equal margin and is no discovery: "
            "what decoupling takes away is the limit that coupling sets. Machines with more coupling also have "
            "inertias that vary more.",
        ),
    }


def _r(measured: Measured) -> str:
    return f"r = {measured.value:+.2f} over {len(TWINS)} pairs"


def paired(values: Array) -> Array:
    """Return the mean of each pair of mirrored actuators: the independent values of a machine on its circle."""
    return np.array([values[list(pair)].mean() for pair in TWINS])


def correlated(x: Array, y: Array) -> Measured:
    """Return the correlation of x with the logarithm of y over the pairs of actuators, with its 95 % interval."""
    r = pearson(paired(x), np.log(paired(y)))
    return Measured(r, *correlation_interval(r, len(TWINS)), f"{len(TWINS)} mirrored pairs, 95 %")


def _centred(values: list[Array]) -> Array:
    return np.concatenate([each - each.mean() for each in values])


def pearson(x: Array, y: Array) -> float:
    """Return the correlation of two samples."""
    return float(np.corrcoef(x, y)[0, 1])
