"""Robots as objects: a description and its numeric methods.

>>> import numpy as np
>>> import parakin as pk
>>> robot = pk.load("delta")
>>> linkage = pk.load("four_bar")
>>> pose, velocity, acceleration = [0.1, 0.05, -0.45], [0.5, 0.2, -0.1], [1.0, 0.0, 2.0]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parakin.dynamics.payload import Payload
from parakin.kinematics.status import Status
from parakin.lazy import importer
from parakin.robot.derivatives import Derivatives
from parakin.robot.loading import leg_description, library, load, load_unchecked
from parakin.robot.results import (
    Bodies,
    BodyFrames,
    Elements,
    Energy,
    Evaluation,
    Joints,
    JointWrenches,
    Linearization,
    OutputMotion,
    PlatformFrame,
    Points,
    PosesFound,
)
from parakin.robot.robot import Robot

if TYPE_CHECKING:
    from parakin.assembly.search import SomeAssemblyModes
    from parakin.dynamics.parameters import Parameter, Quantity
    from parakin.robot.base_parameters import BaseParameters
    from parakin.robot.cards import card
    from parakin.robot.compare import Comparison
    from parakin.robot.mechanism_cards import mechanism_card
    from parakin.robot.mechanism_survey import MechanismSurvey, survey_mechanism
    from parakin.robot.surveys import Survey, survey
    from parakin.robot.triangle import Triangle

__getattr__ = importer(
    __name__,
    {
        "parakin.dynamics.parameters": "Parameter Quantity",
        "parakin.robot.base_parameters": "BaseParameters",
        "parakin.robot.cards": "card",
        "parakin.robot.compare": "Comparison",
        "parakin.assembly.search": "SomeAssemblyModes",
        "parakin.robot.mechanism_cards": "mechanism_card",
        "parakin.robot.mechanism_survey": "MechanismSurvey survey_mechanism",
        "parakin.robot.surveys": "Survey survey",
        "parakin.robot.triangle": "Triangle",
    },
)

__all__ = [
    "BaseParameters",
    "Bodies",
    "BodyFrames",
    "Comparison",
    "Derivatives",
    "Elements",
    "Energy",
    "Evaluation",
    "JointWrenches",
    "Joints",
    "Linearization",
    "MechanismSurvey",
    "OutputMotion",
    "Parameter",
    "Payload",
    "PlatformFrame",
    "Points",
    "PosesFound",
    "Quantity",
    "Robot",
    "SomeAssemblyModes",
    "Status",
    "Survey",
    "Triangle",
    "card",
    "leg_description",
    "library",
    "load",
    "load_unchecked",
    "mechanism_card",
    "survey",
    "survey_mechanism",
]
