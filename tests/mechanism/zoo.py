"""Small mechanisms with every kind of joint, in the tree and cut, passed in both directions."""

from __future__ import annotations

from typing import Any

import numpy as np

from parakin.mechanism import MechanismDescription, describe_mechanism

BALLAST = [[0.02, 0.001, -0.002], [0.001, 0.03, 0.0015], [-0.002, 0.0015, 0.025]]
DRIVEN: dict[str, Any] = {"drive": {"rotor_inertia": 1e-3, "gear_ratio": 3.0, "sign": -1, "zero": 0.1}}


def body(name: str, mass: float, *com: float) -> dict[str, Any]:
    return {"name": name, "mass": mass, "com": com, "inertia": (mass * np.array(BALLAST)).tolist()}


def joint(
    name: str, kind: str, ends: tuple[str, str], at: tuple[float, ...], z: tuple[float, ...], **more: Any
) -> dict[str, Any]:
    """A joint whose frame is given once, in the base's frame at the drawn pose."""
    return {
        "name": name,
        "type": kind,
        "parent": ends[0],
        "child": ends[1],
        "parent_frame": {"position": at, "z": z},
        **more,
    }


def _described(name: str, bodies: list[Any], joints: list[Any], output: str, **more: Any) -> MechanismDescription:
    top = {"name": name, "title": name, "source": "assumed", "output": {"body": output}, "bodies": bodies}
    return describe_mechanism(top | {"joints": joints, "gravity": (0.3, -1.0, -9.7)} | more, name)


def rccc() -> MechanismDescription:
    """A spatial four-bar of a hinge and three cylindrical joints, the last joint written from body to base."""
    bodies = [body("a", 1.0, 0.1, 0.0, 0.1), body("b", 2.0, 0.4, 0.2, 0.1), body("c", 1.5, 0.5, 0.4, 0.3)]
    joints = [
        joint("one", "revolute", ("world", "a"), (0, 0, 0), (0, 0, 1), freedoms={"angle": DRIVEN}),
        joint("two", "cylindrical", ("a", "b"), (0.3, 0.05, 0.0), (0.2, 0.3, 1.0)),
        joint("three", "cylindrical", ("c", "b"), (0.5, 0.4, 0.1), (-0.4, 0.2, 1.0)),
        joint("four", "cylindrical", ("c", "world"), (0.6, 0.5, 0.4), (0.5, -0.5, 1.0)),
    ]
    return _described("rccc", bodies, joints, "b")


def ruuc() -> MechanismDescription:
    """A hinge, two universal joints, one of them cut or passed backwards, and a slide that may turn."""
    bodies = [body("a", 1.0, 0.1, 0.0, 0.1), body("b", 2.0, 0.4, 0.2, 0.1), body("c", 1.5, 0.5, 0.4, 0.3)]
    joints = [
        joint("one", "revolute", ("a", "world"), (0, 0, 0), (0, 0.1, 1), freedoms={"angle": DRIVEN}),
        joint("two", "universal", ("b", "a"), (0.3, 0.05, 0.0), (0.2, 0.3, 1.0)),
        joint("three", "universal", ("b", "c"), (0.5, 0.4, 0.1), (-0.4, 0.2, 1.0)),
        joint("four", "cylindrical", ("world", "c"), (0.6, 0.5, 0.4), (0.5, -0.5, 1.0)),
    ]
    return _described("ruuc", bodies, joints, "c")


def screw_jack() -> MechanismDescription:
    """A screw with a hinged load: no loop."""
    bodies = [body("nut", 1.0, 0.05, 0.0, 0.1), body("load", 2.0, 0.3, 0.2, 0.1)]
    joints = [
        joint("screw", "screw", ("world", "nut"), (0, 0, 0), (0.1, 0.2, 1), pitch=0.1, freedoms={"angle": DRIVEN}),
        joint(
            "hinge", "revolute", ("load", "nut"), (0.1, 0.0, 0.2), (0.0, 1.0, 0.3), freedoms={"angle": {"drive": {}}}
        ),
    ]
    return _described("screw_jack", bodies, joints, "load")


def tethered_plate() -> MechanismDescription:
    """A plate that slides on a plane, held by two rods of constant length: one freedom."""
    bodies = [body("plate", 3.0, 0.2, 0.1, 0.05), body("crank", 1.0, -0.25, 0.05, 0.0)]
    joints = [
        joint("floor", "planar", ("world", "plate"), (0, 0, 0), (0.0, 0.0, 1.0)),
        joint("crank", "revolute", ("world", "crank"), (-0.4, 0.0, 0.0), (0, 0, 1), freedoms={"angle": DRIVEN}),
        {
            "name": "rod",
            "type": "distance",
            "parent": "crank",
            "child": "plate",
            "parent_frame": {"position": (-0.3, 0.15, 0.0)},
            "child_frame": {"position": (0.1, 0.2, 0.1)},
            "length": float(np.linalg.norm([0.4, 0.05, 0.1])),
        },
        {
            "name": "stay",
            "type": "distance",
            "parent": "world",
            "child": "plate",
            "parent_frame": {"position": (0.5, -0.3, 0.0)},
            "child_frame": {"position": (0.3, 0.1, 0.0)},
            "length": float(np.linalg.norm([0.2, 0.4])),
        },
        {
            "name": "guide",
            "type": "distance",
            "parent": "world",
            "child": "plate",
            "parent_frame": {"position": (-0.5, -0.4, 0.0)},
            "child_frame": {"position": (0.0, 0.0, 0.0)},
            "length": float(np.linalg.norm([0.5, 0.4])),
        },
    ]
    return _described("tethered_plate", bodies, joints, "plate")


def geared_slider() -> MechanismDescription:
    """Two cranks geared to each other, and a slide on one of them with a spring and friction."""
    bodies = [body("left", 1.0, 0.1, 0.0, 0.0), body("right", 1.2, 0.4, 0.1, 0.0), body("slide", 0.5, 0.2, 0.1, 0.0)]
    spring = {"spring": {"stiffness": 40.0, "rest": 0.05}, "friction": {"viscous": 0.7}, "drive": {}}
    joints = [
        joint("left", "revolute", ("world", "left"), (0, 0, 0), (0, 0, 1), freedoms={"angle": DRIVEN}),
        joint("right", "revolute", ("world", "right"), (0.3, 0, 0), (0, 0.1, 1)),
        joint("slide", "prismatic", ("left", "slide"), (0.1, 0, 0), (1, 0.2, 0), freedoms={"travel": spring}),
    ]
    coupling = {"terms": [{"coordinate": "left.angle", "factor": 2.0}, {"coordinate": "right.angle", "factor": 1.0}]}
    return _described("geared_slider", bodies, joints, "slide", couplings=[coupling])


ZOO = {one.__name__: one for one in (rccc, ruuc, screw_jack, tethered_plate, geared_slider)}
"""Every small mechanism by name."""
