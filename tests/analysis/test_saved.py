"""Results of analysis come back from a file as they were, and files that are not theirs are refused in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path

import numpy as np
import pytest

import parakin as pk
from parakin.analysis import (
    Demands,
    Locus,
    Options,
    PerformanceMap,
    Slice,
    Workspace,
    locus,
    maps,
    performance_map,
    read_result,
    saved,
    saving,
    workspace,
)
from parakin.analysis.saved import Result
from parakin.analysis.slices import FINEST
from parakin.errors import DataError, FileError
from parakin.robot import Robot
from parakin.tables import open_table
from tests.robots import robot_named


def results(robot: Robot) -> Iterator[Result]:
    """One result of each kind."""
    axes, at = robot.motion_type.offset_names[:2], {robot.motion_type.offset_names[-1]: 0.1}
    options = Options(direction=(0.0, 1.0, *(0.0,) * (robot.degrees_of_freedom - 2)))
    yield performance_map(robot, ["condition", "dexterity"], Slice({} if len(axes) == len(robot.home) else at), options)
    yield workspace(robot, axes, at=at if len(robot.home) > 2 else {}, demands=Demands(8.0, False), levels=2)
    yield locus(robot, axes, cells=16)


def same(a: object, b: object) -> bool:
    """Whether two results have equal fields, arrays and results among them included."""
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    if is_dataclass(a) and not isinstance(a, type):
        return type(a) is type(b) and all(same(getattr(a, one.name), getattr(b, one.name)) for one in fields(a))
    if isinstance(a, tuple):
        return isinstance(b, tuple) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(same(value, b[key]) for key, value in a.items())
    return bool(a == b)


@pytest.mark.parametrize("name", ["five_bar", "planar_3rrr"])
def test_results_come_back_as_they_were(name: str, tmp_path: Path) -> None:
    robot = robot_named(name)
    for result in results(robot):
        np.savez_compressed(tmp_path / "result.npz", allow_pickle=False, **result.to_arrays())
        again = read_result(tmp_path / "result.npz", robot)
        assert same(result, again)
        assert not same(result, None)


@pytest.mark.slow
def test_orientations_come_back_too(tmp_path: Path) -> None:
    robot = robot_named("gough_stewart")
    found = workspace(robot, ("x", "y"), orientations={"rx": [-0.1, 0.1]}, need="any", levels=1)
    np.savez(tmp_path / "workspace.npz", allow_pickle=False, **found.to_arrays())
    again = read_result(tmp_path / "workspace.npz", robot)
    assert isinstance(again, Workspace)
    assert same(found, again)
    assert again.volume() == found.volume()


def test_a_file_of_another_robot_is_refused(tmp_path: Path) -> None:
    robot = robot_named("five_bar")
    found = workspace(robot, levels=1)
    path = tmp_path / "workspace.npz"
    np.savez(path, allow_pickle=False, **found.to_arrays())
    with pytest.raises(FileError, match="is a result of five_bar, not of delta"):
        read_result(path, robot_named("delta"))
    arrays = found.to_arrays()
    np.savez(path, allow_pickle=False, **arrays | {"home": robot.home + 0.01})
    with pytest.raises(FileError, match="with another home: compute it again"):
        read_result(path, robot)
    np.savez(path, allow_pickle=False, **arrays | {"causes": arrays["causes"][:-1]})
    with pytest.raises(FileError, match="with other limits: compute it again"):
        read_result(path, robot)
    del arrays["digest"]
    np.savez(path, allow_pickle=False, **arrays)
    with pytest.raises(FileError, match="does not say which file of five_bar it was found for"):
        read_result(path, robot)


def with_stroke(robot: Robot, upper: float) -> Robot:
    """The same five-bar with another stroke of its motors."""
    (leg,) = robot.description.model_dump(exclude_defaults=True)["legs"]
    leg["elements"][0]["actuator"]["upper"] = upper
    return robot.replace(legs=[leg])


def test_results_of_a_robot_whose_file_was_changed_are_refused(tmp_path: Path) -> None:
    """A stroke has changed; titles and sources change nothing, and neither does reading the robot's own file again."""
    robot = robot_named("five_bar")
    for result in results(robot):
        np.savez(tmp_path / "result.npz", allow_pickle=False, **result.to_arrays())
        with pytest.raises(FileError, match="found for a five_bar whose file was changed since"):
            read_result(tmp_path / "result.npz", with_stroke(robot, 2.1))
        assert same(read_result(tmp_path / "result.npz", robot.replace(title="Another title")), result)
    (tmp_path / "five_bar.toml").write_text(robot.to_toml(), encoding="utf-8")
    assert isinstance(read_result(tmp_path / "result.npz", pk.load(tmp_path / "five_bar.toml")), Locus)


