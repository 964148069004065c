"""Checks of a log, one by one, on positions and forces made for them: where exactly each begins and ends."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from parakin.arrays import Array
from parakin.identification.damage import record as records
from parakin.identification.damage.kinds import Mark
from parakin.identification.damage.record import Page, Record, kicks, survey
from parakin.identification.damage.time_checks import check_time
from parakin.identification.damage.value_checks import (
    _pace_beside,
    _way_of_others,
    check_jumps,
    check_limits,
    check_saturated,
)
from parakin.identification.damage.whole_checks import check_columns
from parakin.identification.logs.log_source import open_log
from parakin.tables import write_table
from tests.robots import robot_named

PERIOD = 1e-3
ROWS = 2000
FIRST_DRIVE = 1
"""Column of the first drive's position."""


def smooth(rows: int = ROWS) -> Array:
    """Positions of a five-bar's two drives on a slow way [rad] (rows, 2)."""
    t = np.arange(rows) * PERIOD
    return np.asarray(np.column_stack([0.8 + 0.3 * np.sin(9 * t), 0.9 + 0.2 * np.cos(7 * t)]), float)


def table_of(q: Array, tau: Array | None = None) -> Array:
    t = np.arange(len(q)) * PERIOD
    forces = np.column_stack([np.sin(11 * t), np.cos(13 * t)]) if tau is None else tau
    return np.asarray(np.column_stack([t, q, forces]), float)


def record_of(folder: Path, table: Array, name: str = "five_bar") -> Record:
    robot = robot_named(name)
    names = ["t [s]", *(f"q.{name} [rad]" for name in robot.actuator_names)]
    names += [f"tau.{name} [N m]" for name in robot.actuator_names]
    return survey(robot, open_log(robot, write_table(folder / "log.npz", names, table)), [table])


def jumps(record: Record) -> list[Mark]:
    return [mark for page in record.pages() for mark in check_jumps(record, page)]


def whole(record: Record) -> Page:
    (page,) = record.pages()
    return page


def test_kicks_of_a_jump_and_of_a_spike_are_those_of_the_equation() -> None:
    line = np.linspace(0.0, 1.0, 11)
    jump, spike = line.copy(), line.copy()
    jump[5:] += 0.4
    spike[5] += 0.4
    assert kicks(line) == pytest.approx(np.zeros(11), abs=1e-15)
    assert kicks(jump)[3:8] == pytest.approx([0.0, -0.2, 0.4, -0.2, 0.0])
    assert kicks(spike)[3:8] == pytest.approx([0.0, -0.2, 0.6, -0.6, 0.2])


