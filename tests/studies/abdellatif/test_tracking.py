"""Figures of merit of the machines compared."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import parakin as pk
from parakin.studies.abdellatif.measuring import _centred, _inertias, _means, _pearson
from parakin.studies.abdellatif.tracking import FRICTION_OFF, INERTIA_OFF, PLANTS, Tracking, plants
from parakin.studies.definition import Verdict

NOTHING: Any = None


def tracking(inertia: list[list[float]]) -> Tracking:
    rms = {"feedforward": np.array([[3.0, 8.0], [4.0, 6.0]]), "equal margin": np.array([[0.6, 5.0], [0.8, 5.0]])}
    return Tracking(NOTHING, NOTHING, np.array(inertia), 2.0, rms, {})


def test_variation_is_above_the_smallest_and_benefit_without_over_with() -> None:
    machine = tracking([[10.0, 4.0], [15.0, 5.0], [12.0, 4.5]])
    assert machine.variation == pytest.approx([50.0, 25.0])
    assert machine.benefit("equal margin") == pytest.approx([5.0, np.sqrt(50.0) / 5.0])
    assert machine.overall("feedforward") == pytest.approx(np.sqrt((9 + 64 + 16 + 36) / 4))


def test_plants_differ_by_no_more_than_their_shares() -> None:
    robot = pk.load("five_bar")
    drawn = plants(robot)
    assert drawn.shape == (PLANTS, len(robot.parameters))
    known = robot.parameters != 0
    off = np.abs(drawn[:, known] / robot.parameters[known] - 1)
    friction = np.array([name.endswith(("viscous", "coulomb")) for name in robot.parameter_names])[known]
    assert INERTIA_OFF / 2 < off[:, ~friction].max() <= INERTIA_OFF
    assert INERTIA_OFF < off[:, friction].max() <= FRICTION_OFF


@pytest.mark.parametrize(
    ("assumed", "other", "verdict"),
    [(1.65, 3.0, Verdict.HOLDS), (1.2, 1.5, Verdict.CONDITIONAL), (1.2, 3.0, Verdict.REFUTED)],
)
def test_about_sixty_percent_on_the_assumed_machine_on_another_or_on_none(
    assumed: float, other: float, verdict: Verdict
) -> None:
    machines = {"as assumed": tracking([[1.0, 1.0], [assumed, 1.1]]), "other": tracking([[1.0, 1.0], [other, 1.1]])}
    findings = _inertias(machines)
    assert findings["inertia"].verdict == verdict
    assert findings["differs"].verdict == Verdict.HOLDS


def test_correlations_are_within_machines() -> None:
    one, two = np.array([1.0, 2.0, 3.0]), np.array([11.0, 12.0, 13.0])
    assert _centred([one, two]) == pytest.approx([-1, 0, 1, -1, 0, 1])
    assert _means([one, two]) == pytest.approx([2.0, 12.0])
    assert _pearson(one, -two) == pytest.approx(-1.0)
