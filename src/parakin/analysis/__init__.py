"""Where a robot can go and how well: its workspace, its singularities, and how it performs at every pose.

>>> import numpy as np
>>> import parakin as pk
>>> robot = pk.load("delta")
>>> linkage = pk.load("four_bar")
>>> print(pk.analysis.QUANTITIES["dexterity"].evaluate(robot, robot.home).values.round(3))
0.781
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parakin.lazy import importer

if TYPE_CHECKING:
    from parakin.analysis.findings import Finding, thorough
    from parakin.analysis.loads import JointLoads, joint_loads
    from parakin.analysis.maps import PerformanceMap, performance_map
    from parakin.analysis.options import Options
    from parakin.analysis.quantities import QUANTITIES, quantity_of
    from parakin.analysis.quantity import Quantity, Values, evaluate_all
    from parakin.analysis.reached import Unreached, unreached_limits
    from parakin.analysis.reason import Reason
    from parakin.analysis.saved import read_result
    from parakin.analysis.singularities.loci import Locus, locus
    from parakin.analysis.singularities.measures import Margins, MotionMargins, margins, margins_along
    from parakin.analysis.singularities.nearest import nearest_singularities, nearest_singularity
    from parakin.analysis.singularities.singularity import Singularity
    from parakin.analysis.slices import Lattice, Slice, lattice_of
    from parakin.analysis.workspaces.capsules import clearance_names, clearances
    from parakin.analysis.workspaces.causes import Cause, causes_of
    from parakin.analysis.workspaces.fitting import Inscribed, inscribed
    from parakin.analysis.workspaces.judging import Demands, Judge, judge_of
    from parakin.analysis.workspaces.region import Region, region_of
    from parakin.analysis.workspaces.result import Level, Workspace
    from parakin.analysis.workspaces.searching import workspace
    from parakin.robot.screws import Screw, screw_of

__getattr__ = importer(
    __name__,
    {
        "parakin.analysis.findings": "Finding thorough",
        "parakin.analysis.loads": "JointLoads joint_loads",
        "parakin.analysis.maps": "PerformanceMap performance_map",
        "parakin.analysis.options": "Options",
        "parakin.analysis.quantities": "QUANTITIES quantity_of",
        "parakin.analysis.quantity": "Quantity Values evaluate_all",
        "parakin.analysis.reached": "Unreached unreached_limits",
        "parakin.analysis.reason": "Reason",
        "parakin.analysis.saved": "read_result",
        "parakin.analysis.slices": "Lattice Slice lattice_of",
        "parakin.analysis.singularities.loci": "Locus locus",
        "parakin.analysis.singularities.measures": "Margins MotionMargins margins margins_along",
        "parakin.analysis.singularities.nearest": "nearest_singularities nearest_singularity",
        "parakin.analysis.singularities.singularity": "Singularity",
        "parakin.analysis.workspaces.capsules": "clearance_names clearances",
        "parakin.analysis.workspaces.causes": "Cause causes_of",
        "parakin.analysis.workspaces.fitting": "Inscribed inscribed",
        "parakin.analysis.workspaces.judging": "Demands Judge judge_of",
        "parakin.analysis.workspaces.region": "Region region_of",
        "parakin.analysis.workspaces.result": "Level Workspace",
        "parakin.analysis.workspaces.searching": "workspace",
        "parakin.robot.screws": "Screw screw_of",
    },
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
