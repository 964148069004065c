"""A draft becomes a mechanism: base, motors, output and names are chosen where a file leaves them open."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array
from parakin.errors import DescriptionError, UnknownNameError
from parakin.mechanism.kinds import KINDS, Move
from parakin.mechanism.loader import describe_mechanism
from parakin.mechanism.model import BASE, MechanismDescription
from parakin.mechanism.numeric import quaternion_matrix
from parakin.mechanism.readers.draft import Draft, DraftBody, DraftJoint, Placement, along_z, placed

LONGEST_NAME = 60
"""Characters of a name at most, so that a number fits behind it."""
SMALLEST_NUMBER = 1e-16
"""Entries of frames below this are rounding of zero [m, or without unit]."""


@dataclass(frozen=True)
class Choices:
    """What a user decides about an import; None or nothing leaves it to the file and to parakin."""

    output: str | None = None
    """Name of the body, in the imported file, whose frame is the output."""
    base: str | None = None
    """Name of the body that is fixed to the world, in place of what holds the robot there."""
    drives: tuple[str, ...] = ()
    """Names of the joints that have motors, and no others."""
    without: tuple[str, ...] = ()
    """Names of things to leave out although the mechanism is another one without them."""
    loops: str | None = None
    """Path of the YAML file that closes the loops of a URDF file; beside it, with its name, if not given."""


def finished(draft: Draft, choices: Choices) -> MechanismDescription:
    """Return the mechanism of a draft, valid; what had to be chosen is noted in the draft's journal."""
    _hold(draft, choices.base)
    _drive(draft, choices.drives)
    output = _output(draft, choices.output)
    bodies = _legal(draft, "body", [body.name for body in draft.bodies], {BASE})
    joints = _legal(draft, "joint", [joint.name for joint in draft.joints], set())
    bodies[BASE] = BASE
    tables: dict[str, object] = {
        "name": legal_name(draft.name, "imported"),
        "title": (draft.name.strip() or draft.journal.file)[:200],
        "gravity": list(draft.gravity),
        "source": f"{draft.journal.file} ({draft.journal.dialect})"[:500],
        "output": {"body": bodies[output]},
        "bodies": [_body_table(body, bodies) for body in draft.bodies],
        "joints": [_joint_table(joint, joints[joint.name], bodies) for joint in draft.joints],
        "couplings": [
            {
                "terms": [
                    {"coordinate": f"{joints[joint]}.{freedom}", "factor": factor} for joint, freedom, factor in terms
                ],
                "constant": constant,
            }
            for terms, constant in draft.couplings
        ],
    }
    try:
        return describe_mechanism(tables, draft.journal.file)
    except DescriptionError as error:
        problems = tuple((_where(draft, key), reason) for key, reason in error.problems)
        raise DescriptionError(draft.journal.file, problems) from error


def _where(draft: Draft, key: str) -> str:
    """Return a key of a mechanism file as a place of the imported file."""
    found = re.match(r"(bodies|joints)\[(\d+)\]\.?(.*)", key)
    if found is None:
        return key
    entries = draft.bodies if found[1] == "bodies" else draft.joints
    return f"{entries[int(found[2])].place}{f': {found[3]}' if found[3] else ''}"


# What the file leaves open -----------------------------------------------------------------------------------------


def _hold(draft: Draft, base: str | None) -> None:
    """Fix a body to the world, where it is when all joints are at home, in place of what holds the root."""
    if base is None:
        for joint in draft.joints:
            if joint.roots:
                draft.journal.chose(joint.place, f"nothing holds '{joint.child}': it is {_HELD[joint.type]} the world")
        return
    if draft.body(base) is None:
        raise UnknownNameError("body", base, tuple(body.name for body in draft.bodies))
    place = _places(draft)[base]
    released = [joint for joint in draft.joints if joint.roots or (joint.type == "free" and joint.parent == BASE)]
    draft.joints = [joint for joint in draft.joints if joint not in released]
    told = "".join(f", and {joint.place} is left out" for joint in released)
    draft.journal.chose(f"body '{base}'", f"is fixed to the world, as asked{told}")
    draft.joints.insert(0, DraftJoint(f"{base}_fixed", f"the base, '{base}'", "weld", BASE, base, place))


