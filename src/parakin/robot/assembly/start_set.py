"""Six legs, the first homotopy: all finite solutions of a robot's geometry, found once and kept."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources

import numpy as np

from parakin.errors import UnsupportedRobotError
from parakin.robot.assembly.closure import Closure
from parakin.robot.assembly.homotopy import Kind, at_infinity, first, followed
from parakin.robot.assembly.result import Array, Complex
from parakin.robot.assembly.sphere_system import spheres
from parakin.robot.assembly.study import platform_parameters

DRAWS = 4
"""Random starts at most, until two agree in the number of finite solutions."""
AWAY = 0.3
"""How far the random joint coordinates are from home: in sizes of the machine, or rad."""
SEED = 40


@dataclass(frozen=True)
class Generic:
    """A random complex platform and its 40 solutions (tools/generic_platform.py)."""

    theta: Complex
    y: Complex


@dataclass(frozen=True)
class StartSet:
    """All finite solutions of a robot's geometry at random complex joint coordinates.

    scale [m]: lengths are measured in it. infinite: how many of the general machine's went to infinity; singular: to a
    multiple end.
    """

    scale: float
    coordinates: Complex
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
    """From the generic platform to this robot's spheres at random complex coordinates."""
    return agreed(closure, _drawn)


def agreed(closure: Closure, draw: Callable[[Closure, np.random.Generator], StartSet]) -> StartSet:
    """Coordinates are drawn until two draws agree in the largest number of finite solutions.

    A path that jumped leaves a duplicate, which is followed again, or fails to be repeated.
    """
    rng = np.random.default_rng(SEED)
    sets: list[StartSet] = []
    for _ in range(DRAWS):
        sets.append(draw(closure, rng))
        counts = [len(found.y) for found in sets]
        if counts.count(max(counts)) > 1:
            break
    best = max(sets, key=lambda found: len(found.y))
    if not len(best.y):
        reason = "architecturally singular: with its actuators held the platform still moves, so no pose is isolated"
        raise UnsupportedRobotError(closure.description.name, reason)
    return best


def _drawn(closure: Closure, rng: np.random.Generator) -> StartSet:
    scale, coordinates = random_place(closure, rng)
    theta = platform_parameters(closure.spheres_at(coordinates).measured_in(scale))
    return StartSet(scale, coordinates, theta, *finite_ends(spheres, generic().y, generic().theta, theta))


def random_place(closure: Closure, rng: np.random.Generator) -> tuple[float, Complex]:
    """The machine's size [m], and complex joint coordinates near home."""
    home = closure.home()
    scale = _size(closure, home)
    return scale, home + _offsets(closure, scale, rng)


def finite_ends(kind: Kind, y: Complex, theta_start: Complex, theta_end: Complex) -> tuple[Complex, int, int]:
    """Different finite regular ends of paths to one machine; how many are at infinity, and how many are multiple."""
    ends = followed(kind, y, theta_start, theta_end[None])
    infinite = at_infinity(ends)[0]
    finite = ends.arrived[0] & first(ends)[0] & ~infinite
    return ends.y[0][finite], int(np.sum(infinite)), int(np.sum(~finite & ~infinite))


def off_axis(rng: np.random.Generator, *shape: int) -> Complex:
    """Numbers of size AWAY: short, so that paths are, but well off the real axis, where solutions meet."""
    angles = rng.uniform(0.2 * np.pi, 0.8 * np.pi, shape) + np.pi * rng.integers(0, 2, shape)
    radii = AWAY * rng.uniform(0.7, 1.3, shape)
    return radii * np.cos(angles) + 1j * radii * np.sin(angles)


def _offsets(closure: Closure, scale: float, rng: np.random.Generator) -> Complex:
    sizes = np.array([1.0 if tether.pattern == "arm" else scale for tether in closure.tethers])
    return sizes * off_axis(rng, len(closure.tethers))


def _size(closure: Closure, home: Array) -> float:
    """[m] Root mean square of the legs at home and of the base and platform points about their centres."""
    own = closure.spheres_at(home)
    spread = [np.sum((points - points.mean(axis=0)) ** 2, axis=-1) for points in (own.u, own.b)]
    return float(np.sqrt(np.mean(np.concatenate([own.squared_length, *spread]))))
