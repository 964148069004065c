"""What the studies of [Abdellatif2005] and [Vivas2003] build for themselves: laws, models and machines."""

from __future__ import annotations

import numpy as np
import pytest

import parakin as pk
from parakin import control, simulation, trajectory
from parakin.simulation.linear import linear_loop
from parakin.studies.abdellatif.constant import constant_decoupling
from parakin.studies.abdellatif.machines import GEOMETRIES, Proportions, machine
from parakin.studies.abdellatif.tracking import coupling
from parakin.studies.vivas.flexible import elastic
from parakin.studies.vivas.identifying import HALF_WINDOW, states_of
from parakin.studies.vivas.machine import CELL, PARTS, controller_model, main_signs, mismatched, parts_of, plant

EXACT = 1e-9
STIFF = 1e5
"""Frequency of an elastic mode far above everything that a law of 1 kHz can see [Hz]."""


@pytest.fixture(scope="module")
def h4() -> pk.Robot:
    return plant()


def test_the_controllers_model_is_the_nacelle_formulation(h4: pk.Robot) -> None:
    """Eq. (13) twice: as a robot without rods and friction, and as a formulation of the whole robot."""
    model = controller_model()
    state = h4.sample(20), np.zeros((20, 4)), np.random.default_rng(0).normal(size=(20, 4))
    want = h4.inverse_dynamics(*state, formulation="nacelle")
    assert model.inverse_dynamics(*state) == pytest.approx(want, rel=EXACT, abs=EXACT)


def test_every_parameter_but_friction_belongs_to_table_1(h4: pk.Robot) -> None:
    owner = parts_of(h4)
    assert set(owner.tolist()) == set(range(-1, len(PARTS)))
    plants = mismatched(h4, main_signs(), inverse=True)
    assert plants.shape == (8, len(h4.parameters))
    ratio = plants[0][owner >= 0] / np.where(h4.parameters == 0, 1, h4.parameters)[owner >= 0]
    assert set(ratio.round(12).tolist()) <= {0.0, 2.0}
    assert (plants[:, owner < 0] == h4.parameters[owner < 0]).all()


@pytest.mark.parametrize("name", ["computed_torque", "predictive_functional"])
def test_stiff_drives_have_the_margin_of_rigid_ones(name: str, h4: pk.Robot) -> None:
    law = control.law(name, h4)
    stiff = linear_loop(h4, law, elastic(CELL, STIFF))
    rigid = linear_loop(h4, law, CELL)
    for gain in (1.0, 4.0):
        assert stiff.radius(gain=gain) == pytest.approx(rigid.radius(gain=gain), abs=1e-4)


def test_states_of_a_log_are_those_of_the_robot(h4: pk.Robot) -> None:
    """Noiseless encoders: central differences see what the plant did."""
    law = control.law("computed_torque", h4)
    followed = control.reference(h4, trajectory.lift(h4), law.period)
    log = simulation.simulate(h4, law, followed)
    states = states_of(h4, log)
    rows = np.searchsorted(log.t, states.t - 1e-9)
    assert rows[0] == HALF_WINDOW
    assert states.pose == pytest.approx(log["pose"][rows], abs=1e-5)
    assert states.velocity == pytest.approx(log["velocity"][rows], abs=5e-3)


def test_a_constant_mass_matrix_decouples_as_the_varying_one_at_home() -> None:
    robot = pk.load("planar_3rpr")
    varying = control.law("decoupling", robot, 1e-3)
    laws = constant_decoupling(varying), varying
    followed = control.hold(robot, robot.home, 0.05, 1e-3)
    lower, upper = robot.box
    begin = simulation.Scenario(pose=robot.home + 0.01 * (upper - lower))
    one, other = (simulation.simulate(robot, law, followed, begin)["tau"] for law in laws)
    assert one == pytest.approx(other, rel=EXACT, abs=EXACT)


def test_machines_of_other_proportions_are_coupled_differently_and_stand_alike() -> None:
    robots = {name: machine(proportions) for name, proportions in GEOMETRIES.items()}
    assert GEOMETRIES["as assumed"] == Proportions()
    at_home = [robot.inverse_kinematics(robot.home) for robot in robots.values()]
    for q in at_home:
        assert q == pytest.approx(at_home[0], abs=1e-9)
    couplings = {name: coupling(robot) for name, robot in robots.items()}
    assert min(couplings.values()) > 1.0
    assert couplings["narrow and tall"] > couplings["as assumed"] > couplings["wide and low"]
