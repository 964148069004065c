"""What a file leaves open is chosen here, by the user or by what is likely: the base, motors and the output."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array
from parakin.description.values import inertia_fault
from parakin.errors import DescriptionError, UnknownNameError
from parakin.mechanism.kinds import KINDS, Move
from parakin.mechanism.model import BASE
from parakin.mechanism.numeric import quaternion_matrix
from parakin.mechanism.readers.draft import Draft, DraftBody, DraftFrame, DraftJoint, Placement, placed

BALANCED = "principal moments replaced by their mean"
"""What the source of a body says whose inertia is not that of the imported file."""
OUTPUT_FRAME = "output_frame"
"""What parakin's exports call the output, a site of MJCF and a link of URDF."""


@dataclass(frozen=True)
class Choices:
    """What a user decides about an import; None or nothing leaves it to the file and to parakin.

    >>> choices = Choices(output="rocker", drives=("crank",))
    >>> import_robot("four_bar.urdf", choices).description.output.body
    'rocker'
    """

    output: str | None = None
    """Name of the body or frame, in the imported file, that is the output."""
    base: str | None = None
    """Name of the body that is fixed to the world, in place of what holds the robot there."""
    drives: tuple[str, ...] = ()
    """Names of the joints that have motors, and no others."""
    without: tuple[str, ...] = ()
    """Names of things to leave out although the mechanism is another one without them."""
    loops: str | None = None
    """Path of the YAML file that closes the loops of a URDF file; beside it, with its name, if not given."""
    folder: str | None = None
    """Path of the folder from which included files and meshes may be read; the model's own if not given."""
    balance_inertia: bool = False
    """Whether bodies whose principal moments no body has get their mean in place of all three, as MuJoCo's
    `balanceinertia` does; they are refused otherwise."""


def zero_rounding(draft: Draft) -> None:
    """Set tensors to zero that no body has, and that are rounding beside the largest of the file, and note it."""
    allowed = np.finfo(float).eps * max((float(np.max(np.abs(body.inertia))) for body in draft.bodies), default=0.0)
    for body in draft.bodies:
        left = float(np.max(np.abs(body.inertia)))
        if 0.0 < left <= allowed and (body.mass == 0.0 or inertia_fault(body.inertia) is not None):
            words = f"no more than {left:.2g} kg m^2, which is rounding beside the other bodies: zero counts"
            draft.journal.approximated(f"{body.place}: inertia", words)
            body.inertia = np.zeros((3, 3))


def balance(draft: Draft) -> None:
    """Put the mean in place of the principal moments of each body whose tensor no body has, and note it."""
    for body in draft.bodies:
        fault = inertia_fault(body.inertia) if body.mass > 0.0 else None
        mean = float(np.trace(body.inertia)) / 3
        if fault is not None and mean > 0.0:
            note_balanced(draft, body, f"{fault}; all three are {mean:.6g} kg m^2, their mean, as asked")
            body.inertia = mean * np.eye(3)


def note_balanced(draft: Draft, body: DraftBody, words: str) -> None:
    """Note, in the report and in the robot file, that the inertia of a body is not that of the imported file."""
    draft.journal.approximated(f"{body.place}: inertia", words)
    body.source = f"{BALANCED} when {draft.journal.file} was imported"


def hold(draft: Draft, base: str | None) -> None:
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


def drive(draft: Draft, names: tuple[str, ...]) -> None:
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
                joint.release()
            if joint.name in names and not joint.driven:
                joint.motorise()
        journal.chose("motors", f"driven, as asked: {', '.join(names)}")
        return
    if draft.names_motors or any(joint.driven for joint in draft.joints):
        return
    groups = draft.groups()
    moving = [joint for joint in draft.joints if groups[joint.parent] != groups[joint.child]]
    closed = len(moving) > len(set(groups.values())) - 1
    follow = {terms[0][0] for terms, _ in draft.couplings}
    candidates = [joint for joint in moving if _drivable(joint) and joint.name not in follow and not joint.closes]
    at_base = [joint for joint in candidates if BASE in (groups[joint.parent], groups[joint.child])]
    chosen = at_base if closed else candidates
    for joint in chosen:
        joint.motorise()
    which = "the joints at the base are driven" if closed else "every joint is driven"
    words = f"the file names none: {which}, {', '.join(joint.name for joint in chosen) or 'and there are none'}"
    journal.chose("motors", f"{words}; name others with --drive")


def _drivable(joint: DraftJoint) -> bool:
    return joint.type in ("revolute", "prismatic", "screw")


def output_of(draft: Draft, asked: str | None) -> DraftFrame:
    """Return the output: what the user asks for, else what the file calls output_frame, else what seems to be it."""
    frames = {frame.name: frame for frame in draft.frames}
    bodies = {body.name: DraftFrame(body.name, body.place, body.name) for body in draft.bodies}
    known = bodies | frames if asked is None else frames | bodies
    name = OUTPUT_FRAME if asked is None else asked
    if name in known:
        if asked is None:
            draft.journal.chose(known[name].place, "is the output, for that is its name; choose another with --output")
        return known[name]
    if asked is not None:
        raise UnknownNameError("body or frame", asked, tuple(known))
    return bodies[_likely_output(draft)]


def _likely_output(draft: Draft) -> str:
    """Return the name of the output's body: what most joints hold, then what is farthest from the base."""
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
