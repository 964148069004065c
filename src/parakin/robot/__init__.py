"""Robots as objects: a description and its numeric methods."""

from parakin.kinematics.status import Status
from parakin.robot.robot import Details, Robot, load

__all__ = ["Details", "Robot", "Status", "load"]
