"""How far poses are from singular, in numbers without units: of the platform, of legs, of the joints' conditions.

    A v = B q_dot         rows of A: what each actuator holds; B: diagonal, zero where a leg is stretched or folded

[Gosselin1990] calls det B = 0 type 1 (a motor moves, the platform does not: it has lost a motion) and det A = 0 type 2
(the platform moves while all motors stand still: it has lost a force). J_qv = B^-1 A, so the rows of A are those of
J_qv, each divided by its length; rotations count as displacements at the robot's `length`. The platform's margin is the
smallest singular value of this A, with the sign of its determinant where it is square. A leg's margin is the pivot that
its rates are divided by: the sine between its bars, or the cosine between a rail and its rod. A universal joint's is
the sine between its axis 1 and the line of its element.

A constraint singularity [Zlatanov2002] is a pose at which the conditions of all joints together lose rank, whatever the
motors do. Its margin is the smallest singular value that counts of the Jacobian of the graph's closing conditions, all
lengths in sizes of the robot, beside the largest.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.mechanism.assembling import scaled_rows
from parakin.mechanism.skeleton import Skeleton
from parakin.motions.offsets import displaced, offset_between
from parakin.robot import Robot
from parakin.trajectory import Samples

STEPS = 10
"""The graph of a robot of legs follows its platform from home in so many steps, to stay in its assembly mode."""
RANK = 1e-7
"""Singular values of the closing conditions, beside the largest, that count towards their rank."""


@frozen_arrays
class Margins:
    """How far poses are from singular; NaN where a margin is not defined or the pose cannot be reached."""

    platform: Array
    """Smallest singular value of the length-scaled A with unit rows (...), with the sign of det A where that is square:
    zero at a singularity of type 2."""
    legs: Array
    """The pivot of each leg (..., legs), without sign: zero at a singularity of type 1. A mechanism has none."""
    universal: Array
    """Sine between the line of an element and axis 1 of the passive universal joint at its root (..., joints): zero
    where the joint spins it about itself. A mechanism has none."""
    condition: Array
    """Condition number of the length-scaled J_qv (...)."""
    constraint: Array
    """Smallest singular value of the closing conditions that counts, beside the largest (...): zero at a constraint
    singularity. NaN where it was not asked for."""


def margins(robot: Robot, pose: Array, *, constraint: bool = False) -> Margins:
    """Return how far poses (..., coordinates) are from singularities of every type.

    constraint: also work out the conditions of the joints, a millisecond for each pose and more.

    >>> seen = pk.analysis.margins(robot, np.array([robot.home, [0.1, 0.05, -0.45]]))
    >>> seen.platform.round(3), seen.legs.min(axis=-1).round(3)
    (array([0.908, 0.822]), array([0.909, 0.903]))
    """
    poses = np.asarray(pose, float)
    J = scaled(robot, poses)
    legs, universal = _leg_pivots(robot, poses), _universal_sines(robot, poses)
    held = constraint_margins(robot, poses) if constraint else np.full(poses.shape[:-1], np.nan)
    return Margins(platform_margin(J), legs, universal, robot.condition(poses), held)


def scaled(robot: Robot, poses: Array) -> Array:
    """Return J_qv (..., m, n) with rotations counted as displacements at the robot's length; NaN where none is."""
    J = robot.evaluate("jacobian", pose=poses)["J_qv"]
    return J * np.array(robot.motion_type.scale(1 / robot.length))


def platform_margin(J: Array) -> Array:
    """Return the smallest singular value of J (..., m, n) with rows of unit length, with the sign of a determinant."""
    known = np.asarray(np.isfinite(J).all(axis=(-2, -1)))
    found = np.full(known.shape, np.nan)
    rows = J[known]
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    A = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)  # a motor that holds nothing has no row
    least = np.linalg.svd(A, compute_uv=False)[..., -1]
    if J.shape[-2] == J.shape[-1]:
        least = least * np.where(np.linalg.det(A) < 0, -1.0, 1.0)
    found[known] = least
    return found


def _leg_pivots(robot: Robot, poses: Array) -> Array:
    """The pivots of the legs, NaN where a pose is out of reach."""
    if not robot.legs:
        return np.empty((*poses.shape[:-1], 0))
    pivots = np.abs(robot.kernel("check")(pose=poses)["leg_pivot"][..., : len(robot.legs)])
    excess = robot.evaluate("inverse_kinematics", pose=poses).excess
    return np.where(excess > 0, np.nan, pivots)


def _universal_sines(robot: Robot, poses: Array) -> Array:
    """The cosines of second angles, which count from the plane across axis 1; NaN where a pose is out of reach."""
    elements = [(leg.name, one) for leg in robot.legs for one in leg.elements]
    names = {f"{leg}.{one.name}.joint.2" for leg, one in elements if one.joint.type == "universal"}
    chosen = [k for k, name in enumerate(robot.joint_names) if name in names]
    if not chosen:
        return np.empty((*poses.shape[:-1], 0))
    sines = np.abs(np.cos(np.asarray(robot.kernel("joint_coordinates")(pose=poses)["coordinate"])[..., chosen]))
    excess = robot.evaluate("inverse_kinematics", pose=poses).excess
    return np.where((excess > 0).any(axis=-1, keepdims=True), np.nan, sines)


