"""A number that was cut off at the end of a CSV file is told from one that is whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from parakin.errors import LogFileError
from parakin.tables import BadRow, open_table

FORMATS: dict[str, Callable[[float], str]] = {
    "shortest": repr,
    "fixed": "{:.6f}".format,
    "exponent": "{:.18e}".format,
    "counts": lambda value: str(int(1000 * value)),
}
FALSE_ALARMS = 0.02
"""Share of whole files that may be taken for cut ones."""
CAUGHT = 0.85
"""Share of cut files that must be found out; counts near zero are not."""
HARMLESS = 1e-6
"""Relative to the number."""


def refused(path: Path, texts: list[str]) -> bool:
    path.write_text("t,q\n" + "\n".join(f"{k},{text}" for k, text in enumerate(texts)))
    bad: list[BadRow] = []
    rows = np.concatenate(list(open_table(path).blocks(on_bad=bad.append)))
    if bad:
        assert [(one.kind, one.row, one.line, one.column) for one in bad] == [
            ("truncated", len(texts) - 1, len(texts) + 1, "q")
        ]
        assert np.isnan(rows[-1]).all()
        assert not np.isnan(rows[:-1]).any()
    else:
        assert rows[-1, 1] == float(texts[-1])
    return bool(bad)


@pytest.mark.parametrize("form", FORMATS)
def test_cut_numbers_are_found_and_whole_ones_left(form: str, tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    whole: list[bool] = []
    cut: list[bool] = []
    for phase in random.uniform(0.0, 6.0, 150):
        texts = [FORMATS[form](value) for value in (12.0 * np.sin(phase + 0.002 * np.arange(70))).tolist()]
        whole.append(refused(tmp_path / "log.csv", texts))
        last = texts[-1]
        piece = last[: int(random.integers(1, len(last)))]
        try:
            harmless = abs(float(piece) - float(last)) <= HARMLESS * abs(float(last))
        except ValueError:
            harmless = False
        if not harmless:
            cut.append(refused(tmp_path / "log.csv", [*texts[:-1], piece]))
    assert np.mean(whole) <= FALSE_ALARMS
    assert np.mean(cut) >= CAUGHT


def test_a_line_end_says_that_the_number_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("t,q\n0,123.450\n1,123.453\n2,12")
    with pytest.raises(
        LogFileError, match=r"line 4, column 'q': .* '12' has fewer digits .* such as '123.453': copy it"
    ):
        open_table(path).read()
    path.write_text("t,q\n0,123.450\n1,123.453\n2,12\n")
    assert open_table(path).read()[-1].tolist() == [2.0, 12.0]


@pytest.mark.parametrize("texts", [["1.25", "1.5"], ["1", "2"], ["10.5", "9"], ["0.1", "0.15", "0.2"], ["100", "99"]])
def test_short_files_without_a_last_line_end_are_read(texts: list[str], tmp_path: Path) -> None:
    assert not refused(tmp_path / "log.csv", texts)
