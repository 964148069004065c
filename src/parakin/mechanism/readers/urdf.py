"""URDF files, with the YAML files in which Gepetto's tools close loops.

A joint's frame is the frame of its child link. Links with two parent joints, which URDF forbids and people write, are
loops. <gazebo> is for another program and is dropped, unless there is a joint in it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from parakin.description.values import shown
from parakin.errors import DescriptionError
from parakin.mechanism.model import BASE
from parakin.mechanism.readers.draft import Draft, DraftBody, DraftJoint, Placement, along_z, placed, turned_by
from parakin.mechanism.readers.finishing import Choices
from parakin.mechanism.readers.loops_yaml import LARGEST_YAML, Loops, read_loops
from parakin.mechanism.readers.report import Journal
from parakin.mechanism.readers.urdf_additions import add_what_urdf_cannot_say
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
NO_LIMIT = 1e6
"""Numbers from which on a limit is none [m, rad, N, ...]: URDF demands limits of joints that have none."""
_AXES = {"X": 0, "Y": 1, "Z": 2}


def read_urdf(root: Element, path: Path, choices: Choices) -> Draft:
    """Return the mechanism of a URDF file."""
    journal = Journal(path.name, "URDF", choices.without)
    draft = Draft(journal, root.attributes.get("name", path.stem))
    loops = _loops_of(path, choices)
    _audit(root, journal)
    fixed = _read_links(root, draft)
    for element in root.all("joint"):
        draft.joints.append(_joint(element, fixed, journal))
    _check_ends(root, draft)
    _couple(root, draft)
    _hold_roots(draft)
    _motors_of_tags(root, draft)
    if loops is not None:
        _close(loops, draft, fixed)
        add_what_urdf_cannot_say(loops, draft)
    return draft


def _loops_of(path: Path, choices: Choices) -> Loops | None:
    beside = path.with_suffix(".yaml") if choices.loops is None else Path(choices.loops)
    if choices.loops is None and not beside.is_file():
        return None
    return read_loops(xml_bytes(beside)[: LARGEST_YAML + 1], beside.name)


def _audit(root: Element, journal: Journal) -> None:
    """Note every element that is not read, so that nothing is lost without a word."""
    if any(one.tag.startswith("xacro:") for one in root.walk()):
        raise root.error("has macros (xacro): expand them first, `xacro robot.urdf.xacro > robot.urdf`")
    dropped: list[Element] = []
    waiting = [root]
    while waiting:
        element = waiting.pop()
        for child in element.children:
            if child.tag in _TAKEN.get(element.tag, ()):
                waiting.append(child)
            elif child.tag == "gazebo" and child.find("joint") is not None:
                joint = child.find("joint")
                words = "<gazebo> holds a joint, which closes a loop: close it in a YAML file, or use the SDF file"
                journal.refuse(child.place, words, joint.attributes.get("name", "gazebo") if joint else "gazebo")
            elif child.tag in _DROPPED or element.tag in _TAKEN:
                dropped.append(child)
    journal.leave(dropped, _DROPPED)


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
        if limited and lower < upper:
            ends = {"lower": lower, "upper": upper}
            table |= {key: value for key, value in ends.items() if abs(value) < NO_LIMIT}
    if dynamics is not None:
        viscous, coulomb = dynamics.number("damping", 0.0), dynamics.number("friction", 0.0)
        table["friction"] = {"viscous": viscous, "coulomb": coulomb}
    return table


def _motor(element: Element) -> dict[str, float | int]:
    """Return what a motor on a joint can do, if it has one; 0 and huge numbers mean that the file does not say."""
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


# Motors and loops --------------------------------------------------------------------------------------------------


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
            _drive(draft, one.need("name"), ratio, one.error)


def _drive(draft: Draft, name: str, ratio: float, error: Callable[[str], DescriptionError]) -> None:
    joint = draft.joint(name)
    if joint is None or joint.type not in ("revolute", "prismatic"):
        raise error(f"no joint '{name}' that turns or slides")
    if ratio == 0.0:
        raise error("its mechanicalReduction must not be 0")
    if ratio != 1.0:
        joint.motor["gear_ratio"] = abs(ratio)
    if ratio < 0:
        joint.motor["sign"] = -1
    next(iter(joint.freedoms.values()))["drive"] = joint.motor
    draft.names_motors = True


def _close(loops: Loops, draft: Draft, fixed: set[str]) -> None:
    """Do what the YAML file says: kinds of joints, loops and motors."""
    for key in loops.unknown:
        draft.journal.dropped(f"{loops.file}: {key}", "parakin does not know this key")
    for name, kind in loops.kinds.items():
        _change_kind(loops, draft, name, kind)
    for loop in loops.loops:
        parent, child = (_frame_of(loops, draft, name, fixed) for name in (loop.first, loop.second))
        kind = "spherical" if loop.place_only else "weld"
        place = f"{loops.file}: closed_loop {loop.first}, {loop.second}"
        name = _loop_name(loop.first, loop.second)
        name = name if draft.joint(name) is None else f"{loop.first}_{loop.second}"
        draft.joints.append(DraftJoint(name, place, kind, parent, child))
    if loops.motors is None:
        return

    def wrong(reason: str) -> DescriptionError:
        return DescriptionError(loops.file, (("name_mot", reason),))

    draft.names_motors = True
    for joint in draft.joints:
        for freedom in joint.freedoms.values():
            if "drive" in freedom and joint.name not in loops.motors:
                draft.journal.dropped(joint.place, f"has a transmission, but {loops.file} does not name it: no motor")
                del freedom["drive"]
    for name in loops.motors:
        joint = draft.joint(name)
        if joint is None or not joint.driven:
            _drive(draft, name, 1.0, wrong)


def _frame_of(loops: Loops, draft: Draft, name: str, fixed: set[str]) -> str:
    """Return the body whose frame a name means: a link, or the child of a joint, whose frame is the joint's."""
    joint = draft.joint(name)
    if name in fixed:
        return BASE
    if draft.body(name) is None and joint is None:
        raise DescriptionError(loops.file, (("closed_loop", f"no link or joint '{name}' in {draft.journal.file}"),))
    return joint.child if joint is not None and draft.body(name) is None else name


