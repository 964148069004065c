"""Identification of mechanisms: exciting motions, logs, estimates with intervals that hold, bodies, files."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import parakin as pk
from parakin.arrays import Array
from parakin.cli import app
from parakin.errors import CapabilityError, UnsupportedRobotError
from parakin.identification import ExciteOptions, excite
from parakin.identification.fit.estimate import estimate
from parakin.identification.fit.linear import LinearModel, base_model, nacelle_model, payload_model
from parakin.identification.fit.reversals import HALF_WIDTH_CUTOFF, FrictionReversal
from parakin.identification.logs.log_source import open_log
from parakin.identification.logs.pose_tracking import PoseTracker
from parakin.identification.online.kalman import extended, random_walk
from parakin.identification.online.least_squares import online
from parakin.identification.preparation import Preparation, prepare
from parakin.identification.states import States
from parakin.mechanism import describe_mechanism, with_distances
from parakin.robot import Robot
from parakin.tables import write_table
from parakin.trajectory import Motion, point_to_point
from tests.c_code import selftest
from tests.mechanisms import described

INSIDE = (0.92, 0.98)
"""Share of true values inside 95 % intervals: the project's bar for every robot."""
NOISE = 0.02
"""Noise of measured forces, as a part of the deviation of each."""
SAME_FORCE = 1e-9
"""Two ways to a force agree to this part of the largest; base parameters are grouped to 1e-10."""
DRAWS = 60
"""Draws of noise over which intervals are put to the test."""


@cache
def mechanism_named(name: str) -> Robot:
    """A mechanism of the library, Reachy's head of the reference files, or a four-bar with a spring in its rocker."""
    if name == "reachy":
        return Robot(with_distances(described("reachy_mini", independent=False), tolerance=4e-3))
    if name != "sprung":
        return pk.load(name).graph
    tables = pk.load("four_bar").graph.graph_description.model_dump()
    for joint in tables["joints"]:
        if joint["name"] == "rocker":
            joint["freedoms"]["angle"]["spring"] = {"stiffness": 2.0, "rest": 1.2}
    return Robot(describe_mechanism(tables | {"name": "sprung"}, "sprung"))


@cache
def exciting(name: str, evaluations: int = 4) -> Motion:
    """Two periods of an exciting motion."""
    return excite(mechanism_named(name), ExciteOptions(evaluations=evaluations, periods=2)).motion


def states_of(mechanism: Robot, motion: Motion, rate: float) -> States:
    """Exact states and forces along a motion."""
    samples = motion.sampled(rate)
    near = mechanism.configurations(samples.pose)
    state = samples.pose, samples.velocity, samples.acceleration
    return States(samples.t, *state, mechanism.inverse_dynamics(*state, near=near), near)


def written_log(
    mechanism: Robot, motion: Motion, path: Path, *, rate: float = 1000.0, noise: float = 0.0, pose: bool = False
) -> Path:
    """A log of encoders and forces, as a machine would write it."""
    states = states_of(mechanism, motion, rate)
    q = mechanism.evaluate("inverse_kinematics", pose=states.pose, near=states.configuration)["q"]
    rng = np.random.default_rng(5)
    tau = states.tau + noise * states.tau.std(axis=0) * rng.normal(size=states.tau.shape)
    drives = list(zip(mechanism.actuator_names, mechanism.actuators, strict=True))
    names = ["t [s]", *(f"q.{name} [{one.units.position}]" for name, one in drives)]
    names += [f"tau.{name} [{one.units.force}]" for name, one in drives]
    parts = [states.t[:, None], q, tau]
    if pose:
        pairs = zip(mechanism.pose_names, mechanism.pose_units, strict=True)
        names, parts = [*names, *(f"pose.{name} [{unit}]" for name, unit in pairs)], [*parts, states.pose]
    return write_table(path, names, np.concatenate(parts, axis=1))


def largest(values: Array) -> float:
    return float(np.max(np.abs(values)))


@pytest.mark.parametrize("name", ["sprung", pytest.param("tripod_3rps", marks=pytest.mark.slow)])
def test_forces_are_linear_in_base_parameters_and_springs_are_known(name: str) -> None:
    mechanism = mechanism_named(name)
    model = base_model(mechanism)
    pose, velocity, acceleration = mechanism.sample_states(40, seed=3)
    tau = mechanism.inverse_dynamics(pose, velocity, acceleration)
    states = States(np.arange(40.0), pose, velocity, acceleration, tau, mechanism.configuration(pose))
    rows = model.rows(states)
    bound = SAME_FORCE * largest(tau)
    assert largest(rows[..., :-1] @ model.values - rows[..., -1]) < bound
    assert largest(model.residuals(states, model.values)) < bound
    other = 1.3 * model.values
    assert largest(model.residuals(states, other) - (rows[..., -1] - rows[..., :-1] @ other)) < bound
    Psi = mechanism.regressor(pose, velocity, acceleration)
    assert largest(Psi @ mechanism.parameters + mechanism.known_forces(pose) - tau) < bound
    assert (name == "sprung") == (largest(np.asarray(mechanism.known_forces(pose))) > 0.1)


