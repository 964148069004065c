"""Studies that take no time, and how a process that knows no patched table runs them. Light to import."""

from __future__ import annotations

import importlib

from matplotlib.figure import Figure

from parakin.studies import Claim, Finding, Outcome, Progress, Study, Verdict
from parakin.studies import run as runs
from parakin.studies.result import Result, result_of


def small_study(key: str, verdict: Verdict = Verdict.HOLDS) -> Study:
    """One claim that holds, one that is timed, and a figure."""
    claims = (
        Claim("sum", "eq. (1)", "1 + 1 is 2 | <b>3</b>", "2", verdict),
        Claim("time", "sec. 2", "It is quick", "1 s", Verdict.HOLDS),
    )

    def run(progress: Progress) -> Outcome:
        progress("adding")
        figure = Figure(figsize=(1.0, 1.0))
        figure.subplots().plot([0, 1], [0, 1])
        findings = {
            "sum": Finding(f"{1 + 1}", Verdict.HOLDS, "by counting"),
            "time": Finding("0.123 s", Verdict.HOLDS, timed=True),
        }
        return Outcome(findings, {"line": (figure, "A line.")})

    return Study(key, "A. Author: A paper", f"Study {key}", ("five_bar",), claims, ("no gap",), run)


def module_study(name: str) -> Study:
    return importlib.import_module(f"{name}_study").STUDY


def run_module_study(name: str) -> Result:
    """What runs._run_one does, in a process that knows no patched table."""
    assert runs._messages is not None
    queue = runs._messages
    return result_of(module_study(name), lambda text: queue.put((name, text)))
