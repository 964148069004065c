"""The inclined circle under three laws, on machines that are not quite what their controller takes them for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from parakin.arrays import Array
from parakin.control import Law, Reference, law, reference
from parakin.robot import Robot
from parakin.simulation import Log, Scenario, family, margins, matched, simulate_many
from parakin.studies.abdellatif.constant import constant_decoupling
from parakin.trajectory import circle

PERIOD = 5e-4
"""[s] [Abdellatif2005] sec. 4."""
CELL = Scenario(counts=1e6, noise=1e-6, velocity_filter=300.0, delay=True, seed=2005)
"""Linear encoders of 1 um, as much noise, rates filtered at 300 Hz, a tick to compute."""
PLANTS = 8
INERTIA_OFF, FRICTION_OFF = 0.1, 0.3
"""How far the machine's parameters are from the controller's, uniformly, as a share."""
INTEGRAL = 0.1
"""Of the bandwidth: the laws' own default."""
SHOWN = 0
"""The plant whose errors are drawn."""

RULES = ("equal margin", "equal noise")
"""The decoupling law comes twice: with the delay margin, and with the force noise of feedforward."""


@dataclass(frozen=True, eq=False)
class Tracking:
    """What one machine did on the circle.

    inertia (N, m) [kg]: effective, along the circle; coupling: as the
    function says; rms [m]: by concept (plants, m); logs: of one plant, by concept.
    """

    robot: Robot
    reference: Reference
    inertia: Array
    coupling: float
    rms: dict[str, Array]
    logs: dict[str, Log]

    @cached_property
    def variation(self) -> Array:
        """Of each actuator [%]: (largest - smallest)/smallest."""
        lowest = self.inertia.min(axis=0)
        return 100 * (self.inertia.max(axis=0) - lowest) / lowest

    def benefit(self, rule: str) -> Array:
        """By actuator: how many times smaller the error is with decoupling than with feedforward alone."""
        plain, decoupled = (np.sqrt(np.mean(self.rms[name] ** 2, axis=0)) for name in ("feedforward", rule))
        return plain / decoupled

    def overall(self, concept: str) -> float:
        """[m] The rms over actuators and plants."""
        return float(np.sqrt(np.mean(self.rms[concept] ** 2)))


def effective_inertia(robot: Robot, followed: Reference) -> Array:
    """Diagonal of the mass matrix in actuator space along a motion (N, m) [kg]. [Abdellatif2005] Fig. 5."""
    M_q: Array = robot.mass_matrix(followed.pose, space="actuator")
    return np.diagonal(M_q, axis1=1, axis2=2)


def coupling(robot: Robot) -> float:
    """How many times a drive's own loop gain the easiest motion of all drives together sees, at home.

    The largest eigenvalue of D M_q^-1 D with D^2 the diagonal of M_q: 1 where nothing is coupled.
    """
    M_q: Array = robot.mass_matrix(robot.home, space="actuator")
    scale = 1 / np.sqrt(np.diag(M_q))
    return float(1 / np.linalg.eigvalsh(scale[:, None] * M_q * scale).min())


def plants(robot: Robot) -> Array:
    """(PLANTS, parameters): as the controller has them, each off by some share of its own."""
    rng = np.random.default_rng(2005)
    friction = np.array([name.endswith(("viscous", "coulomb")) for name in robot.parameter_names])
    off = np.where(friction, FRICTION_OFF, INERTIA_OFF)
    return robot.parameters * (1 + off * rng.uniform(-1, 1, (PLANTS, len(robot.parameters))))


def tracked(robot: Robot, *, whole: bool) -> Tracking:
    """Feedforward and decoupling on one machine; on the whole also PID, constant mass matrices, and the logs.

    PID and feedforward share their feedback, and so their margin and noise; decoupling with a constant mass matrix has
    the gains of decoupling at equal margin.
    """
    followed = reference(robot, circle(robot), PERIOD, settle=0.1)
    plain, decoupling = law("feedforward", robot, PERIOD), law("decoupling", robot, PERIOD)
    own = margins(robot, plain, CELL)
    equal = {
        "equal margin": matched(robot, decoupling, "delay", own.delay, CELL, integral=INTEGRAL),
        "equal noise": matched(robot, decoupling, "noise", float(own.force_noise.max()), CELL, integral=INTEGRAL),
    }
    drawn, others = [{"feedforward": plain}, equal], list[dict[str, Law]]()
    if whole:
        gains = {gain.name: gain.values for gain in equal["equal margin"].interface.gains}
        drawn.append({"pid": law("pid", robot, PERIOD)})
        for name, ahead in (("constant", False), ("constant ahead", True)):
            others.append({name: constant_decoupling(robot, PERIOD, ahead=ahead).with_gains(**gains)})
    runs = [_runs(robot, followed, tuned, whole) for tuned in drawn]
    runs += [_runs(robot, followed, tuned, logged=False) for tuned in others]
    found = {name: one for each in runs for name, one in each.items()}
    return Tracking(
        robot,
        followed,
        effective_inertia(robot, followed),
        coupling(robot),
        {name: rms for name, (rms, _) in found.items()},
        {name: log for name, (_, log) in found.items() if log is not None},
    )


def _runs(
    robot: Robot, followed: Reference, tuned: dict[str, Law], logged: bool
) -> dict[str, tuple[Array, Log | None]]:
    """Every plant under one law with several sets of gains: rms errors, and the log of one plant."""
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


def phase_errors(robot: Robot, ramp: float) -> tuple[float, float]:
    """[m] The rms error of PID while the speed changes, and while it is constant. ramp: part of a turn, each.

    On a ramp the mean speed is half of the final one: it takes twice the time of as much way at full speed.
    """
    motion = circle(robot, ramp=ramp)
    followed = reference(robot, motion, PERIOD)
    log = simulate_many(robot, law("pid", robot, PERIOD), followed, (CELL,), keep=(0,)).logs[0]
    error, changing = log["desired_q"] - log["q"], motion.duration * 2 * ramp / (1 + 2 * ramp)
    constant = (followed.t > changing) & (followed.t < motion.duration - changing)
    return float(np.sqrt(np.mean(error[~constant] ** 2))), float(np.sqrt(np.mean(error[constant] ** 2)))


def speed_errors(robot: Robot, speeds: Array) -> Array:
    """[m] The rms error of PID over actuators, by speed of the circle [m/s]."""
    single = law("pid", robot, PERIOD)
    found: list[float] = []
    for speed in speeds.tolist():
        followed = reference(robot, circle(robot, speed=speed), PERIOD)
        many = simulate_many(robot, single, followed, (CELL,))
        found.append(float(np.sqrt(np.mean(many.summary.error_rms**2))))
    return np.array(found)
