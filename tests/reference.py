"""Robots that tests measure against, and the oracle of independent engines beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import parakin as pk
from parakin.description import describe, library
from parakin.poses import quaternion_from_vector, quaternion_product
from tests.moving import rotate
from tests.robots import COSTLY, robot_named, twins_later

DATA = Path(__file__).parent / "data"


REFERENCE = ("fivebar", "delta", "h4", "hexapod_6pus", "gough_stewart_general")


UNIQUE = {name: robot_named(name) for name in library()} | {"reference uru": pk.load(DATA / "uru.toml")}
"""Robots with every type of leg and motion: laws of dynamics are tried on these."""
ROBOTS = UNIQUE | {f"reference {name}": pk.load(DATA / f"{name}.toml") for name in REFERENCE}
"""These, and robots of the same types whose forces independent engines know, for every formulation."""
OF_EACH_TYPE = twins_later(ROBOTS, costly=COSTLY.union(f"reference {name}" for name in REFERENCE))
"""Their names for tests of laws: `make test` asks one robot of each type, `make slow` all others."""


def oracle_pose(robot: pk.Robot, state: dict[str, Any]) -> np.ndarray:
    p, R = np.array(state["platform_position"]), np.array(state["platform_R"])
    if robot.motion == "planar-translation":
        return p[:2]
    if robot.motion == "translation":
        return p
    if robot.motion == "schoenflies":
        return np.append(p, np.arctan2(R[1, 0], R[0, 0]))
    return np.concatenate([p, quaternion_from_vector(np.array(state["platform_rotvec"]))])


def close(got: np.ndarray, want: Any, tolerance: float) -> None:
    want = np.asarray(want)
    np.testing.assert_allclose(got, want, rtol=0, atol=tolerance * max(1.0, float(np.max(np.abs(want), initial=0.0))))


def turned_pose(robot: pk.Robot, pose: np.ndarray, quaternion: np.ndarray) -> np.ndarray:
    """The pose seen after the whole machine was turned about the origin (about z unless it is spatial)."""
    linear = 2 if robot.motion.startswith("planar") else 3
    p = np.zeros(3)
    p[:linear] = pose[:linear]
    moved = rotate(quaternion, p)[:linear]
    if robot.motion == "spatial":
        return np.concatenate([moved, quaternion_product(quaternion, pose[3:])])
    return np.concatenate([moved, pose[linear:]])


def moved_base(tables: dict[str, Any], quaternion: np.ndarray, shift: np.ndarray, spatial: bool) -> dict[str, Any]:
    """The same machine described in another base frame; legs must be written out."""

    def turn(vector: Any) -> Any:
        return None if vector is None else rotate(quaternion, np.array(vector)).tolist()

    for leg in tables["legs"]:
        leg["root"] = (np.array(turn(leg["root"])) + shift).tolist()
        first = leg["elements"][0]
        first["joint"]["axis"] = turn(first["joint"].get("axis"))
        for element in leg["elements"]:
            element["direction"] = turn(element.get("direction"))
        if first.get("actuator"):
            first["actuator"]["reference"] = turn(first["actuator"].get("reference"))
        leg["attachment"]["c"] = turn(leg["attachment"]["c"])
        if not spatial:
            leg["attachment"]["b"] = turn(leg["attachment"]["b"])
    return tables


def planar_rpr(count: int) -> pk.Robot:
    """`count` telescopic legs in a plane; more than three are redundant."""
    tables = pk.load("planar_3rpr").description.model_dump()
    angles = 2 * np.pi * np.arange(count) / count
    leg = tables["legs"][0]
    tables["symmetries"] = {}
    tables["legs"] = [
        leg
        | {
            "name": f"leg{k}",
            "symmetry": None,
            "root": [0.5 * np.cos(a), 0.5 * np.sin(a), 0.0],
            "attachment": {"b": [0.1 * np.cos(a + 1.0), 0.1 * np.sin(a + 1.0), 0.0], "c": [0.0, 0.0, 0.0]},
        }
        for k, a in enumerate(angles)
    ]
    return pk.Robot(describe(tables, "planar"))