@pytest.mark.slow
def test_a_payload_of_a_mechanism_is_estimated() -> None:
    carrying = mechanism_named("tripod_3rps").with_payload(0.8, centre=(0.01, -0.02, 0.05))
    pose, velocity, acceleration = carrying.sample_states(60)
    tau = carrying.inverse_dynamics(pose, velocity, acceleration)
    states = States(np.arange(60.0), pose, velocity, acceleration, tau, carrying.configuration(pose))
    found = pk.identification.identify_payload(carrying, [states])
    assert found.mass == pytest.approx(0.8, rel=1e-9)
    assert found.centre == pytest.approx([0.01, -0.02, 0.05], abs=1e-9)
    assert largest(payload_model(carrying).residuals(states, np.array(carrying.payload.about_E))) < 1e-9 * largest(tau)


def coverage(name: str, evaluations: int, path: Path) -> float:
    """Share of true base parameters inside their intervals, from a prepared log with noise drawn many times."""
    mechanism = mechanism_named(name)
    log = written_log(mechanism, exciting(name, evaluations), path)
    prepared = prepare(mechanism, open_log(mechanism, log), Preparation(force_delay=0.0))
    model, exact = base_model(mechanism), list(prepared)
    away = FrictionReversal(HALF_WIDTH_CUTOFF / prepared.report.cutoff.frequency)
    rng, inside = np.random.default_rng(11), list[Array]()
    for _ in range(DRAWS):
        noisy = [
            States(s.t, s.pose, s.velocity, s.acceleration, s.tau + noise, s.configuration)
            for s in exact
            for noise in [NOISE * s.tau.std(axis=0) * rng.normal(size=s.tau.shape)]
        ]
        found = estimate(model, away.away_from(model, noisy))
        known = np.isfinite(found.values)
        lower, upper = found.intervals[known].T
        inside.append((lower <= model.values[known]) & (model.values[known] <= upper))
    return float(np.mean(np.concatenate(inside)))


def test_intervals_hold_the_truth(tmp_path: Path) -> None:
    least, most = INSIDE
    assert least <= coverage("sprung", 4, tmp_path / "log.csv") <= most


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tripod_3rps", "agile_eye", "reachy", "four_bar"])
def test_intervals_of_larger_mechanisms_hold_the_truth(name: str, tmp_path: Path) -> None:
    least, most = INSIDE
    assert least <= coverage(name, 10, tmp_path / "log.csv") <= most


@pytest.mark.slow
def test_intervals_of_legs_without_a_closed_form_hold_the_truth() -> None:
    robot = pk.load("hexa_offset")
    model, moved = base_model(robot), pk.trajectory.motion("fourier", robot)
    t, rng, inside = np.arange(0.0, moved.duration, 0.01), np.random.default_rng(2), list[Array]()
    state = moved.at(t)
    tau = robot.inverse_dynamics(*state)
    found = PoseTracker(robot).track(robot.inverse_kinematics(state.pose))
    np.testing.assert_allclose(found.pose, state.pose, atol=1e-12)
    for _ in range(DRAWS):
        noisy = tau + NOISE * tau.std(axis=0) * rng.normal(size=tau.shape)
        lower, upper = estimate(model, [States(t, *state, noisy)]).intervals.T
        inside.append(((lower <= model.values) & (model.values <= upper))[np.isfinite(lower)])
    least, most = INSIDE
    assert least <= float(np.mean(np.concatenate(inside))) <= most


def test_commands_excite_and_identify_a_mechanism(tmp_path: Path) -> None:
    runner = CliRunner()
    prior, motion, file = mechanism_named("sprung"), tmp_path / "excitation.csv", tmp_path / "sprung.toml"
    file.write_text(prior.to_toml())
    said = runner.invoke(app, ["excite", str(file), "--evaluations", "2", "--periods", "2", "-o", str(motion)])
    assert said.exit_code == 0, said.output
    assert "independent coordinates" in said.output
    assert "legs move alike" not in said.output
    true = prior.with_parameters(1.1 * prior.parameters, "ten percent heavier")
    log = written_log(true, exciting("sprung"), tmp_path / "log.csv", noise=NOISE)
    out = tmp_path / "out"
    said = runner.invoke(app, ["identify", str(file), str(log), "-o", str(out), "--json"])
    assert said.exit_code == 0, said.output
    found = json.loads(said.stdout)
    assert "structured" not in found["validation"]["residual"].values()
    identified = pk.load(out / "identified.toml").graph
    state = prior.sample_states(50, seed=9)
    errors = [
        np.linalg.norm(one.inverse_dynamics(*state) - true.inverse_dynamics(*state)) for one in (prior, identified)
    ]
    assert errors[1] < 0.2 * errors[0]
    assert (out / "report.html").stat().st_size > 1000


