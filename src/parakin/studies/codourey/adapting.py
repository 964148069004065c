"""Adaptive control on the linear form: with the robot's base parameters, and with the seven of eq. (45)."""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca
import numpy as np

from parakin import control, simulation
from parakin.arrays import Array, frozen_arrays
from parakin.control.adaptation import beyond, first_parameters, next_parameters, slowed
from parakin.control.common import ACTUATORS, BANDWIDTH, PLATFORM, errors, pole_gains
from parakin.control.definition import Gain, Given, Interface, Law, StatePart, Update, assembled
from parakin.control.model import ControlModel
from parakin.control.tuning.inertia import effective_inertia
from parakin.dynamics.mechanics import frictionless, mechanics
from parakin.dynamics.simplified import lumped_form
from parakin.robot import Robot
from parakin.studies.common import rms
from parakin.studies.criteria import NominalLoop
from parakin.studies.loops import nominal_loop
from parakin.trajectory import Motion, drawn_series, fourier
from parakin.trajectory.motions.fourier import BLEND_TIME
from parakin.trajectory.states import State

PERIOD = 5e-4
"""Time from one control tick to the next [s]; assumed, the paper prints no law."""
FREQUENCY = 0.5
"""Frequency of the first harmonic of the excitation [Hz]; one period takes 2 s."""
ROUNDS = 20
"""How often the period of the excitation is repeated: 40 s in all."""
WRONG = 0.3
"""Share by which every parameter is wrong at first; the signs are drawn at random."""
SEEDS = (0, 1, 2)
"""Seeds of these signs, over which the intervals of adaptation go; figures show the first."""
FASTER = 3.0
"""Factor on the default speed of adaptation, so that it ends within the time simulated."""
FASTEST = 1e3
"""Limit on the speed of adaptation, tr(Psi Gamma Psi^T) [1/s], in the place of the law's own, for the same reason."""
RATE = 1.0
"""Speed of adaptation with eq. (45) [1/s]: Gamma of each parameter is RATE over its column's mean square."""


@frozen_arrays(eq=True)
class Adaptation:
    """How parameters and tracking errors change, averaged over each period of the excitation."""

    names: tuple[str, ...]
    """Names of the parameters that are adapted."""
    t: Array
    """(periods,) The middle of each period [s]."""
    wrong: Array
    """(1 + periods, parameters) What each parameter's error does to the torques [% of their rms]; first at t = 0."""
    error: Array
    """(periods,) Rms distance to the reference with adaptation [mm]."""
    held: Array
    """(periods,) Rms distance to the reference with the wrong parameters kept [mm]."""

    @property
    def left(self) -> tuple[float, float]:
        """What is left in the last period: of the path's error with wrong parameters, of the worst parameter's [%]."""
        path = self.error[-1] / self.held[-1]
        return float(100 * path), float(100 * self.wrong[-1].max() / self.wrong[0].max())


def exact_adaptations(robot: Robot) -> tuple[NominalLoop, list[Adaptation]]:
    """Adapt the base parameters of the exact model, friction included, by the law of Slotine and Li; one for a seed."""
    made = control.adaptive(robot, PERIOD, shared=True)
    law = made.with_gains(**control.gains_for(made, BANDWIDTH))
    base = robot.base_parameters(shared=True)
    Psi = base.columns(robot.regressor(*excitation_states(robot)))
    names = tuple(parameter.name for parameter in base.representatives)
    gains = {"Gamma": FASTER * _gain(law, "Gamma"), "dead_zone": 0.0, "fastest": FASTEST}
    truth = names, base.values, Psi
    return _nominal(law, base.values), [_adaptation(robot, law, gains, truth, seed) for seed in SEEDS]


def lumped_adaptations(robot: Robot, p: Array, Psi: Array, best: Array) -> tuple[NominalLoop, list[Adaptation]]:
    """Adapt the seven parameters of eq. (45) on the exact robot; one for a seed.

    p: where the bounds of the law come from; Psi (states, 3, 7): along the excitation; best: what p should become
    """
    law, truth = lumped_law(robot, p, Psi), (PARAMETERS, best, Psi)
    return _nominal(law, best), [_adaptation(robot, law, {}, truth, seed) for seed in SEEDS]


def _nominal(law: Law, true: Array) -> NominalLoop:
    """Return the loop with true parameters that stand still: what is left when adaptation is done."""
    return nominal_loop(law, simulation.Scenario(gains={"p_0": true, "Gamma": 0.0 * true}))


PARAMETERS = (*tuple(f"{what}_{k}" for k in (1, 2, 3) for what in ("m r", "I")), "m_n")
"""The parameters of eq. (45): first moment and inertia of each arm, and the mass of the plate with its lumps."""


