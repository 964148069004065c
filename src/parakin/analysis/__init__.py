"""Where a robot can go and how well: its workspace, its singularities, and how it performs at every pose.

>>> import numpy as np
>>> import parakin as pk
>>> robot = pk.load("delta")
>>> linkage = pk.load("four_bar")
>>> print(pk.analysis.QUANTITIES["dexterity"].evaluate(robot, robot.home).values.round(3))
0.781
"""

from parakin.analysis.findings import Finding, thorough
from parakin.analysis.loads import JointLoads, joint_loads
from parakin.analysis.maps import PerformanceMap, performance_map
from parakin.analysis.options import Options
from parakin.analysis.quantities import QUANTITIES, quantity_of
from parakin.analysis.quantity import Quantity, Values, evaluate_all
from parakin.analysis.reached import Unreached, unreached_limits
from parakin.analysis.reason import Reason
from parakin.analysis.saved import read_result
from parakin.analysis.singularities import (
    Locus,
    Margins,
    MotionMargins,
    Screw,
    Singularity,
    locus,
    margins,
    margins_along,
    nearest_singularities,
    nearest_singularity,
    screw_of,
)
from parakin.analysis.slices import Lattice, Slice, lattice_of
from parakin.analysis.workspaces import (
    Cause,
    Demands,
    Inscribed,
    Judge,
    Level,
    Region,
    Workspace,
    causes_of,
    clearance_names,
    clearances,
    inscribed,
    judge_of,
    region_of,
    workspace,
)

__all__ = [
    "QUANTITIES",
    "Cause",
    "Demands",
    "Finding",
    "Inscribed",
    "JointLoads",
    "Judge",
    "Lattice",
    "Level",
    "Locus",
    "Margins",
    "MotionMargins",
    "Options",
    "PerformanceMap",
    "Quantity",
    "Reason",
    "Region",
    "Screw",
    "Singularity",
    "Slice",
    "Unreached",
    "Values",
    "Workspace",
    "causes_of",
    "clearance_names",
    "clearances",
    "evaluate_all",
    "inscribed",
    "joint_loads",
    "judge_of",
    "lattice_of",
    "locus",
    "margins",
    "margins_along",
    "nearest_singularities",
    "nearest_singularity",
    "performance_map",
    "quantity_of",
    "read_result",
    "region_of",
    "screw_of",
    "thorough",
    "unreached_limits",
    "workspace",
]
