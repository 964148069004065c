"""Base parameters: as few as there can be, enough for every force; counts reasoned by hand; blocks that add up."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

import parakin as pk
from parakin.errors import UnclearRankError, UnknownNameError
from parakin.robot.base_parameters import BaseParameters
from parakin.robot.base_parameters.grouping import grouping_of, rank_of
from parakin.robot.triangle import triangle_of
from tests.states import states

HOLDS = 1e-9
"""Of relations on fresh states, relative to the largest entry."""
ROUNDING = 1e-12
"""Between ways to add up the same rows, relative."""
LARGE_GAP = 1e10
"""Rounding leaves singular values of 1e-15; those that count are 1e-3 and more."""
ROBOTS = {name: pk.load(name) for name in ("five_bar", "planar_3rrr", "delta", "h4", "orthoglide", "gough_stewart")}
CASES = [(name, shared) for name in ROBOTS for shared in (False, True)]
PAGE = Path(__file__).parents[2] / "docs" / "theory" / "base_parameters.md"

COUNTS = {
    # name: (gravity of the file, gravity in general), reasoned in docs/theory/base_parameters.md
    "five_bar": (11 + 8, 11 + 8),
    "planar_3rrr": (13 + 12, 19 + 12),
    "delta": (13 + 9, 13 + 9),
}


@functools.cache
def found(name: str, shared: bool = False, gravity: str | None = None) -> BaseParameters:
    return ROBOTS[name].base_parameters(shared=shared, gravity=gravity)


def regressor(robot: pk.Robot, seed: int, count: int = 60) -> np.ndarray:
    s = states(robot, count, seed)
    return robot.regressor(s.pose, s.velocity, s.acceleration)


@pytest.mark.parametrize(("name", "shared"), CASES)
def test_base_parameters_give_the_forces_of_every_state(name: str, shared: bool) -> None:
    robot = ROBOTS[name]
    base = found(name, shared)
    Psi = regressor(robot, 7)
    tau = Psi @ robot.parameters
    assert base.columns(Psi) @ base.values == pytest.approx(tau, abs=HOLDS * np.max(np.abs(tau)))
    assert base.map @ robot.parameters == pytest.approx(base.values, rel=ROUNDING)


@pytest.mark.parametrize("name", ROBOTS)
def test_other_parameters_with_the_same_base_change_no_force(name: str) -> None:
    robot = ROBOTS[name]
    base = found(name)
    c = np.random.default_rng(2).normal(size=len(robot.parameters))
    unseen = c.copy()
    unseen[base.independent] -= base.map @ c
    Psi = regressor(robot, 8)
    assert Psi @ unseen == pytest.approx(0, abs=HOLDS * np.max(np.abs(Psi @ c)))


@pytest.mark.parametrize(("name", "shared"), CASES)
def test_none_is_superfluous(name: str, shared: bool) -> None:
    """Every base column is independent of all others: no dependency is missed, through loops or else."""
    robot = ROBOTS[name]
    base = found(name, shared)
    Psi_b = base.columns(regressor(robot, 9, 400)).reshape(-1, base.rank)
    values = np.linalg.svd(Psi_b / np.linalg.norm(Psi_b, axis=0), compute_uv=False)
    assert values[-1] > 1e-4
    assert base.gap > LARGE_GAP
    assert len(base.singular_values) > base.rank


@pytest.mark.parametrize("name", ["five_bar", "h4"])
def test_another_seed_changes_nothing(name: str) -> None:
    first, second = (ROBOTS[name].base_parameters(seed=seed) for seed in (0, 41))
    assert first.names == second.names
    assert first.zero == second.zero
    assert np.array_equal(first.independent, second.independent)
    assert second.map == pytest.approx(first.map, abs=HOLDS)
    again = ROBOTS[name].base_parameters()
    assert np.array_equal(again.map, first.map)


@pytest.mark.parametrize("name", COUNTS)
def test_counts_are_those_reasoned_by_hand(name: str) -> None:
    assert (found(name).rank, found(name, gravity="general").rank) == COUNTS[name]


def test_relations_of_a_delta_are_those_of_point_masses() -> None:
    """A rod with its mass at the elbow adds m L^2 to its arm; mx moves mass m = mx/l from there to the plate."""
    base = found("delta")
    row = dict(zip([parameter.name for parameter in base.representatives], base.map, strict=True))
    column = {name: k for k, name in enumerate(ROBOTS["delta"].parameter_names)}
    L, l = 0.24, 0.5  # noqa: E741
    arm, plate = row["leg1.arm.Izz"], row["platform.plate.m"]
    assert arm[column["leg1.arm.rotor"]] == 1
    assert arm[column["leg1.forearm.rod_a.m"]] == arm[column["leg1.forearm.rod_b.m"]] == L**2
    assert np.flatnonzero(plate).tolist() == sorted(
        [column[f"leg{leg}.forearm.rod_{rod}.mx"] for leg in (1, 2, 3) for rod in "ab"] + [column["platform.plate.m"]]
    )
    both_ends = plate[column["leg1.forearm.rod_a.mx"]] * l
    assert (both_ends, arm[column["leg1.forearm.rod_a.mx"]] * l / L**2) == pytest.approx((1, -1))
    assert "leg1.arm.Ixx" in base.zero


def test_a_payload_is_grouped_with_the_platform() -> None:
    robot = ROBOTS["delta"].with_payload(0.4, (0.0, 0.0, -0.05))
    base = robot.base_parameters()
    assert base.rank == found("delta").rank
    (name,) = (name for name in base.names if "payload.m" in name)
    assert re.match(r"platform\.plate\.m .* \+ payload\.m$", name)


def test_identical_legs_are_found_and_named() -> None:
    names = {name: found(name, shared=True).names for name in ("gough_stewart", "h4")}
    assert any(name.startswith("right*|left*.strut.cylinder.Izz") for name in names["gough_stewart"])
    assert names["h4"] == found("h4").names, "its drives differ"


def delta_written_out(change: float, body: str = "mass") -> pk.Robot:
    """A Delta with its legs written out, one number of the second one changed relatively."""
    robot = ROBOTS["delta"]
    legs = [leg.model_dump() for leg in robot.legs]
    legs[1]["elements"][0]["bodies"][0][body] *= 1 + change
    return robot.replace(legs=legs, symmetries={})


@pytest.mark.parametrize("change", [0.0, 2.3e-16, 1e-12, -4e-10])
def test_legs_that_differ_by_rounding_are_shared_and_this_is_told(change: float) -> None:
    base = delta_written_out(change).base_parameters(shared=True)
    assert base.rank == found("delta", shared=True).rank
    assert [group.legs for group in base.alike] == [("leg1", "leg2", "leg3")]
    assert base.alike[0].difference <= 1e-9
    assert bool(base.alike[0].difference) == bool(change)
    assert "leg1, leg2, leg3 are taken for alike: their numbers " in str(base)


def test_legs_that_differ_by_more_are_not_shared() -> None:
    base = delta_written_out(1e-6).base_parameters(shared=True)
    assert base.rank > found("delta", shared=True).rank
    assert [group.legs for group in base.alike] == [("leg1", "leg3")]
    assert any(name.startswith("leg1|leg3.") for name in base.names)
    assert found("delta").alike == ()
    assert "alike" not in str(found("delta"))


def test_lengths_that_differ_by_rounding_are_shared() -> None:
    legs = [leg.model_dump() for leg in ROBOTS["delta"].legs]
    legs[2]["elements"][1]["length"] = float(np.nextafter(legs[2]["elements"][1]["length"], 1.0))
    base = ROBOTS["delta"].replace(legs=legs, symmetries={}).base_parameters(shared=True)
    assert base.rank == found("delta", shared=True).rank


@pytest.mark.parametrize("name", ["delta", "h4", "five_bar"])
def test_legs_may_share_their_bodies_alone(name: str) -> None:
    """Friction and rotors keep their own columns, also where drives differ in the file, and forces are still whole."""
    base = ROBOTS[name].base_parameters(shared="bodies")
    assert base.rank < found(name).rank
    shared = [one for one in base.representatives if len(one.places) > 1]
    assert shared
    assert all(one.quantity.is_of_body for one in shared)
    Psi = regressor(ROBOTS[name], 11)
    tau = Psi @ ROBOTS[name].parameters
    assert base.columns(Psi) @ base.values == pytest.approx(tau, abs=HOLDS * np.max(np.abs(tau)))


def test_what_legs_share_is_spelt_out() -> None:
    with pytest.raises(UnknownNameError, match="no sharing 'body'"):
        ROBOTS["delta"].base_parameters(shared="body")  # pyright: ignore[reportArgumentType]


def test_a_serial_arm_of_two_links() -> None:
    """The textbook's six of eight: m1 has no effect, m2 goes into the moments of link 1."""
    q, rate, acceleration = (ca.SX.sym(name, 2) for name in ("q", "rate", "acceleration"))
    p = ca.SX.sym("p", 8)  # m, mx, my, Izz of each link, about its joint
    L = 0.7
    energies = []
    for k, A in enumerate((ca.SX(2, 1), L * ca.vertcat(ca.cos(q[0]), ca.sin(q[0])))):
        m, h, inertia = p[4 * k], p[4 * k + 1 : 4 * k + 3], p[4 * k + 3]
        angle = ca.sum1(q[: k + 1])
        h_O = ca.vertcat(ca.cos(angle) * h[0] - ca.sin(angle) * h[1], ca.sin(angle) * h[0] + ca.cos(angle) * h[1])
        v_A, w = ca.jtimes(A, q, rate), ca.sum1(rate[: k + 1])
        kinetic = m * ca.sumsqr(v_A) / 2 + w * (v_A[1] * h_O[0] - v_A[0] * h_O[1]) + inertia * w**2 / 2
        energies.append(kinetic - 9.81 * (m * A[1] + h_O[1]))
    momentum = ca.gradient(sum(energies), rate)
    tau = ca.jtimes(momentum, ca.vertcat(q, rate), ca.vertcat(rate, acceleration)) - ca.gradient(sum(energies), q)
    kernel = pk.Kernel(
        ca.Function("arm", [q, rate, acceleration], [ca.densify(ca.jacobian(tau, p))], ["q", "v", "a"], ["Psi"])
    )
    R = triangle_of([kernel(*np.random.default_rng(0).normal(size=(3, 200, 2)))["Psi"]], 8).R
    rank = rank_of(R)
    assert (rank.zero, rank.rank) == ((0,), 6)
    grouping = grouping_of(R, rank, (3, 7, 1, 2, 5, 6, 4, 0))
    assert grouping.kept == (1, 2, 3, 5, 6, 7)
    assert grouping.relations[:, 4] == pytest.approx([L, 0, L**2, 0, 0, 0])


