"""The H4 and what its controller takes it for: the model of [Vivas2003] eq. (13)."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array
from parakin.robot import Robot, load
from parakin.simulation import Scenario

PERIOD = 1e-3
"""[s] [Vivas2003] sec. 5.1."""
COUNTS = 2**17 / (2 * np.pi)
"""Of an encoder per rad; assumed."""
CELL = Scenario(counts=COUNTS, velocity_filter=100.0, delay=True)
"""Encoders, rates by differences filtered at 100 Hz, a tick to compute: assumed."""
WRONG = 0.5
"""Of the nominal values: the largest mismatch of sec. 5.3."""
PARTS = ("I_mot1", "I_mot2", "I_mot3", "I_mot4", "M_nac", "I_bc")
"""Table 1."""


def plant() -> Robot:
    return load("h4")


def controller_model() -> Robot:
    """Eq. (13): motors with their arms' inertia but not their weight, rods without mass, the nacelle; no friction."""
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
    """For each parameter of the robot, which entry of Table 1 it belongs to; friction to none, -1."""

    def part(name: str) -> int:
        if name.endswith(("viscous", "coulomb")):
            return -1
        if name.startswith("leg"):
            return int(name[3]) - 1
        return PARTS.index("I_bc" if name == "platform.central.Izz" else "M_nac")

    return np.array([part(name) for name in robot.parameter_names])


def mismatched(robot: Robot, signs: Array, *, inverse: bool) -> Array:
    """Plants (S, parameters) for signs (S, 6) of the mismatch of each entry of Table 1.

    inverse: the controller's values are wrong by half of the true ones; else the true ones are off by half of the
    controller's. Friction stays.
    """
    factors = 1 + WRONG * np.column_stack([signs, np.zeros(len(signs))])
    factors = 1 / factors if inverse else factors
    return robot.parameters * factors[:, parts_of(robot)]


def all_signs() -> Array:
    """(64, 6)"""
    return np.array(list(product((-1.0, 1.0), repeat=len(PARTS))))


def main_signs() -> Array:
    """(8, 6): the four motors alike, nacelle and its inertia each on its own."""
    return np.array([(*(m,) * 4, n, i) for m, n, i in product((-1.0, 1.0), repeat=3)])
