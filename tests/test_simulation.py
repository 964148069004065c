"""The plant moves as physics says, whoever computes it beside whom."""

from __future__ import annotations

import numpy as np
import pytest

import parakin as pk
from parakin import control, simulation, trajectory
from parakin.simulation import Scenario

PERIOD = 1e-3


@pytest.fixture(scope="module")
def h4() -> pk.Robot:
    return pk.load("h4")


@pytest.fixture(scope="module")
def lift(h4: pk.Robot) -> control.Reference:
    return control.reference(h4, trajectory.lift(h4), PERIOD, settle=0.1)


@pytest.mark.parametrize("name", control.LAWS)
def test_every_law_follows_a_motion(name: str, h4: pk.Robot, lift: control.Reference) -> None:
    log = simulation.simulate(h4, control.law(name, h4), lift)
    assert log.status == simulation.Ending.COMPLETED
    assert log.summary().distance_peak < 1e-3


def test_a_scenario_is_the_same_alone_and_among_many(h4: pk.Robot, lift: control.Reference) -> None:
    law = control.law("computed_torque", h4)
    base = Scenario(noise=1e-5, counts=2**17 / (2 * np.pi), velocity_filter=100.0, delay=True, seed=7)
    many = simulation.simulate_many(h4, law, lift, simulation.family(base, 9), keep=(4,))
    alone = simulation.simulate(h4, law, lift, Scenario(**{**base.__dict__, "stream": 4}))
    assert np.array_equal(many.logs[4].table, alone.table)
    assert many.logs[4].summary().error_rms == pytest.approx(many.summary[4].error_rms, rel=1e-12)
