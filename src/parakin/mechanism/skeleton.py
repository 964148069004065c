"""A mechanism as a tree of links with some joints cut: what numeric and symbolic motion are computed along.

Bodies that are welded together are one link. A link's frame is the frame, on that link, of the joint that carries it,
so that most constants between joints are zeros and ones.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.errors import DescriptionError
from parakin.mechanism.kinds import ALWAYS_CUT, NEVER_CUT
from parakin.mechanism.model import BASE, Frame, Joint, MechanismDescription, coordinate_names
from parakin.mechanism.rod_bodies import RodBody

SNAPPED = 1e-12
"""Entries of rotations, and lengths in sizes of the mechanism, that are this close to 0, 1 or -1 are taken for it."""
ORTHOGONAL = 1e-15
"""Products of axes that are this close to those of a rotation are its own but for rounding."""
MOST_ROUNDS = 60
"""Rounds at most in which a rotation is snapped and made orthogonal; the library takes nine."""
ROUNDED_PLACE = 1e-4
"""Joints of one body that are closer to each other than this part of the way to its centre of mass are at one place."""
FLOATS = "_floats"
"""What the name of the joint that lets a body float ends with."""
FLOATING_BALLS = 3
"""A body held by so many spherical joints or more floats, and they are cut: each loop then touches one leg only."""


@frozen_arrays
class Place:
    """A frame that is fixed to a link, in the link's frame."""

    link: int
    """The number of the link; BASE_LINK for the base."""
    p: Array
    """Its origin (3,) [m]."""
    R: Array
    """Its axes as columns (3, 3)."""


BASE_LINK = -1
"""The number of the base among links."""


@dataclass(frozen=True, eq=False)
class Link:
    """A rigid part of the mechanism with the joint that carries it."""

    joint: Joint
    """The joint between this link and the one before it."""
    inner: Place
    """The joint's frame on the link before it."""
    backwards: bool
    """Whether the tree passes the joint from its child to its parent."""
    coordinate: int
    """The place of its first coordinate in a configuration."""
    velocity: int
    """The place of its first velocity among all."""

    floats: bool = False
    """Whether parakin lets it float, all its joints cut: its angular velocity is then given in base axes."""


@dataclass(frozen=True, eq=False)
class Cut:
    """A joint that closes a loop."""

    joint: Joint
    """The joint."""
    parent: Place
    """Its frame on its parent."""
    child: Place
    """Its frame on its child."""
    axes: Place | None = None
    """The frame whose axes the position rows are along; None for the joint's frame on its parent.

    A plan chooses another one (`row_axes`) where all three are imposed; where one is redundant, the axes of the file
    tell which.
    """


@dataclass(frozen=True, eq=False)
class Skeleton:
    """The tree of a mechanism, the joints that are cut, and where bodies and the output frame are."""

    description: MechanismDescription
    """The mechanism as it is computed: the file's, or that with rods as distances."""
    links: tuple[Link, ...]
    """Its links, each after the one that carries it."""
    cuts: tuple[Cut, ...]
    """The joints that close loops."""
    bodies: tuple[Place, ...]
    """The frame of each body, in the order of the description."""
    output: Place
    """The output frame."""
    frames: tuple[Place, ...]
    """The frames of interest beside it, in the order of the description."""
    coordinates: int
    """How many coordinates a configuration has; a ball has four."""
    velocity_names: tuple[str, ...]
    """The velocities of the tree: joint.freedom each."""
    size: float
    """The largest distance between two joints of one body [m]: the length by which others are compared."""
    file: MechanismDescription
    """The mechanism as its file says it."""
    parametrised: MechanismDescription
    """The mechanism whose parameters count: the file's, or that with freely spinning rods as distances."""
    rods: tuple[RodBody, ...] = ()
    """Bodies of the file that are distances in `description`."""

    @property
    def velocities(self) -> int:
        """How many velocities the tree has."""
        return len(self.velocity_names)


def skeleton(description: MechanismDescription, floating: Sequence[str] = (), size: float | None = None) -> Skeleton:
    """Choose the tree of a mechanism and return it.

    Driven, sprung and coupled joints are kept in the tree, then those with few freedoms: cutting a ball leaves three
    rows and saves three velocities, cutting a hinge leaves five and saves one.

    floating: bodies that float besides those that many balls hold. size: by which lengths are compared, if not that of
    this mechanism.
    """
    joints = (*description.joints, *(free_joint(body) for body in (*many_balls_hold(description), *floating)))
    groups = welded(description)
    kept = _spanning(description, joints, groups)
    return _grown(description, joints, kept, size or size_of(description))


