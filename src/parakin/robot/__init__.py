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
    from parakin.robot.surveys import Survey, survey
    from parakin.robot.triangle import Triangle

__getattr__ = importer(
    __name__,
    {
        "BaseParameters": "parakin.robot.base_parameters",
        "Comparison": "parakin.robot.compare",
        "Survey": "parakin.robot.surveys",
        "Triangle": "parakin.robot.triangle",
        "card": "parakin.robot.cards",
        "survey": "parakin.robot.surveys",
    },
)

__all__ = [
    "BaseParameters",
    "Bodies",
    "Comparison",
    "Elements",
    "Energy",
    "Evaluation",
    "Joints",
    "Linearization",
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
    "survey",
]
