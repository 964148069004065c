"""Motions as objects: which coordinates a pose has, and how poses are stepped, compared and sampled."""

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
