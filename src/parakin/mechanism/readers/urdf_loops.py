"""What the YAML file beside a URDF file says is done to the draft: kinds of joints, loops, motors, springs and home."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from parakin.description.values import shown
from parakin.errors import DescriptionError
from parakin.mechanism.kinds import KINDS
from parakin.mechanism.model import BASE
from parakin.mechanism.readers.draft import Draft, DraftJoint, placed
from parakin.mechanism.readers.loops_yaml import Loops

_AXES = {"X": 0, "Y": 1, "Z": 2}


def drive_joint(draft: Draft, name: str, ratio: float, error: Callable[[str], DescriptionError]) -> None:
    """Give a joint a motor that turns so many times as fast; error: makes the error that something is wrong."""
    joint = draft.joint(name)
    if joint is None or joint.type not in ("revolute", "prismatic"):
        raise error(f"no joint '{name}' that turns or slides")
    if ratio == 0.0:
        raise error("its mechanicalReduction must not be 0")
    if ratio != 1.0:
        joint.motor["gear_ratio"] = abs(ratio)
    if ratio < 0:
        joint.motor["sign"] = -1
    joint.motorise()
    draft.names_motors = True


def close_loops(loops: Loops, draft: Draft, fixed: set[str]) -> None:
    """Do what the YAML file says: kinds of joints, loops and motors."""
    for key in loops.unknown:
        draft.journal.refuse(f"{loops.file}: {key}", "parakin does not know this key: remove it", key)
    for name, kind in loops.kinds.items():
        _change_kind(loops, draft, name, kind)
    for loop in loops.loops:
        parent, child = (_frame_of(loops, draft, name, fixed) for name in (loop.first, loop.second))
        kind = "spherical" if loop.place_only else "weld"
        place = f"{loops.file}: closed_loop {loop.first}, {loop.second}"
        name = _loop_name(loop.first, loop.second)
        name = name if draft.joint(name) is None else f"{loop.first}_{loop.second}"
        draft.joints.append(DraftJoint(name, place, kind, parent, child))
    if loops.motors is not None:
        _drive(loops, draft, loops.motors)
    if loops.gravity is not None:
        draft.gravity = loops.gravity
    _add_springs(loops, draft)
    _add_inertias(loops, draft)
    _add_homes(loops, draft)


def _drive(loops: Loops, draft: Draft, motors: tuple[str, ...]) -> None:
    """Give motors to the joints that the YAML file names, and to no others."""

    def wrong(reason: str) -> DescriptionError:
        return DescriptionError(loops.file, (("name_mot", reason),))

    draft.names_motors = True
    for joint in draft.joints:
        if joint.driven and joint.name not in motors:
            draft.journal.dropped(joint.place, f"has a transmission, but {loops.file} does not name it: no motor")
            joint.release()
    for k, name in enumerate(motors):
        joint = draft.joint(name)
        if joint is None or not joint.driven:
            drive_joint(draft, name, 1.0, wrong)
        for key, values in loops.of_motors.items():
            _set_motor(draft, name, key, values[k])


def _set_motor(draft: Draft, name: str, key: str, value: float) -> None:
    """Give a motor what a list of the YAML file says of it; a rotor's inertia is there as the joint feels it."""
    joint = draft.joint(name)
    assert joint is not None, "it was given a motor"
    if key == "sign":
        joint.motor[key] = int(value)
    else:
        joint.motor[key] = value / joint.motor.get("gear_ratio", 1.0) ** 2 if key == "rotor_inertia" else value


def _add_springs(loops: Loops, draft: Draft) -> None:
    for name, (stiffness, rest) in loops.springs.items():
        joint = draft.joint(name)
        if joint is None or joint.type not in ("revolute", "prismatic"):
            reason = f"no joint '{name}' that turns or slides in {draft.journal.file}"
            raise DescriptionError(loops.file, (("spring_joint", reason),))
        next(iter(joint.freedoms.values()))["spring"] = {"stiffness": stiffness, "rest": rest}


def _add_inertias(loops: Loops, draft: Draft) -> None:
    for name, inertia in loops.inertias.items():
        joint = draft.joint(name)
        if joint is None or not KINDS[joint.type].freedoms:
            raise DescriptionError(loops.file, (("inertia_joint", f"no joint '{name}' that moves"),))
        for freedom in KINDS[joint.type].freedoms:
            joint.freedoms.setdefault(freedom.name, {})["inertia"] = inertia
    for name, fraction in loops.compensations.items():
        body = draft.body(name)
        if body is None:
            raise DescriptionError(loops.file, (("compensated_link", f"no link '{name}' in {draft.journal.file}"),))
        body.compensation = fraction


def _add_homes(loops: Loops, draft: Draft) -> None:
    for name, values in loops.home.items():
        joint = draft.joint(name)
        if joint is None:
            raise DescriptionError(loops.file, (("home_joint", f"no joint '{name}' in {draft.journal.file}"),))
        wanted = len(KINDS[joint.type].home)
        if len(values) != wanted:
            reason = f"joint '{name}' has {wanted} coordinates, got {len(values)}"
            raise DescriptionError(loops.file, (("home", reason),))
        joint.home = values


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
    rubs = next((freedom["friction"] for freedom in joint.freedoms.values() if "friction" in freedom), None)
    kept = kind == "SPHERICAL" and rubs is not None
    joint.freedoms = {}
    uncounted = "its axis and limits" if kept or rubs is None else "its axis, limits and friction"
    draft.journal.merged(joint.place, f"{loops.file} makes it {kind}; {uncounted} do not count")
    if kind == "FIXED":
        joint.type = "weld"
    elif kind == "SPHERICAL":
        joint.type = "spherical"
        if kept:
            joint.freedoms = {one.name: {"friction": rubs} for one in KINDS["spherical"].freedoms}
    elif kind.startswith("UJOINT_") and len(kind) == 9 and kind[7] != kind[8] and set(kind[7:]) <= set(_AXES):
        x, y = (np.eye(3)[_AXES[letter]] for letter in kind[7:])
        turn = placed(R=np.column_stack([x, y, np.cross(x, y)]))
        joint.type, joint.at_parent, joint.at_child = "universal", joint.at_parent @ turn, turn
    else:
        reason = f"must be SPHERICAL, FIXED or UJOINT_ and two of X, Y, Z, got {shown(kind)}"
        raise DescriptionError(loops.file, (("joint_type", reason),))
