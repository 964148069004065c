"""Numbers a robot can have but hardly has, and the unit or order that was probably meant.

Lengths are compared with the robot's size: the median of its bars, of its roots' distances from their mean, of its
attachments' distances from E, and of its `length`. The limits stand far from every robot of the library, and near
enough to notice a factor of a hundred.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from parakin.description.elements import Actuator, Body, Joint
from parakin.description.model import PlatformBody, RobotDescription
from parakin.description.shapes import Shape, Shapes
from parakin.description.symmetry import expanded_legs
from parakin.description.values import Vector
from parakin.motions.offsets import frame_at

Doubt = tuple[str, str]
"""(key, what is doubtful about its value and what was probably meant)."""

LARGEST_SIZE = 30.0
"""Largest size of a robot [m]; a Delta in millimetres has 200."""
SMALLEST_SIZE = 1e-4
"""Smallest size of a robot [m]."""
FARTHEST = 30.0
"""Longest length in sizes of the robot; the library has 4."""
FARTHEST_BODY = 10.0
"""Farthest centre of mass in lengths of its bar, or sizes of the robot; the library has 3."""
WIDEST_BODY = 6.0
"""Largest radius of gyration in lengths of its bar, or sizes of the robot; the library has 2."""
DENSEST = 20_000.0
"""Density that no body exceeds [kg/m^3]; osmium has 22,600, tungsten 19,300, steel 7,900."""
WIDEST_SHAPE = 6.0
"""Largest size of a shape in lengths of its bar, or sizes of the robot; robots of the documentation have 2."""
USUAL_RADIUS = 0.1
"""What radii usually are, in lengths of their bar or sizes of the robot."""
HEAVIEST_BAR = 400.0
"""Largest mass of a body of a bar over the cube of its length [kg/m^3], as of a square bar of steel that is 0.22 times
as thick as it is long; the library has 38, a crank of the documentation 156."""
HEAVIEST_BODY = 8_000.0
"""Largest mass of any body over the cube of the robot's size [kg/m^3], as of a block of steel; the library has 1400."""
LARGEST_ROTOR = 100.0
"""Largest n^2 rotor_inertia over what all bodies of the robot have at its size; the library has 1."""
FASTEST = {"angle": 200.0, "second": 200.0, "length": 30.0, "spin": 2000.0}
"""Largest rate of an actuator [rad/s or m/s]; the library has 20, 3 and 60."""
LARGEST_ANGLE = 2 * math.pi
"""Largest angle of a joint, of home or of a box [rad]."""
LARGEST_GRAVITY = 50.0
"""Largest acceleration of free fall [m/s^2]; Jupiter has 25."""
LARGE_TURN, SMALL_TURN = 0.5, 0.866
"""Cosines of half the angles above which a quaternion turns far (120 degrees), and below which little (60 degrees)."""
CLOSE = 50.0
"""A value in another unit is what was meant if it is within this factor of what is plausible."""
AMBIGUOUS = 3.0
"""A second unit is named too if the value in it is less than this times what is plausible."""

LENGTHS = ((1e3, "millimetres"), (1e2, "centimetres"))
"""Other units of length, in parts of a metre."""
MOMENTS = ((1e9, "g mm^2"), (1e7, "g cm^2"), (1e6, "kg mm^2"), (1e4, "kg cm^2"), (1e3, "g m^2"))
"""Other units of inertia, in parts of a kg m^2."""


def implausible(robot: RobotDescription, shapes: Shapes) -> list[Doubt]:
    """Return what is doubtful about a robot whose tables fit each other; empty if nothing is.

    shapes: bodies that the file gives by their shape, by their keys; doubts then name their sizes, not their inertia.
    """
    scale = _scale_of(robot, shapes)
    return [doubt for doubts in _DOUBTS for doubt in doubts(robot, scale)]


@dataclass(frozen=True)
class _Scale:
    """What a robot's numbers are compared with."""

    size: float
    """Its size [m]."""
    centre: Vector
    """The mean of its roots [m]."""
    mass: float
    """The mass of all its bodies [kg]."""
    shapes: Shapes
    """Bodies that are given by their shape."""


