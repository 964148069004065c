"""Robots whose legs are of kinds that no robot of the library has: turns inside, drives that are not first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel

import parakin as pk
from parakin.arrays import Array
from parakin.description import describe
from parakin.mechanism.model import Body
from parakin.robot import Robot

UPU = Path(__file__).parents[1] / "docs" / "robots" / "tsai_3upu.toml"
OBLIQUE = {"type": "universal", "axis": [0.2, 1.0, 0.1]}
"""A universal joint at the platform whose axis is along none of the platform's."""
LOPSIDED = {
    "mass": 0.8,
    "com": [-0.12, 0.005, -0.01],
    "inertia": [[2.2e-3, 1e-4, 2e-4], [1e-4, 0.0105, 3e-4], [2e-4, 3e-4, 0.011]],
}
"""A body that is round about no line."""

POINTING = {"right": [-0.727, -0.100, -0.680], "left": [-0.727, 0.100, -0.680]}
"""Where the bars of a Hexa point at home."""


def _tables(of: str | Path, name: str) -> dict[str, Any]:
    """The tables of a robot file, with another name."""
    return pk.load(of).description.model_dump() | {"name": name}


def _body(name: str, part: str, **changes: object) -> dict[str, Any]:
    return {"name": name, "part": part, "source": "assumed", **LOPSIDED, **changes}


def hexapod_6ucu() -> Robot:
    """Struts that turn inside, between universal joints."""
    tables = _tables("gough_stewart", "hexapod_6ucu")
    for leg in tables["legs"]:
        (strut,) = leg["elements"]
        leg["attachment"]["joint"] = OBLIQUE
        strut |= {"type": "screw", "bodies": [strut["bodies"][0], _body("piston", "tip", mass=3.5)]}
    return Robot(describe(tables, "hexapod_6ucu"))


def spindles_on_rails() -> Robot:
    """Bars on carriages that turn inside, between universal joints whose axis on the bar is oblique."""
    tables = _tables("hexaglide", "spindles_on_rails")
    for leg in tables["legs"]:
        bar = leg["elements"][1]
        leg["attachment"]["joint"] = OBLIQUE | {"leg_axis": [0.0, 0.6, 0.8]}
        bar |= {"type": "spindle", "bodies": [*bar["bodies"], _body("tube", "tip") | {"name": "inner"}]}
    return Robot(describe(tables, "spindles_on_rails"))


def driven_spins() -> Robot:
    """A Hexa in which every second leg is driven by a motor inside its bar, and not at its arm."""
    tables = _tables("hexa", "driven_spins")
    for leg in tables["legs"]:
        arm, bar = leg["elements"]
        if leg["name"] == "left":
            leg["attachment"]["joint"] = OBLIQUE
            arm["actuator"] = None
            motor = {"coordinate": "spin", "sign": -1, "zero": 3.1, "rotor_inertia": 2e-3, "source": "assumed"}
            inner = [_body("outer", "root", com=[0.1, 0.0, 0.0]), _body("inner", "tip")]
            bar |= {"type": "spindle", "actuator": motor, "bodies": inner}
    return Robot(describe(tables, "driven_spins"))


def _offset(name: str, changed: Callable[[dict[str, Any]], None]) -> Robot:
    tables = _tables("hexa_offset", name)
    for leg in tables["legs"]:
        changed(leg)
    return Robot(describe(tables, name))


def spindle_in_the_middle() -> Robot:
    """Legs of three bars without a closed form; the one in the middle turns inside, as the platform decides."""

    def changed(leg: dict[str, Any]) -> None:
        leg["attachment"]["joint"] = OBLIQUE
        _, link, _ = leg["elements"]
        link |= {"type": "spindle", "bodies": [_body("inner", "tip", com=[0.0, 0.01, 0.0])]}

    return _offset("spindle_in_the_middle", changed)


def spindle_of_a_chain() -> Robot:
    """Legs of three bars without a closed form; the last turns inside and is driven there in every second leg."""

    def changed(leg: dict[str, Any]) -> None:
        arm, _, bar = leg["elements"]
        leg["attachment"]["joint"] = OBLIQUE | {"leg_axis": [0.3, 0.6, 0.8]}
        bar |= {"type": "spindle", "bodies": [_body("inner", "tip")]}
        if leg["name"] == "left":
            arm["actuator"] = None
            bar["actuator"] = {"coordinate": "spin", "rotor_inertia": 1e-3, "source": "assumed"}

    return _offset("spindle_of_a_chain", changed)


