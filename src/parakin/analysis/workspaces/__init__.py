"""Where a robot can be: its workspace, why it ends, how large it is, and what fits inside.

>>> import numpy as np
>>> import parakin as pk
>>> robot = pk.load("delta")
"""

from parakin.analysis.workspaces.capsules import clearance_names, clearances
from parakin.analysis.workspaces.causes import Cause, causes_of
from parakin.analysis.workspaces.fitting import Inscribed, inscribed
from parakin.analysis.workspaces.judging import Demands, Judge, judge_of
from parakin.analysis.workspaces.region import Region, region_of
from parakin.analysis.workspaces.result import Level, Workspace
from parakin.analysis.workspaces.searching import workspace

__all__ = [
    "Cause",
    "Demands",
    "Inscribed",
    "Judge",
    "Level",
    "Region",
    "Workspace",
    "causes_of",
    "clearance_names",
    "clearances",
    "inscribed",
    "judge_of",
    "region_of",
    "workspace",
]
