"""What moves as an elastic bar stretches while the platform stands: the inertia that elongations have.

Of a leg whose arm or carriage a motor drives, with a bar from there to the platform, an elongation e of either turns or
shifts the driven element by dq = G e, and the bar follows:

    A_dot = d_0 x_0_dot + d_0_dot x_0        x_1_dot = -(A_dot + [e_dot x_1]) / d_1

where A is the joint between them. With the rates of all bodies for unit velocities of the platform this gives the rows
of the mass matrix in (x, e). Spins about lines, which are slow, are left out. Nothing moves as a strut stretches, whose
elongation is that of its motor's joint; of other legs elongations are taken to be without inertia.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from parakin.analysis.quantity import GoodPoses
from parakin.arrays import Array
from parakin.description import Element, Leg
from parakin.description.patterns import pattern_of

MOVED = ("arm", "rail")
"""Legs whose bodies move as an element stretches."""


class ElongationMass(NamedTuple):
    """The part of the mass matrix in (x, e) that elongations e have."""

    mixed: Array
    """M_xe (N, n, E)."""
    own: Array
    """M_ee (N, E, E)."""


class _Rates(NamedTuple):
    """Rates of all bodies of the legs for unit velocities (N, k, bodies, 3)."""

    v: Array
    w: Array


def elongation_mass(poses: GoodPoses, elastic: list[tuple[Leg, Element]], slopes: Array) -> ElongationMass:
    """Return the inertia of elongations of elastic elements, whose slopes dq/de (N, m, E) are given."""
    count, (n, E) = len(poses.poses), (poses.robot.degrees_of_freedom, len(elastic))
    if not any(pattern_of(leg) in MOVED for leg, _ in elastic):
        return ElongationMass(np.zeros((count, n, E)), np.zeros((count, E, E)))
    by_pose, R = _by_pose(poses)
    stretching = [_as_it_stretches(poses, R, *one, slopes[:, :, k]) for k, one in enumerate(elastic)]
    by_elongation = _Rates(*(np.stack(parts, axis=1) for parts in zip(*stretching, strict=True)))
    return ElongationMass(_inner(poses, R, by_pose, by_elongation), _inner(poses, R, by_elongation, by_elongation))


def _asked(poses: GoodPoses, model: str, velocities: Array) -> dict[str, Array]:
    """Return outputs of a model at all poses for velocities (N, k, n), with axes (N, k, ...)."""
    every = np.repeat(poses.poses[:, None], velocities.shape[1], axis=1)
    found = poses.robot.evaluate(model, pose=every, velocity=velocities, acceleration=np.zeros_like(velocities))
    return found.values


def _by_pose(poses: GoodPoses) -> tuple[_Rates, Array]:
    """Return the rates of leg bodies for unit velocities of the platform, and their orientations (N, bodies, 3, 3)."""
    n = poses.robot.degrees_of_freedom
    out = _asked(poses, "bodies", np.broadcast_to(np.eye(n), (len(poses.poses), n, n)))
    bodies = sum(len(element.bodies) for leg in poses.robot.legs for element in leg.elements)
    return _Rates(out["v"][:, :, :bodies], out["w"][:, :, :bodies]), out["R"][:, 0, :bodies]


def _as_it_stretches(poses: GoodPoses, R: Array, leg: Leg, stretched: Element, slope: Array) -> _Rates:
    """Return the rates (N, bodies, 3) of all leg bodies for a unit rate of one elongation, the platform at rest."""
    rates = _Rates(np.zeros(R.shape[:-1]), np.zeros(R.shape[:-1]))
    driven = f"{leg.name}.{leg.elements[0].name}"
    if pattern_of(leg) not in MOVED or driven not in poses.robot.actuator_names:
        return rates
    motor = poses.robot.actuator_names.index(driven)
    row = poses.jacobian[:, motor]
    alone = row / np.sum(row * row, axis=1, keepdims=True)  # a velocity at which this motor has the rate 1
    first = sum(len(one.elements) for one in poses.robot.legs[: poses.robot.legs.index(leg)])
    out = {name: value[:, 0, first : first + 2] for name, value in _asked(poses, "elements", alone[:, None]).items()}
    x, d, rate = out["x"], out["d"], slope[:, motor, None]
    x_dot, d_dot = out["x_dot"][:, 0] * rate, out["d_dot"][:, 0, None] * rate
    grows = [1.0 if element is stretched else 0.0 for element in leg.elements]
    A_dot = d[:, 0, None] * x_dot + (d_dot + grows[0]) * x[:, 0]
    turning = -(A_dot + grows[1] * x[:, 1]) / d[:, 1, None]
    at, begins, ends = (x_dot, turning), (np.zeros_like(A_dot), A_dot), (A_dot, np.zeros_like(A_dot))
    place = sum(len(one.bodies) for other in poses.robot.legs[: poses.robot.legs.index(leg)] for one in other.elements)
    for k, element in enumerate(leg.elements):
        w = np.cross(x[:, k], at[k])
        for body in element.bodies:
            arm = R[:, place] @ np.array(body.com)
            rates.v[:, place] = (ends if body.part == "tip" else begins)[k] + np.cross(w, arm)
            rates.w[:, place] = w
            place += 1
    return rates


def _inner(poses: GoodPoses, R: Array, left: _Rates, right: _Rates) -> Array:
    """Return sums over bodies of m v·v + w·I w between rates (N, a, bodies, 3) and (N, b, bodies, 3): (N, a, b)."""
    bodies = [body for leg in poses.robot.legs for element in leg.elements for body in element.bodies]
    masses, tensors = np.array([body.mass for body in bodies]), np.array([body.inertia for body in bodies])
    turned = np.einsum("Nbij,bjk,Nblk->Nbil", R, tensors, R)
    moving = np.einsum("Nabi,Ncbi,b->Nac", left.v, right.v, masses)
    return moving + np.einsum("Nabi,Nbij,Ncbj->Nac", left.w, turned, right.w)
