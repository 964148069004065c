"""Tests run against a cache of their own, so that every session compiles what it tests.

`make quick` keeps it from run to run: kernels are found there by a digest of all that makes them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from parakin.kernels import compiler

USERS_EFFORT = compiler.EFFORT
"""How hard LLVM works where nobody says otherwise."""

hypothesis.settings.register_profile("parakin", deadline=None, print_blob=True)
hypothesis.settings.load_profile("parakin")


LONG = {
    "abuse": (
        "commands",
        "fuzz",
        "meaning",
        "newcomer",
        "numbers",
        "robot_files",
        "tables",
    ),
    "assembly": ("torus_start_set",),
    "cli": (
        "demo",
        "progress",
        "simulate_command",
    ),
    "control": (
        "adaptive",
        "control",
        "predictive",
    ),
    "dynamics": (
        "count",
        "dynamics",
        "formulations",
        "kinematic_elements",
        "peers",
        "regrouping",
    ),
    "export": (
        "controllers_c",
        "other_tools",
        "round_trip",
    ),
    "identification": (
        "assessment",
        "averages",
        "estimate",
        "excitation",
        "foreign_plant",
        "identify",
        "kalman",
        "of_mechanisms",
        "preparation",
        "reversals",
    ),
    "kernels": (
        "bits",
        "c_export",
        "lane_math",
        "native_pool",
        "wasm",
        "wasm_robots",
    ),
    "kinematics": ("kinematics",),
    "mechanism": (
        "commands",
        "dyads",
        "expansion",
        "files",
        "following",
        "laws",
        "leg_kinds",
        "mobility",
        "named_frames",
        "oracle",
        "peers",
        "plan_words",
        "platform_coordinates",
        "reactions",
        "rods",
        "rounded_files",
        "singular",
        "small_file",
        "zoo",
    ),
    "public": (
        "docs",
        "imports",
    ),
    "readers": (
        "frames",
        "import_command",
        "mjcf",
        "printers",
        "urdf_sdf",
    ),
    "robot": (
        "base_parameters",
        "derivatives",
        "loading",
        "many_starts",
        "one_type",
        "reactions",
    ),
    "simulation": (
        "beyond",
        "margins",
        "mechanisms",
        "simulation",
        "tuning",
    ),
    "studies": ("studies",),
    "trajectory": (
        "following",
        "of_mechanisms",
    ),
    "viewer": (
        "killed",
        "live",
        "modules",
        "page",
        "pictures",
        "scene",
    ),
}
"""Test files that take long, by folder; `make quick` leaves them out to answer in two minutes."""


LATER = {
    "abuse": ("4,000 wrong legs", "CR line ends"),
    "assembly": ("test_known_poses_are_among_the_solutions_and_all_close",),
    "dynamics": (
        "test_the_linear_form_takes_a_reference_velocity[hexa]",
        "test_the_linear_form_takes_a_reference_velocity[hexa_offset]",
        "test_dynamics_agree[hexa_offset-pinocchio]",
    ),
    "identification": ("test_parakin_and_the_plant_agree_along_the_plants_own_motion",),
    "mechanism": (
        "test_a_spin_without_inertia_is_told",
        "test_forces_and_masses[delta_ss]",
        "test_forces_and_masses[gough_stewart_offset]",
        "test_forces_and_masses[reachy_mini]",
        "test_forces_do_not_depend_on_what_a_pose_is[gough_stewart_offset-parts1]",
        "test_legs_are_their_graph[braked_6ucu]",
    ),
    "public": (
        "test_examples_run[03_library_tour]",
        "test_examples_run[06_compare_controllers]",
        "test_examples_run[11_optimal_control_of_a_mechanism]",
        "test_python_in_documents_runs[docs/mechanisms.md]",
        "test_python_in_documents_runs[docs/simulation.md]",
    ),
    "robot": ("test_what_both_kinds_have[tricept]",),
    "studies": ("test_a_study_finds_what_is_recorded_and_its_page_says_so",),
}
"""Tests of more than five seconds that others stand beside, by folder: `make slow` runs them."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if any(name in item.name for name in LATER.get(item.path.parent.name, ())):
            item.add_marker(pytest.mark.slow)
        if item.path.stem.removeprefix("test_") in LONG.get(item.path.parent.name, ()):
            item.add_marker(pytest.mark.long)


FULL_EFFORT = ("kernels", "studies")
"""Folders in which LLVM works as hard as it does for users: tests about machine code, and runs that take longer than
making their code."""


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let LLVM make code without effort, in a quarter of its time: tests/kernels/test_effort.py shows equal bits."""
    compiler.EFFORT = USERS_EFFORT if item.path.parent.name in FULL_EFFORT else 0


@pytest.fixture(scope="session", autouse=True)
def private_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base  # workers compile for each other
    kept = os.environ.get("PARAKIN_TEST_CACHE")  # many runs of nearly the same code: make quick, tools/mutants.py
    directory = Path(kept) if kept else shared / "kernels"
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    before = os.environ.get("PARAKIN_CACHE_DIR")
    os.environ["PARAKIN_CACHE_DIR"] = str(directory)
    yield directory
    if before is None:
        del os.environ["PARAKIN_CACHE_DIR"]
    else:
        os.environ["PARAKIN_CACHE_DIR"] = before