# Which joints ------------------------------------------------------------------------------------------------------


def many_balls_hold(description: MechanismDescription) -> list[str]:
    """Return the bodies that many spherical joints hold, and nothing else: they float."""
    floating: list[str] = []
    groups = welded(description)
    for leader in sorted({group for group in groups.values() if group != BASE}):
        mine = [joint for joint in description.joints if leader in (groups[joint.parent], groups[joint.child])]
        mine = [joint for joint in mine if joint.type != "weld"]
        balls = [joint for joint in mine if joint.type in ("spherical", "distance") and not _needed(joint, description)]
        if len(balls) >= FLOATING_BALLS and len(balls) == len(mine):
            floating.append(leader)
    return floating


def free_joint(body: str) -> Joint:
    """Return the joint that lets a body float: its coordinates are those of the body's frame."""
    return Joint(name=f"{body}{FLOATS}"[-64:], type="free", parent=BASE, child=body, child_frame=Frame())


def _needed(joint: Joint, description: MechanismDescription) -> bool:
    """Tell whether coordinates of a joint are asked for by name or by a force law, so that it is better not cut."""
    names = coordinate_names(joint)
    asked = {term.coordinate for coupling in description.couplings for term in coupling.terms}
    asked |= set(description.independent or ())
    laws = any(freedom.drive or freedom.spring for freedom in joint.freedoms.values())
    return laws or bool(asked.intersection(names)) or joint.type in NEVER_CUT


class Sets:
    """Disjoint sets of names, for joining what is connected."""

    def __init__(self, names: Iterable[str]) -> None:
        self._leader = {name: name for name in names}

    def leader(self, name: str) -> str:
        """Return the name that stands for the set of a name."""
        while self._leader[name] != name:
            name = self._leader[name]
        return name

    def join(self, a: str, b: str) -> bool:
        """Join two sets; False if they were one already."""
        a, b = self.leader(a), self.leader(b)
        self._leader[b] = a
        return a != b


def welded(description: MechanismDescription) -> dict[str, str]:
    """Return, for each body, the body that stands for all that are welded to it."""
    sets = Sets([BASE, *(body.name for body in description.bodies)])
    for joint in description.joints:
        if joint.type == "weld":
            sets.join(joint.parent, joint.child)
    base = sets.leader(BASE)
    return {
        name: BASE if sets.leader(name) == base else sets.leader(name)
        for name in (BASE, *(body.name for body in description.bodies))
    }


def _spanning(description: MechanismDescription, joints: Sequence[Joint], groups: Mapping[str, str]) -> list[Joint]:
    """Return the joints of a spanning tree, chosen in the order of what cutting them would cost."""

    def rank(joint: Joint) -> tuple[bool, bool, int]:
        return joint.type not in NEVER_CUT, not _needed(joint, description), len(joint.kind.freedoms)

    sets = Sets(set(groups.values()))
    moving = [joint for joint in joints if joint.type not in (*ALWAYS_CUT, "weld")]
    kept = [joint for joint in sorted(moving, key=rank) if sets.join(groups[joint.parent], groups[joint.child])]
    lost = [joint.name for joint in moving if joint.type in NEVER_CUT and joint not in kept]
    if lost:
        reason = f"a loop of screws and free joints alone cannot be planned: {', '.join(lost)}"
        raise DescriptionError(description.name, (("joints", reason),))
    loose = sorted({name for name in groups.values() if sets.leader(name) != sets.leader(BASE)})
    if loose:
        reason = f"no chain of joints leads from the base to {', '.join(loose)}: connect it, or remove it"
        raise DescriptionError(description.name, (("bodies", reason),))
    return kept


Spot = tuple[int, Array, Array]
"""Where a body's frame is: the number of its link, its origin and its axes there."""


# The tree ----------------------------------------------------------------------------------------------------------


