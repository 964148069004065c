"""The equality constraints of an MJCF file, as joints that close loops and as couplings."""

from __future__ import annotations

import numpy as np

from parakin.mechanism.numeric import quaternion_matrix
from parakin.mechanism.readers.choosing import home_motion
from parakin.mechanism.readers.draft import Draft, DraftJoint, Placement, placed
from parakin.mechanism.readers.mjcf_model import Compiled, MjEquality

_TAGS = {"mjEQ_CONNECT": "connect", "mjEQ_WELD": "weld", "mjEQ_JOINT": "joint", "mjEQ_TENDON": "tendon"}
Terms = list[tuple[str, str, float]]
"""Joint, freedom and factor of each coordinate in a sum."""


def add_equalities(draft: Draft, model: Compiled) -> None:
    """Add what the equality constraints of a model hold together."""
    tags = {model.code(name): tag for name, tag in _TAGS.items()}
    for k, entry in enumerate(model.numbers.equalities):
        tag = tags.get(entry.type, "equality")
        name = entry.name or _name(model, tag, entry, k)
        place = model.place(tag, entry.name) if entry.name else f"equality {k + 1}, <{tag}>, {name}"
        if not entry.active:
            draft.journal.dropped(place, "is not active in the file")
        elif tag in ("connect", "weld"):
            _close(draft, model, entry, tag, (name, place))
        elif tag == "joint":
            _couple(draft, place, _joint_sums(model, entry), entry)
        elif tag == "tendon":
            _couple(draft, place, _tendon_sums(model, entry), entry)
        else:
            words = "an equality that is no connect, weld, joint or tendon: write it with one of these"
            draft.journal.refuse(place, words, name)


def _ends(model: Compiled, entry: MjEquality) -> tuple[tuple[str, str], tuple[Placement, Placement]]:
    """Return the two bodies of an equality and, of one between sites, where the sites are on them."""
    if entry.of == model.code("mjOBJ_SITE"):
        sites = [model.numbers.sites[end] for end in entry.ends]
        first, second = (model.bodies[site.body] for site in sites)
        at_first, at_second = (placed(site.pos, quaternion_matrix(np.array(site.quat))) for site in sites)
        return (first, second), (at_first, at_second)
    return (model.bodies[entry.ends[0]], model.bodies[entry.ends[1]]), (placed(), placed())


def _name(model: Compiled, tag: str, entry: MjEquality, k: int) -> str:
    """Return a name for an equality without one: of the sites or bodies that it holds together."""
    if tag not in ("connect", "weld"):
        return f"equality_{k + 1}"
    if entry.of == model.code("mjOBJ_SITE"):
        first, second = (model.numbers.sites[end].name for end in entry.ends)
    else:
        first, second = (model.bodies[end] for end in entry.ends)
    return f"{first}_{second}" if first and second else f"equality_{k + 1}"


def _close(draft: Draft, model: Compiled, entry: MjEquality, tag: str, named: tuple[str, str]) -> None:
    """Add a connect as a ball and a weld as a weld; one whose torques are scaled to nothing is a ball too.

    MuJoCo keeps both points of a connect, and of a weld the point of body 1, that of body 2 and the turn between them:
    p_1 + R_1 a_1 = p_2 + R_2 a_2,  R_2 = R_1 R_12.
    """
    (first, second), (at_first, at_second) = _ends(model, entry)
    name, place = named
    data = entry.data
    of_sites = entry.of == model.code("mjOBJ_SITE")
    if first == second:
        draft.journal.dropped(place, "connects a body with itself")
        return
    if any(model.numbers.bodies[k].mocap >= 0 for k in _body_numbers(model, entry)):
        draft.journal.dropped(place, "ties the robot to a mocap body, which another program moves")
        return
    kind = "spherical"
    if tag == "connect" and not of_sites:
        at_first, at_second = placed(data[0:3]), placed(data[3:6])
    elif tag == "weld":
        kind = "weld" if data[10] else "spherical"
        if not of_sites:
            at_first = placed(data[3:6], quaternion_matrix(np.array(data[6:10])))
            at_second = placed(data[0:3])
    if kind == "spherical":
        at_first, at_second = placed(at_first.p), placed(at_second.p)
    if draft.joint(name) is not None:
        name = f"{name}_{tag}"
    draft.joints.append(DraftJoint(name, place, kind, first, second, at_first, at_second))


