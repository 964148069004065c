"""Laws made of several: at a switch the force is that of the law before, and the others are ready to take over."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

import parakin as pk
from parakin import control, simulation
from parakin.errors import CExportError, ControlError, SimulationError
from parakin.export import export_controller, export_fmu
from parakin.simulation import Ending, Scenario, family
from tests.c_code import selftest

WHEN = 250
"""Tick of the switch, in the middle of the motion."""
LOADED = Scenario(switches=(1e-3 * WHEN, 0.5), payload=pk.Payload(mass=0.3))
"""A payload that no law knows of, so that every law's feedback is at work."""


@pytest.fixture(scope="module")
def robot() -> pk.Robot:
    return pk.load("five_bar")


@pytest.fixture(scope="module")
def reference(robot: pk.Robot) -> control.Reference:
    return control.reference(robot, pk.trajectory.motion("pick_and_place", robot), 1e-3, settle=0.1)


def tuned(name: str, robot: pk.Robot) -> control.Law:
    law = control.law(name, robot)
    return law.with_gains(**control.gains_for(law, 60.0))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("pid", "computed_torque"),
        pytest.param("feedforward", "predictive_functional", marks=pytest.mark.slow),
        pytest.param("adaptive", "pid", marks=pytest.mark.slow),
    ],
)
def test_the_force_does_not_jump(one: str, other: str, robot: pk.Robot, reference: control.Reference) -> None:
    """At the tick of the switch it is the force of the law before; there and back it moves as on other ticks."""
    first = tuned(one, robot)
    law = control.switched(first, tuned(other, robot))
    log = simulation.simulate(robot, law, reference, LOADED, record_state=True)
    alone = simulation.simulate(robot, first, reference, LOADED)
    assert log.status == Ending.COMPLETED
    assert log["command"][: WHEN + 1] == pytest.approx(alone["command"][: WHEN + 1], rel=1e-12)
    assert np.abs(log["command"][WHEN + 5] - alone["command"][WHEN + 5]).max() > 1e-3
    steps = np.abs(np.diff(log["command"], axis=0)).max(axis=1)
    assert max(steps[WHEN - 1], steps[499]) < 2 * np.median(steps[200:700])
    assert log["state.active"].ravel()[[WHEN, WHEN + 1, 500, 501]].tolist() == [0.0, 1.0, 1.0, 0.0]


def test_a_law_that_waits_is_ready(robot: pk.Robot) -> None:
    """The integral of a PID controller that waits is the force that holds the robot: it takes over with no bump."""
    law = control.switched(tuned("computed_torque", robot), tuned("pid", robot))
    reference = control.hold(robot, robot.home, 0.5, 1e-3)
    log = simulation.simulate(robot, law, reference, Scenario(switches=(0.3,)), record_state=True)
    assert log["state.pid_integral"][299] == pytest.approx(log["command"][298], rel=1e-12)
    assert np.abs(log["state.bump"]).max() < 1e-9


@pytest.mark.slow
def test_what_has_been_adapted_stays(robot: pk.Robot, reference: control.Reference) -> None:
    law = control.switched(tuned("adaptive", robot), tuned("pid", robot))
    log = simulation.simulate(
        robot, law, reference, Scenario(switches=(0.25,), payload=LOADED.payload), record_state=True
    )
    p = log["state.adaptive_p"]
    assert np.abs(p[WHEN] - p[0]).max() > 0.0
    assert (p[WHEN + 1 :] == p[WHEN]).all()


def test_a_number_that_names_no_law_changes_nothing(robot: pk.Robot) -> None:
    law = control.switched(tuned("pid", robot), tuned("computed_torque", robot))
    told = {name: np.zeros(law.step.size_in(name)) for name in law.step.name_in()}
    told |= {"gains": law.gains, "desired_pose": robot.home, "state": np.zeros(law.step.size1_in("state"))}
    for active in (0.0, 1.0):
        state = told["state"].ravel().copy()
        state[0] = active
        for selected in (-3.0, 2.0, 0.5, np.inf, np.nan):
            out = law.step(**(told | {"state": state, "selected": selected}))
            assert float(out["next_state"][0]) == active, selected


