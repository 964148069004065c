"""Examples of public names: lines `>>>` in docstrings, which a test runs and without which the site is not built.

The lines in a module's own docstring come first; each example below then begins with what they defined. Functions,
methods and errors have an example of their own. A class has one, or methods that have, or a function with an example
returns it, or an error with an example derives from it: the reference then leads there. Data need none: constants,
fields, properties, members of enumerations.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import enum
import functools
import importlib
import inspect
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import cast

from tools.api_page import FRONT, MORE, public_names

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
"""How results are compared: `...` stands for anything, spaces and line ends are alike."""


@dataclass(frozen=True)
class Entry:
    """A public name that is described on a page of the reference."""

    page: str
    """Module whose page it is on."""
    name: str
    """Name as the reference shows it, such as pk.trajectory.check or pk.Robot.energy."""
    value: object
    """What it names."""

    @property
    def text(self) -> str:
        """Its docstring, or that of the method which it overrides."""
        return inspect.getdoc(self.value) or ""

    @property
    def shown(self) -> bool:
        """Whether it has an example of its own."""
        return ">>> " in self.text


def shown_name(module: str) -> str:
    """Return a module's name as users write it."""
    return "pk" if module == "parakin" else module.replace("parakin.", "pk.")


@functools.cache
def entries() -> tuple[Entry, ...]:
    """Return every function, class and method of the reference, each once, on the page where it is described."""
    seen: set[int] = set()
    found: list[Entry] = []
    for page in FRONT + MORE:
        module = importlib.import_module(page)
        for name in sorted(public_names(module), key=str.lower):
            value = getattr(module, name)
            if id(value) in seen or not (inspect.isclass(value) or inspect.isfunction(value)):
                continue
            seen.add(id(value))
            entry = Entry(page, f"{shown_name(page)}.{name}", value)
            found += [entry, *(_methods(entry, value) if inspect.isclass(value) else ())]
    return tuple(found)


def defined_here(value: type, name: str) -> bool:
    """Whether a member of a class comes from parakin, and not from a library that the class builds upon."""
    return any(name in vars(base) for base in value.__mro__ if base.__module__.startswith("parakin"))


def _methods(entry: Entry, value: type) -> Iterator[Entry]:
    for name in dir(value):
        member = inspect.getattr_static(value, name)
        if name.startswith("_") or not defined_here(value, name) or not isinstance(member, _FUNCTIONS):
            continue
        yield Entry(entry.page, f"{entry.name}.{name}", getattr(value, name))


_FUNCTIONS = (FunctionType, classmethod, staticmethod)


def without_example() -> list[str]:
    """Return the public names that lack an example."""
    return [entry.name for entry in entries() if not entry.shown and not _data(entry.value) and not shown_by(entry)]


def _data(value: object) -> bool:
    return inspect.isclass(value) and issubclass(value, enum.Enum)


def shown_by(entry: Entry) -> str | None:
    """Return the name whose example shows a class: a method, a function that returns it, an error derived from it."""
    if not inspect.isclass(entry.value):
        return None
    if issubclass(entry.value, Exception):
        derived = (other for other in entries() if other.shown and inspect.isclass(other.value))
        return next((other.name for other in derived if issubclass(cast("type", other.value), entry.value)), None)
    methods = (other.name for other in entries() if other.name.startswith(f"{entry.name}.") and other.shown)
    return next(methods, None) or _returning().get(id(entry.value))


@functools.cache
def _returning() -> dict[int, str]:
    """id of a class -> the first function with an example whose annotation says that it returns it."""
    found: dict[int, str] = {}
    for entry in entries():
        if inspect.isclass(entry.value) or not entry.shown:
            continue
        function = inspect.unwrap(cast("FunctionType", entry.value))
        words = re.findall(r"\w+", str(inspect.signature(function).return_annotation))
        for value in (_meant(word, function.__module__) for word in words):
            found.setdefault(id(value), entry.name)
    return found


@functools.cache
def _meant(word: str, module: str) -> object:
    """Return what a word of an annotation means in a module, also where it is imported for annotations only."""
    place = importlib.import_module(module)
    if hasattr(place, word):
        return getattr(place, word)
    for node in ast.walk(ast.parse(Path(inspect.getfile(place)).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and any(alias.name == word for alias in node.names):
            return getattr(importlib.import_module(node.module), word, None)
    return None


def run(page: str) -> list[str]:
    """Run the examples of a page in a folder that is removed after; return what went otherwise than written."""
    namespace: dict[str, object] = {}
    module = importlib.import_module(page)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        told = _run(shown_name(page), module, namespace)
        texts: set[str] = set()
        for entry in entries():
            if entry.page == page and entry.text not in texts:  # what a subclass has from its base is run once
                texts.add(entry.text)
                told += _run(entry.name, entry.value, dict(namespace))
    return told


def _run(name: str, value: object, namespace: dict[str, object]) -> list[str]:
    text = inspect.getdoc(value) or ""
    examples = doctest.DocTestParser().get_examples(text, name)
    told: list[str] = []
    if examples:
        test = doctest.DocTest(examples, namespace, name, None, None, text)
        doctest.DocTestRunner(optionflags=FLAGS).run(test, out=told.append, clear_globs=False)
        namespace.update(test.globs)
    return told
