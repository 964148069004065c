"""The formulations of inverse dynamics: a table that Robot, tests and benchmarks read."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parakin.dynamics.mechanics import Formulation


@dataclass(frozen=True)
class FormulationRow:
    """A way to the actuator forces, with the paper it is from."""

    module: str
    """Its module in `parakin.dynamics`, which is imported when the formulation is first used."""
    source: str
    """The paper, by its key in docs/references.bib."""
    exact: bool = True
    """Whether its forces are those of the exact model."""
    function: str = "tau"
    """The function of the module."""

    @property
    def tau(self) -> Formulation:
        """The function from a robot's mechanics to its actuator forces."""
        return getattr(importlib.import_module(f"parakin.dynamics.{self.module}"), self.function)


FORMULATIONS: dict[str, FormulationRow] = {
    "virtual-work": FormulationRow("virtual_work.required", "[Codourey1997], regrouped"),
    "body-by-body": FormulationRow("body_by_body", "[Codourey1997]"),
    "kinematic-elements": FormulationRow("kinematic_elements.balance", "[Ozgur2013]"),
    "subchain-mass": FormulationRow("subchain_mass", "[Abdellatif2005]"),
    "recursive-matrix": FormulationRow("recursive_matrix", "[Sinatra2009]"),
    "simplified": FormulationRow("simplified", "[Codourey1997] sec. 4.2", exact=False),
    "nacelle": FormulationRow("simplified", "[Vivas2003] eq. (13)", exact=False, function="nacelle_tau"),
}
"""Key -> formulation. A new one is a file and a row here."""
