"""Values of designs: those of robots that are loaded from files with the same numbers; statuses; parts."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import parakin as pk
from parakin import design
from parakin.description import describe
from parakin.design.one_by_one import OneByOne
from parakin.design.sampling import points_at, rows_of
from tests.design.studies import changed, evaluator

SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("acceleration", "inertia_free", "stiffness", "force")]
ROUNDING = 1e-11
"""Of a value: a design's vectors are affine sums where a file has the numbers themselves."""


SIGMAS = 3.0
"""Times its standard deviation that a counted volume may be off."""


def test_a_design_has_the_values_of_the_robot_in_its_file(tmp_path: Path) -> None:
    made = evaluator(changed())
    x = np.array([0.243, 0.331])
    found = made.evaluate(x)
    file = tmp_path / "chosen.toml"
    file.write_text(design.robot_file(made.subject, x, "row 7"), encoding="utf-8")
    robot = pk.load(file)
    assert robot.legs[1].elements[0].length == 0.243
    tau = robot.inverse_dynamics(*made.subject.cycle)
    assert found["force"][0] == pytest.approx(np.abs(tau).max(), rel=ROUNDING)
    poses = robot.home + made.subject.region
    values = pk.analysis.QUANTITIES["condition"].evaluate(robot, poses).values
    assert found["condition"][0] == pytest.approx(values.max(), rel=ROUNDING)
    assert found["mass"][0] == pytest.approx(2 * (2.4 * 0.243 + 0.3 * 0.331 / 0.32), rel=ROUNDING)
    cells, volume = made.subject.cells
    good = robot.evaluate("inverse_kinematics", pose=robot.home + cells).status == int(pk.Status.GOOD)
    assert found["reach"][0] == pytest.approx(np.count_nonzero(good) * volume)


@pytest.mark.slow
@pytest.mark.parametrize("count", [20, 80, 320])
def test_a_counted_volume_is_that_of_a_workspace_within_its_error(count: int) -> None:
    """Cells that the boundary cuts are each wrong by chance: sqrt(cut cells/6) cells in all, docs/design.md."""
    made = evaluator(changed(volume={"lower": [-0.5, -0.5], "upper": [0.5, 0.5], "points": [count, count]}))
    cell = made.subject.cells[1]
    for x in np.array([[0.243, 0.331], [0.228, 0.352], [0.271, 0.314]]):
        robot = made.subject.robot_at(x)
        bounds = {name: (home - 0.5, home + 0.5) for name, home in zip("xy", robot.home.tolist(), strict=True)}
        whole = pk.analysis.workspace(robot, demands=pk.analysis.Demands(one_aspect=False), bounds=bounds)
        finest = whole.levels[-1].cells[0]
        cut = (whole.bracket[1] - whole.bracket[0]) * finest / count / cell
        assert abs(made.evaluate(x)["reach"][0] - whole.volume("all")) < SIGMAS * np.sqrt(cut / 6) * cell


def test_the_file_says_where_its_numbers_come_from() -> None:
    made = evaluator(changed())
    text = design.robot_file(made.subject, np.array([0.243, 0.331]), "row 7")
    lines = [line for line in text.splitlines() if line.startswith("source") and "five_bar_links, row 7" in line]
    assert 'row 7: arm = 0.243, forearm = 0.331; before: assumed; structure of [Ozgur2013] sec. 5"' in lines[0]
    assert any("mass = 2.4 * arm, com[0] = 0.44 * arm; before: assumed" in line for line in lines)
    assert len(lines) == 5
    assert describe(tomllib.loads(text), "chosen.toml").legs[0].branch == 1


@pytest.mark.parametrize("quantity", ["dexterity", "frequency", *SLOW])
def test_quantities_at_poses_in_lanes_are_those_of_single_robots(quantity: str) -> None:
    """Lanes give each row its own geometry and parameters; robots that are loaded one by one are the witness."""
    study = changed(objectives={"it": {"of": quantity}}, constraints=None, analysis={"drive_stiffness": 2e4})
    made = evaluator(study)
    points = np.array([[0.23, 0.31], [0.27, 0.35], [0.25, 0.25]])
    lanes = made.evaluate(points)
    made_slow = design.Evaluator(replace(made.subject, variation=None, slow="for the test"))
    assert isinstance(made_slow.source, OneByOne)
    slow = made_slow.evaluate(points)
    assert np.array_equal(lanes["status"], slow["status"])
    assert np.allclose(lanes["it"], slow["it"], rtol=1e-9, atol=0.0, equal_nan=True)
    assert np.isfinite(lanes["it"][:2]).all()


def test_a_design_that_cannot_be_there_has_a_status() -> None:
    made = evaluator(changed())
    points = np.array([[0.25, 0.32], [-0.1, 0.32], [0.05, 0.06], [0.12, 0.3], [0.25, 0.15]])
    found = made.evaluate(points)
    named = [design.DesignStatus(int(code)).name for code in found["status"]]
    assert named[:3] == ["GOOD", "REFUSED", "HOME"]
    assert set(named[3:]) <= {"CYCLE", "REGION", "HOME"}
    assert np.isnan(found["force"][1:3]).all()
    assert np.isnan(found["mass"][1])
    keys = dict(changed().keys) | {
        "legs[side].elements[arm].bodies[link].inertia[2][2]": "0.0036 + 0.01 * (arm - 0.25)"
    }
    tensor = evaluator(changed(keys=keys)).evaluate(np.array([[0.25, 0.32], [0.27, 0.32], [0.24, 0.32]]))
    assert tensor["status"].tolist() == [0, int(design.DesignStatus.REFUSED), 0]  # Izz above Ixx + Iyy = 0.00375
    tight = evaluator(changed(constraints={"condition": {"of": "condition", "most": 1.01}}))
    assert tight.evaluate(points[:1])["status"] == int(design.DesignStatus.CONSTRAINT)


def test_neighbours_and_blocks_change_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    made = evaluator(changed())
    points = points_at(made.subject.study, np.arange(32))
    whole = made.evaluate(points)
    monkeypatch.setattr("parakin.design.evaluating.LANES", 3 * made.poses_of_a_design)
    parts = made.evaluate(points)
    assert all(np.array_equal(whole[name], parts[name], equal_nan=True) for name in whole)


@pytest.mark.parametrize("method", ["grid", "sobol", "latin-hypercube"])
def test_points_are_the_same_however_they_are_asked_for(method: str) -> None:
    study = changed(sampling={"method": method, "count": 24, "seed": 5})
    count = rows_of(study)
    assert count == (12 if method == "grid" else 24)
    whole = points_at(study, np.arange(count))
    assert np.array_equal(points_at(study, np.array([7, 3, 11])), whole[[7, 3, 11]])
    lower, upper = np.array([0.22, 0.3]), np.array([0.28, 0.36])
    assert ((whole >= lower) & (whole <= upper)).all()
    if method == "latin-hypercube":  # one point in each of so many slices, along each parameter
        slices = np.floor((whole - lower) / (upper - lower) * count)
        assert all(sorted(column) == list(range(count)) for column in slices.T.tolist())
    if method == "grid":
        assert np.allclose(whole[:5, 1], [0.3, 0.32, 0.34, 0.36, 0.3])
