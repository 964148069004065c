"""Robots as objects: a description and its numeric methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parakin.dynamics.parameters import Parameter, Quantity
from parakin.dynamics.payload import Payload
from parakin.kinematics.status import Status
from parakin.lazy import importer
from parakin.robot.evaluation import Evaluation
from parakin.robot.results import Bodies, Elements, Energy, Joints, Linearization, Points
from parakin.robot.robot import Robot, load

if TYPE_CHECKING:
    from parakin.robot.base_parameters import BaseParameters
    from parakin.robot.cards import card
    from parakin.robot.compare import Comparison
    from parakin.robot.mechanism import (
        BodyPlaces,
        JointWrenches,
        Mechanism,
        MechanismJoints,
        OutputMotion,
        load_mechanism,
    )
    from parakin.robot.mechanism_cards import mechanism_card
    from parakin.robot.mechanism_survey import MechanismSurvey, survey_mechanism
    from parakin.robot.surveys import Survey, survey
    from parakin.robot.triangle import Triangle

__getattr__ = importer(
    __name__,
    {
        "BaseParameters": "parakin.robot.base_parameters",
        "BodyPlaces": "parakin.robot.mechanism",
        "Comparison": "parakin.robot.compare",
        "JointWrenches": "parakin.robot.mechanism",
        "Mechanism": "parakin.robot.mechanism",
        "MechanismJoints": "parakin.robot.mechanism",
        "MechanismSurvey": "parakin.robot.mechanism_survey",
        "OutputMotion": "parakin.robot.mechanism",
        "Survey": "parakin.robot.surveys",
        "Triangle": "parakin.robot.triangle",
        "card": "parakin.robot.cards",
        "load_mechanism": "parakin.robot.mechanism",
        "mechanism_card": "parakin.robot.mechanism_cards",
        "survey": "parakin.robot.surveys",
        "survey_mechanism": "parakin.robot.mechanism_survey",
    },
)

__all__ = [
    "BaseParameters",
    "Bodies",
    "BodyPlaces",
    "Comparison",
    "Elements",
    "Energy",
    "Evaluation",
    "JointWrenches",
    "Joints",
    "Linearization",
    "Mechanism",
    "MechanismJoints",
    "MechanismSurvey",
    "OutputMotion",
    "Parameter",
    "Payload",
    "Points",
    "Quantity",
    "Robot",
    "Status",
    "Survey",
    "Triangle",
    "card",
    "load",
    "load_mechanism",
    "mechanism_card",
    "survey",
    "survey_mechanism",
]
