"""Robots as objects: a description and its numeric methods."""

from parakin.dynamics.parameters import Parameter, Quantity
from parakin.dynamics.payload import Payload
from parakin.kinematics.status import Status
from parakin.robot.base_parameters import BaseParameters
from parakin.robot.cards import card
from parakin.robot.compare import Comparison
from parakin.robot.evaluation import Evaluation
from parakin.robot.mechanism import BodyPlaces, Mechanism, MechanismJoints, OutputMotion, load_mechanism
from parakin.robot.mechanism_cards import mechanism_card
from parakin.robot.mechanism_survey import MechanismSurvey, survey_mechanism
from parakin.robot.results import Bodies, Elements, Energy, Joints, Linearization, Points
from parakin.robot.robot import Robot, load
from parakin.robot.surveys import Survey, survey
from parakin.robot.triangle import Triangle

__all__ = [
    "BaseParameters",
    "Bodies",
    "BodyPlaces",
    "Comparison",
    "Elements",
    "Energy",
    "Evaluation",
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
