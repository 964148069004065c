"""Robots as data: the tables of a robot file, read, checked, written out and written back.

>>> import parakin as pk
>>> robot = pk.load("delta")
>>> leg = robot.legs[0]
>>> arm, forearm = leg.elements
"""

from parakin.description.attachments import attachment_joint
from parakin.description.elbows import Elbow, elbow_directions, elbow_places
from parakin.description.elements import OPEN_SPIN, Actuator, Body, Element, Friction, Joint
from parakin.description.loader import describe, library, load_description, problems_of
from parakin.description.model import (
    Attachment,
    Cross,
    Leg,
    Platform,
    PlatformBody,
    PlatformJoint,
    RobotDescription,
    Symmetry,
    Tool,
    Workspace,
)
from parakin.description.schema import file_schema
from parakin.description.symmetry import expanded_legs
from parakin.description.values import Direction, Inertia, NonNegative, Number, Positive, Sign, Table, Vector
from parakin.description.writer import to_toml

__all__ = [
    "OPEN_SPIN",
    "Actuator",
    "Attachment",
    "Body",
    "Cross",
    "Direction",
    "Elbow",
    "Element",
    "Friction",
    "Inertia",
    "Joint",
    "Leg",
    "NonNegative",
    "Number",
    "Platform",
    "PlatformBody",
    "PlatformJoint",
    "Positive",
    "RobotDescription",
    "Sign",
    "Symmetry",
    "Table",
    "Tool",
    "Vector",
    "Workspace",
    "attachment_joint",
    "describe",
    "elbow_directions",
    "elbow_places",
    "expanded_legs",
    "file_schema",
    "library",
    "load_description",
    "problems_of",
    "to_toml",
]