def test_gravity_as_an_input_is_that_of_a_robot_put_up_otherwise() -> None:
    robot, gravity = ROBOTS["five_bar"], (3.0, -5.0, 1.0)
    s = states(robot)
    Psi = robot.kernel("regressor", free=("gravity",))(s.pose, s.velocity, s.acceleration, gravity)["Psi"]
    want = robot.replace(gravity=gravity).regressor(s.pose, s.velocity, s.acceleration)
    assert Psi == pytest.approx(want, abs=ROUNDING * np.max(np.abs(want)))


# Blocks ---------------------------------------------------------------------------------------------------------------


def test_a_triangle_is_that_of_all_rows_whatever_the_blocks() -> None:
    robot = ROBOTS["delta"]
    s = states(robot, 300, 5)
    base = found("delta")
    Psi = base.columns(robot.regressor(s.pose, s.velocity, s.acceleration))
    tau = Psi @ base.values
    whole = np.linalg.qr(np.concatenate([Psi, tau[..., None]], axis=-1).reshape(900, -1), mode="r")
    for block in (50, 299, 1000):
        seen: list[int] = []
        triangle = robot.regressor_triangle(
            s.pose, s.velocity, s.acceleration, tau, base=base, block=block, progress=seen.append
        )
        assert (triangle.rows, triangle.skipped, seen[-1]) == (900, 0, 300)
        assert not np.tril(triangle.R, -1).any()
        size = np.max(np.abs(whole))
        assert np.abs(triangle.R[:-1]) == pytest.approx(np.abs(whole[:-1]), abs=ROUNDING * size)
        solved = np.linalg.solve(triangle.R[:-1, :-1], triangle.R[:-1, -1])
        assert solved == pytest.approx(base.values, abs=HOLDS)


