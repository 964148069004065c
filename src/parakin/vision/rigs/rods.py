"""Where the rods of a rig are, and how they move with the platform: lines in base axes, from a compiled kernel.

    axis of a rod = A + R_carrier offset + t x,      A_dot = J_A v,     x_dot = J_x v

A and x, with rates that are linear in the platform's velocity v, are those of the robot's elements [Ozgur2013] sec. 3.
Mechanisms of bodies and joints have bars instead, whose lines follow from the model of its bodies:

    A = p + R (a - c),    A_dot = v + w x (A - p),    d x = B - A,    d x_dot = (1 - x x^T)(B_dot - A_dot)

with p, R, v, w of the body that carries an end, c its centre of mass and a the end in its axes. J_A and J_x are what
unit velocities of the pose give.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.kernels import Derivation, Kernel, Program
from parakin.kinematics.model import Model, program_of
from parakin.kinematics.robot_motion import RobotMotion, robot_motion
from parakin.kinematics.status import WITH_VALUES, Status
from parakin.mechanism.bars import Segment, Spot, segments_of
from parakin.mechanism.model import BASE
from parakin.robot import Evaluation, Robot
from parakin.spatial import vector
from parakin.vision.rigs.rig import Rig, Rod


@frozen_arrays
class RodLines:
    """The axes of a rig's rods in base axes, and how they follow the platform.

    >>> lines = pk.vision.rod_lines(rig, robot.home)
    >>> lines.x.shape, lines.J_A.shape  # four rods, four degrees of freedom
    ((4, 3), (4, 3, 4))
    """

    A: Array
    """A point of each axis beside its element's root (..., rods, 3) [m]."""
    x: Array
    """Unit directions from root to tip (..., rods, 3)."""
    d: Array
    """Lengths of the elements (..., rods) [m]."""
    J_A: Array
    """A_dot = J_A v (..., rods, 3, n)."""
    J_x: Array
    """x_dot = J_x v (..., rods, 3, n)."""
    status: NDArray[np.int32]
    """Status of each pose (...), a `parakin.Status`; where it is not GOOD all else is NaN. Limits are not looked at."""


@dataclass(frozen=True)
class RodLine:
    """The axis of one rod as expressions in the robot's motion, base axes."""

    A: ca.SX
    """A point of the axis beside its element's root [m]."""
    x: ca.SX
    """Unit direction from root to tip."""
    d: ca.SX
    """Length of the element [m]."""
    A_dot: ca.SX
    """Velocity of A [m/s]."""
    x_dot: ca.SX
    """Rate of the direction [1/s]."""


def symbolic_rods(moving: RobotMotion, rods: Sequence[Rod]) -> tuple[RodLine, ...]:
    """Return the axes of rods of a robot in motion."""
    elements = [element for leg in moving.legs for element in leg.elements]
    lines: list[RodLine] = []
    for rod in rods:
        element = elements[rod.element]
        line, beside = element.line, element.carrier.R @ vector(rod.offset)
        A_dot = line.A_dot + ca.cross(element.carrier.w, beside)
        lines.append(RodLine(line.A + beside, line.x, line.d, A_dot, line.x_dot))
    return tuple(lines)


def rod_lines(rig: Rig, pose: ArrayLike) -> RodLines:
    """Return the axes of a rig's rods at poses (..., coordinates), which may not be reached: see `RodLines.status`.

    >>> pk.vision.rod_lines(rig, robot.sample(5)).A.shape
    (5, 4, 3)
    """
    count, n = len(rig.rods), rig.robot.degrees_of_freedom
    given = np.asarray(pose, float)
    flat, lead = given.reshape(-1, given.shape[-1]), given.shape[:-1]
    if rig.robot.legs:
        places = tuple((rod.element, rod.offset) for rod in rig.rods)
        out = rod_kernel(rig.robot, places)(pose=flat)
        status = out["status"]
    else:
        out, status = bar_lines(rig.robot, tuple(rod.element for rod in rig.rods), flat)
    shapes = {"A": (count, 3), "x": (count, 3), "d": (count,), "J_A": (count, 3, n), "J_x": (count, 3, n)}
    values = {name: np.reshape(out[name], (*lead, *shape)) for name, shape in shapes.items()}
    status = np.reshape(status, lead)
    if status.any():
        # A bar that stands on the base is where it is at any pose; a pose that is none has no bars.
        good = status == Status.GOOD
        values = {k: np.where(good.reshape(*lead, *[1] * len(shapes[k])), v, np.nan) for k, v in values.items()}
    return RodLines(**values, status=status)


