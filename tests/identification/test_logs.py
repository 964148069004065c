"""Logs as files: formats, columns, units, and text that is not what it should be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import parakin as pk
from parakin.errors import BadLogError, ColumnMapError, LogFileError, UnknownNameError
from parakin.identification.logs.column_map import ColumnMap, column_map, column_map_of_texts, load_column_map
from parakin.identification.logs.log_source import LogSource, open_log
from parakin.identification.preparation import Preparation, prepare
from parakin.simulation import write_log
from parakin.tables import BadRow, csv_text, open_table, write_table
from tests.logs import simulated
from tests.robots import robot_named

NAMES = ["t [s]", "q.side1.arm [rad]", "q.side2.arm [rad]", "tau.side1.arm [N m]", "tau.side2.arm [N m]"]
ROWS = np.array([[0.0, 0.1, 0.2, -1.0, 1.0], [0.001, 0.11, 0.21, -1.1, 1e-7], [0.002, 1 / 3, 0.22, -1.2, 1.2]])


@pytest.fixture(scope="module")
def five_bar() -> pk.Robot:
    return robot_named("five_bar")


def rows_of(source: LogSource) -> np.ndarray:
    return np.concatenate(list(source.blocks(2)))


# Tables --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["csv", "npz", "parquet"])
def test_tables_come_back_to_the_last_bit_in_blocks(ending: str, tmp_path: Path) -> None:
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    table = np.random.default_rng(0).normal(size=(1000, 5)) * 10.0 ** np.arange(-10, 15, 5)
    opened = open_table(write_table(tmp_path / f"a.{ending}", NAMES, table))
    blocks = list(opened.blocks(64))
    assert opened.names == tuple(NAMES)
    assert len(blocks) > 10
    assert max(map(len, blocks)) <= 100
    assert np.array_equal(np.concatenate(blocks), table)


def test_numbers_are_the_same_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_table(tmp_path / "a.csv", NAMES, np.random.default_rng(0).normal(size=(300, 5)))
    fast = open_table(path).read()
    monkeypatch.setattr(csv_text, "_arrow", lambda: None)
    assert np.array_equal(open_table(path).read(), fast)
    monkeypatch.setattr(csv_text, "_at_once", _refuse)
    assert np.array_equal(open_table(path).read(), fast)


def _refuse(*_: object) -> None:
    raise ValueError


def test_columns_may_be_arrays_of_their_own(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", t=np.arange(3.0), q=np.arange(6).reshape(3, 2))
    table = open_table(tmp_path / "a.npz")
    assert table.names == ("t", "q.1", "q.2")
    assert table.read().tolist() == [[0, 0, 1], [1, 2, 3], [2, 4, 5]]


def test_a_failed_write_leaves_what_was_there(tmp_path: Path) -> None:
    path = write_table(tmp_path / "a.csv", NAMES, ROWS)
    before = path.read_bytes()
    with pytest.raises(TypeError):
        write_table(path, NAMES, ROWS[0])
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.csv"]
    with pytest.raises(LogFileError, match=r"cannot be written: No such file"):
        write_table(tmp_path / "nowhere" / "a.csv", NAMES, ROWS)


HEAD = ",".join(NAMES)
GOOD = "0.0,0.1,0.2,-1.0,1.0"
TEXTS: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "is empty: nothing was recorded"),
    "header alone": (f"{HEAD}\n", "has a header and no rows"),
    "no header": (f"{GOOD}\n{GOOD}\n", "line 1: begins with numbers"),
    "name twice": (f"{HEAD},t [s]\n{GOOD},0\n", r"column 't \[s\]': stands twice in the header"),
    "semicolons": (f"{HEAD}\n{GOOD}\n".replace(",", ";"), "line 1: its values seem to be separated by ';'"),
    "tabs": (f"{HEAD}\n{GOOD}\n".replace(",", "\t"), r"separated by '\\t'"),
    "decimal commas": (
        f"{HEAD}\n0,0,0,1,0,2,-1,0,1,0\n",
        "line 2: has 10 values for 5 columns, as with decimal commas",
    ),
    "too few": (f"{HEAD}\n{GOOD}\n0,1,2\n{GOOD}\n", "line 3: has 3 values for 5 columns"),
    "too many": (f"{HEAD}\n{GOOD}\n{GOOD},7\n", "line 3: has 6 values for 5 columns"),
    "text": (f"{HEAD}\n{GOOD}\n0,1,off,3,4\n", r"line 3, column 'q.side2.arm \[rad\]': must be a number .* got 'off'"),
    "no value": (f"{HEAD}\n{GOOD}\n0,1,,3,4\n", r"line 3, column 'q.side2.arm \[rad\]': has no value here"),
    "cut off": (f"{HEAD}\n{GOOD}\n0,1,2", "line 3: the file ends within a line, after 3 values for 5 columns"),
    "UTF-16": (f"{HEAD}\n{GOOD}\n".encode("utf-16"), "is UTF-16 text: save it as UTF-8"),
    "other bytes": (f"{HEAD}\n{GOOD}\n0,\xb5,1,2,3\n".encode("latin-1"), r"line 3: is not UTF-8 text \(byte 0xb5\)"),
    "zero bytes": (f"{HEAD}\n{GOOD}\n\0\0\0\0\n", "line 3|line 2: holds zero bytes"),
}
ROW_KINDS = {
    "too few": "ragged",
    "too many": "ragged",
    "text": "text",
    "no value": "empty-value",
    "cut off": "truncated",
}


@pytest.mark.parametrize("case", TEXTS)
def test_text_that_is_no_log(five_bar: pk.Robot, case: str, tmp_path: Path) -> None:
    text, message = TEXTS[case]
    path = tmp_path / "log.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(LogFileError, match=message):
        rows_of(open_log(five_bar, path))
    if case in ROW_KINDS:
        bad: list[BadRow] = []
        rows = np.concatenate(list(open_table(path).blocks(100, bad.append)))
        assert [(entry.kind, entry.line) for entry in bad] == [(ROW_KINDS[case], 3)]
        assert np.flatnonzero(np.isnan(rows).all(axis=1)).tolist() == [1]


def test_archives_that_are_damaged(tmp_path: Path) -> None:
    path = write_table(tmp_path / "a.npz", NAMES, np.random.default_rng(0).normal(size=(500, 5)))
    path.write_bytes(path.read_bytes()[:9000])
    with pytest.raises(LogFileError, match="is not an NPZ log"):
        open_table(path)
    with pytest.raises(UnknownNameError, match=r"no format of logs '.xlsx'; choose one of .csv, .npz, .parquet"):
        open_table(tmp_path / "a.xlsx")
    with pytest.raises(LogFileError, match="cannot be read: No such file"):
        open_table(tmp_path / "a.csv")
    np.savez(tmp_path / "b.npz", t=np.arange(3.0), q=np.arange(4.0))
    with pytest.raises(LogFileError, match="must hold arrays of one length"):
        open_table(tmp_path / "b.npz")


def test_a_byte_order_mark_and_crlf_do_no_harm(five_bar: pk.Robot, tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_bytes(b"\xef\xbb\xbf" + f"{HEAD}\r\n{GOOD}\r\n".encode())
    assert rows_of(open_log(five_bar, path)).tolist() == [[0.0, 0.1, 0.2, -1.0, 1.0]]


def test_bad_lines_are_cut_and_told(five_bar: pk.Robot, tmp_path: Path) -> None:
    path = write_log(tmp_path / "log.csv", simulated("five_bar"))
    lines = path.read_text().splitlines()
    lines[1501] = lines[1501].replace(".", "x")
    lines[1801] = lines[1801] + ",0.0"
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(LogFileError, match=r"line 1502, column 't \[s\]': must be a number such as 0.25, got"):
        prepare(five_bar, open_log(five_bar, path))
    ready = prepare(five_bar, open_log(five_bar, path), Preparation(policy="cut", cutoff=40.0))
    kinds = [damage.kind for damage in ready.report.damage]
    assert [kind for kind in kinds if kind in ("text", "ragged")] == ["text", "ragged"]
    assert "text: at 2.999 s: line 1502: must be a number" in str(ready.report)
    assert len(ready.stretches) == 3


# Columns and units ---------------------------------------------------------------------------------------------------


def test_own_logs_need_no_mapping_and_encoders_come_first(five_bar: pk.Robot, tmp_path: Path) -> None:
    log = simulated("five_bar")
    source = open_log(five_bar, write_log(tmp_path / "log.npz", log))
    assert source.headers[1] == "measured_q.side1.arm [rad]"
    assert np.array_equal(rows_of(source)[:, source.part("q")], log["measured_q"])
    columns = tuple(column for column in log.columns if not column.quantity.startswith("measured"))
    table = np.column_stack([log[column.name] for column in columns])
    plain = open_log(five_bar, write_log(tmp_path / "plain.npz", replace(log, columns=columns, table=table)))
    assert plain.headers[1] == "q.side1.arm [rad]"


def mapped(folder: Path, columns: ColumnMap, header: str, line: str) -> np.ndarray:
    path = folder / "log.csv"
    path.write_text(f"{header}\n{line}\n")
    return rows_of(open_log(robot_named("five_bar"), path, columns))[0]


def test_units_become_si(tmp_path: Path) -> None:
    texts = (
        "t=clock [ms]",
        "q.side1.arm=enc_1 [counts] counts_per_unit=2000 offset=100 sign=-1",
        "q.side2.arm=angle 2 [deg]",
        "tau.side1.arm=i_1 [A] torque_constant=0.1 gear=50",
        "tau.side2.arm=torque",
    )
    row = mapped(tmp_path, column_map_of_texts(texts), "angle 2,clock,enc_1,i_1,torque [mN m]", "90,250,2100,-2,1500")
    assert row == pytest.approx([0.25, -1.0, np.pi / 2, -10.0, 1.5], abs=1e-15)


def test_a_mapping_in_toml(tmp_path: Path) -> None:
    file = tmp_path / "columns.toml"
    file.write_text(
        'separator = ";"\ndecimal = ","\n[columns]\nt = "zeit [us]"\n"q.side1.arm" = "a [deg]"\n'
        '"q.side2.arm" = { column = "b", unit = "counts", counts_per_unit = 1000 }\n'
        '"tau.side1.arm" = "c [N m]"\n"tau.side2.arm" = "d [N m]"\n'
    )
    row = mapped(tmp_path, load_column_map(file), "zeit;a;b;c;d", "1000,0;180,0;500;1,5;-2,5")
    assert row == pytest.approx([1e-3, np.pi, 0.5, 1.5, -2.5], abs=1e-15)


MAPS: dict[str, tuple[dict[str, object], str]] = {
    "unknown key": ({"colums": {}}, "columns: colums: unknown key; known are columns, decimal, separator"),
    "unknown field": (
        {"columns": {"t": {"column": "a", "units": "s"}}},
        "columns.t.units: unknown key; known are column",
    ),
    "unknown unit": ({"columns": {"t": "a [min]"}}, r"columns.t: no unit 'min'; choose one of s, ms, us"),
    "counts alone": (
        {"columns": {"q.side1.arm": "a [counts]"}},
        "columns.q.side1.arm: counts_per_unit .* counts need it",
    ),
    "current alone": ({"columns": {"tau.side1.arm": "a [A]"}}, "torque_constant .* currents need it"),
    "negative": ({"columns": {"q": "a [counts] counts_per_unit=-5"}}, "columns.q.counts_per_unit: must be > 0, got -5"),
    "not a number": ({"columns": {"q": "a [deg] offset=five"}}, "columns.q.offset: must be a number, got 'five'"),
    "commas": ({"decimal": ","}, "separator and decimal sign cannot both be a comma"),
}


@pytest.mark.parametrize("case", MAPS)
def test_mappings_that_make_no_sense(case: str) -> None:
    tables, message = MAPS[case]
    with pytest.raises(ColumnMapError, match=message):
        column_map(tables)


def test_texts_and_files_of_mappings_that_make_no_sense(tmp_path: Path) -> None:
    with pytest.raises(ColumnMapError, match=r"must read like 'q.leg1.arm=joint_1 \[deg\]', got 'joint_1'"):
        column_map_of_texts(["joint_1"])
    with pytest.raises(ColumnMapError, match="cannot be read: No such file"):
        load_column_map(tmp_path / "a.toml")
    (tmp_path / "a.toml").write_text("[columns")
    with pytest.raises(ColumnMapError, match="is not TOML"):
        load_column_map(tmp_path / "a.toml")


WIRES: dict[str, tuple[list[str], str, str]] = {
    "missing": (
        [],
        HEAD.replace("q.side1", "q.side9"),
        r"lacks columns for q.side1.arm; it has 't \[s\]', .*: map them with --column 'q.side1.arm=NAME \[UNIT\]'",
    ),
    "mapped to nothing": (["t=clock [s]"], HEAD, r"lacks columns for t \(mapped to 'clock'\)"),
    "no unit": ([], HEAD.replace("t [s]", "t"), "column 't': t has no unit: write it after the column's name"),
    "wrong unit": (
        [],
        HEAD.replace("t [s]", "t [m]"),
        "'m' is no unit for t, which measures time: choose of s, ms, us",
    ),
    "force as torque": (
        ["tau.side1.arm=f [N]"],
        f"{HEAD},f",
        "'N' is no unit for tau.side1.arm, which measures torque",
    ),
    "one for two": (["q.side2.arm=q.side1.arm"], HEAD, "is mapped to both q.side1.arm and q.side2.arm"),
    "in counts": ([], HEAD.replace("q.side1.arm [rad]", "q.side1.arm [counts]"), "is in counts: a mapping must say"),
    "in two units": (["t=c"], f"{HEAD},c [s],c [ms]", "column 'c': stands there in several units"),
}


@pytest.mark.parametrize("case", WIRES)
def test_columns_that_do_not_fit(case: str, tmp_path: Path) -> None:
    texts, header, message = WIRES[case]
    line = ",".join("0" for _ in header.split(","))
    with pytest.raises(LogFileError, match=message):
        mapped(tmp_path, column_map_of_texts(texts), header, line)


def test_signals_that_a_robot_does_not_have(tmp_path: Path) -> None:
    with pytest.raises(ColumnMapError, match=r"columns.q.leg7: five_bar has no such signal; it has t, q.side1.arm"):
        mapped(tmp_path, column_map_of_texts(["q.leg7=a [deg]"]), HEAD, GOOD)


def test_a_log_that_is_too_short_or_too_slow(five_bar: pk.Robot, tmp_path: Path) -> None:
    log = simulated("five_bar")
    few = write_log(tmp_path / "few.npz", replace(log, table=log.table[:40]))
    with pytest.raises(BadLogError, match="too-short: the longest sound stretch has 40 rows, 50 are needed"):
        prepare(five_bar, open_log(five_bar, few))
    slow = write_log(tmp_path / "slow.npz", replace(log, table=log.table[:200]))
    with pytest.raises(BadLogError, match=r"too-short: .* log longer, or raise the cut-off"):
        prepare(five_bar, open_log(five_bar, slow), Preparation(cutoff=3.0))
    t = np.arange(2000) * np.float64(0.01)
    pose = five_bar.home + 0.02 * np.sin(2 * np.pi * 33.0 * t[:, None] + np.array([0.0, 1.0]))
    table = np.column_stack([t, five_bar.inverse_kinematics(pose), np.sin(t), np.cos(t)])
    with pytest.raises(
        BadLogError, match=r"slow-sampling: the motion has 33.* Hz in it, and rows come at 100 Hz: .*--cutoff"
    ):
        prepare(five_bar, open_log(five_bar, write_table(tmp_path / "fast.npz", NAMES, table.astype(np.float64))))
