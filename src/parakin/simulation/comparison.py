"""Laws are compared at the same stability margin or the same force noise, not with somebody's favourite gains."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from parakin.control import Law, Reference, gains_for
from parakin.control.common import BANDWIDTH, INTEGRAL_SHARE
from parakin.control.tuning.margins import MOST_DELAY, Margins
from parakin.errors import SimulationError, UnknownNameError, UnmatchedLawError
from parakin.robot import Robot
from parakin.simulation.linear import margins, matched
from parakin.simulation.log import Log
from parakin.simulation.run import SUBSTEPS, simulate
from parakin.simulation.scenario import Scenario

Rule = Literal["margin", "noise"]
"""What compared laws have in common: their delay margin, or their largest force noise."""
RULES: dict[str, tuple[Literal["delay", "noise"], str]] = {
    "margin": ("delay", "the same delay margin"),
    "noise": ("noise", "the same largest force noise"),
}
"""For each rule, the name that `matched` has for it, and how it reads in a sentence."""


@dataclass(frozen=True, eq=False)
class Contestant:
    """A law that took part in a comparison, and what came out."""

    law: Law
    """The law with the gains that the rule gave it."""
    margins: Margins
    """Stability margins and force noise of its loop at home."""
    log: Log
    """Record of its run along the reference."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """Several laws run along one reference in one scenario, with gains chosen by one rule."""

    rule: Rule
    """What the laws have in common."""
    target: float
    """Delay margin [s], or largest force noise [N or N m rms], that every law has at home."""
    integral: float
    """Pole of integral action, or rate of adaptation, as a share of the bandwidth; see `gains_for`."""
    contestants: Mapping[str, Contestant]
    """The laws by name, in the order in which they were given."""
    left_out: Mapping[str, UnmatchedLawError] = field(default_factory=dict[str, UnmatchedLawError])
    """Laws that no bandwidth brings to the target, by name, and what each reached; they were not run."""

    @property
    def logs(self) -> dict[str, Log]:
        """The records of the runs, by law."""
        return {name: one.log for name, one in self.contestants.items()}

    @property
    def said(self) -> str:
        """What the laws have in common, as a sentence without its full stop."""
        size = f"{1e3 * self.target:.4g} ms" if self.rule == "margin" else f"{self.target:.4g} N or N m rms"
        slow = f"integral action and adaptation at {self.integral:g} of the bandwidth"
        return f"laws with {RULES[self.rule][1]} at home, {size}; {slow}"

    def rows(self) -> list[dict[str, float | str]]:
        """Return one row of a table for each law, by column.

        Errors and forces are those of the worst actuator [rad or m, N or N m], distances and angles those of the
        platform [m, rad], NaN where it does not slide or turn; the delay margin is in s.

        >>> comparison = pk.simulation.compare(robot, [law], reference, scenario, "margin", target=4e-3)
        >>> sorted(comparison.rows()[0])[:3]
        ['angle_peak', 'angle_rms', 'delay_margin']
        """
        rows: list[dict[str, float | str]] = []
        for name, one in self.contestants.items():
            summary = one.log.summary()
            rows.append(
                {
                    "law": name,
                    "error_rms": float(summary.error_rms.max()),
                    "error_peak": float(summary.error_peak.max()),
                    "distance_rms": float(summary.distance_rms),
                    "distance_peak": float(summary.distance_peak),
                    "angle_rms": float(summary.angle_rms),
                    "angle_peak": float(summary.angle_peak),
                    "force_rms": float(summary.force_rms.max()),
                    "gain_margin": one.margins.gain,
                    "delay_margin": one.margins.delay,
                    "force_noise": float(one.margins.force_noise.max()),
                    "ending": one.log.status.name.lower(),
                }
            )
        return rows


def compare(
    robot: Robot,
    laws: Sequence[Law],
    reference: Reference,
    scenario: Scenario,
    rule: Rule,
    *,
    target: float | None = None,
    integral: float = INTEGRAL_SHARE,
    substeps: int = SUBSTEPS,
    record_state: bool = False,
    told: Callable[[str], None] = lambda _: None,
) -> Comparison:
    """Run every law with gains that bring its loop to the same delay margin or the same force noise.

    Without a target, all laws are brought to what the first has with gains for 60 rad/s. `told` is called with the name
    of each law before its turn. A law that no bandwidth brings there is left out; UnmatchedLawError where all are.

    >>> laws = [pk.control.law(name, robot) for name in ("pid", "computed_torque")]
    >>> comparison = pk.simulation.compare(robot, laws, reference, scenario, "margin", target=4e-3)
    >>> list(comparison.contestants)
    ['pid', 'computed_torque']
    """
    names = [law.name for law in laws]
    if len(set(names)) < len(names):
        raise SimulationError("laws", f"must differ, to be told apart by name; got {', '.join(names)}")
    if rule not in RULES:
        raise UnknownNameError("rule of a comparison", rule, tuple(RULES))
    if rule == "noise" and not scenario.noisy:
        raise SimulationError("noise", "forces have none where sensors are exact: give noise or encoder counts")
    common = _of_first(robot, laws[0], scenario, rule, integral) if target is None else target
    contestants: dict[str, Contestant] = {}
    left_out: dict[str, UnmatchedLawError] = {}
    for law in laws:
        told(law.name)
        try:
            tuned = matched(robot, law, RULES[rule][0], common, scenario, integral=integral)
        except UnmatchedLawError as error:
            left_out[law.name] = error
            continue
        log = simulate(robot, tuned, reference, scenario, substeps=substeps, record_state=record_state)
        contestants[law.name] = Contestant(tuned, margins(robot, tuned, scenario, robot.home), log)
    if not contestants:
        raise next(iter(left_out.values()))
    return Comparison(rule, common, integral, contestants, left_out)


def _of_first(robot: Robot, law: Law, scenario: Scenario, rule: Rule, integral: float) -> float:
    """Return the delay margin [s] or the largest force noise that a law has with gains for the default bandwidth."""
    tuned = law.with_gains(**gains_for(law, BANDWIDTH, integral=integral))
    first = margins(robot, tuned, scenario, robot.home)
    if not first.stable:
        raise SimulationError(rule, f"{law.name} is unstable at {BANDWIDTH:g} rad/s: give a target")
    if rule == "margin" and math.isinf(first.delay):
        reason = f"{law.name} bears more than {MOST_DELAY} ticks of delay at {BANDWIDTH:g} rad/s: give a target in s"
        raise SimulationError(rule, reason)
    return first.delay if rule == "margin" else float(first.force_noise.max())
