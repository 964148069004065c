"""The inclined circle under three laws, on machines that are not quite what their controller takes them for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.control import Law, Reference, gains_for, law, reference
from parakin.robot import Robot
from parakin.simulation import Log, Scenario, family, margins, matched, simulate, simulate_many
from parakin.studies.abdellatif.constant import constant_decoupling
from parakin.studies.abdellatif.machines import RAMPS, RULES
from parakin.studies.criteria import Measured, NominalLoop, spread
from parakin.studies.loops import nominal_loop
from parakin.trajectory import circle

PERIOD = 5e-4
"""Time from one control tick to the next [s], [Abdellatif2005] sec. 4."""
CELL = Scenario(counts=1e6, noise=1e-6, velocity_filter=300.0, delay=True, seed=2005)
"""Linear encoders of 1 um, as much noise, rates filtered at 300 Hz, a tick to compute."""
PLANTS = 8
"""How many machines with parameters of their own each law is tried on."""
INERTIA_OFF, FRICTION_OFF = 0.1, 0.3
"""The largest shares by which a machine's inertial and friction parameters differ from the controller's, uniformly."""
BANDWIDTH = 60.0
"""Bandwidth of the gains of PID and feedforward, to which decoupling is made equal [rad/s]."""
INTEGRAL = 0.1
"""Speed of the integral part as a share of the bandwidth, which is the laws' default."""
SHOWN = 0
"""Number of the plant whose errors are drawn."""

CONCEPTS = ("pid", "feedforward", *RULES)
"""Control concepts of every machine, decoupling with both rules of tuning; PID has the gains of feedforward."""

PLACES = ("ahead", "feedback")
"""Where a constant mass matrix may enter: in feedback and computed force, or in the feedback alone."""


@frozen_arrays
class Tracking:
    """What one machine did on the circle under several control concepts."""

    robot: Robot
    """The machine as its controller takes it to be."""
    reference: Reference
    """The circle with the first of RAMPS, sampled at every tick."""
    inertia: Array
    """(ticks, actuators) Effective inertia along the circle [kg]."""
    coupling: float
    """How strongly the drives are coupled at home, see the function `coupling`."""
    loops: dict[str, NominalLoop]
    """Concept -> its loop with the correct model."""
    rms: dict[tuple[float, str], Array]
    """Ramp and concept -> rms tracking errors (plants, actuators) [m]."""
    phases: dict[float, float]
    """Ramp -> rms error of PID while the speed changes, over that while it is constant."""
    logs: dict[str, Log]
    """Concept -> the log of the plant SHOWN with the first of RAMPS."""

    @cached_property
    def variation(self) -> Array:
        """Variation of each actuator's effective inertia, (largest - smallest)/smallest [%]."""
        lowest = self.inertia.min(axis=0)
        return 100 * (self.inertia.max(axis=0) - lowest) / lowest

    def errors(self, ramp: float, concept: str) -> Array:
        """Return the rms error of each actuator over all plants [m]."""
        return np.sqrt(np.mean(self.rms[ramp, concept] ** 2, axis=0))

    def benefit(self, ramp: float, rule: str) -> Array:
        """Return for each actuator how many times smaller the error is with decoupling than with feedforward alone."""
        return self.errors(ramp, "feedforward") / self.errors(ramp, rule)

    def ratio(self, ramp: float, concept: str, other: str) -> Measured:
        """Return the rms error of a concept over that of another, of all plants, with the interval over the plants."""
        both = [np.mean(self.rms[ramp, name] ** 2, axis=1) for name in (concept, other)]
        overall = float(np.sqrt(both[0].mean() / both[1].mean()))
        return spread(overall, np.sqrt(both[0] / both[1]), f"{PLANTS} plants")


def effective_inertia(robot: Robot, followed: Reference) -> Array:
    """Return the diagonal of the mass matrix in actuator space along a motion (ticks, actuators) [kg].

    [Abdellatif2005] Fig. 5.
    """
    M_q: Array = robot.mass_matrix(followed.pose, space="actuator")
    return np.diagonal(M_q, axis1=1, axis2=2)


def coupling(robot: Robot) -> float:
    """Return how many times a single drive's loop gain the easiest joint motion of all drives has, at home.

    It is the largest eigenvalue of D M_q^-1 D with D^2 the diagonal of M_q: 1 where nothing is coupled.
    """
    M_q: Array = robot.mass_matrix(robot.home, space="actuator")
    scale = 1 / np.sqrt(np.diag(M_q))
    return float(1 / np.linalg.eigvalsh(scale[:, None] * M_q * scale).min())


def plants(robot: Robot) -> Array:
    """Draw parameters (PLANTS, parameters), each off the controller's by a random share."""
    rng = np.random.default_rng(2005)
    friction = np.array([parameter.quantity.is_friction for parameter in robot.parameter_table])
    off = np.where(friction, FRICTION_OFF, INERTIA_OFF)
    return robot.parameters * (1 + off * rng.uniform(-1, 1, (PLANTS, len(robot.parameters))))


