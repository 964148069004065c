"""Studies that take no time, and how a process that knows no patched table runs them. Light to import."""

from __future__ import annotations

import importlib

from matplotlib.figure import Figure

from parakin.studies import (
    Apparatus,
    Claim,
    Criterion,
    Evidence,
    Finding,
    Outcome,
    Progress,
    Sense,
    Study,
    Verdict,
)
from parakin.studies import run as runs
from parakin.studies.definition import single
from parakin.studies.result import Result, result_of

TABLE = Apparatus("a table", "Pen and paper.")
"""Something to claim things about."""


def claim(key: str, recorded: Verdict, *, apparatus: Apparatus = TABLE, evidence: Evidence | None = None) -> Claim:
    """Return a claim that a number is at most 2 N."""
    judged = recorded not in (Verdict.OPEN, Verdict.ADDED)
    criteria = (Criterion("force", Sense.AT_MOST, 2.0, "N", "as printed"),) if judged else ()
    kind = evidence or (Evidence.INDEPENDENT if judged else Evidence.NONE)
    return Claim(key, "eq. (1)", f"words on {key}", f"{key} | <b>is</b> small", apparatus, kind, criteria, recorded)


def small_study(key: str, verdict: Verdict = Verdict.HOLDS) -> Study:
    """One claim that holds, one that is timed and not judged, and a figure."""
    claims = (claim("sum", verdict), claim("time", Verdict.OPEN))

    def run(progress: Progress) -> Outcome:
        progress("adding")
        figure = Figure(figsize=(1.0, 1.0))
        figure.subplots().plot([0, 1], [0, 1])
        findings = {
            "sum": Finding(f"{1 + 1}", single(2.0), "by counting"),
            "time": Finding("0.123 s", timed=True),
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
