"""What no single table can see: whether the tables of a robot fit each other."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from parakin.description.attachments import PLACE, attachment_joint, attachment_problems
from parakin.description.elbows import unsaid
from parakin.description.elements import OPEN_SPIN, SWIVELLING
from parakin.description.model import Leg, RobotDescription
from parakin.description.patterns import (
    BRANCHED,
    ELSEWHERE,
    coordinate_count,
    described,
    known_patterns,
    line_pattern,
    pattern_of,
)
from parakin.description.plausible import implausible
from parakin.description.shapes import Shapes
from parakin.description.symmetry import expanded_legs
from parakin.errors import LISTED
from parakin.motions import QUATERNION_TOLERANCE, MotionType
from parakin.motions.offsets import frame_at

Problem = tuple[str, str]
"""(key, what is wrong and what would be right) of one fault of a robot file."""


def problems(robot: RobotDescription, shapes: Shapes) -> list[Problem]:
    """Return all that is wrong between the tables of a robot; empty if nothing is.

    Where a leg does not reach its attachment at home, what is implausible comes first: a wrong unit may be why.
    shapes: bodies that the file gives by their shape, by their keys.
    """
    if first := [problem for check in _CHECKS for problem in check(robot)]:
        return first
    legs = expanded_legs(robot)
    unreached = list(_home(robot, legs))
    doubts = implausible(robot, shapes) if unreached else []
    return [*(problem for check in _LATER for problem in check(robot, legs)), *doubts, *unreached]


def _names(robot: RobotDescription) -> Iterator[Problem]:
    for key, names in (
        ("legs", [leg.name for leg in robot.legs]),
        ("platform.bodies", [body.name for body in robot.platform.bodies]),
        *((f"legs[{k}].elements", [element.name for element in leg.elements]) for k, leg in enumerate(robot.legs)),
        *(
            (f"legs[{k}].elements[{n}].bodies", [body.name for body in element.bodies])
            for k, leg in enumerate(robot.legs)
            for n, element in enumerate(leg.elements)
        ),
    ):
        for name, count in Counter(names).items():
            if count > 1:
                yield key, f"the name '{name}' is used {count} times: names tell things apart"


def _symmetries(robot: RobotDescription) -> Iterator[Problem]:
    used = {leg.symmetry for leg in robot.legs if leg.symmetry is not None}
    for k, leg in enumerate(robot.legs):
        if leg.symmetry is not None and leg.symmetry not in robot.symmetries:
            known = ", ".join([*robot.symmetries][:LISTED])
            remedy = (
                f"there is {known}"
                if known
                else f"add [symmetries.{leg.symmetry}] with count = 3, or as many as there are"
            )
            yield f"legs[{k}].symmetry", f"no symmetry '{leg.symmetry}'; {remedy}"
    for name in robot.symmetries.keys() - used:
        yield f"symmetries.{name}", "no leg has this symmetry: use it or remove it"
    order = [leg.symmetry for leg in robot.legs]
    for name in used:
        first = order.index(name)
        if order[first : first + order.count(name)] != [name] * order.count(name):
            yield f"symmetries.{name}", "its legs must stand next to each other, for they are repeated together"


def _workspace(robot: RobotDescription) -> Iterator[Problem]:
    space, motion = robot.workspace, robot.motion_type
    if len(space.home) != len(motion.coordinates):
        wanted = f"{len(motion.coordinates)} numbers ({', '.join(motion.coordinates)})"
        yield "workspace.home", f"a pose of {motion} motion has {wanted}, got {len(space.home)}"
    elif motion.quaternion is not None:
        norm = math.hypot(*space.home[motion.quaternion])
        if abs(norm - 1.0) > QUATERNION_TOLERANCE:
            yield "workspace.home", f"its quaternion must have length 1, got {norm:.9g}"
    for key, values, side in (("lower", space.lower, -1.0), ("upper", space.upper, 1.0)):
        freedom = motion.degrees_of_freedom
        if len(values) != freedom:
            yield f"workspace.{key}", f"{motion} motion has {freedom} degrees of freedom, got {len(values)} numbers"
        elif any(side * value <= 0.0 for value in values):
            yield f"workspace.{key}", f"offsets from home must be {'<' if side < 0 else '>'} 0, got {list(values)}"


def _patterns(robot: RobotDescription) -> Iterator[Problem]:
    for k, leg in enumerate(robot.legs):
        yield from _only_planar(f"legs[{k}]", leg, robot.motion_type)
        if pattern_of(leg) == "numeric":
            yield from _numeric(f"legs[{k}]", leg, robot.motion_type)
        if pattern_of(leg) == "shaft" and leg.elements[0].swivel_friction is not None:
            key = f"legs[{k}].elements[0].swivel_friction"
            yield key, "nothing turns inside a shaft, which hands its turn to the platform: remove it"
        for n, element in enumerate(leg.elements):
            if n and element.joint.type == "fixed":
                yield f"legs[{k}].elements[{n}].joint", "only the first element of a leg can be fixed"


def _branches(robot: RobotDescription) -> Iterator[Problem]:
    """A leg says which of two ways it closes where there are two, and nothing where there is one."""
    for k, leg in enumerate(robot.legs):
        branched = line_pattern(leg) in BRANCHED
        if branched and leg.branch is None:
            yield f"legs[{k}].branch", unsaid(leg)
        if not branched and leg.branch is not None:
            newton = "is closed by Newton from the direction of its elements at home, which says the way"
            way = newton if pattern_of(leg) == "numeric" else "closes in one way only"
            yield f"legs[{k}].branch", f"{described(leg)} {way}: remove it"


def _spins(robot: RobotDescription) -> Iterator[Problem]:
    """Bodies are symmetric about a line whose spin is not determined."""
    for k, leg in enumerate(robot.legs):
        for n, element in enumerate(leg.elements):
            for m, body in enumerate(element.bodies):
                free = element.joint.type in OPEN_SPIN and body.part != "ring"
                if free and not body.symmetric_about_line(robot.length):
                    why = f"a {element.joint.type} root leaves its spin undetermined, so its mass must be symmetric"
                    remedy = "about the line: com = [c, 0, 0], inertia = diag(Ixx, I, I)"
                    yield f"legs[{k}].elements[{n}].bodies[{m}]", f"{why} {remedy}"


def _only_planar(key: str, leg: Leg, motion: MotionType) -> Iterator[Problem]:
    """A revolute where the closed forms want a free joint works in a plane only; a shaft turns about z only."""
    pattern = line_pattern(leg)
    last = leg.elements[-1]
    if pattern in ("strut", "arm", "rail") and last.joint.type == "revolute" and not motion.planar:
        where = f"{key}.elements[{len(leg.elements) - 1}].joint.type"
        why = f"a revolute here holds its leg in a plane and so constrains the platform, which {motion} motion does not"
        yield where, f"{why} allow for, and no other motion of a robot file does (3-RPS, 3-PRS, Tricept): {ELSEWHERE}"
    if pattern == "shaft" and (motion.planar or not motion.turns_about_z):
        remedy = 'a screw whose "length" is driven, or a telescopic element, goes on any platform'
        what = "a shaft (a screw on a universal joint whose spin is driven)"
        yield key, f"{what} turns a platform of schoenflies motion, not of {motion}: {remedy}"


def _numeric(key: str, leg: Leg, motion: MotionType) -> Iterator[Problem]:
    """A leg without a closed form has as many coordinates as its end decides, and a direction for every element."""
    place, count = len(motion.linear), coordinate_count(leg)
    turns_inside = any(element.type in SWIVELLING for element in leg.elements)
    for n, element in enumerate(leg.elements):
        if element.joint.type == "parallelogram" or (element.joint.type == "spherical" and count > place):
            if turns_inside and n == len(leg.elements) - 1:
                why = f"a {element.joint.type} root leaves the spin of its element open"
                remedy = "a turn inside it means nothing; use a universal root, or a bar or telescopic element"
            else:
                why = f"no solver for {described(leg)}; closed forms are {known_patterns()}"
                remedy = ELSEWHERE
            yield f"{key}.elements[{n}].joint.type", f"{why}: {remedy}"
            return
        if element.direction is None:
            yield (
                f"{key}.elements[{n}].direction",
                f"{described(leg)}{_driven_at(leg)} has no closed form: say roughly where each element points at home",
            )
    joint = attachment_joint(leg, motion)
    decided = place + (ROWS.get(joint.type, 0) if place == PLACE else 0)
    told_elsewhere = place == PLACE and joint.type not in ROWS
    if count < place or (count > decided and not told_elsewhere):
        by = f"the place of its tip gives {place}"
        by += f" and the {joint.type} joint at the platform {decided - place} more" if decided > place else ""
        yield f"{key}.elements", f"{described(leg)} has {count} joint coordinates, but {by}: {ELSEWHERE}"


ROWS = {"universal": 1, "revolute": 2}
"""Joint at the platform -> how many joint coordinates of a leg it decides beyond those that the tip's place does."""


