"""Forces split into parts, and what the printed numbers say by themselves."""

from __future__ import annotations

import numpy as np
import pytest

import parakin as pk
from parakin.studies.common import without_friction
from parakin.studies.judging import met
from parakin.studies.sinatra import printed
from parakin.studies.sinatra.claims import CLAIMS
from parakin.studies.sinatra.figures import _groups
from parakin.studies.sinatra.legs import (
    MIDDLE,
    POSSIBLE,
    RATE,
    TIMES,
    UNIFORM,
    Forces,
    forces_of,
    possible_legs,
    uniform_legs,
)
from parakin.studies.sinatra.measuring import IDLE, QUICK, _at, _listed, _tensor, active, dominance, rotation_numbers
from parakin.trajectory import motion


def made(power: np.ndarray, tau: np.ndarray | None = None) -> Forces:
    nothing = np.zeros_like(power)
    t, forces = np.linspace(0.0, 1.0, len(power)), power if tau is None else tau
    return Forces(t, forces, power, nothing, nothing, nothing, nothing, t)


def test_the_loop_closes_without_the_transpose_only() -> None:
    assert printed.loop_gap(transposed=True) == pytest.approx(0.4596, abs=5e-5)
    assert printed.loop_gap(transposed=False) < 1e-12


def test_a_leg_has_the_printed_inertia_only_with_its_centre_far_out() -> None:
    assert printed.largest_leg_inertia(0.25) == pytest.approx(0.398 * 0.25 / 2)
    assert printed.largest_leg_inertia(0.25) < printed.LEG_INERTIA
    centre = printed.nearest_centre()
    assert centre == pytest.approx(0.3628, abs=5e-5)
    # two points, one at each end, with this centre
    assert 0.398 * (centre / 0.5) * 0.5**2 == pytest.approx(printed.LEG_INERTIA)


def test_parts_add_up_and_weight_is_what_holds_the_legs() -> None:
    robot = without_friction(pk.load("delta"))  # any robot: this one compiles quickly
    vertical = motion("lift", robot)
    forces = forces_of(robot, vertical)
    assert forces.platform + forces.legs == pytest.approx(forces.tau)
    pose = vertical.sampled(RATE / vertical.duration).pose
    still = np.zeros((len(pose), 3))
    of_platform = np.array([name.startswith("platform.") for name in robot.parameter_names])
    platform_held = robot.regressor(pose, still, still) @ np.where(of_platform, robot.parameters, 0.0)
    assert forces.weight + platform_held == pytest.approx(robot.static_forces(pose))
    q_dot = robot.actuator_velocity(pose, vertical.sampled(RATE / vertical.duration).velocity)
    assert forces.power == pytest.approx(forces.tau * q_dot)
    assert forces.held == pytest.approx(robot.static_forces(pose))
    inertia, legs = forces.shares
    assert 0.0 < inertia < legs < 100.0


def test_uniform_rods_change_their_inertia_across_alone() -> None:
    robot = pk.load("hexapod_sliding")
    both = zip(robot.parameter_names, robot.parameters, uniform_legs(robot), strict=True)
    changed = {name: after for name, before, after in both if before != after}
    assert {name[name.index(".rod") :] for name in changed} == {".rod.Iyy", ".rod.Izz"}
    assert set(changed.values()) == {0.398 * 0.5**2 / 3}


def test_a_centre_that_makes_the_tensor_possible_moves_the_first_moment_alone() -> None:
    robot = pk.load("hexapod_sliding")
    both = zip(robot.parameter_names, robot.parameters, possible_legs(robot), strict=True)
    changed = {name: after for name, before, after in both if before != after}
    assert {name[name.index(".rod") :] for name in changed} == {".rod.mx"}
    (mx,) = set(changed.values())
    # two points at both ends: the one at the far end has this first moment, and the tensor times 1/l
    assert mx * 0.5 == pytest.approx(printed.LEG_INERTIA)


def test_the_tensor_is_judged_with_the_leg_of_all_other_claims_about_the_machine() -> None:
    """A tensor that holds with one centre of mass, beside forces that stand on another, would be no result."""
    (claim,) = (claim for claim in CLAIMS if claim.key == "tensor")
    assert claim.apparatus is next(claim.apparatus for claim in CLAIMS if claim.key == "vertical")
    finding = _tensor(pk.load("hexapod_sliding"))
    met_with = {name: met(claim, values) for name, values in finding.cases.items()}
    assert met_with == {POSSIBLE: True, MIDDLE: False, UNIFORM: False}
    assert [finding.cases[name][0].value for name in (MIDDLE, UNIFORM)] == pytest.approx([0.0722 / 0.04975, 2 / 3])


def test_dominance_is_a_question_of_speed() -> None:
    (claim,) = (claim for claim in CLAIMS if claim.key == "dominance")
    criterion = claim.criteria[0]
    assert criterion.met(dominance([1.0, 2.0], [80.0, 158.0])) is None
    assert criterion.met(dominance([110.0, 120.0], [800.0, 900.0])) is True
    assert criterion.met(dominance([1.0, 2.0], [50.0, 90.0])) is False


def test_active_drives_never_take_power_and_give_some() -> None:
    power = np.array([[1.0, -1.0, 0.0, 0.0, 2.0, -1e-12], [0.0, 2.0, 0.0, 1e-12, 0.0, 3.0]])
    assert active(made(power)) == [0, 4, 5]
    assert IDLE > 1e-12
    assert _listed([1, 3, 5]) == "B, D, F"
    assert _listed([]) == "none"


def test_the_rotation_claim_needs_growing_forces_of_b_d_and_f() -> None:
    power = np.array([[0.0] * 6, [-1.0, 1.0] * 3])
    growing = np.array([[1.0] * 6, [-2.0] * 6])
    assert [number.value for number in rotation_numbers(made(power, growing))] == [0.0, 1.0]
    assert [number.value for number in rotation_numbers(made(power, growing[::-1]))] == [0.0, -1.0]
    assert rotation_numbers(made(-power, growing))[0].value == 6.0


def test_times_span_the_papers_three_seconds_to_a_thirtieth() -> None:
    assert (TIMES[0], TIMES[-1]) == pytest.approx((3.0, 0.1))
    assert (np.diff(TIMES) < 0).all()
    assert TIMES[_at(QUICK)] == pytest.approx(QUICK)


def test_equal_curves_are_grouped() -> None:
    assert _groups(np.array([[1.0, 2.0, 1.0, 2.0005], [0.0, 1.0, 0.0, 1.0]])) == [[0, 2], [1, 3]]