def _scale_of(robot: RobotDescription, shapes: Shapes) -> _Scale:
    legs = expanded_legs(robot)
    x, y, z = (sum(values) / len(legs) for values in zip(*(leg.root for leg in legs), strict=True))
    elements = [element for leg in legs for element in leg.elements]
    lengths = [
        robot.length,
        *(math.dist(leg.root, (x, y, z)) for leg in legs),
        *(_reach(leg.attachment.b, leg.attachment.c) for leg in legs),
        *(element.length for element in elements if element.length is not None),
    ]
    bodies = (*(body for element in elements for body in element.bodies), *robot.platform.bodies)
    size = median([length for length in lengths if length > 0.0])
    return _Scale(size, (x, y, z), sum(body.mass for body in bodies), shapes)


def _reach(*vectors: Sequence[float]) -> float:
    return sum(math.hypot(*vector) for vector in vectors)


def _likely(value: float, wanted: float, units: Sequence[tuple[float, str]], unit: str) -> str:
    """The unit in which a value is closest to what is wanted, and its value in SI units; the next unit if it may be."""
    size = abs(value)
    first, second, *_ = sorted(units, key=lambda entry: abs(math.log(size / entry[0] / wanted)))
    if not 1 / CLOSE < size / first[0] / wanted < CLOSE:
        return f"values are in {unit}"
    meant = [first, second] if 1 / CLOSE < size / second[0] / wanted < AMBIGUOUS else [first]
    names, values = " or ".join(name for _, name in meant), " or ".join(f"{value / parts:.3g}" for parts, _ in meant)
    return f"probably in {names}, which would be {values} {unit}"


def _times(ratio: float) -> str:
    return f"{ratio:.2g}" if ratio < 10 or ratio > 1e6 else f"{ratio:,.0f}"


def _too_long(
    key: str, given: float | Sequence[float], reference: float, most: float, what: str, *, part: float = 1.0
) -> Iterator[Doubt]:
    """A length, or a vector, that is more than `most` times what it is compared with.

    A vector along an axis is told by its one number, with its sign; any other by its length. part: how much of what it
    is compared with such a length usually is.
    """
    parts = [given] if isinstance(given, float | int) else [part for part in given if part]
    value = parts[0] if len(parts) == 1 else math.hypot(*parts)
    if abs(value) > most * reference:
        times = f"{value:.4g} m is {_times(abs(value) / reference)} times {what} of {reference:.3g} m"
        yield key, f"{times}: {_likely(value, part * reference, LENGTHS, 'm')}"


def _size(_: RobotDescription, scale: _Scale) -> Iterator[Doubt]:
    size = scale.size
    if size > LARGEST_SIZE:
        yield "legs", f"the robot's size is {size:.4g} m: {_likely(size, 0.5, LENGTHS, 'm')}"
    if size < SMALLEST_SIZE:
        yield "legs", f"the robot's size is {size:.4g} m: values are in m"


def _geometry(robot: RobotDescription, scale: _Scale) -> Iterator[Doubt]:
    size, what = scale.size, "the robot's size"
    yield from _too_long("length", robot.length, size, FARTHEST, what)
    for k, leg in enumerate(robot.legs):
        place = min(np.subtract(leg.root, scale.centre).tolist(), leg.root, key=lambda vector: math.hypot(*vector))
        yield from _too_long(f"legs[{k}].root", place, size, FARTHEST, what)
        for name, vector in (("b", leg.attachment.b), ("c", leg.attachment.c)):
            yield from _too_long(f"legs[{k}].attachment.{name}", vector, size, FARTHEST, what)
        for n, element in enumerate(leg.elements):
            key = f"legs[{k}].elements[{n}]"
            yield from _too_long(f"{key}.length", element.length or 0.0, size, FARTHEST, what)
            yield from _too_long(f"{key}.joint.spacing", element.joint.spacing or 0.0, size, FARTHEST, what)
    if robot.platform.tool is not None:
        yield from _too_long("platform.tool.position", robot.platform.tool.position, size, FARTHEST, what)


def _workspace(robot: RobotDescription, scale: _Scale) -> Iterator[Doubt]:
    space, motion, size = robot.workspace, robot.motion_type, scale.size
    p, _ = frame_at(motion, np.array(space.home))
    away = (p - scale.centre).tolist()
    yield from _too_long("workspace.home", away, size, FARTHEST, "the robot's size")
    count = len(motion.linear)
    for key, offsets in (("lower", space.lower), ("upper", space.upper)):
        far = max(offsets[:count], key=abs)
        yield from _too_long(f"workspace.{key}", far, size, FARTHEST_BODY, "the robot's size")
        yield from _degrees(f"workspace.{key}", offsets[count:])
    if motion.quaternion is None:
        yield from _degrees("workspace.home", space.home[count:])


