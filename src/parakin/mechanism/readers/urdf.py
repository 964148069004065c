"""URDF files, with the YAML files in which Gepetto's tools close loops.

A joint's frame is the frame of its child link. Links with two parent joints, which URDF forbids and people write, are
loops, as <loop> of URDF+ and <loop_joint> of Isaac Sim and Drake are. <gazebo> is for another program and is dropped,
unless there is something in it that changes the mechanism.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from parakin.description.values import shown
from parakin.errors import DescriptionError
from parakin.mechanism.kinds import KINDS
from parakin.mechanism.model import BASE
from parakin.mechanism.readers.choosing import Choices, zero_rounding
from parakin.mechanism.readers.draft import (
    NO_LIMIT,
    Draft,
    DraftBody,
    DraftJoint,
    along_z,
    placed,
)
from parakin.mechanism.readers.loops_yaml import LARGEST_YAML, Loops, read_loops
from parakin.mechanism.readers.report import Journal
from parakin.mechanism.readers.urdf_joints import (
    JOINT_KINDS,
    LOOPS,
    add_coupling,
    add_loop,
    end_of,
    freedom_of,
    origin_of,
    placement_of,
)
from parakin.mechanism.readers.urdf_loops import close_loops
from parakin.mechanism.readers.urdf_motors import add_motors
from parakin.mechanism.readers.urdf_simulators import refuse_simulators
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
    "self_collision_checking": "contact settings",
    "disable_collisions": "contact settings",
    "mujoco": "settings of MuJoCo's own reader",
    "fixed_frame": "a frame of Isaac Sim",
    "hardwareInterface": "settings of a controller",
}
"""Elements that a mechanism has no place for, and what they are."""
_TAKEN = {
    "link": {"inertial"},
    "inertial": {"origin", "mass", "inertia"},
    "joint": {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"},
    "robot": {"link", "joint", "transmission", "ros2_control", "coupling", *LOOPS},
    **{
        leaf: set[str]()
        for leaf in ("origin", "mass", "inertia", "parent", "child", "axis", "limit", "dynamics", "mimic")
    },
}
"""Elements that are read, by where they stand."""
_ATTRIBUTES = {
    "joint": {"name", "type", "dont_collapse", "independent"},
    "parent": {"link"},
    "child": {"link"},
    "origin": {"xyz", "rpy"},
    "axis": {"xyz"},
    "mass": {"value"},
    "inertia": {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"},
    "dynamics": {"damping", "friction"},
    "mimic": {"joint", "multiplier", "offset"},
}
"""Attributes that are read, or change nothing, by element; those of others change nothing."""


def read_urdf(root: Element, path: Path, choices: Choices) -> Draft:
    """Return the mechanism of a URDF file."""
    journal = Journal(path.name, "URDF", choices.without)
    draft = Draft(journal, root.attributes.get("name", path.stem))
    loops = _loops_of(path, choices)
    if loops is None:
        _refuse_forgotten_loops(root, path, journal)
    _refuse_macros(root)
    refused = refuse_simulators(root, journal) | _leave_idle_origins(root, journal)
    journal.audit(root, _TAKEN, _DROPPED, lambda child: id(child) in refused)
    _refuse_attributes(root, journal)
    fixed = _read_links(root, draft)
    for element in root.all("joint"):
        draft.joints.append(_joint(element, fixed, journal))
    _check_ends(root, draft)
    _couple(root, draft)
    for element in root.all("coupling"):
        add_coupling(element, draft, fixed)
    _hold_roots(draft)
    _leave_independent(root, journal)
    for element in (one for tag in LOOPS for one in root.all(tag)):
        add_loop(element, draft, fixed)
    _check_ends(root, draft)
    zero_rounding(draft)
    _refuse_inertia_without_mass(draft)
    add_motors(root, draft, overruled=bool(choices.drives or (loops is not None and loops.motors is not None)))
    if loops is not None:
        close_loops(loops, draft, fixed)
    return draft


def _loops_of(path: Path, choices: Choices) -> Loops | None:
    beside = path.with_suffix(".yaml") if choices.loops is None else Path(choices.loops)
    if choices.loops is None and not beside.is_file():
        return None
    return read_loops(xml_bytes(beside)[: LARGEST_YAML + 1], beside.name)


def _refuse_forgotten_loops(root: Element, path: Path, journal: Journal) -> None:
    """Refuse to lose loops that `robot.yaml`, as Gepetto calls it, closes between frames of a file of another name."""
    beside = path.with_name("robot.yaml")
    if not beside.is_file() or beside.with_suffix(".urdf").is_file():
        return
    try:
        closed = read_loops(xml_bytes(beside)[: LARGEST_YAML + 1], beside.name).loops
    except DescriptionError:  # of another program
        return
    frames = {one.attributes.get("name") for tag in ("link", "joint") for one in root.all(tag)}
    if any({loop.first, loop.second} <= frames for loop in closed):
        journal.refuse(beside.name, f"closes loops of {path.name}: say so (--loops {beside.name})", beside.name)


def _refuse_macros(root: Element) -> None:
    if any(one.tag.startswith("xacro:") for one in root.walk()):
        raise root.error("has macros (xacro): expand them first, `xacro robot.urdf.xacro > robot.urdf`")


def _leave_idle_origins(root: Element, journal: Journal) -> set[int]:
    """Note the <origin> of links that puts them nowhere else, as onshape-to-robot writes it; return their ids."""
    origins = [origin for link in root.all("link") for origin in link.all("origin") if not origin.children]
    idle = [one for one in origins if placement_of(one).is_identity]
    journal.leave(idle, {"origin": "zeros that leave a link where it is; URDF knows no <origin> of a link"})
    return {id(one) for one in idle}


def _leave_independent(root: Element, journal: Journal) -> None:
    """Note which coordinates URDF+ calls independent: they change no force."""
    chosen = [joint for joint in root.all("joint") if "independent" in joint.attributes]
    if chosen:
        more = f", and {len(chosen) - 1} more" if len(chosen) > 1 else ""
        words = "whether its coordinate is independent: parakin chooses a pose, motors first"
        journal.dropped(f"{chosen[0].place}{more}: independent", words)


def _refuse_attributes(root: Element, journal: Journal) -> None:
    """Refuse attributes that nobody knows of elements that are read."""
    waiting = [one for one in root.children if one.tag in ("link", "joint", *LOOPS)]
    while waiting:
        element = waiting.pop()
        waiting += [one for one in element.children if one.tag in _ATTRIBUTES or one.tag == "inertial"]
        for key in element.attributes:
            if key not in _ATTRIBUTES.get(element.tag, (key,)):
                journal.refuse(f"{element.place}: {key}", "parakin does not know this attribute: remove it", key)


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
    at = origin_of(inertial)
    body.com = at.p
    if tensor is not None:
        xx, yy, zz, xy, xz, yz = (tensor.number(f"i{pair}", 0.0) for pair in ("xx", "yy", "zz", "xy", "xz", "yz"))
        body.inertia = at.R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ at.R.T
    elif body.mass > 0.0:
        journal.approximated(inertial.place, "has no <inertia>: its mass counts at one point")
    return body


def _refuse_inertia_without_mass(draft: Draft) -> None:
    """Refuse moving links that have inertia and no mass, which no body has."""
    groups = draft.groups()
    for body in draft.bodies:
        if body.mass == 0.0 and np.any(body.inertia):
            if groups[body.name] == BASE:
                draft.journal.dropped(body.place, "its inertia: it has no mass, and does not move")
            else:
                draft.journal.refuse(body.place, "has inertia and no mass: give it both, or neither", body.name)
            body.inertia = np.zeros((3, 3))


def _joint(element: Element, fixed: set[str], journal: Journal) -> DraftJoint:
    kind = element.need("type")
    if kind not in JOINT_KINDS:
        raise element.error(f"its type must be one of {', '.join(JOINT_KINDS)}, got {shown(kind)}")
    parent, child = (end_of(element, side, fixed) for side in ("parent", "child"))
    at = origin_of(element)
    axis = element.find("axis")
    direction = axis.numbers("xyz", 3) if axis is not None else (1.0, 0.0, 0.0)
    turned = placed()
    if kind in ("revolute", "continuous", "prismatic", "planar"):
        if not any(direction):
            raise element.error("its axis must not be zero")
        turned = placed(R=along_z(direction))
    joint = DraftJoint(element.need("name"), element.place, JOINT_KINDS[kind], parent, child, at @ turned, turned)
    if joint.type in ("revolute", "prismatic"):
        freedom = "angle" if joint.type == "revolute" else "travel"
        joint.freedoms[freedom] = freedom_of(element, limited=kind != "continuous")
        joint.motor = _motor(element)
    else:
        _rub(element, joint, journal)
    return joint


def _rub(element: Element, joint: DraftJoint, journal: Journal) -> None:
    """Give a spherical joint its friction about each axis; of other joints that neither turn nor slide refuse it."""
    if element.find("limit") is not None:
        journal.dropped(element.place, f"limits of a {joint.type} joint")
    freedom = freedom_of(element, limited=False)
    dynamics = element.find("dynamics")
    rubs = dynamics is not None and any(dynamics.number(key, 0.0) for key in ("damping", "friction"))
    if joint.type == "weld" or not rubs:
        return
    if joint.type == "spherical":
        joint.freedoms = {one.name: dict(freedom) for one in KINDS["spherical"].freedoms}
    else:
        words = f"friction of a {joint.type} joint, of which no axis is named: split the joint"
        journal.refuse(element.place, words, joint.name)


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
        joint, other = draft.named(element.need("name"), element), draft.named(mimic.need("joint"), mimic)
        if joint is other or not joint.freedoms or not other.freedoms:
            raise mimic.error("must name another joint that turns or slides, and stand in one")
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
