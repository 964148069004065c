"""A mechanism opened into a tree of hinges, slides and balls, with closures: what MJCF and URDF have words for.

A link's frame is that of the joint which carries it, on the far side; at zero coordinates it is where `p`, `R` put it.
Where a loop is cut at a ball, two points are held together. Any other joint that is cut stays a joint: one of its two
bodies is there twice, with a share of its mass each, one on the tree and one on the cut joint, and a weld holds the two
together, which changes no force. So limits, friction and springs of cut joints are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.description.model import TOOL
from parakin.export.coordinates import coordinates_between
from parakin.export.identifiers import Identifiers
from parakin.export.rod_bodies import with_rod_bodies
from parakin.mechanism.kinds import Move
from parakin.mechanism.model import Coupling, Joint, JointFreedom, Term
from parakin.mechanism.numeric import Posture, posture
from parakin.mechanism.skeleton import BASE_LINK, Cut, Place, Skeleton
from parakin.robot import Robot


@frozen_arrays
class SimpleJoint:
    """A hinge, a slide or a ball at the origin of its link."""

    name: str
    """Its name in the file."""
    coordinate: str
    """Its coordinate in parakin's words, joint.freedom; of a ball, the joint."""
    move: Move
    """TURN, SLIDE or BALL."""
    axis: Array
    """Its axis in the link's frame (3,), unit; of a ball, nothing."""
    home: tuple[float, ...]
    """Its coordinate at home [rad or m], or the quaternion (w, x, y, z) of a ball."""
    freedom: JointFreedom
    """Drive, friction, spring and limits; of a ball, the friction of its turns."""

    @property
    def armature(self) -> float:
        """The joint's own inertia and its rotor's, inertia + gear_ratio^2 rotor_inertia [kg m^2 or kg]."""
        drive = self.freedom.drive
        return self.freedom.inertia + (0.0 if drive is None else drive.gear_ratio**2 * drive.rotor_inertia)


@frozen_arrays
class LinkMass:
    """A body of the mechanism, or a share of it, on a link."""

    name: str
    """Its name in the file."""
    mass: float
    """Mass [kg]."""
    com: Array
    """Place of its centre of mass in the link's frame (3,) [m]."""
    inertia: Array
    """Inertia tensor about the centre of mass in the link's axes (3, 3) [kg m^2]."""
    compensation: float = 0.0
    """Fraction of its weight that is compensated."""


@frozen_arrays
class OpenLink:
    """A rigid part with the joints that carry it, from the inside out."""

    name: str
    """Its name in the file."""
    carrier: int
    """The number of the link that carries it; BASE_LINK for the base."""
    p: Array
    """Origin at zero coordinates, in the carrier's frame (3,) [m]."""
    R: Array
    """Axes at zero coordinates, in the carrier's frame (3, 3)."""
    joints: tuple[SimpleJoint, ...]
    """Its joints; one after the other they move it."""
    masses: tuple[LinkMass, ...]
    """What weighs something on it."""
    points: tuple[Array, ...]
    """Where joints and the output are on it, to be drawn [m]."""


@dataclass(frozen=True, eq=False)
class Closure:
    """Two frames that a loop holds together."""

    name: str
    """Its name in the file."""
    weld: bool
    """Whether orientations are held too."""
    ends: tuple[Place, Place]
    """The two frames, each on its link."""
    labels: tuple[str, str]
    """What the two frames are called, unlike all bodies."""


