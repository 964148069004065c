"""URDF files, with the YAML files in which Gepetto's tools close loops.

A joint's frame is the frame of its child link. Links with two parent joints, which URDF forbids and people write, are
loops. <gazebo> is for another program and is dropped, unless there is a joint in it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from parakin.description.values import shown
from parakin.errors import DescriptionError
from parakin.mechanism.model import BASE
from parakin.mechanism.readers.choosing import Choices
from parakin.mechanism.readers.draft import (
    NO_LIMIT,
    Draft,
    DraftBody,
    DraftJoint,
    Placement,
    along_z,
    limits_between,
    placed,
    turned_by,
)
from parakin.mechanism.readers.loops_yaml import LARGEST_YAML, Loops, read_loops
from parakin.mechanism.readers.report import Journal
from parakin.mechanism.readers.urdf_loops import close_loops, drive_joint
from parakin.mechanism.readers.xml_text import Element, xml_bytes

_SHAPES = "a shape for pictures or contacts, and no mass"
_DROPPED = {
    "visual": _SHAPES,
    "collision": _SHAPES,
    "material": "a colour",
    "gazebo": "settings of a simulator",
    "sensor": "a sensor",
    "safety_controller": "limits of a controller",
    "calibration": "places of switches",
    "contact": "contact settings",
    "joint_properties": "settings that onshape-to-robot writes",
}
"""Elements that a mechanism has no place for, and what they are."""
_TAKEN = {
    "link": {"inertial"},
    "inertial": {"origin", "mass", "inertia"},
    "joint": {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"},
    "robot": {"link", "joint", "transmission", "ros2_control"},
}
"""Elements that are read, by where they stand."""


def read_urdf(root: Element, path: Path, choices: Choices) -> Draft:
    """Return the mechanism of a URDF file."""
    journal = Journal(path.name, "URDF", choices.without)
    draft = Draft(journal, root.attributes.get("name", path.stem))
    loops = _loops_of(path, choices)
    _refuse_macros(root)
    journal.audit(root, _TAKEN, _DROPPED, lambda child: _refused(child, journal))
    fixed = _read_links(root, draft)
    for element in root.all("joint"):
        draft.joints.append(_joint(element, fixed, journal))
    _check_ends(root, draft)
    _couple(root, draft)
    _hold_roots(draft)
    _motors_of_tags(root, draft)
    if loops is not None:
        close_loops(loops, draft, fixed)
    return draft


def _loops_of(path: Path, choices: Choices) -> Loops | None:
    beside = path.with_suffix(".yaml") if choices.loops is None else Path(choices.loops)
    if choices.loops is None and not beside.is_file():
        return None
    return read_loops(xml_bytes(beside)[: LARGEST_YAML + 1], beside.name)


def _refuse_macros(root: Element) -> None:
    if any(one.tag.startswith("xacro:") for one in root.walk()):
        raise root.error("has macros (xacro): expand them first, `xacro robot.urdf.xacro > robot.urdf`")


def _refused(child: Element, journal: Journal) -> bool:
    """Whether an element is refused, which is then noted: a joint for Gazebo alone closes a loop."""
    joint = child.find("joint") if child.tag == "gazebo" else None
    if joint is None:
        return False
    words = "<gazebo> holds a joint, which closes a loop: close it in a YAML file, or use the SDF file"
    journal.refuse(child.place, words, joint.attributes.get("name", "gazebo"))
    return True


# Links and joints --------------------------------------------------------------------------------------------------


def _read_links(root: Element, draft: Draft) -> set[str]:
    """Add the links as bodies; return the names that stand for the world."""
    fixed: set[str] = set()
    for element in root.all("link"):
        name = element.need("name")
        inertial = element.find("inertial")
        if name == BASE:
            if inertial is not None:
                draft.journal.dropped(element.place, "the world does not move, so that its mass does not count")
            fixed.add(name)
        elif draft.body(name) is not None:
            raise element.error(f"the link '{name}' is there twice: give each its own name")
        else:
            draft.bodies.append(_body(element, name, inertial, draft.journal))
    return fixed


def _body(element: Element, name: str, inertial: Element | None, journal: Journal) -> DraftBody:
    body = DraftBody(name, element.place)
    if inertial is None:
        return body
    mass, tensor = inertial.find("mass"), inertial.find("inertia")
    body.mass = mass.number("value") if mass else 0.0
    at = _origin(inertial)
    body.com = at.p
    if tensor is not None:
        xx, yy, zz, xy, xz, yz = (tensor.number(f"i{pair}", 0.0) for pair in ("xx", "yy", "zz", "xy", "xz", "yz"))
        body.inertia = at.R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ at.R.T
    if body.mass == 0.0 and np.any(body.inertia):
        journal.dropped(inertial.place, f"the inertia of link '{name}', which has no mass")
    return body


def _origin(element: Element) -> Placement:
    origin = element.find("origin")
    if origin is None:
        return placed()
    nowhere = (0.0, 0.0, 0.0)
    return placed(origin.numbers("xyz", 3, nowhere), turned_by(*origin.numbers("rpy", 3, nowhere)))


_KINDS = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "weld",
    "floating": "free",
    "planar": "planar",
    "spherical": "spherical",
    "ball": "spherical",
}
"""Kinds of joints in mechanism files by their names in URDF; spherical ones are no URDF, but written."""


def _joint(element: Element, fixed: set[str], journal: Journal) -> DraftJoint:
    kind = element.need("type")
    if kind not in _KINDS:
        raise element.error(f"its type must be one of {', '.join(_KINDS)}, got {shown(kind)}")
    parent, child = (_end(element, side, fixed) for side in ("parent", "child"))
    at = _origin(element)
    axis = element.find("axis")
    direction = axis.numbers("xyz", 3) if axis is not None else (1.0, 0.0, 0.0)
    turned = placed()
    if kind in ("revolute", "continuous", "prismatic", "planar"):
        if not any(direction):
            raise element.error("its axis must not be zero")
        turned = placed(R=along_z(direction))
    joint = DraftJoint(element.need("name"), element.place, _KINDS[kind], parent, child, at @ turned, turned)
    if joint.type in ("revolute", "prismatic"):
        freedom = "angle" if joint.type == "revolute" else "travel"
        joint.freedoms[freedom] = _freedom(element, limited=kind != "continuous")
        joint.motor = _motor(element)
        dynamics = element.find("dynamics")
        joint.viscous = dynamics.number("damping", 0.0) if dynamics else 0.0
    elif element.find("limit") is not None or element.find("dynamics") is not None:
        journal.dropped(element.place, f"limits and friction of a joint of type {kind}")
    return joint


def _end(element: Element, side: str, fixed: set[str]) -> str:
    end = element.find(side)
    if end is None:
        raise element.error(f"needs <{side} link=...>")
    name = end.need("link")
    return BASE if name in fixed else name


def _freedom(element: Element, *, limited: bool) -> dict[str, object]:
    table: dict[str, object] = {}
    limit, dynamics = element.find("limit"), element.find("dynamics")
    if limit is not None:
        lower, upper = limit.number("lower", 0.0), limit.number("upper", 0.0)
        table |= limits_between(lower, upper) if limited else {}
    if dynamics is not None:
        viscous, coulomb = dynamics.number("damping", 0.0), dynamics.number("friction", 0.0)
        table["friction"] = {"viscous": viscous, "coulomb": coulomb}
    return table


def _motor(element: Element) -> dict[str, float | int]:
    """Return what a motor on a joint can do, if it has one; 0, or too much, means that the file does not say."""
    limit = element.find("limit")
    if limit is None:
        return {}
    values = {"force": limit.number("effort", 0.0), "speed": limit.number("velocity", 0.0)}
    return {key: value for key, value in values.items() if 0.0 < value < NO_LIMIT}


def _check_ends(root: Element, draft: Draft) -> None:
    known = {BASE, *(body.name for body in draft.bodies)}
    problems = [
        (joint.place, f"no link '{end}'; there are {len(known) - 1} links, each <link name=...>")
        for joint in draft.joints
        for end in (joint.parent, joint.child)
        if end not in known
    ]
    if problems:
        raise DescriptionError(root.file, tuple(problems[:20]))


def _couple(root: Element, draft: Draft) -> None:
    """Turn mimics into couplings: coordinate - multiplier x other = offset."""
    for element in root.all("joint"):
        mimic = element.find("mimic")
        if mimic is None:
            continue
        joint, other = draft.joint(element.need("name")), draft.joint(mimic.need("joint"))
        if joint is None or other is None or not joint.freedoms or not other.freedoms:
            raise mimic.error("must name a joint that turns or slides, and stand in one")
        terms = [
            (joint.name, next(iter(joint.freedoms)), 1.0),
            (other.name, next(iter(other.freedoms)), -mimic.number("multiplier", 1.0)),
        ]
        draft.couplings.append((terms, mimic.number("offset", 0.0)))


def _hold_roots(draft: Draft) -> None:
    """Fix every link to the world that is nobody's child, as readers of URDF do."""
    children = {joint.child for joint in draft.joints}
    for body in draft.bodies:
        if body.name not in children:
            joint = DraftJoint(f"{body.name}_fixed", body.place, "weld", BASE, body.name, roots=True)
            draft.joints.insert(0, joint)


# Motors ----------------------------------------------------------------------------------------------------------


def _motors_of_tags(root: Element, draft: Draft) -> None:
    """Give joints motors that <transmission> or <ros2_control> names."""
    for element in (*root.all("transmission"), *root.all("ros2_control")):
        if element.tag == "ros2_control":
            joints = [one for one in element.all("joint") if one.find("command_interface") is not None]
        else:
            joints = element.all("joint")
        for one in joints:
            actuator = element.find("actuator") if element.tag == "transmission" else None
            reduction = actuator.find("mechanicalReduction") if actuator else None
            ratio = reduction.content(1)[0] if reduction else 1.0
            drive_joint(draft, one.need("name"), ratio, one.error)
