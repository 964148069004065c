"""What the search for base parameters gives."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array
from parakin.robot.base_parameters.sharing import Shared, combined


@dataclass(frozen=True)
class BaseParameters:
    """Combinations of a robot's parameters p that its forces depend on, none of them superfluous.

        base = map @ p,        columns(Psi) @ base = Psi @ p for every state

    representatives: for each the one parameter whose column is kept; map (rank, parameters); values: map @ p of the
    robot; zero: names of parameters without any effect; singular_values: of the regressor, columns of unit length and
    those of `zero` left out; gap: the smallest of those that count over the largest that does not. Where legs share
    parameters, p is one in which they do.
    """

    robot: str
    representatives: tuple[Shared, ...]
    names: tuple[str, ...]
    map: Array
    values: Array
    zero: tuple[str, ...]
    singular_values: Array
    gap: float

    @property
    def rank(self) -> int:
        return len(self.names)

    @property
    def units(self) -> tuple[str, ...]:
        return tuple(parameter.unit for parameter in self.representatives)

    @cached_property
    def independent(self) -> NDArray[np.intp]:
        """Index of each representative among the standard parameters; of shared ones the first."""
        return np.array([parameter.places[0] for parameter in self.representatives], dtype=np.intp)

    def columns(self, Psi: Array) -> Array:
        """Psi_b (..., rank) of Psi (..., parameters): columns of the representatives, those of shared ones summed."""
        return combined(Psi, self.representatives)

    def __str__(self) -> str:
        kept, dropped = self.singular_values[self.rank - 1], self.singular_values[self.rank :]
        falls = f"from {kept:.1e} to {dropped[0]:.1e}" if len(dropped) else f"to {kept:.1e} at the last"
        lines = [
            f"{self.robot}: {self.rank} base parameters of {self.map.shape[1]}, {len(self.zero)} without effect",
            f"singular values fall {falls}: a gap of {self.gap:.1e}",
            *(
                f"{value:12.5g} {unit:7} {name}"
                for value, unit, name in zip(self.values, self.units, self.names, strict=True)
            ),
        ]
        return "\n".join(lines)
