"""Parts go together, under a guard, in lanes and in C."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import parakin as pk
from parakin import control, simulation
from parakin.export import export_controller
from parakin.simulation import Ending, Scenario
from tests.c_code import selftest


def dressed(law: control.Law) -> control.Law:
    """All parts at once."""
    law = control.with_shaping(law, 25.0)
    law = control.with_lead(control.with_notch(law, 120.0), 40.0, 0.2, on="feedback")
    law = control.with_standstill_friction(law, 1e-3)
    return control.with_payload_estimate(control.with_disturbance_observer(law, 20.0, delay=True))


def tuned(name: str) -> control.Law:
    law = control.law(name, pk.load("five_bar"))
    return law.with_gains(**control.gains_for(law, 60.0))


def test_c_of_a_worn_law_has_the_bits_of_the_lanes(tmp_path: Path) -> None:
    law = control.with_disturbance_observer(control.with_notch(tuned("pid"), 120.0), 20.0)
    law = control.guarded(control.with_lead(law, 40.0, 0.2, on="feedback"))
    q, draw = law.robot.inverse_kinematics(law.robot.home), np.random.default_rng(3)
    about = {"desired_q": q, "measured_q": q, "desired_pose": law.robot.home, "gains": law.gains}
    about["state"] = np.asarray(law.start(**about, holding=np.array([1.0, 0.5]))["state"]).ravel()
    samples = {"gains": np.tile(law.gains, (50, 1))}
    for name in set(law.step.name_in()) - set(samples):
        size = law.step.size1_in(name)
        samples[name] = about.get(name, 0.0) + 1e-4 * draw.normal(size=(50, size) if size > 1 else 50)
    pk.Kernel(law.step, contraction=False).to_c(tmp_path, "worn", samples=samples)
    run = selftest(tmp_path, "worn")
    assert run.returncode == 0, run.stdout


@pytest.mark.slow
def test_lanes_may_differ_in_gains_of_what_is_worn() -> None:
    law = dressed(tuned("pid"))
    robot = law.robot
    reference = control.hold(robot, robot.home, 0.2, 1e-3)
    gains = [{"notch_frequency": 60.0}, {"observer_bandwidth": 5.0}, {"lead_advance": 0.0}]
    scenarios = simulation.family(Scenario(wrench=[1.0, 0.0]), 3, gains=gains)
    many = simulation.simulate_many(robot, law, reference, scenarios, keep=(0, 1, 2))
    assert len({float(log["command"][-1, 0]) for log in many.logs.values()}) == 3
    assert all(log.status == Ending.COMPLETED for log in many.logs.values())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::parakin.errors.LoopWarning")  # all parts at once leave predictive control 0.9 ms
@pytest.mark.parametrize("name", control.LAWS)
def test_laws_wear_every_part_in_c(name: str, tmp_path: Path) -> None:
    """The guarded closed loop, replayed; a law without actuator errors wears what does not need them."""
    law = control.law(name, pk.load("five_bar"))
    if name == "computed_torque_platform":
        law = control.with_disturbance_observer(control.with_notch(law, 120.0), 20.0, delay=True)
    else:
        law = dressed(law)
    export_controller(law, tmp_path, "worn")
    run = selftest(tmp_path, "worn")
    assert run.returncode == 0, run.stdout
    assert "2000 ticks, 0 values differ" in run.stdout


@pytest.mark.slow
def test_a_mechanism_wears_them_too(tmp_path: Path) -> None:
    law = control.with_shaping(control.law("computed_torque", pk.load("four_bar")), 25.0)
    law = control.with_disturbance_observer(control.with_notch(law, 120.0), 10.0, delay=True)
    export_controller(law, tmp_path, "worn")
    run = selftest(tmp_path, "worn")
    assert run.returncode == 0, run.stdout
