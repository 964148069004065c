"""A plan as JSON, to look at and to keep; read with the mechanism's description it gives an equal plan."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, cast, get_args, get_origin, get_type_hints

import numpy as np

from parakin.mechanism.model import MechanismDescription
from parakin.mechanism.plan import Plan
from parakin.mechanism.skeleton import Skeleton, skeleton


def plan_to_json(plan: Plan) -> str:
    """Return everything that a plan chose or found, as JSON; of the tree only how its cut joints are said."""
    return json.dumps(_plain(plan))


def plan_of_json(description: MechanismDescription, text: str) -> Plan:
    """Return the plan that `plan_to_json` wrote of the same description; its tree is chosen anew, without numbers."""
    tree, table = skeleton(description), json.loads(text)
    said = zip(tree.cuts, table["skeleton"]["in_base_axes"], strict=True)
    cuts = tuple(replace(cut, in_base_axes=in_base_axes) for cut, in_base_axes in said)
    return cast(Plan, _read(Plan, table, {"skeleton": replace(tree, cuts=cuts)}))


def _plain(value: object) -> object:
    """Return dataclasses as dictionaries, arrays and tuples as lists."""
    if isinstance(value, Skeleton):
        return {"in_base_axes": [cut.in_base_axes for cut in value.cuts]}
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, np.ndarray):
        return cast("list[object]", value.tolist())
    if isinstance(value, tuple):
        return [_plain(entry) for entry in cast("tuple[object, ...]", value)]
    return value


def _read(hint: Any, value: Any, known: Mapping[str, object]) -> object:
    """Return a value of the type that a field declares, from JSON; known: fields that are not in it, by name."""
    if is_dataclass(hint):
        hints = get_type_hints(hint)
        given = {
            f.name: known[f.name] if f.name in known else _read(hints[f.name], value[f.name], {}) for f in fields(hint)
        }
        return cast(Any, hint)(**given)
    if get_origin(hint) is np.ndarray:
        return np.array(value, float)
    if get_origin(hint) is tuple:
        return tuple(_read(get_args(hint)[0], entry, {}) for entry in value)
    return value
