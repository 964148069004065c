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

from parakin.description.doubts import (
    DENSEST,
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
    wide,
)
from parakin.description.elements import Actuator, Body, Joint
from parakin.description.model import PlatformBody, RobotDescription
from parakin.description.shapes import Shape, Shapes
from parakin.description.symmetry import expanded_legs
from parakin.description.values import Vector
from parakin.motions.offsets import frame_at

LARGEST_SIZE = 30.0
"""Largest size of a robot [m]; a Delta in millimetres has 200."""
SMALLEST_SIZE = 1e-4
"""Smallest size of a robot [m]."""
FARTHEST = 30.0
"""Longest length in sizes of the robot; the library has 4."""
FARTHEST_BODY = 10.0
"""Farthest centre of mass in lengths of its bar, or sizes of the robot; the library has 3."""
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
LARGE_TURN, SMALL_TURN = 0.5, 0.866
"""Cosines of half the angles above which a quaternion turns far (120 degrees), and below which little (60 degrees)."""


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


def _size(_: RobotDescription, scale: _Scale) -> Iterator[Doubt]:
    size = scale.size
    if size > LARGEST_SIZE:
        yield "legs", f"the robot's size is {size:.4g} m: {likely(size, 0.5, LENGTHS, 'm')}"
    if size < SMALLEST_SIZE:
        yield "legs", f"the robot's size is {size:.4g} m: values are in m"


def _geometry(robot: RobotDescription, scale: _Scale) -> Iterator[Doubt]:
    size, what = scale.size, "the robot's size"
    yield from too_long("length", robot.length, size, FARTHEST, what)
    for k, leg in enumerate(robot.legs):
        place = min(np.subtract(leg.root, scale.centre).tolist(), leg.root, key=lambda vector: math.hypot(*vector))
        yield from too_long(f"legs[{k}].root", place, size, FARTHEST, what)
        for name, vector in (("b", leg.attachment.b), ("c", leg.attachment.c)):
            yield from too_long(f"legs[{k}].attachment.{name}", vector, size, FARTHEST, what)
        for n, element in enumerate(leg.elements):
            key = f"legs[{k}].elements[{n}]"
            yield from too_long(f"{key}.length", element.length or 0.0, size, FARTHEST, what)
            yield from too_long(f"{key}.joint.spacing", element.joint.spacing or 0.0, size, FARTHEST, what)
            yield from too_long(f"{key}.radius", element.radius or 0.0, size, WIDEST_SHAPE, what, part=USUAL_RADIUS)
    radius = robot.platform.radius or 0.0
    yield from too_long("platform.radius", radius, size, WIDEST_SHAPE, what, part=USUAL_RADIUS)
    if robot.platform.tool is not None:
        yield from too_long("platform.tool.position", robot.platform.tool.position, size, FARTHEST, what)


def _workspace(robot: RobotDescription, scale: _Scale) -> Iterator[Doubt]:
    space, motion, size = robot.workspace, robot.motion_type, scale.size
    p, _ = frame_at(motion, np.array(space.home))
    away = (p - scale.centre).tolist()
    yield from too_long("workspace.home", away, size, FARTHEST, "the robot's size")
    count = len(motion.linear)
    for key, offsets in (("lower", space.lower), ("upper", space.upper)):
        far = max(offsets[:count], key=abs)
        yield from too_long(f"workspace.{key}", far, size, FARTHEST_BODY, "the robot's size")
        yield from degrees(f"workspace.{key}", offsets[count:], most=1.0)
    if motion.quaternion is None:
        yield from degrees("workspace.home", space.home[count:], most=1.0)


def _quaternions(robot: RobotDescription, _: _Scale) -> Iterator[Doubt]:
    """Quaternions of home and of the tool."""
    given = {"workspace.home": robot.workspace.home[3:]} if robot.motion_type.quaternion is not None else {}
    if robot.platform.tool is not None:
        given["platform.tool.quaternion"] = robot.platform.tool.quaternion
    for key, quaternion in given.items():
        yield from doubtful_quaternion(key, quaternion)


def doubtful_quaternion(key: str, quaternion: Sequence[float]) -> Iterator[Doubt]:
    """Yield a quaternion that turns far as (w, x, y, z) and little as (x, y, z, w)."""
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
        yield from too_long(f"{key}.{name}", place, reference, FARTHEST_BODY, what)
    moment = sum(body.inertia[k][k] for k in range(3)) / 2
    if shape is None:
        yield from wide(f"{key}.inertia", body.mass, moment, reference, what)
    limit = (HEAVIEST_BODY if bar is None else HEAVIEST_BAR) * reference**3
    too_heavy = list(heavy(key, body.mass, moment if shape is None else 0.0, limit, "robot"))
    yield from too_heavy
    if not too_heavy:
        yield from dense(key, body.mass, moment) if shape is None else _dense_shape(key, body, shape)


def _shape(key: str, shape: Shape, reference: float, what: str) -> Iterator[Doubt]:
    """Sizes of a shape that are too large for its place."""
    for name, size in shape.model_dump(exclude={"shape"}).items():
        largest = size if isinstance(size, float) else max(size)
        part = USUAL_RADIUS if name.endswith("radius") else 1.0
        yield from too_long(f"{key}.{name}", largest, reference, WIDEST_SHAPE, what, part=part)


def _dense_shape(key: str, body: Body | PlatformBody, shape: Shape) -> Iterator[Doubt]:
    """Masses that no metal has in the volume of a shape; thin ones have none."""
    if shape.volume > 0.0 and body.mass > DENSEST * shape.volume:
        density = (
            f"{body.mass:.4g} kg in {shape.volume * 1e6:.3g} cm^3 is {ratio_text(body.mass / shape.volume)} kg/m^3"
        )
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
        yield from degrees(f"{key}.{name}", limit if isinstance(limit, tuple) else (limit,))


def _actuator(key: str, actuator: Actuator, scale: _Scale) -> Iterator[Doubt]:
    for name in ("zero", "lower", "upper"):
        number: float = getattr(actuator, name) or 0.0
        if actuator.coordinate == "length":
            yield from too_long(f"{key}.{name}", number, scale.size, FARTHEST, "the robot's size")
        elif actuator.coordinate in ("angle", "second"):
            yield from degrees(f"{key}.{name}", [number])
    if actuator.speed is not None and actuator.speed > FASTEST[actuator.coordinate]:
        unit = "mm/s" if actuator.coordinate == "length" else "rpm or degrees per second"
        yield f"{key}.speed", f"{actuator.speed:.4g} {actuator.units.velocity} on the joint side: probably in {unit}"
    reflected = actuator.rotor_inertia * actuator.gear_ratio**2
    whole = scale.mass if actuator.coordinate == "length" else scale.mass * scale.size**2
    if scale.mass > 0.0 and reflected > LARGEST_ROTOR * whole:
        meant = likely(actuator.rotor_inertia, whole / 10 / actuator.gear_ratio**2, MOMENTS, "kg m^2")
        value = f"{actuator.rotor_inertia:.3g} kg m^2 behind a gear of {actuator.gear_ratio:g}"
        many = f"{ratio_text(reflected / whole)} times what all bodies of the robot have"
        yield f"{key}.rotor_inertia", f"{value} is {many}: {meant}"


_DOUBTS: tuple[Callable[[RobotDescription, _Scale], Iterator[Doubt]], ...] = (
    _size,
    _geometry,
    _workspace,
    _quaternions,
    _bodies,
    _joints,
    lambda robot, _: doubtful_gravity(robot.gravity),
)
