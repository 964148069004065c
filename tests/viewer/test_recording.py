"""Recordings that a page plays: from motions, simulations and logs of machines."""

from __future__ import annotations

import base64
import zlib
from pathlib import Path

import numpy as np
import pytest

import parakin as pk
from parakin.errors import DataError, LogFileError
from parakin.simulation import simulate, write_log
from parakin.tables import write_table
from parakin.trajectory import motion
from parakin.viewer.recording import DRAWN_ROWS, Recording, recording_data, recording_of_log, thinned
from parakin.viewer.recording_files import read_recording

LARGEST_RECORDING = 400_000
"""Bytes that pose, desired pose and forces of a hexapod may take, 10 s at 1 kHz."""


@pytest.fixture(scope="module")
def log() -> pk.simulation.Log:
    robot = pk.load("five_bar")
    law = pk.control.law("computed_torque", robot, 1e-3)
    return simulate(robot, law, pk.control.reference(robot, motion("lift", robot), 1e-3))


def test_a_hexapods_ten_seconds_are_small() -> None:
    rng = np.random.default_rng(0)  # noise hardly deflates: nothing is larger
    rows = 10_000
    pose, desired, tau = (rng.normal(size=(rows, k)) for k in (7, 7, 6))
    recording = Recording("noise", np.arange(rows) / 1000, pose, desired=desired, tau=tau)
    size = sum(len(str(value)) for value in recording_data(recording)["quantities"].values())  # type: ignore[union-attr]
    assert size < LARGEST_RECORDING


def test_thinning_keeps_the_ends() -> None:
    rows = 7 * DRAWN_ROWS + 3
    recording = Recording("long", np.linspace(0.0, 1.0, rows), np.arange(float(rows))[:, None])
    short, every = thinned(recording)
    assert len(short.t) <= DRAWN_ROWS + 1
    assert short.t[[0, -1]].tolist() == recording.t[[0, -1]].tolist()
    assert short.pose[1, 0] == every


def test_numbers_can_be_read_back() -> None:
    recording = Recording("two", np.array([0.0, 0.5]), np.array([[1.0, 2.0], [3.0, 4.0]]))
    data = recording_data(recording)
    pose = data["quantities"]["pose"]  # type: ignore[index]
    values = np.frombuffer(zlib.decompress(base64.b64decode(pose["data"])), "<f4")
    assert values.tolist() == [1.0, 3.0, 2.0, 4.0]  # column by column


def test_a_log_of_a_simulation(log: pk.simulation.Log, tmp_path: Path) -> None:
    robot = pk.load("five_bar")
    path = write_log(tmp_path / "log.csv", log)
    recording = read_recording(path, robot)
    assert recording.desired is not None
    assert np.array_equal(recording.pose, log["pose"])
    assert np.array_equal(recording.desired, log["desired_pose"])


def test_a_log_of_a_machine_has_its_poses_found(log: pk.simulation.Log, tmp_path: Path) -> None:
    robot = pk.load("five_bar")
    names = [
        "t [s]",
        *(f"q.{name} [rad]" for name in robot.actuator_names),
        *(f"tau.{name} [N m]" for name in robot.actuator_names),
    ]
    path = write_table(tmp_path / "machine.csv", names, np.column_stack([log.t, log["q"], log["tau"]]))
    recording = read_recording(path, robot)
    assert np.abs(recording.pose - log["pose"]).max() < 1e-9
    assert recording.tau is not None
    assert np.array_equal(recording.tau, log["tau"])


def test_another_unit_is_not_taken_for_metres(log: pk.simulation.Log, tmp_path: Path) -> None:
    names = ["t [s]", "pose.x [mm]", "pose.y [mm]"]
    path = write_table(tmp_path / "mm.csv", names, np.column_stack([log.t, 1000 * log["pose"]]))
    with pytest.raises(LogFileError, match="must be in m, not in mm"):
        read_recording(path, pk.load("five_bar"))


def test_a_log_of_another_robot_is_not_taken_for_ones_own(tmp_path: Path) -> None:
    names = ["t [s]", *(f"pose.{name}" for name in ("x [m]", "y [m]", "z [m]", "theta [rad]"))]
    path = write_table(tmp_path / "h4.csv", names, np.array([[0.0, 0, 0, -0.43, 0], [1.0, 0, 0, -0.43, 0]]))
    with pytest.raises(LogFileError, match=r"pose\.theta beside .* another robot"):
        read_recording(path, pk.load("delta"))


def test_a_mechanism_plays_its_own_coordinates(tmp_path: Path) -> None:
    robot = pk.load("tripod_3rps")
    poses = robot.home + np.linspace(0, 1, 20)[:, None] * 0.01 * np.array([1.0, -1.0, 0.5])
    names = ["t [s]", *(f"q.{name} [m]" for name in robot.actuator_names)]
    path = write_table(tmp_path / "q.csv", names, np.column_stack([np.arange(20.0), robot.inverse_kinematics(poses)]))
    assert np.abs(read_recording(path, robot).pose - poses).max() < 1e-9


def test_a_run_that_stopped_is_cut_there(log: pk.simulation.Log) -> None:
    table = log.table.copy()
    k = [column.name for column in log.columns].index("status")
    table[100:, k] = 1
    recording = recording_of_log(pk.simulation.Log(log.columns, table), "run")
    assert len(recording.t) == 100
    assert "stopped at" in recording.name


def test_what_does_not_fit_is_refused(log: pk.simulation.Log, tmp_path: Path) -> None:
    path = write_log(tmp_path / "log.csv", log)
    with pytest.raises((DataError, LogFileError)):
        pk.view(pk.load("delta"), log=path)
    robot = pk.load("five_bar")
    with pytest.raises(DataError, match="not both"):
        pk.view(robot, log=path, motion=motion("lift", robot))
    with pytest.raises(DataError, match="planar-translation motion"):
        pk.view(pk.load("delta"), motion=motion("lift", robot))
    with pytest.raises(LogFileError, match=r"pose\.strut1\.travel \[m\]"):
        pk.view(pk.load("tripod_3rps"), log=path)
    with pytest.raises(DataError, match=r"tripod_3rps makes joints \(strut1.travel"):
        pk.view(pk.load("tripod_3rps"), motion=motion("lift", robot))


def test_a_notebook_gets_a_frame_of_its_own() -> None:
    text = pk.view(pk.load("five_bar"))._repr_html_()
    assert text.startswith('<iframe sandbox="allow-scripts')
    assert "<script" not in text
