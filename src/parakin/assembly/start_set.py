"""Find all finite solutions of a six-legged robot's geometry once, by the first homotopy, and keep them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import resources

import numpy as np

from parakin.arrays import frozen_arrays
from parakin.assembly.closure import Closure
from parakin.assembly.dual_quaternions import platform_parameters
from parakin.assembly.homotopy import Kind, at_infinity, first_of_equal, followed
from parakin.assembly.result import Array, Complex
from parakin.assembly.sphere_system import spheres
from parakin.errors import UnsupportedRobotError

DRAWS = 4
"""Most random draws of joint coordinates, until two agree in the number of finite solutions."""
OFF_AXIS_RADIUS = 0.3
"""Mean distance of the random joint coordinates from home, in sizes of the machine or rad."""
SEED = 40
"""Seed of the random draws, so that every run finds the same start set."""


@frozen_arrays(eq=True)
class Generic:
    """A random complex platform and its 40 solutions, as tools/generic_platform.py found them."""

    theta: Complex
    """(36,) parameters of the platform."""
    y: Complex
    """(40, 8) Study parameters of its solutions."""


@frozen_arrays(eq=True)
class StartSet:
    """All finite solutions of a robot's geometry at random complex joint coordinates."""

    scale: float
    """Size of the machine [m], the unit of length of theta and y."""
    coordinates: Complex
    """(6,) coordinates of the driven joints at which the solutions hold, in m and rad."""
    theta: Complex
    """(parameters,) the robot's parameters at these coordinates."""
    y: Complex
    """(K, unknowns) the finite regular solutions, each once."""
    infinite: int
    """How many solutions of the general machine are at infinity for this geometry."""
    singular: int
    """How many solutions of the general machine ended, for this geometry, in a finite multiple one."""


@functools.cache
def generic() -> Generic:
    """Return the stored generic platform, from which every first homotopy starts."""
    with (resources.files("parakin.assembly") / "data" / "generic_platform.npz").open("rb") as file:
        stored = np.load(file, allow_pickle=False)
        return Generic(stored["theta"], stored["y"])


@functools.lru_cache(maxsize=64)
def start_set(closure: Closure) -> StartSet:
    """Return all finite solutions of a robot's six spheres, followed from the generic platform."""
    return agreed(closure, _drawn)


def agreed(closure: Closure, draw: Callable[[Closure, np.random.Generator], StartSet]) -> StartSet:
    """Draw start sets until two agree in the largest number of finite solutions, and return one of these.

    A path that jumped shows: it leaves a duplicate, which is followed again, or a count that no other draw repeats.
    """
    rng = np.random.default_rng(SEED)
    sets: list[StartSet] = []
    for _ in range(DRAWS):
        sets.append(draw(closure, rng))
        counts = [len(drawn.y) for drawn in sets]
        if counts.count(max(counts)) > 1:
            break
    best = max(sets, key=lambda drawn: len(drawn.y))
    if not len(best.y):
        reason = "architecturally singular: with its actuators held the platform still moves, so no pose is isolated"
        raise UnsupportedRobotError(closure.description.name, reason)
    return best


def _drawn(closure: Closure, rng: np.random.Generator) -> StartSet:
    """Return the robot's finite solutions at one random draw of coordinates."""
    scale, coordinates = random_place(closure, rng)
    theta = platform_parameters(closure.spheres_at(coordinates).measured_in(scale))
    return StartSet(scale, coordinates, theta, *finite_ends(spheres, generic().y, generic().theta, theta))


def random_place(closure: Closure, rng: np.random.Generator) -> tuple[float, Complex]:
    """Return the machine's size [m], and complex joint coordinates near home."""
    home = closure.home()
    scale = _size(closure, home)
    return scale, home + _offsets(closure, scale, rng)


def finite_ends(kind: Kind, y: Complex, theta_start: Complex, theta_end: Complex) -> tuple[Complex, int, int]:
    """Return the distinct finite regular ends of paths to one machine, and how many are infinite and multiple."""
    ends = followed(kind, y, theta_start, theta_end[None])
    infinite = at_infinity(ends)[0]
    finite = ends.arrived[0] & first_of_equal(ends)[0] & ~infinite
    return ends.y[0][finite], int(np.sum(infinite)), int(np.sum(~finite & ~infinite))


def off_axis(rng: np.random.Generator, *shape: int) -> Complex:
    """Return random numbers of about OFF_AXIS_RADIUS: small, so that paths are short, but well off the real axis.

    On the real axis solutions meet.
    """
    angles = rng.uniform(0.2 * np.pi, 0.8 * np.pi, shape) + np.pi * rng.integers(0, 2, shape)
    radii = OFF_AXIS_RADIUS * rng.uniform(0.7, 1.3, shape)
    return radii * np.cos(angles) + 1j * radii * np.sin(angles)


def _offsets(closure: Closure, scale: float, rng: np.random.Generator) -> Complex:
    """Return random differences of the joint coordinates from home: of arms in rad, of all others in m."""
    sizes = np.array([1.0 if tether.pattern == "arm" else scale for tether in closure.tethers])
    return sizes * off_axis(rng, len(closure.tethers))


def _size(closure: Closure, home: Array) -> float:
    """Return the root mean square of the legs at home and of base and platform points about their centres [m]."""
    spheres_home = closure.spheres_at(home)
    spread = [np.sum((points - points.mean(axis=0)) ** 2, axis=-1) for points in (spheres_home.u, spheres_home.b)]
    return float(np.sqrt(np.mean(np.concatenate([spheres_home.squared_length, *spread]))))
