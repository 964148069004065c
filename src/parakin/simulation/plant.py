"""The plant is the robot as it really is: exact forward dynamics, stepped by RK4, with its parameters as inputs.

What depends on parameters and payload alone is computed once a tick, so that free parameters cost next to nothing in
the sixteen evaluations after that; what is zero in every scenario is not computed.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from parakin.dynamics.equation import EquationOfMotion
from parakin.dynamics.friction import smooth_sign
from parakin.dynamics.mechanics import Acting
from parakin.kernels import repeat, shortcut, stage
from parakin.kernels.program import Repeat, Step
from parakin.robot import Robot
from parakin.simulation.drive_forces import JointState, Symbols, cable_wrench, drive_forces, drive_symbols
from parakin.simulation.imperfections import NO_EFFECTS, Effects
from parakin.units import ANGLE

BRISTLES = ("bristle", "slid")
"""Signals of stiction that go on from step to step: the bend of the bristles, and the position where it was that."""


@dataclass(frozen=True)
class Pattern:
    """Which numbers of a plant have to be computed with, because some scenario does not have zero there."""

    parameters: tuple[bool, ...]
    """For each parameter, whether it is not zero in the robot file or in some scenario."""
    payload: tuple[bool, ...]
    """For each of the ten inertial parameters of a payload, whether it is not zero in some scenario."""


@dataclass(frozen=True)
class Plant:
    """Forward dynamics in functions: one to be called once a tick, others at every evaluation of RK4.

    Where a place is no pose its rate comes with the acceleration, for both need the loops, and after each step a Newton
    step closes them again. Both are computed in a fixed order of elimination, and once more with exchange of rows
    where that order is not trusted.
    """

    placed: EquationOfMotion
    """The robot at a place."""
    constants: ca.Function
    """What does not change within a tick: parameters, payload, smoothing, tick, payload_tick -> constants."""
    acceleration: tuple[ca.Function, ...]
    """The acceleration: stage_place, stage_velocity, tau, wrench, constants -> acceleration (, place_rate, doubt).

    One function, or a quick one and a sure one for where that doubts. Imperfections of drives and a cable give it
    further inputs and outputs: `motor_acceleration`, and the bristles after the way gone, `next_bristle`, `next_slid`.
    """
    closing: tuple[ca.Function, ...]
    """A Newton step: place -> closed_place (, closing_doubt); none where a place is the pose."""
    effects: Effects = NO_EFFECTS
    """The imperfections that it has."""

    @property
    def searched(self) -> bool:
        """Whether a place is more than a pose."""
        return bool(self.closing)


def plant_of(robot: Robot, pattern: Pattern, effects: Effects = NO_EFFECTS) -> Plant:
    """Make the plant of a robot, without what the pattern says is always zero, and with these imperfections."""
    p, payload, smoothing = ca.SX.sym("parameters", len(pattern.parameters)), ca.SX.sym("payload", 10), ca.SX.sym("s")
    tau, wrench = ca.SX.sym("tau", len(robot.actuator_names)), ca.SX.sym("wrench", robot.wrench_size)
    acting = Acting(wrench=wrench, sign=lambda rate: smooth_sign(rate, smoothing))
    carried = _masked(payload, pattern.payload) if any(pattern.payload) else None
    known = _masked(p, pattern.parameters)
    sure = robot.placed(acting, known, carried)
    inputs, names = [sure.place, sure.velocity, tau, wrench], ["stage_place", "stage_velocity", "tau", "wrench"]
    real = _Imperfect(robot, effects, tau, wrench, _effect_symbols(robot, effects))
    ways = [real.accelerations(sure)]
    closing = [{"closed_place": sure.closed}]
    if not robot.place_is_pose:
        quick = robot.placed(acting, known, carried, surely=False)
        doubt = ca.logic_not(quick.trusted)
        ways[0]["place_rate"] = sure.place_rate
        there = real.accelerations(quick) | {"place_rate": quick.place_rate, "doubt": doubt}
        shut = {"closed_place": quick.closed, "closing_doubt": doubt}
        same = [quick.place, quick.velocity], inputs[:2]
        if not quick.trusted.is_constant():
            ways.insert(0, _exchanged(there, *same))
            closing.insert(0, _exchanged(shut, *same))
    accelerations = ca.vertcat(*(way["acceleration"] for way in ways))
    rest, constants, values = _separated(accelerations, ca.vertcat(p, payload, smoothing))
    freedom = robot.degrees_of_freedom
    for k, way in enumerate(ways):
        way["acceleration"] = rest[k * freedom : (k + 1) * freedom]
    label = f"{robot.name}_plant"
    return Plant(
        sure,
        _constants(p, payload, smoothing, values),
        tuple(
            _function(label, [*inputs, constants, *real.x.values()], [*names, "constants", *real.x], way)
            for way in ways
        ),
        () if robot.place_is_pose else tuple(_function("close", inputs[:1], ["place"], way) for way in closing),
        effects,
    )


def _effect_symbols(robot: Robot, effects: Effects) -> Symbols:
    """Return symbols of what imperfections add to the inputs of a plant, by the names of their signals."""
    cable = {"cable": ca.SX.sym("cable", 9)} if effects.cable else {}
    return drive_symbols(effects, len(robot.actuator_names)) | cable


@dataclass(frozen=True)
class _Imperfect:
    """What stands between the forces of the motors and the robot, and beside the wrench on its platform."""

    robot: Robot
    """The robot."""
    effects: Effects
    """Its imperfections."""
    tau: ca.SX
    """Symbols of the motors' forces."""
    wrench: ca.SX
    """Symbols of the wrench on the platform."""
    x: Symbols
    """Symbols of all else that the imperfections need, by the names of their signals."""

    def accelerations(self, placed: EquationOfMotion) -> dict[str, ca.SX]:
        """Return the acceleration of the robot, and what goes on in imperfect drives."""
        acceleration = placed.forward_dynamics(self.tau)
        effects, x = self.effects, self.x
        if effects.cable:
            pull = cable_wrench(self.robot.motion_type, placed.pose, x["cable"])
            acceleration = ca.substitute(acceleration, self.wrench, self.wrench + pull)
        if not effects.in_drives:
            return {"acceleration": acceleration}
        turning = [actuator.units is ANGLE for actuator in self.robot.actuators]
        forces = drive_forces(effects, x, self.tau, JointState(placed.q, placed.q_dot, turning))
        found = {"acceleration": ca.substitute(acceleration, self.tau, forces.on_joints)}
        if forces.motor_acceleration is not None:
            found["motor_acceleration"] = forces.motor_acceleration
        if forces.bristle is not None and forces.slid is not None:
            found |= {"next_bristle": forces.bristle, "next_slid": forces.slid + 0}
        return found


