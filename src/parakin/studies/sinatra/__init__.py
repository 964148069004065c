"""[Sinatra2009] on the library's sliding-leg hexapod: forces and powers of three motions, and what the legs ask for."""

from __future__ import annotations

from parakin.studies.definition import Study
from parakin.studies.sinatra.claims import CLAIMS, GAPS
from parakin.studies.sinatra.measuring import run

STUDY = Study(
    key="sinatra",
    paper=(
        "R. Sinatra, F.-F. Xi, S. Staicu: Dynamics of the Hexapod parallel robot, "
        "Rev. Roum. Sci. Techn. - Mec. Appl. 54(3), 2009, pp. 201-218"
    ),
    title="Sinatra, Xi and Staicu: the hexapod with sliding legs",
    robots=("hexapod_sliding",),
    claims=CLAIMS,
    gaps=GAPS,
    run=run,
)
"""The study, as `parakin.studies.study` finds it by the name of this package."""

__all__ = ["STUDY"]
