"""Models of a mechanism for solvers that find its configuration themselves: the configuration is a variable.

A search inside a model is no expression that a solver for optimal control could derive. There the configuration is a
variable beside the pose, and that the loops close is a constraint:

    closure(configuration, pose) = 0,        tau = inverse_dynamics(configuration, velocity, acceleration)

Expressions are as they are, without a status: on its way a solver has loops that are open, and must see numbers.
"""

from __future__ import annotations

import casadi as ca

from parakin.dynamics.graph.models import MODELS, GraphBuilder, GraphSubject, Options, graph_model, graph_subject
from parakin.kinematics.graph.closing import configuration_rates, coordinates_of_pose
from parakin.kinematics.model import Model
from parakin.mechanism.kinds import Move
from parakin.mechanism.plan import Plan


def graph_function(name: str, plan: Plan, options: Options) -> ca.Function:
    """Return a model as a function of the configuration; loops are eliminated in the plan's order."""
    subject = graph_subject(name, plan, options, surely=False)
    model = graph_model({**LIFTED, **MODELS}[name], subject, options.by)
    inputs = {"configuration": subject.moving.c, **model.inputs, **subject.extras}
    full_name = f"{plan.skeleton.description.name}_{name}"
    outputs = dict(model.outputs)
    return ca.Function(
        full_name, list(inputs.values()), list(outputs.values()), list(inputs), list(outputs), {"cse": True}
    )


def _closure(subject: GraphSubject) -> Model:
    """Return what is zero where a configuration has closed loops, quaternions of unit length, and a given pose.

    It has as many entries as the configuration, which it determines wherever that is not singular.
    """
    moving, plan = subject.moving, subject.moving.plan
    pose = ca.SX.sym("pose", len(plan.independent))
    rows = moving.rows.values[list(plan.pivots.rows)]
    lengths = [ca.sumsqr(moving.c[k : k + 4]) - 1 for k in _quaternions(plan)]
    closure = ca.vertcat(rows, *lengths, coordinates_of_pose(plan, moving.c) - pose)
    return Model({"pose": pose}, {"closure": closure})


def _configuration_rate(subject: GraphSubject) -> Model:
    """Return d(configuration)/dt for independent velocities."""
    moving = subject.moving
    rate = configuration_rates(moving.plan.skeleton, moving.c, moving.t)
    return Model({"velocity": moving.u}, {"configuration_dot": rate})


def _quaternions(plan: Plan) -> list[int]:
    """Return where in a configuration quaternions begin."""
    places: list[int] = []
    for link in plan.skeleton.links:
        k = link.coordinate
        for move, _ in link.joint.kind.moves:
            if move is Move.BALL:
                places.append(k)
            k += 4 if move is Move.BALL else 1
    return places


LIFTED: dict[str, GraphBuilder] = {
    "closure": _closure,
    "configuration_rate": _configuration_rate,
}
"""Models that only make sense where the configuration is a variable, by name."""
