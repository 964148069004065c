"""Adaptive laws share the regressor of base parameters, and a step of the parameters that stays within bounds.

Psi p = tau with p the robot's base parameters: docs/theory/base_parameters.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from parakin.arrays import Array
from parakin.control.definition import Gain, Given, StatePart
from parakin.control.model import ControlModel, drive_sign
from parakin.control.tuning.proposal import Tuning
from parakin.dynamics.equation import EquationOfMotion
from parakin.dynamics.mechanics import Acting
from parakin.dynamics.parameters import BODY_UNITS
from parakin.robot.base_parameters import BaseParameters
from parakin.trajectory import fourier
from parakin.trajectory.limits import limits_of

SPREAD = 0.5
"""How far a parameter may go from its first value, as a share of that value."""
LEAST_SPREAD = 0.05
"""How far a parameter may go in addition, as a share of the value that alone would give the forces of the excitation.

Some parameters begin at zero, and a share of zero would hold them there.
"""
UNSEEN = (1e-4, 2e-5)
"""Errors too small to learn from [rad, m]: two counts of an encoder with 2^17 counts a turn, and 20 um."""
TYPICAL_RATE = 50.0
"""Rate at which the Fourier excitation is sampled to see how large regressors are [Hz]."""
PARAMETER_UNIT = "that of the parameter"
"""Unit of a vector with one number for each base parameter, each in a unit of its own."""


@dataclass(frozen=True, eq=False)
class AdaptiveModel(ControlModel):
    """A robot whose controller does not know the base parameters and adapts them."""

    shared: bool = False
    """Whether legs of identical design have their parameters in common, which are then fewer."""

    @cached_property
    def base(self) -> BaseParameters:
        """The base parameters of the robot and their values in its file."""
        return self.robot.base_parameters(shared=self.shared)

    @cached_property
    def _linear(self) -> tuple[EquationOfMotion, ca.SX]:
        """The robot with base parameters as symbols, and those symbols.

        All other parameters are zero, because their columns of the regressor are not needed.
        """
        p, every = ca.SX.sym("p", self.base.rank), ca.SX.zeros(self.base.map.shape[1])
        for k, representative in enumerate(self.base.representatives):
            for place in representative.places:
                every[place] = p[k]
        carried = len(BODY_UNITS) if self.robot.payload.mass else 0
        own, payload = every[: every.shape[0] - carried], every[every.shape[0] - carried :]
        return self.robot.placed(Acting(sign=drive_sign), own, payload if carried else None), p

    @cached_property
    def _regressor(self) -> ca.Function:
        placed, p = self._linear
        return ca.Function("regressor", [placed.place, placed.velocity, placed.acceleration], [placed.regressor(p)])

    def regressor(self, place: ca.SX, velocity: ca.SX, acceleration: ca.SX) -> ca.SX:
        """Return Psi (actuators, base parameters) of a motion: Psi p are the actuator forces that it needs."""
        return self._regressor(place, velocity, acceleration)

    @cached_property
    def _reference_regressor(self) -> ca.Function:
        placed, p = self._linear
        v_r, q_ddot_r = (ca.SX.sym(name, size.shape[0]) for name, size in (("v_r", placed.velocity), ("a_r", placed.q)))
        Psi = placed.reference_regressor(p, v_r, q_ddot_r)
        return ca.Function("reference_regressor", [placed.place, placed.velocity, v_r, q_ddot_r], [Psi])

    def reference_regressor(self, place: ca.SX, velocity: ca.SX, v_r: ca.SX, q_ddot_r: ca.SX) -> ca.SX:
        """Return the regressor of [Slotine1987], in which a reference velocity v_r stands beside the true one.

        Psi p = J_qv^-T (M a_r + C(v) v_r + g + friction),    J_qv a_r + J_qv_dot v_r = q_ddot_r
        """
        return self._reference_regressor(place, velocity, v_r, q_ddot_r)

    @cached_property
    def column_sizes(self) -> tuple[Array, float]:
        """Root mean squares along the Fourier excitation: of each column of Psi, and of the forces [N or N m]."""
        samples = fourier(self.robot).sampled(TYPICAL_RATE)
        Psi = self.base.columns(self.robot.regressor(samples.pose, samples.velocity, samples.acceleration))
        sizes: Array = np.sqrt(np.mean(Psi**2, axis=(0, 1)))
        return sizes, float(np.sqrt(np.mean((Psi @ self.base.values) ** 2)))

    def speeds(self, tuning: Tuning, effort: float) -> dict[str, Array]:
        """Return the gains `Gamma` and `fastest` for a tuning; `effort` is explained in `slowed`.

        With Gamma the parameters take over from feedback as quickly as the integral of other laws would. fastest limits
        the rate of all actuators together, whatever the motion: each is then slower than the feedback it learns from.
        """
        sizes, _ = self.column_sizes
        rate = tuning.integral * tuning.bandwidth
        return {"Gamma": effort * rate / (self.base.rank * sizes**2), "fastest": np.array([tuning.bandwidth])}

    def parameter_gains(self, proposed: Mapping[str, Array], dead_zone: Gain) -> tuple[Gain, ...]:
        """Return the gains that every adaptive law has, with the values proposed for Gamma and fastest as defaults.

        Bounds of friction are not below zero.
        """
        base, (sizes, force) = self.base, self.column_sizes
        spread = SPREAD * np.abs(base.values) + LEAST_SPREAD * force / sizes
        friction = np.array([representative.quantity.is_friction for representative in base.representatives])
        lower = np.where(friction, np.maximum(base.values - spread, 0.0), base.values - spread)

        def of_each(name: str, values: Array, meaning: str) -> Gain:
            return Gain(name, PARAMETER_UNIT, tuple(values.tolist()), meaning, signed=True)

        speed_unit = f"p^2/(s tau x) with x in {dead_zone.unit}"
        return (
            Gain("Gamma", speed_unit, tuple(proposed["Gamma"].tolist()), "speed of each parameter"),
            Gain(
                "fastest",
                "1/s",
                tuple(proposed["fastest"].tolist()),
                "limit on tr(Psi Gamma Psi^T), as a rate of forces",
            ),
            dead_zone,
            of_each("p_0", base.values, "base parameters to begin with"),
            of_each("lower", lower, "lower bound of each parameter"),
            of_each("upper", base.values + spread, "upper bound of each parameter"),
        )

    @property
    def parameter_part(self) -> StatePart:
        """The base parameters as a part of a law's state, labelled by the parameters that represent them."""
        parameters = self.base.representatives
        labels = tuple(parameter.name for parameter in parameters)
        meaning = f"base parameters: {'; '.join(self.base.names)}"
        return StatePart("p", self.base.rank, PARAMETER_UNIT, meaning, labels, parameters)

    @property
    def unseen(self) -> Array:
        """For each actuator, the position error that is too small to learn from (actuators,) [rad or m]."""
        return np.where(limits_of(self.robot).lengths, UNSEEN[1], UNSEEN[0])


