"""Output of commands: JSON without NaN, tables that line up, files all or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from parakin.cli import app
from parakin.cli.outputs import aligned, check_room, finite, staged


def test_tables_for_json_have_lists_and_null() -> None:
    table = {"a": np.array([1.0, np.nan]), "b": {"c": (np.inf, 2, "x")}, "d": None, "e": [-np.inf, True]}
    assert finite(table) == {"a": [1.0, None], "b": {"c": [None, 2, "x"]}, "d": None, "e": [None, True]}
    assert json.loads(json.dumps(finite(table), allow_nan=False)) == finite(table)
    assert finite({"number": np.float64(0.5), "count": np.int64(3)}) == {"number": 0.5, "count": 3}


def test_names_are_flush_left_and_numbers_flush_right() -> None:
    assert aligned(("law", "rms"), [("pid", "1.25"), ("feedforward", "10")]) == (
        "law           rms\npid          1.25\nfeedforward    10"
    )


def write_and_fail(place: Path) -> None:
    (place / "c.txt").write_text("c")
    raise RuntimeError


def test_files_arrive_together_or_not_at_all(tmp_path: Path) -> None:
    out = tmp_path / "new" / "out"
    with staged(out) as place:
        (place / "a.txt").write_text("a")
        (place / "b.txt").write_text("b")
        assert place.parent == out
        assert not (out / "a.txt").exists()
    assert sorted(path.name for path in out.iterdir()) == ["a.txt", "b.txt"]
    with pytest.raises(RuntimeError), staged(out) as place:
        write_and_fail(place)
    assert sorted(path.name for path in out.iterdir()) == ["a.txt", "b.txt"]


def test_a_place_that_cannot_be_written_ends_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "file"
    file.write_text("in the way")
    check_room(tmp_path / "not" / "there" / "yet")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    with pytest.raises(typer.Exit) as refused:
        check_room(file / "below")
    assert refused.value.exit_code == 1
    assert f"{file / 'below'}: cannot be written: " in capsys.readouterr().err
    with pytest.raises(typer.Exit), staged(file / "below"):
        raise AssertionError("nothing to write to")


@pytest.mark.parametrize("words", [("--folder", ""), ("--folder=",), ("-o", ""), ("--output=",)])
def test_an_empty_name_is_not_the_folder_one_is_in(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["workspace", "five_bar", *words])
    assert done.exit_code == 2
    assert f"{words[0].rstrip('=')} is given an empty text" in done.output
    assert list(tmp_path.iterdir()) == []
