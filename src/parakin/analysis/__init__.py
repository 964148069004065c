"""Where a robot can go, and how well it works there.

>>> import parakin as pk
>>> robot = pk.load("delta")
>>> linkage = pk.load("four_bar")
>>> print(pk.analysis.QUANTITIES["dexterity"].evaluate(robot, robot.home).values.round(3))
0.781
"""

from parakin.analysis.loads import JointLoads, joint_loads
from parakin.analysis.maps import PerformanceMap, performance_map
from parakin.analysis.options import Options
from parakin.analysis.quantities import QUANTITIES, quantity_of
from parakin.analysis.quantity import Quantity, Values, evaluate_all
from parakin.analysis.reason import Reason
from parakin.analysis.slices import Slice

__all__ = [
    "QUANTITIES",
    "JointLoads",
    "Options",
    "PerformanceMap",
    "Quantity",
    "Reason",
    "Slice",
    "Values",
    "evaluate_all",
    "joint_loads",
    "performance_map",
    "quantity_of",
]
