"""[Ozgur2013] on six library robots: six steps, operation counts, and noise on what is observed."""

from __future__ import annotations

from parakin.studies.definition import Study
from parakin.studies.ozgur.claims import CLAIMS, GAPS
from parakin.studies.ozgur.measuring import run
from parakin.studies.ozgur.routes import ROBOTS

STUDY = Study(
    key="ozgur",
    paper=(
        "E. Özgür, N. Andreff, P. Martinet: Linear dynamic modeling of parallel kinematic manipulators from observable "
        "kinematic elements, Mechanism and Machine Theory 69, 2013, pp. 73-89"
    ),
    title="Özgür, Andreff and Martinet: dynamics from observed elements",
    robots=ROBOTS,
    claims=CLAIMS,
    gaps=GAPS,
    run=run,
)
"""The study, as `parakin.studies.study` finds it by the name of this package."""

__all__ = ["STUDY"]
