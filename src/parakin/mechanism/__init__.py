"""Mechanisms as data: bodies and joints in any arrangement, with loops; the plan by which they are computed.

Names are imported when first used: whoever loads a robot asks only whether a name is a mechanism's.

>>> import parakin as pk
>>> linkage = pk.load("four_bar")
>>> description = linkage.graph_description
>>> crank = description.joints[0]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parakin.lazy import importer

if TYPE_CHECKING:
    from parakin.mechanism.bar_tables import Bar, BarEnd
    from parakin.mechanism.expansion import graph_of
    from parakin.mechanism.loader import (
        describe_mechanism,
        load_mechanism_description,
        mechanism_to_toml,
        parse_mechanism,
    )
    from parakin.mechanism.mobility import mobility_of
    from parakin.mechanism.mobility_result import Mobility
    from parakin.mechanism.model import (
        Body,
        Cone,
        Coupling,
        Drive,
        Frame,
        Joint,
        JointFreedom,
        MechanismDescription,
        NamedFrame,
        Output,
        Rod,
        Spring,
        Term,
        Workspace,
    )
    from parakin.mechanism.names import mechanism_library, names_mechanism
    from parakin.mechanism.plan import Plan
    from parakin.mechanism.plan_text import plan_of_json, plan_to_json
    from parakin.mechanism.reducing import with_distances
    from parakin.mechanism.rod_bodies import RodBody
    from parakin.mechanism.rods import BallRod, RodChoice, ball_rods
    from parakin.mechanism.schema import mechanism_schema

__getattr__ = importer(
    __name__,
    {
        "BallRod": "parakin.mechanism.rods",
        "Bar": "parakin.mechanism.bar_tables",
        "BarEnd": "parakin.mechanism.bar_tables",
        "Body": "parakin.mechanism.model",
        "Cone": "parakin.mechanism.model",
        "Coupling": "parakin.mechanism.model",
        "Drive": "parakin.mechanism.model",
        "Frame": "parakin.mechanism.model",
        "Joint": "parakin.mechanism.model",
        "JointFreedom": "parakin.mechanism.model",
        "MechanismDescription": "parakin.mechanism.model",
        "Mobility": "parakin.mechanism.mobility_result",
        "NamedFrame": "parakin.mechanism.model",
        "Output": "parakin.mechanism.model",
        "Plan": "parakin.mechanism.plan",
        "Rod": "parakin.mechanism.model",
        "RodBody": "parakin.mechanism.rod_bodies",
        "RodChoice": "parakin.mechanism.rods",
        "Spring": "parakin.mechanism.model",
        "Term": "parakin.mechanism.model",
        "Workspace": "parakin.mechanism.model",
        "ball_rods": "parakin.mechanism.rods",
        "describe_mechanism": "parakin.mechanism.loader",
        "graph_of": "parakin.mechanism.expansion",
        "load_mechanism_description": "parakin.mechanism.loader",
        "mechanism_library": "parakin.mechanism.names",
        "mechanism_schema": "parakin.mechanism.schema",
        "mechanism_to_toml": "parakin.mechanism.loader",
        "mobility_of": "parakin.mechanism.mobility",
        "names_mechanism": "parakin.mechanism.names",
        "parse_mechanism": "parakin.mechanism.loader",
        "plan_of_json": "parakin.mechanism.plan_text",
        "plan_to_json": "parakin.mechanism.plan_text",
        "with_distances": "parakin.mechanism.reducing",
    },
)

__all__ = [
    "BallRod",
    "Bar",
    "BarEnd",
    "Body",
    "Cone",
    "Coupling",
    "Drive",
    "Frame",
    "Joint",
    "JointFreedom",
    "MechanismDescription",
    "Mobility",
    "NamedFrame",
    "Output",
    "Plan",
    "Rod",
    "RodBody",
    "RodChoice",
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
    "plan_of_json",
    "plan_to_json",
    "with_distances",
]
