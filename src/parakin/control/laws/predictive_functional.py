"""Predictive functional control: the model linearises the robot, and a prediction gives a slow inner loop its input.

Gamma = alpha(x) + beta(x) w,    w = K_p (u - q) - K_v q_dot                              [Vivas2003] eq. (35), Fig. 6
u = k_0 (c - q) + v^T (c(n + h_j) - c(n)) - sum_m k_m e_m + v_x^T x_M                    [Vivas2003] eq. (30), mended
x_M(n+1) = F_M x_M + G_M u,    e = q - y_M

The model x_M runs free of the robot, so that e shows the load. While a drive is at its limit it moves with the robot
instead, e being held: otherwise u would go on growing for a robot that cannot follow. What is held is the e of the last
tick at which no drive was at its limit: a spike of an encoder drives the forces to their limits at once, and an e with
the spike in it would stay in the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import casadi as ca
import numpy as np

from parakin.arrays import Array
from parakin.control.carrying import CarriedPlace
from parakin.control.common import ACTUATORS, PERIOD
from parakin.control.definition import Gain, Given, Interface, Law, StatePart, Update, Wanted, assembled
from parakin.control.model import ControlModel
from parakin.control.predictive_design import (
    LAW,
    SETTLED,
    PredictiveDesign,
    error_weights,
    predictive_gains,
)
from parakin.control.tuning.predictive_margin import default_design
from parakin.control.tuning.proposal import Proposal, Tuning
from parakin.robot import Robot

AHEAD = "desired_q_ahead"
"""Name of the law's input for the set points at the coincidence points."""


def predictive_functional(robot: Robot, period: float = PERIOD, design: PredictiveDesign | None = None) -> Law:
    """Make a predictive functional law; `PredictiveDesign()` is that of [Vivas2003], the default a slower one.

    The default bears the delay that the default gains of all laws bear, `default_delay_margin`. Another design is
    another law or, where points, degree and window stay the same, other gains of this one.

    >>> law = pk.control.predictive_functional(robot, design=pk.control.PredictiveDesign(response=12.0))
    >>> max(max(want.ahead) for want in law.interface.reference)  # ticks that it looks ahead
    18
    """
    made = design or default_design(period)
    model = ControlModel(robot)
    seen = CarriedPlace(model, "measured_q")
    count = len(robot.actuator_names)

    def start(given: Given) -> Mapping[str, ca.SX]:
        """Let the model rest where its input makes the inner loop hold the robot as the drives held it."""
        q = given["measured_q"]
        place, still = given["first_place"], ca.SX.zeros(robot.degrees_of_freedom)
        lack = given["holding"] - model.forces_of_masses(
            place, still, model.acceleration(place, still, ca.SX.zeros(count))
        )
        load = ca.solve(model.mass_matrix(place), lack) / given["K_p"] if model.square else ca.SX.zeros(count)
        parts = {"model": ca.vertcat(q + load, given["measured_q_dot"]), "held": ca.SX(0)}
        parts |= {"offset": ca.vertcat(-load, ca.SX.zeros(count))} | seen.first(given)
        past = {"errors": ca.repmat(-load, made.error_window)} if made.error_degree else {}
        return parts | past | ({"u": q + load} if made.smoothing else {})

    def step(given: Given) -> Update:
        q, q_dot = given["measured_q"], given["measured_q_dot"]
        place = seen.found(given)
        velocity = model.velocity(place, q_dot)
        plant = ca.vertcat(q, q_dot)
        x_M = ca.if_else(given["held"], plant - given["offset"], given["model"])
        e = ca.horzcat(q - x_M[:count], ca.reshape(given.get("errors", ca.SX(count, 0)), count, -1))
        u = _input(given, made, x_M, e)
        w = given["K_p"] * (u - q) - given["K_v"] * q_dot
        raw = model.forces_of_masses(place, velocity, model.acceleration(place, velocity, w))
        raw += model.drive_friction(given["desired_q_dot"])
        tau = model.saturated(raw)
        held = ca.sumsqr(raw - tau) > 0
        offset = ca.if_else(held, given["offset"], plant - x_M)
        states = {
            "model": _next_model(given, x_M, u),
            "held": held,
            "offset": offset,
            **seen.following(place, period * velocity),
            "errors": ca.vertcat(offset[:count], ca.vec(e[:, 1:-1])),
            "u": u,
        }
        return Update(states, tau)

    interface = Interface(_gains(made, period), _state(seen, made), _set_points(made), ("q", "q_dot"))
    return assembled(LAW, robot, period, interface, start=start, step=step, proposal=_proposal(made, period))


