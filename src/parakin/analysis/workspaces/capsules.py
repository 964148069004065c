"""How far the parts of a robot are from touching: round bars of given radii.

Two bars are apart by

    clearance = |p - q| - r_p - r_q,     p and q the nearest points of the two segments

which is the exact distance of two capsules [Ericson2005] sec. 5.1.9. Where the ends of the bars are follows from the
legs' closed forms, or from the frames of a mechanism's bodies; the distance is the same expression for both.

An element with a `radius` is a round bar from its root A to its tip B. A platform with a `radius` is a star of round
bars from E to the points where its legs meet it. A mechanism has the bars of its file's `bars`.

Two bars are compared unless they touch by construction: bars of one rigid part, and bars that come to one point of the
robot (a joint between them, a joint that both share with a third part, an end in common) or slide along each other.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array
from parakin.description import Leg, RobotDescription, expanded_legs
from parakin.mechanism.bars import segments_of
from parakin.mechanism.model import BASE
from parakin.robot import Robot

if TYPE_CHECKING:
    import casadi as ca

    from parakin.kernels import Kernel, Program
    from parakin.kinematics.robot_motion import RobotMotion


@dataclass(frozen=True)
class Bar:
    """A round bar that can touch others."""

    name: str
    """What it is called: leg1.forearm, platform.leg1 for a bar of the platform, or as a mechanism's file says."""
    radius: float
    """Its radius [m]."""
    part: str | None
    """The rigid part that it belongs to; None if it reaches from one part to another."""
    meets: frozenset[Hashable]
    """The points that it comes to by construction, and the joints in which it slides."""


def bars_of(robot: Robot) -> tuple[Bar, ...]:
    """Return the bars of a robot whose radius the file gives: leg by leg and then the platform's, or as in the file."""
    if robot.legs:
        return _of_legs(robot.description)
    segments = segments_of(robot.graph_description)
    return tuple(Bar(one.name, one.radius, one.part, one.meets) for one in segments)


def pairs_of(bars: tuple[Bar, ...]) -> tuple[tuple[int, int], ...]:
    """Return the numbers of the bars that are compared, in pairs."""
    return tuple(
        (i, k)
        for (i, first), (k, second) in combinations(enumerate(bars), 2)
        if not first.meets & second.meets and (first.part is None or first.part != second.part)
    )


