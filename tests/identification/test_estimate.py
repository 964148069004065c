"""Estimates: honest intervals, streams equal to batches, assessments, real bodies, payloads, and one tick at a time."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import parakin as pk
from parakin.errors import EstimationError, UnknownNameError, UnsupportedRobotError
from parakin.identification.bodies.consistent import _information, consistent  # pyright: ignore[reportPrivateUsage]
from parakin.identification.bodies.pseudo_inertia import cones, pseudo_inertia
from parakin.identification.fit import estimate as estimates
from parakin.identification.fit.essential import essential
from parakin.identification.fit.estimate import estimate
from parakin.identification.fit.linear import LinearModel, base_model, nacelle_model, payload_model
from parakin.identification.fit.moments import Cut, moments_of
from parakin.identification.fit.payload import identify_payload
from parakin.identification.fit.solution import solve
from parakin.identification.fit.triangles import triangle
from parakin.identification.identifying.whiteness import whiteness
from parakin.identification.online.least_squares import online
from parakin.identification.states import States
from parakin.robot import Robot
from parakin.trajectory import fourier
from tests.c_code import selftest
from tests.robots import robot_named

SAME = 1e-10
"""Between a stream and one QR of all rows, relative to the whole."""
RESIDUAL = 1e-12
"""Between a residual and what rows of the regressor leave, relative to the sum of their terms."""
ONLINE = 1e-9
"""Between ticks and batch, relative to the largest parameter."""
SEEDS = 40
COVERED = (0.92, 0.98)
"""Of 95 % intervals."""
CASES = {"five_bar": False, "delta": False, "h4": False, "palida": True}
"""Robot -> whether its legs share parameters."""


@functools.cache
def model(name: str, shared: bool = False) -> LinearModel:
    return base_model(robot_named(name), shared=shared)


@functools.cache
def exact(name: str, rate: float = 200.0, periods: int = 1) -> States:
    """A drawn Fourier motion with the forces of the robot's exact model."""
    robot = robot_named(name)
    s = fourier(robot, periods=periods, blend=0.0).sampled(rate)
    return States(s.t, s.pose, s.velocity, s.acceleration, robot.inverse_dynamics(s.pose, s.velocity, s.acceleration))


def noisy(states: States, level: float, seed: int = 0) -> States:
    """Each actuator with noise of its own size, the last with three times that of the first."""
    sizes = level * states.tau.std(axis=0) * np.linspace(1, 3, states.tau.shape[1])
    return replace(states, tau=states.tau + np.random.default_rng(seed).normal(size=states.tau.shape) * sizes)


def part(states: States, some: slice | np.ndarray) -> States:
    return States(*(getattr(states, name)[some] for name in ("t", "pose", "velocity", "acceleration", "tau")))


def pieces(states: States, size: int) -> Iterator[States]:
    for first in range(0, len(states), size):
        yield part(states, slice(first, first + size))


@pytest.mark.parametrize("build", [base_model, nacelle_model, payload_model])
def test_residuals_are_what_the_rows_leave(build: Callable[[Robot], LinearModel]) -> None:
    model = build(robot_named("delta").with_payload(0.3))
    pose, velocity, acceleration = model.robot.sample_states(20)
    states = States(
        np.linspace(0.0, 0.02, 20), pose, velocity, acceleration, np.random.default_rng(0).normal(size=(20, 3))
    )
    rows, p = model.rows(states), 1.1 * model.values
    size = np.abs(rows * np.append(p, 1.0)).sum(axis=-1)
    error = np.abs(model.residuals(states, p) - rows @ np.append(-p, 1.0))
    assert np.all(error <= RESIDUAL * size)


def test_95_percent_intervals_hold_the_truth_95_percent_of_the_time() -> None:
    """Of all robots together: parameters of one log are correlated, so that 40 logs of one robot scatter by 2 %."""
    inside: list[np.ndarray] = []
    for name, shared in CASES.items():
        own, states = model(name, shared), exact(name, 100.0)
        for seed in range(SEEDS):
            found = estimate(own, [noisy(states, 0.01, seed)])
            inside.append((found.intervals[:, 0] < own.values) & (own.values < found.intervals[:, 1]))
            assert not found.biased
    assert COVERED[0] < np.mean(np.concatenate(inside)) < COVERED[1]


