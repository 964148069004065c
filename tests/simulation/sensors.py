"""Platform sensors that tests and the examples of docstrings share."""

from __future__ import annotations

import casadi as ca

import parakin as pk
from parakin.control import Given, StatePart
from parakin.simulation import Measured, PlatformSensor, platform_sensor


def following_sensor(robot: pk.Robot, looks: int = 1, deviation: float | None = None) -> PlatformSensor:
    """Tell the law the true pose and velocity at the last look, with noise of the pose if a deviation is given."""
    coordinates, freedom = len(robot.home), robot.degrees_of_freedom
    parts = (StatePart("place", coordinates, "", "pose at the last look"), StatePart("rate", freedom, "", "velocity"))

    def look(given: Given) -> dict[str, ca.SX]:
        pose = given["true_pose"]
        if deviation is not None:
            pose = robot.motion_type.stepped(pose, given["deviation"] * given["noise"])
        return {"place": pose, "rate": given["true_velocity"]}

    return platform_sensor(
        "following",
        robot,
        parts,
        first=lambda given: {"place": given["true_pose"], "rate": given["true_velocity"]},
        look=look,
        read=lambda given: Measured(given["place"], given["rate"]),
        draws=0 if deviation is None else freedom,
        looks=looks,
        numbers={} if deviation is None else {"deviation": deviation},
    )


def counting_sensor(robot: pk.Robot, looks: int) -> PlatformSensor:
    """Sum pose, velocity and force over the looks, and tell the law the true state."""
    n, m = robot.degrees_of_freedom, len(robot.actuator_names)
    parts = (
        StatePart("place", n, "", "pose at the last look"),
        StatePart("rate", n, "", "velocity"),
        StatePart("looks", 1, "", "how often it has looked"),
        StatePart("path", n, "", "sum of all poses"),
        StatePart("push", m, "", "sum of all forces"),
    )

    def look(given: Given) -> dict[str, ca.SX]:
        seen = {"place": given["true_pose"], "rate": given["true_velocity"], "looks": given["looks"] + 1}
        return seen | {"path": given["path"] + given["true_pose"], "push": given["push"] + given["tau"]}

    zeros = {"looks": ca.SX(1, 1), "path": ca.SX.zeros(n), "push": ca.SX.zeros(m)}
    return platform_sensor(
        "counting",
        robot,
        parts,
        first=lambda given: {"place": given["true_pose"], "rate": given["true_velocity"], **zeros},
        look=look,
        read=lambda given: Measured(given["place"], given["rate"]),
        looks=looks,
    )