def _loop_name(first: str, second: str) -> str:
    """Return what two names have in common, for a_A and a_B are the ends of loop a; both names otherwise."""
    count = next((k for k, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), 0)
    common = first[:count].rstrip("_")
    return common if len(first) == len(second) == count + 1 and common else f"{first}_{second}"


def _change_kind(loops: Loops, draft: Draft, name: str, kind: str) -> None:
    """Make a joint the kind that the YAML file says; frames without the turn that brought z to the URDF's axis."""
    joint = draft.joint(name)
    if joint is None:
        raise DescriptionError(loops.file, (("joint_name", f"no joint '{name}' in {draft.journal.file}"),))
    plain = joint.at_child.inverse
    joint.at_parent, joint.at_child = joint.at_parent @ plain, placed()
    joint.freedoms = {}
    draft.journal.merged(joint.place, f"{loops.file} makes it {kind}; its axis, limits and friction do not count")
    if kind == "FIXED":
        joint.type = "weld"
    elif kind == "SPHERICAL":
        joint.type = "spherical"
    elif kind.startswith("UJOINT_") and len(kind) == 9 and kind[7] != kind[8] and set(kind[7:]) <= set(_AXES):
        x, y = (np.eye(3)[_AXES[letter]] for letter in kind[7:])
        turn = placed(R=np.column_stack([x, y, np.cross(x, y)]))
        joint.type, joint.at_parent, joint.at_child = "universal", joint.at_parent @ turn, turn
    else:
        reason = f"must be SPHERICAL, FIXED or UJOINT_ and two of X, Y, Z, got {shown(kind)}"
        raise DescriptionError(loops.file, (("joint_type", reason),))
