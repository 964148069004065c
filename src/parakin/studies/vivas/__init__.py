"""[Vivas2003] on the library's H4: identification, computed torque, predictive functional control, mismatch."""

from __future__ import annotations

from parakin.studies.definition import Study
from parakin.studies.vivas.claims import CLAIMS, GAPS
from parakin.studies.vivas.measuring import run

STUDY = Study(
    key="vivas",
    paper="O. A. Vivas, P. Poignet: Model Based Predictive Control of a Fully Parallel Robot, SYROCO 2003",
    title="Vivas and Poignet: predictive control of an H4",
    robots=("h4",),
    claims=CLAIMS,
    gaps=GAPS,
    run=run,
)
"""The study, as `parakin.studies.study` finds it by the name of this package."""

__all__ = ["STUDY"]
