"""Mechanisms and legs without a closed form in closed loops: energy, constraints, other engines, the same as legs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import parakin as pk
from parakin import control, simulation, trajectory
from parakin.control.references import QUANTITIES
from parakin.errors import MotionError, SimulationError, UnsupportedRobotError
from parakin.robot import Robot
from parakin.simulation import Ending, Scenario
from parakin.trajectory import State
from tests.mechanisms import described, reachy
from tests.simulation.foreign_mechanism import ForeignPlant

PERIOD = 1e-3
SMALL_AND_LARGE = ["four_bar", *(pytest.param(name, marks=pytest.mark.slow) for name in ("3rps", "agile_eye"))]
CLOSED = 1e-12
"""How far loops may be open [m, rad], summed over all rows: the issue's own figure."""
SEEN_CLOSED = 1e-10
"""How far loops may be open at the place that a law sees after one Newton step: the square of how far its prediction is
off, 4.5e-6 m in this motion, over a length of the mechanism."""
ENERGY = 1e-9
"""Part of the kinetic energy that 0.2 s of RK4 at 4 kHz may lose."""
SAME = 1e-9
"""Difference of a robot of legs and its graph [m, rad], the issue's own figure; of forces, beside the largest."""


def oracle(name: str) -> Robot:
    return reachy() if name == "reachy_mini" else Robot(described(name))


def drifting(robot: pk.Robot, period: float = PERIOD) -> control.Law:
    """A law that keeps the drives at the forces they held the robot with."""
    return control.law("pid", robot, period).with_gains(K_p=0.0, K_d=0.0, K_i=0.0)


def pushed(robot: pk.Robot, speed: float = 0.2) -> Scenario:
    return Scenario(velocity=speed * np.random.default_rng(1).uniform(-1, 1, robot.degrees_of_freedom))


@pytest.fixture(scope="module")
def rps() -> pk.Robot:
    return pk.load("tripod_3rps")


@pytest.fixture(scope="module")
def bar() -> pk.Robot:
    return pk.load("four_bar")


# The plant -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SMALL_AND_LARGE)
def test_energy_is_what_the_motors_put_in(name: str) -> None:
    robot = oracle(name)
    log = simulation.simulate(robot, drifting(robot), control.hold(robot, robot.home, 0.2, PERIOD), pushed(robot, 0.5))
    assert log.status == Ending.COMPLETED
    kinetic, potential = robot.energy(log["pose"], log["velocity"])
    balance = kinetic + potential - np.sum(log["tau"] * log["q"], axis=1)
    assert np.ptp(kinetic) > 0.05 * kinetic.max()
    assert np.ptp(balance) < ENERGY * kinetic.max()


@pytest.mark.parametrize("name", SMALL_AND_LARGE)
def test_halving_the_step_divides_the_error_by_sixteen(name: str) -> None:
    robot = oracle(name)
    law, hold = drifting(robot, 0.02), control.hold(robot, robot.home, 0.2, 0.02)
    poses = [simulation.simulate(robot, law, hold, pushed(robot, 1.0), substeps=n)["pose"][-1] for n in (2, 4, 8)]
    ratio = np.linalg.norm(poses[0] - poses[1]) / np.linalg.norm(poses[1] - poses[2])
    assert np.log2(ratio) == pytest.approx(4.0, abs=0.35)


@pytest.mark.slow
def test_loops_stay_closed(rps: pk.Robot) -> None:
    law = control.law("computed_torque", rps)
    log = simulation.simulate(rps, law, control.reference(rps, trajectory.fourier(rps), PERIOD), record_state=True)
    assert log.status == Ending.COMPLETED
    assert log["residual"].max() < CLOSED
    assert log["state.residual"].max() < SEEN_CLOSED


@pytest.mark.slow
@pytest.mark.parametrize("name", ["3rps", "agile_eye", "reachy_mini"])
def test_loops_stay_closed_for_a_minute(name: str) -> None:
    robot = oracle(name)
    law = control.law("computed_torque", robot)
    motion = trajectory.fourier(robot, periods=12)
    assert motion.duration > 60.0
    log = simulation.simulate(robot, law, control.reference(robot, motion, PERIOD))
    assert log.status == Ending.COMPLETED
    assert log["residual"].max() < CLOSED


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::parakin.errors.LoopWarning")  # nothing holds it
def test_a_plant_that_is_pushed_through_a_singularity_stops(rps: pk.Robot) -> None:
    wrench = [0.0, 0.0, -3e4, 0.0, 0.0, 0.0]
    log = simulation.simulate(rps, drifting(rps), control.hold(rps, rps.home, 0.3, PERIOD), Scenario(wrench=wrench))
    assert log.status in (Ending.SINGULAR, Ending.OPEN)
    assert 0 < log.ran < len(log)
    assert np.isfinite(log.table).all()


# The same as legs ----------------------------------------------------------------------------------------------------


