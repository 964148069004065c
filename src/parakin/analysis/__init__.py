"""Where a robot can go and how well: its workspace and its singularities.

>>> import numpy as np
>>> import parakin as pk
>>> robot = pk.load("delta")
"""

from parakin.analysis.findings import Finding, thorough
from parakin.analysis.reached import Unreached, unreached_limits
from parakin.analysis.singularities import (
    Locus,
    Margins,
    MotionMargins,
    Screw,
    Singularity,
    locus,
    margins,
    margins_along,
    nearest_singularity,
    screw_of,
)
from parakin.analysis.workspaces import (
    Cause,
    Demands,
    Inscribed,
    Judge,
    Level,
    Reason,
    Region,
    Workspace,
    causes_of,
    clearance_names,
    inscribed,
    judge_of,
    region_of,
    workspace,
)

__all__ = [
    "Cause",
    "Demands",
    "Finding",
    "Inscribed",
    "Judge",
    "Level",
    "Locus",
    "Margins",
    "MotionMargins",
    "Reason",
    "Region",
    "Screw",
    "Singularity",
    "Unreached",
    "Workspace",
    "causes_of",
    "clearance_names",
    "inscribed",
    "judge_of",
    "locus",
    "margins",
    "margins_along",
    "nearest_singularity",
    "region_of",
    "screw_of",
    "thorough",
    "unreached_limits",
    "workspace",
]
