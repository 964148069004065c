"""Numbers a mechanism can have but hardly has, and the unit that was probably meant: the law of robot files.

Lengths are compared with the mechanism's size: the median, over its bodies, of the largest distance between two joints
of a body; where all joints are at one place, as in a wrist, of the distances of centres of mass from there. One wrong
place spoils two bodies, so that of two medians the lower one counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from statistics import median_low

from parakin.description.doubts import (
    LENGTHS,
    MOMENTS,
    Doubt,
    degrees,
    dense,
    doubtful_gravity,
    heavy,
    likely,
    ratio_text,
    too_long,
    whole_turns,
    wide,
)
from parakin.description.plausible import (
    FARTHEST,
    FARTHEST_BODY,
    FASTEST,
    HEAVIEST_BODY,
    LARGEST_ROTOR,
    LARGEST_SIZE,
    SMALLEST_SIZE,
    USUAL_RADIUS,
    WIDEST_SHAPE,
    doubtful_quaternion,
)
from parakin.mechanism.kinds import Freedom
from parakin.mechanism.model import BASE, Body, Drive, Joint, MechanismDescription

NOWHERE = 1e-4
"""Distances below this share of the largest are none: joints at one place but for rounding."""
NEGLIGIBLE = 1e-6
"""Moments below this share of what all bodies have at the mechanism's size belong to frames that have a mass only
because a simulator wants one."""
LONGEST_PITCH = 3.0
"""Longest way of a screw in one turn, in sizes of the mechanism; ball screws have 0.01 to 0.1."""
USUAL_PITCH = 0.03
"""What pitches usually are, in sizes of the mechanism."""
WHAT = "the mechanism's size"
"""What lengths are compared with, in messages."""


@dataclass(frozen=True)
class _Scale:
    """What a mechanism's numbers are compared with."""

    size: float
    """Its size [m]."""
    mass: float
    """The mass of all its bodies [kg]."""
    joints: dict[str, list[tuple[str, tuple[float, ...]]]]
    """Where joints are on each body, base included: key and place [m]."""
    shaped: Collection[int]
    """Numbers of the bodies whose tensor follows from a shape."""
    turning: frozenset[str]
    """Joints that may turn many times: screws, and those that gears couple."""


def implausible_mechanism(mechanism: MechanismDescription, shaped: Collection[int] = ()) -> list[Doubt]:
    """Return what is doubtful about a mechanism whose tables fit each other; empty if nothing is.

    shaped: numbers of the bodies that the file gives by a shape; doubts then name that, not their inertia.
    """
    scale = _scale_of(mechanism, shaped)
    return [doubt for doubts in _DOUBTS for doubt in doubts(mechanism, scale)]


def _scale_of(mechanism: MechanismDescription, shaped: Collection[int]) -> _Scale:
    joints: dict[str, list[tuple[str, tuple[float, ...]]]] = {BASE: []}
    joints |= {body.name: [] for body in mechanism.bodies}
    for k, joint in enumerate(mechanism.joints):
        child = "parent_frame" if joint.child_frame is None else "child_frame"
        joints[joint.parent].append((f"joints[{k}].parent_frame.position", joint.parent_frame.position))
        joints[joint.child].append((f"joints[{k}].{child}.position", joint.frame_on_child.position))
    spans = [max((math.dist(a, b) for _, a in at for _, b in at), default=0.0) for at in joints.values()]
    spans += [joint.length for joint in mechanism.joints if joint.length is not None]
    reach = [math.dist(body.com, place) for body in mechanism.bodies for _, place in joints[body.name] if body.mass]
    spans = _told(spans) if max(spans) > NOWHERE * max(reach, default=0.0) else _told(reach)
    coupled = {term.coordinate.partition(".")[0] for coupling in mechanism.couplings for term in coupling.terms}
    turning = coupled | {joint.name for joint in mechanism.joints if joint.type == "screw"}
    mass = sum(body.mass for body in mechanism.bodies)
    return _Scale(median_low(spans) if spans else 1.0, mass, joints, shaped, frozenset(turning))


def _told(lengths: Sequence[float]) -> list[float]:
    return [length for length in lengths if length > NOWHERE * max(lengths)]


def _size(_: MechanismDescription, scale: _Scale) -> Iterator[Doubt]:
    if scale.size > LARGEST_SIZE:
        yield "joints", f"{WHAT} is {scale.size:.4g} m: {likely(scale.size, 0.3, LENGTHS, 'm')}"
    if scale.size < SMALLEST_SIZE:
        yield "joints", f"{WHAT} is {scale.size:.4g} m: values are in m"


def _length_and_tool(mechanism: MechanismDescription, scale: _Scale) -> Iterator[Doubt]:
    yield from too_long("length", mechanism.length or 0.0, scale.size, FARTHEST, WHAT)
    if mechanism.tool is not None:
        yield from too_long("tool.position", mechanism.tool.position, scale.size, FARTHEST, WHAT)
        yield from doubtful_quaternion("tool.quaternion", mechanism.tool.quaternion)


def _places(mechanism: MechanismDescription, scale: _Scale) -> Iterator[Doubt]:
    """Joints of a body that are far from all its others, of two the one farther out, and frames far from all joints."""
    told = set[str]()
    for at in scale.joints.values():
        for key, place in at:
            others = [(math.dist(place, other), other) for name, other in at if name != key]
            if not others or key in told:
                continue
            away, nearest = min(others)
            if math.hypot(*place) >= math.hypot(*nearest):
                doubts = list(too_long(key, away, scale.size, FARTHEST, WHAT))
                told |= {name for name, _ in doubts}
                yield from doubts
    frames = [("output.frame", mechanism.output)]
    frames += [(f"frames[{k}].frame", frame) for k, frame in enumerate(mechanism.frames)]
    for key, frame in frames:
        places = [place for _, place in scale.joints[frame.body]]
        away = min((math.dist(frame.frame.position, place) for place in places), default=0.0)
        yield from too_long(f"{key}.position", away, scale.size, FARTHEST, WHAT)


