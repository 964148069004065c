"""The plant is the robot as it really is: exact forward dynamics, stepped by RK4, with its parameters as inputs.

What depends on parameters and payload alone is computed once a tick, so that free parameters cost next to nothing in
the sixteen evaluations after that; what is zero in every scenario is not computed.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from parakin.description import RobotDescription
from parakin.dynamics.friction import smooth_sign
from parakin.dynamics.mechanics import Acting, mechanics
from parakin.dynamics.parameters import parameters_of
from parakin.dynamics.terms import forward_dynamics
from parakin.errors import UnsupportedRobotError
from parakin.kernels import repeat, stage
from parakin.kernels.program import Repeat, Step
from parakin.motions import MotionType


@dataclass(frozen=True)
class Pattern:
    """Which numbers of a plant have to be computed with, because some scenario does not have zero there."""

    parameters: tuple[bool, ...]
    """For each parameter, whether it is not zero in the robot file or in some scenario."""
    payload: tuple[bool, ...]
    """For each of the ten inertial parameters of a payload, whether it is not zero in some scenario."""


@dataclass(frozen=True)
class Plant:
    """Forward dynamics in two functions: one to be called once a tick, one at every evaluation of RK4."""

    motion: MotionType
    """The type of platform motion."""
    constants: ca.Function
    """What does not change within a tick: parameters, payload, smoothing, tick, payload_tick -> constants."""
    acceleration: ca.Function
    """The platform's acceleration: stage_pose, stage_velocity, tau, wrench, constants -> acceleration."""


def plant_of(description: RobotDescription, pattern: Pattern) -> Plant:
    """Make the plant of a robot, without what the pattern says is always zero."""
    p = ca.SX.sym("parameters", len(parameters_of(description, None)))
    payload, smoothing = ca.SX.sym("payload", 10), ca.SX.sym("smoothing")
    wrench = ca.SX.sym("wrench", len(description.workspace.lower))
    acting = Acting(
        wrench=wrench,
        sign=lambda rate: smooth_sign(rate, smoothing),
    )
    carried = _masked(payload, pattern.payload) if any(pattern.payload) else None
    made = mechanics(description, carried, _masked(p, pattern.parameters), acting)
    moving = made.moving
    if moving.z.shape[0]:
        raise UnsupportedRobotError(description.name, "a leg has no closed form, which simulation needs")
    tau = ca.SX.sym("tau", moving.q.shape[0])
    acceleration, constants, values = _separated(forward_dynamics(made, tau), ca.vertcat(p, payload, smoothing))
    inputs = [moving.pose, moving.velocity, tau, wrench, constants]
    names = ["stage_pose", "stage_velocity", "tau", "wrench", "constants"]
    return Plant(
        description.motion_type,
        _constants(p, payload, smoothing, values),
        ca.Function(f"{description.name}_plant", inputs, [acceleration], names, ["acceleration"], {"cse": True}),
    )


def _masked(vector: ca.SX, pattern: tuple[bool, ...]) -> ca.SX:
    return ca.vertcat(*(vector[k] if there else ca.SX(0) for k, there in enumerate(pattern)))


def _separated(expression: ca.SX, constant: ca.SX) -> tuple[ca.SX, ca.SX, ca.SX]:
    """Return an expression with its constant parts replaced by symbols, those symbols, and their values.

    CasADi leaves a bare symbol where it is: it becomes a part of its own.
    """
    rest, symbols, values = ca.extract_parametric(ca.cse(ca.densify(expression)), constant, {})
    names = {symbol.name() for symbol in ca.symvar(constant)}
    bare = [symbol for symbol in ca.symvar(rest) if symbol.name() in names]
    return rest, ca.vertcat(*symbols, *bare), ca.vertcat(*values, *bare)


