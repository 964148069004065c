"""Tests run against a cache of their own, so that every session compiles what it tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

hypothesis.settings.register_profile("parakin", deadline=None, print_blob=True)
hypothesis.settings.load_profile("parakin")


LONG = {
    "abuse": ("commands", "meaning", "newcomer", "numbers", "robot_files", "tables"),
    "assembly": ("torus_start_set",),
    "cli": ("progress", "simulate_command"),
    "control": ("adaptive", "control"),
    "dynamics": ("count", "dynamics", "formulations", "kinematic_elements", "peers", "regrouping"),
    "export": ("controllers_c",),
    "identification": ("assessment", "estimate", "excitation", "foreign_plant", "identify", "kalman", "preparation"),
    "kernels": ("bits", "c_export", "lane_math", "native_pool"),
    "kinematics": ("kinematics",),
    "mechanism": (
        *("commands", "expansion", "files", "laws", "mobility", "oracle"),
        *("peers", "platform_coordinates", "reactions", "zoo"),
    ),
    "public": ("docs", "imports"),
    "robot": ("reactions",),
    "simulation": ("beyond", "simulation"),
    "studies": ("studies",),
}
"""Test files that take long, by folder; `make quick` leaves them out to answer in two minutes."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.stem.removeprefix("test_") in LONG.get(item.path.parent.name, ()):
            item.add_marker(pytest.mark.long)


@pytest.fixture(scope="session", autouse=True)
def private_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base  # workers compile for each other
    kept = os.environ.get("PARAKIN_TEST_CACHE")  # many runs of nearly the same code, as tools/mutants.py makes them
    directory = Path(kept) if kept else shared / "kernels"
    directory.mkdir(mode=0o700, exist_ok=True)
    before = os.environ.get("PARAKIN_CACHE_DIR")
    os.environ["PARAKIN_CACHE_DIR"] = str(directory)
    yield directory
    if before is None:
        del os.environ["PARAKIN_CACHE_DIR"]
    else:
        os.environ["PARAKIN_CACHE_DIR"] = before