def _degrees(key: str, angles: Sequence[float | None]) -> Iterator[Doubt]:
    """Angles of more than a turn."""
    largest = max((angle for angle in angles if angle is not None), default=0.0, key=abs)
    if abs(largest) > LARGEST_ANGLE:
        turns, radians = _times(abs(largest) / LARGEST_ANGLE), f"{math.radians(largest):.4g} rad"
        yield key, f"{largest:.4g} rad is {turns} turns: probably in degrees, which would be {radians}"


def _quaternions(robot: RobotDescription, _: _Scale) -> Iterator[Doubt]:
    """Quaternions that turn far as (w, x, y, z) and little as (x, y, z, w)."""
    given = {"workspace.home": robot.workspace.home[3:]} if robot.motion_type.quaternion is not None else {}
    if robot.platform.tool is not None:
        given["platform.tool.quaternion"] = robot.platform.tool.quaternion
    for key, quaternion in given.items():
        if abs(quaternion[0]) < LARGE_TURN and abs(quaternion[3]) > SMALL_TURN:
            turn, other = (math.degrees(2 * math.acos(min(abs(quaternion[k]), 1.0))) for k in (0, 3))
            text = ", ".join(f"{value:g}" for value in (quaternion[3], *quaternion[:3]))
            order = f"its quaternion turns by {turn:.0f} degrees; the order is (w, x, y, z)"
            scipy = f"(x, y, z, w), as scipy has it, which turns by {other:.0f} degrees"
            yield key, f"{order}. If you mean {scipy}, write {text}"


def _bodies(robot: RobotDescription, scale: _Scale) -> Iterator[Doubt]:
    for m, body in enumerate(robot.platform.bodies):
        yield from _body(f"platform.bodies[{m}]", body, None, scale)
    for k, leg in enumerate(robot.legs):
        for n, element in enumerate(leg.elements):
            for m, body in enumerate(element.bodies):
                yield from _body(f"legs[{k}].elements[{n}].bodies[{m}]", body, element.length, scale)


def _body(key: str, body: Body | PlatformBody, bar: float | None, scale: _Scale) -> Iterator[Doubt]:
    size, shape = scale.size, scale.shapes.get(key)
    reference, what = (bar, "its bar's length") if bar is not None and bar >= size / 2 else (size, "the robot's size")
    places = [("com", body.com)] if isinstance(body, Body) else [("b", body.b), ("c", body.c)]
    wrong_sizes = list(_shape(key, shape, reference, what)) if shape is not None else []
    yield from wrong_sizes
    for name, place in places if not wrong_sizes else []:  # the centre of a rod follows from its length
        yield from _too_long(f"{key}.{name}", place, reference, FARTHEST_BODY, what)
    moment = sum(body.inertia[k][k] for k in range(3)) / 2
    gyration = math.sqrt(max(moment, 0.0) / body.mass)
    if shape is None and gyration > WIDEST_BODY * reference:
        likely = _likely(moment, body.mass * (0.3 * reference) ** 2, MOMENTS, "kg m^2")
        radius = f"{moment:.3g} kg m^2 for {body.mass:.3g} kg is a radius of gyration of {gyration:.3g} m"
        yield f"{key}.inertia", f"{radius}, beside {what} of {reference:.3g} m: {likely}"
    limit = (HEAVIEST_BODY if bar is None else HEAVIEST_BAR) * reference**3
    if body.mass > limit:
        grams = f"probably in grams, which would be {body.mass / 1e3:.3g} kg"
        yield f"{key}.mass", f"{body.mass:.4g} kg is much for a body of a robot of this size: {grams}"
    else:
        yield from _dense(key, body, moment) if shape is None else _dense_shape(key, body, shape)


def _shape(key: str, shape: Shape, reference: float, what: str) -> Iterator[Doubt]:
    """Sizes of a shape that are too large for its place."""
    for name, size in shape.model_dump(exclude={"shape"}).items():
        largest = size if isinstance(size, float) else max(size)
        part = USUAL_RADIUS if name.endswith("radius") else 1.0
        yield from _too_long(f"{key}.{name}", largest, reference, WIDEST_SHAPE, what, part=part)