def hinged_cylinders() -> Robot:
    """Driven arms, then elements that slide and turn inside with friction, hinged to the platform."""
    tables = _tables("hexa", "hinged_cylinders")
    for leg in tables["legs"]:
        arm, bar = leg["elements"]
        leg["branch"] = None
        along = POINTING[leg["name"]]
        across = np.cross(along, [0.3, 1.0, 0.2])
        leg["attachment"]["joint"] = {"type": "revolute", "axis": across.tolist(), "leg_axis": [0.0, 1.0, 0.0]}
        arm["direction"], bar["direction"] = [0.889, 0.0, -0.459], along
        bar |= {"type": "screw", "length": None, "bodies": [*bar["bodies"], _body("inner", "tip")]}
        bar |= {"slide_friction": {"viscous": 8.0, "coulomb": 2.0}, "swivel_friction": {"viscous": 0.2, "coulomb": 0.1}}
    for side in ("lower", "upper"):
        tables["workspace"][side] = [0.02 * offset for offset in tables["workspace"][side]]
    return Robot(describe(tables, "hinged_cylinders"))


def motors_at_the_second_joint() -> Robot:
    """A Hexa with offset joints whose motors sit on its arms and turn the links there."""

    def changed(leg: dict[str, Any]) -> None:
        arm, link, _ = leg["elements"]
        link["actuator"] = arm["actuator"] | {"lower": None, "upper": None}
        arm["actuator"] = None

    return _offset("motors_at_the_second_joint", changed)


def motors_at_second_axes() -> Robot:
    """Arms that swing freely, and bars on universal joints that are driven about their second axes."""
    tables = _tables("hexa", "motors_at_second_axes")
    for leg in tables["legs"]:
        arm, bar = leg["elements"]
        leg["branch"] = None
        arm["direction"], bar["direction"] = [0.889, 0.0, -0.459], POINTING[leg["name"]]
        bar["actuator"] = {"coordinate": "second", "rotor_inertia": 1e-3, "source": "assumed"}
        if leg["name"] == "left":
            bar["actuator"] |= {"coordinate": "angle", "reference": [1.0, 0.0, 0.0]}
        arm["actuator"] = None
    return Robot(describe(tables, "motors_at_second_axes"))


def dymo() -> Robot:
    """The 3-URU of the library of mechanisms as legs: driven about the second axes of their lower joints."""
    graph = pk.load("dymo_3uru").graph_description
    joints = {joint.name: joint for joint in graph.joints}
    bodies = {body.name: body for body in graph.bodies}
    p_OE = np.array(graph.output.frame.position)
    legs = []
    for k in (1, 2, 3):
        base, middle, wrist = (joints[f"{name}{k}"] for name in ("base", "elbow", "wrist"))
        A, B, C = (np.array(joint.parent_frame.position) for joint in (base, middle, wrist))
        axis, drive = base.parent_frame.rotation[:, 0], base.freedoms["second"]
        assert drive.drive is not None
        second = np.cross(B - A, axis) / np.linalg.norm(np.cross(B - A, axis))
        at_joint = base.freedoms["first"].friction  # a joint's friction is about both of its axes
        friction = {
            "viscous": drive.friction.viscous - at_joint.viscous,
            "coulomb": drive.friction.coulomb - at_joint.coulomb,
        }
        motor = drive.drive.model_dump() | {"coordinate": "second", "friction": friction}
        same = second @ np.array(middle.parent_frame.z) > 0
        motor |= {"sign": 1 if same else -1, "zero": float(np.arcsin((B - A) @ axis / np.linalg.norm(B - A)))}
        lower = _bar("lower", (A, B), second, bodies[f"lower{k}"])
        lower |= {"actuator": motor, "joint": {"type": "universal", "axis": axis, "friction": at_joint}}
        upper = _bar("upper", (B, C), second, bodies[f"upper{k}"])
        upper["joint"] = {"type": "revolute", "axis": [0.0, 1.0, 0.0], "friction": middle.freedoms["angle"].friction}
        joint = {"type": "universal", "axis": axis, "friction": wrist.freedoms["first"].friction}
        attachment = {"b": C - p_OE, "joint": joint}
        legs.append(
            {"name": f"leg{k}", "root": A, "attachment": attachment, "elements": [lower, upper], "elbow": "outwards"}
        )
    plate = bodies["platform"]
    body = {"name": "plate", "mass": plate.mass, "b": [0, 0, 0], "inertia": plate.inertia, "turns": False}
    box = {"home": p_OE, "lower": [-0.02] * 3, "upper": [0.02] * 3}
    head = {"name": "dymo", "title": graph.title, "motion": "translation", "length": 0.2, "source": "assumed"}
    return Robot(describe(plain(head | {"workspace": box, "platform": {"bodies": [body]}, "legs": legs}), "dymo"))


