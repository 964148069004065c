"""The reference of public names: a page a module, from signatures and docstrings."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import itertools
import textwrap
from dataclasses import dataclass, field
from types import ModuleType

from tools.api_page import FRONT, MORE, constants_of, public_names
from tools.examples import defined_here, entries, shown_by, shown_name, without_example
from tools.site.markdown import paragraphs

HEAD = """# Every public name

`import parakin as pk` gives the first page; the other modules are attributes of `pk`, imported when first used.
Statuses, shapes and units are explained once in [Conventions](/conventions.md), symbols in [Notation](/notation.md);
errors derive from `pk.ParakinError`. Each example begins with what the lines at the top of its page define; all of them
are run by the tests.
"""


@dataclass
class Written:
    """What is described already: a name that several modules have is described once."""

    places: dict[int, str] = field(default_factory=dict)
    """id of an object -> the full name under which it is described."""


def reference_pages() -> dict[str, str]:
    """Return a page for each public module, and one that lists them."""
    if missing := without_example():
        raise LookupError(f"public names without an example in their docstrings: {', '.join(missing)}")
    written = Written()
    names = FRONT + MORE
    pages = {f"reference/{_file(name)}.md": _module_page(name, written) for name in names}
    contents = "\n".join(_file(name) for name in names)
    listed = "\n".join(
        f"- [`{shown_name(name)}`]({_file(name)}.md): {_first(inspect.getdoc(importlib.import_module(name)))}"
        for name in names
    )
    pages["reference/index.md"] = f"{HEAD}\n{listed}\n\n```{{toctree}}\n:hidden:\n\n{contents}\n```\n"
    return pages


def _file(name: str) -> str:
    return name.replace(".", "_")


def _module_page(name: str, written: Written) -> str:
    module = importlib.import_module(name)
    constants = constants_of(module)
    parts = [f"# `{shown_name(name)}`", "", paragraphs(inspect.getdoc(module) or ""), ""]
    for entry in sorted(public_names(module), key=str.lower):
        parts += [_entry(name, entry, getattr(module, entry), constants.get(entry), written), ""]
    return "\n".join(parts)


def _entry(module: str, name: str, value: object, note: str | None, written: Written) -> str:
    """Describe one name: a link where it is described elsewhere."""
    shown = f"{shown_name(module)}.{name}"
    if isinstance(value, ModuleType):
        return f"- [`{shown}`]({_file(f'{module}.{name}')}.md): {_first(inspect.getdoc(value))}"
    known = written.places.get(id(value))
    if known and (inspect.isclass(value) or inspect.isfunction(value)):
        return f"- `{shown}` is {{py:obj}}`{known}`."
    written.places[id(value)] = shown
    if inspect.isclass(value):
        return _class(shown, value)
    if inspect.isfunction(value):
        return _directive("py:function", f"{shown}{_signature(value)}", paragraphs(inspect.getdoc(value) or ""))
    return _directive("py:data", shown, paragraphs(textwrap.dedent(note or inspect.getdoc(value) or "")))


def _class(shown: str, value: type) -> str:
    """Describe a class with its fields, properties and methods, also those that it has from classes of parakin."""
    fields = _fields(value)
    parts = [paragraphs(inspect.getdoc(value) or "")]
    if (elsewhere := _shown_elsewhere(shown)) is not None:
        parts.append(f"See the example of {{py:obj}}`{elsewhere}`.")
    parts += [_directive("py:attribute", name, paragraphs(text), depth=1) for name, text in fields.items()]
    for name in dir(value):
        if name.startswith("_") or name in fields or not defined_here(value, name):
            continue
        member = inspect.getattr_static(value, name)
        if isinstance(member, property | functools.cached_property):
            parts.append(_directive("py:property", name, paragraphs(inspect.getdoc(member) or ""), depth=1))
        elif callable(getattr(value, name)):
            text = paragraphs(inspect.getdoc(getattr(value, name)) or "")
            parts.append(_directive("py:method", f"{name}{_signature(getattr(value, name))}", text, depth=1))
    error = issubclass(value, BaseException)
    made = "__init__" in vars(value) or hasattr(value, "__dataclass_fields__")
    signature = _signature(value) if made and not error else ""
    return _directive("py:exception" if error else "py:class", f"{shown}{signature}", "\n\n".join(parts), depth=2)


def _shown_elsewhere(name: str) -> str | None:
    """The name whose example shows a class that has none itself and whose methods have none."""
    entry = next(entry for entry in entries() if entry.name == name)
    elsewhere = None if entry.shown else shown_by(entry)
    return None if elsewhere is None or elsewhere.startswith(f"{name}.") else elsewhere


def _fields(value: type) -> dict[str, str]:
    """Name of a field -> the text below it, of the class and of those it derives from."""
    found: dict[str, str] = {}
    for base in value.__mro__:
        if not base.__module__.startswith("parakin"):
            continue
        (definition,) = ast.parse(textwrap.dedent(inspect.getsource(base))).body
        assert isinstance(definition, ast.ClassDef)
        makers = [node for node in definition.body if isinstance(node, ast.FunctionDef) and node.name == "__init__"]
        for body in (definition.body, *(maker.body for maker in makers)):
            for node, after in itertools.pairwise(body):
                name, text = _assigned(node), _text(after)
                if name and text and not name.startswith("_"):
                    found.setdefault(name, text)
    return found


def _assigned(node: ast.stmt) -> str | None:
    """The name, or the attribute of self, that a statement gives a value or a type."""
    if isinstance(node, ast.AnnAssign):
        target = node.target
    elif isinstance(node, ast.Assign):
        target = node.targets[0]
    else:
        return None
    return target.id if isinstance(target, ast.Name) else target.attr if isinstance(target, ast.Attribute) else None


def _text(node: ast.stmt) -> str | None:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
        return inspect.cleandoc(node.value.value)
    return None


def _signature(value: object) -> str:
    try:
        text = str(inspect.signature(value))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return "()"
    return text.replace("'", "").replace("self, ", "").replace("(self)", "()").replace("/, ", "").replace("\n", " ")


def _directive(kind: str, signature: str, text: str, depth: int = 1) -> str:
    fence = ":" * (3 + depth)
    return f"{fence}{{{kind}}} {signature}\n{text}\n{fence}"


def _first(text: str | None) -> str:
    return " ".join((text or "").split("\n\n")[0].split())
