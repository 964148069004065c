"""Forces are computed along the reference, and what feedback has to add drives the base parameters.

tau = Psi(pose_d, v_d, a_d) p + f,    f = K_p e + K_d e_dot,    p_dot = Gamma Psi^T f

The law needs no pose of the robot, for Psi depends on the reference alone. But for the dynamics of the loop, f is
Psi (p_true - p), so that p goes downhill on the square of f as long as it goes slowly.
"""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca

from parakin.arrays import Array
from parakin.control.adaptation import AdaptiveModel, beyond, first_parameters, next_parameters, slowed
from parakin.control.carrying import CarriedPlace
from parakin.control.common import (
    ACTUATORS,
    DAMPING,
    INTEGRAL_SHARE,
    PERIOD,
    PLATFORM,
    errors,
    force_units,
    pole_gains,
)
from parakin.control.definition import Gain, Given, Interface, Law, Update, assembled
from parakin.control.tuning.delay import bandwidth_for
from parakin.control.tuning.inertia import effective_inertia, least_inertia
from parakin.control.tuning.proposal import Proposal, Tuning
from parakin.robot import Robot


def adaptive_feedforward(robot: Robot, period: float = PERIOD, *, shared: bool = False) -> Law:
    """Make a feedforward law that learns: its state is the base parameters, which begin with those of `robot`.

    With `shared`, legs of identical design have their parameters in common.

    >>> law = pk.control.adaptive_feedforward(robot, shared=True)
    >>> [(part.name, part.size) for part in law.interface.state]
    [('p', 8)]
    """
    model = AdaptiveModel(robot, shared)
    desired = CarriedPlace(model, "desired_pose")

    def start(given: Given) -> Mapping[str, ca.SX]:
        return desired.first(given) | {"p": first_parameters(given)}

    def step(given: Given) -> Update:
        error, error_dot = errors(given)
        place, velocity = desired.found(given), given["desired_velocity"]
        Psi = model.regressor(place, velocity, given["desired_acceleration"])
        feedback = given["K_p"] * error + given["K_d"] * error_dot
        raw = Psi @ given["p"] + feedback
        tau = model.saturated(raw)
        direction = slowed(given, Psi) * (Psi.T @ beyond(feedback, given["dead_zone"]))
        p = {"p": next_parameters(given, period, direction, raw - tau)}
        return Update(dict(desired.following(place, period * velocity)) | p, tau)

    parts = (*desired.parts, model.parameter_part)
    interface = Interface(_gains(model, period), parts, (*ACTUATORS, *PLATFORM), ("q", "q_dot"))
    return assembled(
        "adaptive_feedforward", robot, period, interface, start=start, step=step, proposal=_proposal(model)
    )


def _proposal(model: AdaptiveModel) -> Proposal:
    """Return how gains are chosen: an actuator on its own gets the poles of s^2 + 2 damping w s + w^2.

    Parameters learn in the place of an integral.
    """

    def proposed(tuning: Tuning) -> dict[str, Array]:
        inertia = effective_inertia(model.robot, tuning.pose)
        stiffness, damping, _ = pole_gains(tuning.bandwidth, tuning.damping, share=0.0)
        K_p, K_d = stiffness * inertia, damping * inertia
        return {"K_p": K_p, "K_d": K_d, "dead_zone": K_p * model.unseen} | model.speeds(tuning, 1.0)

    return proposed


def _default_tuning(robot: Robot, period: float) -> Tuning:
    """Return what gains are tuned for by default: the bandwidth at which the loop bears the delay it should."""
    inertia = least_inertia(robot)

    def gains(bandwidth: float) -> tuple[float, float, float]:
        K_p, K_d, _ = pole_gains(bandwidth, share=0.0)
        return K_p / inertia, K_d / inertia, 0.0

    return Tuning(bandwidth_for(period, gains), DAMPING, INTEGRAL_SHARE)


def _gains(model: AdaptiveModel, period: float) -> tuple[Gain, ...]:
    proposed, units = _proposal(model)(_default_tuning(model.robot, period)), force_units(model.robot)
    values = {name: tuple(each.tolist()) for name, each in proposed.items()}
    dead_zone = Gain("dead_zone", "N or N m", values["dead_zone"], "f so small teaches the parameters nothing")
    return (
        Gain("K_p", units[0], values["K_p"], "stiffness"),
        Gain("K_d", units[1], values["K_d"], "damping"),
        *model.parameter_gains(proposed, dead_zone),
    )