def test_states_that_are_no_good_are_skipped_and_counted() -> None:
    robot = ROBOTS["delta"]
    s = states(robot, 10)
    far = s.pose.copy()
    far[3] = 9.0
    triangle = robot.regressor_triangle(far, s.velocity, s.acceleration, block=4)
    kept = robot.regressor_triangle(*(np.delete(values, 3, axis=0) for values in (s.pose, s.velocity, s.acceleration)))
    assert (triangle.rows, triangle.skipped) == (27, 1)
    gram = triangle.R.T @ triangle.R
    assert gram == pytest.approx(kept.R.T @ kept.R, abs=ROUNDING * np.max(gram))


# Refusals and documents -----------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::parakin.errors.ImplausibleValueWarning")
def test_what_is_not_clear_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    robot = ROBOTS["delta"]
    with pytest.raises(UnknownNameError, match="no gravity 'sideways'; choose one of general"):
        robot.base_parameters(gravity="sideways")
    wide = {"lower": (-90.0,) * 3, "upper": (90.0,) * 3}
    out_of_reach = robot.replace(workspace=robot.description.workspace.model_dump() | wide)
    with pytest.raises(UnclearRankError, match=r"delta: base parameters are not clear: of 1000 states .* 1000 are out"):
        out_of_reach.base_parameters()
    monkeypatch.setattr("parakin.robot.base_parameters.search.SMALLEST_GAP", 1e20)
    with pytest.raises(UnclearRankError, match=r"singular value 22 is only .* times the next"):
        robot.base_parameters()