def test_a_log_is_followed_through_more_than_a_turn() -> None:
    crank = mechanism_named("four_bar")
    turning = np.linspace(0.0, 14.0, 3000)[:, None]
    near = crank.configurations(crank.home + turning)
    q = crank.evaluate("inverse_kinematics", pose=crank.home + turning, near=near)["q"]
    tracker = PoseTracker(crank)
    parts = [tracker.track(block) for block in np.split(q, 3)]
    np.testing.assert_allclose(np.concatenate([part.pose for part in parts]), crank.home + turning, atol=1e-9)
    np.testing.assert_allclose(np.concatenate([part.configuration for part in parts]), near, atol=1e-9)


@pytest.mark.slow
def test_a_log_with_measured_poses_gives_the_same_states(tmp_path: Path) -> None:
    tricept = mechanism_named("tricept")
    motion = point_to_point(tricept, duration=2.0)
    log = written_log(tricept, motion, tmp_path / "log.csv", pose=True)
    options = Preparation(force_delay=0.0, cutoff=60.0)
    by_motors, measured = (
        next(iter(prepare(tricept, open_log(tricept, log, pose=pose), options))) for pose in (False, True)
    )
    np.testing.assert_allclose(by_motors.pose, measured.pose, atol=1e-6)
    assert by_motors.configuration is not None
    assert measured.configuration is not None
    np.testing.assert_allclose(by_motors.configuration, measured.configuration, atol=1e-5)
    np.testing.assert_allclose(by_motors.velocity, measured.velocity, atol=1e-3)


@pytest.mark.parametrize("name", ["reachy", "sprung", "tricept"])
def test_other_parameters_are_written_into_the_file(name: str, tmp_path: Path) -> None:
    mechanism = mechanism_named(name)
    p = 1.07 * mechanism.parameters
    changed = mechanism.with_parameters(p, "identified from a log")
    (tmp_path / "identified.toml").write_text(changed.to_toml())
    read = pk.load(tmp_path / "identified.toml")
    assert read.parameters == pytest.approx(p, rel=1e-9, abs=1e-15)
    assert "identified from a log" in changed.to_toml()
    assert read.parameter_names == mechanism.parameter_names


def tick_by_tick() -> tuple[LinearModel, States]:
    """The model of a mechanism with a spring, and noisy states, of one of which loops are open."""
    mechanism = mechanism_named("sprung")
    pose, velocity, acceleration = mechanism.sample_states(120, seed=1)
    tau = mechanism.inverse_dynamics(pose, velocity, acceleration)
    tau = tau + NOISE * np.random.default_rng(2).normal(size=tau.shape)
    at = np.array(mechanism.configuration(pose))
    at[40] += 0.3
    return base_model(mechanism), States(np.arange(120.0), pose, velocity, acceleration, tau, at)


def test_ticks_of_a_mechanism_give_what_the_batch_gives() -> None:
    """A state with open loops teaches nothing; least squares by numpy, and a filter without drift, know the same."""
    model, states = tick_by_tick()
    std, noise = np.abs(model.values) + 0.1, np.full(1, NOISE)
    squares = online(model)
    found = squares.over(states, noise, start=squares.start(std=std))
    assert found[40] == pytest.approx(found[39], rel=1e-12)
    rows = model.rows(states.chosen(np.arange(120) != 40)).reshape(-1, len(model.names) + 1) / NOISE
    A = np.concatenate([rows[:, :-1], np.diag(1 / std)])
    b = np.concatenate([rows[:, -1], model.values / std])
    batch = np.linalg.lstsq(A, b, rcond=None)[0]
    assert found[-1] == pytest.approx(batch, abs=1e-9 * np.abs(batch).max())
    walk = random_walk(model)
    start = {"p": model.values, "root": walk.root(std), "noise": noise, "drift": np.zeros(walk.size)}
    assert walk.run(**model.inputs_of(states), **start)["p"][-1] == pytest.approx(batch, abs=1e-9 * np.abs(batch).max())


@pytest.mark.slow
def test_ticks_of_a_mechanism_are_exported_as_c(tmp_path: Path) -> None:
    online(base_model(mechanism_named("sprung"))).to_c(tmp_path, "sprung_online")
    done = selftest(tmp_path, "sprung_online")
    assert done.returncode == 0, done.stdout


def test_what_cannot_be_identified_is_said() -> None:
    with pytest.raises(CapabilityError, match="the model 'nacelle' needs legs"):
        nacelle_model(mechanism_named("four_bar"))
    with pytest.raises(CapabilityError, match="the extended filter needs legs"):
        extended(base_model(mechanism_named("sprung")), 1e-3)
    with pytest.raises(UnsupportedRobotError, match="without legs that could be alike"):
        excite(mechanism_named("sprung"), ExciteOptions(shared=True, evaluations=1))
    with pytest.raises(UnsupportedRobotError, match="as many actuators as degrees of freedom, not 4 for 3"):
        base_model(pk.load("redundant_4rrr"))
