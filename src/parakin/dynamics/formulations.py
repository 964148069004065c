"""The formulations of inverse dynamics: a table that Robot, tests and benchmarks read."""

from __future__ import annotations

from dataclasses import dataclass

from parakin.dynamics import kinematic_elements, virtual_work
from parakin.dynamics.mechanics import Formulation


@dataclass(frozen=True)
class Row:
    """A formulation, the paper it is from, and whether it gives the exact forces."""

    tau: Formulation
    source: str
    exact: bool = True


FORMULATIONS: dict[str, Row] = {
    "virtual-work": Row(virtual_work.tau, "[Codourey1997]"),
    "kinematic-elements": Row(kinematic_elements.tau, "[Ozgur2013]"),
}
"""A new formulation is a file and a row here."""

DEFAULT = "virtual-work"
