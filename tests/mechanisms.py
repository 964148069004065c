"""Reference mechanisms of `tests/data/mechanisms` as descriptions; README.md there tells their format."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from parakin.mechanism import MechanismDescription, with_distances
from parakin.mechanism.expansion import graph_of
from parakin.mechanism.kinds import KINDS
from parakin.robot import Robot

FOLDER = Path(__file__).parent / "data" / "mechanisms"
NAMES = tuple(sorted(path.stem for path in FOLDER.glob("*.json")))
"""The mechanisms there are."""
TYPES = {
    "R": "revolute",
    "P": "prismatic",
    "C": "cylindrical",
    "U": "universal",
    "S": "spherical",
    "weld": "weld",
}


@cache
def record(name: str) -> dict[str, Any]:
    """Return a file of reference numbers."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def _frame(frame: dict[str, Any]) -> dict[str, Any]:
    R = np.array(frame["R"])
    return {"position": frame["p"], "z": R[:, 2].tolist(), "x": R[:, 0].tolist()}


def described(name: str, *, independent: bool = True, rows: bool = True) -> MechanismDescription:
    """Return a reference mechanism as a description.

    independent: with the independent coordinates of the reference; rows: with the rows that it imposes.
    """
    data = record(name)
    types = {joint["name"]: TYPES[joint["type"]] for joint in data["joints"]}

    def coordinate(entry: dict[str, Any]) -> str:
        return f"{entry['joint']}.{KINDS[types[entry['joint']]].freedoms[entry['index']].name}"

    driven = [coordinate(entry) for entry in data["actuators"]]
    joints = []
    for joint in data["joints"]:
        freedoms = {
            freedom.name: {"drive": {}}
            for freedom in KINDS[TYPES[joint["type"]]].freedoms
            if f"{joint['name']}.{freedom.name}" in driven
        }
        table = {
            "name": joint["name"],
            "type": TYPES[joint["type"]],
            "parent": joint["parent"],
            "child": joint["child"],
            "parent_frame": _frame(joint["parent_frame"]),
            "child_frame": _frame(joint["child_frame"]),
            "freedoms": freedoms,
        }
        if joint["name"] in data["home"] and data["home"][joint["name"]]:
            table["home"] = data["home"][joint["name"]]
        if rows and joint.get("rows") is not None:
            table["rows"] = joint["rows"]
        joints.append(table)
    couplings = [
        {"terms": [{"coordinate": coordinate(t), "factor": t["factor"]} for t in c["terms"]], "constant": c["constant"]}
        for c in data["couplings"]
    ]
    return MechanismDescription.model_validate(
        {
            "name": name if name[0].isalpha() else f"m_{name}",
            "title": data["note"][:200],
            "gravity": data["gravity"],
            "source": data["provenance"],
            "output": {"body": data["output"]["body"], "frame": _frame(data["output"])},
            "independent": [coordinate(entry) for entry in data["independent"]] if independent else None,
            "bodies": [{key: body[key] for key in ("name", "mass", "com", "inertia")} for body in data["bodies"]],
            "joints": joints,
            "couplings": couplings,
        }
    )


def from_platform(robot: Robot) -> MechanismDescription:
    """The graph of a robot whose pose is its platform's."""
    tables = graph_of(robot.description).model_dump()
    kind, freedoms = ("planar", ("x", "y", "angle"))
    if robot.degrees_of_freedom == 6:
        kind, freedoms = ("free", ("x", "y", "z", "wx", "wy", "wz"))
    body, frame = tables["output"]["body"], tables["output"]["frame"]
    free = {"name": "pf", "type": kind, "parent": "world", "child": body, "parent_frame": {}, "child_frame": frame}
    tables["joints"] = [*tables["joints"], free]
    tables |= {"independent": [f"pf.{freedom}" for freedom in freedoms], "workspace": None}
    return MechanismDescription.model_validate(tables)


def reachy() -> Robot:
    """A Reachy Mini whose rods, round to thousandths, are distances, so that none spins idly."""
    return Robot(with_distances(described("reachy_mini", independent=False), tolerance=4e-3))