@pytest.mark.parametrize(("counts", "kinds"), [(3, ["no-motion"]), (4, ["coarse-encoder"] * 2)])
def test_three_counts_are_noise_and_four_are_motion(counts: int, kinds: list[str], tmp_path: Path) -> None:
    q = 0.9 + 0.01 * (np.arange(ROWS) // (ROWS // (counts + 1))).clip(max=counts)
    record = record_of(tmp_path, table_of(np.column_stack([q, q[::-1]])))
    assert [damage.kind for damage in check_columns(record)] == kinds


@pytest.mark.parametrize("one", [(0, 1), (0, 2), (1, 2)])
@pytest.mark.parametrize("same", ["q", "tau", "both"])
def test_equal_positions_with_equal_forces_are_a_symmetric_motion(
    one: tuple[int, int], same: str, tmp_path: Path
) -> None:
    """Of a Delta, positions in columns 1 to 3 and forces in columns 4 to 6."""
    t = np.arange(ROWS) * PERIOD
    phases = np.outer(t, [5.0, 6.0, 7.0])
    table = np.asarray(np.column_stack([t, 0.1 * np.sin(phases), np.cos(phases)]), float)
    for part in {"q": [1], "tau": [4], "both": [1, 4]}[same]:
        table[:, part + one[1]] = table[:, part + one[0]]
    record = record_of(tmp_path, table, "delta")
    told = [(damage.kind, damage.column) for damage in check_columns(record)]
    column = record.source.headers[one[1] + (1 if same == "q" else 4)]
    assert told == ([] if same == "both" else [("equal-columns", column)])


@pytest.mark.parametrize("larger_first", [True, False])
@pytest.mark.parametrize(("apart", "told"), [(2, 1), (3, 2), (9, 2)])
def test_of_jumps_within_two_rows_the_larger_is_told(apart: int, told: int, larger_first: bool, tmp_path: Path) -> None:
    sizes = (0.3, -0.2) if larger_first else (-0.2, 0.3)
    q = smooth()
    q[200:, 0] += sizes[0]
    q[200 + apart :, 0] += sizes[1]
    rows = [mark.first for mark in jumps(record_of(tmp_path, table_of(q)))]
    larger = 200 if larger_first else 200 + apart
    assert rows == ([larger] if told == 1 else [200, 200 + apart])


@pytest.mark.parametrize("row", range(60, 69))
def test_a_jump_at_the_border_of_pages_is_told_once(row: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    q = smooth()
    q[row:, 1] += 0.2
    record = record_of(tmp_path, table_of(q))
    monkeypatch.setattr(records, "PAGE", 64)
    (mark,) = jumps(record)
    assert (mark.kind, mark.first, mark.stop, mark.column) == ("encoder-jump", row, row, FIRST_DRIVE + 1)
    assert mark.value == pytest.approx(0.2, abs=1e-3)


@pytest.mark.parametrize("row", [2, 60, 63, 64, 65, 66, ROWS - 4])
def test_a_spike_is_one_row_wherever_it_is(row: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    q = smooth()
    q[row, 0] -= 0.2
    record = record_of(tmp_path, table_of(q))
    monkeypatch.setattr(records, "PAGE", 64)
    marks = jumps(record)
    assert {(mark.kind, mark.first, mark.stop) for mark in marks} == {("encoder-spike", row, row + 1)}
    assert "off by 0.2" in marks[0].message


@pytest.mark.parametrize("beside", range(-4, 5))
def test_no_jump_is_told_where_a_step_of_time_is_uneven(beside: int, tmp_path: Path) -> None:
    """A kick sees three steps of time; where one of them is longer, a motion that goes on looks like a jump."""
    table = table_of(smooth())
    table[200:, 0] += 0.5 * PERIOD
    table[200 + beside :, FIRST_DRIVE] += 0.2
    assert len(jumps(record_of(tmp_path, table))) == (abs(beside) > 1)


@pytest.mark.parametrize(("rows", "flagged"), [(4, 0), (5, 5), (8, 8)])
@pytest.mark.parametrize("sign", [1, -1])
def test_five_rows_at_the_extreme_are_cut_off(rows: int, flagged: int, sign: int, tmp_path: Path) -> None:
    t = np.arange(ROWS) * PERIOD
    tau = np.column_stack([np.sin(11 * t), np.cos(13 * t)])
    tau[100 : 100 + rows, 0] = sign * 2.0
    record = record_of(tmp_path, table_of(smooth(), tau))
    marks = list(check_saturated(record, whole(record)))
    assert sum(mark.stop - mark.first for mark in marks) == flagged
    if marks:
        assert (marks[0].first, marks[0].stop, marks[0].column) == (100, 100 + rows, 3)


@pytest.mark.parametrize(("share", "kinds"), [(0.998, []), (0.9995, ["saturated"]), (-1.01, ["saturated"])])
def test_a_drive_at_its_limit_is_saturated(share: float, kinds: list[str], tmp_path: Path) -> None:
    tau = np.ones((ROWS, 2))
    tau[::2] = 0.5
    tau[100, 1] = share * 20.0
    record = record_of(tmp_path, table_of(smooth(), tau))
    assert [mark.kind for mark in check_saturated(record, whole(record))] == kinds


@pytest.mark.parametrize(
    ("q", "kinds"),
    [
        (2.2 + 0.0005 * 2.8, []),
        (2.2 + 0.002 * 2.8, ["outside-stroke"]),
        (-0.6 - 0.0005 * 2.8, []),
        (-0.6 - 0.002 * 2.8, ["outside-stroke"]),
    ],
)
def test_a_thousandth_of_the_stroke_is_forgiven(q: float, kinds: list[str], tmp_path: Path) -> None:
    table = table_of(smooth())
    table[:, FIRST_DRIVE] = q + 1e-7 * np.sin(np.arange(ROWS))
    record = record_of(tmp_path, table)
    assert [mark.kind for mark in check_limits(record, whole(record))] == kinds


@pytest.mark.parametrize(("speed", "kinds"), [(22.0, []), (23.5, ["overspeed"]), (-23.5, ["overspeed"])])
def test_half_more_than_the_speed_limit_is_not_believed(speed: float, kinds: list[str], tmp_path: Path) -> None:
    """The limit is 15 rad/s; the drive also creeps, so that its smallest step says nothing of an encoder's counts."""
    table = table_of(smooth())
    t = table[:, 0]
    table[:, FIRST_DRIVE] = 0.8 + 1e-6 * np.sin(9 * t) + np.clip(speed * (t - 0.2), -0.1, 0.1)
    record = record_of(tmp_path, table)
    marks = list(check_limits(record, whole(record)))
    assert [mark.kind for mark in marks] == kinds


@pytest.mark.parametrize(
    ("periods", "kind"),
    [
        (-3.0, "backwards-time"),
        (0.0, "repeated-time"),
        (0.85, "uneven-time"),
        (0.95, None),
        (1.05, None),
        (1.4, "uneven-time"),
        (1.6, "gap"),
        (996.0, "gap"),
        (1004.0, "clock-jump"),
    ],
)
def test_steps_of_time_are_called_by_their_length(periods: float, kind: str | None, tmp_path: Path) -> None:
    table = table_of(smooth())
    table[200:, 0] += (periods - 1) * PERIOD
    record = record_of(tmp_path, table)
    marks = [(mark.kind, mark.first, mark.stop, mark.column) for mark in check_time(record, whole(record))]
    assert marks == ([] if kind is None else [(kind, 200, 201 if kind == "repeated-time" else 200, 0)])


def test_the_way_of_others_is_their_pace_times_the_usual_step(tmp_path: Path) -> None:
    """While the first drive stands for 21 rows, the second goes at half its pace: ten and a half usual steps."""
    steps = np.tile([2e-4, 1e-4], (ROWS, 1))
    steps[500:521] = [0.0, 0.5e-4]
    record = record_of(tmp_path, table_of(0.5 + np.cumsum(steps, axis=0)))
    mark = Mark("stuck-encoder", 500, 521, FIRST_DRIVE, 0.0, "")
    usual = record.usual_step[record.q]
    assert usual == pytest.approx([2e-4, 1e-4], rel=0.02)
    assert _way_of_others(record, mark) == pytest.approx(21 * 0.5e-4 / usual[1] * usual[0])
    assert _pace_beside(record, mark) == pytest.approx(2e-4)
    at_the_end = Mark("stuck-encoder", ROWS - 30, ROWS, FIRST_DRIVE + 1, 0.0, "")
    assert _way_of_others(record, at_the_end) == pytest.approx(30 * 2e-4 / usual[0] * usual[1])


def test_speed_is_looked_at_from_the_second_row_on(tmp_path: Path) -> None:
    table = table_of(smooth())
    t = table[:, 0]
    table[:, FIRST_DRIVE] = 0.8 + 1e-6 * np.sin(9 * t) + np.minimum(30.0 * t, 0.3)
    record = record_of(tmp_path, table)
    (mark,) = check_limits(record, whole(record))
    assert (mark.kind, mark.first, mark.stop) == ("overspeed", 1, 10)
    assert "30 rad/s is beyond the speed limit of 15 rad/s" in mark.message
