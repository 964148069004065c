"""What no single table of a mechanism file can see: whether names meet and the numbers fit each other."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator

from parakin.description.model import TOOL
from parakin.mechanism.bars import joint_places
from parakin.mechanism.kinds import Move
from parakin.mechanism.model import BASE, MechanismDescription, coordinate_names

Problem = tuple[str, str]
"""(key, what is wrong and what would be right) of one fault of a mechanism file."""


def problems(mechanism: MechanismDescription) -> list[Problem]:
    """Return all that is wrong between the tables of a mechanism; empty if nothing is."""
    looks = (_names, _bodies_of_joints, _balls, _coordinates, _workspace, _bars)
    return [problem for look in looks for problem in look(mechanism)]


def _names(mechanism: MechanismDescription) -> Iterator[Problem]:
    for key, entries in (
        ("bodies", mechanism.bodies),
        ("joints", mechanism.joints),
        ("frames", mechanism.frames),
    ):
        for name, count in Counter(entry.name for entry in entries).items():
            if count > 1:
                yield key, f"{count} are named '{name}': give each a name of its own"
    if mechanism.tool is not None and any(frame.name == TOOL for frame in mechanism.frames):
        yield "frames", f"'{TOOL}' is the name of the tool frame: give the frame of interest another one"


def _bodies_of_joints(mechanism: MechanismDescription) -> Iterator[Problem]:
    known = [BASE, *(body.name for body in mechanism.bodies)]
    asked = [
        (f"joints[{k}].{side}", getattr(j, side))
        for k, j in enumerate(mechanism.joints)
        for side in ("parent", "child")
    ]
    asked += [(f"frames[{k}].body", frame.body) for k, frame in enumerate(mechanism.frames)]
    asked += [
        (f"bars[{k}].ends[{n}].body", end.body)
        for k, bar in enumerate(mechanism.bars)
        for n, end in enumerate(bar.ends or ())
    ]
    for key, name in (*asked, ("output.body", mechanism.output.body)):
        if name not in known:
            yield key, f"no body '{name}'{_nearest(name, known)}; there are {', '.join(known)}"


def _balls(mechanism: MechanismDescription) -> Iterator[Problem]:
    """A ball's freedoms are components of an angular velocity, which have no coordinate to drive, hold or limit."""
    for k, joint in enumerate(mechanism.joints):
        for freedom in joint.kind.freedoms:
            settings = joint.freedoms.get(freedom.name)
            if settings is None or freedom.move is not Move.BALL:
                continue
            key = f"joints[{k}].freedoms.{freedom.name}"
            if settings.drive is not None:
                yield f"{key}.drive", "a ball cannot be driven: use a universal or revolute joint with a motor"
            if settings.spring is not None:
                yield f"{key}.spring", "a ball has no angle that a spring could hold: use a universal or revolute joint"
            if settings.lower is not None or settings.upper is not None:
                yield key, "a ball has no angle to limit: give the joint a cone in place of lower and upper"


def _coordinates(mechanism: MechanismDescription) -> Iterator[Problem]:
    moves = {
        name: freedom.move
        for joint in mechanism.joints
        for name, freedom in zip(coordinate_names(joint), joint.kind.freedoms, strict=True)
    }
    coupled = [
        (f"couplings[{k}].terms[{n}].coordinate", term.coordinate)
        for k, coupling in enumerate(mechanism.couplings)
        for n, term in enumerate(coupling.terms)
    ]
    chosen = [(f"independent[{k}]", name) for k, name in enumerate(mechanism.independent or ())]
    for key, name in (*coupled, *chosen):
        if name not in moves:
            yield key, f"no coordinate '{name}'{_nearest(name, list(moves))}; a coordinate is joint.freedom"
        elif moves[name] is Move.BALL and key.startswith("couplings"):
            yield key, f"'{name}' is a component of an angular velocity, which has no angle to couple"
    for name, count in Counter(mechanism.independent or ()).items():
        if count > 1:
            yield "independent", f"'{name}' is named {count} times"


def _workspace(mechanism: MechanismDescription) -> Iterator[Problem]:
    space = mechanism.workspace
    if space is None:
        return
    if mechanism.independent is None:
        yield "workspace", "offsets are of the independent coordinates: name these (independent = [...])"
        return
    for key, values in (("lower", space.lower), ("upper", space.upper)):
        if len(values) != len(mechanism.independent):
            yield f"workspace.{key}", f"must have {len(mechanism.independent)} numbers, got {len(values)}"
    for k, (lower, upper) in enumerate(zip(space.lower, space.upper, strict=False)):
        if not lower <= 0.0 <= upper or lower == upper:
            yield f"workspace.lower[{k}]", f"home must lie within: lower <= 0 <= upper, got {lower} and {upper}"


def _bars(mechanism: MechanismDescription) -> Iterator[Problem]:
    """Bars that are named by a body: there is such a body or rod, its joints span a length, and names differ."""
    rods = [joint.name for joint in mechanism.joints if joint.type == "distance"]
    bodies = [BASE, *(body.name for body in mechanism.bodies)]
    for k, bar in enumerate(mechanism.bars):
        if bar.body is None or bar.body in rods:
            continue
        if bar.body not in bodies:
            known = [*bodies, *rods]
            yield (
                f"bars[{k}].body",
                f"no body or rod '{bar.body}'{_nearest(bar.body, known)}; there are {', '.join(known)}",
            )
        elif len(joint_places(mechanism, bar.body)) < 2:
            yield f"bars[{k}].body", f"the joints of '{bar.body}' are at one place: give the bar its two ends instead"
    for name, count in Counter(bar.called for bar in mechanism.bars).items():
        if count > 1:
            yield "bars", f"{count} are called '{name}': give each a name of its own"


def _nearest(name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f", did you mean '{close[0]}'?" if close else ""