@pytest.mark.parametrize(("name", "shared"), [("h4", False), ("palida", True)])
def test_a_stream_gives_what_one_qr_gives(name: str, shared: bool) -> None:
    own, states = model(name, shared), noisy(exact(name), 0.01)
    rows = own.rows(states).reshape(-1, len(own.names) + 1)
    sizes = np.linalg.norm(rows[:, :-1], axis=0)
    R = triangle(rows / np.append(sizes, 1.0))
    batch = np.linalg.solve(R[:-1, :-1], R[:-1, -1]) / sizes
    for size in (77, 5000):
        streamed = estimate(own, pieces(states, size), method="ordinary").solution.p
        assert np.linalg.norm((streamed - batch) * sizes) < SAME * np.linalg.norm(batch * sizes)


def test_a_stream_that_begins_at_rest_loses_nothing() -> None:
    own, states = model("delta"), noisy(exact("delta"), 0.01)
    still = replace(part(states, np.zeros(3000, int)), t=np.arange(3000) / 200)
    still = replace(still, velocity=0 * still.velocity, acceleration=0 * still.acceleration)
    both = estimate(own, [still, states], method="ordinary").solution.p
    rows = np.concatenate([own.rows(still), own.rows(states)]).reshape(-1, len(own.names) + 1)
    expected = np.linalg.lstsq(rows[:, :-1], rows[:, -1], rcond=None)[0]
    assert both == pytest.approx(expected, rel=1e-8, abs=1e-10 * np.abs(expected).max())


def test_weights_follow_the_noise_of_each_actuator() -> None:
    own, states = model("delta"), exact("delta")
    found = estimate(own, [noisy(states, 0.02)])
    assert found.noise / (0.02 * states.tau.std(axis=0) * np.linspace(1, 3, 3)) == pytest.approx(1, abs=0.1)
    plain = estimate(own, [noisy(states, 0.02)], method="ordinary")
    assert np.median(found.std / plain.std) < 0.95