def _function(name: str, inputs: list[ca.SX], names: list[str], outputs: dict[str, ca.SX]) -> ca.Function:
    return ca.Function(name, inputs, list(outputs.values()), names, list(outputs), {"cse": True})


def _exchanged(outputs: dict[str, ca.SX], symbols: list[ca.SX], others: list[ca.SX]) -> dict[str, ca.SX]:
    """Return expressions in other symbols of the same shapes."""
    values = ca.substitute(list(outputs.values()), symbols, others)
    return dict(zip(outputs, values, strict=True))


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


def rk4_steps(plant: Plant, step: float | ca.SX, count: int) -> Repeat:
    """Make `count` RK4 steps of `step` s from place and velocity, under constant tau and wrench.

    A step that is a symbol becomes an input of its name. Motors on springs have positions and rates that are stepped
    along; how far bristles are bent is told at the first of the four points, from which the other three count.

    k_1 = f(y_1),  y_2 = y + h/2 k_1,  y_3 = y + h/2 k_2,  y_4 = y + h k_3,  y + h/6 (k_1 + 2 k_2 + 2 k_3 + k_4)

    y_1 = y. Each of the four has signals of its own, so that only the last stage overwrites what it reads. Closing
    loops after a step moves a place by the error of the step, so that the order of RK4 stays what it is.
    """
    points = [_point(plant, number) for number in (1, 2, 3, 4)]
    body: list[Step] = [points[0].evaluated()]
    for before, here, onward in zip(points, points[1:], (0.5, 0.5, 1.0), strict=False):
        body += [_onward(points[0], before, here, onward * step), here.evaluated()]
    closing = (
        [_either(plant.closing, "closing_doubt", {"place": "open_place", "closed_place": "place"})]
        if plant.searched
        else []
    )
    return repeat(count, *body, _final(points, step), *closing)


def _either(ways: tuple[ca.Function, ...], doubt: str, names: dict[str, str]) -> Step:
    """Return a stage of the only way, or of the first and, for where that doubts, of the second."""
    stages = [stage(way, **_those(names, way)) for way in ways]
    return stages[0] if len(stages) == 1 else shortcut(*stages, doubt=names.get(doubt, doubt))


def _those(names: dict[str, str], function: ca.Function) -> dict[str, str]:
    there = [*function.name_in(), *function.name_out()]
    return {name: signal for name, signal in names.items() if name in there}


