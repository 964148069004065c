"""Robot: a description and its numeric methods, each a kernel compiled when first used."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike
from pydantic import ValidationError

from parakin.description import describe, load_description, problems_of, to_toml
from parakin.description.loader import is_path
from parakin.dynamics.payload import Payload
from parakin.errors import DescriptionError
from parakin.mechanism import mechanism_library
from parakin.robot.dynamics import Dynamics
from parakin.robot.kinematics import Kinematics
from parakin.robot.linear_form import LinearForm


class Robot(Kinematics, Dynamics, LinearForm):
    """A parallel robot. Methods take poses `(..., n)` and return arrays with the same leading shape.

    A single state that is out of reach or singular raises; in a batch its row is NaN. `evaluate` never raises for a
    state and says of each what is wrong with it. A robot does not change: `replace` and `with_payload` make another.
    """

    def to_toml(self) -> str:
        """Return the robot file; reading it gives an equal robot."""
        return to_toml(self.description)

    def replace(self, **changes: object) -> Robot:
        """Return a variant with other values in the top table of the file, checked like a file.

        robot.replace(gravity=(0, 0, 0)) is a robot in free fall.
        """
        tables = self.description.model_dump(exclude_defaults=True) | changes
        return Robot(describe(tables, self.name), self.payload)

    def with_payload(self, mass: float, centre: ArrayLike = (0, 0, 0), inertia: ArrayLike | None = None) -> Robot:
        """Return the robot carrying something.

        mass [kg]; centre: its centre of mass in E [m]; inertia: its tensor about that in E's axes [kg m^2], or none.
        """
        tensor = np.zeros((3, 3)) if inertia is None else np.asarray(inertia, float)
        table = {"mass": mass, "centre": np.asarray(centre, float).tolist(), "inertia": tensor.tolist()}
        try:
            return Robot(self.description, Payload.model_validate(table))
        except ValidationError as error:
            raise DescriptionError("payload", problems_of(error)) from error


def load(name_or_path: str | Path) -> Robot:
    """Load a robot of the library by name, or from a TOML file."""
    if not is_path(name_or_path) and str(name_or_path) in mechanism_library():
        reason = f'is a mechanism of bodies and joints: load it with pk.load_mechanism("{name_or_path}")'
        raise DescriptionError(str(name_or_path), (("", reason),))
    return Robot(load_description(name_or_path))