_HELD = {"weld": "fixed to", "free": "free to float in"}


def _places(draft: Draft) -> dict[str, Placement]:
    """Return where bodies are with all joints at home, walking from the world."""
    places = {BASE: placed()}
    waiting = deque([BASE])
    while waiting:
        body = waiting.popleft()
        for joint in draft.joints:
            step = joint.at_parent @ home_motion(joint) @ joint.at_child.inverse
            if joint.parent == body and joint.child not in places:
                places[joint.child] = places[body] @ step
                waiting.append(joint.child)
            elif joint.child == body and joint.parent not in places:
                places[joint.parent] = places[body] @ step.inverse
                waiting.append(joint.parent)
    return places


def home_motion(joint: DraftJoint) -> Placement:
    """Return the frame on the child in the frame on the parent, with the joint at home."""
    kind = KINDS[joint.type]
    values = list(kind.home if joint.home is None else joint.home)
    at = placed()
    for move, axis in kind.moves:
        if move is Move.BALL:
            at = at @ placed(R=quaternion_matrix(np.array(values[:4])))
            values = values[4:]
            continue
        value = values.pop(0)
        if move is Move.SLIDE:
            at = at @ placed(value * np.eye(3)[axis])
        else:
            lead = (joint.pitch or 0.0) / (2 * np.pi) if move is Move.SCREW else 0.0
            at = at @ placed(lead * value * np.eye(3)[axis], _turn(axis, value))
    return at


def _turn(axis: int, angle: float) -> Array:
    half = angle / 2
    return quaternion_matrix(np.array([np.cos(half), *(np.sin(half) * np.eye(3)[axis])]))


def _drive(draft: Draft, names: tuple[str, ...]) -> None:
    """Give the joints motors that the user names, or, where the file names none, those that most probably have one."""
    journal = draft.journal
    if names:
        known = tuple(joint.name for joint in draft.joints if _drivable(joint))
        for name in names:
            if name not in known:
                raise UnknownNameError("joint that can be driven", name, known)
        for joint in draft.joints:
            if joint.driven and joint.name not in names:
                journal.dropped(joint.place, "has a motor in the file, and is not among the joints to drive")
                for freedom in joint.freedoms.values():
                    freedom.pop("drive", None)
            if joint.name in names and not joint.driven:
                _motorise(joint)
        journal.chose("motors", f"driven, as asked: {', '.join(names)}")
        return
    if draft.names_motors or any(joint.driven for joint in draft.joints):
        return
    groups = draft.groups()
    moving = [joint for joint in draft.joints if groups[joint.parent] != groups[joint.child]]
    closed = len(moving) > len(set(groups.values())) - 1
    follow = {terms[0][0] for terms, _ in draft.couplings}
    candidates = [joint for joint in moving if _drivable(joint) and joint.name not in follow]
    at_base = [joint for joint in candidates if BASE in (groups[joint.parent], groups[joint.child])]
    chosen = at_base if closed else candidates
    for joint in chosen:
        _motorise(joint)
    which = "the joints at the base are driven" if closed else "every joint is driven"
    words = f"the file names none: {which}, {', '.join(joint.name for joint in chosen) or 'and there are none'}"
    journal.chose("motors", f"{words}; name others with --drive")


def _drivable(joint: DraftJoint) -> bool:
    return joint.type in ("revolute", "prismatic", "screw")


def _motorise(joint: DraftJoint) -> None:
    freedom = KINDS[joint.type].freedoms[0].name
    joint.freedoms.setdefault(freedom, {})["drive"] = joint.motor


