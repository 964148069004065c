"""Which combinations of its dynamic parameters a robot's forces depend on: docs/theory/base_parameters.md."""

from parakin.robot.base_parameters.linear import base_mechanics
from parakin.robot.base_parameters.result import BaseParameters
from parakin.robot.base_parameters.search import base_parameters
from parakin.robot.base_parameters.sharing import REAL_MACHINE, AlikeLegs, Sharing, sharing_of

__all__ = ["REAL_MACHINE", "AlikeLegs", "BaseParameters", "Sharing", "base_mechanics", "base_parameters", "sharing_of"]
