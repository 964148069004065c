"""The H4, and the model that its controller has of it: [Vivas2003] eq. (13)."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array
from parakin.robot import Parameter, Robot, load
from parakin.simulation import Scenario

PERIOD = 1e-3
"""Time from one control tick to the next [s], [Vivas2003] sec. 5.1."""
COUNTS = 2**17 / (2 * np.pi)
"""Counts of an encoder per radian, 2^17 a turn; assumed."""
CELL = Scenario(counts=COUNTS, velocity_filter=100.0, delay=True)
"""What is assumed of the cell: encoders, rates by differences filtered at 100 Hz, one tick to compute a force."""
WRONG = 0.5
"""The largest mismatch of sec. 5.3, as a share of the nominal values."""
PARTS = ("I_mot1", "I_mot2", "I_mot3", "I_mot4", "M_nac", "I_bc")
"""The parameters of Table 1: inertia of each motor with its arm, mass of the nacelle, inertia of its middle."""


def plant() -> Robot:
    """Return the robot that is simulated, the library's H4 with arms, rods and friction."""
    return load("h4")


def controller_model() -> Robot:
    """Return the robot of eq. (13): motors with the inertia of arms without weight, no rods' mass, no friction."""
    robot = plant()
    tables = robot.description.model_dump(exclude_defaults=True)
    legs: list[dict[str, object]] = []
    for leg in tables["legs"]:
        arm, forearm = (dict(element) for element in leg["elements"])
        body = dict(arm["bodies"][0])
        about_axis = body["inertia"][2][2] + body["mass"] * body["com"][0] ** 2
        across = body["inertia"][1][1] + body["mass"] * body["com"][0] ** 2
        tensor = ((body["inertia"][0][0], 0.0, 0.0), (0.0, across, 0.0), (0.0, 0.0, about_axis))
        arm["bodies"] = (body | {"com": (0.0, 0.0, 0.0), "inertia": tensor},)
        arm["actuator"] = {key: value for key, value in arm["actuator"].items() if key != "friction"}
        forearm["bodies"] = ()
        legs.append(leg | {"elements": (arm, forearm)})
    return robot.replace(legs=legs)


def parts_of(robot: Robot) -> NDArray[np.intp]:
    """Return for each parameter of the robot the entry of PARTS that it belongs to, and -1 for friction."""

    legs = [leg.name for leg in robot.legs]

    def part(parameter: Parameter) -> int:
        if parameter.quantity.is_friction:
            return -1
        if parameter.part in legs:
            return legs.index(parameter.part)
        return PARTS.index("I_bc" if parameter.name == "platform.central.Izz" else "M_nac")

    return np.array([part(parameter) for parameter in robot.parameter_table])


def mismatched(robot: Robot, signs: Array, *, inverse: bool) -> Array:
    """Return parameters of plants (S, parameters) for signs (S, 6) of the mismatch of each entry of Table 1.

    inverse: the controller's values are wrong by half of the true ones; else the true ones are off by half of the
    controller's. Friction stays.
    """
    factors = 1 + WRONG * np.column_stack([signs, np.zeros(len(signs))])
    factors = 1 / factors if inverse else factors
    return robot.parameters * factors[:, parts_of(robot)]


def main_signs() -> Array:
    """Return the combinations of signs (8, 6) in which the four motors have the same sign."""
    return np.array([(*(m,) * 4, n, i) for m, n, i in product((-1.0, 1.0), repeat=3)])
