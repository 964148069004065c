"""Machines that drive a plant: they home, hold without a bump, follow set points, stop and fail as they should."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import parakin as pk
from parakin.arrays import Array
from parakin.control import GuardCause
from parakin.errors import CExportError
from parakin.export import MachineState, MoveLimits
from parakin.export.onboard.machine import Machine
from parakin.export.onboard.player import Player
from tests.export.onboard.machines import COUNTS, PERIOD, SLOW, Plant, driven, encoders, lanes, machine

OFF, HOMING, HOLD, RUN, FAULT = MachineState
BUMP = 20 / COUNTS
"""How far the platform moves when brakes open: encoders see where it is to half a count, and the law sees steps [m]."""
TRACKING = 1e-3
"""Error of the platform on a slow move, under gains for 60 rad/s and rates filtered at 200 Hz [m]."""


def script(goal: Array, stop: tuple[int, int] = (0, 0), heart: int = 10**9):
    """Enable, homes passed one after the other where the robot is, a start at 200."""

    def told(tick: int, plant: Plant) -> Mapping[str, Array | float]:
        home = np.array([float(tick == 10 + k) for k in range(len(plant.zero))])
        signals = {"enable": float(tick > 3), "start": float(tick >= 200), "stop": float(stop[0] <= tick < stop[1])}
        return signals | {"home": home, "goal": goal, "heartbeat": float(min(tick, heart))}

    return told


@pytest.mark.parametrize(
    ("name", "law"), [("five_bar", "pid"), pytest.param("delta", "computed_torque", marks=pytest.mark.slow)]
)
def test_a_machine_holds_without_a_bump_and_goes_to_its_goal(name: str, law: str) -> None:
    robot = pk.load(name)
    block, plant = machine(name, law), Plant(robot, robot.home)
    goal = robot.home.copy()
    goal[0] += 0.04
    said, poses = driven(block, plant, 800, script(goal))
    state = said["state"][:, 0]
    changes = np.flatnonzero(np.diff(state)) + 1
    assert [int(state[k]) for k in changes] == [HOMING, HOLD, RUN, HOLD]
    opened, started, ended = int(changes[1]) + 1, *map(int, changes[2:])
    assert (said["brake"][:opened] == 1.0).all()
    assert (said["brake"][opened:] == 0.0).all()
    still = np.zeros(robot.degrees_of_freedom)
    weight = np.asarray(robot.inverse_dynamics(robot.home, still, still))
    np.testing.assert_allclose(said["tau"][opened], weight, atol=0.02 * np.abs(weight).max() + 0.02)
    assert np.abs(poses[:started] - robot.home).max() < BUMP
    v, a, j = SLOW
    assert (ended - started) * PERIOD == pytest.approx(0.04 / v + v / a + a / j, abs=2 * PERIOD)
    assert np.abs(said["desired_pose"][-1] - goal).max() < 1e-12
    assert np.abs(poses - said["desired_pose"])[opened:].max() < TRACKING
    assert np.abs(np.diff(said["desired_pose"], axis=0)).max() / PERIOD <= v * (1 + 1e-12)


def test_a_stop_brings_the_robot_to_rest_on_its_path_and_a_start_begins_anew() -> None:
    robot = pk.load("five_bar")
    goal = robot.home + np.array([0.06, 0.03])
    told = script(goal, stop=(330, 332))

    def stopped(tick: int, plant: Plant) -> Mapping[str, Array | float]:
        return dict(told(tick, plant)) | {"start": float(200 <= tick < 600 or tick >= 700)}

    said, _ = driven(machine("five_bar", "pid"), Plant(robot, robot.home), 1300, stopped)
    state, pose = said["state"][:, 0], said["desired_pose"]
    assert (state[335:500] == RUN).all()
    assert (state[560:700] == HOLD).all()
    way = (goal - robot.home) / np.linalg.norm(goal - robot.home)
    along = (pose - robot.home) @ way
    assert np.abs((pose - robot.home) - np.outer(along, way)).max() < 1e-12, "never beside the path"
    assert 0.2 < along[600] / np.linalg.norm(goal - robot.home) < 0.9
    speed = np.diff(along) / PERIOD
    assert (speed >= -1e-9).all()
    assert np.abs(np.diff(speed)[300:600]).max() / PERIOD < SLOW[1] + 1.9 * speed.max() / 0.2
    assert np.abs(pose[-1] - goal).max() < 1e-12


@pytest.mark.slow
def test_a_motion_is_approached_and_played() -> None:
    robot = pk.load("five_bar")
    played = pk.trajectory.motion("lift", robot)
    here = robot.home + np.array([0.01, 0.0])
    plant = Plant(robot, here)
    at = np.asarray(robot.inverse_kinematics(here))
    told = script(robot.home)

    def homed(tick: int, plant: Plant) -> Mapping[str, Array | float]:
        """Home switches are passed at home, and then the robot is put elsewhere by hand."""
        given: dict[str, Array | float] = {k: value for k, value in told(tick, plant).items() if k != "goal"}
        if tick < 15:
            given["counts"] = plant.zero
        return given

    said, poses = driven(machine("five_bar", "pid", "lift"), plant, 1700, homed)
    assert np.abs(said["measured_q"][100] - at).max() <= 1 / COUNTS
    state = said["state"][:, 0]
    (begun,) = np.flatnonzero(np.diff((state == RUN).astype(int)) == 1)
    end = int(np.flatnonzero(state == RUN)[-1])
    count = round(played.duration / PERIOD)
    exact = played.at(np.arange(count + 1) * PERIOD).pose
    error = np.abs(said["desired_pose"][end + 1 - count : end + 2] - exact).max()
    assert error < 1e-10, "every tick of the motion"
    assert end - begun > count
    assert np.abs(poses - said["desired_pose"])[200:].max() < 5 * TRACKING


def test_a_heart_that_stops_is_a_fault_until_a_reset() -> None:
    robot = pk.load("five_bar")
    told = script(robot.home + np.array([0.05, 0.0]), heart=250)

    def told_reset(tick: int, plant: Plant) -> Mapping[str, Array | float]:
        given = dict(told(tick, plant)) | {
            "reset": float(tick == 500),
            "enable": float(tick > 3 and not 520 < tick < 530),
        }
        return given | {"heartbeat": float(tick) if tick > 505 else given["heartbeat"]}

    said, _ = driven(machine("five_bar", "pid"), Plant(robot, robot.home), 640, told_reset)
    state = said["state"][:, 0]
    assert (state[200:349] == RUN).all()
    assert (state[351:500] == FAULT).all()
    assert (state[500:530] == OFF).all(), "enable has to rise again"
    assert state[-1] == HOLD
    assert said["cause"][400, 0] == GuardCause.HEARTBEAT
    assert (said["brake"][351:530] == 1.0).all()
    assert np.isfinite(said["tau"]).all()


@pytest.mark.slow
@pytest.mark.parametrize("law", pk.control.LAWS)
def test_every_law_holds_without_a_bump(law: str) -> None:
    robot = pk.load("delta")
    told = script(robot.home + np.array([0.0, 0.03, 0.0]))
    said, poses = driven(machine("delta", law), Plant(robot, robot.home), 300, told)
    assert said["state"][-1, 0] == RUN
    assert np.abs(poses[:200] - robot.home).max() < BUMP
    assert np.abs(poses - said["desired_pose"])[40:].max() < TRACKING


def test_a_law_without_a_guard_has_no_machine() -> None:
    robot = pk.load("five_bar")
    player = Player(robot, PERIOD, MoveLimits((1.0,) * 2, (1.0,) * 2, (1.0,) * 2), None, (0,))
    with pytest.raises(CExportError, match="a machine needs a guarded law"):
        Machine(pk.control.law("pid", robot), player, encoders(robot))


@pytest.mark.parametrize("value", [0.0, 0.99, 2.0, 1e300, np.inf, -np.inf, np.nan])
def test_forces_are_off_at_the_tick_at_which_enable_is_not_1(value: float) -> None:
    robot = pk.load("five_bar")
    told = script(robot.home)

    def disabled(tick: int, plant: Plant) -> Mapping[str, Array | float]:
        return dict(told(tick, plant)) | ({"enable": value} if tick >= 150 else {})

    said, _ = driven(machine("five_bar", "pid"), Plant(robot, robot.home), 160, disabled)
    assert said["state"][149] == HOLD
    assert (said["state"][150:] == OFF).all()
    assert (said["tau"][150:] == 0.0).all()
    assert (said["brake"][150:] == 1.0).all()


@pytest.mark.parametrize("motion", [None, "lift"])
def test_memory_that_nothing_was_written_to_is_a_machine_that_is_off(motion: str | None) -> None:
    block = machine("five_bar", "pid", motion)
    told = {one.name: np.zeros((1, one.size)) for one in block.input.members}
    told["enable"][:] = told["home"][:] = 1.0
    rows: dict[str, Any] = {} if block.table is None else dict.fromkeys(block.table.names, block.table.pairs[0])
    expected = lanes(block, {one.name: np.array(one.values) for one in block.state.members}, told, rows)
    begun = {one.name: np.array(one.values) for one in block.state.members}
    spoilt = [begun | {"rate": np.full(2, garbage)} for garbage in (np.nan, np.inf)] + [
        begun | {"machine": np.array([7.5])}
    ]
    for state in spoilt + [
        {one.name: np.full(one.size, garbage) for one in block.state.members}
        for garbage in (np.nan, np.inf, 0.0, 1e300, -3.0)
    ]:
        found = lanes(block, state, told, rows)
        assert found["output_state"] == OFF
        assert (found["output_tau"] == 0.0).all()
        for name, values in expected.items():
            np.testing.assert_array_equal(found[name], values, name)


def test_settings_that_are_nan_for_a_tick_leave_no_nan_behind() -> None:
    """At every tick from a hold to the end of a move, one after the other of the settings is NaN."""
    robot = pk.load("five_bar")
    block, plant = machine("five_bar", "pid"), Plant(robot, robot.home)
    goal = robot.home + np.array([0.02, 0.0])
    told = script(goal, stop=(260, 262))
    bound = block.kernel.bind()
    given = {name: values.reshape(-1) for name, values in bound.inputs.items()}
    for kind, struct in (("setting", block.settings), ("state", block.state)):
        for one in struct.members:
            given[f"{kind}_{one.name}"][:] = one.values
    for tick in range(500):
        inputs = dict.fromkeys(("enable", "start", "stop", "reset"), 0.0) | {"counts": plant.counts}
        for name, value in (inputs | dict(told(tick, plant))).items():
            given[f"input_{name}"][:] = value
        spoilt = block.settings.members[tick % len(block.settings.members)] if tick >= 100 else None
        if spoilt is not None:
            given[f"setting_{spoilt.name}"][:] = np.nan
        bound.run()
        if spoilt is not None:
            given[f"setting_{spoilt.name}"][:] = spoilt.values
        for one in block.state.members:
            following = bound.outputs[f"next_{one.name}"].reshape(-1)
            assert np.isfinite(following).all(), (tick, one.name, spoilt)
            given[f"state_{one.name}"][:] = following
