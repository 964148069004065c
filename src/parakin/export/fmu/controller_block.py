"""A control law as a unit: set points and measurements in, forces out, once every period."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from parakin.arrays import Array
from parakin.control import Guard, GuardCause, GuardStatus, Law, guarded
from parakin.export.fmu.blocks import CLOCK, Block, Causality, Group, Variability, first_references, units_of
from parakin.export.interface import Member, Struct, Structs, structs_of
from parakin.export.law_source import header_text, law_kernels, source_text

HEARTBEAT = "heartbeat"
"""Signal of a supervisor that lives: an input only where the law's guard listens for it."""
VERDICT = ("guard_status", "guard_cause", "guard_brake")
"""What a guarded law says of a tick: outputs of its unit, and parts of its state."""

_LISTED = {
    f"guard_{what}": "; ".join(f"{each.value}: {each.words}" for each in kind)
    for what, kind in (("status", GuardStatus), ("cause", GuardCause))
}
"""What the numbers of a guard's outputs mean, one by one."""


def with_guard(law: Law) -> Law:
    """Return a law with the guard of its robot's file, which listens for no heartbeat: who steps a unit lives."""
    if law.guard:
        return law
    guard = Guard.of(law.robot, law.period, law.interface.lag)
    return guarded(law, replace(guard, heartbeat_ticks=0))


def controller_block(law: Law, name: str) -> Block:
    """Return the unit of a law, whose inputs start at home and at rest.

    Forces come out with the end of the step that began when its inputs were read: a tick later, as on most machines.
    """
    structs = structs_of(law)
    signals = () if structs.supervision is None or law.guard is None else structs.supervision.members
    heard = tuple(m for m in signals if m.name != HEARTBEAT or (law.guard and law.guard.heartbeat_ticks))
    said = tuple(m for m in structs.state.members if m.name in VERDICT)
    at_home = _at_home(law)
    told = (*structs.reference.members, *structs.measurement.members)
    groups = (
        *(_group(member, "parameter", "tunable", member.values) for member in structs.gains.members),
        _group(structs.holding, "parameter", "fixed", at_home["holding"]),
        *(_group(m, "input", "continuous", at_home[port]) for m, port in zip(told, law.interface.told, strict=True)),
        *(_group(member, "input", "discrete", (0.0,)) for member in heard),
        _group(structs.tau, "output", "discrete", ()),
        *(_group(replace(m, meaning=_LISTED.get(m.name, m.meaning)), "output", "discrete", ()) for m in said),
        CLOCK,
    )
    sources = {
        f"{name}.c": source_text(structs, law_kernels(law, structs), name),
        f"{name}.h": header_text(law, structs, name),
    }
    return Block(
        name,
        f"{law.name} for {law.robot.name}, one step every {1e3 * law.period:g} ms",
        law.period,
        groups,
        (f"{name}_state state", "double begun", "double ticks"),
        (f"{name}.h",),
        _functions(structs, name, first_references(groups), heard, said),
        sources,
    )


def _at_home(law: Law) -> dict[str, Array]:
    """Return what a law is told at home and at rest, by the names of its inputs, matrices row by row."""
    robot = law.robot
    n, count = robot.degrees_of_freedom, len(robot.actuator_names)
    q: Array = robot.inverse_kinematics(robot.home)
    at_rest = {"pose": robot.home, "q": q, "velocity": np.zeros(n), "acceleration": np.zeros(n)}
    at_rest |= {"q_dot": np.zeros(count), "q_ddot": np.zeros(count)}
    holding: Array = robot.inverse_dynamics(robot.home, np.zeros(n), np.zeros(n))
    desired = {w.port: np.repeat(at_rest[w.quantity], len(w.ahead)) for w in law.interface.reference}
    measured = {f"measured_{what}": at_rest[what] for what in law.interface.measurement}
    return desired | measured | {"holding": holding}