def _input(given: Given, design: PredictiveDesign, x_M: ca.SX, e: ca.SX) -> ca.SX:
    """Write the input u of eq. (30); e (actuators, 1 + window) are the model's errors now and before."""
    c, q = given["desired_q"], given["measured_q"]
    count = q.shape[0]
    u = given["k_0"] * (c - q) + given["v_x"][0] * x_M[:count] + given["v_x"][1] * x_M[count:]
    if design.future:
        u += (given[AHEAD] - ca.repmat(c, 1, len(design.coincidence))) @ given["v"]
    if design.error_degree:
        before = e[:, 1:] - ca.repmat(e[:, 0], 1, design.error_window)
        u -= before @ (ca.SX(ca.DM(error_weights(design))).T @ given["k_m"])
    return u + given["k_u"] * given["u"] if design.smoothing else u


def _next_model(given: Given, x_M: ca.SX, u: ca.SX) -> ca.SX:
    """Write the model's state after a sample, eq. (19), for all actuators."""
    count = u.shape[0]
    F, G, y, y_dot = given["F_M"], given["G_M"], x_M[:count], x_M[count:]
    return ca.vertcat(F[0] * y + F[1] * y_dot + G[0] * u, F[2] * y + F[3] * y_dot + G[1] * u)


def _proposal(design: PredictiveDesign, period: float) -> Proposal:
    """Return how gains are chosen: the reference trajectory goes back to the set point as exp(-w t).

    CLTR = 3/(w period), and all else stays as designed: the inner loop's damping, and the error polynomial that takes
    the place of an integral.
    """

    def proposed(tuning: Tuning) -> dict[str, Array]:
        response = max(1.0, SETTLED / (tuning.bandwidth * period))
        changed = gain_values(replace(design, response=response), period)
        return {name: np.array(values) for name, values in changed.items()}

    return proposed


def gain_values(design: PredictiveDesign, period: float) -> dict[str, tuple[float, ...]]:
    """Return all gains of the law of a design, by name: what another design with the same points, degree and window is.

    >>> law = pk.control.predictive_functional(robot, 1e-3, pk.control.PredictiveDesign())
    >>> slower = law.with_gains(**pk.control.gain_values(pk.control.PredictiveDesign(response=36), 1e-3))
    >>> pk.simulation.margins(robot, slower).delay > pk.simulation.margins(robot, law).delay
    True
    """
    return {gain.name: gain.values for gain in _gains(design, period)}


def _gains(design: PredictiveDesign, period: float) -> tuple[Gain, ...]:
    off_line = predictive_gains(design, period)
    rows = (
        Gain("K_p", "1/s^2", (design.K_p,), "stiffness of the inner loop"),
        Gain("K_v", "1/s", (design.K_v,), "damping of the inner loop"),
        Gain("F_M", "1, s, 1/s, 1", _numbers(off_line.F_M), "state matrix of the model, row by row", signed=True),
        Gain("G_M", "1, 1/s", _numbers(off_line.G_M), "input column of the model", signed=True),
        Gain("k_0", "", (off_line.k_0,), "weight of the error"),
        Gain("k_m", "", _numbers(off_line.k_m), "weights of the polynomial of the model's error", signed=True),
        Gain("v", "", _numbers(off_line.v), "weights of the set points ahead", signed=True),
        Gain("v_x", "1, s", _numbers(off_line.v_x), "weights of the model's state", signed=True),
        Gain("k_u", "", (off_line.k_u,), "weight of the last input"),
    )
    absent = {"k_m": not design.error_degree, "v": not design.future, "k_u": not design.smoothing}
    return tuple(gain for gain in rows if not absent.get(gain.name, False))


def _numbers(values: Array) -> tuple[float, ...]:
    return tuple(values.ravel().tolist())


def _state(seen: CarriedPlace, design: PredictiveDesign) -> tuple[StatePart, ...]:
    count = len(seen.model.robot.actuator_names)
    parts = [
        StatePart(
            "model",
            2 * count,
            "m or rad, then m/s or rad/s",
            "positions, then rates, of the model; while held, of no meaning",
        ),
        StatePart("held", 1, "", "1 after a tick with a drive at its limit"),
        StatePart(
            "offset",
            2 * count,
            "m or rad, then m/s or rad/s",
            "how far the robot was from the model at the last tick without a drive at its limit",
        ),
        *seen.parts,
    ]
    if design.error_degree:
        meaning = "errors of the model, the newest first"
        parts.append(StatePart("errors", design.error_window * count, "m or rad", meaning))
    if design.smoothing:
        parts.append(StatePart("u", count, "m or rad", "last input of the inner loop"))
    return tuple(parts)


def _set_points(design: PredictiveDesign) -> tuple[Wanted, ...]:
    ahead = (Wanted("q", design.coincidence, AHEAD),) if design.future else ()
    return (*ACTUATORS, Wanted("pose"), *ahead)
