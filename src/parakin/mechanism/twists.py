"""Twists of a platform in words: which it has, which it should have, and what would make the two agree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parakin.arrays import Array
from parakin.description import RobotDescription, attachment_joint, expanded_legs
from parakin.description.patterns import described
from parakin.motions import MOTIONS, MotionType

WORDS = tuple(f"{what} {axis}" for what in ("move along", "turn about") for axis in "xyz")
"""What a platform does with each of the six unit twists (v, w)."""
SAME = 1e-3
"""Sine of the angle between a twist and a space of twists below which it belongs to it: a platform that turns so little
while it moves does so because of axes that a file rounds. Legs that are wrong turn it by far more."""


def claimed_twists(motion: MotionType) -> Array:
    """Return the twists (6, freedoms) of a type of motion, in base axes at E."""
    moved = [*motion.linear, *(3 + axis for axis in motion.angular)]
    return np.eye(6)[:, moved]


def outside(twists: Array, others: Array, same: float = SAME) -> Array:
    """Return an orthonormal basis of those twists of a space that are not in another, as far from it as can be.

    Both spaces are given by orthonormal columns; what is as close as `same` is in both.
    """
    if not twists.shape[1]:
        return twists
    _, sizes, V = np.linalg.svd(twists - others @ (others.T @ twists), full_matrices=False)
    return twists @ V[sizes > max(same, SAME)].T


def twist_words(basis: Array) -> str:
    """Return a space of twists in words: "turn about x and y", "move along [0.6, 0.8, 0]"."""
    if len(basis) == 3:
        basis = np.vstack([basis, np.zeros_like(basis)])
    plain = [k for k in range(6) if np.linalg.norm(basis[k]) > np.sqrt(1.0 - SAME**2)]
    words: list[str] = []
    for verb, axes in (("move along", range(3)), ("turn about", range(3, 6))):
        letters = ["xyz"[k % 3] for k in axes if k in plain]
        if letters:
            words.append(f"{verb} {joined(letters)}")
    rest = outside(basis, np.eye(6)[:, plain])
    words += [_in_general(twist) for twist in rest.T]
    return joined(words)


def _in_general(twist: Array) -> str:
    v, w = twist[:3], twist[3:]
    if np.linalg.norm(w) <= SAME:
        return f"move along {_vector(v)}"
    still = np.linalg.norm(v) <= SAME
    return f"turn about {_vector(w)}" + ("" if still else f" while it moves along {_vector(v)}")


def _vector(v: Array) -> str:
    v = v / np.linalg.norm(v)
    v = v * np.sign(v[int(np.argmax(np.abs(v)))])
    return f"[{', '.join(f'{value + 0.0:.2g}' for value in np.where(np.abs(v) < SAME, 0.0, v))}]"


def joined(words: Sequence[str]) -> str:
    """Return words as one would say them: "a, b and c"."""
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)


def legs_in_words(description: RobotDescription) -> str:
    """Return all legs, by their kinds: "leg1 and leg2 (telescopic on spherical, spherical at the platform)"."""
    kinds: dict[str, list[str]] = {}
    for leg in expanded_legs(description):
        kind = f"{described(leg)}, {attachment_joint(leg, description.motion_type).type} at the platform"
        kinds.setdefault(kind, []).append(leg.name)
    return "; ".join(f"{joined(names)} ({kind})" for kind, names in kinds.items())


def motion_that_fits(allowed: Array) -> str:
    """Return ", or declare motion = ..." for the type of motion with exactly these twists; nothing if there is none."""
    for motion in MOTIONS.values():
        claimed = claimed_twists(motion)[: len(allowed)]
        if claimed.shape == allowed.shape and not outside(claimed, allowed).shape[1]:
            return f", or declare motion = '{motion.name}' and drive its {motion.degrees_of_freedom} freedoms"
    return ""
