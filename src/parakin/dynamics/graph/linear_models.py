"""Forces that are linear in some parameters, tau = known + Psi p, of a mechanism: what estimators evaluate.

`known` is what springs do. The programs take a configuration, so that nothing is searched for.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from parakin.dynamics.graph.actuation import linear_forces
from parakin.dynamics.graph.models import GraphSubject, Options, program_of_model
from parakin.dynamics.linear_models import Estimated, LinearPart, LinearPrograms, title_of
from parakin.dynamics.payload import Payload
from parakin.errors.capabilities import LEGS
from parakin.kernels import Program
from parakin.kinematics.model import Model
from parakin.mechanism.plan import Plan


def graph_linear_programs(plan: Plan, payload: Payload, estimated: Estimated) -> LinearPrograms:
    """Return what makes the programs of a mechanism; they take configuration, velocity, acceleration and tau."""
    if estimated == "nacelle":
        raise LEGS.error(plan.skeleton.description.name, "the model 'nacelle'", "'base'")
    options = Options(payload, from_pose=False, estimated=estimated)

    def program(part: LinearPart, columns: Sequence[int]) -> Program:
        name = f"{title_of(estimated)}_{part}"
        return program_of_model(name, plan, options, lambda subject: _model(subject, part, columns))

    return program


def _model(subject: GraphSubject, part: LinearPart, columns: Sequence[int]) -> Model:
    forces, p, moving = linear_forces(subject.machine.mechanics), subject.p, subject.moving
    assert p is not None
    tau = ca.SX.sym("tau", forces.tau.shape[0])
    state = {"velocity": moving.u, "acceleration": moving.u_dot, "tau": tau}
    if part == "residual":
        return Model(state | {"p": p}, {"remainder": tau - forces.tau}, forces.pivot)
    Psi = ca.densify(ca.jacobian(forces.tau, p))
    if part == "friction":
        return Model({"velocity": moving.u}, {"columns": Psi[:, list(columns)]}, forces.pivot)
    known = ca.substitute(forces.tau, p, ca.SX.zeros(p.shape[0]))
    return Model(state, {"rows": ca.densify(ca.horzcat(Psi, tau - known))}, forces.pivot)