def test_a_map_of_another_payload_is_refused_where_it_counts(tmp_path: Path) -> None:
    robot = robot_named("five_bar")
    path, carrying = tmp_path / "map.npz", robot.with_payload(0.5)
    result = performance_map(carrying, ["force", "condition"], Slice(grid=3))
    np.savez(path, allow_pickle=False, **result.to_arrays())
    assert same(read_result(path, carrying), result)
    assert result.words.endswith("; with a payload of 0.5 kg")
    with pytest.raises(FileError, match=r"with a payload of 0\.5 kg, and five_bar carries nothing here"):
        read_result(path, robot)
    np.savez(path, allow_pickle=False, **performance_map(carrying, ["condition"], Slice(grid=3)).to_arrays())
    assert isinstance(read_result(path, robot), PerformanceMap)


def test_what_is_no_result_is_refused(tmp_path: Path) -> None:
    robot = robot_named("five_bar")
    path = tmp_path / "result.npz"
    with pytest.raises(FileError, match=r"nobody.npz: cannot be read: No such file"):
        read_result(tmp_path / "nobody.npz", robot)
    path.write_bytes(b"no archive")
    with pytest.raises(FileError, match="is damaged, or not a file of `parakin map`"):
        read_result(path, robot)
    np.savez(path, q=np.zeros(3))
    with pytest.raises(FileError, match=r"holds q: give map.npz, workspace.npz or singular_poses.npz"):
        read_result(path, robot)
    np.savez(path, columns=np.array(["x", "y"]), table=np.zeros((2, 2)))
    with pytest.raises(FileError, match="does not say which robot it is of"):
        read_result(path, robot)
    arrays = locus(robot, cells=4).to_arrays()
    del arrays["values"]
    np.savez(path, allow_pickle=False, **arrays)
    with pytest.raises(FileError, match="is damaged"):
        read_result(path, robot)
    np.savez(path, table=np.array([object()], dtype=object))
    with pytest.raises(FileError, match="is damaged"):
        read_result(path, robot)


def test_a_file_that_would_fill_the_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved, "LARGEST", 1000)
    np.savez_compressed(tmp_path / "large.npz", table=np.zeros(1000))
    with pytest.raises(FileError, match="holds 8128 bytes, at most 1000 are read"):
        read_result(tmp_path / "large.npz", robot_named("five_bar"))


def test_what_is_computed_can_be_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The largest map that is computed, and the largest lattice of a workspace, fit into the largest file."""
    monkeypatch.setattr(maps, "MOST_ENTRIES", 60)
    robot = robot_named("five_bar")
    assert sum(one.nbytes for one in performance_map(robot, ["velocity"], Slice(grid=3)).to_arrays().values()) < 20_000
    with pytest.raises(DataError, match="16 poses with 4 numbers each are more than the 60 that a file holds"):
        performance_map(robot, ["velocity"], Slice(grid=4))
    assert 8 * saving.MOST_ENTRIES + 8 * 2 * FINEST < saving.LARGEST
    vertex = sum(workspace(robot, levels=0).to_arrays()[name].itemsize for name in ("codes", "judged", "home_part"))
    assert vertex * saving.MOST_VERTICES < 0.7 * saving.LARGEST


def test_a_map_in_npz_is_still_a_table(tmp_path: Path) -> None:
    robot = robot_named("five_bar")
    result = performance_map(robot, ["condition"], Slice(grid=3))
    np.savez_compressed(tmp_path / "map.npz", allow_pickle=False, **result.to_arrays())
    table = open_table(tmp_path / "map.npz")
    names, rows = result.table()
    assert list(table.names) == names
    assert np.array_equal(table.read(), rows, equal_nan=True)
