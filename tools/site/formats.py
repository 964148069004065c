"""The reference of robot and mechanism files, from their JSON Schemas."""

from __future__ import annotations

import json
from typing import Any

from tools.site.markdown import plain

HEADS = {
    "robot_file": (
        "# Tables of a robot file",
        (
            "Every key that a robot file may have, from the schema that `parakin schema` prints; "
            "[Robot files](/robot_files.md) tells how to write one."
        ),
    ),
    "mechanism_file": (
        "# Tables of a mechanism file",
        (
            "Every key that a mechanism file may have, from the schema that `parakin schema --mechanism` prints; "
            "[Mechanisms](/mechanisms.md) tells how to write one."
        ),
    ),
}


def format_pages() -> dict[str, str]:
    """Return a page for each kind of file: one table for each table of the file."""
    from parakin.description.schema import file_schema
    from parakin.mechanism.schema import mechanism_schema

    schemas = {"robot_file": file_schema(), "mechanism_file": mechanism_schema()}
    return {f"reference/{name}.md": _page(*HEADS[name], schema) for name, schema in schemas.items()}


def _page(title: str, intro: str, schema: dict[str, Any]) -> str:
    parts = [title, "", intro, "", _table("the file", schema)]
    parts += [_table(name, entry) for name, entry in schema.get("$defs", {}).items()]
    return "\n".join(parts)


def _table(name: str, schema: dict[str, Any]) -> str:
    if "properties" not in schema:
        return ""
    required = set(schema.get("required", []))
    rows: list[str] = []
    for key, entry in schema["properties"].items():
        default = "" if key in required else _default(entry)
        rows.append(f"| `{key}` | {_type(entry)} | {default} | {plain(entry.get('description', ''))} |")
    about = plain(" ".join(str(schema.get("description", "")).split()))
    return (
        f"## {plain(name)}\n\n{about}\n\n| key | type | if left out | meaning |\n|---|---|---|---|\n"
        + "\n".join(rows)
        + "\n"
    )


def _default(entry: dict[str, Any]) -> str:
    value = entry.get("default", "")
    return f"`{json.dumps(value)}`" if value not in ("", None) else ("none" if "default" in entry else "")


def _type(entry: dict[str, Any]) -> str:
    if "$ref" in entry:
        return plain(entry["$ref"].rpartition("/")[2])
    if "const" in entry:
        return f'`"{entry["const"]}"`'
    if "enum" in entry:
        return ", ".join(f'`"{value}"`' for value in entry["enum"])
    for key in ("anyOf", "oneOf", "allOf"):
        if key in entry:
            return " or ".join(dict.fromkeys(_type(one) for one in entry[key] if one.get("type") != "null"))
    if entry.get("type") == "array":
        items = entry.get("prefixItems")
        inner = _type(items[0]) if items else _type(entry.get("items", {}))
        count = f"{len(items)} " if items else ""
        return f"list of {count}{inner}"
    return {"number": "number", "integer": "whole number", "string": "text", "boolean": "true or false"}.get(
        str(entry.get("type", "")), str(entry.get("type", "any"))
    )
