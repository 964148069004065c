"""Tests run against a cache of their own, so that every session compiles what it tests.

`make quick` keeps it from run to run: kernels are found there by a digest of all that makes them.
"""

from __future__ import annotations

import functools
import gc
import os
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest
from typer import testing
from typer.main import get_command

from parakin.kernels import compiler

USERS_EFFORT = compiler.EFFORT
"""How hard LLVM works where nobody says otherwise."""

CHILDREN = Path(__file__).parent / "children"
"""Has a module that every process started by a test imports: LLVM works there as hard as in the test."""

# Every option of every command is made ready once, and not in each of hundreds of calls, a fifteenth of a second each.
testing._get_command = functools.cache(get_command)  # pyright: ignore[reportPrivateImportUsage]

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
    "analysis": (
        "capability",
        "clearances",
        "constraint_singularities",
        "loads",
        "maps",
        "mechanism_clearances",
        "output_accuracy",
        "own_coordinates",
        "singularities",
        "stiffness",
        "workspace",
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
        "guard",
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
        "fmu",
        "guarded_c",
        "other_tools",
        "round_trip",
    ),
    "onboard": ("machine", "onboard_c"),
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
    "design": (
        "optimising",
        "values",
    ),
    "executors": (
        "cluster",
        "executors",
        "fingerprint",
        "local_processes",
    ),
    "fastest": (
        "cart",
        "time_optimal",
        "toppra",
    ),
    "kernels": (
        "bits",
        "c_export",
        "lane_math",
        "native_pool",
        "wasm",
        "wasm_robots",
    ),
    "kinematics": ("kinematics", "working_modes"),
    "mechanism": (
        "closing_order",
        "commands",
        "dyads",
        "expansion",
        "files",
        "following",
        "laws",
        "leg_kinds",
        "lossless",
        "mobility",
        "named_frames",
        "oracle",
        "peers",
        "plan_words",
        "platform_coordinates",
        "reactions",
        "rod_choices",
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
        "assembly_search",
        "base_parameters",
        "derivatives",
        "loading",
        "one_type",
        "reactions",
    ),
    "simulation": (
        "balls",
        "beyond",
        "elastic_drives",
        "imperfections",
        "margins",
        "mechanisms",
        "placement",
        "platform_sensor",
        "simulation",
        "tuning",
    ),
    "studies": ("studies", "study_parts"),
    "trajectory": (
        "following",
        "of_mechanisms",
    ),
    "viewer": (
        "killed",
        "layers_page",
        "live",
        "modules",
        "page",
        "pictures",
        "scene",
    ),
    "vision": ("observing",),
}
"""Test files that take long, by folder; `make quick` leaves them out to answer in two minutes."""


