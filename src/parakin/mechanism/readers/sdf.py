"""SDF files, of Gazebo and others: a link may be the child of several joints, which are loops.

All bodies have their frames where the file puts their links. A joint's frame is its pose, given on its child unless
`relative_to` names another frame; on its parent it is where the drawn pose puts it, so that loops close as drawn.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from parakin.arrays import Array
from parakin.description.values import shown
from parakin.mechanism.model import BASE
from parakin.mechanism.readers.choosing import Choices, zero_rounding
from parakin.mechanism.readers.draft import NO_LIMIT, Draft, DraftBody, DraftJoint, along_z, limits_between
from parakin.mechanism.readers.report import Journal
from parakin.mechanism.readers.sdf_frames import Frames, frames_of
from parakin.mechanism.readers.urdf_simulators import acts
from parakin.mechanism.readers.xml_text import Element

ACROSS = 1e-6
"""Cosine of the angle between the axes of a universal joint below which they are at a right angle."""

_SHAPES = "a shape for pictures or contacts, and no mass"
_DROPPED = {
    "visual": _SHAPES,
    "collision": _SHAPES,
    "sensor": "a sensor",
    "light": "a light",
    "audio_source": "a sound",
    "audio_sink": "a sound",
    "particle_emitter": "a picture",
    "projector": "a picture",
    "battery": "a battery",
    "velocity_decay": "damping of a simulator",
    "self_collide": "contact settings",
    "kinematic": "a setting of a simulator",
    "must_be_base_link": "a setting of a simulator",
    "enable_wind": "wind",
    "allow_auto_disable": "a setting of a simulator",
    "physics": "settings of a simulator",
    "plugin": "a program for a simulator",
    "gripper": "a gripper that holds by contact",
    "scene": "a picture",
    "gui": "a picture",
    "state": "a state of a simulation",
    "wind": "wind",
    "atmosphere": "air",
    "magnetic_field": "a field that no body feels",
    "spherical_coordinates": "a place on earth",
    "road": "a picture",
    "audio": "a sound",
    "stiffness": "softness of an end stop",
    "dissipation": "softness of an end stop",
}
"""Elements that a mechanism has no place for, and what they are."""
_GEARBOX = ("gearbox_ratio", "gearbox_reference_body")
"""What a gearbox has, which is refused as a whole."""
_TAKEN = {
    "sdf": {"model", "world"},
    "world": {"model", "gravity", "pose", "frame"},
    "model": {"link", "joint", "model", "frame", "pose", "static"},
    "link": {"inertial", "pose", "gravity"},
    "inertial": {"mass", "inertia", "pose"},
    "joint": {"parent", "child", "pose", "axis", "axis2", "thread_pitch", "screw_thread_pitch", *_GEARBOX},
    "axis": {"xyz", "limit", "dynamics", "mimic", "use_parent_model_frame", "initial_position"},
    "axis2": {"xyz", "limit", "dynamics", "use_parent_model_frame"},
    "limit": {"lower", "upper", "effort", "velocity"},
    "dynamics": {"damping", "friction", "spring_reference", "spring_stiffness"},
    "inertia": {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"},
    "mimic": {"multiplier", "offset", "reference"},
    "frame": {"pose"},
    "pose": set[str](),
}
"""Elements that are read, by where they stand."""
_PLACED = ("model", "link", "joint", "frame", "inertial")
"""Elements whose poses are read."""
_OF_POSE = ("relative_to", "rotation_format", "degrees")
"""Attributes of a pose that are read."""
_MOTORS = ("controller", "applyjointforce")
"""What the name of a plugin that drives joints contains."""


def read_sdf(root: Element, path: Path, choices: Choices) -> Draft:
    """Return the mechanism of an SDF file."""
    journal = Journal(path.name, "SDF", choices.without)
    world = root.find("world")
    model = _model(root if world is None else world, journal)
    journal.audit(root, _TAKEN, _DROPPED, lambda child: _refused(child, journal))
    if any(one.tag == "include" for one in model.walk()):  # joints may name what another file has
        journal.settle()
    draft = Draft(journal, model.attributes.get("name", path.stem))
    gravity = world.find("gravity") if world else None
    if gravity is not None:
        draft.gravity = gravity.content(3)
    version = _version(root)
    for one in model.walk():
        if one.tag == "model" and "placement_frame" in one.attributes:
            words = "the model is placed by one of its frames: give the <pose> of the model itself"
            journal.refuse(f"{one.place}: placement_frame", words, "placement_frame")
        for pose in one.all("pose") if one.tag in _PLACED else ():
            for key in sorted(key for key, text in pose.attributes.items() if text and key not in _OF_POSE):
                words = "parakin does not know this attribute: write relative_to for a frame, or remove it"
                journal.refuse(f"{pose.place} of {one.place}: {key}", words, key)
    frames = frames_of(model)
    for name, link in frames.links.items():
        draft.bodies.append(_body(name, link, journal))
    for name, element in frames.joints.items():
        _add_joint(draft, frames, name, element, version)
    zero_rounding(draft)
    _couple(draft, frames)
    _hold(draft, model)
    _drive(draft, model)
    return draft


def _version(root: Element) -> float:
    try:
        return float(root.attributes.get("version", "1.7"))
    except ValueError:
        raise root.error(f"its version must be a number, got {shown(root.attributes['version'])}") from None


def _model(owner: Element, journal: Journal) -> Element:
    models = owner.all("model")
    moving = [model for model in models if not _is_true(model.find("static"))]
    for model in models:
        if len(models) > 1 and model not in moving:
            journal.dropped(model.place, "a model that does not move")
    if len(models) == 1:
        return models[0]
    if len(moving) != 1:
        raise owner.error(f"must hold one model that moves, got {len(moving)}: keep one, or nest them in one model")
    return moving[0]


def _refused(child: Element, journal: Journal) -> bool:
    """Whether an element is refused, which is then noted: what it includes could hold anything."""
    if child.tag == "velocity_decay" and any(_value(child, key) for key in ("linear", "angular")):
        words = "damping of a body against the world: give it to joints"
    elif child.tag == "kinematic" and _is_true(child):
        words = "a body that forces do not move: join it with the world"
    elif child.tag == "plugin" and acts(child):
        words = "a plugin that ties joints or bodies, or acts on them: say it with joints"
    elif child.tag == "include":
        words = "another file is included, and is not read: put its model here"
    else:
        return False
    journal.refuse(child.place, words, child.tag)
    return True


def _is_true(element: Element | None) -> bool:
    return element is not None and element.text.strip().lower() in ("true", "1")


def _value(element: Element | None, *path: str, default: float = 0.0) -> float:
    found = element.find(*path) if element is not None else None
    return default if found is None else found.content(1)[0]


# Bodies and joints -------------------------------------------------------------------------------------------------


def _body(name: str, link: Element, journal: Journal) -> DraftBody:
    inertial = link.find("inertial")
    body = DraftBody(name, link.place)
    gravity = link.find("gravity")
    if gravity is not None and not _is_true(gravity):
        body.compensation = 1.0
    if inertial is None:
        body.mass, body.inertia = 1.0, np.eye(3)
        body.source = "SDF's default for a link without <inertial>: 1 kg, 1 kg m^2"
        journal.approximated(link.place, "has no <inertial>: SDF's default counts, 1 kg and 1 kg m^2 about each axis")
        return body
    if inertial.attributes.get("auto", "").lower() in ("true", "1"):
        journal.refuse(inertial.place, "is computed from shapes (auto), which are not read: write it out", name)
    at = Frames.own_pose(inertial)
    body.mass, body.com = _value(inertial, "mass", default=1.0), at.p
    tensor = inertial.find("inertia")
    xx, yy, zz = (_value(tensor, key, default=1.0) for key in ("ixx", "iyy", "izz"))
    xy, xz, yz = (_value(tensor, key) for key in ("ixy", "ixz", "iyz"))
    body.inertia = at.R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ at.R.T
    return body


_ONE_AXIS = {"revolute": "revolute", "continuous": "revolute", "prismatic": "prismatic", "screw": "screw"}
_TWO_AXES = ("universal", "revolute2")


def _add_joint(draft: Draft, frames: Frames, name: str, element: Element, version: float) -> None:
    kind = element.need("type")
    parent, child = (frames.body_of(element, side) for side in ("parent", "child"))
    at = frames.pose_of_joint(name)
    axes = np.eye(3)
    joint = DraftJoint(name, element.place, "weld", parent, child)
    if kind in _ONE_AXIS:
        joint.type = _ONE_AXIS[kind]
        axes = along_z(_axis(frames, element, "axis", version))
        freedom = "travel" if kind == "prismatic" else "angle"
        joint.freedoms[freedom], joint.motor = _freedom(element, "axis", draft.journal, limited=kind != "continuous")
        joint.pitch = _pitch(element) if kind == "screw" else None
    elif kind in _TWO_AXES:
        joint.type = "universal"
        x, y = (_axis(frames, element, axis, version) for axis in ("axis", "axis2"))
        if abs(x @ y) > ACROSS:
            raise element.error("its two axes must be at a right angle: write two revolute joints and a link between")
        axes = np.column_stack([x, y, np.cross(x, y)])
        for freedom, axis in (("first", "axis"), ("second", "axis2")):
            joint.freedoms[freedom], _ = _freedom(element, axis, draft.journal)
    elif kind == "ball":
        joint.type = "spherical"
        if any("friction" in _freedom(element, axis, draft.journal)[0] for axis in ("axis", "axis2")):
            draft.journal.refuse(element.place, "friction about an axis of a spherical joint, which has none", name)
    elif kind == "gearbox":
        words = "a gearbox couples two other joints: make it a mimic of the one, with the ratio as its multiplier"
        draft.journal.refuse(element.place, words, name)
        return
    elif kind != "fixed":
        known = ", ".join((*_ONE_AXIS, *_TWO_AXES, "ball", "fixed"))
        raise element.error(f"its type must be one of {known}, got {shown(kind)}")
    turned = frames.turned(at, axes)
    joint.at_parent = frames.pose_of_body(parent).inverse @ turned
    joint.at_child = frames.pose_of_body(child).inverse @ turned
    draft.joints.append(joint)


def _axis(frames: Frames, element: Element, which: str, version: float) -> Array:
    """Return the direction of an axis in the frame of the joint."""
    axis = element.find(which)
    xyz = axis.find("xyz") if axis is not None else None
    if axis is None:
        raise element.error(f"needs <{which}>")
    vector = np.array((0.0, 0.0, 1.0) if xyz is None else xyz.content(3))
    if not np.any(vector):
        raise axis.error("its <xyz> must not be zero")
    vector /= np.linalg.norm(vector)
    of_model = version < 1.5 or _is_true(axis.find("use_parent_model_frame"))
    named = xyz.attributes.get("expressed_in") if xyz is not None else None
    return frames.in_joint(element, vector, named, of_model=of_model)


def _pitch(element: Element) -> float:
    """Return the way of a screw in a turn [m]: screw_thread_pitch, or -2 pi / thread_pitch, as SDF defines them."""
    if element.find("screw_thread_pitch") is not None:
        return _value(element, "screw_thread_pitch")
    old = _value(element, "thread_pitch", default=1.0)
    if old == 0.0:
        raise element.error("its <thread_pitch> must not be 0")
    return -2 * math.pi / old


def _freedom(
    element: Element, which: str, journal: Journal, *, limited: bool = True
) -> tuple[dict[str, object], dict[str, float | int]]:
    """Return what belongs to a freedom, and what a motor on it would have."""
    axis = element.find(which)
    table: dict[str, object] = {}
    lower, upper = (_limit(axis, key, sign * math.inf) for key, sign in (("lower", -1), ("upper", 1)))
    table |= limits_between(lower, upper) if limited else {}
    viscous, coulomb = _value(axis, "dynamics", "damping"), _value(axis, "dynamics", "friction")
    if viscous or coulomb:
        table["friction"] = {"viscous": viscous, "coulomb": coulomb}
    stiffness = _value(axis, "dynamics", "spring_stiffness")
    if stiffness:
        table["spring"] = {"stiffness": stiffness, "rest": _value(axis, "dynamics", "spring_reference")}
    start = axis.find("initial_position") if axis else None
    if start is not None:
        journal.dropped(start.place, f"of {element.place}: home is the drawn pose")
    limits = {"force": _limit(axis, "effort", 0.0), "speed": _limit(axis, "velocity", 0.0)}
    return table, {key: value for key, value in limits.items() if 0.0 < value < NO_LIMIT}


def _limit(axis: Element | None, key: str, otherwise: float) -> float:
    """Return a limit of an axis; SDF writes inf, 1e16 or the largest number of all where there is none."""
    found = axis.find("limit", key) if axis is not None else None
    if found is None:
        return otherwise
    try:
        far = abs(float(found.text)) >= NO_LIMIT
    except ValueError:
        far = False
    return otherwise if far else found.content(1)[0]


def _couple(draft: Draft, frames: Frames) -> None:
    """Turn mimics into couplings: coordinate - multiplier x other = offset - multiplier x reference."""
    for name, element in frames.joints.items():
        mimic = element.find("axis", "mimic")
        if mimic is None:
            continue
        joint = draft.named(name, element)
        other = draft.named(frames.scope_of(name) + mimic.need("joint"), mimic)
        if joint is other or {len(joint.freedoms), len(other.freedoms)} != {1}:
            raise mimic.error("must name another joint of one axis, and stand in one")
        if mimic.find("multiplier") is None:
            raise mimic.error("needs <multiplier>")
        factor = _value(mimic, "multiplier")
        constant = _value(mimic, "offset") - factor * _value(mimic, "reference")
        terms = [(joint.name, next(iter(joint.freedoms)), 1.0), (other.name, next(iter(other.freedoms)), -factor)]
        draft.couplings.append((terms, constant))


# What holds and what drives ----------------------------------------------------------------------------------------


def _hold(draft: Draft, model: Element) -> None:
    """Let parts that no joint connects with the world float, each on its own, or fix them if the model is static.

    Elsewhere `static` is refused: nothing of what has it would move, whatever its joints are.
    """
    held = any(BASE in (joint.parent, joint.child) for joint in draft.joints)
    whole = model.find("static")
    for static in (one for one in model.walk() if one.tag == "static" and _is_true(one)):
        if held or static is not whole:
            draft.journal.refuse(static.place, "nothing of a static model moves, whatever joints it has", "static")
    kind = "weld" if _is_true(whole) and not held else "free"
    children = {joint.child for joint in draft.joints}
    reached = draft.connected(BASE)
    for body in sorted(draft.bodies, key=lambda one: one.name in children):  # those that nothing carries first
        if body.name not in reached:
            draft.joints.insert(0, DraftJoint(f"{body.name}_root", body.place, kind, BASE, body.name, roots=True))
            reached |= draft.connected(body.name)


def _drive(draft: Draft, model: Element) -> None:
    """Give motors to joints that a controller among the plugins names."""
    for plugin in (one for one in model.walk() if one.tag == "plugin"):
        named = f"{plugin.attributes.get('name', '')} {plugin.attributes.get('filename', '')}".lower()
        if not any(word in named.replace("-", "").replace("_", "") for word in _MOTORS):
            continue
        for one in plugin.all("joint_name"):
            joint = draft.joint(one.text.strip())
            if joint is None or joint.type not in _ONE_AXIS.values():
                raise one.error(f"no joint {shown(one.text.strip())} of one axis")
            joint.motorise()
            draft.names_motors = True
