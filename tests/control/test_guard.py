"""The guard: no number that a law is told makes it give a force that is not finite or beyond its limit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import parakin as pk
from parakin import control, simulation, trajectory
from parakin.control import Guard, GuardCause, GuardStatus, SafeForce
from parakin.errors import ControlError
from parakin.simulation import Scenario
from tests.control.fault_table import KINDS, WHEN, law_of, run, table_of
from tests.control.faulty import Told, faulty

STATUS, CAUSE, BRAKE = range(3)
BRIDGED = 2e-3
"""[rad] What five ticks without encoders cost: the drives go on as they went, a/2 t^2 with 100 rad/s^2 is 1.3e-3."""
RETURNED = 1e-3
"""[rad] How near to its set point a robot is 0.3 s after a reset."""


def check_the_table(name: str, robot: str, *, single: bool = False) -> None:
    law = law_of(name, pk.load(robot))
    law = law.in_single() if single else law
    guard = law.guard
    assert guard is not None
    forces, states = run(table_of(law))
    assert np.isfinite(forces).all()
    assert np.isfinite(states).all()
    limits = np.array(guard.force)
    assert (np.abs(forces) <= (limits.astype(np.float32).astype(float) if single else limits)).all()
    for lane, kind in enumerate(KINDS):
        if kind.of_legs and not law.robot.place_is_pose:
            continue
        status, cause = states[:, lane, STATUS], states[:, lane, CAUSE]
        said = {tick: GuardStatus(int(status[tick])) for tick in kind.status}
        assert said == dict(kind.status), kind.name
        assert (states[:, lane, BRAKE] == (status == GuardStatus.FAULT)).all(), kind.name
        assert ((cause == 0) == (status == GuardStatus.OK)).all(), kind.name
        bad = np.flatnonzero(cause)
        assert bool(len(bad)) is bool(kind.causes), kind.name
        if len(bad):
            assert GuardCause(int(cause[bad[0]])) in kind.causes, kind.name
        assert (forces[:WHEN, lane] == forces[:WHEN, 0]).all(), kind.name
    harmless = [lane for lane, kind in enumerate(KINDS) if kind.name in ("reset without a cause", "NaN for a reset")]
    assert (forces[:, harmless] == forces[:, :1]).all()


@pytest.mark.parametrize("name", ["pid", "computed_torque"])
def test_whatever_a_law_is_told_its_forces_are_sound(name: str) -> None:
    check_the_table(name, "five_bar")


def test_a_law_that_follows_its_place_finds_it_after_encoders_ran_away() -> None:
    """Loops of a Tricept close by Newton steps, which went with the encoders: RESIDUAL, and no reset led out of it."""
    (kind,) = (kind for kind in KINDS if kind.name == "reset after encoders ran away")
    _, states = run(table_of(law_of("computed_torque", pk.load("tricept")), (kind,)))
    assert {tick: states[tick, 0, STATUS] for tick in kind.status} == dict(kind.status)
    assert states[WHEN, 0, CAUSE] in kind.causes


@pytest.mark.slow
@pytest.mark.parametrize("robot", ["five_bar", "h4", "four_bar"])
@pytest.mark.parametrize("name", control.LAWS)
def test_every_law_passes_the_table(name: str, robot: str) -> None:
    check_the_table(name, robot)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "robot"), [*((name, "five_bar") for name in control.LAWS), ("computed_torque", "four_bar")]
)
def test_every_law_passes_the_table_in_single_precision(name: str, robot: str) -> None:
    check_the_table(name, robot, single=True)


def infinite(when: int, ticks: int) -> Callable[[ca.SX, ca.SX, Told], Told]:
    """All encoders say infinity for some ticks, where the fault has a size."""

    def wrong(tick: ca.SX, size: ca.SX, told: Told) -> Told:
        bad = ca.logic_and(tick >= when, tick < when + ticks)
        return {"measured_q": told["measured_q"] + ca.if_else(bad, size * 1e308 * 1e308, 0)}

    return wrong


def test_a_closed_loop_bridges_lost_ticks_and_comes_back_after_a_reset() -> None:
    """Five ticks without encoders on the way; then thirty, a fault, and a reset."""
    robot = pk.load("five_bar")
    law = control.guarded(control.law("computed_torque", robot))
    reference = control.reference(robot, trajectory.fourier(robot), law.period)
    start = int(np.abs(reference.q_dot).max(axis=1).argmax())
    short = simulation.simulate(
        robot, faulty(law, infinite(start, 5)), reference, Scenario(gains={"size": 1.0}), record_state=True
    )
    status = short["state.guard_status"].ravel()
    assert status[start + 1 : start + 6].tolist() == [GuardStatus.HELD] * 5
    assert np.count_nonzero(status) == 5
    assert np.abs(short["q"] - reference.q).max() < BRIDGED
    still = control.hold(robot, robot.home, 0.5, law.period)
    long = simulation.simulate(
        robot, faulty(law, infinite(100, 30)), still, Scenario(gains={"size": 1.0}, reset_time=0.2), record_state=True
    )
    status = long["state.guard_status"].ravel()
    assert (status[112:200] == GuardStatus.FAULT).all()
    assert (status[202:] == GuardStatus.OK).all()
    assert np.abs(long["q"][-1] - still.q[-1]).max() < RETURNED


def test_scenarios_are_reset_each_at_its_time() -> None:
    """Both fall into a fault at tick 111; the one is reset after 0.2 s, the other after 0.3 s."""
    robot = pk.load("five_bar")
    law = faulty(control.guarded(control.law("pid", robot)), infinite(100, 30))
    still = control.hold(robot, robot.home, 0.4, law.period)
    scenarios = simulation.family(Scenario(gains={"size": 1.0}), 2, reset_time=[0.2, 0.3])
    many = simulation.simulate_many(robot, law, still, scenarios, keep=(0, 1))
    for k, scenario in enumerate(scenarios):
        alone = simulation.simulate(robot, law, still, scenario)
        assert np.array_equal(many.logs[k]["command"], alone["command"])
    assert (many.logs[0]["command"][210] != many.logs[1]["command"][210]).any()


@pytest.mark.slow
def test_the_force_of_a_fault_is_the_chosen_one() -> None:
    """Long after the fault the drives damp, carry the weight, or rest."""
    robot = pk.load("five_bar")
    for safe in SafeForce:
        law = law_of("computed_torque", robot, safe=safe, ramp=0.0)
        table = table_of(law, tuple(kind for kind in KINDS if kind.name == "heart stops"))
        forces, _ = run(table)
        rate, guard = table.rows["measured_q_dot"][-1, 0], law.guard
        assert guard is not None
        damping = np.zeros(2) if safe is SafeForce.ZERO else -np.array(guard.damping) * rate
        weight = robot.static_forces(table.rows["desired_pose"][-1, 0]) if safe is SafeForce.GRAVITY else np.zeros(2)
        assert forces[-1, 0] == pytest.approx(damping + weight, rel=1e-3, abs=1e-6), safe


def test_a_guard_that_cannot_be_is_refused() -> None:
    robot = pk.load("five_bar")
    guard, law = Guard.of(robot, 1e-3), control.law("pid", robot)
    for change, said in (({"ramp": -1.0}, "ramp"), ({"speed": (1.0, 0.0)}, "speed"), ({"pivot": 1.0}, "pivot")):
        with pytest.raises(ControlError, match=f"guard: {said}: must be"):
            replace(guard, **change)
    with pytest.raises(ControlError, match="five_bar has 2 actuators, got 1 numbers"):
        control.guarded(law, replace(guard, force=(1.0,)))
    with pytest.raises(ControlError, match="gravity acts at a place, and this law knows none"):
        control.guarded(law, replace(guard, safe=SafeForce.GRAVITY))
    with pytest.raises(ControlError, match="has one already"):
        control.guarded(control.guarded(law))


def test_a_start_with_numbers_that_are_none_is_a_fault() -> None:
    law = law_of("computed_torque", pk.load("five_bar"))
    table = table_of(law, KINDS[:1])
    start, step = table.kernels
    told = dict(table.first) | {"measured_q": np.full(2, np.nan)}
    begun = start.evaluate({s.name: told[s.name].reshape(s.shape) for s in start.inputs})
    assert begun["next_guard_status"] == GuardStatus.FAULT
    assert begun["next_guard_cause"] == GuardCause.NOT_FINITE
    assert all(np.isfinite(values).all() for values in begun.values())
    state = {name.replace("next_", "state_", 1): values for name, values in begun.items()}
    for reset in (0.0, 1.0):  # a tick of the fault, and the reset
        told = state | {name: values[0, 0] for name, values in table.rows.items()} | {"reset": np.array(reset)}
        out = step.evaluate({s.name: np.asarray(told[s.name]).reshape(s.shape) for s in step.inputs})
        state = {name.replace("next_", "state_", 1): values for name, values in out.items()}
    assert out["next_guard_status"] == GuardStatus.OK


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("garbage", [np.nan, np.inf, -np.inf])
def test_a_state_with_a_number_that_is_none_is_a_fault_without_force(garbage: float, single: bool) -> None:
    """One number of a good state was overwritten, and its mark of having begun was not; each number has its lane."""
    law = law_of("pid", pk.load("five_bar"))
    table = table_of(law.in_single() if single else law, KINDS[:1])
    start, step = table.kernels
    begun = start.evaluate({s.name: table.first[s.name].reshape(s.shape) for s in start.inputs})
    names, sizes = [name.replace("next_", "state_", 1) for name in begun], [value.size for value in begun.values()]
    spoilt = np.tile(np.concatenate([value.ravel() for value in begun.values()]), (sum(sizes), 1))
    np.fill_diagonal(spoilt, garbage)
    state = dict(zip(names, np.split(spoilt, np.cumsum(sizes)[:-1], axis=1), strict=True))
    for reset in (0.0, 1.0):  # no reset leads out of it
        told = state | {name: values[0, 0] for name, values in table.rows.items()} | {"reset": np.array(reset)}
        lanes = {s.name: (len(spoilt),) if s.name in state else () for s in step.inputs}
        out = step.evaluate({s.name: np.reshape(told[s.name], (*lanes[s.name], *s.shape)) for s in step.inputs})
        assert (out["tau"] == 0.0).all()
        assert (out["next_guard_status"] == GuardStatus.FAULT).all()
        assert (out["next_guard_cause"] == GuardCause.NOT_BEGUN).all()
        assert all(np.isfinite(values).all() for values in out.values())
        state = {name: out[name.replace("state_", "next_", 1)] for name in names}


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        ({"pivot": 0.999}, GuardCause.NEAR_SINGULAR),
        pytest.param({"residual": 1e-15}, GuardCause.RESIDUAL, marks=pytest.mark.slow),
    ],
)
def test_what_the_law_finds_is_judged(change: dict[str, float], cause: GuardCause) -> None:
    law = law_of("computed_torque", pk.load("five_bar"), **change)
    _, states = run(table_of(law, KINDS[:1]))
    assert states[20, 0, STATUS] == GuardStatus.FAULT
    assert states[20, 0, CAUSE] == cause