def _bar(name: str, ends: tuple[Array, Array], y: Array, body: Body) -> dict[str, Any]:
    """A body of a mechanism that is drawn in the base's frame as a bar, y its second axis."""
    A, B = ends
    length = float(np.linalg.norm(B - A))
    x = (B - A) / length
    R = np.column_stack([x, y, np.cross(x, y)])
    own = {
        "name": name,
        "mass": body.mass,
        "com": R.T @ (np.array(body.com) - A),
        "inertia": R.T @ np.array(body.inertia) @ R,
    }
    return {"name": name, "type": "bar", "length": length, "bodies": [own]}


def plain(value: Any) -> Any:
    """Return tables with nothing in them but what TOML can say."""
    if isinstance(value, BaseModel):
        return plain(value.model_dump())
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items() if entry is not None}
    if isinstance(value, np.ndarray):
        return value.tolist()
    return [plain(entry) for entry in value] if isinstance(value, list | tuple) else value


BRAKING = {"viscous": 0.4, "coulomb": 0.7}
"""Friction of a joint at the platform."""
CROSS = {
    "mass": 0.9,
    "com": [0.01, -0.02, 0.015],
    "inertia": [[0.02, 0.001, 0.002], [0.001, 0.03, 0.003], [0.002, 0.003, 0.025]],
    "source": "assumed",
}
"""A cross that is large enough to be noticed."""


def braked_hexapod() -> Robot:
    """A Gough-Stewart platform with friction in the balls at its platform."""
    tables = _tables("gough_stewart", "braked_hexapod")
    for leg in tables["legs"]:
        leg["attachment"]["joint"] = {"type": "spherical", "friction": {"viscous": 3.0}}
    return Robot(describe(tables, "braked_hexapod"))


def braked_6ucu() -> Robot:
    """Struts that turn inside, with friction there, and with friction and heavy crosses at the platform."""
    tables = dict(hexapod_6ucu().description.model_dump(), name="braked_6ucu")
    for leg in tables["legs"]:
        leg["attachment"]["joint"] |= {"friction": BRAKING, "cross": CROSS}
        leg["elements"][0]["swivel_friction"] = {"viscous": 0.9, "coulomb": 0.5}
    return Robot(describe(tables, "braked_6ucu"))


def braked_shaft() -> Robot:
    """A Delta with a shaft whose slide has friction."""
    tables = _tables("delta_shaft", "braked_shaft")
    tables["legs"][-1]["elements"][0]["slide_friction"] = {"viscous": 20.0, "coulomb": 3.0}
    return Robot(describe(tables, "braked_shaft"))


def braked_3upu() -> Robot:
    """A translating 3-UPU with friction, heavy crosses and limits at the platform."""
    tables = _tables(UPU, "braked_3upu")
    for leg in tables["legs"]:
        ends = {"reference": [0.0, 0.0, 1.0], "lower": [-1.0, -0.9], "upper": [0.8, 1.1]}
        leg["attachment"]["joint"] |= {"friction": BRAKING, "cross": CROSS, **ends}
    return Robot(describe(tables, "braked_3upu"))


def braked_3rrr() -> Robot:
    """A planar 3-RRR with friction and limits in the hinges at its platform."""
    tables = _tables("planar_3rrr", "braked_3rrr")
    for leg in tables["legs"]:
        joint = {"type": "revolute", "friction": BRAKING, "reference": [0.6, 0.8, 0.0], "lower": -3.0, "upper": 3.1}
        leg["attachment"]["joint"] = joint
    return Robot(describe(tables, "braked_3rrr"))


def braked_nacelle() -> Robot:
    """An H4 with friction where its rods meet the bars of its nacelle."""
    tables = _tables("h4", "braked_nacelle")
    for leg in tables["legs"]:
        leg["attachment"]["joint"] = {"type": "parallelogram", "friction": {"viscous": 0.3}}
    return Robot(describe(tables, "braked_nacelle"))
