"""Motions as objects: which coordinates a pose has, and how poses are stepped, compared and sampled.

>>> import casadi as ca
>>> import parakin as pk
>>> spatial = pk.load("gough_stewart").motion_type
>>> pose, offset = ca.SX.sym("pose", 7), ca.SX.sym("offset", 6)
>>> home, quarter = [0, 0, 0.8, 1, 0, 0, 0], [0, 0, 0.8, 0.5**0.5, 0, 0, 0.5**0.5]
"""

from parakin.motions.motion_type import QUATERNION_TOLERANCE, MotionType
from parakin.motions.table import (
    MOTIONS,
    PLANAR,
    PLANAR_TRANSLATION,
    SCHOENFLIES,
    SPATIAL,
    TRANSLATION,
    joints,
    motion_named,
)

__all__ = [
    "MOTIONS",
    "PLANAR",
    "PLANAR_TRANSLATION",
    "QUATERNION_TOLERANCE",
    "SCHOENFLIES",
    "SPATIAL",
    "TRANSLATION",
    "MotionType",
    "joints",
    "motion_named",
]
