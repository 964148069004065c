"""A fingerprint is of data alone: alike in every process and whatever was computed before, and different for others."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from parakin import control, simulation
from parakin.errors import ExecutorError
from parakin.executors import OnRows, fingerprint
from tests.executors.works import polynomial
from tests.robots import robot_named

CODE = """
import parakin as pk
from parakin.executors import fingerprint
robot = pk.load("five_bar")
law = pk.control.law("computed_torque", robot)
print(fingerprint((robot, law, pk.load("four_bar"), {"b", "a", "c"}, pk.simulation.Scenario())))
"""


def test_every_process_finds_the_same() -> None:
    found = {
        subprocess.check_output([sys.executable, "-c", CODE], env=os.environ | {"PYTHONHASHSEED": seed})
        for seed in ("1", "2")
    }
    assert len(found) == 1


def test_what_was_computed_before_does_not_matter() -> None:
    robot = robot_named("five_bar")
    before = fingerprint(robot)
    robot.inverse_kinematics(robot.home)
    assert fingerprint(robot) == before
    assert fingerprint(robot.with_payload(0.1)) != before


@dataclass(frozen=True)
class Own:
    """A work of a user."""

    values: object


def plus(offset: float, value: float) -> float:
    """Add."""
    return offset + value


def different() -> list[object]:
    """Things of which no two are alike."""
    law = control.law("computed_torque", robot_named("five_bar"))
    scenario = simulation.Scenario()
    return [
        *(0, 0.0, -0.0, 1, True, None, "1", b"1", 1j, (1,), [(1,)], (1, (2,)), ((1, 2),), {1: 2}, {1, 2}, ...),
        *(np.zeros(2), np.zeros((2, 1)), np.zeros(2, np.float32), np.array([0.0, np.nan]), np.array([None, 1])),
        *(np.sin, np.cos, plus, functools.partial(plus, 1.0), functools.partial(plus, 2.0), Path("a"), Path("b")),
        *(
            lambda: 1,
            lambda: 2,
            OnRows(polynomial, np.zeros(1)),
            OnRows(polynomial, np.ones(1)),
            Own(1),
            Own(2),
            Own(Own(2)),
        ),
        *(law, law.with_gains(K_p=7.0), scenario, replace(scenario, noise=1e-6), replace(scenario, seed=1)),
        *(robot_named("five_bar"), robot_named("delta"), simulation.Ending.OPEN, slice(1, 2), range(3)),
    ]


def test_no_two_things_are_alike() -> None:
    found = [fingerprint(thing) for thing in different()]
    assert len(set(found)) == len(found)
    assert found == [fingerprint(thing) for thing in different()]


def test_what_a_function_closes_over_counts() -> None:
    def closed(offset: int) -> Callable[[], int]:
        return lambda: offset

    assert len({fingerprint(closed(k)) for k in (1, 2)}) == 2


def test_a_thing_within_itself_ends() -> None:
    ring: list[object] = [1]
    ring.append(ring)
    assert fingerprint(ring) != fingerprint([1, [1]])


def test_what_cannot_be_told_apart_is_refused(tmp_path: Path) -> None:
    with (
        open(tmp_path / "file", "w") as file,
        pytest.raises(ExecutorError, match="holds a TextIOWrapper"),
    ):
        fingerprint(Own(file))
