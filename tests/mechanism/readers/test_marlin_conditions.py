"""Conditions in Marlin's Configuration.h, with results as a C preprocessor gives them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from parakin.description import RobotDescription
from parakin.errors import DescriptionError
from parakin.mechanism.readers import EntryKind, import_robot
from parakin.mechanism.readers.marlin_conditions import preprocessed
from parakin.mechanism.readers.report import Journal
from tests.mechanism.readers import texts

CONDITIONS = """
#define DELTA
#define SIX 6
#define OFF 0
/* #define IN_COMMENT 1
#if 0 */
#if 0
  #define A 1
  #ifdef DELTA
    #define B 1
  #else
    #define C 1
  #endif
#elif SIX == 6 && !defined(NOWHERE)
  #define D 1
#else
  #define E 1
#endif
#ifndef DELTA
  #define F 1
#else
  #define G \\
     2
#endif
#if defined SIX && (SIX > 7 || OFF)
  #define H 1
#elif SIX * 2 - 2 >= 10
  #define I 1
#elif 1
  #define J 1
#endif
#if UNKNOWN_NAME
  #define K 1
#endif
// see docs/*.md \\
#define IN_LONG_COMMENT 1
#define URL "http://x/*y" // and */ more
#undef SIX
#ifdef SIX
  #define L 1