@dataclass(frozen=True, eq=False)
class OpenedRobot:
    """All that an exported file says of a robot."""

    name: str
    """The robot's name as an identifier."""
    gravity: tuple[float, float, float]
    """Acceleration of free fall in base axes [m/s^2]."""
    links: tuple[OpenLink, ...]
    """Its links, each after its carrier."""
    closures: tuple[Closure, ...]
    """What closes its loops."""
    couplings: tuple[Coupling, ...]
    """Gears and mimics by coordinate, and the way of each screw, travel = pitch/(2 pi) angle."""
    output: Place
    """The output frame."""
    frames: tuple[tuple[str, Place], ...]
    """Frames of interest beside it, each with its name in the file, and the tool frame if there is one."""
    size: float
    """The largest distance between two joints of one body [m]."""
    driven: tuple[str, ...]
    """The coordinates that motors drive, in parakin's order of tau."""
    notes: tuple[str, ...]
    """What had to be said in other words, in sentences."""

    @property
    def motors(self) -> tuple[SimpleJoint, ...]:
        """The joints that are driven, in parakin's order of tau."""
        joints = {joint.coordinate: joint for link in self.links for joint in link.joints}
        return tuple(joints[coordinate] for coordinate in self.driven)


@dataclass
class _Opening:
    """The tree while it grows."""

    tree: Skeleton
    at: Posture
    notes: list[str]
    bodies: Identifiers = field(default_factory=Identifiers)
    joints: Identifiers = field(default_factory=Identifiers)
    couplings: list[Coupling] = field(default_factory=list[Coupling])
    links: list[OpenLink] = field(default_factory=list[OpenLink])
    closures: list[Closure] = field(default_factory=list[Closure])

    def close(self, cut: Cut, ends: tuple[Place, Place], *, weld: bool) -> None:
        """Add what holds the two ends of a loop together."""
        labels = (self.bodies.of(f"{cut.joint.name}_a"), self.bodies.of(f"{cut.joint.name}_b"))
        self.closures.append(Closure(self.joints.of(f"{cut.joint.name}_loop"), weld, ends, labels))

    def named(self, masses: Sequence[LinkMass], otherwise: str) -> tuple[str, tuple[LinkMass, ...]]:
        """Return the name of a link, that of its first body, and its masses under names of their own."""
        if not masses:
            return self.bodies.of(otherwise), ()
        parts = tuple(replace(part, name=self.bodies.of(part.name)) for part in masses)
        return parts[0].name, parts


def opened(robot: Robot) -> OpenedRobot:
    """Return a robot of either kind as links on simple joints, with what closes its loops."""
    tree, configuration, notes = with_rod_bodies(robot)
    one = _Opening(tree, posture(tree, configuration), list(notes))
    splits = {n: _split_side(one, cut) for n, cut in enumerate(tree.cuts) if _stays_a_joint(cut.joint)}
    shares = [1.0 / (1 + list(splits.values()).count(k)) for k in range(len(tree.links))]
    masses = _masses(one, robot)
    for k, link in enumerate(tree.links):
        home = configuration[link.coordinate : link.coordinate + len(link.joint.kind.home)]
        joints = _simple_joints(one, link.joint, home, backwards=link.backwards)
        name, held = one.named(_shared(masses[k], shares[k]), link.joint.name)
        points = tuple(place.p for place in _places_on(tree, k))
        one.links.append(OpenLink(name, link.inner.link, link.inner.p, link.inner.R, joints, held, points))
    for n, cut in enumerate(tree.cuts):
        if n in splits:
            _add_second_half(one, cut, splits[n], (masses, shares))
        else:
            one.close(cut, (cut.parent, cut.child), weld=cut.joint.type == "weld")
            _note_rows(one, cut.joint)
    description = tree.description
    frames = [(one.bodies.of(f.name), place) for f, place in zip(description.frames, tree.frames, strict=True)]
    if description.tool is not None:
        E, p_ET, R_ET = tree.output, np.array(description.tool.position), description.tool.rotation
        frames.append((one.bodies.of(TOOL), Place(E.link, E.p + E.R @ p_ET, E.R @ R_ET)))
    _note_frictions(one)
    _note_cones(one)
    return OpenedRobot(
        name=Identifiers().of(robot.name),
        gravity=description.gravity,
        links=tuple(one.links),
        closures=tuple(one.closures),
        couplings=(*description.couplings, *one.couplings),
        output=tree.output,
        frames=tuple(frames),
        size=tree.size,
        driven=robot.graph.actuator_names,
        notes=tuple(one.notes),
    )