def excitation_states(robot: Robot) -> State:
    """Return the states along one period of the excitation, 50 a second."""
    samples = _excitation(robot).sampled(50.0)
    return State(samples.pose, samples.velocity, samples.acceleration)


def lumped_law(robot: Robot, p: Array, along: Array) -> Law:
    """Return an adaptive law with Psi of eq. (45) along the reference.

        tau = Psi(x_d, v_d, a_d) p + f      f = K_p e + K_d e_dot      p_dot = Gamma Psi^T f

    along: Psi (states, 3, 7) along the excitation, from which the size of Gamma follows
    """
    model, made = ControlModel(robot), frictionless(mechanics(robot.description, robot.payload))
    state = [made.moving.pose, made.moving.velocity, made.moving.acceleration]
    form = ca.Function("lumped", state, [ca.densify(lumped_form(made).Psi)])

    def start(given: Given) -> Mapping[str, ca.SX]:
        return {"p": first_parameters(given)}

    def step(given: Given) -> Update:
        error, error_dot = errors(given)
        Psi = form(given["desired_pose"], given["desired_velocity"], given["desired_acceleration"])
        feedback = given["K_p"] * error + given["K_d"] * error_dot
        raw = Psi @ given["p"] + feedback
        tau = model.saturated(raw)
        direction = slowed(given, Psi) * (Psi.T @ beyond(feedback, given["dead_zone"]))
        return Update({"p": next_parameters(given, PERIOD, direction, raw - tau)}, tau)

    inertia = effective_inertia(robot)
    stiffness, damping, _ = pole_gains(BANDWIDTH, share=0.0)
    sizes = np.mean(along**2, axis=(0, 1))
    gains = (
        Gain("K_p", "N m/rad", tuple((stiffness * inertia).tolist()), "stiffness"),
        Gain("K_d", "N m s/rad", tuple((damping * inertia).tolist()), "damping"),
        Gain("Gamma", "", tuple((RATE / sizes).tolist()), "speed of each parameter"),
        Gain("fastest", "1/s", (FASTEST,), "limit on tr(Psi Gamma Psi^T)"),
        Gain("dead_zone", "N m", (0.0,), "of f"),
        Gain("p_0", "that of the parameter", tuple(p.tolist()), "to begin with", signed=True),
        Gain("lower", "that of the parameter", tuple((0.0 * p).tolist()), "bound", signed=True),
        Gain("upper", "that of the parameter", tuple((3.0 * p).tolist()), "bound", signed=True),
    )
    part = StatePart("p", len(p), "", "m r_x, I_yy of each arm; m_n")
    interface = Interface(gains, (part,), (*ACTUATORS, *PLATFORM), ("q", "q_dot"))
    return assembled("lumped_adaptive", robot, PERIOD, interface, start=start, step=step)


def _excitation(robot: Robot, rounds: int = 1) -> Motion:
    return fourier(robot, drawn_series(robot, frequency=FREQUENCY), periods=rounds)


def _gain(law: Law, name: str) -> Array:
    return np.array(next(gain.values for gain in law.interface.gains if gain.name == name))


def _adaptation(
    robot: Robot,
    law: Law,
    gains: Mapping[str, Array | float],
    truth: tuple[tuple[str, ...], Array, Array],
    seed: int,
) -> Adaptation:
    names, true, Psi = truth
    p_0 = true * (1 + WRONG * np.random.default_rng(seed).choice([-1.0, 1.0], len(true)))
    adapting = simulation.Scenario(gains={**gains, "p_0": p_0})
    left = simulation.Scenario(gains={**gains, "p_0": p_0, "Gamma": 0.0 * true})
    reference = control.reference(robot, _excitation(robot, ROUNDS), PERIOD)
    logs = [simulation.simulate(robot, law, reference, scenario, record_state=True) for scenario in (adapting, left)]
    size = 100 * np.sqrt(np.mean(Psi**2, axis=(0, 1))) / rms(Psi @ true)
    wrong = np.vstack([np.abs(p_0 - true), _by_period(np.abs(logs[0]["state"][:, -len(true) :] - true))]) * size
    squares = (1e6 * np.sum((log["pose"] - log["desired_pose"]) ** 2, axis=1, keepdims=True) for log in logs)
    error, held = (np.sqrt(_by_period(values))[:, 0] for values in squares)
    t = BLEND_TIME + (np.arange(ROUNDS, dtype=np.float64) + 0.5) / FREQUENCY
    return Adaptation(names, t, wrong, error, held)


def _by_period(values: Array) -> Array:
    """Return means over ROUNDS undisturbed periods of values at every tick; the blends at both ends are left out."""
    length, begin = round(1 / FREQUENCY / PERIOD), round(BLEND_TIME / PERIOD)
    return values[begin : begin + ROUNDS * length].reshape(ROUNDS, length, -1).mean(axis=1)
