"""Processes that tests start let LLVM work as hard as the tests do, and so find kernels of theirs in the cache.

Python imports this module when it starts, from the folder that tests/conftest.py puts into PYTHONPATH. Nothing of
parakin is imported before the process does so itself: tests look at what is.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType


class _Compiler:
    """Finds the compiler where it is, and sets its effort when it has been imported."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != "parakin.kernels.compiler":
            return None
        spec = PathFinder.find_spec(name, path, target)
        assert spec is not None
        assert spec.loader is not None
        run = spec.loader.exec_module

        def run_and_set(module: ModuleType) -> None:
            run(module)
            vars(module)["EFFORT"] = int(os.environ["PARAKIN_TEST_EFFORT"])

        spec.loader.exec_module = run_and_set
        return spec


sys.meta_path.insert(0, _Compiler())