def by_motors(legs: pk.Robot, graph: pk.Robot, reference: control.Reference) -> control.Reference:
    """Set points of legs as those of their graph, whose pose are coordinates of its motors."""
    sign, zero = (np.array([getattr(one, what) for one in graph.actuators]) for what in ("sign", "zero"))
    state = State(zero + sign * reference.q, sign * reference.q_dot, sign * reference.q_ddot)
    assert graph.pose_names == graph.actuator_names
    assert len(graph.pose_names) == legs.degrees_of_freedom
    return control.reference_of_states(graph, state, reference.period)


def like(law: control.Law, graph: pk.Robot) -> control.Law:
    """The same law of the graph with the same gains; its own defaults are for the poses of its own box."""
    return control.law(law.name, graph).with_gains(**{gain.name: gain.values for gain in law.interface.gains})


@pytest.mark.parametrize(
    "law",
    [
        "computed_torque",
        *(pytest.param(n, marks=pytest.mark.slow) for n in ("pid", "predictive_functional", "decoupling")),
    ],
)
def test_legs_and_their_graph_run_alike(law: str) -> None:
    legs = pk.load("five_bar")
    graph = legs.graph
    reference = control.reference(legs, trajectory.lift(legs), PERIOD)
    real = Scenario(noise=1e-6, velocity_filter=200.0, delay=True, payload=pk.Payload(mass=0.3))
    of_legs = control.law(law, legs)
    own = simulation.simulate(legs, of_legs, reference, real)
    other = simulation.simulate(graph, like(of_legs, graph), by_motors(legs, graph, reference), real)
    assert own.status == other.status == Ending.COMPLETED
    for what, size in (("q", 1.0), ("q_dot", 1.0), ("measured_q", 1.0), ("tau", np.abs(own["tau"]).max())):
        assert np.max(np.abs(own[what] - other[what])) < SAME * size, what


@pytest.mark.slow
def test_legs_without_a_closed_form_run_as_their_graph_does() -> None:
    legs = pk.load("hexa_offset")
    reference = control.reference(legs, trajectory.lift(legs), PERIOD)
    short = replace(reference, **{n: getattr(reference, n)[:60] for n in QUANTITIES})
    law = control.law("pid", legs)
    assert control.law("computed_torque", legs).interface.state[0].size == len(legs.place_names) == 25
    own = simulation.simulate(legs, law, short)
    graph = legs.graph
    other = simulation.simulate(graph, like(law, graph), by_motors(legs, graph, short))
    assert own.status == other.status == Ending.COMPLETED
    assert own["residual"].max() < CLOSED
    for what, size in (("q", 1.0), ("tau", np.abs(own["tau"]).max())):
        assert np.max(np.abs(own[what] - other[what])) < SAME * size, what


# Another engine ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["four_bar", pytest.param("3rps", marks=pytest.mark.slow)])
def test_a_foreign_plant_under_the_same_law(name: str) -> None:
    """MuJoCo's free bodies with all joints closed by a KKT system, in the loop with the law's function itself."""
    pytest.importorskip("mujoco")
    robot = oracle(name)
    law = control.law("computed_torque", robot)
    reference = control.reference(robot, trajectory.fourier(robot), PERIOD)
    short = replace(reference, **{n: getattr(reference, n)[:80] for n in QUANTITIES})
    own = simulation.simulate(robot, law, short)
    foreign = ForeignPlant(robot).follow(law, short)
    assert np.ptp(own["q"], axis=0).max() > 1e-4
    assert np.max(np.abs(own["q"] - foreign.q)) < SAME
    assert np.max(np.abs(own["tau"] - foreign.tau)) < 1e-6 * np.abs(own["tau"]).max()


# What scenarios can do -----------------------------------------------------------------------------------------------


def test_one_of_many_runs_as_it_does_alone(rps: pk.Robot) -> None:
    law = control.law("computed_torque", rps)
    motion = trajectory.fourier(rps)
    reference = control.reference(rps, motion, PERIOD)
    short = replace(reference, **{n: getattr(reference, n)[:200] for n in QUANTITIES})
    base = Scenario(noise=1e-6, velocity_filter=200.0, delay=True, wrench=[5.0, 0, -3.0, 0, 0.2, 0], payload_time=0.1)
    factors = np.random.default_rng(0).uniform(0.8, 1.2, (5, 1))
    loads = [pk.Payload(mass=0.2 * k) for k in range(5)]
    family = simulation.family(base, 5, parameters=rps.parameters * factors, payload=loads)
    many = simulation.simulate_many(rps, law, short, family, keep=(3,))
    assert (many.summary.status == Ending.COMPLETED).all()
    alone = simulation.simulate_many(rps, law, short, family[3:], keep=(0,)).logs[0]
    assert np.array_equal(many.logs[3].table, alone.table)
    assert 0 < alone["residual"].max() < CLOSED
    assert many.summary[3].error_peak == pytest.approx(many.logs[3].summary().error_peak, rel=1e-12)


