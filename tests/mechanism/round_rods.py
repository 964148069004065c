"""Mechanisms with round rods between two balls, as plans take them and with these rods as bodies that spin."""

from __future__ import annotations

from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np

from parakin.arrays import Array
from parakin.mechanism import MechanismDescription, Plan, ball_rods
from parakin.mechanism.plan import plan
from parakin.robot import Robot
from tests.mechanisms import described

AT = 0.4
"""Where the centre of mass of a rod is, in its length."""


def rounded(name: str, *, thickness: float = 0.0, independent: bool = False) -> MechanismDescription:
    """Return a reference mechanism whose rods are round; thickness: inertia about the line beside that across."""
    tables = described(name, independent=independent).model_dump()
    for rod in ball_rods(described(name, independent=False)):
        body = next(body for body in tables["bodies"] if body["name"] == rod.body)
        a, b = (_end(tables, ball, rod.body) for ball in rod.balls)
        x = (b - a) / rod.length
        across = AT * body["mass"] * rod.length**2 / 12
        tensor = across * (np.eye(3) - (1 - thickness) * np.outer(x, x))
        body |= {"com": tuple((a + AT * (b - a)).tolist()), "inertia": tuple(map(tuple, tensor.tolist()))}
    return MechanismDescription.model_validate(tables)


def _end(tables: dict[str, Any], ball: str, body: str) -> Array:
    joint = next(joint for joint in tables["joints"] if joint["name"] == ball)
    frame = joint["parent_frame"] if joint["parent"] == body else joint["child_frame"]
    return np.array(frame["position"])


def _spinning(description: MechanismDescription, independent: tuple[str, ...] | None) -> Plan:
    return plan(description, independent, distances=False)


def with_bodies(description: MechanismDescription) -> Robot:
    """Return a mechanism in which no rod is a distance: its pose has the rods' spins after all else."""
    with patch("parakin.robot.graph_engine.remembered_plan", _spinning):
        return Robot(description)


@cache
def pair(name: str, thickness: float) -> tuple[Robot, Robot]:
    """Return a mechanism with round rods as its plan takes them, and with rods as bodies."""
    description = rounded(name, thickness=thickness)
    return Robot(description), with_bodies(description)


def lines(one: Robot, R: Array) -> Array:
    """Return the directions of all rods in base axes (states, rods, 3); R: axes of all bodies."""
    description = one.graph_description
    joints = {joint.name: joint for joint in description.joints}
    found: list[Array] = []
    for rod in ball_rods(description):
        k = one.body_names.index(rod.body)
        frames = [
            joints[ball].parent_frame if joints[ball].parent == rod.body else joints[ball].frame_on_child
            for ball in rod.balls
        ]
        a, b = (np.array(frame.position) for frame in frames)
        found.append(R[:, k] @ (b - a) / rod.length)
    return np.stack(found, axis=1)


def unspun(bodies: Robot, pose: Array, velocity: Array, acceleration: Array) -> tuple[Array, Array, Array]:
    """Return states of a mechanism with rods as bodies in which no rod turns about its line: w·n = 0."""
    count = len(ball_rods(bodies.graph_description))
    zeros = np.zeros((len(pose), count))
    full = [np.concatenate([values, zeros], axis=1) for values in (pose, velocity, acceleration)]
    full[0][:, -count:] = bodies.home[-count:]

    def spins(u: Array) -> Array:
        moving = bodies.bodies(full[0], u, full[2])
        n = lines(bodies, moving.R)
        rods = [bodies.body_names.index(rod.body) for rod in ball_rods(bodies.graph_description)]
        return np.einsum("kri,kri->kr", moving.w[:, rods], n)

    given = spins(full[1])
    share = np.zeros((len(pose), count, count))
    for k in range(count):
        u = full[1].copy()
        u[:, -count + k] += 1.0
        share[:, :, k] = spins(u) - given
    full[1][:, -count:] = -np.linalg.solve(share, given[:, :, None])[:, :, 0]
    return full[0], full[1], full[2]