@pytest.mark.slow
def test_lanes_switch_each_at_its_time(robot: pk.Robot, reference: control.Reference) -> None:
    law = control.guarded(control.switched(tuned("pid", robot), tuned("computed_torque", robot)))
    scenarios = family(Scenario(), 3, switches=[(0.1,), (), (0.2, 0.3)])
    many = simulation.simulate_many(robot, law, reference, scenarios, keep=(0, 1, 2))
    alone = [simulation.simulate(robot, law, reference, one) for one in scenarios]
    for k, log in many.logs.items():
        assert np.array_equal(log["command"], alone[k]["command"])


def test_c_switches_with_the_bits_of_the_lanes(robot: pk.Robot, tmp_path: Path) -> None:
    law = control.switched(tuned("pid", robot), tuned("computed_torque", robot))
    kernel = pk.Kernel(law.step, contraction=False)
    draw = np.random.default_rng(2)
    samples = {name: 0.1 * draw.normal(size=(64, *law.step.size_in(name))).squeeze(-1) for name in law.step.name_in()}
    samples["gains"] = np.tile(law.gains, (64, 1))
    samples["state"][:, 0] = draw.integers(0, 2, 64)
    before = [part.size for part in itertools.takewhile(lambda part: part.name != "pose", law.interface.state)]
    samples["state"][:, sum(before) : sum(before) + 2] += robot.home
    samples["desired_pose"] += robot.home
    samples["selected"] = draw.integers(-1, 4, (64, 1)).astype(float).squeeze(-1)
    kernel.to_c(tmp_path, "either", samples=samples)
    run = selftest(tmp_path, "either")
    assert run.returncode == 0, run.stdout


def test_margins_are_those_of_the_first_law(robot: pk.Robot) -> None:
    first = tuned("pid", robot)
    law = control.switched(first, tuned("computed_torque", robot))
    assert simulation.margins(robot, law).delay == pytest.approx(simulation.margins(robot, first).delay, rel=1e-6)


def test_laws_that_cannot_be_one_are_refused(robot: pk.Robot, tmp_path: Path) -> None:
    pid, torque = control.law("pid", robot), control.law("computed_torque", robot)
    with pytest.raises(ControlError, match="at least two are needed, got 1"):
        control.switched(pid)
    with pytest.raises(ControlError, match="must be for the robot and the period of pid"):
        control.switched(pid, control.law("pid", robot, 2e-3))
    with pytest.raises(ControlError, match="measures pose and velocity, and pid q and q_dot: choose laws alike"):
        control.switched(pid, control.law("computed_torque_platform", robot))
    with pytest.raises(ControlError, match="is guarded: a guard comes last"):
        control.switched(pid, control.guarded(torque))
    with pytest.raises(ControlError, match="is made of several laws itself"):
        control.switched(pid, control.switched(pid, torque))
    with pytest.raises(ControlError, match="wears observer, which would not see the others' forces"):
        control.switched(pid, control.with_disturbance_observer(torque, 20.0))
    with pytest.raises(ControlError, match="fade: must be finite and > 0 s, got 0"):
        control.switched(pid, torque, fade=0.0)
    with pytest.raises(CExportError, match="is written with its guard"):
        export_controller(control.switched(pid, torque), tmp_path, guard=False)
    with pytest.raises(CExportError, match="is written with its guard"):
        export_fmu(control.switched(pid, torque), tmp_path / "either.fmu", guard=False)
    many = Scenario(switches=tuple(0.01 * k for k in range(9)))
    with pytest.raises(SimulationError, match="switches: must be at most 8 times in s"):
        simulation.simulate(robot, control.switched(pid, torque), control.hold(robot, robot.home, 0.1, 1e-3), many)