def test_a_payload_and_a_wrench_are_felt() -> None:
    """One tick from rest: q_ddot of the plant is the mechanism's own forward dynamics."""
    bar = oracle("four_bar")
    loaded = bar.with_payload(0.4, (0.01, 0.02, 0.0))
    law, hold = drifting(bar), control.hold(bar, bar.home, 2 * PERIOD, PERIOD)
    wrench = np.array([2.0, -1.0, 0.0, 0.0, 0.0, 0.3])
    log = simulation.simulate(loaded, law, hold, Scenario(wrench=wrench), substeps=1)
    tau = loaded.static_forces(bar.home)
    assert log["tau"][0] == pytest.approx(tau, abs=1e-12)
    expected = loaded.evaluate("forward_dynamics", pose=bar.home, velocity=np.zeros(1), tau=tau, wrench=wrench)[
        "acceleration"
    ]
    assert log["velocity"][1] / PERIOD == pytest.approx(expected, rel=1e-3)


def test_limits_of_every_joint_are_watched(bar: pk.Robot) -> None:
    tables = bar.graph_description.model_dump()
    passive = tables["joints"][1]
    assert f"{passive['name']}.angle" not in bar.actuator_names
    index = bar.coordinate_names.index(f"{passive['name']}.angle")
    home = bar.evaluate("joint_coordinates", pose=bar.home)["coordinate"][index]
    passive["freedoms"] = {"angle": {"lower": float(home) - 1e-3, "upper": float(home) + 1e-3}}
    robot = Robot(type(bar.graph_description).model_validate(tables))
    law, reference = control.law("pid", robot), control.reference(robot, trajectory.fourier(robot), PERIOD)
    log = simulation.simulate(robot, law, reference)
    assert [entry.actuator for entry in log.beyond] == [f"{passive['name']}.angle"]
    summary = simulation.simulate_many(robot, law, reference, [Scenario()]).summary
    assert summary.beyond() == (f"{passive['name']}.angle",)
    assert summary.excess[0].max() == pytest.approx(log.beyond[0].excess, rel=1e-9)


# Linear --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["computed_torque", "feedforward"])
@pytest.mark.filterwarnings("ignore::parakin.errors.LoopWarning")
def test_margins_are_those_of_the_loop_itself(bar: pk.Robot, name: str) -> None:
    """A factor on the gains of a law without a memory of its own acts as the margin says: stable below, not above."""
    law = control.law(name, bar)
    found = simulation.margins(bar, law)
    assert found.stable
    still = control.hold(bar, bar.home, 1.0, PERIOD)
    for factor, stays in ((0.8, True), (1.25, False)):
        K = {gain.name: factor * found.gain * np.array(gain.values) for gain in law.interface.gains}
        log = simulation.simulate(bar, law, still, Scenario(pose=bar.home + 1e-7, gains=K))
        assert (np.abs(log["q"][-100:] - log["desired_q"][-100:]).max() < 1e-7) == stays


def test_laws_of_a_mechanism_are_matched_and_tuned(bar: pk.Robot) -> None:
    law = simulation.matched(bar, control.law("decoupling", bar), "delay", 4e-3)
    assert simulation.margins(bar, law).delay == pytest.approx(4e-3, rel=1e-3)
    reference = control.hold(bar, bar.home, 0.05, PERIOD)
    plants = simulation.random_plants(bar, Scenario(), 3, 0.1, 0.1)
    made = control.law("computed_torque", bar)
    swept = simulation.sweep(bar, made, reference, simulation.bandwidth_settings(made, [40.0, 80.0], [1.0]), plants)
    assert swept.completed.all()
    assert np.isfinite(swept.error).all()


# What is refused -----------------------------------------------------------------------------------------------------


def test_what_laws_cannot_serve_is_refused_in_words(rps: pk.Robot) -> None:
    spinning = Robot(described("reachy_mini"))
    with pytest.raises(UnsupportedRobotError, match="its 7 motors do not determine how its 13 freedoms move"):
        control.law("pid", spinning)
    five, law = pk.load("five_bar"), control.law("pid", rps)
    hold = control.hold(five, five.home, 0.01, PERIOD)
    with pytest.raises(SimulationError, match="law: is for tripod_3rps, whose actuators or motion differ"):
        simulation.simulate(five, law, hold)
    with pytest.raises(MotionError, match="tripod_3rps cannot be there at t = 0 s"):
        control.hold(rps, rps.home + 10.0, 0.01, PERIOD)


@pytest.mark.slow
@pytest.mark.parametrize("law", ["adaptive", "adaptive_feedforward"])
def test_adaptive_laws_learn_what_a_mechanism_carries(law: str) -> None:
    """With what the plant carries unknown to it, the law's errors in the second half are a part of those without."""
    robot = oracle("four_bar")
    reference = control.reference(robot, trajectory.fourier(robot), PERIOD)
    made = control.law(law, robot)
    load = Scenario(payload=pk.Payload(mass=0.5 * sum(body.mass for body in robot.graph_description.bodies)))
    still = replace(load, gains={"Gamma": np.zeros(len(made.gain_vector({})) and made.interface.state[-1].size)})
    learnt, ignorant = (simulation.simulate(robot, made, reference, one) for one in (load, still))
    assert learnt.status == ignorant.status == Ending.COMPLETED
    half = len(learnt) // 2
    errors = [np.abs(log["desired_q"] - log["q"])[half:].max() for log in (learnt, ignorant)]
    assert errors[0] < 0.5 * errors[1]