def _body_numbers(model: Compiled, entry: MjEquality) -> tuple[int, int]:
    if entry.of == model.code("mjOBJ_SITE"):
        first, second = (model.numbers.sites[end].body for end in entry.ends)
        return first, second
    return entry.ends


# Couplings ---------------------------------------------------------------------------------------------------------


def _joint_sums(model: Compiled, entry: MjEquality) -> list[tuple[Terms, float]]:
    """Return the coordinates of one or two joints, each with its value at the zero pose."""
    joints = [end for end in entry.ends if end >= 0]
    return [([(*model.freedom(joint), 1.0)], model.coordinate(joint)) for joint in joints]


def _tendon_sums(model: Compiled, entry: MjEquality) -> list[tuple[Terms, float]]:
    """Return the lengths of one or two fixed tendons, each with its value at the zero pose; nothing for others."""
    sums: list[tuple[Terms, float]] = []
    for end in entry.ends:
        if end < 0:
            continue
        path = model.numbers.tendons[end].joints
        if path is None:
            return []
        terms = [(*model.freedom(joint), factor) for joint, factor in path]
        zero = [model.coordinate(joint) for joint, _ in path]
        sums.append((terms, sum(factor * value for (_, _, factor), value in zip(terms, zero, strict=True))))
    return sums


def _couple(draft: Draft, place: str, sums: list[tuple[Terms, float]], entry: MjEquality) -> None:
    """Add y1 - y1_0 = a0 + a1 (y2 - y2_0), where y are coordinates or lengths of fixed tendons."""
    name = entry.name or place.rsplit(", ", maxsplit=1)[-1]
    if not sums:
        words = "ties a tendon that runs through sites, whose length is no sum of coordinates: replace it by joints"
        draft.journal.refuse(place, words, name)
        return
    a0, a1, *higher = entry.data[:5]
    if any(higher) and len(sums) > 1:
        words = f"polycoef {list(entry.data)[:5]} is no straight line, and couplings are: give its slope alone"
        draft.journal.refuse(place, words, name)
        return
    (terms, zero), *others = sums
    constant = zero + a0
    for follows, at_zero in others:
        terms = [*terms, *((joint, freedom, -a1 * factor) for joint, freedom, factor in follows)]
        constant -= a1 * at_zero
    terms = _gathered(terms)
    if len(terms) == 1:
        _stop(draft, place, terms[0], constant)
    else:
        draft.couplings.append((terms, constant))


def _gathered(terms: Terms) -> Terms:
    """Return the terms with one entry for each coordinate, and none that is multiplied by 0."""
    sums: dict[tuple[str, str], float] = {}
    for joint, freedom, factor in terms:
        sums[joint, freedom] = sums.get((joint, freedom), 0.0) + factor
    return [(joint, freedom, factor) for (joint, freedom), factor in sums.items() if factor]


def _stop(draft: Draft, place: str, term: tuple[str, str, float], constant: float) -> None:
    """Make a joint that an equality holds at one coordinate a weld there."""
    name, _, factor = term
    joint = draft.joint(name)
    assert joint is not None, "MuJoCo's equalities name joints that there are"
    joint.home = (constant / factor,)
    joint.at_parent = joint.at_parent @ home_motion(joint)
    draft.journal.merged(place, f"holds joint '{name}' at {constant / factor:.6g}: it is a weld")
    joint.type, joint.home, joint.freedoms = "weld", None, {}
