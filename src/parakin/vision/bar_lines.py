"""Where the bars of a mechanism are, and how they move with its pose: lines in base axes, from the model of its bodies.

    A = p + R (a - c),    A_dot = v + w x (A - p),    d x = B - A,    d x_dot = (1 - x x^T)(B_dot - A_dot)

with p, R, v, w of the body that carries an end, c its centre of mass and a the end in its axes. Velocities are linear
in that of the pose: J_A and J_x are what unit velocities give.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array
from parakin.kinematics.status import WITH_VALUES, Status
from parakin.mechanism.bars import Segment, Spot, segments_of
from parakin.mechanism.model import BASE
from parakin.robot import Evaluation, Robot


def bar_lines(robot: Robot, numbers: tuple[int, ...], poses: Array) -> tuple[dict[str, Array], NDArray[np.int32]]:
    """Return A, x, d, J_A and J_x of bars, by their numbers, at poses (poses, coordinates), and the poses' statuses.

    Shapes are those of `rods.RodLines`; loops are closed from home. Limits are not looked at, as for legs: cameras see
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
