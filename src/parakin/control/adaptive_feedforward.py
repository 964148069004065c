"""Computed force along the reference whose base parameters are driven by what feedback has to add.

tau = Psi(pose_d, v_d, a_d) p + f,    f = K_p e + K_d e_dot,    p_dot = Gamma Psi^T f

Needs no pose of the robot: Psi depends on the reference alone. f is Psi (p_true - p) but for the loop's own dynamics,
so that p goes downhill on its square, as long as it goes slowly.
"""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca

from parakin.control.adaptation import AdaptiveModel, beyond, first_parameters, next_parameters, slowed
from parakin.control.common import (
    ACTUATORS,
    BANDWIDTH,
    PERIOD,
    PLATFORM,
    effective_inertia,
    errors,
    force_units,
    pole_gains,
)
from parakin.control.law import Gain, Given, Interface, Law, Update, assembled
from parakin.robot import Robot


def adaptive_feedforward(robot: Robot, period: float = PERIOD, *, shared: bool = False) -> Law:
    """Base parameters are state and begin with those of `robot`. shared: identical legs have the same."""
    model = AdaptiveModel(robot, shared)

    def start(given: Given) -> Mapping[str, ca.SX]:
        return {"p": first_parameters(given)}

    def step(given: Given) -> Update:
        error, error_dot = errors(given)
        Psi = model.regressor(given["desired_pose"], given["desired_velocity"], given["desired_acceleration"])
        feedback = given["K_p"] * error + given["K_d"] * error_dot
        raw = Psi @ given["p"] + feedback
        tau = model.saturated(raw)
        direction = slowed(given, Psi) * (Psi.T @ beyond(feedback, given["dead_zone"]))
        return Update({"p": next_parameters(given, period, direction, raw - tau)}, tau)

    interface = Interface(_gains(model), (model.parameter_part,), (*ACTUATORS, *PLATFORM), ("q", "q_dot"))
    return assembled("adaptive_feedforward", robot, period, interface, start=start, step=step)


def _gains(model: AdaptiveModel) -> tuple[Gain, ...]:
    inertia, units = effective_inertia(model.robot), force_units(model.robot)
    stiffness, damping, _ = pole_gains(BANDWIDTH, share=0.0)
    dead = Gain(
        "dead_zone", "N or N m", tuple((stiffness * inertia * model.unseen).tolist()), "of f, for the parameters"
    )
    return (
        Gain("K_p", units[0], tuple((stiffness * inertia).tolist()), "stiffness"),
        Gain("K_d", units[1], tuple((damping * inertia).tolist()), "damping"),
        *model.parameter_gains(dead, 1.0),
    )
