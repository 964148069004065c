"""Robot: a description and its numeric methods, each a kernel compiled when first used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from pydantic import ValidationError

from parakin.description import describe, load_description, to_toml
from parakin.description.loader import problem_of
from parakin.errors import DescriptionError
from parakin.robot.forces import Forces
from parakin.robot.payload import Payload
from parakin.robot.positions import Positions


class Robot(Positions, Forces):
    """A parallel robot. Methods take poses `(..., n)` and return arrays with the same leading shape.

    A single state that is out of reach or singular raises; in a batch its row is NaN, and `details=True` tells why.
    """

    def to_toml(self) -> str:
        """The robot file; reading it gives an equal robot."""
        return to_toml(self.description)

    def replace(self, **changes: Any) -> Robot:
        """A variant with other values in the top table of the file, checked like a file: replace(gravity=(0, 0, 0))."""
        tables = self.description.model_dump(exclude_defaults=True) | changes
        return Robot(describe(tables, self.name), self.payload)

    def with_payload(self, mass: float, centre: ArrayLike = (0, 0, 0), inertia: ArrayLike | None = None) -> Robot:
        """The robot carrying something: mass [kg], centre of mass in E [m], inertia about it in E's axes [kg m^2]."""
        tensor = np.zeros((3, 3)) if inertia is None else np.asarray(inertia, float)
        table = {"mass": mass, "centre": np.asarray(centre, float).tolist(), "inertia": tensor.tolist()}
        try:
            return Robot(self.description, Payload.model_validate(table))
        except ValidationError as error:
            raise DescriptionError("payload", tuple(problem_of(entry) for entry in error.errors())) from error


def load(name_or_path: str | Path) -> Robot:
    """A robot of the library by name, or from a TOML file."""
    return Robot(load_description(name_or_path))
