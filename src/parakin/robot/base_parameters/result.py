"""What the search for base parameters gives."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.robot.base_parameters.sharing import AlikeLegs, Shared, combined


@frozen_arrays(eq=True)
class BaseParameters:
    """Combinations of a robot's parameters p that its forces depend on, none of them superfluous.

        base = map @ p,        columns(Psi) @ base = Psi @ p for every state

    Where legs share parameters, p is one in which they do.
    """

    robot: str
    """The robot's name."""
    representatives: tuple[Shared, ...]
    """For each combination the one parameter whose column is kept."""
    names: tuple[str, ...]
    """Each combination written out: "leg1.arm.Izz + 0.0576 leg1.elbow.m"."""
    map: Array
    """The matrix (rank, parameters) that takes p to the base parameters."""
    values: Array
    """Their values for this robot, map @ p."""
    zero: tuple[str, ...]
    """Names of parameters without any effect."""
    singular_values: Array
    """Singular values of the regressor with columns of unit length, those of `zero` left out."""
    gap: float
    """The smallest singular value that counts over the largest that does not."""
    alike: tuple[AlikeLegs, ...] = ()
    """Legs that were taken for alike, where parameters are shared."""

    @property
    def rank(self) -> int:
        """How many base parameters there are."""
        return len(self.names)

    @property
    def units(self) -> tuple[str, ...]:
        """Unit of each base parameter."""
        return tuple(parameter.unit for parameter in self.representatives)

    @cached_property
    def independent(self) -> NDArray[np.intp]:
        """Place of each representative among the standard parameters, the first one of those that are shared."""
        return np.array([parameter.places[0] for parameter in self.representatives], dtype=np.intp)

    @property
    def places(self) -> tuple[tuple[int, ...], ...]:
        """Places of each representative among the standard parameters, all of those that are shared."""
        return tuple(tuple(parameter.places) for parameter in self.representatives)

    def columns(self, Psi: Array) -> Array:
        """Return Psi_b (..., rank) of Psi (..., parameters): the representatives' columns, shared ones summed.

        >>> base = robot.base_parameters()
        >>> Psi = robot.regressor(pose, velocity, acceleration)
        >>> np.allclose(base.columns(Psi) @ base.values, Psi @ robot.parameters)
        True
        """
        return combined(Psi, self.representatives)

    def __str__(self) -> str:
        kept, dropped = self.singular_values[self.rank - 1], self.singular_values[self.rank :]
        falls = f"from {kept:.1e} to {dropped[0]:.1e}" if len(dropped) else f"to {kept:.1e} at the last"
        lines = [
            f"{self.robot}: {self.rank} base parameters of {self.map.shape[1]}, {len(self.zero)} without effect",
            f"singular values fall {falls}: a gap of {self.gap:.1e}",
            *(str(group) for group in self.alike),
            *(
                f"{value:12.5g} {unit:7} {name}"
                for value, unit, name in zip(self.values, self.units, self.names, strict=True)
            ),
        ]
        return "\n".join(lines)