def _stays_a_joint(joint: Joint) -> bool:
    """Tell whether a cut joint is more than a ball that nothing rubs in, or a weld."""
    plain = all(freedom == JointFreedom() for freedom in joint.freedoms.values())
    return joint.type not in ("spherical", "weld") or not plain


def _note_rows(one: _Opening, joint: Joint) -> None:
    if joint.rows is not None:
        one.notes.append(
            f"joint {joint.name} holds along all three axes, not only along {len(joint.rows)} as in the file"
        )


def _note_frictions(one: _Opening) -> None:
    """Tell of balls whose friction or inertia differs between their axes."""
    for joint in one.tree.description.joints:
        turns = [freedom.name for freedom in joint.kind.freedoms if freedom.move is Move.BALL]
        settings = {name: joint.freedoms.get(name, JointFreedom()) for name in turns}
        for what, value in _BALL_NUMBERS.items():
            numbers = {name: value(mine) for name, mine in settings.items()}
            if len(set(numbers.values())) > 1:
                said = ", ".join(f"{name} {number:g}" for name, number in numbers.items())
                one.notes.append(f"joint {joint.name} has the same {what} about all axes as about x, not {said}")


def _note_cones(one: _Opening) -> None:
    """Tell of joints that may tilt as far as they like, for lack of words."""
    coned = [joint.name for joint in one.tree.file.joints if joint.cone is not None]
    if coned:
        one.notes.append(f"limit cones are left out: of {', '.join(coned)}")


_BALL_NUMBERS: dict[str, Callable[[JointFreedom], float]] = {
    "viscous friction": lambda freedom: freedom.friction.viscous,
    "Coulomb friction": lambda freedom: freedom.friction.coulomb,
    "inertia": lambda freedom: freedom.inertia,
}
"""What a spherical joint may have about each of its axes, and other tools know one number of."""


def _split_side(one: _Opening, cut: Cut) -> int:
    """Return the number of the link that is there twice: the heavier side of the joint, never the base."""
    sides = [place.link for place in (cut.child, cut.parent) if place.link != BASE_LINK]
    weights = dict.fromkeys(sides, 0.0)
    for place, body in zip(one.tree.bodies, one.tree.description.bodies, strict=True):
        if place.link in weights:
            weights[place.link] += body.mass
    return max(sides, key=lambda side: weights[side])


def _add_second_half(one: _Opening, cut: Cut, split: int, held: tuple[list[list[LinkMass]], list[float]]) -> None:
    """Add the second half of a link that a cut joint carries, and the weld between the two."""
    backwards = split != cut.child.link
    near, far = (cut.child, cut.parent) if backwards else (cut.parent, cut.child)
    (p_P, R_P), (p_C, R_C) = one.at.frame(cut.parent), one.at.frame(cut.child)
    home = coordinates_between(cut.joint, R_P.T @ (p_C - p_P), R_P.T @ R_C)
    joints = _simple_joints(one, cut.joint, home, backwards=backwards)
    masses, shares = held
    parts = [
        replace(_seen_from(far, part), name=f"{part.name}_at_{cut.joint.name}")
        for part in _shared(masses[split], shares[split])
    ]
    name, half = one.named(parts, f"{one.links[split].name}_at_{cut.joint.name}")
    number = len(one.links)
    one.links.append(OpenLink(name, near.link, near.p, near.R, joints, half, (np.zeros(3),)))
    one.close(cut, (Place(number, np.zeros(3), np.eye(3)), far), weld=True)
    one.notes.append(
        f"joint {cut.joint.name} closes a loop: {one.links[split].name} is there twice, with a share of its mass each, "
        f"welded to {name}"
    )


