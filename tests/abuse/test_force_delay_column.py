"""Logs whose column `force_delay` is nonsense are refused with a reason; their sound twins are read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from parakin.errors import LogFileError, ParakinError
from parakin.identification import Preparation, open_log, prepare
from parakin.tables import write_table
from tests.logs import simulated
from tests.robots import robot_named

ROWS = 1500


def written(folder: Path, header: str, value: float, ending: str = ".csv") -> Path:
    """A sound log of a five-bar but for its column `force_delay`."""
    log = simulated("five_bar")
    names = [header if column.quantity == "force_delay" else column.header for column in log.columns]
    table = log.table[:ROWS].copy()
    table[:, [column.quantity == "force_delay" for column in log.columns]] = value
    return write_table(folder / f"log{ending}", names, table)


@pytest.mark.parametrize("ending", [".csv", ".npz"])
@pytest.mark.parametrize(
    ("header", "value", "reason"),
    [
        ("force_delay [s]", np.nan, "says nowhere how late forces act|no number"),
        ("force_delay [s]", 1.0, "1e.03 rows: 10 at most can be true"),
        ("force_delay [s]", -1e300, "10 at most can be true"),
        ("force_delay [s]", np.inf, "says nowhere how late forces act|no number"),
        ("force_delay [kg]", 5e-4, "'kg' is no unit for force_delay"),
        ("force_delay", 5e-4, "force_delay has no unit"),
    ],
)
def test_a_delay_that_cannot_be_true_is_refused(
    header: str, value: float, reason: str, ending: str, tmp_path: Path
) -> None:
    robot = robot_named("five_bar")
    with pytest.raises(LogFileError, match=reason) as caught:
        prepare(robot, open_log(robot, written(tmp_path, header, value, ending)))
    assert isinstance(caught.value, ParakinError)


@pytest.mark.parametrize(
    ("header", "value", "rows"),
    [("force_delay [s]", 5e-4, 0.5), ("force_delay [ms]", 0.5, 0.5), ("force_delay [us]", -1000.0, -1.0)],
)
def test_its_sound_twins_are_read(header: str, value: float, rows: float, tmp_path: Path) -> None:
    robot = robot_named("five_bar")
    ready = prepare(robot, open_log(robot, written(tmp_path, header, value)), Preparation(cutoff=40.0))
    assert ready.report.timing.delay == pytest.approx(rows)
    assert ready.report.timing.origin == "stated"