def _constants(p: ca.SX, payload: ca.SX, smoothing: ca.SX, values: ca.SX) -> ca.Function:
    """Return the function for the constant parts at a tick; the payload counts from its tick on."""
    tick, payload_tick = ca.SX.sym("tick"), ca.SX.sym("payload_tick")
    at_tick = ca.substitute(values, payload, ca.if_else(tick >= payload_tick, payload, 0))
    inputs = [p, payload, smoothing, tick, payload_tick]
    names = ["parameters", "payload", "smoothing", "tick", "payload_tick"]
    return ca.Function("plant_constants", inputs, [ca.densify(at_tick)], names, ["constants"], {"cse": True})


def rk4_steps(plant: Plant, step: float, count: int) -> Repeat:
    """Make `count` RK4 steps of `step` s from pose and velocity, under constant tau and wrench.

    k_1 = f(y_1),  y_2 = y + h/2 k_1,  y_3 = y + h/2 k_2,  y_4 = y + h k_3,  y + h/6 (k_1 + 2 k_2 + 2 k_3 + k_4)

    y_1 = y. Each of the four has signals of its own, so that only the last stage overwrites what it reads.
    """
    points = [_point(plant, number) for number in (1, 2, 3, 4)]
    body: list[Step] = [points[0].evaluated()]
    for before, here, onward in zip(points, points[1:], (0.5, 0.5, 1.0), strict=False):
        body += [_onward(points[0], before, here, onward * step), here.evaluated()]
    return repeat(count, *body, _final(points, step))


@dataclass(frozen=True)
class _Point:
    """One of the four points at which RK4 evaluates the plant."""

    plant: Plant
    """The plant that is evaluated."""
    signals: dict[str, ca.SX]
    """Symbols of the point's pose, velocity and acceleration, in this order, by the names of their signals."""

    def evaluated(self) -> Step:
        """Evaluate the plant's acceleration at this point."""
        names = dict(zip(("stage_pose", "stage_velocity", "acceleration"), self.signals, strict=True))
        return stage(self.plant.acceleration, **names)

    @property
    def y(self) -> ca.SX:
        """The state: pose and velocity."""
        pose, velocity, _ = self.signals.values()
        return ca.vertcat(pose, velocity)

    @property
    def k(self) -> ca.SX:
        """The rate of the state: rate of the pose and acceleration."""
        pose, velocity, acceleration = self.signals.values()
        return ca.vertcat(self.plant.motion.pose_rate(pose, velocity), acceleration)

    def split(self, y: ca.SX) -> list[ca.SX]:
        """Split a state into pose and velocity."""
        poses: int = self.plant.acceleration.size1_in("stage_pose")
        return [y[:poses], y[poses:]]


def _point(plant: Plant, number: int) -> _Point:
    poses: int = plant.acceleration.size1_in("stage_pose")
    freedom: int = plant.acceleration.size1_in("stage_velocity")
    end = "" if number == 1 else f"_{number}"
    sizes = {f"pose{end}": poses, f"velocity{end}": freedom, f"acceleration_{number}": freedom}
    return _Point(plant, {name: ca.SX.sym(name, size) for name, size in sizes.items()})


def _onward(y: _Point, before: _Point, here: _Point, step: float) -> Step:
    """Go to the next point: y_here = y + step k_before."""
    x = dict(list(y.signals.items())[:2]) | before.signals
    names = list(here.signals)[:2]
    return stage(ca.Function("rk4_onward", list(x.values()), here.split(y.y + step * before.k), list(x), names))


def _final(points: list[_Point], step: float) -> Step:
    """Go to the state after the step, with quaternions brought back to unit length."""
    y, second, third, fourth = points
    pose, velocity = y.split(y.y + step / 6 * (y.k + 2 * second.k + 2 * third.k + fourth.k))
    x = {name: symbol for point in points for name, symbol in point.signals.items()}
    names = ["next_pose", "next_velocity"]
    function = ca.Function("rk4_final", list(x.values()), [y.plant.motion.normalized(pose), velocity], list(x), names)
    return stage(function, next_pose="pose", next_velocity="velocity")
