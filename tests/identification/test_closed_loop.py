"""Excite, simulate, identify: the truth lies in the intervals of mechanisms that a law moved."""

from __future__ import annotations

import numpy as np
import pytest

import parakin as pk
from tests.identification.closed_loop import ENCODERS, SPREAD, plants, prove

INSIDE = (0.92, 0.98)
"""Share of true values inside 95 % intervals: the project's bar for every robot."""
DRAWS = 6
"""Logs of each mechanism; docs/identification.md has what 40 gave."""
SURE = 3.0
"""Standard errors of the mean over logs within which the share must meet the bar."""


@pytest.mark.slow
@pytest.mark.parametrize("name", ENCODERS)
def test_truth_lies_in_the_intervals_of_simulated_logs(name: str) -> None:
    proof = prove(name, DRAWS)
    shares = proof.inside.mean(axis=1)
    error = SURE * float(np.std(shares, ddof=1)) / np.sqrt(DRAWS)
    assert INSIDE[0] - error <= proof.share <= INSIDE[1] + error
    assert proof.files >= DRAWS - 1
    assert np.count_nonzero(proof.identified) == proof.files  # a log that gives no file has nothing identified


def test_plants_have_bodies_that_can_exist() -> None:
    robot = pk.load("four_bar_leg")
    factors = plants(robot, 3, seed=0)[:, robot.parameters != 0] / robot.parameters[robot.parameters != 0]
    assert np.abs(factors - 1).max() < SPREAD
    owners = [p.owner for p in robot.parameter_table if p.value and p.quantity.name in {"M", "MX", "IYY"}]
    alike = plants(robot, 3, seed=0)[:, [k for k, p in enumerate(robot.parameter_table) if p.owner == owners[0]]]
    own = robot.parameters[[k for k, p in enumerate(robot.parameter_table) if p.owner == owners[0]]]
    ratios = alike[:, own != 0] / own[own != 0]
    np.testing.assert_allclose(ratios, ratios[:, :1] * np.ones_like(ratios), rtol=1e-12)
