"""Turn candidates into solutions: Newton on the closure equations, then each solution kept once."""

from __future__ import annotations

import functools
import math
from typing import Any

import casadi as ca
import numpy as np

from parakin.arrays import frozen_arrays
from parakin.assembly.closure import Spheres, Tori
from parakin.assembly.result import Array, Counts, Flags
from parakin.kernels import Kernel, Program, iterate, stage
from parakin.kinematics.platform import platform_motion
from parakin.linalg.solve import solve_pivoted
from parakin.motions import MotionType

NEWTON_STEP_TOLERANCE = 1e-14
"""Size of a step, in lengths of the robot and rad, below which Newton stops: rounding is about as large."""
NEWTON_STEP_LIMIT = 40
"""Most Newton steps; a double solution gains one bit with each."""
RESIDUAL_TOLERANCE = 1e-12
"""Largest |(|r|^2 - l^2)/2| of a solution, in squared lengths of the robot and relative to 1 + l^2."""
REGULAR_PIVOT_RATIO = 1e-6
"""Ratio of the smallest to the largest pivot of Newton's matrix below which a solution is singular."""
SAME_POSE = 1e-6
"""Largest difference of two regular solutions that are one, in lengths of the robot."""
SAME_SINGULAR_POSE = 1e-3
"""Largest difference of two singular solutions that are one; these are known to half the digits only."""
COMPARED_SETS = 20_000
"""Number of sets whose solutions are compared at a time, to bound memory."""


@frozen_arrays(eq=True)
class Polished:
    """The real solutions of each set of surfaces, each once."""

    poses: Array
    """(..., K, n) solutions in pose coordinates, NaN beyond `count`."""
    count: Counts
    """(...) number of solutions."""
    singular: Counts
    """(...) how many of them are singular."""


def _sphere(r: ca.SX, surface: dict[str, ca.SX]) -> tuple[ca.SX, ca.SX]:
    """Return (|r|^2 - l^2)/2 and its gradient with respect to r, which is r."""
    return 0.5 * (ca.dot(r, r) - surface["squared_length"]), r


def _torus(r: ca.SX, surface: dict[str, ca.SX]) -> tuple[ca.SX, ca.SX]:
    """Return (|Q| - 2 a rho)/2 and its gradient: Q = |r|^2 + a^2 - l^2, rho the distance from the axis.

    Q is positive where the link points towards the attachment and negative where it points away.
    """
    a, k = surface["offset"], surface["axis"].T
    across = r - ca.dot(k, r) * k
    rho = ca.norm_2(across)
    Q = ca.dot(r, r) + a**2 - surface["squared_length"]
    return 0.5 * (ca.fabs(Q) - 2 * a * rho), ca.sign(Q) * r - a * across / rho


_SURFACES = {Spheres: _sphere, Tori: _torus}
"""For each kind of surface the function that gives its residual and gradient."""


@functools.cache
def newton_kernel(motion: MotionType, kind: type[Spheres]) -> Kernel:
    """Return the kernel that does Newton for all robots of a motion: r_i on surface i for every leg, steps as twists.

        r_i = p_OE + R_OE b_i - u_i,      row_i = grad_i^T L + (R_OE b_i x grad_i)^T W

    L and W take the platform's velocity to that of E and to its angular velocity. A step longer than 1 is cut to 1;
    one that is not below 1000, or not a number, ends the search.
    """
    freedom = motion.degrees_of_freedom
    pose, still = ca.SX.sym("pose", len(motion.coordinates)), ca.SX.zeros(freedom)
    columns = {"u": 3, "b": 3, "squared_length": 1} | ({"offset": 1, "axis": 3} if kind is Tori else {})
    surfaces = {name: ca.SX.sym(name, freedom, width) for name, width in columns.items()}
    platform = platform_motion(motion, pose, still, still)
    residuals: list[ca.SX] = []
    rows: list[ca.SX] = []
    for k in range(freedom):
        surface = {name: values[k, :] for name, values in surfaces.items()}
        turned = platform.R_OE @ surface["b"].T
        value, gradient = _SURFACES[kind](platform.p_OE + turned - surface["u"].T, surface)
        residuals.append(value / (1 + surface["squared_length"]))
        row = gradient.T @ platform.L + ca.cross(turned, gradient).T @ platform.W
        rows.append(row / (1 + surface["squared_length"]))
    residual = ca.vertcat(*residuals)
    twist, ratio = solve_pivoted(ca.vertcat(*rows), -residual)
    size = ca.norm_2(twist)
    usable = size < 1e3
    moved = ca.if_else(usable, motion.stepped(pose, ca.if_else(usable, twist * ca.fmin(1, 1 / size), 0)), pose)
    moved = ca.if_else(size > 0, moved, pose)
    done = ca.logic_or(size < NEWTON_STEP_TOLERANCE, ca.logic_not(usable))
    inputs = {"pose": pose} | surfaces
    names = list(inputs)
    step = ca.Function("step", list(inputs.values()), [moved, done], names, ["next", "done"], {"cse": True})
    outcome = {"residual": ca.norm_inf(residual), "ratio": ratio, "size": size}
    check = ca.Function("check", list(inputs.values()), list(outcome.values()), names, list(outcome))
    program = Program(
        iterate(stage(step, next="pose"), until="done", limit=NEWTON_STEP_LIMIT),
        check,
        outputs=("pose", "residual", "ratio", "size"),
        name=f"closure_{motion.name.replace('-', '_')}_{kind.__name__.lower()}",
    )
    return Kernel(program, matrices=tuple(name for name, width in columns.items() if width > 1))


