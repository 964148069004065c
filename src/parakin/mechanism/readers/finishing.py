"""A draft becomes a mechanism: base, motors, output and names are chosen where a file leaves them open."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from parakin.arrays import Array
from parakin.description.model import OUTPUT
from parakin.errors import DescriptionError
from parakin.mechanism.kinds import KINDS
from parakin.mechanism.loader import describe_mechanism
from parakin.mechanism.model import BASE, MechanismDescription
from parakin.mechanism.readers.choosing import Choices, balance, drive, hold, output_of
from parakin.mechanism.readers.draft import Draft, DraftBody, DraftFrame, DraftJoint, Placement, along_z
from parakin.mechanism.readers.frames import fold_frames, frames_beside
from parakin.mechanism.skeleton import NEVER_CUT, Sets

LONGEST_NAME = 60
"""Characters of a name at most, so that a number fits behind it."""
TO_BALANCE = "; --balance-inertia puts their mean in place of the three moments of such a body"
"""How to go on with a body whose inertia no body has."""
SMALLEST_NUMBER = 1e-16
"""Entries of frames below this are rounding of zero [m, or without unit]."""


def finished(draft: Draft, choices: Choices) -> MechanismDescription:
    """Return the mechanism of a draft, valid; what had to be chosen is noted in the draft's journal."""
    if choices.balance_inertia:
        balance(draft)
    hold(draft, choices.base)
    drive(draft, choices.drives)
    _drop_idle_free_joints(draft)
    fold_frames(draft)
    output = output_of(draft, choices.output)
    beside = frames_beside(draft, output)
    bodies = _legal(draft, "body", [body.name for body in draft.bodies], {BASE})
    joints = _legal(draft, "joint", [joint.name for joint in draft.joints], set())
    frames = _legal(draft, "frame", [frame.name for frame in beside], {OUTPUT})
    bodies[BASE] = BASE
    tables: dict[str, object] = {
        "name": legal_name(draft.name, "imported"),
        "title": (draft.name.strip() or draft.journal.file)[:200],
        "gravity": list(draft.gravity),
        "source": f"{draft.journal.file} ({draft.journal.dialect})"[:500],
        "output": _on_body(output, bodies),
        "frames": [{"name": frames[frame.name]} | _on_body(frame, bodies) for frame in beside],
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
        remedy = "" if choices.balance_inertia else TO_BALANCE
        problems = tuple(
            (_where(draft, key), reason + (remedy if key.endswith("inertia") else "")) for key, reason in error.problems
        )
        raise DescriptionError(draft.journal.file, problems) from error


def _drop_idle_free_joints(draft: Draft) -> None:
    """Leave out free joints in loops that could be opened nowhere: with welds, other free joints and driven ones alone.

    They hold nothing, and what they would tell follows: of bodies that float and are welded to each other one floats.
    """
    coupled = {joint for terms, _ in draft.couplings for joint, _, _ in terms}
    groups = draft.groups()
    sets = Sets(set(groups.values()))
    idle: set[int] = set()
    for joint in sorted(draft.joints, key=lambda one: one.type == "free"):
        uncut = joint.type in NEVER_CUT or joint.driven or joint.name in coupled
        tied = uncut and not sets.join(groups[joint.parent], groups[joint.child])
        if tied and joint.type == "free" and not any(joint.freedoms.values()):
            idle.add(id(joint))
            draft.journal.merged(joint.place, f"a free joint of '{joint.child}', which other joints place already")
    draft.joints = [joint for joint in draft.joints if id(joint) not in idle]


def _where(draft: Draft, key: str) -> str:
    """Return a key of a mechanism file as a place of the imported file."""
    found = re.match(r"(bodies|joints)\[(\d+)\]\.?(.*)", key)
    if found is None:
        return key
    entries = draft.bodies if found[1] == "bodies" else draft.joints
    return f"{entries[int(found[2])].place}{f': {found[3]}' if found[3] else ''}"


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
        draft.journal.chose(f"names of {'bodies' if kind == 'body' else f'{kind}s'}", ", ".join(changed))
    return legal


def _body_table(body: DraftBody, names: dict[str, str]) -> dict[str, object]:
    table: dict[str, object] = {"name": names[body.name], "mass": body.mass}
    if body.mass > 0.0:
        table |= {"com": np.array(body.com, float).tolist(), "inertia": np.array(body.inertia).tolist()}
    if body.compensation:
        table["gravity_compensation"] = body.compensation
    return table if body.source is None else table | {"source": body.source[:500]}


def _on_body(frame: DraftFrame, bodies: dict[str, str]) -> dict[str, object]:
    return {"body": bodies[frame.body], "frame": _frame_table(frame.at)}


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
