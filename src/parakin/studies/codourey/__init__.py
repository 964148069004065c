"""[Codourey1997] on the library's Delta: the linear form, its lumping, adaptive control."""

from __future__ import annotations

from parakin.studies.codourey.claims import CLAIMS, GAPS
from parakin.studies.codourey.measuring import run
from parakin.studies.definition import Study

STUDY = Study(
    key="codourey",
    paper=(
        "A. Codourey, E. Burdet: A Body-oriented Method for Finding a Linear Form of the Dynamic Equation of Fully "
        "Parallel Robots, ICRA 1997"
    ),
    title="Codourey and Burdet: a linear form for the Delta",
    robots=("delta",),
    claims=CLAIMS,
    gaps=GAPS,
    run=run,
)
"""The study, as `parakin.studies.study` finds it by the name of this package."""

__all__ = ["STUDY"]
