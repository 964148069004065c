"""All real forward-kinematic solutions of a robot, batched over q."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from parakin.description import RobotDescription
from parakin.description.model import COORDINATES
from parakin.errors import KernelInputError
from parakin.robot.assembly import spatial, translation, turning
from parakin.robot.assembly.closure import Closure, Spheres, closure_of, shaft_angle, shaft_index
from parakin.robot.assembly.polish import Polished, polished
from parakin.robot.assembly.result import Array, AssemblyModes, Counts


def assembly_modes(description: RobotDescription, q: ArrayLike) -> AssemblyModes:
    """Every pose with these actuator positions (..., m): complete, each once, checked by substitution.

    With q given, elbows and carriages stand still; a pose may be one that inverse kinematics reaches by another working
    mode than the file's, and a strut has length |q|.
    A q that is not finite has no poses. Robots with other legs than driven struts, arms, rails and offset arms, one for
    each degree of freedom, are refused.
    """
    closure = closure_of(description)
    shaft = shaft_index(description)
    values = np.asarray(q, dtype=np.float64)
    m = len(closure.tethers) + (shaft is not None)
    if values.shape[-1:] != (m,):
        raise KernelInputError(description.name, "q", f"an array of shape (..., {m})", f"shape {values.shape}")
    if shaft is not None:
        return _with_shaft(closure, np.delete(values, shaft, axis=-1), shaft_angle(description, values[..., shaft]))
    if closure.motion == "spatial":
        return spatial.modes(closure, values)
    return _turning(closure, values) if closure.motion in turning.DEGREE else _translation(closure, values)


def _translation(closure: Closure, q: Array) -> AssemblyModes:
    spheres = closure.surfaces(q)
    found = translation.candidates(spheres)[..., : len(COORDINATES[closure.motion])]
    finite = np.where(np.all(np.isfinite(q), axis=-1), 2, 0)
    return _result(polished(closure.motion, found, spheres, closure.length), finite, 2)


def _with_shaft(closure: Closure, q: Array, angle: Array) -> AssemblyModes:
    """A shaft fixes the angle; what is left is a platform that does not turn, with u = e - c - R_OE b and b = 0."""
    spheres = closure.surfaces(q)
    c, s = np.cos(angle)[..., None], np.sin(angle)[..., None]
    x, y, z = spheres.b.T
    turned = np.stack([c * x - s * y, s * x + c * y, z + 0 * c], axis=-1)
    spheres = Spheres(spheres.u - turned, spheres.squared_length, 0 * spheres.b)
    finite = np.where(np.all(np.isfinite(q), axis=-1) & np.isfinite(angle), 2, 0)
    found = _result(polished("translation", translation.candidates(spheres), spheres, closure.length), finite, 2)
    angles = np.where(np.isfinite(found.poses[..., :1]), angle[..., None, None], np.nan)
    return replace(found, poses=np.concatenate([found.poses, angles], axis=-1))


def _turning(closure: Closure, q: Array) -> AssemblyModes:
    usable = np.all(np.isfinite(q), axis=-1, keepdims=True)
    spheres = closure.surfaces(np.where(usable, q, 0.0))
    turned = turning.candidates(closure.motion, spheres)
    position = turned.p_OE[..., : len(COORDINATES[closure.motion]) - 1]
    found = np.concatenate([position, turned.angle[..., None]], axis=-1)
    found = np.where(usable[..., None], found, np.nan)
    finite = np.where(usable[..., 0], turned.complex_count, 0)
    return _result(polished(closure.motion, found, spheres, closure.length), finite, 2 * turning.DEGREE[closure.motion])


def _result(real: Polished, finite: Counts, most: int) -> AssemblyModes:
    at_infinity = np.where(finite > 0, most - finite, 0)
    return AssemblyModes(real.poses, real.count, finite, at_infinity, real.singular)
