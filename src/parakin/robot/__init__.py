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
        "OutputMotion": "parakin.robot.mechanism",
        "Survey": "parakin.robot.surveys",
        "Triangle": "parakin.robot.triangle",
        "card": "parakin.robot.cards",
        "load_mechanism": "parakin.robot.mechanism",
        "survey": "parakin.robot.surveys",
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
    "survey",
]