def _output(draft: Draft, asked: str | None) -> str:
    """Return the name of the output's body: what most joints hold, then what is farthest from the base."""
    if asked is not None:
        if draft.body(asked) is None:
            raise UnknownNameError("body", asked, tuple(body.name for body in draft.bodies))
        return asked
    groups = draft.groups()
    reach = _distances(draft, groups)
    joints = dict.fromkeys(groups.values(), 0)
    for joint in draft.joints:
        if groups[joint.parent] != groups[joint.child]:
            joints[groups[joint.parent]] += 1
            joints[groups[joint.child]] += 1
    masses = {body.name: body.mass for body in draft.bodies}
    closed = sum(joints.values()) // 2 > len(joints) - 1

    def rank(name: str) -> tuple[bool, int, int, float]:
        group = groups[name]
        held = joints[group] if closed and joints[group] > 2 else 0
        return group != BASE, held, reach.get(group, 0), masses[name]

    if not draft.bodies:
        raise DescriptionError(draft.journal.file, (("", "has no body that could move: is it the right file?"),))
    chosen = max((body.name for body in draft.bodies), key=rank)
    draft.journal.chose(f"body '{chosen}'", "its frame is the output; choose another with --output")
    return chosen


def _distances(draft: Draft, groups: dict[str, str]) -> dict[str, int]:
    """Return over how many joints each group of welded bodies is from the base."""
    far = {BASE: 0}
    waiting = deque([BASE])
    while waiting:
        here = waiting.popleft()
        for joint in draft.joints:
            ends = {groups[joint.parent], groups[joint.child]}
            for other in ends - {here} if here in ends else ():
                if other not in far:
                    far[other] = far[here] + 1
                    waiting.append(other)
    return far


# Names and tables --------------------------------------------------------------------------------------------------


def legal_name(name: str, otherwise: str) -> str:
    """Return a name that mechanism files take: a letter, then letters, digits and underscores."""
    plain = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_")[:LONGEST_NAME]
    return plain if plain[:1].isalpha() and plain.isascii() else f"{otherwise}_{plain}"[:LONGEST_NAME].rstrip("_")


def _legal(draft: Draft, kind: str, names: Iterable[str], taken: set[str]) -> dict[str, str]:
    """Return a legal name of its own for each name of the file, and note those that differ."""
    legal: dict[str, str] = {}
    changed: list[str] = []
    for name in names:
        if name in legal:
            raise DescriptionError(
                draft.journal.file, ((f"{kind} '{name}'", "is there twice: give each its own name"),)
            )
        plain = legal_name(name, kind)
        fresh, count = plain, 1
        while fresh in taken:
            count += 1
            fresh = f"{plain}_{count}"
        taken.add(fresh)
        legal[name] = fresh
        if fresh != name:
            changed.append(f"'{name}' is {fresh}")
    if changed:
        draft.journal.chose(f"names of {'bodies' if kind == 'body' else 'joints'}", ", ".join(changed))
    return legal


def _body_table(body: DraftBody, names: dict[str, str]) -> dict[str, object]:
    table: dict[str, object] = {"name": names[body.name], "mass": body.mass}
    if body.mass > 0.0:
        table |= {"com": np.array(body.com, float).tolist(), "inertia": np.array(body.inertia).tolist()}
    return table if body.source is None else table | {"source": body.source[:500]}


def _joint_table(joint: DraftJoint, name: str, bodies: dict[str, str]) -> dict[str, object]:
    table: dict[str, object] = {
        "name": name,
        "type": joint.type,
        "parent": bodies[joint.parent],
        "child": bodies[joint.child],
        "parent_frame": _frame_table(joint.at_parent),
    }
    child = _frame_table(joint.at_child)
    if child != table["parent_frame"]:
        table["child_frame"] = child
    if joint.home is not None and tuple(joint.home) != KINDS[joint.type].home:
        table["home"] = list(joint.home)
    if joint.pitch is not None:
        table["pitch"] = joint.pitch
    freedoms = {key: value for key, value in joint.freedoms.items() if value}
    return table | ({"freedoms": freedoms} if freedoms else {})


def _frame_table(at: Placement) -> dict[str, object]:
    z, x = (_clean(at.R[:, axis]) for axis in (2, 0))
    table: dict[str, object] = {"position": _clean(at.p)}
    if z != [0.0, 0.0, 1.0]:
        table["z"] = z
    if not np.array_equal(_clean_matrix(along_z(z)), _clean_matrix(at.R)):
        table["x"] = x
    return table


def _clean(vector: Array) -> list[float]:
    return [0.0 if abs(value) < SMALLEST_NUMBER else float(value) for value in vector]


def _clean_matrix(matrix: Array) -> Array:
    return np.where(np.abs(matrix) < SMALLEST_NUMBER, 0.0, matrix)
