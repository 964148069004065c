"""Robot: what describes it and its numeric methods, each a kernel compiled when first used."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from pydantic import ValidationError

from parakin.description import problems_of
from parakin.dynamics.payload import Payload
from parakin.errors import DescriptionError
from parakin.kernels.arguments import as_array
from parakin.robot.derivatives import ModelDerivatives
from parakin.robot.dynamics import Dynamics
from parakin.robot.kinematics import Kinematics
from parakin.robot.legs import LegCore


class Robot(Kinematics, Dynamics, ModelDerivatives, LegCore):
    """A parallel robot. Methods take poses `(..., n)` and return arrays with the same leading shape.

    A single state that is out of reach or singular raises; in a batch its row is NaN. `evaluate` never raises for a
    state and says of each what is wrong with it. A robot does not change: `replace` and `with_payload` make another.
    `Robot(description, payload)` is one of legs and platform; a Mechanism is a robot of bodies and joints.

    >>> robot.actuator_names, robot.pose_names
    (('leg1.arm', 'leg2.arm', 'leg3.arm'), ('x', 'y', 'z'))
    """

    def to_toml(self) -> str:
        """Return the file of the robot; reading it gives an equal robot.

        >>> text = robot.to_toml()
        >>> text.splitlines()[0]
        'name = "delta"'
        """
        return self._as_toml()

    def replace(self, **changes: object) -> Self:
        """Return a variant with other values in the top table of the file, checked like a file but for its mobility.

        robot.replace(gravity=(0, 0, 0)) is a robot in free fall.

        >>> robot.replace(gravity=(0, 0, -1.62)).static_forces(pose).round(3)
        array([0.21 , 0.162, 0.115])
        """
        return self._replaced(changes)

    def with_payload(self, mass: float, centre: ArrayLike = (0, 0, 0), inertia: ArrayLike | None = None) -> Self:
        """Return the robot carrying something.

        mass [kg]; centre: its centre of mass in E, or in the output frame of a mechanism [m]; inertia: its tensor about
        that in the axes of the frame [kg m^2], or none.

        >>> robot.with_payload(0.5).static_forces(pose).round(3)
        array([1.995, 1.489, 0.993])
        """
        tensor = np.zeros((3, 3)) if inertia is None else as_array(self.name, "inertia", inertia)
        table = {"mass": mass, "centre": as_array(self.name, "centre", centre).tolist(), "inertia": tensor.tolist()}
        try:
            return self._carrying(Payload.model_validate(table))
        except ValidationError as error:
            raise DescriptionError("payload", problems_of(error)) from error