def reached(rig: Rig, pose: ArrayLike) -> bool:
    """Return whether all rods of a rig are somewhere at one pose; limits of drives and joints are not looked at."""
    return bool(rod_lines(rig, pose).status == Status.GOOD)


Place = tuple[int, tuple[float, float, float]]
"""Which axis is meant: the number of its element, and its offset from that element's line [m]."""


@functools.lru_cache(maxsize=32)
def rod_kernel(robot: Robot, places: tuple[Place, ...]) -> Kernel:
    """Compile the axes of rods: pose -> A, x, d, J_A, J_x, status; rows of one rod follow those of the one before."""
    rods = tuple(Rod("", element, 1.0, offset=offset) for element, offset in places)

    def derive() -> Program:
        description = robot.description
        moving = robot_motion(description)
        lines = symbolic_rods(moving, rods)
        outputs = {
            "A": ca.vertcat(*(line.A.T for line in lines)),
            "x": ca.vertcat(*(line.x.T for line in lines)),
            "d": ca.vertcat(*(line.d for line in lines)),
            "J_A": ca.vertcat(*(ca.jacobian(line.A_dot, moving.velocity) for line in lines)),
            "J_x": ca.vertcat(*(ca.jacobian(line.x_dot, moving.velocity) for line in lines)),
        }
        dense = {name: ca.densify(value) for name, value in outputs.items()}
        return program_of("rods", Model({"pose": moving.pose}, dense), moving, description)

    return Kernel(Derivation(repr((robot.content("rods"), places)), derive), status="status")


def bar_lines(robot: Robot, numbers: tuple[int, ...], poses: Array) -> tuple[dict[str, Array], NDArray[np.int32]]:
    """Return A, x, d, J_A and J_x of bars, by their numbers, at poses (poses, coordinates), and the poses' statuses.

    Shapes are those of `RodLines`; loops are closed from home. Limits are not looked at, as for legs: cameras see
    bars beyond them as well.
    """
    n = robot.degrees_of_freedom
    segments = segments_of(robot.graph_description)
    each, units = np.repeat(poses, n, axis=0), np.tile(np.eye(n), (len(poses), 1))
    found = robot.evaluate("bodies", pose=each, velocity=units, acceleration=np.zeros_like(units))
    lines = [_line(robot, segments[number], found, n) for number in numbers]
    stacked = {name: np.stack([line[name] for line in lines], axis=1) for name in lines[0]}
    status = found.status.reshape(-1, n)[:, 0]
    return stacked, np.where(np.isin(status, WITH_VALUES), Status.GOOD, status).astype(np.int32)


def _line(robot: Robot, segment: Segment, found: Evaluation, n: int) -> dict[str, Array]:
    """Return the line of one bar (poses, ...)."""
    (A, A_dot), (B, B_dot) = (_end(robot, spot, found, n) for spot in segment.ends)
    d = np.linalg.norm(B - A, axis=-1)
    x = (B - A) / d[:, None]
    apart = (B_dot - A_dot) / d[:, None, None]
    J_x = apart - x[:, :, None] * np.einsum("pi,pin->pn", x, apart)[:, None, :]
    return {"A": A, "x": x, "d": d, "J_A": A_dot, "J_x": J_x}


def _end(robot: Robot, spot: Spot, found: Evaluation, n: int) -> tuple[Array, Array]:
    """Return an end of a bar (poses, 3) and its velocities for unit velocities of the pose (poses, 3, n)."""
    body, place = spot
    count = len(found.status) // n
    if body == BASE:
        return np.tile(np.array(place), (count, 1)), np.zeros((count, 3, n))
    k = robot.body_names.index(body)
    centre = next(entry.com for entry in robot.graph_description.bodies if entry.name == body)
    beside = np.array(place) - np.array(centre)
    p, v, R, w = (found[name][:, k].reshape(count, n, *found[name].shape[2:]) for name in ("p", "v", "R", "w"))
    arm = R[:, 0] @ beside
    velocities = v + np.cross(w, arm[:, None, :])
    return p[:, 0] + arm, np.swapaxes(velocities, 1, 2)
