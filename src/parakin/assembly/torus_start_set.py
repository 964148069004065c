"""Find all solutions of a robot's six tori once, from those of six spheres."""

from __future__ import annotations

import functools
from dataclasses import replace
from itertools import product

import numpy as np

from parakin.assembly.closure import Closure, Tori
from parakin.assembly.dual_quaternions import platform_parameters
from parakin.assembly.result import Complex, Numbers
from parakin.assembly.sphere_system import spheres
from parakin.assembly.start_set import StartSet, agreed, finite_ends, generic, off_axis, random_place
from parakin.assembly.torus_system import TORI, tori


def torus_parameters(surfaces: Tori) -> Complex:
    """Return theta (..., 72) of tori: that of spheres with squared lengths l^2 + a^2, then k, k·upsilon, a, l^2."""
    u, k, squared = surfaces.u, surfaces.axis, surfaces.squared_length
    batch = u.shape[:-2]
    of_spheres = platform_parameters(replace(surfaces, squared_length=squared + surfaces.offset**2))
    levels = np.sum(k * (u - u[..., :1, :]), axis=-1)
    offset = np.broadcast_to(surfaces.offset, squared.shape)
    return np.concatenate([of_spheres, k.reshape(*batch, 3 * TORI), levels, offset, squared], axis=-1)


@functools.lru_cache(maxsize=16)
def torus_start_set(closure: Closure) -> StartSet:
    """Return all finite solutions of a robot's six tori at random complex coordinates."""
    return agreed(closure, _drawn)


def _drawn(closure: Closure, rng: np.random.Generator) -> StartSet:
    """Follow the generic platform's solutions to general spheres about the robot's elbows, and on to its tori.

    Without offsets each solution of the spheres is one of the tori for each choice of the six signs of C. The paths
    from there are all there are: the equation of leg i as a function of the pose is an element of
    L_i = span(1, r, |r|^2) for spheres, and of L_i^2 for tori; and six equations from the L_i^2 have at most 2^6 times
    as many isolated solutions as six general ones from the L_i [Kaveh2012].
    """
    scale, coordinates = random_place(closure, rng)
    surfaces = closure.tori_at(coordinates).measured_in(scale)
    u = surfaces.u + off_axis(rng, TORI, 3)
    general = replace(
        surfaces, u=u, squared_length=surfaces.squared_length + off_axis(rng, TORI), offset=np.zeros(TORI)
    )
    y, lost, _ = finite_ends(spheres, generic().y, generic().theta, platform_parameters(general))
    theta = torus_parameters(surfaces)
    starts = _leaning(y, general, surfaces.squared_length)
    ends, infinite, singular = finite_ends(tori, starts, torus_parameters(general), theta)
    return StartSet(scale, coordinates, theta, ends, 2**TORI * lost + infinite, singular)


def _leaning(y: Complex, surfaces: Tori, squared_length: Numbers) -> Complex:
    """Return (K 2^6, 14): the spheres' solutions with C of either sign at every leg, C^2 = l^2 Delta^2 - H^2."""
    Delta = np.sum(y[:, :4] ** 2, axis=-1, keepdims=True)
    C = np.sqrt(squared_length * Delta**2 - _heights(y, surfaces) ** 2)
    signs = np.array(list(product((1.0, -1.0), repeat=TORI)))
    y_all = np.broadcast_to(y[:, None, :], (len(y), len(signs), y.shape[-1]))
    return np.concatenate([y_all, C[:, None, :] * signs], axis=-1).reshape(-1, y.shape[-1] + TORI)


def _heights(y: Complex, surfaces: Tori) -> Complex:
    """Return H_i = k_i·r_i Delta (K, 6) of solutions y, from r = w + R beta - upsilon."""
    x, X, g, G = y[:, :1], y[:, 1:4], y[:, 4:5], y[:, 5:]
    Delta = np.sum(y[:, :4] ** 2, axis=-1)[:, None, None]
    w = 2 * (x * G - g * X + np.cross(X, G))[:, None, :]
    beta, upsilon = surfaces.b - surfaces.b[0], surfaces.u - surfaces.u[0]
    across = np.cross(X[:, None, :], beta)
    turned = Delta * beta + 2 * (x[:, None] * across + np.cross(X[:, None, :], across))
    return np.sum(surfaces.axis * (w + turned - Delta * upsilon), axis=-1)