def test_an_actuator_without_any_residual_does_not_outweigh_all_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its variance counts as SMALLEST_VARIANCE of the largest, and weights are 1/variance."""
    weights: list[np.ndarray] = []

    def solved(_moments: object, _start: object, given: np.ndarray) -> Any:
        weights.append(given)
        return SimpleNamespace(variances=np.array([0.0, 4.0, 1.0]))

    monkeypatch.setattr(estimates, "solve", solved)
    nothing: Any = None
    estimates._weighted(nothing, nothing, SimpleNamespace(variances=np.array([0.0, 4.0, 1.0])))  # type: ignore[arg-type]
    assert weights[0] == pytest.approx([1 / (4 * estimates.SMALLEST_VARIANCE), 0.25, 1.0])
    weights.clear()
    exact: Any = SimpleNamespace(variances=np.zeros(3))
    assert estimates._weighted(nothing, nothing, exact) is exact
    assert not weights


def test_shared_legs_need_fewer_parameters_and_know_them_better() -> None:
    states = noisy(exact("delta"), 0.02)
    free, shared = estimate(model("delta"), [states]), estimate(model("delta", True), [states])
    for k, name in enumerate(shared.names):
        if name.startswith("leg*.arm.viscous"):
            same = [j for j, other in enumerate(free.names) if other.startswith("leg1.arm.viscous")]
            assert shared.std[k] < free.std[same[0]]
    assert len(shared.names) < len(free.names)
    assert np.all(np.abs(shared.values - shared.prior) < 4 * shared.std)


def test_outliers_spoil_least_squares_and_not_huber() -> None:
    own, states = model("five_bar"), noisy(exact("five_bar"), 0.01)
    rng = np.random.default_rng(3)
    wild = np.where(rng.random(states.tau.shape) < 0.03, rng.normal(size=states.tau.shape) * 30, 0.0)
    spoilt = replace(states, tau=states.tau + wild * states.tau.std())
    plain, robust = (estimate(own, [spoilt], method=method) for method in ("weighted", "robust"))
    assert np.linalg.norm((robust.values - own.values) / plain.std) < 0.1 * np.linalg.norm(
        (plain.values - own.values) / plain.std
    )
    assert np.mean(np.abs(robust.values - own.values) < 1.96 * robust.std) > 0.8
    with pytest.raises(EstimationError, match="several times"):
        estimate(own, iter([spoilt]), method="robust")


def test_what_the_motion_does_not_show_is_said_and_not_guessed() -> None:
    own, states = model("delta"), noisy(exact("delta"), 0.01)
    still = replace(states, velocity=0 * states.velocity, acceleration=0 * states.acceleration)
    found = estimate(own, [still])
    kinds = dict(zip(found.names, found.assessments, strict=True))
    assert kinds["leg1.arm.coulomb"].reason.startswith("zero column")
    unknown = np.array([assessment.kind == "not identifiable" for assessment in found.assessments])
    assert unknown.sum() >= 12
    assert np.isnan(found.values[unknown]).all()
    assert np.isfinite(found.values[~unknown]).all()
    assert found.condition == np.inf
    with pytest.raises(EstimationError, match="22 parameters need more than 5 states"):
        estimate(own, [part(states, slice(5))])
    lone = replace(part(still, np.zeros(500, int)), t=np.arange(500) / 200)
    with pytest.raises(EstimationError, match="the data determine no parameter"):
        estimate(own, [lone])


def test_coarse_encoders_are_recognised_and_averages_help() -> None:
    """Positions rounded to 2^10 counts a turn and differentiated: estimates are wrong, and said to be."""
    robot, own = robot_named("delta"), model("delta")
    true = exact("delta", 1000.0, 2)
    count = 2 * np.pi / 2**10
    pose = robot.forward_kinematics(np.round(robot.inverse_kinematics(true.pose) / count) * count, near=true.pose)
    kernel = np.hanning(41) / np.hanning(41).sum()
    smooth = np.stack([np.convolve(x, kernel, mode="same") for x in pose.T], axis=1)
    velocity = np.gradient(smooth, 1e-3, axis=0)
    seen = replace(true, pose=smooth, velocity=velocity, acceleration=np.gradient(velocity, 1e-3, axis=0))
    seen = part(noisy(seen, 0.01), slice(100, -100))
    raw = estimate(own, [seen])
    assert "noisy" in raw.biased
    averaged = estimate(own, [seen], cut=Cut(average=0.1))
    assert np.linalg.norm((averaged.values - own.values) / raw.std) < 0.5 * np.linalg.norm(
        (raw.values - own.values) / raw.std
    )


def test_bootstrap_over_periods_agrees_with_the_covariance() -> None:
    found = estimate(model("delta", True), [noisy(exact("delta", 100.0, 30), 0.02)], cut=Cut(period=5.0))
    assert found.bootstrap is not None
    assert np.median(found.bootstrap / found.std) == pytest.approx(1, abs=0.3)


def test_essential_parameters_are_those_that_are_there() -> None:
    own = model("delta")
    found = essential(estimate(own, [noisy(exact("delta"), 0.01)]))
    zero = {k for k, value in enumerate(own.values) if value == 0.0}
    assert zero - set(found.kept) == zero & set(found.dropped)
    assert len(zero & set(found.kept)) <= 1
    assert found.rms < 1.01


def test_coloured_noise_makes_essential_parameters_less_sure() -> None:
    """Noise whose averages have four times the variance of white noise doubles every standard deviation."""
    white = replace(estimate(model("five_bar"), [noisy(exact("five_bar"), 0.01)]), colour=np.ones(2))
    coloured = replace(white, colour=np.full(2, 4.0))
    one, other = essential(white, level=1.0), essential(coloured, level=1.0)
    assert one.kept == other.kept
    assert other.std == pytest.approx(2 * one.std)


def violations(robot: pk.Robot, p: np.ndarray) -> int:
    """Bodies that cannot be, and negative friction or rotors."""
    count = sum(
        np.linalg.eigvalsh(pseudo_inertia(p[own]))[0] <= 0
        for cone in cones(robot, False)
        for own in cone.places
        if len(own) == 10
    )
    count += sum(p[own[0]] <= 0 for cone in cones(robot, False) for own in cone.places)
    scalar = [name.rpartition(".")[2] in ("rotor", "viscous", "coulomb") for name in robot.parameter_names]
    return int(count + np.sum(p[scalar] < 0))


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(level=st.floats(0.001, 30.0), seed=st.integers(0, 2**31))
def test_consistent_parameters_are_of_real_bodies_under_any_noise(level: float, seed: int) -> None:
    own = model("five_bar")
    found = consistent(estimate(own, [part(noisy(exact("five_bar"), level, seed), slice(0, None, 4))]))
    assert violations(own.robot, found.parameters) == 0
    assert pk.Robot(own.robot.with_parameters(found.parameters, "identified").description).parameters == pytest.approx(
        found.parameters, rel=1e-9, abs=1e-12
    )


def test_plain_least_squares_is_of_no_real_body() -> None:
    """With much noise some friction or moment comes out negative; the closest standard parameters keep that."""
    own = model("five_bar")
    found = estimate(own, [noisy(exact("five_bar"), 3.0, 1)])
    p = own.robot.parameters.copy()
    p[own.base.independent] += found.solution.p - own.values  # type: ignore[union-attr]
    assert violations(own.robot, p) > 0


@pytest.mark.parametrize(("name", "shared"), [("delta", True), ("h4", False), ("palida", True)])
def test_consistent_parameters_agree_with_what_was_measured(name: str, shared: bool) -> None:
    own = model(name, shared)
    found = consistent(estimate(own, [noisy(exact(name), 0.01)]))
    assert found.distance < 1
    robot = own.robot.with_parameters(found.parameters, "identified from a simulated log")
    assert bool(robot.description.symmetries) == bool(own.robot.description.symmetries)
    assert "identified from a simulated log" in robot.to_toml()
    assert own.base is not None
    assert own.base.map @ robot.parameters == pytest.approx(found.base, rel=1e-9, abs=1e-9 * np.abs(found.base).max())


@pytest.mark.parametrize("size", [1.0, 30.0])
def test_consistent_parameters_know_of_an_uncertain_delay(size: float) -> None:
    """Their weights are the inverse of the whole covariance, and what the delay may explain no longer binds them."""
    own, data = model("five_bar"), [noisy(exact("five_bar"), 0.05)]
    sure = estimate(own, data)
    direction = np.random.default_rng(4).normal(size=len(own.values)) * sure.std
    unsure = estimate(own, data, shifts=size * direction)
    assert unsure.covariance == pytest.approx(sure.covariance + size**2 * np.outer(direction, direction))
    W, measured = _information(unsure)
    _, white = _information(sure)
    alone = np.linalg.inv(_information(sure)[0].T @ _information(sure)[0])
    whole = alone + size**2 * np.outer(direction, direction)
    assert W.T @ W @ whole == pytest.approx(np.eye(len(direction)), abs=1e-6)
    assert np.linalg.solve(W, measured) == pytest.approx(np.linalg.solve(_information(sure)[0], white), rel=1e-6)
    free, bound = consistent(unsure), consistent(sure)
    way = np.linalg.solve(alone, direction)
    moved = [abs(way @ (found.base - sure.values)) / np.sqrt(way @ direction) for found in (free, bound)]
    assert moved[0] > moved[1], "towards the robot file, along what the delay may explain"


def test_only_base_parameters_have_bodies() -> None:
    found = estimate(nacelle_model(robot_named("h4")), [noisy(exact("h4"), 0.01)])
    with pytest.raises(EstimationError, match="only base parameters"):
        consistent(found)
    with pytest.raises(EstimationError, match="finite values are needed"):
        robot_named("h4").with_parameters([1.0, np.nan], "identified")


def test_table_1_of_vivas_from_a_log_of_the_simplified_h4() -> None:
    """[Vivas2003] Table 1 is what the library's H4 makes of its parameters: within 2 %."""
    robot = robot_named("h4")
    own, states = nacelle_model(robot), exact("h4")
    tau = robot.inverse_dynamics(states.pose, states.velocity, states.acceleration, formulation="nacelle")
    found = estimate(own, [noisy(replace(states, tau=tau), 0.005)])
    table = {"leg1.arm.I_mot": 0.0167, "leg2.arm.I_mot": 0.0164, "leg3.arm.I_mot": 0.0176, "leg4.arm.I_mot": 0.0234}
    table |= {"platform.M_nac": 0.984, "platform.I_bc": 0.0029}
    values = dict(zip(found.names, found.values, strict=True))
    assert {name: values[name] for name in table} == pytest.approx(table, rel=0.02)


