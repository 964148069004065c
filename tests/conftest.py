"""Tests run against a cache of their own, so that every session compiles what it tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

hypothesis.settings.register_profile("parakin", deadline=None, print_blob=True)
hypothesis.settings.load_profile("parakin")


@pytest.fixture(scope="session", autouse=True)
def private_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    directory = tmp_path_factory.mktemp("kernels")
    directory.chmod(0o700)
    before = os.environ.get("PARAKIN_CACHE_DIR")
    os.environ["PARAKIN_CACHE_DIR"] = str(directory)
    yield directory
    if before is None:
        del os.environ["PARAKIN_CACHE_DIR"]
    else:
        os.environ["PARAKIN_CACHE_DIR"] = before
