"""Laws side by side, at the same stability margin or the same force noise instead of somebody's favourite gains."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from parakin.control import Law, Reference, gains_for
from parakin.control.common import BANDWIDTH, INTEGRAL_SHARE
from parakin.errors import SimulationError
from parakin.robot import Robot
from parakin.simulation.log import Log
from parakin.simulation.run import SUBSTEPS, simulate
from parakin.simulation.scenario import Scenario
from parakin.simulation.stability import Margins, margins, matched

Rule = Literal["margin", "noise"]
RULES: dict[str, tuple[Literal["delay", "noise"], str]] = {
    "margin": ("delay", "the same delay margin"),
    "noise": ("noise", "the same largest force noise"),
}
"""What laws have in common -> what `matched` calls it, and how it reads."""


@dataclass(frozen=True, eq=False)
class Contestant:
    """A law with the gains the rule gave it, and its run."""

    law: Law
    margins: Margins
    log: Log


@dataclass(frozen=True, eq=False)
class Comparison:
    """target: delay margin [s] or force noise [N or N m], of every law at home. integral: as in `gains_for`."""

    rule: Rule
    target: float
    integral: float
    contestants: Mapping[str, Contestant]

    @property
    def logs(self) -> dict[str, Log]:
        return {name: one.log for name, one in self.contestants.items()}

    @property
    def said(self) -> str:
        """The rule in words."""
        size = f"{1e3 * self.target:.4g} ms" if self.rule == "margin" else f"{self.target:.4g} N or N m rms"
        slow = f"integral action and adaptation at {self.integral:g} of the bandwidth"
        return f"laws with {RULES[self.rule][1]} at home, {size}; {slow}"

    def rows(self) -> list[dict[str, float | str]]:
        """One a law: errors of the worst actuator [rad or m], of the platform [m], forces [N or N m], margins."""
        found: list[dict[str, float | str]] = []
        for name, one in self.contestants.items():
            summary = one.log.summary()
            found.append(
                {
                    "law": name,
                    "error_rms": float(summary.error_rms.max()),
                    "error_peak": float(summary.error_peak.max()),
                    "distance_rms": float(summary.distance_rms),
                    "distance_peak": float(summary.distance_peak),
                    "force_rms": float(summary.force_rms.max()),
                    "gain_margin": one.margins.gain,
                    "delay_margin": one.margins.delay,
                    "force_noise": float(one.margins.force_noise.max()),
                    "ending": one.log.status.name.lower(),
                }
            )
        return found


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
    """Every law at the target; without one, at what the first law has with gains for 60 rad/s. told: progress."""
    names = [law.name for law in laws]
    if len(set(names)) < len(names):
        raise SimulationError("laws", f"must differ, to be told apart by name; got {', '.join(names)}")
    if rule == "noise" and not scenario.noisy:
        raise SimulationError("noise", "forces have none where sensors are exact: give noise or encoder counts")
    aim = _of_first(robot, laws[0], scenario, rule, integral) if target is None else target
    found: dict[str, Contestant] = {}
    for law in laws:
        told(law.name)
        tuned = matched(robot, law, RULES[rule][0], aim, scenario, integral=integral)
        log = simulate(robot, tuned, reference, scenario, substeps=substeps, record_state=record_state)
        found[law.name] = Contestant(tuned, margins(robot, tuned, scenario), log)
    return Comparison(rule, aim, integral, found)


def _of_first(robot: Robot, law: Law, scenario: Scenario, rule: Rule, integral: float) -> float:
    first = margins(robot, law.with_gains(**gains_for(law, BANDWIDTH, integral=integral)), scenario)
    if not first.stable:
        raise SimulationError(rule, f"{law.name} is unstable at {BANDWIDTH:g} rad/s: give a target")
    return first.delay if rule == "margin" else float(first.force_noise.max())