def test_the_table_prints_counts_gap_and_units() -> None:
    text = str(found("five_bar"))
    assert text.startswith("five_bar: 19 base parameters of 50, 26 without effect\nsingular values fall from ")
    assert re.search(r"a gap of \d\.\de\+1\d\n", text)
    assert re.search(r"0\.05 N m s +side1\.arm\.viscous", text)


@pytest.mark.parametrize("name", COUNTS)
def test_the_page_shows_these_counts(name: str) -> None:
    (row,) = re.findall(rf"^\| {name} \| (.+) \| [^|]+ \|$", PAGE.read_text(), re.MULTILINE)
    counts = [found(name, shared, gravity).rank for shared in (False, True) for gravity in (None, "general")]
    shown = (len(ROBOTS[name].parameters), len(found(name).zero), *counts)
    assert row.split(" | ") == [str(number) for number in shown]


def test_short_numbers_are_written_only_where_a_relation_holds_with_them() -> None:
    """Two columns nearly alike with large coefficients, near numbers of nine digits by chance."""
    rng = np.random.default_rng(0)
    first, away = np.linalg.qr(rng.normal(size=(50, 2)))[0].T
    A, near = np.column_stack([first, first + 1e-2 * away]), 1 + 0.9e-10
    large, small = np.array([22.4728286 * near, -21.4728286]), np.array([0.25 * (1 + 1e-13), 0.0576])
    columns = np.column_stack([A, A @ large, A @ small])
    found = grouping_of(columns, rank_of(columns), (0, 1, 2, 3))
    assert found.kept == (0, 1)
    off = np.linalg.norm(columns - A @ found.relations, axis=0) / np.linalg.norm(columns, axis=0)
    assert off.max() < 1e-12
    assert found.relations[:, 3].tolist() == [0.25, 0.0576]


@pytest.mark.slow
def test_a_file_with_directions_of_twelve_digits_has_base_parameters() -> None:
    """Its platform, which does not turn, turns by 1e-11 of what moves: its moments have no effect all the same."""
    base = pk.load("dymo_3uru").base_parameters()
    assert (base.rank, base.gap > 1e7) == (70, True)
    assert {"platform.mx", "platform.my", "platform.mz"} <= set(base.zero)
