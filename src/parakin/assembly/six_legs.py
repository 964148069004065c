"""Solve robots of six legs by the second homotopy: from the robot's start set to each q."""

from __future__ import annotations

import numpy as np

from parakin.assembly.closure import Closure, Spheres, Tori
from parakin.assembly.dual_quaternions import displacement, platform_parameters
from parakin.assembly.homotopy import at_infinity, followed
from parakin.assembly.polish import polished
from parakin.assembly.result import Array, AssemblyModes, Complex, Counts, Flags
from parakin.assembly.sphere_system import spheres
from parakin.assembly.start_set import StartSet, start_set
from parakin.assembly.torus_start_set import torus_parameters, torus_start_set
from parakin.assembly.torus_system import tori
from parakin.motions import SPATIAL

LARGEST_IMAGINARY_PART = 1e-2
"""Imaginary part of a unit quaternion or scaled position up to which Newton is asked whether a solution is real."""
PATHS_AT_A_TIME = 80_000
"""Number of paths that are followed together, to bound memory."""


def modes(closure: Closure, q: Array) -> AssemblyModes:
    """Return all poses of a platform on six legs at actuator positions q (..., 6)."""
    usable = closure.usable(q)[..., None]
    flat = np.where(usable, q, 1.0).reshape(-1, q.shape[-1])
    width = max(1, PATHS_AT_A_TIME // len(_start(closure).y))
    parts = [_batch(closure, flat[k : k + width]) for k in range(0, max(1, len(flat)), width)]
    widest = max(part.poses.shape[-2] for part in parts)
    poses = np.concatenate([_widened(part.poses, widest) for part in parts]).reshape(*q.shape[:-1], widest, 7)

    def joined(name: str) -> Counts:
        return np.where(usable[..., 0], np.concatenate([getattr(p, name) for p in parts]).reshape(q.shape[:-1]), 0)

    counts = {name: joined(name) for name in ("count", "complex_count", "at_infinity", "singular")}
    return AssemblyModes(np.where(usable[..., None], poses, np.nan), **counts)


def _start(closure: Closure) -> StartSet:
    """Return the start set of the robot's kind of surfaces."""
    return torus_start_set(closure) if closure.offset else start_set(closure)


def _widened(poses: Array, width: int) -> Array:
    """Return the poses (N, K, 7) with NaN behind them, up to `width` of a set."""
    return np.pad(poses, ((0, 0), (0, width - poses.shape[1]), (0, 0)), constant_values=np.nan)


def _batch(closure: Closure, q: Array) -> AssemblyModes:
    """Return all poses at finite actuator positions (N, 6), followed together."""
    start, surfaces = _start(closure), closure.surfaces(q)
    scaled = surfaces.measured_in(start.scale)
    kind, theta = (
        (tori, torus_parameters(scaled)) if isinstance(scaled, Tori) else (spheres, platform_parameters(scaled))
    )
    ends = followed(kind, start.y, start.theta, theta)
    infinite = at_infinity(ends)
    candidates = _real_poses(ends.y, ~infinite, surfaces, start.scale)
    real = polished(SPATIAL, candidates, surfaces, closure.length)
    finite = np.sum(~infinite, axis=-1)
    return AssemblyModes(real.poses, real.count, finite, start.infinite + np.sum(infinite, axis=-1), real.singular)


def _real_poses(y: Complex, finite: Flags, surfaces: Spheres, scale: float) -> Array:
    """Return poses (N, K, 7) of the solutions that look real, NaN after the last: p_OE = w + u_1 - R_OE b_1."""
    w, x = displacement(y)
    with np.errstate(invalid="ignore"):
        turned = np.max(np.abs(x.imag), axis=-1)
        moved = np.max(np.abs(w.imag), axis=-1) / (1 + np.max(np.abs(w.real), axis=-1))
        real = finite & (np.maximum(turned, moved) < LARGEST_IMAGINARY_PART)
        quaternion = x.real / np.linalg.norm(x.real, axis=-1, keepdims=True)
        p_OE = scale * w.real + surfaces.u[:, :1, :] - _rotated(quaternion, surfaces.b[0])
    poses = np.where(real[..., None], np.concatenate([p_OE, quaternion], axis=-1), np.nan)
    order = np.argsort(~real, axis=-1, kind="stable")[:, : int(np.max(np.sum(real, axis=-1), initial=0))]
    return np.take_along_axis(poses, order[..., None], axis=1)


def _rotated(quaternion: Array, v: Array) -> Array:
    """Return R v = v + 2 (w X x v + X x (X x v)) for quaternions (w, X)."""
    X = quaternion[..., 1:]
    across = np.cross(X, v)
    return v + 2 * (quaternion[..., :1] * across + np.cross(X, across))
