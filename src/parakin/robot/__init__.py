"""Robots as objects: a description and its numeric methods."""

from parakin.kinematics.status import Status
from parakin.robot.base import Details
from parakin.robot.base_parameters import BaseParameters
from parakin.robot.card import card
from parakin.robot.payload import Payload
from parakin.robot.robot import Robot, load
from parakin.robot.triangle import Triangle

__all__ = ["BaseParameters", "Details", "Payload", "Robot", "Status", "Triangle", "card", "load"]
