"""Six legs: two parameter homotopies, the first once for a robot, the second for each q."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from importlib import resources

import numpy as np

from parakin.robot.assembly.closure import Closure, Numbers
from parakin.robot.assembly.polish import polished
from parakin.robot.assembly.result import Array, AssemblyModes, Complex, Counts, Flags
from parakin.robot.assembly.study import displacement, platform_parameters
from parakin.robot.assembly.tracker import TOLERANCE, Paths, track

INFINITE = 1e-12
"""|x·x| of a solution of unit length that is at infinity, for paths that arrived."""
NEARLY_INFINITE = 1e-3
"""The same where a path stalled before a singular end: what is left of t counts by its root."""
CAREFUL = 1e-2
"""Factor on the tolerance for paths that are followed again."""
DRAWS = 4
"""Random starts at most, until two agree in the number of finite solutions."""
AWAY = 0.3
"""How far the random joint coordinates are from home: in sizes of the machine, or rad."""
REAL = 1e-2
"""Imaginary part of a unit quaternion or scaled position up to which Newton is asked whether a solution is real."""
DISTINCT = 1e-7
"""Ends of two paths nearer than this are one."""
SEED = 40
BATCH = 2_000
"""Sets followed at a time, to bound memory."""


@dataclass(frozen=True)
class Generic:
    """A random complex platform and its 40 solutions (tools/generic_platform.py)."""

    theta: Complex
    y: Complex


@dataclass(frozen=True)
class StartSet:
    """All finite solutions of a robot's geometry at random complex joint coordinates.

    scale [m]: lengths are measured in it; infinite: how many of the 40 went to infinity, `singular` to a multiple solution.
    """

    scale: float
    theta: Complex
    y: Complex
    infinite: int
    singular: int


@functools.cache
def generic() -> Generic:
    with (resources.files("parakin.robot.assembly") / "data" / "generic_platform.npz").open("rb") as file:
        stored = np.load(file, allow_pickle=False)
        return Generic(stored["theta"], stored["y"])


@functools.lru_cache(maxsize=64)
def start_set(closure: Closure) -> StartSet:
    """The first homotopy, from the generic platform to this robot at random complex coordinates.

    Random coordinates are drawn until two draws give the same largest number of finite solutions: a path that jumped
    would leave a duplicate, which is followed again with shorter steps, or be missed by one draw alone.
    """
    rng = np.random.default_rng(SEED)
    sets: list[StartSet] = []
    for _ in range(DRAWS):
        sets.append(_drawn(closure, rng))
        counts = [len(found.y) for found in sets]
        if counts.count(max(counts)) > 1:
            break
    return max(sets, key=lambda found: len(found.y))


def _drawn(closure: Closure, rng: np.random.Generator) -> StartSet:
    scale = _scale(closure)
    theta = _parameters(closure, *closure.spheres_at(_random_coordinates(closure, scale, rng)), scale)
    source = generic()
    ends = _followed(source.y, source.theta, theta[None])
    arrived, infinite = ends.arrived[0], _at_infinity(ends)[0]
    finite = arrived & ~infinite & _first(ends.y, ends.arrived)[0]
    return StartSet(scale, theta, ends.y[0][finite], int(np.sum(infinite)), int(np.sum(~finite & ~infinite)))


def _random_coordinates(closure: Closure, scale: float, rng: np.random.Generator) -> Complex:
    """Near home, but well away from real ones: short paths, and no two solutions near each other on the way."""
    count = len(closure.tethers)
    away = AWAY * rng.uniform(0.7, 1.3, count) * np.exp(1j * rng.uniform(0.2 * np.pi, 0.8 * np.pi, count))
    sizes = np.array([1.0 if tether.pattern == "arm" else scale for tether in closure.tethers])
    return closure.home() + rng.choice([-1.0, 1.0], count) * sizes * away


def _scale(closure: Closure) -> float:
    """[m] Size of the machine: root mean square of its legs at home, and of its base and platform points."""
    u, squared_length = closure.spheres_at(closure.home())
    spread = [np.sum((points - points.mean(axis=0)) ** 2, axis=-1) for points in (u, closure.b)]
    return float(np.sqrt(np.mean(np.concatenate([squared_length, *spread]))))


def _parameters(closure: Closure, u: Numbers, squared_length: Numbers, scale: float) -> Complex:
    return platform_parameters(closure.b / scale, u / scale, squared_length / scale**2)


def modes(closure: Closure, q: Array) -> AssemblyModes:
    """The second homotopy, from the robot's own finite set to each q."""
    usable = np.isfinite(q).all(axis=-1)
    flat = np.where(usable[..., None], q, 1.0).reshape(-1, q.shape[-1])
    parts = [_batch(closure, flat[k : k + BATCH]) for k in range(0, max(1, len(flat)), BATCH)]
    widest = max(part.poses.shape[-2] for part in parts)

    def joined(values: list[Counts]) -> Counts:
        return np.where(usable, np.concatenate(values).reshape(q.shape[:-1]), 0)

    poses = np.concatenate([_widened(part.poses, widest) for part in parts]).reshape(*q.shape[:-1], widest, 7)
    return AssemblyModes(
        np.where(usable[..., None, None], poses, np.nan),
        joined([part.count for part in parts]),
        joined([part.complex_count for part in parts]),
        joined([part.at_infinity for part in parts]),
        joined([part.singular for part in parts]),
    )