#endif
"""


def test_conditions_are_those_of_a_preprocessor() -> None:
    ours = preprocessed(CONDITIONS, Journal("Configuration.h", "Marlin"))
    assert set(ours) == {"DELTA", "OFF", "D", "G", "I", "URL"}
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return
    command = [compiler, "-E", "-dM", "-undef", "-x", "c", "-"]
    printed = subprocess.run(command, input=CONDITIONS, capture_output=True, text=True, check=True).stdout
    theirs = {line.split()[1]: line.split(maxsplit=2)[2:] for line in printed.splitlines() if line}
    assert {name: [value] if value else [] for name, value in ours.items()} == {
        name: value for name, value in theirs.items() if not name.startswith("_")
    }


def test_macros_of_marlin() -> None:
    text = "#define DELTA\n#define OFF false\n#if ENABLED(DELTA) && DISABLED(OFF)\n#define A 1\n#endif\n"
    text += "#if ANY(OFF, KOSSEL)\n#define B 1\n#endif\n#if BOTH(DELTA, OFF)\n#define C 1\n#endif\n"
    assert "A" in preprocessed(text, Journal("x", "Marlin"))
    assert not {"B", "C"} & set(preprocessed(text, Journal("x", "Marlin")))


def _imported(text: str, folder: Path) -> float:
    path = folder / "Configuration.h"
    path.write_text(text)
    description = import_robot(path).description
    assert isinstance(description, RobotDescription)
    return description.length


def test_lines_that_are_left_out_do_not_count(tmp_path: Path) -> None:
    plain = _imported(texts.MARLIN, tmp_path)
    hidden = "\n#if 0\n#define DELTA_DIAGONAL_ROD 500.0\n#endif\n"
    assert _imported(texts.MARLIN + hidden, tmp_path) == plain


def test_files_that_are_included_are_told_where_their_line_counts(tmp_path: Path) -> None:
    path = tmp_path / "Configuration.h"
    path.write_text(f'{texts.MARLIN}\n#include "delta.h"\n#if 0\n#include "square.h"\n#endif\n')
    told = [entry for entry in import_robot(path).report.of(EntryKind.DROPPED) if "#include" in entry.place]
    assert [entry.place.partition(": ")[2] for entry in told] == ['#include "delta.h"']
    assert "not read" in told[0].words


def test_what_cannot_be_decided_is_said(tmp_path: Path) -> None:
    unsure = "\n#if MB(SOME_BOARD)\n#define DELTA_DIAGONAL_ROD 500.0\n#endif\n"
    with pytest.raises(DescriptionError, match=r"DELTA_DIAGONAL_ROD: it counts only if 'MB\(SOME_BOARD\)'"):
        _imported(texts.MARLIN + unsure, tmp_path)


def test_a_plus_sign_is_a_sign(tmp_path: Path) -> None:
    more = "\n#define DELTA_DIAGONAL_ROD +218.0\n"
    assert _imported(texts.MARLIN + more, tmp_path) == pytest.approx(0.218)


def test_names_that_stand_for_many_names_are_refused_at_once(tmp_path: Path) -> None:
    """Each of twenty names is a sum of twenty times the next one: 20^20 look-ups, if nobody counts."""
    wide = "".join(f"\n#define N{k} {'+'.join([f'N{k + 1}'] * 20)}" for k in range(19))
    with pytest.raises(DescriptionError, match="must be a number in mm"):
        _imported(f"{texts.MARLIN}{wide}\n#define N19 1\n#define DELTA_RADIUS N0\n", tmp_path)


def test_comments_that_nobody_closes_take_no_time() -> None:
    assert preprocessed("#define A 1\n" + "/*" * 2_000_000, Journal("x", "Marlin")) == {"A": "1"}


def test_a_header_of_klipper_that_nobody_closes_takes_no_time(tmp_path: Path) -> None:
    path = tmp_path / "printer.cfg"
    path.write_text(f"{texts.KLIPPER}\n[{' ' * 200_000}\n[{' ' * 200_000}x\n")
    assert import_robot(path).report.dialect == "Klipper"


SUMS = {
    "#define X 10\n#define Y X + X\n#define DELTA_RADIUS (5 * Y)": 60.0,  # 5 * 10 + 10: a name stands for its text
    "#define DELTA_RADIUS 225 / 2": 112.0,  # as C divides whole numbers
    "#define DELTA_RADIUS 225.0F / 2": 112.5,
    "#define DELTA_RADIUS -(.5e2f) * -2": 100.0,
}


@pytest.mark.parametrize("text", SUMS)
def test_sums_are_those_of_c(text: str, tmp_path: Path) -> None:
    values = []
    for radius in (text, f"#define DELTA_RADIUS {SUMS[text]}"):
        path = tmp_path / "Configuration.h"
        path.write_text(f"{texts.MARLIN}\n{radius}\n")
        description = import_robot(path).description
        assert isinstance(description, RobotDescription)
        values.append(description.legs[0].root)
    assert values[0] == pytest.approx(values[1], rel=1e-15)


@pytest.mark.parametrize("text", ["1_000.5", "0100", "9**9**9", "(1", "10" * 300, "A", "1 if 1 else 2"])
def test_what_is_no_number_of_c_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(DescriptionError, match="DELTA_RADIUS: must be a number in mm"):
        _imported(f"{texts.MARLIN}\n#define DELTA_RADIUS {text}\n", tmp_path)


@pytest.mark.parametrize("text", ["#if C\n#endif\n" * 3000, "#if 1\n" * 300 + "#endif\n" * 300])
def test_conditions_are_counted(text: str) -> None:
    with pytest.raises(DescriptionError, match="no configuration of a printer has these"):
        preprocessed(text, Journal("x", "Marlin"))


def test_numbers_too_large_for_a_condition_leave_it_open(tmp_path: Path) -> None:
    text = f"\n#if {'9' * 400} * 2 > 1\n#define DELTA_DIAGONAL_ROD 500.0\n#endif\n"
    with pytest.raises(DescriptionError, match="which cannot be decided"):
        _imported(texts.MARLIN + text, tmp_path)


def test_names_of_other_files_are_not_zero(tmp_path: Path) -> None:
    """In C both boards would be 0 and equal; Marlin defines them in boards.h."""
    path = tmp_path / "Configuration.h"
    board = "#define MOTHERBOARD BOARD_SMALL\n#if MOTHERBOARD == BOARD_LARGE\n#define DELTA_RADIUS 90\n#endif\n"
    path.write_text(f"#define DELTA\n{board}")
    with pytest.raises(DescriptionError, match="'MOTHERBOARD == BOARD_LARGE' in line 3, which cannot be decided"):
        import_robot(path)
