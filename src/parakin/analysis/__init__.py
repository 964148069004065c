"""Where a robot can go, and how well it works there.

>>> import parakin as pk
>>> robot = pk.load("delta")
>>> pk.analysis.QUANTITIES["dexterity"].evaluate(robot, robot.home).values.round(3)
array(0.781)
"""

from parakin.analysis.options import Options
from parakin.analysis.quantities import QUANTITIES, quantity_of
from parakin.analysis.quantity import Quantity, Values, evaluate_all
from parakin.analysis.reason import Reason

__all__ = [
    "QUANTITIES",
    "Options",
    "Quantity",
    "Reason",
    "Values",
    "evaluate_all",
    "quantity_of",
]