def _group(member: Member, causality: Causality, variability: Variability, starts: Sequence[float] | Array) -> Group:
    columns = member.shape[1] if len(member.shape) == 2 else 1
    units = [unit for unit in units_of(member.unit, member.shape[0]) for _ in range(columns)]
    return Group(member.name, causality, variability, tuple(units), member.meaning, tuple(map(float, starts)))


def _functions(
    structs: Structs, name: str, first: dict[str, int], heard: Sequence[Member], said: Sequence[Member]
) -> str:
    structures = (structs.gains, structs.reference, structs.measurement)
    signals = "".join(f"    supervision.{m.name} = self->value[{first[m.name]}];\n" for m in heard)
    verdict = "".join(f"    self->value[{first[m.name]}] = self->state.{m.name};\n" for m in said)
    return _FUNCTIONS.format(
        declared="" if structs.supervision is None else f"    {name}_supervision supervision = {{0}};\n",
        signals=signals,
        supervision="" if structs.supervision is None else " &supervision,",
        verdict=verdict,
        name=name,
        period=f"{name.upper()}_PERIOD",
        fetched="\n".join(line for struct in structures for line in _fetched(struct, first)),
        holding=first[structs.holding.name],
        first=_first_force(structs, first),
        tau=first[structs.tau.name],
        count=structs.tau.size,
    )


def _first_force(structs: Structs, first: dict[str, int]) -> str:
    """Write where the forces before the first tick are: the holding ones, or what a guard made of them."""
    guarded = any(member.name == "guard_force" for member in structs.state.members)
    one = "" if structs.tau.size == 1 else "[0]"
    return f"&self->state.guard_force{one}" if guarded else f"&self->value[{first[structs.holding.name]}]"


def _fetched(struct: Struct, first: dict[str, int]) -> list[str]:
    """Write how the members of a struct are fetched from the values."""
    lines: list[str] = []
    for member in struct.members:
        place, target = first[member.name], f"{struct.kind}->{member.name}"
        one = f"    {target} = self->value[{place}];"
        many = f"    memcpy({target}, &self->value[{place}], {member.size} * sizeof(double));"
        lines.append(one if member.size == 1 else many)
    return lines


_FUNCTIONS = """\
static void fetch(
    const core *self, {name}_gains *gains, {name}_reference *reference, {name}_measurement *measurement)
{{
{fetched}
}}

/* Begin with the inputs as they are. */
static void begin(core *self)
{{
    {name}_gains gains;
    {name}_reference reference;
    {name}_measurement measurement;
    fetch(self, &gains, &reference, &measurement);
    {name}_init(&self->state, &gains, &reference, &measurement, &self->value[{holding}]);
}}

const char *core_begin(core *self, double start)
{{
    begin(self);
    memcpy(&self->value[{tau}], {first}, {count} * sizeof(double));
{verdict}    self->begun = start;
    self->ticks = 0.0;
    self->value[CORE_TIME] = start;
    return NULL;
}}

/* All ticks from a time up to the end of a step, the end itself not among them; rounding of times does not count.
 * Before the first one the law begins anew, with the inputs of that tick: many tools set none before. */
const char *core_advance(core *self, double time, double step)
{{
    const double end = time + step - 1e-6 * {period};
    {name}_gains gains;
    {name}_reference reference;
    {name}_measurement measurement;
{declared}    if (!(step > 0.0 && step < 1e6 * {period})) {{
        return "a step must be longer than 0 and shorter than a million periods of the controller";
    }}
    if (self->ticks == 0.0) {{
        begin(self);
    }}
    fetch(self, &gains, &reference, &measurement);
{signals}    while (self->begun + self->ticks * {period} < end) {{
        {name}_step(&self->state, &gains, &reference, &measurement,{supervision} &self->value[{tau}]);
        self->ticks += 1.0;
    }}
{verdict}    self->value[CORE_TIME] = time + step;
    return NULL;
}}
"""
