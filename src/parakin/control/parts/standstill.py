"""Compensation of dry friction at standstill, in the direction in which a drive ought to go.

    tau = tau_law + F (s(q_dot_d/u + e/x) - s(q_dot_d/u)),        s(y) = y/sqrt(1 + y^2),    e = q_d - q

Laws compute Coulomb friction along the desired rate, F s(q_dot_d/u): at rest that is nothing, and a drive that sticks
beside its set point waits for an integral. Here the error itself gives the direction. Within x of the set point the
force is F e/x, a stiffness that `simulation.margins` counts; further away it is F and no more, so that it never drives
what friction does not hold. Nothing is switched and no dither is needed.
"""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca
from numpy.typing import ArrayLike

from parakin.control.definition import Gain, Given, Law, Update
from parakin.control.drive_friction import coulomb_of
from parakin.control.model import SMOOTHING, ControlModel
from parakin.control.parts.wearing import Answer, Part, label_of, need, values_for, wear
from parakin.control.units import unit_of
from parakin.dynamics.friction import smooth_sign
from parakin.errors import ControlError


def with_standstill_friction(
    law: Law, error: ArrayLike, force: ArrayLike | None = None, *, moving: bool = False
) -> Law:
    """Return a law that pushes a drive out of its dry friction towards its set point.

    `error` is the distance x from the set point at which 1/sqrt(2) of the force acts [m or rad]; `force` that of each
    drive F [N or N m], by default the Coulomb friction of the robot file. With `moving` the force along the desired
    rate is added as well, for laws that do not compute friction themselves, such as `pid`.

    >>> pid = pk.control.pid(robot)
    >>> freed = pk.control.with_standstill_friction(pid, error=1e-3, moving=True)
    >>> [gain.name for gain in freed.interface.gains[-3:]]
    ['standstill_force', 'standstill_error', 'standstill_rate']
    """
    label = label_of(law, "standstill")
    need(law, label, "desired_q", "desired_q_dot", "measured_q")
    model = ControlModel(law.robot)
    forces = values_for(
        law, f"{label}_force", coulomb_of(law.robot) if force is None else force, ">= 0", lambda one: one >= 0.0
    )
    if force is None and not any(forces):
        raise ControlError(law.name, label, f"{law.robot.name} has no Coulomb friction in its drives: give the force")
    gains = (
        Gain(f"{label}_force", unit_of(law.robot, "tau"), forces, "dry friction that is to be overcome"),
        Gain(
            f"{label}_error",
            unit_of(law.robot, "q"),
            values_for(law, f"{label}_error", error, "> 0", lambda one: one > 0.0),
            "distance from the set point at which most of the force acts",
        ),
        Gain(f"{label}_rate", unit_of(law.robot, "q_dot"), (SMOOTHING,), "rate at which the same is so"),
    )

    def tick(given: Given, answer: Answer) -> Update:
        desired = given["desired_q_dot"] / given[f"{label}_rate"]
        away = (given["desired_q"] - given["measured_q"]) / given[f"{label}_error"]
        along = 0 if moving else smooth_sign(desired, 1.0)
        added = given[f"{label}_force"] * (smooth_sign(desired + away, 1.0) - along)
        return Update({}, model.saturated(answer({}) + added))

    def start(given: Given) -> Mapping[str, ca.SX]:  # noqa: ARG001
        return {}

    return wear(law, Part(label, gains, (), start, tick))
