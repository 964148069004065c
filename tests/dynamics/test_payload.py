"""A payload is a body, and a number alone is answered by how a mass is given."""

from __future__ import annotations

import numpy as np
import pytest

import parakin as pk
from parakin import control, simulation
from parakin.errors import DataError, SimulationError

MESSAGE = r"must be a Payload, .* got 0\.3: .* Payload\(mass=0\.3\), or let robot\.with_payload\(0\.3\) carry it"


@pytest.mark.parametrize("number", [0.3, np.float64(0.3), np.array(0.3)])
def test_a_number_is_no_payload(number: float) -> None:
    robot = pk.load("delta")
    for asked in (
        lambda: robot.static_forces(robot.home, payload=number),
        lambda: robot.mass_matrix(robot.home, payload=number),
        lambda: robot.evaluate("static_forces", pose=robot.home, payload=number),
    ):
        with pytest.raises(DataError, match=MESSAGE):
            asked()


def test_a_payload_is_a_body_or_its_ten_numbers() -> None:
    robot = pk.load("delta")
    body = pk.Payload(mass=0.3)
    carried = robot.with_payload(0.3).static_forces(robot.home)
    assert robot.static_forces(robot.home, payload=body) == pytest.approx(carried)
    assert robot.static_forces(robot.home, payload=body.about_E) == pytest.approx(carried)


def test_scenarios_carry_payloads_too() -> None:
    robot = pk.load("five_bar")
    law, still = control.law("pid", robot), control.hold(robot, robot.home, 0.005, 1e-3)
    for wrong, error in ((0.3, DataError), ("heavy", SimulationError)):
        with pytest.raises(error, match=r"payload: .*must be a Payload"):
            simulation.simulate(robot, law, still, simulation.Scenario(payload=wrong))  # type: ignore[arg-type]
    log = simulation.simulate(robot, law, still, simulation.Scenario(payload=pk.Payload(mass=0.3)))
    assert log.ran == len(log)


def test_ten_numbers_of_payloads_worked_out_by_hand() -> None:
    """A point mass has m (c^2 1 - c c^T) about E, a body at E its own tensor, and both together the sum."""
    point = (2.0, 2.0, 4.0, 6.0, 26.0, -4.0, -6.0, 20.0, -12.0, 10.0)
    tensor = ((0.4, 0.01, 0.02), (0.01, 0.5, 0.03), (0.02, 0.03, 0.6))
    assert pk.Payload(mass=2.0).about_E == pytest.approx((2.0, *[0.0] * 9))
    assert pk.Payload(mass=2.0, centre=(1.0, 2.0, 3.0)).about_E == pytest.approx(point)
    both = np.add(point, (0.0, 0.0, 0.0, 0.0, 0.4, 0.01, 0.02, 0.5, 0.03, 0.6))
    assert pk.Payload(mass=2.0, centre=(1.0, 2.0, 3.0), inertia=tensor).about_E == pytest.approx(both)
