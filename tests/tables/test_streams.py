"""Tables written block by block."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from parakin.errors import UnknownNameError
from parakin.tables import open_table, rows, write_blocks
from parakin.tables.csv_text import write_csv


def blocks() -> Iterator[np.ndarray]:
    """Yield some rows, no rows, and more rows, one with a number that is missing."""
    rng = np.random.default_rng(0)
    yield rng.normal(size=(3, 2))
    yield np.zeros((0, 2))
    yield np.array([[np.nan, 1e-300], [0.1, -0.0]])


@pytest.mark.parametrize("ending", ["csv", "npz", "parquet"])
def test_blocks_read_back_as_one_table(ending: str, tmp_path: Path) -> None:
    path = write_blocks(tmp_path / f"table.{ending}", ["a", "b"], blocks())
    table = open_table(path)
    expected = np.concatenate(list(blocks()))
    assert table.names == ("a", "b")
    read = np.loadtxt(path, delimiter=",", skiprows=1) if ending == "csv" else table.read()  # logs have no NaN as text
    assert np.array_equal(read, expected, equal_nan=True)
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("ending", ["csv", "npz", "parquet"])
def test_a_block_that_fails_leaves_what_was_there(ending: str, tmp_path: Path) -> None:
    def failing() -> Iterator[np.ndarray]:
        yield np.ones((2, 2))
        raise KeyboardInterrupt

    path = tmp_path / f"table.{ending}"
    path.write_bytes(b"before")
    with pytest.raises(KeyboardInterrupt):
        write_blocks(path, ["a", "b"], failing())
    assert path.read_bytes() == b"before"
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


def test_the_text_of_a_table_is_not_in_memory_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one text these 0.3 MB of numbers took 2.6 MB; in blocks of 1024 numbers they take less than the table has."""
    monkeypatch.setattr(rows, "MOST_VALUES", 1024)
    table = np.random.default_rng(0).normal(size=(20_001, 2))
    tracemalloc.start()
    try:
        write_csv(tmp_path / "table.csv", ["a", "b"], table)
        assert tracemalloc.get_traced_memory()[1] < table.nbytes
    finally:
        tracemalloc.stop()
    assert np.array_equal(np.loadtxt(tmp_path / "table.csv", delimiter=",", skiprows=1), table)


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"no ending of a table's name '\.xls'"):
        write_blocks(tmp_path / "table.xls", ["a"], iter([]))
