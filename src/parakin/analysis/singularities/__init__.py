"""Where a robot is singular: margins of every type, curves on slices, the nearest one, and what is lost there.

>>> import numpy as np
>>> import parakin as pk
>>> robot = pk.load("delta")
"""

from parakin.analysis.singularities.loci import Locus, locus
from parakin.analysis.singularities.measures import Margins, MotionMargins, margins, margins_along
from parakin.analysis.singularities.nearest import nearest_singularities, nearest_singularity
from parakin.analysis.singularities.singularity import Singularity
from parakin.robot.screws import Screw, screw_of

__all__ = [
    "Locus",
    "Margins",
    "MotionMargins",
    "Screw",
    "Singularity",
    "locus",
    "margins",
    "margins_along",
    "nearest_singularities",
    "nearest_singularity",
    "screw_of",
]