def _seen_from(frame: Place, part: LinkMass) -> LinkMass:
    """Return a mass in a frame that is fixed to the link."""
    return replace(part, com=frame.R.T @ (part.com - frame.p), inertia=frame.R.T @ part.inertia @ frame.R)


def _shared(masses: Sequence[LinkMass], share: float) -> tuple[LinkMass, ...]:
    return tuple(replace(part, mass=share * part.mass, inertia=share * part.inertia) for part in masses)


def _masses(one: _Opening, robot: Robot) -> list[list[LinkMass]]:
    """Return the bodies of each link, in its frame, and the payload on the output's."""
    masses: list[list[LinkMass]] = [[] for _ in one.tree.links]
    for place, body in zip(one.tree.bodies, one.tree.description.bodies, strict=True):
        if place.link != BASE_LINK:
            com = place.p + place.R @ np.array(body.com)
            tensor = place.R @ np.array(body.inertia) @ place.R.T
            masses[place.link].append(LinkMass(body.name, body.mass, com, tensor, body.gravity_compensation))
    payload, E = robot.payload, one.tree.output
    if payload.mass > 0.0 and E.link != BASE_LINK:
        tensor = E.R @ np.array(payload.inertia) @ E.R.T
        masses[E.link].append(LinkMass("payload", payload.mass, E.p + E.R @ np.array(payload.centre), tensor))
    return masses


def _simple_joints(one: _Opening, joint: Joint, home: Array, *, backwards: bool) -> tuple[SimpleJoint, ...]:
    """Return the moves of a joint as simple ones, from the inside out; backwards from its child to its parent.

    A screw is a hinge and a slide that are coupled.
    """
    found: list[SimpleJoint] = []
    place = 0
    several = len(joint.kind.moves) > 1
    freedoms = [freedom for freedom in joint.kind.freedoms if freedom.move is not Move.BALL or freedom.axis == 0]
    for freedom in freedoms:
        ball = freedom.move is Move.BALL
        width = 4 if ball else 1
        values = [float(value) for value in home[place : place + width]]
        if backwards and ball:
            values[1:] = [-value for value in values[1:]]
        name = f"{joint.name}_{'ball' if ball else freedom.name}" if several else joint.name
        coordinate = joint.name if ball else f"{joint.name}.{freedom.name}"
        axis = (-1.0 if backwards else 1.0) * np.eye(3)[freedom.axis]
        belongs = joint.freedoms.get(freedom.name, JointFreedom())
        move = Move.TURN if freedom.move is Move.SCREW else freedom.move
        found.append(SimpleJoint(one.joints.of(name), coordinate, move, axis, tuple(values), belongs))
        place += width
    if joint.pitch is not None:
        found.append(_way_of_screw(one, joint, joint.pitch / (2 * np.pi), found[0]))
    return tuple(found[::-1] if backwards else found)


def _way_of_screw(one: _Opening, joint: Joint, lead: float, turn: SimpleJoint) -> SimpleJoint:
    """Return the slide of a screw, and couple it with the screw's turn."""
    coordinate = f"{joint.name}.travel"
    terms = (Term(coordinate=coordinate, factor=1.0), Term(coordinate=turn.coordinate, factor=-lead))
    one.couplings.append(Coupling(terms=terms))
    one.notes.append(f"screw {joint.name} is a hinge and a slide that are coupled")
    name = one.joints.of(f"{joint.name}_travel")
    return SimpleJoint(name, coordinate, Move.SLIDE, turn.axis, (lead * turn.home[0],), JointFreedom())


def _places_on(tree: Skeleton, link: int) -> list[Place]:
    """Return the frames of joints, and the output, on a link."""
    places = [Place(link, np.zeros(3), np.eye(3))]
    places += [other.inner for other in tree.links if other.inner.link == link]
    places += [end for cut in tree.cuts for end in (cut.parent, cut.child) if end.link == link]
    return [*places, *([tree.output] if tree.output.link == link else [])]