@dataclass(frozen=True)
class _Point:
    """One of the four points at which RK4 evaluates the plant."""

    plant: Plant
    """The plant that is evaluated."""
    number: int
    """Which of the four it is."""
    signals: dict[str, ca.SX]
    """Symbols of the point's place, velocity and acceleration, in this order, by the names of their signals; and of the
    place's rate where that is evaluated with the acceleration.
    """
    motors: dict[str, ca.SX]
    """Symbols of the position, rate and acceleration of motors on springs, by the names of their signals; or none."""

    def evaluated(self) -> Step:
        """Evaluate the plant's acceleration at this point."""
        names = dict(zip(("stage_place", "stage_velocity", "acceleration", "place_rate"), self.signals, strict=False))
        names |= dict(zip(("stage_motor", "stage_motor_rate", "motor_acceleration"), self.motors, strict=False))
        if self.plant.effects.stiction:
            names |= {f"next_{name}": f"{name}_{self.number}" for name in BRISTLES}
            names |= {} if self.number == 1 else {name: f"{name}_1" for name in BRISTLES}
        return _either(self.plant.acceleration, "doubt", names | {"doubt": f"doubt_{self.number}"})

    @property
    def y(self) -> ca.SX:
        """The state: place and velocity, and those of motors on springs."""
        place, velocity, *_ = self.signals.values()
        return ca.vertcat(place, velocity, *list(self.motors.values())[:2])

    @property
    def k(self) -> ca.SX:
        """The rate of the state: rate of the place and acceleration."""
        place, velocity, acceleration, *rates = self.signals.values()
        motors = list(self.motors.values())[1:]
        if rates:
            return ca.vertcat(rates[0], acceleration, *motors)
        placed = self.plant.placed
        rate = ca.Function("place_rate", [placed.place, placed.velocity], [placed.place_rate])
        return ca.vertcat(rate(place, velocity), acceleration, *motors)

    @property
    def states(self) -> dict[str, ca.SX]:
        """The symbols of the state by the names of their signals."""
        return dict(list(self.signals.items())[:2]) | dict(list(self.motors.items())[:2])

    def split(self, y: ca.SX) -> list[ca.SX]:
        """Split a state into its parts, in the order of `states`."""
        ends = np.cumsum([symbol.shape[0] for symbol in self.states.values()]).tolist()
        return [y[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _point(plant: Plant, number: int) -> _Point:
    numbers, freedom = plant.placed.place.shape[0], plant.placed.velocity.shape[0]
    end = "" if number == 1 else f"_{number}"
    sizes = {f"place{end}": numbers, f"velocity{end}": freedom, f"acceleration_{number}": freedom}
    sizes |= {f"place_rate_{number}": numbers} if plant.searched else {}
    motors: dict[str, int] = {}
    if plant.effects.elastic:
        motors = dict.fromkeys(
            (f"motor{end}", f"motor_rate{end}", f"motor_acceleration_{number}"), plant.placed.q.shape[0]
        )
    return _Point(
        plant,
        number,
        {name: ca.SX.sym(name, size) for name, size in sizes.items()},
        {name: ca.SX.sym(name, size) for name, size in motors.items()},
    )


def _onward(y: _Point, before: _Point, here: _Point, step: float | ca.SX) -> Step:
    """Go to the next point: y_here = y + step k_before."""
    x = y.states | before.signals | before.motors | _told(step)
    names = list(here.states)
    return stage(ca.Function("rk4_onward", list(x.values()), here.split(y.y + step * before.k), list(x), names))


def _told(step: float | ca.SX) -> dict[str, ca.SX]:
    """Return the symbol of a step by its name; none of a number."""
    return {symbol.name(): symbol for symbol in ca.symvar(step)} if isinstance(step, ca.SX) else {}


def _final(points: list[_Point], step: float | ca.SX) -> Step:
    """Go to the state after the step, with quaternions brought back to unit length."""
    y, second, third, fourth = points
    place, *others = y.split(y.y + step / 6 * (y.k + 2 * second.k + 2 * third.k + fourth.k))
    x = {name: symbol for point in points for name, symbol in (point.signals | point.motors).items()} | _told(step)
    after = [y.plant.placed.normalized(place), *others]
    names = {f"next_{name}": name for name in y.states}
    if y.plant.effects.stiction:
        known = {f"{name}_1": ca.SX.sym(name, y.plant.placed.q.shape[0]) for name in BRISTLES}
        x, after = x | known, [*after, *(symbol + 0 for symbol in known.values())]
        names |= {f"next_{name}": name for name in BRISTLES}
    function = ca.Function("rk4_final", list(x.values()), after, list(x), list(names))
    return stage(function, **(names | ({"next_place": "open_place"} if y.plant.searched else {})))
