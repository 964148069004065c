"""What a package hands out never hides one of its own modules."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType

import pytest

import parakin

ROOMS = sorted(module.name for module in pkgutil.iter_modules(parakin.__path__, "parakin.") if module.ispkg)


def packages(name: str) -> list[ModuleType]:
    """The package of this name and all packages below it."""
    package = importlib.import_module(name)
    below = pkgutil.walk_packages(package.__path__, f"{name}.")
    return [package, *(importlib.import_module(module.name) for module in below if module.ispkg)]


@pytest.mark.parametrize("room", ROOMS)
def test_no_exported_name_hides_a_module(room: str) -> None:
    """`import parakin.control.x` is then always a module, and `parakin.control.f` always what `__all__` promises."""
    for package in packages(room):
        modules = {module.name for module in pkgutil.iter_modules(package.__path__)}
        hidden = [
            name
            for name in getattr(package, "__all__", [])
            if name in modules and not isinstance(getattr(package, name), ModuleType)
        ]
        assert not hidden, f"{package.__name__} exports {hidden}, which are also modules of it"


@pytest.mark.parametrize("room", ROOMS)
def test_everything_promised_is_there(room: str) -> None:
    for package in packages(room):
        exported = getattr(package, "__all__", [])
        assert len(set(exported)) == len(exported)
        assert all(hasattr(package, name) for name in exported)