def _driven_at(leg: Leg) -> str:
    """Where a leg is driven, in words, if anywhere."""
    driven = [
        f"the {element.actuator.coordinate} of element {n + 1}"
        for n, element in enumerate(leg.elements)
        if element.actuator is not None
    ]
    return f", driven at {' and '.join(driven)}," if driven else ""


def _platform(robot: RobotDescription) -> Iterator[Problem]:
    if not robot.motion_type.turns:
        for k, body in enumerate(robot.platform.bodies):
            if body.turns:
                yield f"platform.bodies[{k}].turns", f"a platform of {robot.motion} motion does not turn: set false"


def _planes(robot: RobotDescription) -> Iterator[Problem]:
    """Planar robots move in z = 0, so their legs must."""
    if not robot.motion_type.planar:
        return
    for k, leg in enumerate(robot.legs):
        yield from _plane_of(f"legs[{k}]", leg)


def _plane_of(key: str, leg: Leg) -> Iterator[Problem]:
    for name, vector in (("root", leg.root), ("attachment.b", leg.attachment.b), ("attachment.c", leg.attachment.c)):
        if vector[2] != 0.0:
            yield f"{key}.{name}", f"a planar robot lies in z = 0, got z = {vector[2]}"
    for n, element in enumerate(leg.elements):
        if element.direction is not None and element.direction[2] != 0.0:
            yield f"{key}.elements[{n}].direction", f"a planar robot lies in z = 0, got z = {element.direction[2]}"
        if element.joint.type == "revolute" and element.joint.axis not in ((0.0, 0.0, 1.0), (0.0, 0.0, -1.0)):
            yield f"{key}.elements[{n}].joint.axis", f"a planar robot turns about z, got {element.joint.axis}"


