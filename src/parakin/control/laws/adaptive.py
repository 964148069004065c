"""Adaptive control on the regressor of base parameters, of Slotine and Li's type, in actuator coordinates.

q_dot_r = q_dot_d + Lambda e,    s = q_dot_r - q_dot
tau = Psi(pose, v, q_dot_r, q_ddot_r) p + K_s s,    p_dot = Gamma Psi^T s          [Slotine1987]

Psi p = J_qv^-T (M a_r + C(v) v_r + g + friction): with M_dot - 2 C skew, s^T M_q s + p~^T Gamma^-1 p~ never
grows, in continuous time and as long as `fastest` does not slow p down.
"""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca
import numpy as np

from parakin.arrays import Array
from parakin.control.adaptation import AdaptiveModel, beyond, first_parameters, next_parameters, slowed
from parakin.control.carrying import CarriedPlace
from parakin.control.common import ACTUATORS, DAMPING, INTEGRAL_SHARE, PERIOD, errors, force_units
from parakin.control.definition import Gain, Given, Interface, Law, Update, Wanted, assembled
from parakin.control.tuning.delay import bandwidth_for
from parakin.control.tuning.inertia import effective_inertia, least_inertia
from parakin.control.tuning.proposal import Proposal, Tuning
from parakin.errors import ControlError
from parakin.robot import Robot


def adaptive(robot: Robot, period: float = PERIOD, *, shared: bool = False) -> Law:
    """Make an adaptive law of Slotine and Li's type; its state begins with the base parameters of `robot`.

    With `shared`, legs of identical design have their parameters in common.

    >>> law = pk.control.adaptive(robot)
    >>> [gain.name for gain in law.interface.gains]
    ['Lambda', 'K_s', 'Gamma', 'fastest', 'dead_zone', 'p_0', 'lower', 'upper']
    """
    model = AdaptiveModel(robot, shared)
    seen = CarriedPlace(model, "measured_q")

    def start(given: Given) -> Mapping[str, ca.SX]:
        return seen.first(given) | {"p": first_parameters(given)}

    def step(given: Given) -> Update:
        error, error_dot = errors(given)
        place = seen.found(given)
        velocity = model.velocity(place, given["measured_q_dot"])
        s = error_dot + given["Lambda"] * error
        v_r = model.velocity(place, given["measured_q_dot"] + s)
        q_ddot_r = given["desired_q_ddot"] + given["Lambda"] * error_dot
        Psi = model.reference_regressor(place, velocity, v_r, q_ddot_r)
        raw = Psi @ given["p"] + given["K_s"] * s
        tau = model.saturated(raw)
        factor = slowed(given, Psi, ca.sum1(given["K_s"]) / given["K_s"].shape[0])
        p = next_parameters(given, period, factor * (Psi.T @ beyond(s, given["dead_zone"])), raw - tau)
        return Update(dict(seen.following(place, period * velocity)) | {"p": p}, tau)

    parts = (*seen.parts, model.parameter_part)
    set_points = (*ACTUATORS, Wanted("q_ddot"), Wanted("pose"))
    interface = Interface(_gains(model, period), parts, set_points, ("q", "q_dot"))
    return assembled("adaptive", robot, period, interface, start=start, step=step, proposal=_proposal(model))


def _proposal(model: AdaptiveModel) -> Proposal:
    """Return how Lambda and K_s are chosen, so that an actuator on its own has the poles of the tuning.

    Its poles are -Lambda and -K_s/M_kk, here -w (damping -+ sqrt(damping^2 - 1)). s ends by itself and errors follow s,
    so that no choice gives complex poles.
    """

    def proposed(tuning: Tuning) -> dict[str, Array]:
        w, damping = tuning.bandwidth, tuning.damping
        if damping < 1.0:
            raise ControlError("adaptive", "damping", f"its poles are real, which needs at least 1, got {damping:g}")
        apart = np.sqrt(damping**2 - 1)
        K_s = w * (damping + apart) * effective_inertia(model.robot, tuning.pose)
        first = {"Lambda": np.array([w * (damping - apart)]), "K_s": K_s, "dead_zone": w * model.unseen}
        return first | model.speeds(tuning, float(K_s.mean()))

    return proposed


def _default_tuning(robot: Robot, period: float) -> Tuning:
    """Return what gains are tuned for by default: the bandwidth w at which the loop bears the delay it should.

    Lambda goes through the model and K_s = w D does not: an inertia lambda D meets w s + (w/lambda) (s + w).
    """
    inertia = least_inertia(robot)
    bandwidth = bandwidth_for(period, lambda w: (w**2 / inertia, w + w / inertia, 0.0))
    return Tuning(bandwidth, DAMPING, INTEGRAL_SHARE)


def _gains(model: AdaptiveModel, period: float) -> tuple[Gain, ...]:
    """Return the default gains: both poles of an actuator on its own are at the default bandwidth."""
    proposed = _proposal(model)(_default_tuning(model.robot, period))
    values = {name: tuple(each.tolist()) for name, each in proposed.items()}
    dead_zone = Gain("dead_zone", "m/s or rad/s", values["dead_zone"], "s so small teaches the parameters nothing")
    return (
        Gain("Lambda", "1/s", values["Lambda"], "how quickly errors vanish while s is zero"),
        Gain("K_s", force_units(model.robot)[1], values["K_s"], "damping of s"),
        *model.parameter_gains(proposed, dead_zone),
    )