def _widened(poses: Array, width: int) -> Array:
    return np.pad(poses, ((0, 0), (0, width - poses.shape[1]), (0, 0)), constant_values=np.nan)


def _batch(closure: Closure, q: Array) -> AssemblyModes:
    start = start_set(closure)
    scale = start.scale
    u, squared_length = closure.spheres(q)
    theta = _parameters(closure, u, squared_length, scale)
    ends = _followed(start.y, start.theta, theta)
    infinite = _at_infinity(ends)
    candidates = _real_poses(ends.y, ~infinite, closure, u, scale)
    real = polished("spatial", candidates, u, squared_length, closure.b, closure.length)
    finite = np.sum(~infinite, axis=-1)
    return AssemblyModes(real.poses, real.count, finite, start.infinite + np.sum(infinite, axis=-1), real.singular)


def _followed(y: Complex, theta_start: Complex, theta_end: Complex) -> Paths:
    """Paths (N, K) from y (K, 8) to theta_end (N, 36); sets in which two ends coincide though regular are followed once more, with shorter steps."""
    paths = _tracked(y, theta_start, theta_end, TOLERANCE)
    doubtful = np.any(paths.arrived & ~_first(paths.y, paths.arrived), axis=-1)
    if not doubtful.any():
        return paths
    again = _tracked(y, theta_start, theta_end[doubtful], CAREFUL * TOLERANCE)
    ends, t, arrived, steps = (values.copy() for values in (paths.y, paths.t, paths.arrived, paths.steps))
    ends[doubtful], t[doubtful], arrived[doubtful], steps[doubtful] = again.y, again.t, again.arrived, again.steps
    return Paths(ends, t, arrived, steps)


def _tracked(y: Complex, theta_start: Complex, theta_end: Complex, tolerance: float) -> Paths:
    """Lanes side by side follow the same path for different ends, which takes them about as many steps."""
    paths = track(y[:, None, :], theta_start, theta_end[None], tolerance)
    return Paths(np.swapaxes(paths.y, 0, 1), paths.t.T, paths.arrived.T, paths.steps.T)


def _at_infinity(paths: Paths) -> Flags:
    return np.abs(np.sum(paths.y[..., :4] ** 2, axis=-1)) < np.where(paths.arrived, INFINITE, NEARLY_INFINITE)


def _first(y: Complex, arrived: Flags) -> Flags:
    """Whether no earlier path that arrived has the same end: |y^H y'| = 1."""
    overlap = np.abs(np.einsum("nai,nbi->nab", y.conj(), y))
    same = (1 - overlap < 0.5 * DISTINCT**2 + 1e-13) & arrived[:, None, :] & arrived[:, :, None]
    return ~np.any(np.tril(same, -1), axis=-1)


def _real_poses(y: Complex, finite: Flags, closure: Closure, u: Array, scale: float) -> Array:
    """Poses (N, K, 7) of solutions that look real, NaN for the others: p_OE = w + u_1 - R_OE b_1."""
    w, x = displacement(y)
    with np.errstate(invalid="ignore"):
        off = np.maximum(np.max(np.abs(x.imag), axis=-1), np.max(np.abs(w.imag), axis=-1) / (1 + np.max(np.abs(w.real), axis=-1)))
        real = finite & (off < REAL)
        quaternion = x.real / np.linalg.norm(x.real, axis=-1, keepdims=True)
        p = scale * w.real + u[:, None, 0, :] - _rotated(quaternion, closure.b[0])
    return np.where(real[..., None], np.concatenate([p, quaternion], axis=-1), np.nan)


def _rotated(quaternion: Array, v: Array) -> Array:
    """R v = v + 2 (w X x v + X x (X x v))."""
    X = quaternion[..., 1:]
    across = np.cross(X, v)
    return v + 2 * (quaternion[..., :1] * across + np.cross(X, across))
