"""Loops that are stepped in Python, where a watcher is wrong from the beginning."""

from __future__ import annotations

import numpy as np
import pytest

import parakin as pk
from parakin.errors import SimulationError
from parakin.simulation import simulate_with


class Broken:
    """A watcher that reads a number that no force can answer to, from a tick on."""

    def __init__(self, robot: pk.Robot, value: float, sound: int = 0, looks: int = 2) -> None:
        self.told = (robot.home, np.zeros(3))
        self.value, self.sound, self.looks = value, sound, looks

    def read(self) -> tuple[np.ndarray, np.ndarray]:
        self.sound -= 1
        pose, velocity = self.told
        return (pose, velocity) if self.sound >= 0 else (np.full_like(pose, self.value), velocity)

    def look(self, pose: np.ndarray, velocity: np.ndarray, tau: np.ndarray, time: float) -> None:
        del tau, time
        self.told = (pose, velocity)


def run(watcher: Broken) -> pk.simulation.Log:
    robot = pk.load("delta")
    law = pk.control.law("computed_torque_platform", robot)
    return simulate_with(robot, law, pk.control.hold(robot, robot.home, 0.01, law.period), watcher)


@pytest.mark.parametrize("value", [1e306, -1e306])
@pytest.mark.parametrize("sound", [0, 1])
def test_a_run_that_ends_early_holds_its_last_state(value: float, sound: int) -> None:
    robot = pk.load("delta")
    log = run(Broken(robot, value, sound))
    assert log.status.name != "COMPLETED"
    np.testing.assert_allclose(log["pose"], np.tile(robot.home, (len(log["pose"]), 1)), atol=1e-6)
    assert not log["tau"][sound:].any()


def test_a_watcher_that_never_looks_is_refused() -> None:
    with pytest.raises(SimulationError, match="looks: must be at least 1 in a tick, got 0"):
        run(Broken(pk.load("delta"), 0.0, looks=0))
