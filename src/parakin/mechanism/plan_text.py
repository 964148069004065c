"""A plan as JSON, to look at and to keep; read with the mechanism's description it gives an equal plan."""

from __future__ import annotations

import json
from dataclasses import replace

from parakin.mechanism.json_text import of_table, to_table
from parakin.mechanism.model import MechanismDescription
from parakin.mechanism.plan import Plan
from parakin.mechanism.reducing import of_rods
from parakin.mechanism.rod_bodies import RodBody
from parakin.mechanism.skeleton import Place, size_of, skeleton


def plan_to_json(plan: Plan) -> str:
    """Return everything that a plan chose or found, as JSON.

    Of the tree only how the rows of its cut joints lie, and how rods that are distances stand at home.

    >>> import json
    >>> sorted(json.loads(pk.mechanism.plan_to_json(linkage.plan)))[:3]
    ['actuators', 'assembly', 'axes_of_rows']
    """
    axes = {cut.joint.name: None if cut.axes is None else to_table(cut.axes) for cut in plan.skeleton.cuts}
    rods = [to_table(rod) for rod in plan.skeleton.rods]
    return json.dumps(to_table(plan, leave_out=("skeleton",)) | {"axes_of_rows": axes, "rods_at_home": rods})


def plan_of_json(description: MechanismDescription, text: str) -> Plan:
    """Return the plan that `plan_to_json` wrote of the same description; the tree follows from that and its rods.

    >>> text = pk.mechanism.plan_to_json(linkage.plan)
    >>> pk.mechanism.plan_of_json(description, text).independent_names
    ('crank.angle',)
    """
    table = json.loads(text)
    rods = tuple(of_table(RodBody, rod) for rod in table["rods_at_home"])
    tree = of_rods(description, rods, size_of(description)) if rods else skeleton(description)
    axes = {name: None if place is None else of_table(Place, place) for name, place in table["axes_of_rows"].items()}
    cuts = tuple(replace(cut, axes=axes[cut.joint.name]) for cut in tree.cuts)
    return of_table(Plan, table, {"skeleton": replace(tree, cuts=cuts)})
