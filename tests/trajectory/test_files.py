"""Sampled motions in files: back to the last bit, refused with line, column and value, replaced whole or not at all."""

from __future__ import annotations

import os
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from parakin.errors import LogFileError, MotionError, MotionFileError
from parakin.motions import PLANAR_TRANSLATION, SCHOENFLIES, SPATIAL
from parakin.tables import FORMATS, open_table, write_table
from parakin.trajectory import Motion, Samples, lift, read_csv, read_motion, write_csv
from parakin.trajectory.files import columns
from tests.robots import robot_named
from tests.trajectory.helpers import ROBOTS, made

HEADER = ",".join(columns(PLANAR_TRANSLATION))
SPATIAL_HEADER = ",".join(columns(SPATIAL))
ROW = "0.0,1,2,3,4,5,6"
STILL = ",".join(["0,0,0,0,1,0,0,0"] + ["0"] * 12)
"""A spatial state at time 0."""
MALFORMED = [
    ("", r"is empty: .*; write_csv writes motions that can be read"),
    (HEADER, r"has a header and no rows: .*; write_csv writes motions that can be read"),
    (f"{HEADER}\n{ROW}\n0.1,1,2,3\n", r"line 3: has 4 values for 7 columns: complete the line"),
    (
        f"{HEADER}\n{ROW}\n0.1,1,2,3",
        r"line 3: the file ends within a line, after 4 values for 7 columns: copy",
    ),
    (f"{HEADER}\n0.0,1,two,3,4,5,6", r"line 2, column 'y \[m\]': must be a number such as 0\.25, got 'two'"),
    (f"{HEADER}\n0.0,1,,3,4,5,6", r"line 2, column 'y \[m\]': has no value here"),
    (f"{HEADER}\n\n0.0,1,2,3,4,5,nan", r"line 3, column 'ay \[m/s\^2\]': must be finite, got nan"),
    (f"{HEADER}\n{ROW}\n\n\n0.1,1,2,-inf,4,5,6", r"line 5, column 'vx \[m/s\]': must be finite, got -inf"),
    (f"{HEADER}\n{ROW}\n{ROW}", r"line 3, column 't \[s\]': times must increase, got 0\.0 after 0\.0"),
    (f"{HEADER}\n\n5{ROW}\n\n1{ROW}", r"line 5, column 't \[s\]': times must increase, got 10\.0 after 50\.0: sort"),
    (
        HEADER.replace("x [m]", "x [mm]") + f"\n{ROW}",
        r"line 1: the header lacks x \[m\]; has unknown x \[mm\]; a planar-",
    ),
    (HEADER.replace("x [m],y [m]", "y [m],x [m]") + f"\n{ROW}", r"line 1: the header has them in another order"),
    (HEADER.replace("x [m],y [m]", "x [m],x [m]") + f"\n{ROW}", r"column 'x \[m\]': stands twice in the header"),
    (
        HEADER.replace(",", ";") + "\n" + ROW.replace(",", ";"),
        r"line 1: its values seem to be separated by ';', not ',': write it with ','",
    ),
    (
        f"{SPATIAL_HEADER}\n0,0,0,0,2,0,0,0{',0' * 12}",
        r"column 'qw \[1\]': the quaternion .* has length 2: normalise it",
    ),
    (
        f"{SPATIAL_HEADER}\n{STILL}\n1,0,0,0,.6,.6,0,0{',0' * 12}",
        r"line 3, column 'qw \[1\]': the quat.* length 0\.848",
    ),
    ("t [s],\0\n", r"line 1: holds zero bytes"),
]


@pytest.mark.parametrize("name", ROBOTS)
def test_files_come_back_to_the_last_bit(name: str, tmp_path: Path) -> None:
    samples = made(name, "fourier").sampled(37.0)
    path = write_csv(tmp_path / "motion.csv", samples)
    back = read_csv(path)
    assert back.kind == samples.kind
    for field in ("t", "pose", "velocity", "acceleration"):
        np.testing.assert_array_equal(getattr(back, field), getattr(samples, field))
    plain = np.loadtxt(path, delimiter=",", skiprows=1)
    np.testing.assert_array_equal(plain[:, 0], samples.t)
    assert list(tmp_path.iterdir()) == [path]


