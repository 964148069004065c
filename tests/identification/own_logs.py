"""Measures what `identify` says of logs of the independent five-bar: `python -m tests.identification.own_logs 12`.

For each condition: logs, those that are refused and why, and how often the truth lies in the 95 % interval of what is
called identified.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections import Counter
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
CASES = {
    "18 bits": (Conditions(),),
    "18 bits, delays of 1 to 4 rows": tuple(Conditions(delay=delay) for delay in (0.5, 1.5, 2.5, 3.5)),
    "13 bits": (Conditions(counts=COARSE),),
    "13 bits, delays of 1 to 4 rows": tuple(Conditions(delay=d, counts=COARSE) for d in (0.5, 1.5, 2.5, 3.5)),
    "coloured noise": tuple(Conditions(colour=colour) for colour in (0.9, 0.97, 0.99)),
    "Stribeck friction, 0.1 rad/s": (Conditions(stribeck=0.5), Conditions(stribeck=1.0)),
    "Stribeck friction, 0.3 rad/s": (
        Conditions(stribeck=0.5, stribeck_rate=0.3),
        Conditions(stribeck=1.0, stribeck_rate=0.3),
    ),
    "cable, 0.5 to 2 N m/rad": tuple(Conditions(cable=cable) for cable in (0.5, 1.0, 2.0)),
    "vibration, 0.1 to 0.4 m/s^2": tuple(Conditions(vibration=vibration) for vibration in (0.1, 0.2, 0.4)),
    "force offset, 0.5 N m": (Conditions(force_offset=(0.5, 0.0)),),
    "encoder offset, 0.1 rad": (Conditions(encoder_offset=(0.1, 0.0)),),
    "clock 5 % long": (Conditions(clock=0.05),),
    "one-sided outliers, 1 and 5 %": (Conditions(outliers=0.01), Conditions(outliers=0.05)),
}
"""What is the matter with the machines and their logs."""


def measure(count: int, duration: float = 8.0) -> None:
    """Print a row for each case, of so many logs of a duration [s]."""
    robot = pk.load("five_bar")
    names, base = [p.name for p in robot.parameter_table], robot.base_parameters()
    with tempfile.TemporaryDirectory() as folder:
        for seed, (case, conditions) in enumerate(CASES.items(), 100):
            each = tuple(conditions[k % len(conditions)] for k in range(count))
            run = own_fivebar.simulate(own_fivebar.machines(count, seed), each, duration, seed=seed)
            inside, refused = list[bool](), Counter[str]()
            for k in range(count):
                try:
                    found = identify(robot, write_log(Path(folder) / "log.npz", run.log(k)), Question())
                except ParakinError as error:
                    refused[str(error)[:40]] += 1
                    continue
                if found.refused:
                    refused[" ".join(found.refused.split()[:4])] += 1
                    continue
                truth = base.map @ run.parameters(names, robot.parameters, k)
                known = [one.kind == "identified" for one in found.estimate.assessments]
                lower, upper = found.estimate.intervals.T
                inside += ((lower <= truth) & (truth <= upper))[known].tolist()
            share = f"{100 * np.mean(inside):.1f} % of {len(inside)}" if inside else "-"
            print(f"{case}: {sum(refused.values())} of {count} refused {dict(refused)}; inside {share}", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore", ImplausibleValueWarning)
    measure(int(sys.argv[1]))
