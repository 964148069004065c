"""Measures what `identify` says of logs of the independent five-bar: `python -m tests.identification.own_logs 20`.

For each case: logs, those that are refused and why, and how often the truth lies in the 95 % interval of what is called
identified. `make bench` measures the same.
"""

from __future__ import annotations

import re
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import parakin as pk
from parakin.errors import ImplausibleValueWarning, ParakinError
from parakin.identification import Question, identify
from parakin.simulation import write_log
from tests.identification import own_fivebar
from tests.identification.own_fivebar import Conditions

COARSE = 2.0**13
"""Encoder counts in a turn."""
DELAYS = (0.25, 0.5, 1.0, 1.5, 2.0, 2.75, 3.0, 3.5)
"""Rows after which a torque begins to act; being held, it acts half a row later still."""
COLOURS = (0.9, 0.97, 0.99)
"""Correlation of the noise of torques from row to row."""
FRICTION = "larger .Stribeck. at low speed"
CABLE = "a cable"
LINES = "lines at .* Hz"
STRUCTURE = "the residual is structured"
"""Says that something is left out, and not what."""


@dataclass(frozen=True)
class Case:
    """Machines and logs with which the same is the matter."""

    name: str
    conditions: tuple[Conditions, ...]
    """Of the logs, in turn."""
    cause: str = ""
    """What must be said where a log is refused; "" where none should be."""


CASES = (
    Case("18 bits", (Conditions(),)),
    Case("18 bits, torques late", tuple(Conditions(delay=delay) for delay in DELAYS)),
    Case("13 bits", (Conditions(counts=COARSE),)),
    Case("13 bits, torques late", tuple(Conditions(delay=d, counts=COARSE) for d in DELAYS)),
    Case("4,000 counts", (Conditions(counts=4000.0),)),
    Case("coloured noise", tuple(Conditions(colour=colour) for colour in COLOURS)),
    Case("coloured noise, 13 bits", tuple(Conditions(colour=colour, counts=COARSE) for colour in COLOURS)),
    Case("one-sided outliers, 1 and 5 %", (Conditions(outliers=0.01), Conditions(outliers=0.05))),
    *(
        Case(
            f"Stribeck friction, {rate:g} rad/s{name}",
            tuple(Conditions(stribeck=size, stribeck_rate=rate, counts=counts) for size in (0.25, 0.5, 1.0)),
            f"{FRICTION}|{STRUCTURE}|stuck-encoder",  # friction does hold a drive
        )
        for rate in (0.1, 0.3)
        for name, counts in (("", 2.0**18), (", 13 bits", COARSE))
    ),
    *(
        Case(
            f"cable, 0.2 to 2 N m/rad{name}",
            tuple(Conditions(cable=cable, counts=counts) for cable in (0.2, 0.5, 1.0, 2.0)),
            CABLE,
        )
        for name, counts in (("", 2.0**18), (", 13 bits", COARSE))
    ),
    *(
        Case(
            f"vibration, 0.1 to 0.4 m/s^2{name}",
            tuple(Conditions(vibration=vibration, counts=counts) for vibration in (0.1, 0.2, 0.4)),
            LINES,
        )
        for name, counts in (("", 2.0**18), (", 13 bits", COARSE))
    ),
    Case(
        "force offset, 0.1 to 0.5 N m",
        tuple(Conditions(force_offset=(offset, 0.0)) for offset in (0.1, 0.25, 0.5)),
        "an offset of the measure",
    ),
    Case("encoder offset, 0.1 rad", (Conditions(encoder_offset=(0.1, 0.0)),), "its encoder's zero is off"),
    Case("clock 5 % long", (Conditions(clock=0.05),), "the log's clock"),
)
"""What is the matter with the machines and their logs; those without a cause are clean."""


@dataclass
class Coverage:
    """What was said of the logs of a case."""

    case: Case
    logs: int = 0
    refused: Counter[str] = field(default_factory=Counter[str])
    """Why, with how often; numbers are left out."""
    mistaken: int = 0
    """Logs that were refused for another cause than the true one."""
    inside: list[bool] = field(default_factory=list[bool])
    """Whether the truth is in the interval, for each parameter that is called identified."""

    def __str__(self) -> str:
        reasons = "".join(f"\n    {count} {words}" for words, count in self.refused.most_common())
        share = f"{100 * np.mean(self.inside):.1f} % of {len(self.inside)}" if self.inside else "-"
        return f"{self.case.name}: {self.refused.total()} of {self.logs} refused; inside {share}{reasons}"


def measure(count: int, duration: float = 8.0, cases: tuple[Case, ...] = CASES, seed: int = 100) -> Iterator[Coverage]:
    """Yield what is said of so many logs of each case, of a duration [s]."""
    robot = pk.load("five_bar")
    names, base = [p.name for p in robot.parameter_table], robot.base_parameters()
    conditions = [case.conditions[k % len(case.conditions)] for case in cases for k in range(count)]
    run = own_fivebar.simulate(own_fivebar.machines(len(conditions), seed), conditions, duration, seed=seed)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", ImplausibleValueWarning)
        for number, case in enumerate(cases):
            coverage = Coverage(case, count)
            for k in range(number * count, (number + 1) * count):
                try:
                    found = identify(robot, write_log(Path(folder) / "log.npz", run.log(k)), Question())
                    refused = found.refused
                except ParakinError as error:
                    found, refused = None, str(error).removeprefix(f"{folder}/")
                if found is None or refused:
                    coverage.refused[re.sub(r"[-+]?\d[\d.e+-]*", "#", refused)[:90]] += 1
                    coverage.mistaken += not case.cause or not re.search(case.cause, refused)
                    continue
                truth = base.map @ run.parameters(names, robot.parameters, k)
                known = [one.kind == "identified" for one in found.estimate.assessments]
                lower, upper = found.estimate.intervals.T
                coverage.inside += ((lower <= truth) & (truth <= upper))[known].tolist()
            yield coverage


if __name__ == "__main__":
    for measured in measure(int(sys.argv[1]), seed=int(sys.argv[2]) if len(sys.argv) > 2 else 100):
        print(measured, flush=True)
