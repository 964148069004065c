"""Write docs/api.md: every public name of parakin, on one page, with the first sentence of its docstring.

python tools/api_page.py
"""

from __future__ import annotations

import ast
import importlib
import inspect
import itertools
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import parakin

FRONT = ["parakin", *(f"parakin.{name}" for name in parakin.__all__ if isinstance(getattr(parakin, name), ModuleType))]
"""The front door, and the modules on it."""
MORE = [
    "parakin.robot",
    "parakin.description",
    "parakin.mechanism",
    "parakin.mechanism.readers",
    "parakin.motions",
    "parakin.units",
    "parakin.errors",
]
"""Modules that are not on the front door, where types of results, tables of files and errors live."""
HEAD = """# Every public name

Written by `tools/api_page.py` from the docstrings; a test holds the two together. `import parakin as pk` gives the
first table; the other modules are attributes of `pk`, imported when first used.
"""


def page() -> str:
    """Return the text of docs/api.md."""
    return "\n".join([HEAD, *(line for name in FRONT + MORE for line in _table(name))])


def _table(name: str) -> Iterator[str]:
    module = importlib.import_module(name)
    yield f"## `{'pk' if name == 'parakin' else name.replace('parakin.', 'pk.')}`"
    yield ""
    yield _sentence(inspect.getdoc(module))
    yield ""
    yield "| name | what it is |"
    yield "|---|---|"
    constants = constants_of(module)
    for entry in sorted(public_names(module), key=str.lower):
        value = getattr(module, entry)
        ours = isinstance(value, ModuleType) or str(getattr(value, "__module__", "")).startswith("parakin")
        yield f"| `{entry}` | {_sentence(inspect.getdoc(value) if ours else constants.get(entry))} |"
    yield ""


def public_names(module: ModuleType) -> list[str]:
    """Return the names in `__all__`, or else those that the module itself defines."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    defined = [name for name, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__]
    return [name for name in dict.fromkeys([*defined, *constants_of(module)]) if not name.startswith("_")]


def constants_of(module: ModuleType) -> dict[str, str]:
    """Return constant -> the line below it, wherever in the package it is defined."""
    lines: dict[str, str] = {}
    place = Path(inspect.getfile(module))
    for file in sorted(place.parent.rglob("*.py")) if place.name == "__init__.py" else [place]:
        for node, after in itertools.pairwise(ast.parse(file.read_text(encoding="utf-8")).body):
            if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
                lines |= {name.id: str(after.value.value) for name in _targets(node) if isinstance(name, ast.Name)}
    return lines


def _targets(node: ast.stmt) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ast.AnnAssign) else []


def _sentence(text: str | None) -> str:
    """The first paragraph as one line, made fit for a cell of a table."""
    if text is None or not text.strip():
        raise ValueError("a public name without a line that says what it is")
    return " ".join(text.strip().split("\n\n")[0].split()).replace("|", "\\|")


if __name__ == "__main__":
    Path(__file__).parents[1].joinpath("docs", "api.md").write_text(page(), encoding="utf-8")