def polished(motion: MotionType, candidates: Array, surfaces: Spheres, length: float) -> Polished:
    """Return the solutions near candidates (..., K, n), which are NaN where there is none.

    Newton works with `length`, that of the robot [m], as the unit of length.
    """
    scale = np.ones(candidates.shape[-1])
    scale[: len(motion.linear)] = length
    batch, count = candidates.shape[:-2], candidates.shape[-2]
    flat = (candidates / scale).reshape(math.prod(batch), count, candidates.shape[-1])
    m = surfaces.u.shape[-2]
    scaled = surfaces.measured_in(length)
    given: dict[str, Any] = {"u": scaled.u.reshape(len(flat), 1, m, 3), "b": scaled.b}
    given["squared_length"] = scaled.squared_length.reshape(len(flat), 1, m)
    if isinstance(scaled, Tori):
        given |= {"offset": scaled.offset, "axis": scaled.axis.reshape(len(flat), 1, m, 3)}
    out = newton_kernel(motion, type(scaled))(pose=flat, **given)
    with np.errstate(invalid="ignore"):
        good = out["residual"] < RESIDUAL_TOLERANCE
        singular = good & ~((out["ratio"] > REGULAR_PIVOT_RATIO) & (out["size"] < SAME_POSE))
    poses = _standard(motion, out["pose"])
    blocks = [slice(k, k + COMPARED_SETS) for k in range(0, max(1, len(poses)), COMPARED_SETS)]
    kept = np.concatenate([_first_of_each(motion, poses[k], good[k], singular[k]) for k in blocks])
    return _packed(poses * scale, kept, kept & singular, batch)


def _standard(motion: MotionType, poses: Array) -> Array:
    """Return the poses with angles in (-pi, pi] and quaternions with w >= 0."""
    if motion.turns_about_z:
        turn = poses[..., -1:]
        wrapped = turn - 2 * np.pi * np.ceil((turn - np.pi) / (2 * np.pi))
        return np.concatenate([poses[..., :-1], wrapped], axis=-1)
    if motion.quaternion is not None:
        return np.concatenate([poses[..., :3], np.where(poses[..., 3:4] < 0, -1.0, 1.0) * poses[..., 3:]], axis=-1)
    return poses


def _comparable(motion: MotionType, poses: Array) -> Array:
    """Return coordinates in which near poses are near: cos and sin of an angle, products of quaternion components."""
    if motion.turns_about_z:
        return np.concatenate([poses[..., :-1], np.cos(poses[..., -1:]), np.sin(poses[..., -1:])], axis=-1)
    if motion.quaternion is not None:
        quaternion = poses[..., 3:]
        products = quaternion[..., :, None] * quaternion[..., None, :]
        return np.concatenate([poses[..., :3], products.reshape(*products.shape[:-2], 16)], axis=-1)
    return poses


def _first_of_each(motion: MotionType, poses: Array, good: Flags, singular: Flags) -> Flags:
    """Tell which solutions are kept: of several equal ones the first."""
    values = np.where(good[..., None], _comparable(motion, poses), 0.0)
    kept = good.copy()
    for k in range(1, poses.shape[-2]):
        gap = np.max(np.abs(values[:, :k] - values[:, k : k + 1]), axis=-1)
        limit = np.where(singular[:, :k] & singular[:, k : k + 1], SAME_SINGULAR_POSE, SAME_POSE)
        kept[:, k] &= ~np.any((gap < limit) & kept[:, :k], axis=-1)
    return kept


def _packed(poses: Array, kept: Flags, singular: Flags, batch: tuple[int, ...]) -> Polished:
    """Return the kept solutions first and NaN after them, in as few columns as the largest set needs."""
    count = np.sum(kept, axis=-1)
    widest = int(np.max(count, initial=0))
    order = np.argsort(~kept, axis=-1, kind="stable")[:, :widest]
    chosen = np.take_along_axis(poses, order[..., None], axis=1)
    chosen = np.where(np.arange(widest)[None, :, None] < count[:, None, None], chosen, np.nan)
    shape = (*batch, widest, poses.shape[-1])
    return Polished(chosen.reshape(shape), count.reshape(batch), np.sum(singular, axis=-1).reshape(batch))
