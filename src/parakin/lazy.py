"""Packages whose names are imported when they are first asked for."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping


def importer(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """Return the `__getattr__` of a package (PEP 562). homes: name -> module that has it; a module's own for itself."""

    def get(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        module = importlib.import_module(homes[name])
        return module if homes[name] == f"{package}.{name}" else getattr(module, name)

    return get
