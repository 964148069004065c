"""The guard: no number that a law is told makes it give a force that is not finite or beyond its limit."""

from __future__ import annotations

import numpy as np
import pytest

import parakin as pk
from parakin import control
from parakin.control import GuardCause, GuardStatus
from tests.control.fault_table import KINDS, WHEN, law_of, run, table_of

STATUS, CAUSE, BRAKE = range(3)


def check_the_table(name: str, robot: str) -> None:
    law = law_of(name, pk.load(robot))
    guard = law.guard
    assert guard is not None
    forces, states = run(table_of(law))
    assert np.isfinite(forces).all()
    assert np.isfinite(states).all()
    assert (np.abs(forces) <= np.array(guard.force)).all()
    for lane, kind in enumerate(KINDS):
        if kind.of_legs and not law.robot.place_is_pose:
            continue
        status, cause = states[:, lane, STATUS], states[:, lane, CAUSE]
        said = {tick: GuardStatus(int(status[tick])) for tick in kind.status}
        assert said == dict(kind.status), kind.name
        assert (states[:, lane, BRAKE] == (status == GuardStatus.FAULT)).all(), kind.name
        assert ((cause == 0) == (status == GuardStatus.OK)).all(), kind.name
        bad = np.flatnonzero(cause)
        assert bool(len(bad)) is bool(kind.causes), kind.name
        if len(bad):
            assert GuardCause(int(cause[bad[0]])) in kind.causes, kind.name
        assert (forces[:WHEN, lane] == forces[:WHEN, 0]).all(), kind.name
    harmless = [lane for lane, kind in enumerate(KINDS) if kind.name in ("reset without a cause", "NaN for a reset")]
    assert (forces[:, harmless] == forces[:, :1]).all()


@pytest.mark.parametrize("name", ["pid", "computed_torque"])
def test_whatever_a_law_is_told_its_forces_are_sound(name: str) -> None:
    check_the_table(name, "five_bar")


@pytest.mark.slow
@pytest.mark.parametrize("robot", ["five_bar", "h4", "four_bar"])
@pytest.mark.parametrize("name", control.LAWS)
def test_every_law_passes_the_table(name: str, robot: str) -> None:
    check_the_table(name, robot)
