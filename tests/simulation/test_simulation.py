"""The plant moves as physics says, and every scenario as if it were alone."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import parakin as pk
from parakin import control, simulation, trajectory
from parakin.cli import app
from parakin.errors import LogFileError, SimulationError, UnknownNameError
from parakin.simulation import Ending, Scenario
from tests.variants import frictionless

PERIOD = 1e-3
ENERGY = 1e-11
"""Relative to the largest kinetic energy: RK4 at 4 steps a millisecond leaves rounding, 1e-13."""
REALISTIC = Scenario(noise=1e-5, counts=2**17 / (2 * np.pi), velocity_filter=100.0, delay=True, seed=7)


@pytest.fixture(scope="module")
def h4() -> pk.Robot:
    return pk.load("h4")


@pytest.fixture(scope="module")
def lift(h4: pk.Robot) -> control.Reference:
    return control.reference(h4, trajectory.lift(h4), PERIOD, settle=0.1)


@pytest.fixture(scope="module")
def law(h4: pk.Robot) -> control.Law:
    return control.law("computed_torque", h4)


def drifting(robot: pk.Robot) -> control.Law:
    """A law that keeps the drives at the forces they held the robot with."""
    return control.law("pid", robot).with_gains(K_p=0.0, K_d=0.0, K_i=0.0)


def pushed(robot: pk.Robot, duration: float = 0.2, seed: int = 1) -> tuple[control.Reference, Scenario]:
    """Off with a velocity, for robots left to themselves."""
    velocity = 0.2 * np.random.default_rng(seed).uniform(-1, 1, robot.degrees_of_freedom)
    return control.hold(robot, robot.home, duration, PERIOD), Scenario(velocity=velocity)


# The plant -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["delta", "h4", "five_bar", "gough_stewart"])
def test_energy_is_what_the_drives_put_in(name: str) -> None:
    """Constant forces do the work tau·(q - q_0): T + U - tau·q does not change."""
    robot = frictionless(pk.load(name))
    reference, scenario = pushed(robot)
    log = simulation.simulate(robot, drifting(robot), reference, scenario)
    assert log.status == Ending.COMPLETED
    kinetic, potential = robot.energy(log["pose"], log["velocity"])
    balance = kinetic + potential - np.sum(log["tau"] * log["q"], axis=1)
    assert np.ptp(kinetic) > 0.1 * kinetic.max()
    assert np.ptp(balance) < ENERGY * kinetic.max()


@pytest.mark.parametrize("name", ["five_bar", "gough_stewart"])
def test_halving_the_step_divides_the_error_by_sixteen(name: str) -> None:
    robot = frictionless(pk.load(name))
    _, scenario = pushed(robot)
    fast = replace(scenario, velocity=4 * np.asarray(scenario.velocity))
    coarse_law = control.law("pid", robot, 0.02).with_gains(K_p=0.0, K_d=0.0, K_i=0.0)
    reference = control.hold(robot, robot.home, 0.2, 0.02)
    poses = [simulation.simulate(robot, coarse_law, reference, fast, substeps=n)["pose"][-1] for n in (2, 4, 8)]
    ratio = np.linalg.norm(poses[0] - poses[1]) / np.linalg.norm(poses[1] - poses[2])
    assert np.log2(ratio) == pytest.approx(4.0, abs=0.25)


def test_the_plant_is_the_robots_forward_dynamics(h4: pk.Robot) -> None:
    """Friction, rotors, payload, wrench and other parameters included: one short step against the acceleration."""
    parameters = h4.parameters * (1 + 0.1 * np.random.default_rng(0).uniform(-1, 1, len(h4.parameters)))
    wrench, payload = np.array([1.0, -2.0, 3.0, 0.1]), pk.Payload(mass=0.4, centre=(0.01, 0.02, 0.0))
    period = 1e-6
    _, pushing = pushed(h4)
    scenario = replace(pushing, parameters=parameters, wrench=wrench, payload=payload, smoothing=0.02)
    law = control.law("pid", h4, period).with_gains(K_p=0.0, K_d=0.0, K_i=0.0)
    log = simulation.simulate(h4, law, control.hold(h4, h4.home, 3 * period, period), scenario)
    found = np.diff(log["velocity"], axis=0)[0] / period
    kernel = h4.kernel("forward_dynamics", free=("parameters", "payload", "wrench", "smoothing"))
    middle = (log["velocity"][0] + log["velocity"][1]) / 2
    given = {"parameters": parameters, "payload": payload.about_E, "wrench": wrench, "smoothing": 0.02}
    expected = kernel(pose=log["pose"][0], velocity=middle, tau=log["tau"][0], **given)["acceleration"]
    assert found == pytest.approx(expected, rel=1e-4)


def test_quaternions_stay_of_unit_length() -> None:
    robot = frictionless(pk.load("gough_stewart"))
    reference, scenario = pushed(robot)
    log = simulation.simulate(robot, drifting(robot), reference, scenario)
    assert np.linalg.norm(log["pose"][:, 3:], axis=1) == pytest.approx(1.0, abs=1e-14)


def test_a_payload_is_felt_from_its_time_on(h4: pk.Robot) -> None:
    law = control.law("feedforward", h4)
    scenario = Scenario(payload=pk.Payload(mass=0.5), payload_time=0.05)
    log = simulation.simulate(h4, law, control.hold(h4, h4.home, 0.1, PERIOD), scenario)
    off = np.abs(log["desired_q"] - log["q"]).max(axis=1)
    assert off[: 50 + 1].max() < 1e-9
    assert off[52] > 1e-8
    assert off[-1] > 1e-4


def test_step_size_by_halving(h4: pk.Robot, law: control.Law, lift: control.Reference) -> None:
    checked = simulation.check_step_size(h4, law, lift, REALISTIC, substeps=2)
    assert 0.0 < checked.distance < 1e-6
    assert checked.q > 0.0
    assert str(checked).startswith("2 steps a tick against 4: platform ")


# Sensors and drives --------------------------------------------------------------------------------------------------


def test_encoders_count(h4: pk.Robot, law: control.Law, lift: control.Reference) -> None:
    counts = 2000.0
    log = simulation.simulate(h4, law, lift, Scenario(counts=counts, velocity_filter=np.inf))
    steps = log["measured_q"] * counts
    assert steps == pytest.approx(np.round(steps), abs=1e-9)
    assert np.abs(log["measured_q"] - log["q"]).max() <= 0.5 / counts * (1 + 1e-9)
    assert log["measured_q_dot"][1:] == pytest.approx(np.diff(log["measured_q"], axis=0) / PERIOD, abs=1e-9)


def test_rates_pass_a_first_order_filter(h4: pk.Robot, law: control.Law, lift: control.Reference) -> None:
    cutoff = 40.0
    log = simulation.simulate(h4, law, lift, Scenario(velocity_filter=cutoff))
    raw, share = np.diff(log["measured_q"], axis=0) / PERIOD, 1 - np.exp(-2 * np.pi * cutoff * PERIOD)
    seen = log["measured_q_dot"]
    assert seen[1:] == pytest.approx(seen[:-1] + share * (raw - seen[:-1]), abs=1e-10)


def test_a_delay_is_one_tick(h4: pk.Robot, law: control.Law, lift: control.Reference) -> None:
    log = simulation.simulate(h4, law, lift, Scenario(delay=True))
    assert np.array_equal(log["tau"][1:], log["command"][:-1])


# Many ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", control.LAWS)
def test_every_law_follows_a_motion(name: str, h4: pk.Robot, lift: control.Reference) -> None:
    log = simulation.simulate(h4, control.law(name, h4), lift)
    assert log.status == Ending.COMPLETED
    assert log.summary().distance_peak < 1e-3


@pytest.mark.parametrize("name", ["delta", "five_bar", "palida", "planar_3rrr"])
def test_robots_of_every_motion_follow(name: str) -> None:
    robot = pk.load(name)
    motion = trajectory.within_limits(trajectory.point_to_point(robot), robot).motion
    reference = control.reference(robot, motion, PERIOD)
    for law in ("computed_torque", "computed_torque_platform"):
        summary = simulation.simulate(robot, control.law(law, robot), reference).summary()
        assert summary.status == Ending.COMPLETED
        assert summary.distance_peak < 1e-3


def test_bits_do_not_depend_on_threads_blocks_or_neighbours(
    h4: pk.Robot, law: control.Law, lift: control.Reference
) -> None:
    scenarios = simulation.family(REALISTIC, 9)
    base = simulation.simulate_many(h4, law, lift, scenarios, keep=(4,))
    alone = simulation.simulate(h4, law, lift, replace(REALISTIC, stream=4))
    assert np.array_equal(base.logs[4].table, alone.table)
    assert base.summary[4].error_rms == pytest.approx(alone.summary().error_rms, rel=1e-12)
    for threads, block in ((1, 1024), (2, 77), (1, 1)):
        other = simulation.simulate_many(h4, law, lift, scenarios, threads=threads, block=block)
        for field in ("error_rms", "distance_peak", "force_rms", "saturation"):
            assert np.array_equal(getattr(other.summary, field), getattr(base.summary, field))


def test_families_vary_fields(h4: pk.Robot, law: control.Law, lift: control.Reference) -> None:
    payloads = [pk.Payload(mass=mass) for mass in (0.0, 0.5, 1.0)]
    gains = [{"K_p": K_p} for K_p in (5e3, 1e4, 2e4)]
    loads = simulation.simulate_many(h4, law, lift, simulation.family(Scenario(), 3, payload=payloads))
    assert (np.diff(loads.summary.distance_rms) > 0).all()
    heavy = Scenario(payload=payloads[2])
    stiff = simulation.simulate_many(h4, law, lift, simulation.family(heavy, 3, gains=gains))
    assert (np.diff(stiff.summary.distance_rms) < 0).all()
    assert "3 scenarios" in str(stiff.summary)
    assert "all completed" in str(stiff.summary)


def test_a_scenario_that_fails_stops_alone(h4: pk.Robot, law: control.Law, lift: control.Reference) -> None:
    """Thrown out of reach, and turned through a singular pose; the others keep their bits."""
    good = Scenario()
    thrown = Scenario(wrench=np.array([0.0, 0.0, -5e3, 0.0]))
    turned = Scenario(wrench=lambda t: np.outer(t > 0.3, [0.0, 0.0, 0.0, 100.0]))
    mixed = simulation.simulate_many(h4, law, lift, [good, thrown, good, turned, good], keep=(0, 1, 3))
    alone = simulation.simulate(h4, law, lift, good)
    assert mixed.summary.status[[0, 2, 4]].tolist() == [0, 0, 0]
    assert np.array_equal(mixed.logs[0].table, alone.table)
    assert mixed.summary.status[3] == Ending.SINGULAR
    for k in (1, 3):
        log, stopped = mixed.logs[k], float(mixed.summary.stopped_at[k])
        assert log.status == mixed.summary.status[k]
        after = log.t >= stopped - 1e-9
        assert 0.0 < stopped < lift.t[-1]
        assert np.isfinite(log.table).all()
        assert not log["tau"][after].any()
        assert (log["pose"][after] == log["pose"][after][0]).all()
        assert float(log.summary().stopped_at) == pytest.approx(stopped)
        assert str(log.summary()).startswith("FAILED at")


def test_a_plant_can_leave_its_reach(h4: pk.Robot, lift: control.Reference) -> None:
    """Under a law that does not care where the platform is."""
    thrown = Scenario(wrench=np.array([0.0, 0.0, -200.0, 0.0]))
    log = simulation.simulate(h4, drifting(h4), lift, thrown)
    assert log.status == Ending.UNREACHABLE
    assert np.isfinite(log.table).all()


def test_a_row_that_is_not_finite_is_told(h4: pk.Robot, law: control.Law, lift: control.Reference) -> None:
    broken = np.where(h4.parameters == 0, 0.0, np.nan)
    many = simulation.simulate_many(h4, law, lift, [Scenario(), Scenario(parameters=broken)])
    assert many.summary.status.tolist() == [Ending.COMPLETED, Ending.UNUSABLE]


# Logs ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["csv", "npz", "parquet"])
def test_logs_come_back_from_files(
    ending: str, tmp_path: Path, h4: pk.Robot, law: control.Law, lift: control.Reference
) -> None:
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    log = simulation.simulate(h4, law, lift, REALISTIC)
    back = simulation.read_log(simulation.write_log(tmp_path / f"run.{ending}", log))
    assert back.columns == log.columns
    assert np.array_equal(back.table, log.table)
    assert str(back.summary()) == str(log.summary())
    assert [path.name for path in tmp_path.iterdir()] == [f"run.{ending}"]


def test_columns_have_names_and_units(h4: pk.Robot, law: control.Law, lift: control.Reference) -> None:
    log = simulation.simulate(h4, law, lift)
    headers = [column.header for column in log.columns]
    assert "t [s]" in headers
    assert "tau.leg1.arm [N m]" in headers
    assert "pose.theta [rad]" in headers
    assert np.array_equal(log["tau"][:, 0], log["tau.leg1.arm"])
    with pytest.raises(UnknownNameError, match="no column 'torque'; choose one of t, desired_pose"):
        _ = log["torque"]


@pytest.mark.parametrize(
    ("name", "part"),
    [("pid", "state.integral.leg1.arm"), ("computed_torque", "state.pose.z"), ("predictive_functional", "state.held")],
)
def test_the_state_of_a_law_is_recorded_when_asked_for(
    name: str, part: str, h4: pk.Robot, lift: control.Reference
) -> None:
    law = control.law(name, h4)
    plain = simulation.simulate(h4, law, lift)
    log = simulation.simulate(h4, law, lift, record_state=True)
    assert np.array_equal(log.table[:, : plain.table.shape[1]], plain.table)
    assert len(log.columns) == plain.table.shape[1] + law.step.size1_in("state")
    assert part in [column.name for column in log.columns]


def test_the_recorded_state_is_what_the_tick_finds(tmp_path: Path, h4: pk.Robot, lift: control.Reference) -> None:
    """An adaptive law's parameters, by name: they begin with p_0, and the law's own step leads from row to row."""
    law = control.law("adaptive_feedforward", h4)
    log = simulation.simulate(h4, law, lift, Scenario(payload=pk.Payload(mass=0.3)), record_state=True)
    base = h4.base_parameters()
    names = [column.part for column in log.columns if column.quantity == "state"]
    assert names == [f"p.{own.name}" for own in base.representatives]
    p = log["state.p"]
    assert p[0] == pytest.approx(base.values)
    k = int(np.argmax(np.abs(np.diff(p, axis=0)).max(axis=1)))
    given = {f"desired_{what}": getattr(lift, what)[k] for what in ("q", "q_dot", "pose", "velocity", "acceleration")}
    measured = {name: log[name][k] for name in ("measured_q", "measured_q_dot")}
    following = law.step(state=p[k], gains=law.gains, **given, **measured)["next_state"]
    assert not np.array_equal(p[k + 1], p[k])
    assert p[k + 1] == pytest.approx(np.asarray(following).ravel(), rel=1e-12)
    back = simulation.read_log(simulation.write_log(tmp_path / "run.csv", log))
    assert back.columns == log.columns


def test_files_that_are_no_logs_are_refused(tmp_path: Path) -> None:
    for name, text, message in (
        ("a.csv", "t [s],q\n0.0,1.0\n", "column 'q' must read like"),
        ("b.csv", "t [s]\nzero\n", "line 2, column 't \\[s\\]': must be a number"),
        ("c.npz", "nothing", "is not an NPZ log"),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(LogFileError, match=message):
            simulation.read_log(tmp_path / name)
    with pytest.raises(LogFileError, match="cannot be read: No such file"):
        simulation.read_log(tmp_path / "missing.csv")
    with pytest.raises(UnknownNameError, match=r"no format of logs '\.xlsx'"):
        simulation.read_log(tmp_path / "log.xlsx")


def test_parquet_without_pyarrow_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, h4: pk.Robot, law: control.Law, lift: control.Reference
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    log = simulation.simulate(h4, law, lift)
    with pytest.raises(LogFileError, match=r"Parquet needs pyarrow: pip install 'parakin\[parquet\]'"):
        simulation.write_log(tmp_path / "run.parquet", log)


def test_a_plant_without_mass_stops_alike_for_any_block(
    h4: pk.Robot, law: control.Law, lift: control.Reference
) -> None:
    nothing = Scenario(parameters=0 * h4.parameters)
    for block in (7, 1024):
        found = simulation.simulate_many(h4, law, lift, [nothing], block=block).summary
        assert found.status == simulation.Ending.UNREACHABLE
        assert found.stopped_at == pytest.approx(law.period)


def test_a_run_on_numbers_that_are_not_finite_says_so(h4: pk.Robot, law: control.Law, lift: control.Reference) -> None:
    log = simulation.simulate(h4, law, lift, Scenario(velocity=[np.nan] * 4))
    assert log.status == log.summary().status == simulation.Ending.UNUSABLE


# Refusals ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scenario", "message"),
    [
        (Scenario(parameters=[1.0]), r"parameters: must have shape \(\d+,\), got \(1,\)"),
        (Scenario(wrench=[1.0]), "wrench: must have shape"),
        (Scenario(pose=[0.0, 0.0, -9.0, 0.0]), r"pose: scenario 0 cannot begin at its pose: \w+ cannot close at pose"),
    ],
)
def test_scenarios_are_checked(
    scenario: Scenario, message: str, h4: pk.Robot, law: control.Law, lift: control.Reference
) -> None:
    with pytest.raises(SimulationError, match=message):
        simulation.simulate(h4, law, lift, scenario)


def test_what_does_not_belong_together_is_refused(h4: pk.Robot, law: control.Law, lift: control.Reference) -> None:
    with pytest.raises(SimulationError, match="period: reference and law must have the same"):
        simulation.simulate(h4, control.law("pid", h4, 2e-3), lift)
    with pytest.raises(SimulationError, match="law: is for h4, whose actuators or motion differ from those of delta"):
        simulation.simulate(pk.load("delta"), law, lift)
    with pytest.raises(SimulationError, match="scenarios: at least one is needed"):
        simulation.simulate_many(h4, law, lift, [])
    with pytest.raises(SimulationError, match="gain: a scenario has no such field"):
        simulation.family(Scenario(), 1, gain=[1.0])
    with pytest.raises(SimulationError, match="seed: 2 scenarios need as many entries, got 1"):
        simulation.family(Scenario(), 2, seed=[1])


def test_the_command_writes_log_and_figure(tmp_path: Path) -> None:
    out = tmp_path / "run"
    done = CliRunner().invoke(
        app, ["simulate", "five_bar", "--controller", "feedforward", "--motion", "lift", "-o", str(out)]
    )
    assert done.exit_code == 0, done.stderr
    assert "force rms" in done.stdout
    assert len(simulation.read_log(out / "log.csv")["t"]) > 100
    assert (out / "forces.png").stat().st_size > 10_000
    refused = CliRunner().invoke(app, ["simulate", "five_bar", "--controller", "pd", "-o", str(out)])
    assert refused.exit_code == 1
    assert "no law 'pd'; choose one of" in refused.stderr


ARM, FOREARM = 0.25, 0.32
"""Lengths of the five-bar of the library, whose motors stand at x = 0.1 and -0.1 m [m]."""


def flat_five_bar(kind: str) -> np.ndarray:
    """A pose with one leg stretched but for a nanometre, or with both forearms in one line."""
    if kind == "leg":
        return np.array([0.1, 0.0]) + (ARM + FOREARM - 1e-9) * np.array([-math.sin(0.3), math.cos(0.3)])
    root, first = np.array([-0.1, 0.0]), np.array([0.1, 0.0]) + ARM * np.array([math.cos(0.9), math.sin(0.9)])
    x, y = first - root
    d = math.hypot(x, y)
    angle = math.atan2(y, x) + math.acos((ARM**2 + d**2 - (2 * FOREARM) ** 2) / (2 * ARM * d))
    second = root + ARM * np.array([math.cos(angle), math.sin(angle)])
    return (first + second) / 2


@pytest.mark.parametrize("kind", ["leg", "platform"])
def test_a_start_at_a_singular_pose_is_called_singular(kind: str) -> None:
    robot = pk.load("five_bar")
    law, still = control.law("computed_torque", robot), control.hold(robot, robot.home, 0.01, 1e-3)
    with pytest.raises(SimulationError, match=rf"scenario 1 cannot begin at its pose: .* is singular \({kind}\)"):
        simulation.simulate_many(robot, law, still, [Scenario(), Scenario(pose=flat_five_bar(kind))])