def tracked(robot: Robot, *, feedback: bool = False) -> Tracking:
    """Run PID, feedforward and decoupling on one machine, and decoupling with the mass matrix of home.

    feedback: whether the mass matrix of home is also tried in the feedback alone

    PID and feedforward share their feedback, and so their margin and noise; decoupling with a constant mass matrix has
    the gains of the decoupling that it stands for.
    """
    followed = {ramp: reference(robot, circle(robot, ramp=ramp), PERIOD, settle=0.1) for ramp in RAMPS}
    groups = _laws(robot, PLACES if feedback else PLACES[:1])
    loops = {name: nominal_loop(groups[name][name], CELL) for name in CONCEPTS}
    results: dict[tuple[float, str], Array] = {}
    logs: dict[str, Log] = {}
    for ramp, goal in followed.items():
        for group in {id(group): group for group in groups.values()}.values():
            many, shown = _runs(robot, goal, group, logged=ramp == RAMPS[0])
            results |= {(ramp, name): rms for name, rms in many.items()}
            logs |= shown
    first = followed[RAMPS[0]]
    phases = {ramp: phase_ratio(robot, groups["pid"]["pid"], ramp) for ramp in RAMPS}
    return Tracking(robot, first, effective_inertia(robot, first), coupling(robot), loops, results, phases, logs)


def _laws(robot: Robot, places: Sequence[str]) -> dict[str, dict[str, Law]]:
    """Return concept -> all laws that differ from its own in their gains only, by concept."""
    pid, plain, decoupling = (_tuned(law(name, robot, PERIOD)) for name in ("pid", "feedforward", "decoupling"))
    limits = margins(robot, plain, CELL)
    equal = {
        RULES[0]: matched(robot, decoupling, "delay", limits.delay, CELL, integral=INTEGRAL),
        RULES[1]: matched(robot, decoupling, "noise", float(limits.force_noise.max()), CELL, integral=INTEGRAL),
    }
    groups = {"pid": {"pid": pid}, "feedforward": {"feedforward": plain}, **dict.fromkeys(RULES, equal)}
    for place in places:
        constant = constant_decoupling(decoupling, ahead=place == "ahead")
        groups[place] = {f"{rule}, constant {place}": constant.with_gains(**_gains(one)) for rule, one in equal.items()}
    return groups


def _tuned(made: Law) -> Law:
    return made.with_gains(**gains_for(made, BANDWIDTH, integral=INTEGRAL))


def _gains(tuned: Law) -> dict[str, tuple[float, ...]]:
    return {gain.name: gain.values for gain in tuned.interface.gains}


def _runs(
    robot: Robot, followed: Reference, tuned: dict[str, Law], logged: bool
) -> tuple[dict[str, Array], dict[str, Log]]:
    """Simulate every plant under one law with several sets of gains; return rms errors, and the logs of one plant."""
    scenarios = [
        replace(member, gains=_gains(one))
        for one in tuned.values()
        for member in family(CELL, PLANTS, parameters=plants(robot))
    ]
    shown = [k * PLANTS + SHOWN for k in range(len(tuned))]
    base = next(iter(tuned.values()))
    many = simulate_many(robot, base, followed, scenarios, keep=shown if logged else ())
    rms = many.summary.error_rms.reshape(len(tuned), PLANTS, -1)
    logs = {name: many.logs[shown[k]] for k, name in enumerate(tuned)} if logged else {}
    return {name: rms[k] for k, name in enumerate(tuned)}, logs


def phase_ratio(robot: Robot, pid: Law, ramp: float) -> float:
    """Return the rms error of PID while the speed changes, over that while it is constant.

    ramp: part of a turn on which the speed rises, and on which it falls

    On a ramp the mean speed is half of the final one: it takes twice the time of as much way at full speed.
    """
    motion = circle(robot, ramp=ramp)
    followed = reference(robot, motion, PERIOD)
    log = simulate(robot, pid, followed, CELL)
    error, changing = log["desired_q"] - log["q"], motion.duration * 2 * ramp / (1 + 2 * ramp)
    constant = (followed.t > changing) & (followed.t < motion.duration - changing)
    return float(np.sqrt(np.mean(error[~constant] ** 2) / np.mean(error[constant] ** 2)))


def speed_errors(robot: Robot, speeds: Array) -> Array:
    """Return the rms error of PID over all actuators (speeds, plants) [m] for each speed of the circle [m/s]."""
    pid = _tuned(law("pid", robot, PERIOD))
    errors: list[Array] = []
    for speed in speeds.tolist():
        followed = reference(robot, circle(robot, speed=speed), PERIOD)
        many = simulate_many(robot, pid, followed, family(CELL, PLANTS, parameters=plants(robot)))
        errors.append(np.sqrt(np.mean(many.summary.error_rms**2, axis=-1)))
    return np.array(errors)