def test_the_simplified_h4_leaves_structure_in_exact_data() -> None:
    own, states = nacelle_model(robot_named("h4")), noisy(exact("h4"), 0.005)
    found = estimate(own, [states])
    told = whiteness(own.residuals(states, found.values))
    assert told.structured.all()
    assert "structured" in str(told)
    right = model("h4")
    assert str(whiteness(right.residuals(states, estimate(right, [states]).values))) == "the residual is white"


@pytest.mark.parametrize("name", ["delta", "h4"])
def test_a_load_of_4_kg_is_found_to_1_percent(name: str) -> None:
    robot = robot_named(name)
    loaded = robot.with_payload(4.0, (0.02, 0.0, -0.05))
    s = part(exact(name), slice(0, 200))
    tau = loaded.inverse_dynamics(s.pose, s.velocity, s.acceleration)
    found = identify_payload(robot, [noisy(replace(s, tau=tau), 0.005)])
    assert found.mass == pytest.approx(4.0, rel=0.01)
    assert abs(found.mass - 4.0) < 4 * found.mass_std
    shown = {"delta": 0, "h4": 2}[
        name
    ]  # a platform that does not turn shows no centre, one that turns about z not its z
    assert found.centre[:shown] == pytest.approx([0.02, 0.0][:shown], abs=0.01)
    assert np.isnan(found.centre[shown:]).all()


