"""The coordinates of a joint from where its two frames are."""

from __future__ import annotations

from math import atan2

import numpy as np

from parakin.arrays import Array
from parakin.mechanism.model import Joint
from parakin.mechanism.numeric import matrix_quaternion


def coordinates_between(joint: Joint, d: Array, D: Array) -> Array:
    """Return the coordinates of a joint whose child frame is at d, turned by D, in its parent frame.

    The moves of `parakin.mechanism.kinds` undone, of those kinds that can close a loop; a weld has none.
    """
    turn = atan2(D[1, 0], D[0, 0])
    match joint.type:
        case "revolute":
            values = [turn]
        case "prismatic":
            values = [d[2]]
        case "cylindrical":
            values = [turn, d[2]]
        case "universal":
            values = [atan2(D[2, 1], D[1, 1]), atan2(D[0, 2], D[0, 0])]
        case "planar":
            values = [d[0], d[1], turn]
        case "spherical":
            values = [*matrix_quaternion(D)]
        case _:
            values = []
    return np.array(values, float)
