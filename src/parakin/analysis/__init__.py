"""Where a robot can go and how well: its workspace and its singularities.

>>> import numpy as np
>>> import parakin as pk
>>> robot = pk.load("delta")
"""

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
    "Inscribed",
    "Judge",
    "Level",
    "Reason",
    "Region",
    "Workspace",
    "causes_of",
    "clearance_names",
    "inscribed",
    "judge_of",
    "region_of",
    "workspace",
]