def test_ticks_give_what_the_batch_gives() -> None:
    own, states = model("five_bar"), noisy(exact("five_bar"), 0.01)
    noise = np.array([0.1, 0.3])
    batch = solve(moments_of(own, [states]), own.start, 1 / noise**2)
    found = online(own).over(states, noise)
    assert found[-1] == pytest.approx(batch.p, abs=ONLINE * np.abs(batch.p).max())


def test_a_tick_out_of_reach_teaches_nothing_and_nothing_is_forgotten() -> None:
    own, states = model("five_bar"), noisy(exact("five_bar"), 0.01).chosen(slice(60))
    pose = states.pose.copy()
    pose[40] += 10.0
    filt = online(own)
    start = filt.start(std=10.0)
    found = filt.over(replace(states, pose=pose), 0.1, start=start, forgetting=0.9)
    others = np.arange(60) != 40
    without = filt.over(states.chosen(others), 0.1, start=start, forgetting=0.9)
    assert found[others] == pytest.approx(without, abs=ONLINE * np.abs(without).max())
    assert found[40] == pytest.approx(found[39], abs=ONLINE * np.abs(without).max())


def test_forgetting_follows_a_load_that_is_picked_up() -> None:
    """In two lanes at once, of which one carries a load from the middle on."""
    own, states = model("delta", True), exact("delta", 100.0, 6)
    half = len(states) // 2
    heavy = own.robot.with_payload(1.0).inverse_dynamics(states.pose, states.velocity, states.acceleration)
    tau = np.stack([states.tau, np.where(np.arange(len(states))[:, None] < half, states.tau, heavy)])
    filt, both = online(own), (2, len(states))
    rows = {
        n: np.broadcast_to(getattr(states, n), (*both, *getattr(states, n).shape[1:]))
        for n in ("pose", "velocity", "acceleration")
    }
    start = filt.start(std=10.0)
    given: dict[str, Any] = rows | {"information": start, "noise": np.full(3, 0.1), "forgetting": 0.99, "tau": tau}
    p = filt.run(**given)["p"]
    mass = next(k for k, name in enumerate(own.names) if name.startswith("platform"))
    assert p[1, half - 1, mass] == pytest.approx(p[0, half - 1, mass])
    assert p[1, -1, mass] - p[0, -1, mass] == pytest.approx(1.0, abs=0.01)


def test_ticks_are_exported_as_c(tmp_path) -> None:
    filt = online(model("five_bar", True))
    filt.to_c(tmp_path, "five_bar_online")
    done = selftest(tmp_path, "five_bar_online")
    assert done.returncode == 0, done.stdout


def test_wrong_questions_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="no method 'best'"):
        estimate(model("five_bar"), [exact("five_bar")], method="best")
    with pytest.raises(UnsupportedRobotError, match="turn about one axis"):
        nacelle_model(robot_named("hexa"))
