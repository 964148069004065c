"""[Abdellatif2005] on the library's PaLiDA and four machines of other proportions: mass matrix and decoupling."""

from __future__ import annotations

from parakin.studies.abdellatif.claims import CLAIMS, GAPS
from parakin.studies.abdellatif.measuring import run
from parakin.studies.definition import Study

STUDY = Study(
    key="abdellatif",
    paper=(
        "H. Abdellatif, B. Heimann, C. Holz: Applying efficient computation of the mass matrix for decoupling control "
        "of complex parallel manipulators, IFAC 2005"
    ),
    title="Abdellatif, Heimann and Holz: the mass matrix in control",
    robots=("palida",),
    claims=CLAIMS,
    gaps=GAPS,
    run=run,
)
"""The study, as `parakin.studies.study` finds it by the name of this package."""

__all__ = ["STUDY"]
