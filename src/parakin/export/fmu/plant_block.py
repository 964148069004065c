"""A robot as a unit: forces in, positions and rates out, by the exact dynamics and RK4 of `simulation.plant`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import casadi as ca
import numpy as np

from parakin.arrays import Array
from parakin.control.units import unit_of
from parakin.dynamics.mechanics import Acting
from parakin.errors import CExportError
from parakin.export.first_place import placed_first
from parakin.export.fmu.blocks import CLOCK, Block, Group, first_references, units_of
from parakin.kernels import Kernel, Program
from parakin.kernels.c_source import EXACT, c_source
from parakin.robot import Robot
from parakin.simulation.plant import Pattern, Plant, plant_of, rk4_steps
from parakin.simulation.scenario import Scenario, file_parameters, unloaded
from parakin.simulation.stepped_modes import has_springs, worst_mode
from parakin.units import ANGLE

LONGEST_STEP = 2.5e-4
"""Longest step of RK4 [s], that of a simulation with four in a tick of 1 ms; a communication step is divided evenly."""
LASTING = 10.0
"""Time in which a spring's oscillation keeps its amplitude to 5 %, by steps as short as that takes [s]."""
FINEST = 1024
"""How many times shorter than the longest a step may be."""
COMMUNICATION = 1e-3
"""Time between two communications that tools are told of [s]: a tick of most controllers."""
PAYLOAD = ("mass", "mx", "my", "mz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
"""Names of what a payload is to the forces: mass, first moments and inertia about the platform's origin."""
_PAYLOAD_UNITS = ("kg", *["kg m"] * 3, *["kg m^2"] * 6)


def plant_block(robot: Robot, name: str) -> Block:
    """Return the unit of a robot, which starts at home and at rest.

    Its parameters are those of the robot file that are not zero, the payload, and where the robot begins.
    """
    empty = unloaded(robot)
    there = tuple(bool(value) for value in file_parameters(robot))
    groups = (*_parameter_groups(robot, there), *_motion_groups(robot), CLOCK)
    plant = plant_of(empty, Pattern(there, (True,) * 10))
    kernels = _kernels(empty, plant, there)
    sources = [
        c_source(kernel.plan, kernel.inputs, kernel.outputs, f"{name}_{kernel.name}", reciprocals=kernel.reciprocals)
        for kernel in kernels.values()
    ]
    declared = "".join(f"{source.declaration}\n" for source in sources)
    defined = "\n".join(source.definitions for source in sources)
    header = f"#ifndef {name.upper()}_MODEL_H\n#define {name.upper()}_MODEL_H\n\n{declared}\n#endif\n"
    sizes = {"place": len(robot.place_names), "speed": robot.degrees_of_freedom}
    sizes |= {"constants": max(1, plant.constants.size1_out(0))}
    return Block(
        name,
        f"{robot.name}, its exact dynamics",
        COMMUNICATION,
        groups,
        tuple(f"double {what}[{size}]" for what, size in sizes.items()),
        (f"{name}_model.h",),
        _functions(name, kernels, first_references(groups), sizes, _longest_step(robot)),
        {
            f"{name}_model.c": f'{EXACT}\n#include <math.h>\n\n#include "{name}_model.h"\n\n{defined}',
            f"{name}_model.h": header,
        },
    )


def _longest_step(robot: Robot) -> float:
    """Return the longest step of RK4 [s]: LONGEST_STEP, or less by a power of two where a stiff spring needs it."""
    mode = worst_mode(robot, Scenario(), robot.home[None], LONGEST_STEP, LASTING) if has_springs(robot) else None
    finer = 1 if mode is None else mode.finer
    if finer > FINEST:
        raise CExportError(robot.name, f"its spring takes steps of {LONGEST_STEP / finer:.3g} s: make it softer")
    return LONGEST_STEP / finer


def _parameter_groups(robot: Robot, there: Sequence[bool]) -> tuple[Group, ...]:
    table = [p for p, used in zip(unloaded(robot).parameter_table, there, strict=True) if used]
    units, values = tuple(p.unit or "1" for p in table), tuple(p.value for p in table)
    moments, friction = "about the platform's origin", "rate below which friction is smooth"
    return (
        Group("parameter", "parameter", "tunable", units, "of the dynamics", values, tuple(p.name for p in table)),
        Group("payload", "parameter", "tunable", _PAYLOAD_UNITS, moments, tuple(robot.payload.about_E), PAYLOAD),
        Group("smoothing", "parameter", "tunable", ("rad/s or m/s",), friction, (Scenario().smoothing,)),
    )


def _motion_groups(robot: Robot) -> tuple[Group, ...]:
    n, count = robot.degrees_of_freedom, len(robot.actuator_names)
    sizes = {"pose": len(robot.home), "velocity": n, "q": count, "q_dot": count, "tau": count}
    units = {what: units_of(unit_of(robot, what), size) for what, size in sizes.items()}
    holding: Array = robot.inverse_dynamics(robot.home, np.zeros(n), np.zeros(n))
    given = tuple(float(force) for force in holding)
    turning = [axis is ANGLE for axis in robot.motion_type.axes] if robot.legs else [False] * 3 + [True] * 3
    loads = tuple("N m" if turns else "N" for turns in turning)
    return (
        Group("start_pose", "parameter", "fixed", units["pose"], "where it begins", tuple(robot.home.tolist())),
        Group("start_velocity", "parameter", "fixed", units["velocity"], "how fast it begins", (0.0,) * n),
        Group("tau", "input", "continuous", units["tau"], "forces of the actuators", given),
        Group("wrench", "input", "continuous", loads, "force and moment on the platform", (0.0,) * len(loads)),
        Group("q", "output", "continuous", units["q"], "positions of the actuators"),
        Group("q_dot", "output", "continuous", units["q_dot"], "rates of the actuators"),
        Group("pose", "output", "continuous", units["pose"], "pose of the platform"),
        Group("velocity", "output", "continuous", units["velocity"], "velocity of the platform"),
    )


def _kernels(robot: Robot, plant: Plant, there: Sequence[bool]) -> dict[str, Kernel]:
    """Return what a plant computes, by the names of its functions in C; nothing is fused, as in C99."""
    placed = robot.placed(Acting())
    seen = {"q": placed.q, "q_dot": placed.q_dot, "pose": placed.pose + 0}
    look = _function("look", {"place": placed.place, "velocity": placed.velocity}, seen)
    step = ca.SX.sym("step")
    programs = {
        "first": _first(robot),
        "constants": Program.of(_constants(plant, there)),
        "step": Program(rk4_steps(plant, step, 1), outputs=("place", "velocity"), name="step"),
        "look": Program.of(look),
    }
    return {name: Kernel(program, contraction=False).surely() for name, program in programs.items()}


def _first(robot: Robot) -> Program:
    """Return the place of the pose that a plant begins at."""
    if robot.place_is_pose:
        pose = ca.SX.sym("desired_pose", len(robot.home))
        return Program.of(_function("first", {"desired_pose": pose}, {"first": pose + 0}))
    place = ca.SX.sym("first_place", len(robot.place_names))
    return placed_first(robot, _function("first", {"first_place": place}, {"first": place + 0}))


def _constants(plant: Plant, there: Sequence[bool]) -> ca.Function:
    """Return what depends on parameters alone, of those that are not zero; the payload is carried at once."""
    kept, payload = ca.SX.sym("parameter", sum(there)), ca.SX.sym("payload", 10)
    smoothing = ca.SX.sym("smoothing")
    numbers = iter(ca.vertsplit(kept))
    p = ca.vertcat(*(next(numbers) if used else ca.SX(0) for used in there))
    values = plant.constants(p, payload, smoothing, 0, 0)
    return _function("constants", {"parameter": kept, "payload": payload, "smoothing": smoothing}, {"values": values})


def _function(name: str, inputs: Mapping[str, ca.SX], outputs: Mapping[str, ca.SX]) -> ca.Function:
    return ca.Function(name, list(inputs.values()), list(outputs.values()), list(inputs), list(outputs), {"cse": True})


def _functions(
    name: str, kernels: Mapping[str, Kernel], first: Mapping[str, int], sizes: Mapping[str, int], longest: float
) -> str:
    values = {group: f"&self->value[{place}]" for group, place in first.items()}
    kept = {"place": "self->place", "velocity": "self->speed", "constants": "self->constants"}
    calls = {
        "first": values | {"desired_pose": values["start_pose"], "first": "self->place"},
        "constants": values | {"values": "self->constants"},
        "look": values | kept | {"velocity": "self->speed"},
        "step": values | kept | {"step": "&share"},
    }
    given = {key: _call(f"{name}_{key}", kernels[key], calls[key]) for key in ("first", "constants", "look")}
    onward = {"place": "place", "velocity": "speed"}
    return _FUNCTIONS.format(
        **given,
        step=_call(f"{name}_step", kernels["step"], calls["step"], onward),
        start_velocity=first["start_velocity"],
        q=first["q"],
        seen=first["time"] - first["q"],
        velocity=first["velocity"],
        places=sizes["place"],
        speeds=sizes["speed"],
        longest=longest,
    )


def _call(function: str, kernel: Kernel, inputs: Mapping[str, str], outputs: Mapping[str, str] | None = None) -> str:
    """Write the call of a kernel; outputs go where inputs of the same name come from, unless another place is given."""
    told = [inputs[socket.name] for socket in kernel.inputs]
    given = [(outputs or inputs)[socket.name] for socket in kernel.outputs]
    return f"{function}({', '.join(told + given)});"


_FUNCTIONS = """\
/* What is seen of the plant. Returns what is wrong, or NULL. */
static const char *look(core *self)
{{
    double sum = 0.0;
    {look}
    memcpy(&self->value[{velocity}], self->speed, sizeof self->speed);
    for (int k = 0; k < {seen}; ++k) {{
        sum += 0.0 * self->value[{q} + k];
    }}
    return sum == 0.0 ? NULL : "the robot is where its model ends: out of reach, singular, or without mass";
}}

const char *core_begin(core *self, double start)
{{
    {first}
    memcpy(self->speed, &self->value[{start_velocity}], sizeof self->speed);
    self->value[CORE_TIME] = start;
    return look(self);
}}

const char *core_advance(core *self, double time, double step)
{{
    if (!(step > 0.0 && step < 1e6 * {longest!r})) {{
        return "a step must be longer than 0 and shorter than a million steps of the integration";
    }}
    const double count = ceil(step / {longest!r} - 1e-6);
    const double share = count > 0.0 ? step / count : 0.0;
    double place[{places}], speed[{speeds}];
    {constants}
    for (double k = 0.0; k < count; k += 1.0) {{
        {step}
        memcpy(self->place, place, sizeof place);
        memcpy(self->speed, speed, sizeof speed);
    }}
    self->value[CORE_TIME] = time + step;
    return look(self);
}}
"""
