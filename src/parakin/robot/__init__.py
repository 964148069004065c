"""Robots as objects: a description and its numeric methods."""

from parakin.kinematics.status import Status
from parakin.robot.base import Details
from parakin.robot.card import card
from parakin.robot.payload import Payload
from parakin.robot.robot import Robot, load

__all__ = ["Details", "Payload", "Robot", "Status", "card", "load"]
