"""Finds what a robot carries from a motion, with everything else known."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.errors import EstimationError
from parakin.identification.fit.estimate import Estimate, estimate
from parakin.identification.fit.linear import payload_model
from parakin.identification.fit.moments import EVERY_ROW, Cut
from parakin.identification.states import States
from parakin.robot import Robot


@frozen_arrays
class FoundPayload:
    """A payload as a motion shows it."""

    mass: float
    """Mass [kg]."""
    mass_std: float
    """Standard deviation of the mass [kg]."""
    centre: Array
    """Centre of mass in E (3,) [m]; NaN along axes that the motion does not show."""
    estimate: Estimate
    """Estimate of all ten parameters about E."""


def identify_payload(
    robot: Robot, data: Iterable[States], *, method: str = "weighted", cut: Cut = EVERY_ROW
) -> FoundPayload:
    """Estimate mass, centre and inertia of what the robot carries; its own parameters are those of the robot file.

    >>> carried = pk.simulation.Scenario(payload=pk.Payload(mass=0.3))
    >>> log = pk.simulation.simulate(robot, law, pk.control.reference(robot, motion, 1e-3), carried)
    >>> source = pk.identification.open_log(robot, pk.simulation.write_log("loaded.csv", log))
    >>> loaded = pk.identification.prepare(robot, source)
    >>> round(pk.identification.identify_payload(robot, loaded.states()).mass, 2)
    0.3
    """
    ten = estimate(payload_model(robot), data, method=method, cut=cut)
    by_name = dict(zip(ten.names, ten.values, strict=True))
    mass = float(by_name["payload.m"])
    if not np.isfinite(mass):
        raise EstimationError(robot.name, "payload", f"its mass does not show: {ten.assessments[0].reason}")
    centre = np.array([by_name[f"payload.m{axis}"] for axis in "xyz"]) / mass
    return FoundPayload(mass, float(ten.std[0]), centre, ten)
