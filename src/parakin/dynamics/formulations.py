"""The formulations of inverse dynamics: a table that Robot, tests and benchmarks read."""

from __future__ import annotations

from dataclasses import dataclass

from parakin.dynamics import body_by_body, kinematic_elements, recursive_matrix, simplified, subchain_mass
from parakin.dynamics.mechanics import Formulation
from parakin.dynamics.virtual_work import required as virtual_work


@dataclass(frozen=True)
class FormulationRow:
    """A way to the actuator forces, with the paper it is from."""

    tau: Formulation
    """The function from a robot's mechanics to its actuator forces."""
    source: str
    """The paper, by its key in docs/references.bib."""
    exact: bool = True
    """Whether its forces are those of the exact model."""


FORMULATIONS: dict[str, FormulationRow] = {
    "virtual-work": FormulationRow(virtual_work.tau, "[Codourey1997], regrouped"),
    "body-by-body": FormulationRow(body_by_body.tau, "[Codourey1997]"),
    "kinematic-elements": FormulationRow(kinematic_elements.tau, "[Ozgur2013]"),
    "subchain-mass": FormulationRow(subchain_mass.tau, "[Abdellatif2005]"),
    "recursive-matrix": FormulationRow(recursive_matrix.tau, "[Sinatra2009]"),
    "simplified": FormulationRow(simplified.tau, "[Codourey1997] sec. 4.2", exact=False),
    "nacelle": FormulationRow(simplified.nacelle_tau, "[Vivas2003] eq. (13)", exact=False),
}
"""Key -> formulation. A new one is a file and a row here."""