def _dense(key: str, body: Body | PlatformBody, moment: float) -> Iterator[Doubt]:
    """Moments within which no metal has the mass.

    Of all bodies of one mass and density a ball has the least: its three moments, 2/5 m r^2 each, add up to 6/5 m r^2.
    """
    ball = 0.6 * body.mass * (3 * body.mass / (4 * math.pi * DENSEST)) ** (2 / 3)
    if 0.0 < moment < ball:
        least = f"the moments of {body.mass:.3g} kg of any metal add up to {2 * ball:.2g} kg m^2 or more"
        meant = 'is the mass in grams, or the inertia in another unit? A mass without inertia is shape = "point"'
        yield f"{key}.inertia", f"they add up to {2 * moment:.3g} kg m^2, which is too little: {least}; {meant}"


def _dense_shape(key: str, body: Body | PlatformBody, shape: Shape) -> Iterator[Doubt]:
    """Masses that no metal has in the volume of a shape; thin ones have none."""
    if shape.volume > 0.0 and body.mass > DENSEST * shape.volume:
        density = f"{body.mass:.4g} kg in {shape.volume * 1e6:.3g} cm^3 is {_times(body.mass / shape.volume)} kg/m^3"
        grams = f"is it in grams, which would be {body.mass / 1e3:.3g} kg, or is a size too small?"
        yield f"{key}.mass", f"{density}, and no metal has more than {DENSEST:,.0f}: {grams}"


def _joints(robot: RobotDescription, scale: _Scale) -> Iterator[Doubt]:
    for k, leg in enumerate(robot.legs):
        for n, element in enumerate(leg.elements):
            key = f"legs[{k}].elements[{n}]"
            yield from _joint(f"{key}.joint", element.joint)
            if element.actuator is not None:
                yield from _actuator(f"{key}.actuator", element.actuator, scale)


def _joint(key: str, joint: Joint) -> Iterator[Doubt]:
    for name, limit in (("lower", joint.lower), ("upper", joint.upper), ("cone", joint.cone)):
        yield from _degrees(f"{key}.{name}", limit if isinstance(limit, tuple) else (limit,))


def _actuator(key: str, actuator: Actuator, scale: _Scale) -> Iterator[Doubt]:
    for name in ("zero", "lower", "upper"):
        number: float = getattr(actuator, name) or 0.0
        if actuator.coordinate == "length":
            yield from _too_long(f"{key}.{name}", number, scale.size, FARTHEST, "the robot's size")
        elif actuator.coordinate in ("angle", "second"):
            yield from _degrees(f"{key}.{name}", [number])
    if actuator.speed is not None and actuator.speed > FASTEST[actuator.coordinate]:
        unit = "mm/s" if actuator.coordinate == "length" else "rpm or degrees per second"
        yield f"{key}.speed", f"{actuator.speed:.4g} {actuator.units.velocity} on the joint side: probably in {unit}"
    reflected = actuator.rotor_inertia * actuator.gear_ratio**2
    whole = scale.mass if actuator.coordinate == "length" else scale.mass * scale.size**2
    if scale.mass > 0.0 and reflected > LARGEST_ROTOR * whole:
        likely = _likely(actuator.rotor_inertia, whole / 10 / actuator.gear_ratio**2, MOMENTS, "kg m^2")
        value = f"{actuator.rotor_inertia:.3g} kg m^2 behind a gear of {actuator.gear_ratio:g}"
        times = f"{_times(reflected / whole)} times what all bodies of the robot have"
        yield f"{key}.rotor_inertia", f"{value} is {times}: {likely}"


def _gravity(robot: RobotDescription, _: _Scale) -> Iterator[Doubt]:
    strength = math.hypot(*robot.gravity)
    if strength > LARGEST_GRAVITY:
        units = ((1e3, "mm/s^2"), (1e2, "cm/s^2"))
        yield "gravity", f"{strength:.4g} m/s^2: {_likely(strength, 9.81, units, 'm/s^2')}"
    if abs(strength - 1.0) < 1e-6:
        yield "gravity", "1 m/s^2: probably a direction or a multiple of g, which would be 9.81 m/s^2"


_DOUBTS: tuple[Callable[[RobotDescription, _Scale], Iterator[Doubt]], ...] = (
    _size,
    _geometry,
    _workspace,
    _quaternions,
    _bodies,
    _joints,
    _gravity,
)
