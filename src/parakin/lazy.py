"""Packages whose names are imported when they are first asked for."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping


def importer(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """Return the `__getattr__` of a package (PEP 562), which imports a name where it is first used and keeps it.

    homes: module -> the names that it has, with blanks between them; the name of a module of the package for itself.
    """
    found = {name: module for module, names in homes.items() for name in names.split()}

    def get(name: str) -> object:
        if name not in found:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        module = importlib.import_module(found[name])
        value = module if found[name] == f"{package}.{name}" else getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    return get
