"""What a robot carries, found from a motion with everything else known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array
from parakin.errors import EstimationError
from parakin.identification.estimate import Estimate, estimate
from parakin.identification.linear import payload_model
from parakin.identification.moments import WHOLE, Cut
from parakin.identification.states import States
from parakin.robot import Robot


@dataclass(frozen=True, eq=False)
class FoundPayload:
    """mass [kg] and its standard deviation; centre of mass in E [m], NaN along axes that the motion does not show;
    estimate: of all ten parameters about E."""

    mass: float
    mass_std: float
    centre: Array
    estimate: Estimate


def identify_payload(
    robot: Robot, data: Iterable[States], *, method: str = "weighted", cut: Cut = WHOLE
) -> FoundPayload:
    """Mass, centre and inertia of what the robot carries; its own parameters are those of the robot file."""
    found = estimate(payload_model(robot), data, method=method, cut=cut)
    by_name = dict(zip(found.names, found.values, strict=True))
    mass = float(by_name["payload.m"])
    if not np.isfinite(mass):
        raise EstimationError(robot.name, "payload", f"its mass does not show: {found.verdicts[0].reason}")
    centre = np.array([by_name[f"payload.m{axis}"] for axis in "xyz"]) / mass
    return FoundPayload(mass, float(found.std[0]), centre, found)
