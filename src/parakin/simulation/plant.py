"""The robot as it really is: exact forward dynamics, stepped by RK4, with its parameters as inputs.

What depends on parameters and payload alone is worked out once a tick, so that free parameters cost next to nothing
in the sixteen evaluations after that; what is zero in every scenario is not computed.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from parakin.description import RobotDescription
from parakin.dynamics.friction import smooth_sign
from parakin.dynamics.functions import inertia_of
from parakin.dynamics.mechanics import Acting, mechanics
from parakin.dynamics.parameters import parameters_of
from parakin.dynamics.terms import forward_dynamics
from parakin.errors import UnsupportedRobotError
from parakin.kernels import repeat, stage
from parakin.kernels.program import Repeat, Step
from parakin.kinematics.platform import pose_rate


@dataclass(frozen=True)
class Pattern:
    """Which entries of the parameters and of a payload are not zero in every scenario."""

    parameters: tuple[bool, ...]
    payload: tuple[bool, ...]


@dataclass(frozen=True)
class Plant:
    """constants: parameters, payload, smoothing, tick, payload_tick -> constants.

    acceleration: stage_pose, stage_velocity, tau, wrench, constants -> acceleration.
    """

    motion: str
    constants: ca.Function
    acceleration: ca.Function


def plant_of(description: RobotDescription, pattern: Pattern) -> Plant:
    """The two functions that forward dynamics falls into."""
    p = ca.SX.sym("parameters", len(parameters_of(description)))
    payload, smoothing = ca.SX.sym("payload", 10), ca.SX.sym("smoothing")
    wrench = ca.SX.sym("wrench", len(description.workspace.lower))
    acting = Acting(
        payload=inertia_of(_masked(payload, pattern.payload)) if any(pattern.payload) else None,
        wrench=wrench,
        sign=lambda rate: smooth_sign(rate, smoothing),
    )
    made = mechanics(description, _masked(p, pattern.parameters), acting)
    moving = made.moving
    if moving.z.shape[0]:
        raise UnsupportedRobotError(description.name, "a leg has no closed form, which simulation needs")
    tau = ca.SX.sym("tau", moving.q.shape[0])
    acceleration, constants, values = _separated(forward_dynamics(made, tau), ca.vertcat(p, payload, smoothing))
    inputs = [moving.pose, moving.velocity, tau, wrench, constants]
    names = ["stage_pose", "stage_velocity", "tau", "wrench", "constants"]
    return Plant(
        description.motion,
        _constants(p, payload, smoothing, values),
        ca.Function(f"{description.name}_plant", inputs, [acceleration], names, ["acceleration"], {"cse": True}),
    )


def _masked(vector: ca.SX, pattern: tuple[bool, ...]) -> ca.SX:
    return ca.vertcat(*(vector[k] if there else ca.SX(0) for k, there in enumerate(pattern)))


def _separated(expression: ca.SX, constant: ca.SX) -> tuple[ca.SX, ca.SX, ca.SX]:
    """The expression with its constant parts as symbols; those symbols; their values.

    CasADi leaves a bare symbol where it is: it becomes a part of its own.
    """
    rest, symbols, values = ca.extract_parametric(ca.cse(ca.densify(expression)), constant, {})
    names = {symbol.name() for symbol in ca.symvar(constant)}
    bare = [symbol for symbol in ca.symvar(rest) if symbol.name() in names]
    return rest, ca.vertcat(*symbols, *bare), ca.vertcat(*values, *bare)


def _constants(p: ca.SX, payload: ca.SX, smoothing: ca.SX, values: ca.SX) -> ca.Function:
    """The constant parts at a tick: the payload counts from its tick on."""
    tick, payload_tick = ca.SX.sym("tick"), ca.SX.sym("payload_tick")
    found = ca.substitute(values, payload, ca.if_else(tick >= payload_tick, payload, 0))
    inputs = [p, payload, smoothing, tick, payload_tick]
    names = ["parameters", "payload", "smoothing", "tick", "payload_tick"]
    return ca.Function("plant_constants", inputs, [ca.densify(found)], names, ["constants"], {"cse": True})


def rk4_steps(plant: Plant, step: float, count: int) -> Repeat:
    """`count` steps of `step` s from pose and velocity under constant tau and wrench.

    k_1 = f(y),  k_2 = f(y + h/2 k_1),  k_3 = f(y + h/2 k_2),  k_4 = f(y + h k_3),  y + h/6 (k_1 + 2 k_2 + 2 k_3 + k_4)
    """
    body: list[Step] = []
    for weight, onward in ((0.0, 0.5), (2.0, 0.5), (2.0, 1.0)):
        body += [stage(plant.acceleration), _between(plant, step, weight, onward)]
    return repeat(count, *body, stage(plant.acceleration), _final(plant, step))


def _symbols(plant: Plant) -> dict[str, ca.SX]:
    poses: int = plant.acceleration.size1_in("stage_pose")
    freedom: int = plant.acceleration.size1_in("stage_velocity")
    sizes = dict.fromkeys(("pose", "stage_pose", "pose_sum"), poses)
    sizes |= dict.fromkeys(("velocity", "stage_velocity", "velocity_sum", "acceleration"), freedom)
    return {name: ca.SX.sym(name, size) for name, size in sizes.items()}


def _between(plant: Plant, step: float, weight: float, onward: float) -> Step:
    """Add k to the sums (weight 0: begin them) and go on to the next of the four states."""
    x = _symbols(plant)
    rate = pose_rate(plant.motion, x["stage_pose"], x["stage_velocity"])
    begins = weight == 0.0
    outputs = {
        "next_pose_sum": rate if begins else x["pose_sum"] + weight * rate,
        "next_velocity_sum": x["acceleration"] if begins else x["velocity_sum"] + weight * x["acceleration"],
        "next_stage_pose": x["pose"] + onward * step * rate,
        "next_stage_velocity": x["velocity"] + onward * step * x["acceleration"],
    }
    if begins:
        del x["pose_sum"], x["velocity_sum"]
    function = ca.Function("rk4_between", list(x.values()), list(outputs.values()), list(x), list(outputs))
    return stage(function, **{name: name.removeprefix("next_") for name in outputs})


def _final(plant: Plant, step: float) -> Step:
    """The state after the step, quaternions of unit length again; the next step's first of the four."""
    x = _symbols(plant)
    rate = pose_rate(plant.motion, x["stage_pose"], x["stage_velocity"])
    pose = x["pose"] + step / 6 * (x["pose_sum"] + rate)
    if plant.motion == "spatial":
        pose = ca.vertcat(pose[:3], pose[3:] / ca.norm_2(pose[3:]))
    velocity = x["velocity"] + step / 6 * (x["velocity_sum"] + x["acceleration"])
    outputs = {"next_pose": pose, "next_velocity": velocity}
    outputs |= {"next_stage_pose": pose, "next_stage_velocity": velocity}
    function = ca.Function("rk4_final", list(x.values()), list(outputs.values()), list(x), list(outputs))
    return stage(function, **{name: name.removeprefix("next_") for name in outputs})
