"""Figures of merit of the machines compared."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import parakin as pk
from parakin.studies.abdellatif.costs import PRINTED_ROWS, table_rows
from parakin.studies.abdellatif.machines import GEOMETRIES, RAMPS, RULES, SETUPS
from parakin.studies.abdellatif.measuring import _centred, _inertias, correlated, pearson
from parakin.studies.abdellatif.tracking import FRICTION_OFF, INERTIA_OFF, PLANTS, Tracking, plants

NOTHING: Any = None
RAMP, RULE = RAMPS[0], RULES[0]


def tracking(inertia: list[list[float]]) -> Tracking:
    rms = {(RAMP, "feedforward"): np.array([[3.0, 8.0], [4.0, 6.0]]), (RAMP, RULE): np.array([[0.6, 5.0], [0.8, 5.0]])}
    return Tracking(NOTHING, NOTHING, np.array(inertia), 2.0, {}, rms, {}, {})


def test_variation_is_above_the_smallest_and_benefit_without_over_with() -> None:
    machine = tracking([[10.0, 4.0], [15.0, 5.0], [12.0, 4.5]])
    assert machine.variation == pytest.approx([50.0, 25.0])
    assert machine.benefit(RAMP, RULE) == pytest.approx([5.0, np.sqrt(50.0) / 5.0])


def test_ratios_have_an_interval_over_the_plants() -> None:
    ratio = tracking([[1.0, 1.0]]).ratio(RAMP, RULE, "feedforward")
    each = np.sqrt([(0.36 + 25) / (9 + 64), (0.64 + 25) / (16 + 36)])
    assert ratio.interval == pytest.approx((each.min(), each.max()))
    assert ratio.value == pytest.approx(np.sqrt((0.36 + 25 + 0.64 + 25) / (9 + 64 + 16 + 36)))


def test_plants_differ_by_no_more_than_their_shares() -> None:
    robot = pk.load("five_bar")
    drawn = plants(robot)
    assert drawn.shape == (PLANTS, len(robot.parameters))
    known = robot.parameters != 0
    off = np.abs(drawn[:, known] / robot.parameters[known] - 1)
    friction = np.array([name.endswith(("viscous", "coulomb")) for name in robot.parameter_names])[known]
    assert INERTIA_OFF / 2 < off[:, ~friction].max() <= INERTIA_OFF
    assert INERTIA_OFF < off[:, friction].max() <= FRICTION_OFF


def test_every_configuration_is_a_machine_a_rule_and_a_ramp() -> None:
    assert len(SETUPS) == len(GEOMETRIES) * len(RULES) * len(RAMPS)
    machines = {name: tracking([[1.0, 1.0], [1.6, 1.1]]) for name in GEOMETRIES}
    cases = _inertias(machines)["differs"].cases
    assert set(cases) == set(SETUPS)
    assert [number.value for (number,) in cases.values()] == pytest.approx([1 / 6] * len(SETUPS))


def test_correlations_are_within_machines_and_uncertain() -> None:
    one, two = np.array([1.0, 2.0, 3.0]), np.array([11.0, 12.0, 13.0])
    assert _centred([one, two]) == pytest.approx([-1, 0, 1, -1, 0, 1])
    assert pearson(one, -two) == pytest.approx(-1.0)
    found = correlated(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.exp([1.0, 3.0, 2.0, 5.0, 4.0]))
    assert found.value == pytest.approx(0.8)
    low, high = found.interval
    assert low < 0.5 < found.value < high


def test_the_rows_of_table_1_add_up_and_ours_are_counted_beside_them() -> None:
    totals = [
        sum(times * getattr(count, what) for times, count in PRINTED_ROWS.values())
        for what in ("additions", "multiplications")
    ]
    assert totals == [699, 761]
    ours = table_rows(pk.load("palida"))
    assert set(ours) == set(PRINTED_ROWS)
    assert ours["mass matrix of a strut"].multiplications > PRINTED_ROWS["mass matrix of a strut"][1].multiplications
    assert ours["inverse kinematics"].total < PRINTED_ROWS["inverse kinematics"][1].total