LATER = {
    "abuse": (
        "4,000 empty legs",
        "4,000 wrong legs",
        "CR line ends",
        "a CR within a line",
        "test_a_velocity_of_1e150_is_unusable[hexa_offset]",
        "test_corners_of_the_library_are_good[hexa_offset]",
        "test_every_formulation_has_the_verdict_of_check_on_the_platform[gough_stewart]",
        *(
            f"test_every_model_has_the_verdict_of_check_on_a_leg[{name}]"
            for name in ("hexa", "hexaglide", "orthoglide", "planar_3rrr", "quattro")
        ),
        *(
            f"test_status_and_values_agree_whatever_is_asked[{name}]"
            for name in ("delta", "delta_shaft", "gough_stewart", "hexaglide", "orthoglide", "planar_3rpr")
        ),
    ),
    "analysis": (
        "test_a_graph_has_the_accuracy_of_its_robot[gough_stewart]",
        "test_play_moves_the_output_as_far_as_joints_that_are_off",
    ),
    "assembly": (
        "test_axes_that_lean_in_their_arms_turn_with_q",
        "test_known_poses_are_among_the_solutions_and_all_close",
    ),
    "cli": ("test_springs_of_a_redundant_machine_are_given_by_their_stiffness",),
    "control": ("test_half_wrong_parameters_leave_the_loop_stable_and_unsaturated[computed torque]",),
    "dynamics": (
        "test_independent_engines_agree_on_forces[hexapod_6pus",
        "test_vertical_motion_takes_six_equal_forces[False",
        *(
            f"test_the_linear_form_takes_a_reference_velocity[{name}]"
            for name in ("hexa", "hexa_offset", "hexaglide", "gough_stewart")
        ),
        *(f"test_geometry_can_be_an_input[{name}]" for name in ("hexapod_sliding", "palida")),
        *(f"test_independent_engines_agree_on_terms[{name}]" for name in ("gough_stewart_general", "hexapod_6pus")),
        "test_linearization_is_the_derivative_of_forward_dynamics[hexapod_sliding]",
        *(f"test_motion_on_springs_keeps_its_energy[{name}]" for name in ("hexapod_sliding", "palida")),
    ),
    "export": (
        "test_balls_keep_viscous_friction[urdf]",
        *(f"test_controllers_are_clean_under_the_sanitizers[{name}]" for name in ("h4-computed_torque", "palida-pid")),
        "test_export_and_import_give_the_same_robot[four_bar_leg-mjcf]",
        "test_frames_go_out_and_come_back[mjcf]",
        *(f"test_other_engines_need_the_same_forces[{name}" for name in ("exechon", "reachy_mini")),
    ),
    "identification": (
        "test_95_percent_intervals_hold_the_truth_95_percent_of_the_time",
        "test_a_sound_log_has_no_damage[palida]",
        "test_a_tick_is_exported_as_c",
        "test_commands_excite_and_identify_a_mechanism",
        *(f"test_forces_that_act_some_rows_late_are_found[{case}]" for case in (0, 1)),
        "test_intervals_hold_the_truth",
        "test_parakin_and_the_plant_agree_along_the_plants_own_motion",
        "test_the_time_of_held_torques_is_found_and_said",
        "test_torques_recorded_earlier_or_later_are_found_too",
        "test_what_the_model_leaves_out_is_named[the forces of side1",
        "test_which_parameters_cannot_be_negative[palida]",
        *(f"test_zeros_of_encoders_that_nothing_shows_do_not_mislead[{case}]" for case in (1, 4)),
    ),
    "kernels": (
        "test_a_batch_large_enough_for_threads_is_the_same_for_any_number_of_them",
        "test_a_large_graph_has_casadis_bits_too[20000]",
        "test_bits_do_not_depend_on_the_width",
        "test_every_number_of_a_robot_file_is_in_the_key[four_bar]",
        *(
            f"test_forward_kinematics_of_every_robot_is_right_in_c[{name}]"
            for name in ("delta_shaft", "gough_stewart", "orthoglide")
        ),
        *(f"test_kinematics_and_forces[{name}]" for name in ("delta_shaft", "hexaglide", "orthoglide")),
    ),
    "mechanism": (
        "test_cones_of_a_robot_limit_its_graph_too[gough_stewart]",
        *(f"test_graphs_have_the_condition_numbers_of_their_robots[{name}]" for name in ("gough_stewart", "h4")),
        *(
            f"test_the_coriolis_matrix_makes_bias_and_a_skew_matrix_of_the_rate_of_the_mass_matrix[{name}]"
            for name in ("agile_eye", "redundant_4rrr", "tricept", "tripod_3rps")
        ),
        "test_a_cone_of_a_mechanism_is_looked_at_as_other_limits_are",
        "test_a_spin_without_inertia_is_told",
        *(f"test_boxes_of_the_library_are_good[{name}]" for name in ("agile_eye", "redundant_4rrr", "tripod_3prs")),
        "test_laws_of_motion_hold",
        *(f"test_linearization_is_the_derivative_of_forward_dynamics[{name}]" for name in ("rccc", "ruuc")),
        "test_machines_of_the_pages_move_within_their_boxes[exechon]",
        "test_rates_of_motors_are_derivatives_of_their_positions[hinged_cylinders]",
        "test_the_3uru_of_the_library_as_legs",
        "test_wrenches_balance_and_are_the_least[agile_eye]",
        *(
            f"test_forces_and_masses[{name}]"
            for name in ("agile_eye_rounded", "delta_ss", "dymo_3uru", "gough_stewart_offset", "reachy_mini")
        ),
        *(f"test_joint_reactions[{name}]" for name in ("delta_ss", "gough_stewart_offset", "reachy_mini")),
        *(
            f"{test}[{name}]"
            for test in (
                "test_configurations_are_found_from_home",
                "test_every_joint_and_the_output_move_as_they_should",
            )
            for name in ("delta_ss", "gough_stewart_offset", "reachy_mini")
        ),
        *(
            f"{test}[{name}]"
            for test in ("test_every_body_is_where_the_legs_put_it", "test_the_motors_need_the_same_forces")
            for name in ("arms and bars between balls", "delta_shaft", "hexaglide", "struts between balls")
        ),
        "test_forces_do_not_depend_on_what_a_pose_is[gough_stewart_offset-parts1]",
        *(f"test_legs_are_their_graph[braked_{name}]" for name in ("3rrr", "3upu", "6ucu")),
        *(
            f"test_the_platform_moves_as_the_legs_say[{name}]"
            for name in (
                *("arms and bars between balls", "delta_shaft", "gough_stewart", "h4", "hexaglide", "orthoglide"),
                "struts between balls",
            )
        ),
    ),
    "public": (
        "test_commands_import_what_they_use_and_no_more[demo",
        *(
            f"test_examples_run[{name}]"
            for name in (
                "03_library_tour",
                "05_identification",
                "06_compare_controllers",
                "07_monte_carlo",
                "08_controller_in_c",
                "11_optimal_control_of_a_mechanism",
                "13_many_runs",
                "15_performance_map",
                "16_design_study",
                "17_what_a_camera_sees",
            )
        ),
        *(
            f"test_python_in_documents_runs[docs/{page}.md]"
            for page in (
                *("control", "derivatives", "design", "identification", "live_page", "mechanisms", "simulation"),
                *("vision", "workspace"),
            )
        ),
    ),
    "robot": (
        "test_what_both_kinds_have[tricept]",
        *(f"test_the_base_holds_all_bodies[{name}]" for name in ("delta", "gough_stewart", "h4", "hexaglide")),
    ),
    "simulation": (
        "test_energy_is_what_the_drives_put_in[gough_stewart]",
        "test_halving_the_step_divides_the_error_by_sixteen[gough_stewart]",
        "test_laws_can_be_given_the_same_margin_or_the_same_noise",
        "test_one_of_many_runs_as_it_does_alone",
    ),
    "studies": (
        "test_a_study_finds_what_is_recorded_and_its_page_says_so",
        "test_machines_of_other_proportions_are_coupled_differently_and_stand_alike",
    ),
    "viewer": (
        *(
            f"{test}[{name}]"
            for test in (
                "test_numbers_are_those_of_python",
                "test_pages_are_small",
                "test_the_picture_is_not_blank_and_changes",
            )
            for name in ("gough_stewart", "h4")
        ),
        "test_only_the_nearest_of_many_assembly_modes_are_listed",
    ),
    "vision": ("test_a_picture_without_the_robot_is_lost_and_the_next_one_found",),
}
"""Tests of more than a second that others stand beside, by folder: `make slow` runs them."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if any(name in item.name for name in LATER.get(item.path.parent.name, ())):
            item.add_marker(pytest.mark.slow)
        if item.path.stem.removeprefix("test_") in LONG.get(item.path.parent.name, ()):
            item.add_marker(pytest.mark.long)


gc.disable()  # until all tests are collected


def pytest_collection_finish() -> None:
    """Let Python look for garbage among what tests make, and not among all modules and thousands of tests each time.

    Of a test that makes kernels that took a quarter.
    """
    gc.enable()
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


FULL_EFFORT = ("kernels", "studies")
"""Folders in which LLVM works as hard as it does for users: tests about machine code, and runs that take longer than
making their code."""


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let LLVM make code without effort, in a quarter of its time: tests/kernels/test_effort.py shows equal bits."""
    compiler.EFFORT = USERS_EFFORT if item.path.parent.name in FULL_EFFORT else 0
    os.environ["PARAKIN_TEST_EFFORT"] = str(compiler.EFFORT)


@pytest.fixture(scope="session", autouse=True)
def private_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base  # workers compile for each other
    kept = os.environ.get("PARAKIN_TEST_CACHE")  # many runs of nearly the same code: make quick, tools/mutants.py
    directory = Path(kept) if kept else shared / "kernels"
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PARAKIN_CACHE_DIR", str(directory))
        patch.setenv("PYTHONPATH", str(CHILDREN), prepend=os.pathsep)
        yield directory