def _of_legs(description: RobotDescription) -> tuple[Bar, ...]:
    legs = expanded_legs(description)
    bars = [
        Bar(f"{leg.name}.{element.name}", element.radius, None, frozenset(_points(leg)[m : m + 2]))
        for leg in legs
        for m, element in enumerate(leg.elements)
        if element.radius is not None
    ]
    radius, middle = description.platform.radius, _on_platform((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    star = [
        Bar(f"platform.{leg.name}", radius, "platform", frozenset({middle, _points(leg)[-1]}))
        for leg in legs
        if radius is not None and any((*leg.attachment.b, *leg.attachment.c))
    ]
    return (*bars, *star)


def _points(leg: Leg) -> list[Hashable]:
    """The points between which the elements of a leg reach, from the base to the platform."""
    between = [(leg.name, m) for m in range(1, len(leg.elements))]
    return [("base", leg.root), *between, _on_platform(leg.attachment.b, leg.attachment.c)]


def _on_platform(b: tuple[float, float, float], c: tuple[float, float, float]) -> Hashable:
    return "platform", b, c


PARALLEL = 1e-12
"""Squared sine between two bars below which they count as parallel: their nearest points are then not unique."""
Ends = tuple["ca.SX", "ca.SX"]
"""The two ends of a bar (3,), in base axes [m]."""


def clearance_names(robot: Robot) -> tuple[str, ...]:
    """Return the names of the pairs of parts whose clearance a robot's file lets parakin compute.

    >>> pk.analysis.clearance_names(robot)  # the library's Delta has no radii
    ()
    """
    bars = bars_of(robot)
    return tuple(f"{bars[i].name} and {bars[k].name}" for i, k in pairs_of(bars))


def clearances(robot: Robot, pose: ArrayLike, *, near: Array | None = None) -> Array:
    """Return how far each pair of `clearance_names` is from touching at poses (..., coordinates), (..., pairs) [m].

    It is negative where two bars overlap, and NaN where a robot cannot be. near: configurations of a mechanism from
    which the search begins, home's by default.

    >>> thick = linkage.replace(bars=[{"body": "crank", "radius": 0.01}, {"body": "rocker", "radius": 0.02}])
    >>> pk.analysis.clearances(thick, [0.0]).round(3)
    array([0.21])
    """
    poses = np.asarray(pose, float)
    flat = poses.reshape(-1, poses.shape[-1])
    kernel = clearance_kernel(robot)
    if robot.legs:
        places = np.asarray(robot.evaluate("points", pose=flat)["tip"])
        found = np.asarray(kernel(pose=flat)["clearance"])
    else:
        start = robot.graph.home_configuration if near is None else near
        places = np.asarray(robot.evaluate("frames", pose=flat, near=start)["frames"])
        found = np.asarray(kernel(frames=places)["clearance"])
    known = np.isfinite(places).reshape(len(flat), -1).all(axis=1, keepdims=True)
    out = np.where(known, found.reshape(len(flat), -1), np.nan)
    return out.reshape(*poses.shape[:-1], -1)


def clearance_kernel(robot: Robot) -> Kernel:
    """Return the kernel from `pose`, or from the `frames` of a mechanism's parts, to the `clearance` of each pair."""
    from parakin.kernels import Derivation, Kernel

    program = _legs_program if robot.legs else _frames_program
    return Kernel(Derivation(robot.content("clearances"), lambda: program(robot)))


def _legs_program(robot: Robot) -> Program:
    import casadi as ca

    from parakin.kernels import Program
    from parakin.kinematics.closing import closing_steps
    from parakin.kinematics.robot_motion import robot_motion

    moving = robot_motion(robot.description)
    inputs = {"pose": moving.pose} | ({"z": moving.z} if moving.z.shape[0] else {})
    name = f"{robot.name}_clearances"
    found = ca.vertcat(*leg_clearances(moving, robot))
    function = ca.Function(name, list(inputs.values()), [found], list(inputs), ["clearance"], {"cse": True})
    return Program(
        *closing_steps(moving, robot.description, residual="clearance"), function, outputs=("clearance",), name=name
    )


def _frames_program(robot: Robot) -> Program:
    import casadi as ca

    from parakin.kernels import Program
    from parakin.kinematics.graph.frames import frame_names

    segments, names = segments_of(robot.graph_description), [BASE, *robot.graph.body_names]
    frames = ca.SX.sym("frames", 3 * len(frame_names(robot.graph.plan.skeleton)), 4)
    ends: list[Ends] = []
    for segment in segments:
        first, second = (_carried(frames, names.index(body), place) for body, place in segment.ends)
        ends.append((first, second))
    found = ca.vertcat(*_apart_each(bars_of(robot), ends))
    name = f"{robot.name}_clearances"
    function = ca.Function(name, [frames], [found], ["frames"], ["clearance"], {"cse": True})
    return Program(function, outputs=("clearance",), name=name)


def _carried(frames: ca.SX, number: int, place: tuple[float, float, float]) -> ca.SX:
    """A point of a part whose frame is [R | p]: p + R place."""
    import casadi as ca

    frame = frames[3 * number : 3 * number + 3, :]
    return frame[:, 3] + frame[:, :3] @ ca.DM(place)


def leg_clearances(moving: RobotMotion, robot: Robot) -> list[ca.SX]:
    """Return the clearance [m] of each pair of bars of a robot of legs in motion."""
    description = robot.description
    ends: list[Ends] = [
        (motion.line.A, motion.line.B)
        for leg, moves in zip(robot.legs, moving.legs, strict=True)
        for element, motion in zip(leg.elements, moves.elements, strict=True)
        if element.radius is not None
    ]
    if description.platform.radius is not None:
        ends += [
            (moving.platform.p_OE, point.p)
            for leg, point in zip(robot.legs, moving.attachments, strict=True)
            if any((*leg.attachment.b, *leg.attachment.c))
        ]
    return _apart_each(bars_of(robot), ends)


def _apart_each(bars: tuple[Bar, ...], ends: list[Ends]) -> list[ca.SX]:
    """The clearance of each pair that is compared."""
    return [apart(ends[i], ends[k]) - (bars[i].radius + bars[k].radius) for i, k in pairs_of(bars)]


def apart(first: Ends, second: Ends) -> ca.SX:
    """Return the distance of two segments: the nearest points of two lines, each kept on its segment in turn.

    s = clip((b f - c e)/(a e - b^2)),  t = (b s + f)/e clipped,  s = (b t - c)/a clipped again
    """
    import casadi as ca

    (p, p_end), (q, q_end) = first, second
    u, v, r = p_end - p, q_end - q, p - q
    a, e, b = ca.dot(u, u), ca.dot(v, v), ca.dot(u, v)
    c, f = ca.dot(u, r), ca.dot(v, r)
    across = a * e - b**2
    s = ca.if_else(across > PARALLEL * a * e, _clipped((b * f - c * e) / across), 0)
    t = _clipped((b * s + f) / e)
    s = _clipped((b * t - c) / a)
    return ca.norm_2(r + s * u - t * v)


def _clipped(value: ca.SX) -> ca.SX:
    import casadi as ca

    return ca.fmin(ca.fmax(value, 0), 1)
