"""What joints and loops of URDF files have in common, and the loops that extensions of URDF write as elements.

    <loop name= type=> <predecessor link=> <origin/> </predecessor> <successor .../> <axis xyz=/> </loop>      URDF+
    <loop_joint name= type=> <link1 link= xyz= rpy=/> <link2 .../> <axis xyz=/> </loop_joint>      Isaac Sim, Drake

Either is a joint between frames on two links, which coincide where its coordinates are zero. A gear or belt of URDF+

    <coupling name= type="rolling"> <predecessor link=/> <successor link=/> <ratio value=/> </coupling>

makes the turn of the successor, counted from the link that carries both, so many times that of the predecessor.
"""

from __future__ import annotations

from parakin.mechanism.model import BASE
from parakin.mechanism.readers.draft import (
    Draft,
    DraftJoint,
    Placement,
    along_z,
    limits_between,
    placed,
    turned_by,
)
from parakin.mechanism.readers.xml_text import Element

LOOPS = ("loop", "loop_joint")
"""Elements that close loops."""
JOINT_KINDS = {
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
_WITHOUT_AXIS = ("spherical", "ball", "fixed")
"""Kinds of loops that need no axis."""
_NOWHERE = (0.0, 0.0, 0.0)


def origin_of(element: Element) -> Placement:
    """Return where the <origin> of an element puts it."""
    origin = element.find("origin")
    return placed() if origin is None else placement_of(origin)


def placement_of(element: Element) -> Placement:
    """Return where the attributes xyz and rpy of an element put it."""
    return placed(element.numbers("xyz", 3, _NOWHERE), turned_by(*element.numbers("rpy", 3, _NOWHERE)))


def end_of(element: Element, side: str, fixed: set[str]) -> str:
    """Return the link on one side of a joint; BASE for what stands for the world."""
    end = element.find(side)
    if end is None:
        raise element.error(f"needs <{side} link=...>")
    name = end.need("link")
    return BASE if name in fixed else name


def freedom_of(element: Element, *, limited: bool) -> dict[str, object]:
    """Return limits and friction of a joint that turns or slides."""
    table: dict[str, object] = {}
    limit, dynamics = element.find("limit"), element.find("dynamics")
    if limit is not None:
        lower, upper = limit.number("lower", 0.0), limit.number("upper", 0.0)
        table |= limits_between(lower, upper) if limited else {}
    if dynamics is not None:
        viscous, coulomb = dynamics.number("damping", 0.0), dynamics.number("friction", 0.0)
        table["friction"] = {"viscous": viscous, "coulomb": coulomb}
    return table


def add_loop(element: Element, draft: Draft, fixed: set[str]) -> None:
    """Add a loop as a joint, or refuse it where it does not say enough, or says more than is known."""
    kind, name = element.attributes.get("type", ""), element.attributes.get("name", element.tag)
    ends = [one for one in element.children if one.tag in ("predecessor", "successor", "link1", "link2")]
    axis = element.find("axis")
    rest = [one for one in element.children if one not in ends and one.tag not in ("axis", "limit", "dynamics")]
    plain = [one for one in element.walk() if one.tag in ("axis", "limit", "dynamics", "origin")]
    rest += [inner for end in ends for inner in end.children if inner.tag != "origin"]
    rest += [inner for one in plain for inner in one.children]
    if len(ends) != 2 or rest or kind not in JOINT_KINDS or (axis is None and kind not in _WITHOUT_AXIS):
        words = "a loop needs a type, two links (predecessor and successor, or link1 and link2) and an axis"
        draft.journal.refuse(element.place, f"{words}, and nothing else is known: close it in a YAML file", name)
        return
    turned = placed()
    if axis is not None and kind not in _WITHOUT_AXIS:
        direction = axis.numbers("xyz", 3)
        if not any(direction):
            raise element.error("its axis must not be zero")
        turned = placed(R=along_z(direction))
    links = [end.need("link") for end in ends]
    parent, child = (BASE if link in fixed else link for link in links)
    at_parent, at_child = (
        (origin_of(end) if end.find("origin") is not None else placement_of(end)) @ turned for end in ends
    )
    joint = DraftJoint(name, element.place, JOINT_KINDS[kind], parent, child, at_parent, at_child, closes=True)
    if joint.type in ("revolute", "prismatic"):
        freedom = "angle" if joint.type == "revolute" else "travel"
        joint.freedoms[freedom] = freedom_of(element, limited=kind != "continuous")
    draft.joints.append(joint)


def add_coupling(element: Element, draft: Draft, fixed: set[str]) -> None:
    """Add a coupling: the coordinates on the way to the successor add up to ratio x those to the predecessor."""
    name = element.attributes.get("name", element.tag)
    parts = {one.tag: one for one in element.children}
    more = [inner for one in element.children for inner in one.children]
    known = element.attributes.get("type", "rolling") == "rolling"
    if not known or more or len(element.children) != 3 or set(parts) != {"predecessor", "successor", "ratio"}:
        words = "a coupling needs the type rolling, a predecessor, a successor and a ratio, and nothing else is known"
        draft.journal.refuse(element.place, f"{words}: write it with <mimic>", name)
        return
    ways = [_way_down(draft, parts[side].need("link"), fixed) for side in ("successor", "predecessor")]
    carried = {joint.name for joint in ways[0]} & {joint.name for joint in ways[1]}
    factors = (1.0, -parts["ratio"].number("value"))
    found = [
        (joint, factor)
        for way, factor in zip(ways, factors, strict=True)
        for joint in way
        if joint.name not in carried and joint.type != "weld"
    ]
    if len(found) < 2 or any(joint.type not in ("revolute", "prismatic") for joint, _ in found):
        words = "couples links that do not turn or slide against each other: name others"
        draft.journal.refuse(element.place, words, name)
        return
    terms = [(joint.name, "angle" if joint.type == "revolute" else "travel", factor) for joint, factor in found]
    draft.couplings.append((terms, 0.0))


def _way_down(draft: Draft, link: str, fixed: set[str]) -> list[DraftJoint]:
    """Return the joints that carry a link, its own first, as far as the world; loops are not there yet."""
    above = {joint.child: joint for joint in reversed(draft.joints)}
    way: list[DraftJoint] = []
    while link not in fixed and link in above and above[link] not in way:
        way.append(above[link])
        link = above[link].parent
    return way
