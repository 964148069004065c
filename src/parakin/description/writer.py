"""Write a description as TOML text that reads back equal."""

from __future__ import annotations

import json
from typing import Any, cast

from parakin.description.model import RobotDescription


def to_toml(description: RobotDescription) -> str:
    """Return the robot file: what differs from the defaults, tables after values, floats to the last digit.

    >>> pk.description.to_toml(robot.description).splitlines()[:2]
    ['name = "delta"', 'title = "Delta, three direct-drive arms and travelling plate"']
    """
    return tables_to_toml(description.model_dump(exclude_defaults=True))


def tables_to_toml(tables: dict[str, object]) -> str:
    """Return nested tables as TOML: values first, tables after them, floats to the last digit."""
    return "\n".join(_table(tables, "")).lstrip("\n") + "\n"


def _value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return json.dumps(value, ensure_ascii=False)
        case dict():
            entries = cast("dict[str, Any]", value)
            return f"{{ {', '.join(f'{key} = {_value(entry)}' for key, entry in entries.items())} }}"
        case tuple() | list():
            return f"[{', '.join(_value(entry) for entry in cast('list[Any]', value))}]"
        case _:
            return repr(value)


def _is_tables(value: Any) -> bool:
    if not isinstance(value, tuple | list) or not value:
        return False
    return all(isinstance(entry, dict) for entry in cast("list[Any]", value))


_INLINE = frozenset(
    {"joint", "attachment", "friction", "tool", "parent_frame", "child_frame", "frame", "freedoms", "drive", "spring"}
)
"""Small tables that read best on one line."""


def _table(table: dict[str, Any], name: str) -> list[str]:
    lines: list[str] = []
    later: list[str] = []
    for key, value in table.items():
        path = f"{name}.{key}" if name else key
        if _is_tables(value):
            for entry in value:
                later += ["", f"[[{path}]]", *_table(entry, path)]
        elif isinstance(value, dict) and key not in _INLINE:
            nested = _table(cast("dict[str, Any]", value), path)
            later += nested if key == "symmetries" else ["", f"[{path}]", *nested]
        else:
            lines.append(f"{key} = {_value(value)}")
    return lines + later
