"""Figures of merit of the machines compared."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
import pytest

import parakin as pk
from parakin.control import reference
from parakin.dynamics.count_table import MASS_OF_PALIDA
from parakin.quaternions import rotation_matrix
from parakin.studies.abdellatif.claims import CLAIMS
from parakin.studies.abdellatif.machines import GEOMETRIES, RAMPS, RULES, SETUPS, machine
from parakin.studies.abdellatif.measuring import TWINS, _centred, _inertias, correlated, pearson
from parakin.studies.abdellatif.tracking import (
    FRICTION_OFF,
    INERTIA_OFF,
    PLANTS,
    Tracking,
    effective_inertia,
    plants,
)
from parakin.studies.abdellatif.transcribed import READINGS, palida_mass, transcribed_counts
from parakin.trajectory import circle

NOTHING: Any = None
EQUAL = 1e-9
"""Two computations of one quantity: rounding of some thousand operations."""
SAMPLED = 1e-3
"""Ranges along a circle that is sampled every 2 ms: samples are no mirror images of each other."""
RAMP, RULE = RAMPS[0], RULES[0]


def tracking(inertia: list[list[float]]) -> Tracking:
    rms = {(RAMP, "feedforward"): np.array([[3.0, 8.0], [4.0, 6.0]]), (RAMP, RULE): np.array([[0.6, 5.0], [0.8, 5.0]])}
    return Tracking(NOTHING, NOTHING, np.array(inertia), 2.0, {}, rms, {}, {})


def test_variation_is_above_the_smallest_and_benefit_without_over_with() -> None:
    tracked = tracking([[10.0, 4.0], [15.0, 5.0], [12.0, 4.5]])
    assert tracked.variation == pytest.approx([50.0, 25.0])
    assert tracked.benefit(RAMP, RULE) == pytest.approx([5.0, np.sqrt(50.0) / 5.0])


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


def test_correlations_are_within_machines() -> None:
    one, two = np.array([1.0, 2.0, 3.0]), np.array([11.0, 12.0, 13.0])
    assert _centred([one, two]) == pytest.approx([-1, 0, 1, -1, 0, 1])
    assert pearson(one, -two) == pytest.approx(-1.0)


def test_mirrored_actuators_move_alike_so_that_six_are_three() -> None:
    """Variations of inertia are equal within each pair on every machine; three pairs exclude no correlation."""
    for proportions in GEOMETRIES.values():
        robot = machine(proportions)
        inertia = effective_inertia(robot, reference(robot, circle(robot), 0.002))
        for one, other in TWINS:
            assert np.ptp(inertia[:, one]) == pytest.approx(np.ptp(inertia[:, other]), rel=SAMPLED)
    found = correlated(np.array([1.0, 1.0, 2.0, 3.0, 3.0, 2.0]), np.exp([1.0, 1.0, 2.0, 3.0, 3.0, 2.0]))
    assert found.value == pytest.approx(1.0)
    assert found.interval == (-1.0, 1.0)
    (claim,) = (claim for claim in CLAIMS if claim.key == "correlation")
    assert claim.criteria[0].met(found) is None


@pytest.mark.parametrize("reading", READINGS)
def test_eqs_5_and_7_give_the_mass_matrix(reading: str) -> None:
    robot = pk.load("palida")
    position, R = ca.SX.sym("position", 3), ca.SX.sym("R", 3, 3)
    function = ca.Function("mass", [position, R], [palida_mass(robot.description, position, R, READINGS[reading])])
    for pose in robot.sample(5):
        M = np.array(function(pose[:3], rotation_matrix(pose[3:])))
        assert pytest.approx(np.triu(robot.mass_matrix(pose)), rel=EQUAL, abs=EQUAL) == M


def test_eqs_5_and_7_take_fewer_operations_than_printed_where_terms_are_collected() -> None:
    """An independent transcription counted 394 and 444: no count of ours may be used to call Table 1 too small."""
    by_rates, by_bodies = transcribed_counts(pk.load("palida").description).values()
    assert by_rates.within(MASS_OF_PALIDA)
    assert (by_rates.additions, by_rates.multiplications) == pytest.approx((394, 444), rel=0.05)  # order of products
    assert by_rates.within(by_bodies)
    assert not by_bodies.within(MASS_OF_PALIDA)
