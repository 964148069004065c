"""Mechanisms as data: bodies and joints in any arrangement, with loops; the plan by which they are computed."""

from parakin.mechanism.expansion import graph_of
from parakin.mechanism.loader import (
    describe_mechanism,
    load_mechanism_description,
    mechanism_library,
    mechanism_to_toml,
    names_mechanism,
    parse_mechanism,
)
from parakin.mechanism.mobility import Mobility, mobility_of
from parakin.mechanism.model import (
    Body,
    Coupling,
    Drive,
    Frame,
    Joint,
    JointFreedom,
    MechanismDescription,
    Output,
    Rod,
    Spring,
    Term,
    Workspace,
)
from parakin.mechanism.plan import Plan
from parakin.mechanism.rods import BallRod, ball_rods, with_distances
from parakin.mechanism.schema import mechanism_schema

__all__ = [
    "BallRod",
    "Body",
    "Coupling",
    "Drive",
    "Frame",
    "Joint",
    "JointFreedom",
    "MechanismDescription",
    "Mobility",
    "Output",
    "Plan",
    "Rod",
    "Spring",
    "Term",
    "Workspace",
    "ball_rods",
    "describe_mechanism",
    "graph_of",
    "load_mechanism_description",
    "mechanism_library",
    "mechanism_schema",
    "mechanism_to_toml",
    "mobility_of",
    "names_mechanism",
    "parse_mechanism",
    "with_distances",
]
