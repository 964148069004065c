"""Forces that are linear in some parameters, tau = known + Psi p, of a robot of legs: what estimators evaluate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import casadi as ca

from parakin.description import RobotDescription
from parakin.dynamics.mechanics import Acting, Mechanics, Sign, mechanics
from parakin.dynamics.parameters import BODY_UNITS, parameters_of
from parakin.dynamics.payload import Payload
from parakin.kernels import Program
from parakin.kinematics.model import Model, actuation_pivot, program_of

Places = tuple[tuple[int, ...], ...]
"""Where parameters stand among all of a robot: several places of one that bodies share. All others are zero."""
Estimated = Places | Literal["payload", "nacelle"]
"""Which parameters p are: some of the robot's own, the ten of a payload, or those of [Vivas2003] Table 1."""
LinearPart = Literal["rows", "residual", "friction"]
"""What is computed: [Psi, tau - known]; tau - known - Psi p, without making Psi; or the columns of friction alone."""
LinearPrograms = Callable[[LinearPart, Sequence[int]], Program]
"""What makes such a program; the numbers are those of the columns that are friction."""
TITLES = {"payload": "payload", "nacelle": "nacelle"}
"""What programs are called whose parameters are not places."""


@dataclass(frozen=True)
class _Form:
    """Symbols of a linear form: tau = known + Psi p."""

    made: Mechanics
    Psi: ca.SX
    p: ca.SX
    tau: ca.SX
    """The forces as they come, which takes far fewer operations than Psi."""
    known: ca.SX | float = 0.0


def title_of(estimated: Estimated) -> str:
    """Return what programs of a linear form are called after."""
    return TITLES[estimated] if isinstance(estimated, str) else "base_parameters"


def linear_programs(description: RobotDescription, payload: Payload, estimated: Estimated) -> LinearPrograms:
    """Return what makes the programs of a robot of legs; they take pose, velocity, acceleration and tau."""
    form = cache(lambda: _form(description, payload, estimated))

    def program(part: LinearPart, columns: Sequence[int]) -> Program:
        made = form()
        if part == "friction":
            model = _column_model(made, columns)
        else:
            model = _row_model(made) if part == "rows" else _residual_model(made)
        return program_of(f"{title_of(estimated)}_{part}", model, made.made.moving, description)

    return program


def mechanics_of_places(
    description: RobotDescription, payload: Payload, places: Places, sign: Sign = ca.sign
) -> tuple[Mechanics, ca.SX]:
    """Return a robot with symbols p in place of some parameters; all others are zero, as their columns do not count."""
    p = ca.SX.sym("p", len(places))
    every = in_places(p, places, len(parameters_of(description, payload)))
    return mechanics(description, payload, every, Acting(sign=sign)), p


def in_places(p: ca.SX, places: Places, count: int) -> ca.SX:
    """Return all `count` parameters of a robot: p in their places, zero elsewhere."""
    every = ca.SX.zeros(count)
    for k, where in enumerate(places):
        for place in where:
            every[place] = p[k]
    return every


def _form(description: RobotDescription, payload: Payload, estimated: Estimated) -> _Form:
    from parakin.dynamics.body_by_body import tau as body_by_body_tau

    if estimated == "payload":
        ten = ca.SX.sym("payload", len(BODY_UNITS))
        made = mechanics(description, ten)
        tau = body_by_body_tau(made).tau
        return _Form(made, ca.densify(ca.jacobian(tau, ten)), ten, tau, ca.substitute(tau, ten, ca.SX.zeros(10)))
    if estimated == "nacelle":
        from parakin.dynamics.simplified import nacelle_form

        made = mechanics(description, payload)
        Psi = nacelle_form(made).Psi
        p = ca.SX.sym("p", Psi.shape[1])
        return _Form(made, Psi, p, Psi @ p)
    from parakin.dynamics.regressor import regressor

    made, p = mechanics_of_places(description, payload, estimated)
    return _Form(made, regressor(made, p).tau, p, body_by_body_tau(made).tau)


def _state_of(form: _Form) -> dict[str, ca.SX]:
    """The inputs of rows and residuals: a state and the forces in it."""
    moving = form.made.moving
    tau = ca.SX.sym("tau", form.tau.shape[0])
    return {"pose": moving.pose, "velocity": moving.velocity, "acceleration": moving.acceleration, "tau": tau}


def _row_model(form: _Form) -> Model:
    inputs = _state_of(form)
    rows = ca.densify(ca.horzcat(form.Psi, inputs["tau"] - form.known))
    return Model(inputs, {"rows": rows}, _pivot(form))


def _residual_model(form: _Form) -> Model:
    inputs = _state_of(form)
    remainder = inputs["tau"] - form.tau
    return Model(inputs | {"p": form.p}, {"remainder": remainder}, _pivot(form))


def _column_model(form: _Form, columns: Sequence[int]) -> Model:
    moving = form.made.moving
    inputs = {"pose": moving.pose, "velocity": moving.velocity}
    return Model(inputs, {"columns": form.Psi[:, list(columns)]}, _pivot(form))


def _pivot(form: _Form) -> ca.SX:
    return actuation_pivot(form.made.moving, form.made.description)