def _actuators(robot: RobotDescription, legs: Sequence[Leg]) -> Iterator[Problem]:
    count = sum(element.actuator is not None for leg in legs for element in leg.elements)
    freedom = robot.motion_type.degrees_of_freedom
    if count < freedom:
        what = f"{robot.motion} motion has {freedom} degrees of freedom, but only {count} elements have an actuator"
        otherwise = "if legs hold the platform so that it has fewer (3-RPS, 3-PRS, Tricept, Exechon)"
        yield "legs", f"{what}; {otherwise}, {ELSEWHERE}"


def _expanded_names(_: RobotDescription, legs: Sequence[Leg]) -> Iterator[Problem]:
    for name, count in Counter(leg.name for leg in legs).items():
        if count > 1:
            yield "legs", f"written out, {count} legs are named '{name}': rename one"


def _home(robot: RobotDescription, legs: Sequence[Leg]) -> Iterator[Problem]:
    """Every leg with a closed form reaches its attachment at home."""
    p, R = frame_at(robot.motion_type, np.array(robot.workspace.home))
    for leg in legs:
        r = p + R @ np.array(leg.attachment.b) + np.array(leg.attachment.c) - np.array(leg.root)
        missing = _missing(leg, r)
        if missing > 0.0:
            yield "workspace.home", f"{leg.name} cannot close there: {1e3 * missing:.3g} mm missing"


def _missing(leg: Leg, r: np.ndarray) -> float:
    """How much a leg is too short or too long for a tip at r from its root; negative where it reaches."""
    lengths = [element.length or 0.0 for element in leg.elements]
    if line_pattern(leg) == "elbow":
        return max(float(np.linalg.norm(r)) - sum(lengths), abs(lengths[0] - lengths[1]) - float(np.linalg.norm(r)))
    if line_pattern(leg) == "rail":
        u = np.array(leg.elements[0].direction)
        return float(np.linalg.norm(r - (r @ u) * u)) - lengths[1]
    if line_pattern(leg) == "arm":
        z = np.array(leg.elements[0].joint.axis)
        height = float(r @ z)
        reach = float(np.linalg.norm(r - height * z))
        return max(
            math.hypot(reach - lengths[0], height) - lengths[1], lengths[1] - math.hypot(reach + lengths[0], height)
        )
    return -1.0


_CHECKS: tuple[Callable[[RobotDescription], Iterator[Problem]], ...] = (
    _names,
    _symmetries,
    _workspace,
    _patterns,
    _branches,
    _spins,
    attachment_problems,
    _platform,
    _planes,
)

_LATER: tuple[Callable[[RobotDescription, Sequence[Leg]], Iterator[Problem]], ...] = (
    _expanded_names,
    _actuators,
)
"""What makes sense only for legs that could be written out, which come with the robot."""
