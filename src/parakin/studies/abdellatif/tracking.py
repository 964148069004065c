"""The inclined circle under three laws, on machines that are not quite what their controller takes them for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from parakin.arrays import Array, lock_arrays
from parakin.control import Law, Reference, law, reference
from parakin.robot import Robot
from parakin.simulation import Log, Scenario, family, margins, matched, simulate, simulate_many
from parakin.studies.abdellatif.constant import constant_decoupling
from parakin.trajectory import circle

PERIOD = 5e-4
"""Time from one control tick to the next [s], [Abdellatif2005] sec. 4."""
CELL = Scenario(counts=1e6, noise=1e-6, velocity_filter=300.0, delay=True, seed=2005)
"""Linear encoders of 1 um, as much noise, rates filtered at 300 Hz, a tick to compute."""
PLANTS = 8
"""How many machines with parameters of their own each law is tried on."""
INERTIA_OFF, FRICTION_OFF = 0.1, 0.3
"""The largest shares by which a machine's inertial and friction parameters differ from the controller's, uniformly."""
INTEGRAL = 0.1
"""Speed of the integral part as a share of the bandwidth, which is the laws' default."""
SHOWN = 0
"""Number of the plant whose errors are drawn."""

RULES = ("equal margin", "equal noise")
"""The two ways to choose the gains of decoupling: the delay margin of feedforward, or its force noise."""


@dataclass(frozen=True, eq=False)
class Tracking:
    """What one machine did on the circle under several control concepts."""

    robot: Robot
    """The machine as its controller takes it to be."""
    reference: Reference
    """The circle, sampled at every tick."""
    inertia: Array
    """(ticks, actuators) Effective inertia along the circle [kg]."""
    coupling: float
    """How strongly the drives are coupled at home, see the function `coupling`."""
    rms: dict[str, Array]
    """Concept -> rms tracking errors (plants, actuators) [m]."""
    logs: dict[str, Log]
    """Concept -> the log of the plant SHOWN, for concepts that are drawn."""

    def __post_init__(self) -> None:
        lock_arrays(self)

    @cached_property
    def variation(self) -> Array:
        """Variation of each actuator's effective inertia, (largest - smallest)/smallest [%]."""
        lowest = self.inertia.min(axis=0)
        return 100 * (self.inertia.max(axis=0) - lowest) / lowest

    def benefit(self, rule: str) -> Array:
        """Return for each actuator how many times smaller the error is with decoupling than with feedforward alone."""
        plain, decoupled = (np.sqrt(np.mean(self.rms[name] ** 2, axis=0)) for name in ("feedforward", rule))
        return plain / decoupled

    def overall(self, concept: str) -> float:
        """Return the rms error over all actuators and plants [m]."""
        return float(np.sqrt(np.mean(self.rms[concept] ** 2)))


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


def tracked(robot: Robot, pid: Law | None = None) -> Tracking:
    """Run feedforward and decoupling on one machine; given a PID law, run it and constant mass matrices too, with logs.

    PID and feedforward share their feedback, and so their margin and noise; decoupling with a constant mass matrix has
    the gains of decoupling at equal margin.
    """
    followed = reference(robot, circle(robot), PERIOD, settle=0.1)
    plain, decoupling = law("feedforward", robot, PERIOD), law("decoupling", robot, PERIOD)
    limits = margins(robot, plain, CELL)
    equal = {
        "equal margin": matched(robot, decoupling, "delay", limits.delay, CELL, integral=INTEGRAL),
        "equal noise": matched(robot, decoupling, "noise", float(limits.force_noise.max()), CELL, integral=INTEGRAL),
    }
    drawn, others = [{"feedforward": plain}, equal], list[dict[str, Law]]()
    if pid is not None:
        gains = {gain.name: gain.values for gain in equal["equal margin"].interface.gains}
        drawn.append({"pid": pid})
        for name, ahead in (("constant", False), ("constant ahead", True)):
            others.append({name: constant_decoupling(decoupling, ahead=ahead).with_gains(**gains)})
    runs = [_runs(robot, followed, tuned, logged=pid is not None) for tuned in drawn]
    runs += [_runs(robot, followed, tuned, logged=False) for tuned in others]
    results = {name: result for each in runs for name, result in each.items()}
    return Tracking(
        robot,
        followed,
        effective_inertia(robot, followed),
        coupling(robot),
        {name: rms for name, (rms, _) in results.items()},
        {name: log for name, (_, log) in results.items() if log is not None},
    )


def _runs(
    robot: Robot, followed: Reference, tuned: dict[str, Law], logged: bool
) -> dict[str, tuple[Array, Log | None]]:
    """Simulate every plant under one law with several sets of gains; return rms errors, and the log of one plant."""
    scenarios = [
        replace(member, gains={gain.name: gain.values for gain in one.interface.gains})
        for one in tuned.values()
        for member in family(CELL, PLANTS, parameters=plants(robot))
    ]
    shown = [k * PLANTS + SHOWN for k in range(len(tuned))]
    base = next(iter(tuned.values()))
    many = simulate_many(robot, base, followed, scenarios, keep=shown if logged else ())
    rms = many.summary.error_rms.reshape(len(tuned), PLANTS, -1)
    return {name: (rms[k], many.logs.get(shown[k])) for k, name in enumerate(tuned)}


def phase_errors(robot: Robot, pid: Law, ramp: float) -> tuple[float, float]:
    """Return the rms error of PID while the speed changes, and while it is constant [m].

    ramp: part of a turn on which the speed rises, and on which it falls

    On a ramp the mean speed is half of the final one: it takes twice the time of as much way at full speed.
    """
    motion = circle(robot, ramp=ramp)
    followed = reference(robot, motion, PERIOD)
    log = simulate(robot, pid, followed, CELL)
    error, changing = log["desired_q"] - log["q"], motion.duration * 2 * ramp / (1 + 2 * ramp)
    constant = (followed.t > changing) & (followed.t < motion.duration - changing)
    return float(np.sqrt(np.mean(error[~constant] ** 2))), float(np.sqrt(np.mean(error[constant] ** 2)))


def speed_errors(robot: Robot, pid: Law, speeds: Array) -> Array:
    """Return the rms error of PID over all actuators [m] for each speed of the circle [m/s]."""
    errors: list[float] = []
    for speed in speeds.tolist():
        followed = reference(robot, circle(robot, speed=speed), PERIOD)
        many = simulate_many(robot, pid, followed, (CELL,))
        errors.append(float(np.sqrt(np.mean(many.summary.error_rms**2))))
    return np.array(errors)
