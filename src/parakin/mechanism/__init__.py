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
        "parakin.mechanism.bar_tables": "Bar BarEnd",
        "parakin.mechanism.expansion": "graph_of",
        "parakin.mechanism.loader": "describe_mechanism load_mechanism_description mechanism_to_toml parse_mechanism",
        "parakin.mechanism.mobility": "mobility_of",
        "parakin.mechanism.mobility_result": "Mobility",
        "parakin.mechanism.model": (
            "Body Cone Coupling Drive Frame Joint JointFreedom MechanismDescription NamedFrame Output Rod Spring Term "
            "Workspace"
        ),
        "parakin.mechanism.names": "mechanism_library names_mechanism",
        "parakin.mechanism.plan": "Plan",
        "parakin.mechanism.plan_text": "plan_of_json plan_to_json",
        "parakin.mechanism.reducing": "with_distances",
        "parakin.mechanism.rod_bodies": "RodBody",
        "parakin.mechanism.rods": "BallRod RodChoice ball_rods",
        "parakin.mechanism.schema": "mechanism_schema",
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
