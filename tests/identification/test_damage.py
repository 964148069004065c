"""Bad logs: a table of kinds of damage, each met with its own message."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import parakin as pk
from parakin.arrays import Array
from parakin.errors import BadLogError, UnknownNameError
from parakin.identification.damage.kinds import KINDS
from parakin.identification.logs.log_source import open_log
from parakin.identification.preparation import Preparation, Prepared, prepare
from parakin.simulation import Log, write_log
from parakin.tables import write_table
from tests.logs import PERIOD, simulated

Harm = Callable[[Log, Array], None]
"""Changes a copy of the table of a log."""


@pytest.fixture(scope="module")
def robots() -> dict[str, pk.Robot]:
    return {name: pk.load(name) for name in ("five_bar", "delta", "palida", "planar_3rpr")}


def at(log: Log, name: str) -> int:
    return [column.name for column in log.columns].index(name)


def of(log: Log, quantity: str) -> list[int]:
    return [k for k, column in enumerate(log.columns) if column.quantity == quantity]


def put(name: str, rows: slice | int, value: float) -> Harm:
    def harm(log: Log, table: Array) -> None:
        table[rows, at(log, name)] = value

    return harm


def add(name: str, rows: slice | int, value: float) -> Harm:
    def harm(log: Log, table: Array) -> None:
        table[rows, at(log, name)] += value

    return harm


def times(quantity: str, factor: float) -> Harm:
    def harm(log: Log, table: Array) -> None:
        table[:, of(log, quantity)] *= factor

    return harm


def turn(name: str) -> Harm:
    def harm(log: Log, table: Array) -> None:
        table[:, at(log, name)] *= -1

    return harm


def swap(a: str, b: str) -> Harm:
    def harm(log: Log, table: Array) -> None:
        table[:, [at(log, a), at(log, b)]] = table[:, [at(log, b), at(log, a)]]

    return harm


def copy(a: str, b: str) -> Harm:
    def harm(log: Log, table: Array) -> None:
        table[:, at(log, b)] = table[:, at(log, a)]

    return harm


def clip(name: str, share: float) -> Harm:
    def harm(log: Log, table: Array) -> None:
        column = table[:, at(log, name)]
        np.clip(column, None, share * column.max(), out=column)

    return harm


def late(rows: int) -> Harm:
    def harm(log: Log, table: Array) -> None:
        forces = of(log, "tau")
        table[:, forces] = np.roll(table[:, forces], rows, axis=0)

    return harm


def hold(name: str, rows: slice) -> Harm:
    def harm(log: Log, table: Array) -> None:
        table[rows, at(log, name)] = table[rows.start, at(log, name)]

    return harm


def rounded(quantity: str, step: float) -> Harm:
    def harm(log: Log, table: Array) -> None:
        table[:, of(log, quantity)] = step * np.round(table[:, of(log, quantity)] / step)

    return harm


def shaken(_: Log, table: Array) -> None:
    table[:, 0] += 0.3 * PERIOD * np.random.default_rng(0).uniform(-1, 1, len(table))


def resting(log: Log, table: Array) -> None:
    for quantity in ("measured_q", "tau"):
        table[:, of(log, quantity)] = table[0, of(log, quantity)]


def moved(log: Log, table: Array) -> None:
    table[:, of(log, "measured_q")] += 2.0


def bump(quantity: str, size: float, rows: slice) -> Harm:
    """A smooth way there and back."""

    def harm(log: Log, table: Array) -> None:
        count = rows.stop - rows.start
        table[rows, of(log, quantity)] += size * np.sin(np.pi * np.arange(count) / count)[:, None] ** 4

    return harm


def through_singularity(log: Log, table: Array) -> None:
    """The platform goes where no drive holds it, and beyond; its actuators are logged all the way."""
    pose = log["pose"].copy()
    pose[1000:2000, 0] += 1.2 * np.sin(np.pi * np.arange(1000) / 1000) ** 4
    table[:, of(log, "measured_q")] = pk.load(PLANAR).inverse_kinematics(pose)


Q, F = "measured_q.side1.arm", "tau.side1.arm"
STRUT = "measured_q.right1.strut"
FIVE, DELTA, HEXAPOD = "five_bar", "delta", "palida"
PLANAR = "planar_3rpr"

CUT: dict[str, tuple[str, str, Harm, str]] = {
    "no number": ("nan", FIVE, put(F, slice(1500, 1504), np.nan), r"from 3 to 3.003 s, column 'tau.side1.arm .*NaN"),
    "infinite": ("infinite", FIVE, put(F, 1500, np.inf), r"at 3 s, column 'tau.side1.arm .*infinite"),
    "gap": ("gap", FIVE, add("t", slice(1500, None), 0.02), r"at 3.02 s, column 't .*20 rows are missing"),
    "clock set": ("clock-jump", FIVE, add("t", slice(1500, None), 60.0), r"at 63 s.*the clock jumps by 60.001 s"),
    "clock back": ("backwards-time", FIVE, add("t", slice(1500, None), -1.0), r"at 2 s.*goes back by 0.999 s"),
    "time twice": ("repeated-time", FIVE, add("t", slice(1500, None), -PERIOD), r"at 2.999 s.*stands there twice"),
    "uneven step": ("uneven-time", FIVE, add("t", 1500, 0.3 * PERIOD), r"at 3.0003 s.*must come at equal steps"),
    "counts lost": ("encoder-jump", FIVE, add(Q, slice(1500, None), 0.01), r"from 3 to 4.499 s.*counts were lost"),
    "jump, back": ("encoder-jump", FIVE, add(Q, slice(1500, 1600), -0.01), r"to 3.099 s.* rad, and later back"),
    "spike": (
        "encoder-spike",
        FIVE,
        add(Q, 1500, 0.01),
        r"at 3 s, column 'measured_q.side1.*one row is off by 0.01 rad",
    ),
    "stuck": ("stuck-encoder", FIVE, hold(Q, slice(1500, 1800)), r"from 3.001 to 3.299 s.*stands to the last digit"),
    "all it has": ("saturated", FIVE, put(F, slice(1500, 1550), 20.0), r"from 3 to 3.049 s.*all it has, 20 N m"),
    "clipped": ("saturated", FIVE, clip(F, 0.8), r"column 'tau.side1.arm .*flat at its extreme"),
    "stroke": (
        "outside-stroke",
        HEXAPOD,
        bump("measured_q", 0.4, slice(1000, 2000)),
        r"beyond the stroke of 0 to 0.65 m",
    ),
    "overspeed": ("overspeed", FIVE, bump("measured_q", 0.5, slice(1500, 1530)), r"beyond the speed limit of 15 rad/s"),
    "workspace": ("outside-workspace", HEXAPOD, add(STRUT, slice(1000, 2000), 0.4), r"no pose has these positions"),
    "singular": ("singular", PLANAR, through_singularity, r"at a singularity, or on its other side"),
}
"""Damage at some rows: its kind, the robot, how it is done, and what is said."""

WHOLE: dict[str, tuple[str, str, Harm, str]] = {
    "milliseconds": ("time-unit", FIVE, times("t", 1e3), r"column 't \[s\]': rows 1 s apart: is the column in ms"),
    "degrees": ("angle-unit", DELTA, times("measured_q", 180 / np.pi), r"they fit as degrees: give the unit deg"),
    "millimetres": ("length-unit", HEXAPOD, times("measured_q", 1e3), r"they fit as millimetres: give the unit mm"),
    "metres": ("length-unit", HEXAPOD, times("measured_q", 1e-3), r"are they in m, not mm"),
    "sign": ("position-sign", HEXAPOD, turn(STRUT), r"right1.strut .*they fit with this sign turned"),
    "all signs": ("position-sign", HEXAPOD, times("measured_q", -1.0), r"they fit with all signs turned"),
    "swapped": (
        "swapped-forces",
        DELTA,
        swap("measured_q.leg1.arm", "measured_q.leg2.arm"),
        r"leg1.arm .* and .*leg2.arm",
    ),
    "other robot": (
        "wrong-robot",
        FIVE,
        moved,
        r"100 % of the positions have no pose, and no usual mistake explains it",
    ),
    "dead encoder": ("dead-position", FIVE, hold(Q, slice(0, None)), r"side1.arm .*the encoder is dead or not logged"),
    "no force": ("constant-force", FIVE, put(F, slice(None), 0.0), r"side1.arm .*no force was logged"),
    "copied": ("equal-columns", FIVE, copy(F, "tau.side2.arm"), r"side2.arm .*same numbers as 'tau.side1.arm"),
    "at rest": ("no-motion", FIVE, resting, r"no actuator moves: nothing to learn"),
    "coarse": ("coarse-encoder", FIVE, rounded("measured_q", 0.05), r"its smallest step is 0.05"),
    "thousandfold": ("force-unit", FIVE, times("tau", 1e3), r"column 'tau.side1.arm .*its drive gives at most 20 N m"),
    "thousandth": ("force-unit", FIVE, times("tau", 1e-3), r"forces are 0.001 times those of the robot file"),
    "radians": ("angle-unit", DELTA, times("measured_q", np.pi / 180), r"no pose|are they in rad, not deg"),
    "force turned": ("force-sign", FIVE, turn(F), r"column 'tau.side1.arm .*runs against the force"),
    "force late": ("delayed-force", FIVE, late(20), r"forces come about 0.02 s late"),
    "uneven": ("uneven-time", FIVE, shaken, r"must come at equal steps"),
}
"""Damage to the whole of a log."""


def harmed(folder: Path, name: str, harm: Harm) -> Path:
    log = simulated(name)
    table = log.table.copy()
    harm(log, table)
    return write_log(folder / "log.npz", replace(log, table=table))


def prepared(robot: pk.Robot, path: Path, **options: object) -> Prepared:
    return prepare(robot, open_log(robot, path), Preparation(**options))  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("name", [FIVE, DELTA, HEXAPOD])
def test_a_sound_log_has_no_damage(robots: dict[str, pk.Robot], name: str, tmp_path: Path) -> None:
    found = prepared(robots[name], harmed(tmp_path, name, put("status", 0, 0.0)))
    assert found.report.damage == ()
    assert len(found.report.stretches) == 1


@pytest.mark.parametrize("case", CUT)
def test_damage_is_refused_or_cut(robots: dict[str, pk.Robot], case: str, tmp_path: Path) -> None:
    kind, name, harm, message = CUT[case]
    path = harmed(tmp_path, name, harm)
    with pytest.raises(BadLogError, match=f"{kind}: .*{message}") as refused:
        prepared(robots[name], path)
    assert 'cut what is damaged (--damage cut, in Python policy="cut")' in str(refused.value)
    cut = prepared(robots[name], path, policy="cut", accept=frozenset({"delayed-force"}))
    found = [damage for damage in cut.report.damage if damage.kind == kind]
    assert found
    assert cut.report.states < 3000 - 2 * cut.report.dropped
    for states in cut:
        for damage in found:
            if damage.start is not None and damage.end is not None and damage.end != damage.start:
                assert not np.any((states.t > damage.start) & (states.t < damage.end))


@pytest.mark.parametrize("case", WHOLE)
def test_damage_to_the_whole_is_refused_even_with_cuts(robots: dict[str, pk.Robot], case: str, tmp_path: Path) -> None:
    kind, name, harm, message = WHOLE[case]
    path = harmed(tmp_path, name, harm)
    with pytest.raises(BadLogError, match=f"{kind}: .*{message}"):
        prepared(robots[name], path)
    with pytest.raises(BadLogError, match="this cannot be cut"):
        prepared(robots[name], path, policy="cut")


def test_exchanged_rails_are_named(tmp_path: Path) -> None:
    """Where rails differ, hardly a row has a pose until they are put back."""
    robot = pk.load("hexaglide")
    t = np.arange(1000) * np.float64(PERIOD)
    pose = np.tile(robot.home, (1000, 1))
    pose[:, :3] += 0.05 * np.sin(np.outer(t, [6.0, 7.0, 8.0]))
    names = ["t [s]", *(f"q.{name} [m]" for name in robot.actuator_names)]
    names += [f"tau.{name} [N]" for name in robot.actuator_names]
    table = np.column_stack([t, robot.inverse_kinematics(pose), np.sin(np.outer(t, np.arange(1, 7)))]).astype(
        np.float64
    )
    table[:, [1, 3]] = table[:, [3, 1]]
    path = write_table(tmp_path / "log.npz", names, table)
    with pytest.raises(BadLogError, match=r"swapped-positions: column 'q.front_left.* and q.rear_left.*exchanged"):
        prepared(robot, path)


def test_a_measured_pose_that_is_not_the_actuators(robots: dict[str, pk.Robot], tmp_path: Path) -> None:
    path = harmed(tmp_path, FIVE, add("pose.x", slice(1500, 1600), 0.1))
    source = open_log(robots[FIVE], path, pose=True)
    with pytest.raises(
        BadLogError, match=r"pose-mismatch: from 3 to 3.099 s, column 'pose.x .*measured 0.1 m from where"
    ):
        prepare(robots[FIVE], source)


def test_a_kind_that_is_accepted_stays_in(robots: dict[str, pk.Robot], tmp_path: Path) -> None:
    path = harmed(tmp_path, FIVE, CUT["all it has"][2])
    kept = prepared(robots[FIVE], path, accept=frozenset({"saturated"}))
    assert [damage.kind for damage in kept.report.damage] == ["saturated"]
    assert len(kept.stretches) == 1
    with pytest.raises(UnknownNameError, match="no kind of damage to accept 'nan'; choose one of gap, "):
        Preparation(accept=frozenset({"nan"}))


def test_two_saturated_rows_are_left_out_and_told(robots: dict[str, pk.Robot], tmp_path: Path) -> None:
    path = harmed(tmp_path, FIVE, put(F, slice(1500, 1502), 20.0))
    cut = prepared(robots[FIVE], path)
    assert [damage.kind for damage in cut.report.damage] == ["saturated"]
    assert "2 of 3000 rows are saturated and left out" in str(cut.report)
    assert len(cut.stretches) == 2
    assert all(np.abs(states.tau).max() < 20.0 for states in cut)


def test_a_column_without_any_number(robots: dict[str, pk.Robot], tmp_path: Path) -> None:
    path = harmed(tmp_path, FIVE, put(F, slice(None), np.nan))
    with pytest.raises(BadLogError, match=r"nan: from 1.5 to 4.499 s, column 'tau.side1.arm"):
        prepared(robots[FIVE], path)
    with pytest.raises(BadLogError, match="too-short: the longest sound stretch has 0 rows"):
        prepared(robots[FIVE], path, policy="cut")


def test_every_kind_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "identification.md").read_text()
    assert [kind for kind in KINDS if f"`{kind}`" not in page] == []
    assert len(KINDS) >= 30


# Standstill ----------------------------------------------------------------------------------------------------------


def standing(start: int, stop: int, log: Log) -> Array:
    """Positions of a drive that friction holds for some rows: it comes to rest gently and starts gently."""
    q = log[Q].copy()
    slowly = np.arange(200) / 200
    way = np.concatenate([np.ones(start - 200), 1 - slowly, np.zeros(stop - start), slowly])
    pace = np.diff(q, prepend=q[0]) * np.concatenate([way, np.ones(len(q) - len(way))])
    return q[0] + np.round(np.cumsum(pace) * 2**20) / 2**20


@pytest.mark.parametrize("rows", [60, 200, 400])
def test_a_drive_held_by_friction_is_no_stuck_encoder(rows: int, tmp_path: Path, robots: dict[str, pk.Robot]) -> None:
    """Friction holds one drive while the others go on; an encoder that sticks stops dead, or for too long.

    A clean log of an independent five-bar was refused, with a drive that friction held for 161 rows.
    """
    log = simulated(FIVE)
    said = []
    for change in (standing(1500, 1500 + rows, log), stopping(1500, 1500 + rows, log), standing(1500, 2500, log)):
        table = log.table.copy()
        table[:, at(log, Q)] = change
        path = write_log(tmp_path / "log.npz", Log(log.columns, table))
        try:
            prepare(robots[FIVE], open_log(robots[FIVE], path), Preparation(cutoff=40.0))
            said.append("")
        except BadLogError as error:
            said.append(str(error))
    assert ["stuck-encoder" in words for words in said] == [False, True, True]


def stopping(start: int, stop: int, log: Log) -> Array:
    """Positions of an encoder that sticks for some rows and goes on where the drive is."""
    q = log[Q].copy()
    q[start:stop] = q[start]
    return q