def first_parameters(given: Given) -> ca.SX:
    """Return the parameters that a law begins with: the gain `p_0`, within its bounds."""
    return _within(given["p_0"], given)


def next_parameters(given: Given, period: float, direction: ca.SX, excess: ca.SX) -> ca.SX:
    """Return the parameters for the next tick: p + period Gamma direction, projected to the bounds.

    They stay as they are while a drive is at its limit, that is, while `excess`, the force asked for less the force
    given, is not zero: what a saturated robot does says nothing about its parameters.
    """
    moved = _within(given["p"] + period * given["Gamma"] * direction, given)
    return ca.if_else(ca.sumsqr(excess) > 0, given["p"], moved)


def slowed(given: Given, Psi: ca.SX, effort: ca.SX | float = 1.0) -> ca.SX:
    """Return the factor, at most 1, that keeps the rate of adaptation below the gain `fastest`.

    Computed forces follow feedback at the rate tr(Psi Gamma Psi^T)/effort, where `effort` is the force per unit of what
    drives the parameters. Regressors of fast motions are large, and a delayed loop could not learn as quickly.
    """
    rate = ca.sum1(given["Gamma"] * ca.sum2((Psi * Psi).T)) / effort
    return ca.if_else(rate > given["fastest"], given["fastest"] / rate, 1)


def beyond(value: ca.SX, width: ca.SX) -> ca.SX:
    """Return by how much a value lies outside a dead zone -width ... width; zero inside."""
    return ca.if_else(value > width, value - width, ca.if_else(value < -width, value + width, 0))


def _within(p: ca.SX, given: Given) -> ca.SX:
    lower, upper = given["lower"], given["upper"]
    return ca.if_else(p > upper, upper, ca.if_else(p < lower, lower, p))