def test_headers_have_units() -> None:
    assert ",".join(columns(SCHOENFLIES)) == (
        "t [s],x [m],y [m],z [m],theta [rad],vx [m/s],vy [m/s],vz [m/s],wz [rad/s],"
        "ax [m/s^2],ay [m/s^2],az [m/s^2],wz_dot [rad/s^2]"
    )
    assert columns(SPATIAL)[4:8] == ("qw [1]", "qx [1]", "qy [1]", "qz [1]")


@pytest.mark.parametrize(("text", "message"), MALFORMED, ids=[message for _, message in MALFORMED])
def test_malformed_files_are_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(MotionFileError, match=message) as error:
        read_csv(path)
    assert str(error.value).startswith(str(path))


def test_files_of_spreadsheets_are_read(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_bytes(b"\xef\xbb\xbf" + f"{HEADER}\r\n{ROW}\r\n".encode())
    assert read_csv(path).pose.tolist() == [[1.0, 2.0]]
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(MotionFileError, match=r"sheet\.csv: is UTF-16 text: save it as UTF-8"):
        read_csv(path)
    with pytest.raises(MotionFileError, match=r"none\.csv: cannot be read: No such file"):
        read_csv(tmp_path / "none.csv")
    with pytest.raises(MotionFileError, match=r"cannot be written: No such file"):
        write_csv(tmp_path / "nowhere" / "a.csv", made("delta", "lift").sampled(10))


def test_an_interrupted_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_csv(tmp_path / "motion.csv", made("delta", "lift").sampled(10))
    before = path.read_bytes()

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_csv(path, made("delta", "lift").sampled(100))
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("ending", FORMATS)
def test_the_ending_decides_the_format(ending: str, tmp_path: Path) -> None:
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    samples = made("gough_stewart", "fourier").sampled(37.0)
    for name in (f"motion{ending}", f"motion{ending.upper()}"):
        back = read_csv(write_csv(tmp_path / name, samples))
        assert back.kind == samples.kind
        for field in ("t", "pose", "velocity", "acceleration"):
            np.testing.assert_array_equal(getattr(back, field), getattr(samples, field))


def test_files_without_lines_name_the_row(tmp_path: Path) -> None:
    names, table = columns(PLANAR_TRANSLATION), np.arange(14.0).reshape(2, 7)
    path = write_table(tmp_path / "motion.npz", names, table * [1, 1, np.nan, 1, 1, 1, 1])
    with pytest.raises(MotionFileError, match=r"npz, column 'y \[m\]': row 1: must be finite, got nan"):
        read_csv(path)
    write_table(path, names, table[::-1])
    with pytest.raises(MotionFileError, match=r"npz, column 't \[s\]': row 2: times must increase, got 0.0 after 7.0"):
        read_csv(path)
    write_table(path, names[:-1], table[:, :-1])
    with pytest.raises(MotionFileError, match=r"npz: the header lacks ay \[m/s\^2\]; a planar-translation motion has"):
        read_csv(path)


@pytest.mark.parametrize("name", ["motion.txt", "motion"])
def test_endings_that_name_no_format_are_refused(name: str, tmp_path: Path) -> None:
    message = r"has an ending that names no format: choose one of \.csv, \.npz, \.parquet"
    with pytest.raises(MotionFileError, match=message):
        write_csv(tmp_path / name, made("delta", "lift").sampled(10))
    with pytest.raises(MotionFileError, match=message):
        read_csv(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", [MotionFileError, LogFileError])
def test_errors_of_files_carry_their_data(kind: type[MotionFileError | LogFileError]) -> None:
    error = pickle.loads(pickle.dumps(kind("a.csv", "is wrong", 3, "x [m]")))
    assert type(error) is kind
    assert (error.file, error.reason, error.line, error.column) == ("a.csv", "is wrong", 3, "x [m]")
    assert str(error) == "a.csv, line 3, column 'x [m]': is wrong"
    assert str(kind("a.csv", "is wrong")) == "a.csv: is wrong"


@pytest.mark.parametrize("ending", ["csv", "npz"])
def test_actuator_set_points_are_written_for_machines_and_left_aside_when_read(ending: str, tmp_path: Path) -> None:
    robot = robot_named("planar_3rrr")
    samples = lift(robot).sampled(200)
    plain, full = tmp_path / f"plain.{ending}", tmp_path / f"full.{ending}"
    write_csv(plain, samples)
    write_csv(full, samples, robot)
    for name in ("t", "pose", "velocity", "acceleration"):
        assert np.array_equal(getattr(read_csv(full), name), getattr(read_csv(plain), name))
    table = open_table(full)
    q = robot.inverse_kinematics(samples.pose)
    names = [f"q.{actuator} [rad]" for actuator in robot.actuator_names]
    places = [table.names.index(name) for name in names]
    assert np.array_equal(table.read()[:, places], q)
    with pytest.raises(MotionError, match="the motion is planar, delta is translation"):
        write_csv(full, samples, robot_named("delta"))
    far = replace(samples, pose=samples.pose + np.array([0.0, 9.0, 0.0]))
    with pytest.raises(MotionError, match=r"cannot be there at t = 0 s"):
        write_csv(full, far, robot)


DENSE = 2e-3
"""Largest error of the acceleration of a spline through 401 points, relative to its peak: the end intervals, where the
path parameter starts from rest, have the most."""


def test_a_path_of_times_and_positions_alone_gets_its_derivatives(tmp_path: Path) -> None:
    """x = r (10 s^3 - 15 s^4 + 6 s^5) by hand, in a file without units, whose clock does not begin at zero."""
    robot, s = robot_named("delta"), np.linspace(0.0, 1.0, 401)
    x, x_ddot = 0.1 * (10 * s**3 - 15 * s**4 + 6 * s**5), 0.1 * (60 * s - 180 * s**2 + 120 * s**3)
    table = np.column_stack([5.0 + s, robot.home + np.outer(x, [1.0, 0.0, 0.0])])
    path = tmp_path / "path.csv"
    np.savetxt(path, table, delimiter=",", header="t,x,y,z", comments="", fmt="%.17g")
    motion = read_motion(path, robot)
    assert isinstance(motion, Motion)
    state = motion.at(s)
    assert np.abs(state.pose - table[:, 1:]).max() < 1e-12
    assert np.abs(state.acceleration[:, 0] - x_ddot).max() < DENSE * np.abs(x_ddot).max()
    assert np.abs(state.acceleration[:, 1:]).max() < 1e-9
    assert motion.duration == pytest.approx(1.0)


def test_paths_of_another_kind_or_of_one_row_are_refused_with_what_is_accepted(tmp_path: Path) -> None:
    path, robot = tmp_path / "path.csv", robot_named("delta")
    path.write_text("t,x,y\n0,0,-0.4\n1,0,-0.5\n")
    accepted = r"a motion of delta has the columns t \[s\].*az \[m/s\^2\], or only t \[s\],x \[m\],y \[m\],z \[m\]$"
    with pytest.raises(MotionFileError, match=accepted):
        read_motion(path, robot)
    path.write_text("t,x,y,z\n0,0,0,-0.4\n")
    with pytest.raises(MotionFileError, match="at least two rows, got 1"):
        read_motion(path, robot)
    path.write_text("t,x,y,z\n0,0,0,-0.4\n0,0,0,-0.5\n")
    with pytest.raises(MotionFileError, match="times must increase"):
        read_motion(path, robot)


def test_samples_with_derivatives_are_read_as_they_are(tmp_path: Path) -> None:
    robot = robot_named("delta")
    path = write_csv(tmp_path / "samples.csv", lift(robot).sampled(100))
    found = read_motion(path, robot)
    assert isinstance(found, Samples)
    assert np.array_equal(found.acceleration, read_csv(path).acceleration)


@pytest.mark.parametrize("end", [1e-300, 1e308])
def test_times_with_which_derivatives_overflow_are_refused(end: float, tmp_path: Path) -> None:
    path = tmp_path / "path.csv"
    path.write_text(f"t,x,y,z\n0,0,0,-0.4\n{end},0,0,-0.5\n")
    with pytest.raises(MotionError, match=r"s apart: from 1e-09 to 1e\+09 s are possible"):
        read_motion(path, robot_named("delta"))
