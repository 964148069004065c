"""The loop of a robot, a law and a scenario, linearised about a set point at rest; its margins, and laws matched."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.arrays import Array
from parakin.blas import one_numpy_thread
from parakin.control import Law, hold
from parakin.control.tuning.linear_loop import LinearLoop
from parakin.control.tuning.margins import Margins, margins_of
from parakin.errors import SimulationError
from parakin.kernels.arguments import as_array
from parakin.motions import MotionType
from parakin.motions.offsets import pose_slopes
from parakin.robot import Quantity, Robot
from parakin.simulation.linear_plant import about_rest
from parakin.simulation.loop import uses_pose
from parakin.simulation.scenario import Scenario, constants_of
from parakin.simulation.start import Signals, initial_signals

if TYPE_CHECKING:
    from parakin.control.tuning.matching import MatchingRule


def _law_derivative(law: Law, given: Mapping[str, Array]) -> Array:
    """Return the derivative of a law's [next_state; tau] by its state and measurements, where its inputs are `given`.

    Forward mode, a column at a time: a graph of all columns at once takes ten times as long to write.
    """
    about = ["state", *(f"measured_{what}" for what in law.interface.measurement)]
    sizes = [law.step.size1_in(name) for name in about]
    count = sum(sizes)
    seeds = dict(zip(about, np.split(np.eye(count), np.cumsum(sizes)[:-1]), strict=True))
    inputs = {name: ca.DM(value) for name, value in given.items()}
    outputs = {f"out_{name}": value for name, value in law.step(**inputs).items()}
    still = {f"fwd_{name}": ca.DM(*value.shape) for name, value in inputs.items() if name not in seeds}
    alike = {name: ca.repmat(value, 1, count) for name, value in (inputs | outputs | still).items()}
    out = _forward(law)(**alike, **{f"fwd_{name}": value for name, value in seeds.items()})
    return np.asarray(ca.vertcat(out["fwd_next_state"], out["fwd_tau"]), float)


@functools.lru_cache(maxsize=32)
def _forward(law: Law) -> ca.Function:
    """Return the directional derivative of a law's step."""
    return law.step.forward(1)


def linear_loop(robot: Robot, law: Law, scenario: Scenario | None = None, pose: ArrayLike | None = None) -> LinearLoop:
    """Linearise the closed loop at rest about a pose (home by default).

    The scenario gives gains, sensors, delay, elastic drives and the forces that hold the robot; the plant is `robot` as
    it is otherwise. The pose is its own set point, wherever the scenario begins.
    Coulomb friction is left out: the plant's, stiction, and what an adaptive law holds against it.
    """
    scenario = replace(scenario or Scenario(), pose=None, velocity=None)
    if scenario.sensor is not None:
        reason = f"{scenario.sensor.stage.name} is not linearised: leave it out for margins and verdicts of the pose"
        raise SimulationError("sensor", f"{reason} itself, or look for the boundary with simulate_many")
    place = robot.home if pose is None else as_array(robot.name, "pose", pose)
    reference = hold(robot, place, law.period, law.period)
    constants = constants_of(robot, law, (scenario,))
    signals = initial_signals(robot, law, reference, (scenario,), constants)
    still = np.zeros(robot.degrees_of_freedom)
    plant = about_rest(robot, scenario, place, signals["pending"][0])
    measured = {"q": signals["q"][0], "q_dot": 0 * signals["q"][0], "pose": place, "velocity": still}
    given = {f"measured_{what}": measured[what] for what in law.interface.measurement}
    given |= {w.port: reference.ahead(w.quantity, w.ahead)[0] for w in law.interface.reference}
    state = np.where(_coulomb(law), 0.0, signals["law_state"][0])
    derivative = _law_derivative(law, {"state": state, "gains": constants["gains"][0], **given})
    states: int = law.step.size1_in("state")
    with_pose = uses_pose(law)
    return LinearLoop(
        law.period,
        plant.A,
        plant.B,
        plant.encoders,
        _of_displacements(derivative, states, robot.motion_type, place) if with_pose else derivative,
        states,
        with_pose,
        float(constants["share"][0]),
        scenario.velocity_filter is None,
        float(scenario.delay),
        _noise(constants, with_pose),
    )


def margins(robot: Robot, law: Law, scenario: Scenario | None = None, pose: ArrayLike | None = None) -> Margins:
    """Compute the margins of the sampled loop, linearised at rest about a pose that is its own set point.

    The pose is the one given, else the one at which the scenario begins, else home. The scenario gives gains, sensors
    and delay.

    >>> margins = pk.simulation.margins(robot, law, scenario)
    >>> margins.stable, margins.gain > 2
    (True, True)
    """
    begin = None if scenario is None else scenario.pose
    with one_numpy_thread():
        return margins_of(linear_loop(robot, law, scenario, begin if pose is None else pose))


def matched(
    robot: Robot,
    law: Law,
    rule: MatchingRule,
    target: float,
    scenario: Scenario | None = None,
    *,
    integral: float = 0.0,
) -> Law:
    """Return a law with gains for the bandwidth at which its delay margin [s] or its largest force noise is the target.

    Both are those at home. Where several bandwidths qualify it is the largest; UnmatchedLawError where none does.

    >>> law = pk.simulation.matched(robot, pk.control.law("pid", robot), "delay", 4e-3)
    >>> round(pk.simulation.margins(robot, law).delay, 4)
    0.004
    """
    from parakin.control.tuning.matching import matched_gains

    def loop_with(gains: Mapping[str, Array]) -> LinearLoop:
        return linear_loop(robot, law, replace(scenario or Scenario(), gains=gains))  # one law, derived once

    return law.with_gains(**matched_gains(law, rule, target, loop_with, integral=integral))


def _coulomb(law: Law) -> NDArray[np.bool_]:
    """Return which entries of a law's state are Coulomb friction.

    At rest their compensation is a step in force, which has no derivative to count.
    """
    coulomb: list[bool] = []
    for part in law.interface.state:
        of_part = [label.quantity is Quantity.COULOMB for label in part.parameters]
        coulomb += of_part or [False] * part.size
    return np.array(coulomb, bool)


def _noise(constants: Signals, with_pose: bool) -> Array:
    """Return the standard deviations of a measured pose or of measured positions.

    Counting adds an even spread over one count: quantum/sqrt(12).
    """
    if with_pose:
        return constants["noise_pose"][0]
    return np.hypot(constants["noise_q"][0], constants["quantum"][0] / np.sqrt(12), dtype=np.float64)


def _of_displacements(derivative: Array, states: int, motion: MotionType, pose: Array) -> Array:
    """Turn derivatives by the numbers of a measured pose into derivatives by its small displacement.

    Only quaternions make a difference, d(quat) = 1/2 (0, w) quat, and turns of balls.
    """
    if motion.quaternion is None and not motion.balls:
        return derivative
    head, middle, tail = np.split(derivative, [states, states + len(pose)], axis=1)
    return np.hstack([head, middle @ pose_slopes(motion, pose), tail])