def _grown(description: MechanismDescription, joints: Sequence[Joint], kept: Sequence[Joint], size: float) -> Skeleton:
    """Walk from the base outwards and place every body, joint and the output in the frame of its link."""
    places: dict[str, Spot] = {}
    _settle(BASE, (BASE_LINK, np.zeros(3), np.eye(3)), description, places)
    links: list[Link] = []
    names: list[str] = []
    coordinates = 0
    waiting = deque(kept)
    stuck = 0
    while waiting:
        joint = waiting.popleft()
        if joint.parent not in places and joint.child not in places:
            stuck += 1
            waiting.append(joint)
            assert stuck <= len(waiting), "a spanning tree reaches every joint"
            continue
        stuck = 0
        backwards = joint.parent not in places
        near, far = (joint.child, joint.parent) if backwards else (joint.parent, joint.child)
        frames = {joint.parent: joint.parent_frame, joint.child: joint.frame_on_child}
        floats = joint not in description.joints
        link = Link(joint, _placed(places[near], frames[near], size), backwards, coordinates, len(names), floats)
        p, R = np.array(frames[far].position), frames[far].rotation
        _settle(far, (len(links), -R.T @ p, R.T), description, places)
        links.append(link)
        names += coordinate_names(joint)
        coordinates += len(joint.kind.home)
    chosen = {joint.name for joint in kept}
    welds = _spare_welds(description)
    cuts = tuple(
        Cut(
            joint,
            _placed(places[joint.parent], joint.parent_frame, size),
            _placed(places[joint.child], joint.frame_on_child, size),
        )
        for joint in joints
        if joint.name not in chosen and (joint.type != "weld" or joint.name in welds)
    )
    output = _placed(places[description.output.body], description.output.frame, size)
    frames = tuple(_placed(places[frame.body], frame.frame, size) for frame in description.frames)
    bodies = tuple(_placed(places[body.name], Frame(), size) for body in description.bodies)
    tree = tuple(links), cuts, bodies, output, frames
    return Skeleton(description, *tree, coordinates, tuple(names), size, description, description)


def _settle(body: str, place: Spot, description: MechanismDescription, places: dict[str, Spot]) -> None:
    """Note where a body is in its link, and all bodies that are welded to it."""
    places[body] = place
    link, p, R = place
    for joint in description.joints:
        if joint.type != "weld" or body not in (joint.parent, joint.child):
            continue
        frames = {joint.parent: joint.parent_frame, joint.child: joint.frame_on_child}
        other = joint.child if joint.parent == body else joint.parent
        if other in places:
            continue
        here, there = frames[body], frames[other]
        R_other = R @ here.rotation @ there.rotation.T
        p_other = p + R @ np.array(here.position) - R_other @ np.array(there.position)
        _settle(other, (link, p_other, R_other), description, places)


def _spare_welds(description: MechanismDescription) -> set[str]:
    """Return the welds between bodies that other welds connect already: they close a loop of their own."""
    sets = Sets([BASE, *(body.name for body in description.bodies)])
    return {j.name for j in description.joints if j.type == "weld" and not sets.join(j.parent, j.child)}


def _placed(place: Spot, frame: Frame, size: float) -> Place:
    """Return a frame of a body in the frame of the body's link."""
    link, p, R = place
    return Place(link, snapped(p + R @ np.array(frame.position), size), snapped_rotation(R @ frame.rotation))


def snapped(values: Array, unit: float) -> Array:
    """Return numbers of which those that are 0, unit or -unit but for rounding are exactly that."""
    result = np.array(values, float)
    for exact in (0.0, unit, -unit):
        result[np.abs(result - exact) <= SNAPPED * unit] = exact
    return result


def snapped_rotation(R: Array) -> Array:
    """Return a rotation with the entries that are 0, 1 or -1 but for rounding exactly that, and axes at right angles.

    Entries that are snapped one by one leave a matrix that is no rotation by as much as they were moved, so that it is
    brought to the nearest rotation and snapped in turns, R <- R (3 - R^T R)/2, until it is both: what is off halves in
    a round, or more.
    """
    result = snapped(R, 1.0)
    for _ in range(MOST_ROUNDS):
        skew = result.T @ result - np.eye(3)
        if float(np.max(np.abs(skew))) <= ORTHOGONAL:
            break
        result = snapped(result - result @ skew / 2, 1.0)
    return result


def size_of(description: MechanismDescription) -> float:
    """Return the largest distance between two joints of one body [m]; or 1.

    Where all joints are at one place but for rounding, as those of a spherical wrist, distances between joints and
    centres of mass count. Elsewhere they do not: a centre of mass in the wrong unit must not change what joints allow.
    """
    joints: dict[str, list[Array]] = {BASE: [], **{body.name: [] for body in description.bodies}}
    for joint in description.joints:
        joints[joint.parent].append(np.array(joint.parent_frame.position))
        joints[joint.child].append(np.array(joint.frame_on_child.position))
    between = _largest(joints)
    heavy = {body.name: [np.array(body.com), *joints[body.name]] for body in description.bodies}
    reach = _largest(heavy)
    size = between if between > ROUNDED_PLACE * reach else reach
    return size if size > 0.0 else 1.0


def _largest(points: dict[str, list[Array]]) -> float:
    """Return the largest distance between two points of one body [m]; 0 without any."""
    return max((float(np.linalg.norm(a - b)) for mine in points.values() for a in mine for b in mine), default=0.0)