# Conditions of the joints --------------------------------------------------------------------------------------------


def constraint_margins(robot: Robot, poses: Array) -> Array:
    """Return the smallest singular value that counts of the closing conditions at poses (...), beside the largest."""
    tree = robot.graph.plan.skeleton
    flat = poses.reshape(-1, poses.shape[-1])
    usual = max(_rank(tree, one) for one in configurations(robot, np.concatenate([robot.home[None], robot.sample(4)])))
    found = [_least(tree, one, usual) for one in configurations(robot, flat)]
    return np.array(found).reshape(poses.shape[:-1])


def configurations(robot: Robot, poses: Array) -> Array:
    """Return configurations (N, c) of the robot's graph at poses (N, coordinates), led there from home; NaN if lost."""
    graph = robot.graph
    if not robot.legs:
        return np.array(graph.led_from_home(poses).configuration)
    chosen = [graph.actuator_names.index(name) for name in graph.pose_names]
    sign, zero = (np.array([getattr(actuator, name) for actuator in robot.actuators]) for name in ("sign", "zero"))
    away = offset_between(robot.motion_type, robot.home, poses)
    near = np.broadcast_to(graph.home_configuration, (len(poses), len(graph.home_configuration)))
    for step in range(1, STEPS + 1):
        on_way = displaced(robot.motion_type, robot.home, step / STEPS * away)
        q = robot.evaluate("inverse_kinematics", pose=on_way)["q"]
        where = (zero + sign * q)[..., chosen]
        near = graph.evaluate("configuration", pose=where, near=near)["configuration_found"]
    return np.array(near)


def _sizes(tree: Skeleton, configuration: Array) -> Array:
    """Singular values of the closing conditions, the largest 1."""
    if not np.isfinite(configuration).all():
        return np.full(1, np.nan)
    _, J = scaled_rows(tree, configuration)
    if not len(J):
        return np.ones(1)
    sizes = np.linalg.svd(J, compute_uv=False)
    return sizes / sizes[0]


def _rank(tree: Skeleton, configuration: Array) -> int:
    return int(np.sum(_sizes(tree, configuration) > RANK))


def _least(tree: Skeleton, configuration: Array, rank: int) -> float:
    sizes = _sizes(tree, configuration)
    return float(sizes[min(rank, len(sizes)) - 1])


CONSTRAINT_POSES = 50
"""Poses of a motion at most at which the conditions of the joints are looked at: they take a millisecond each."""


@frozen_arrays
class MotionMargins:
    """Margins at every sample of a motion."""

    t: Array
    """Times of the samples (N,) [s]."""
    margins: Margins
    """The margins; that of constraints is NaN where it was not looked at."""
    crossed: bool
    """Whether the platform's margin changes its sign: the motion passes through a singularity of type 2."""

    @property
    def worst(self) -> dict[str, tuple[float, float]]:
        """The least margin of each type, with the time at which it is least [s]."""
        found: dict[str, tuple[float, float]] = {}
        rows = {"platform": np.abs(self.margins.platform), "constraint": self.margins.constraint}
        for name, each in (("leg", self.margins.legs), ("universal joint", self.margins.universal)):
            if each.shape[1]:
                rows[name] = np.min(np.where(np.isnan(each), np.inf, each), axis=1)
        for name, values in rows.items():
            if np.isfinite(values).any():
                k = int(np.nanargmin(values))
                found[name] = float(values[k]), float(self.t[k])
        return found

    def __str__(self) -> str:
        parts = [f"{name} {value:.3g} at {t:.3g} s" for name, (value, t) in self.worst.items()]
        return f"least margins: {', '.join(parts)}" + ("; it crosses a singularity of type 2" if self.crossed else "")


def margins_along(robot: Robot, samples: Samples, *, constraint: bool = False) -> MotionMargins:
    """Return the margins from singularities of every type along a sampled motion.

    >>> motion = pk.trajectory.motion("pick_and_place", robot)
    >>> print(pk.analysis.margins_along(robot, motion.sampled(100.0)))
    least margins: platform 0.786 at 0.5 s, leg 0.832 at 0.36 s
    """
    found = margins(robot, samples.pose)
    if constraint:
        chosen = np.unique(np.linspace(0, len(samples.pose) - 1, CONSTRAINT_POSES).astype(int))
        held = np.full(len(samples.pose), np.nan)
        held[chosen] = margins(robot, samples.pose[chosen], constraint=True).constraint
        found = replace(found, constraint=held)
    signs = np.sign(found.platform[~np.isnan(found.platform)])
    square = len(robot.actuator_names) == robot.degrees_of_freedom
    return MotionMargins(samples.t, found, square and bool((signs != signs[:1]).any()))
