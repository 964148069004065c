"""The formulations of inverse dynamics: a table that Robot, tests and benchmarks read."""

from __future__ import annotations

from dataclasses import dataclass

from parakin.dynamics import kinematic_elements, recursive_matrix, simplified, subchain_mass, virtual_work
from parakin.dynamics.mechanics import Formulation
from parakin.dynamics.regrouped import required as regrouped


@dataclass(frozen=True)
class Row:
    """A formulation, the paper it is from, and whether it gives the exact forces."""

    tau: Formulation
    source: str
    exact: bool = True


FORMULATIONS: dict[str, Row] = {
    "virtual-work": Row(regrouped.tau, "[Codourey1997], regrouped"),
    "body-by-body": Row(virtual_work.tau, "[Codourey1997]"),
    "kinematic-elements": Row(kinematic_elements.tau, "[Ozgur2013]"),
    "subchain-mass": Row(subchain_mass.tau, "[Abdellatif2005]"),
    "recursive-matrix": Row(recursive_matrix.tau, "[Sinatra2009]"),
    "simplified": Row(simplified.tau, "[Codourey1997] sec. 4.2", exact=False),
    "nacelle": Row(simplified.nacelle_tau, "[Vivas2003] eq. (13)", exact=False),
}
"""A new formulation is a file and a row here."""

DEFAULT = "virtual-work"
