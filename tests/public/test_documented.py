"""Every public name says what it is: modules, classes, functions, fields, constants; and none of them is `Any`."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import parakin

SOURCE = Path(parakin.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))
CLIPPED = re.compile(r"^(Of |The same\b|Those |What has |As the |Its |Likewise|From a .* to )")
"""Openings of sentences that leave out what they speak of."""


@pytest.mark.parametrize("file", FILES, ids=[str(file.relative_to(SOURCE)) for file in FILES])
def test_public_names_are_documented_and_typed(file: Path) -> None:
    module = ".".join(("parakin", *file.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")
    faults = [
        f"{file.relative_to(SOURCE)}:{line}: {text}"
        for line, text in _faults(ast.parse(file.read_text("utf-8")))
        if not _inherited(module, text)
    ]
    assert not faults, "\n".join(faults)


def _inherited(module: str, fault: str) -> bool:
    """Whether a name without a docstring is a class's own version of what a base class documents or annotates."""
    found = re.match(r"(\w+)\.(\w+): (no docstring|no line)", fault)
    if found is None:
        return False
    bases = getattr(importlib.import_module(module), found[1]).__mro__[1:-1]
    return any(getattr(vars(base).get(found[2]), "__doc__", None) for base in bases) or any(
        found[2] in vars(base).get("__annotations__", {}) for base in bases
    )


def _faults(tree: ast.Module) -> Iterator[tuple[int, str]]:
    if tree.body:
        yield from _docstring(tree, 1, "module")
    yield from _body(tree.body, "", in_class=False)


def _body(body: list[ast.stmt], prefix: str, *, in_class: bool) -> Iterator[tuple[int, str]]:
    for k, node in enumerate(body):
        match node:
            case ast.ClassDef(name=name) if not name.startswith("_"):
                yield from _docstring(node, node.lineno, prefix + name)
                yield from _body(node.body, f"{prefix}{name}.", in_class=True)
            case ast.FunctionDef(decorator_list=[ast.Name(id="overload")]):
                yield from _signature(node, prefix + node.name)
            case ast.FunctionDef(name=name) if not name.startswith("_"):
                yield from _docstring(node, node.lineno, prefix + name)
                yield from _signature(node, prefix + name)
            case ast.FunctionDef(name="__init__" | "__call__" | "__getitem__" | "__getattr__"):
                yield from _signature(node, prefix + node.name)
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
                if name.startswith("_") or name == "model_config":
                    continue
                if not _has_line(body, k):
                    yield node.lineno, f"{prefix}{name}: no line that says what it is"
                if in_class and isinstance(node, ast.AnnAssign) and _has_any(node.annotation):
                    yield node.lineno, f"{prefix}{name}: Any"


def _docstring(node: ast.Module | ast.ClassDef | ast.FunctionDef, line: int, name: str) -> Iterator[tuple[int, str]]:
    text = ast.get_docstring(node)
    if text is None:
        yield line, f"{name}: no docstring"
    elif CLIPPED.match(text):
        yield line, f"{name}: not a whole sentence: {text.splitlines()[0]}"


def _signature(node: ast.FunctionDef, name: str) -> Iterator[tuple[int, str]]:
    a = node.args
    for argument in (*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg):
        if argument is not None and _has_any(argument.annotation):
            yield node.lineno, f"{name}: argument {argument.arg} is Any"
    if _has_any(node.returns):
        yield node.lineno, f"{name}: returns Any"


def _has_line(body: list[ast.stmt], k: int) -> bool:
    after = body[k + 1] if k + 1 < len(body) else None
    return isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and isinstance(after.value.value, str)


def _has_any(annotation: ast.expr | None) -> bool:
    return annotation is not None and any(isinstance(n, ast.Name) and n.id == "Any" for n in ast.walk(annotation))
