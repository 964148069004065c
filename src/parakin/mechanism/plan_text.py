"""A plan as JSON, to look at and to keep; read with the mechanism's description it gives an equal plan."""

from __future__ import annotations

import json
from dataclasses import replace

from parakin.mechanism.json_text import of_table, to_table
from parakin.mechanism.model import MechanismDescription
from parakin.mechanism.plan import Plan
from parakin.mechanism.skeleton import Place, skeleton


def plan_to_json(plan: Plan) -> str:
    """Return everything that a plan chose or found, as JSON; of the tree only how the rows of its cut joints lie.

    >>> import json
    >>> sorted(json.loads(pk.mechanism.plan_to_json(linkage.plan)))[:3]
    ['actuators', 'assembly', 'axes_of_rows']
    """
    axes = {cut.joint.name: None if cut.axes is None else to_table(cut.axes) for cut in plan.skeleton.cuts}
    return json.dumps(to_table(plan, leave_out=("skeleton",)) | {"axes_of_rows": axes})


def plan_of_json(description: MechanismDescription, text: str) -> Plan:
    """Return the plan that `plan_to_json` wrote of the same description; the tree follows from that alone.

    >>> text = pk.mechanism.plan_to_json(linkage.plan)
    >>> pk.mechanism.plan_of_json(description, text).independent_names
    ('crank.angle',)
    """
    tree, table = skeleton(description), json.loads(text)
    axes = {name: None if place is None else of_table(Place, place) for name, place in table["axes_of_rows"].items()}
    cuts = tuple(replace(cut, axes=axes[cut.joint.name]) for cut in tree.cuts)
    return of_table(Plan, table, {"skeleton": replace(tree, cuts=cuts)})