def _bodies(mechanism: MechanismDescription, scale: _Scale) -> Iterator[Doubt]:
    for k, body in enumerate(mechanism.bodies):
        if body.mass:
            yield from _body(k, body, scale)


def _body(k: int, body: Body, scale: _Scale) -> Iterator[Doubt]:
    key, size = f"bodies[{k}]", scale.size
    given = f"{key}.shape" if k in scale.shaped else f"{key}.inertia"
    away = min((math.dist(body.com, place) for _, place in scale.joints[body.name]), default=0.0)
    yield from too_long(f"{key}.com", away, size, FARTHEST_BODY, WHAT)
    moment = sum(body.inertia[n][n] for n in range(3)) / 2
    if moment > NEGLIGIBLE * scale.mass * size**2:
        yield from wide(given, body.mass, moment, size, WHAT)
    too_heavy = list(heavy(key, body.mass, 0.0 if k in scale.shaped else moment, HEAVIEST_BODY * size**3, "mechanism"))
    yield from too_heavy
    if not too_heavy and k not in scale.shaped:
        yield from dense(key, body.mass, moment)


def _joints(mechanism: MechanismDescription, scale: _Scale) -> Iterator[Doubt]:
    for k, joint in enumerate(mechanism.joints):
        key = f"joints[{k}]"
        yield from too_long(f"{key}.length", joint.length or 0.0, scale.size, FARTHEST, WHAT)
        yield from too_long(f"{key}.pitch", joint.pitch or 0.0, scale.size, LONGEST_PITCH, WHAT, part=USUAL_PITCH)
        yield from degrees(f"{key}.cone.angle", [joint.cone and joint.cone.angle])
        for n, freedom in enumerate(joint.kind.freedoms):
            yield from _freedom(f"{key}.freedoms.{freedom.name}", joint, freedom, n, scale)


def _freedom(key: str, joint: Joint, freedom: Freedom, n: int, scale: _Scale) -> Iterator[Doubt]:
    settings, slides = joint.freedom(n), freedom.units.position == "m"
    many = joint.name in scale.turning
    numbers = [(f"{key}.lower", settings.lower), (f"{key}.upper", settings.upper)]
    if not slides and whole_turns(settings.lower, settings.upper):
        numbers = []
    if settings.drive is not None:
        numbers.append((f"{key}.drive.zero", settings.drive.zero))
        yield from _drive(f"{key}.drive", settings.drive, freedom, "spin" if many else "angle", scale)
    for name, value in numbers:
        if slides:
            yield from too_long(name, value or 0.0, scale.size, FARTHEST, WHAT)
        elif not many:
            yield from degrees(name, [value])


def _drive(key: str, drive: Drive, freedom: Freedom, turns: str, scale: _Scale) -> Iterator[Doubt]:
    slides = freedom.units.position == "m"
    if drive.speed is not None and drive.speed > FASTEST["length" if slides else turns]:
        unit = "mm/s" if slides else "rpm or degrees per second"
        yield f"{key}.speed", f"{drive.speed:.4g} {freedom.units.velocity} on the joint side: probably in {unit}"
    reflected = drive.rotor_inertia * drive.gear_ratio**2
    whole = scale.mass if slides else scale.mass * scale.size**2
    if whole > 0.0 and reflected > LARGEST_ROTOR * whole:
        meant = likely(drive.rotor_inertia, whole / 10 / drive.gear_ratio**2, MOMENTS, "kg m^2")
        value = f"{drive.rotor_inertia:.3g} kg m^2 behind a gear of {drive.gear_ratio:g}"
        yield f"{key}.rotor_inertia", f"{value} is {ratio_text(reflected / whole)} times what all bodies have: {meant}"


def _bars(mechanism: MechanismDescription, scale: _Scale) -> Iterator[Doubt]:
    for k, bar in enumerate(mechanism.bars):
        yield from too_long(f"bars[{k}].radius", bar.radius, scale.size, WIDEST_SHAPE, WHAT, part=USUAL_RADIUS)
        for n, end in enumerate(bar.ends or ()):
            places = [place for _, place in scale.joints[end.body]]
            away = min((math.dist(end.position, place) for place in places), default=0.0)
            yield from too_long(f"bars[{k}].ends[{n}].position", away, scale.size, FARTHEST, WHAT)


def _workspace(mechanism: MechanismDescription, scale: _Scale) -> Iterator[Doubt]:
    space, names = mechanism.workspace, mechanism.independent or ()
    if space is None:
        return
    joints = {joint.name: joint for joint in mechanism.joints}
    for key, offsets in (("lower", space.lower), ("upper", space.upper)):
        for name, offset in zip(names, offsets, strict=True):
            joint = joints[name.partition(".")[0]]
            (freedom,) = (one for one in joint.kind.freedoms if f"{joint.name}.{one.name}" == name)
            if freedom.units.position == "m":
                yield from too_long(f"workspace.{key}", offset, scale.size, FARTHEST_BODY, WHAT)
            elif joint.name not in scale.turning:
                yield from degrees(f"workspace.{key}", [offset])


_DOUBTS: tuple[Callable[[MechanismDescription, _Scale], Iterator[Doubt]], ...] = (
    _size,
    _length_and_tool,
    _places,
    _workspace,
    _bodies,
    _joints,
    _bars,
    lambda mechanism, _: doubtful_gravity(mechanism.gravity),
)
