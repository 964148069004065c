"""Find all real poses of a robot with given actuator positions, for batches of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from parakin.assembly import translation
from parakin.assembly.closure import Closure, Spheres, closure_of, shaft_angle, shaft_index
from parakin.assembly.polish import Polished, polished
from parakin.assembly.result import Array, AssemblyModes, Counts
from parakin.description import RobotDescription
from parakin.errors import KernelInputError
from parakin.kernels.arguments import as_array
from parakin.kernels.context import LARGEST_INPUT
from parakin.motions import TRANSLATION


def assembly_modes(description: RobotDescription, q: ArrayLike) -> AssemblyModes:
    """Return every pose with these actuator positions (..., m): complete, each once, checked by substitution.

    With q given, elbows and carriages stand still; a pose may be one that inverse kinematics reaches by another working
    mode than the file's. A strut has the length sign q + zero, which cannot be negative. In a batch, a q that is not
    finite or asks for a negative length has no poses and all counts 0; a single one raises KernelInputError. Robots
    with other legs than driven struts, arms, rails and offset arms, one for each degree of freedom, raise
    UnsupportedRobotError.
    """
    closure = closure_of(description)
    shaft = shaft_index(description)
    values = as_array(description.name, "q", q)
    m = len(closure.tethers) + (shaft is not None)
    if values.shape[-1:] != (m,):
        raise KernelInputError(description.name, "q", f"an array of shape (..., {m})", f"shape {values.shape}")
    if values.ndim == 1:
        _refuse_unusable(description, closure, shaft, values)
    if shaft is not None:
        return _with_shaft(closure, np.delete(values, shaft, axis=-1), shaft_angle(description, values[..., shaft]))
    if closure.motion.quaternion is not None:
        from parakin.assembly import six_legs

        return six_legs.modes(closure, values)
    return _turning(closure, values) if closure.motion.turns else _translation(closure, values)


def _refuse_unusable(description: RobotDescription, closure: Closure, shaft: int | None, q: Array) -> None:
    """Raise KernelInputError for the first actuator position that is not finite, or too short for its strut."""
    for k, value in enumerate(q.tolist()):
        if not abs(value) <= LARGEST_INPUT:
            expected = f"a finite number of size {LARGEST_INPUT:.2g} or less"
            raise KernelInputError(description.name, f"q[{k}]", expected, str(value))
    held = q if shaft is None else np.delete(q, shaft)
    places = [k for k in range(len(q)) if k != shaft]
    for k, tether, length in zip(places, closure.tethers, closure.coordinates(held).tolist(), strict=True):
        if tether.pattern == "strut" and length < 0:
            expected = "a position at which the strut has a length of 0 m or more (sign q + zero)"
            raise KernelInputError(description.name, f"q[{k}]", expected, f"{q[k]:g}: a length of {length:g} m")


def _translation(closure: Closure, q: Array) -> AssemblyModes:
    """Return the poses of a platform that does not turn: two, or none."""
    spheres = closure.surfaces(q)
    candidates = translation.candidates(spheres)[..., : len(closure.motion.coordinates)]
    usable = closure.usable(q)
    candidates = np.where(usable[..., None, None], candidates, np.nan)
    return _result(polished(closure.motion, candidates, spheres, closure.length), np.where(usable, 2, 0), 2)


def _with_shaft(closure: Closure, q: Array, angle: Array) -> AssemblyModes:
    """Return the poses of a platform whose angle a shaft fixes: it does not turn, with u = e - c - R_OE b and b = 0."""
    spheres = closure.surfaces(q)
    c, s = np.cos(angle)[..., None], np.sin(angle)[..., None]
    x, y, z = spheres.b.T
    turned = np.stack([c * x - s * y, s * x + c * y, z + 0 * c], axis=-1)
    spheres = Spheres(spheres.u - turned, spheres.squared_length, 0 * spheres.b)
    usable = closure.usable(q) & (np.abs(angle) <= LARGEST_INPUT)
    candidates = np.where(usable[..., None, None], translation.candidates(spheres), np.nan)
    modes = _result(polished(TRANSLATION, candidates, spheres, closure.length), np.where(usable, 2, 0), 2)
    angles = np.where(np.isfinite(modes.poses[..., :1]), angle[..., None, None], np.nan)
    return replace(modes, poses=np.concatenate([modes.poses, angles], axis=-1))


def _turning(closure: Closure, q: Array) -> AssemblyModes:
    """Return the poses of a platform that turns about z; a q that cannot be is solved at 0 and then emptied."""
    from parakin.assembly import turning

    usable = closure.usable(q)[..., None]
    spheres = closure.surfaces(np.where(usable, q, 0.0))
    turned = turning.candidates(closure.motion, spheres)
    position = turned.p_OE[..., : len(closure.motion.coordinates) - 1]
    candidates = np.concatenate([position, turned.angle[..., None]], axis=-1)
    candidates = np.where(usable[..., None], candidates, np.nan)
    finite = np.where(usable[..., 0], turned.complex_count, 0)
    return _result(
        polished(closure.motion, candidates, spheres, closure.length), finite, 2 * turning.DEGREE[closure.motion]
    )


def _result(real: Polished, finite: Counts, most: int) -> AssemblyModes:
    """Return the result, where the general machine of this type has `most` complex solutions."""
    at_infinity = np.where(finite > 0, most - finite, 0)
    return AssemblyModes(real.poses, real.count, finite, at_infinity, real.singular)
