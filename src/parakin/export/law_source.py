"""A law becomes C99 text: a header with its structs, and a source file with `init` and `step`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap

import casadi as ca

from parakin.control import GuardCause, GuardStatus, Law
from parakin.export.first_place import placed_first
from parakin.export.interface import Member, Struct, Structs
from parakin.kernels import Kernel, Program
from parakin.kernels.c_math import steady_prelude
from parakin.kernels.c_single import narrowed
from parakin.kernels.c_source import EXACT, c_source, comment_text, math_text

_WIDTH = 116


def law_kernels(law: Law, structs: Structs) -> tuple[Kernel, Kernel]:
    """Return the kernels of `start` and `step`, with one argument for each member of the structs.

    C then passes members, not whole structs. Products and sums are not fused, because C99 does not fuse them either.
    """
    gains, state = _symbols("gain", structs.gains), _symbols("state", structs.state)
    supervision = {} if structs.supervision is None else _symbols("", structs.supervision)
    told = _symbols("", structs.reference) | _symbols("", structs.measurement)
    ports = {"gains": ca.vertcat(*gains.values())} | dict(zip(law.interface.told, told.values(), strict=True))
    holding = {"holding": ca.SX.sym("holding", structs.holding.size)}
    place = {"first_place": ca.SX.sym("first_place", len(law.robot.place_names))} if law.carries_place else {}
    first = law.start(**ports, **holding, **place)["state"]
    signals = dict(zip((signal.name for signal in law.interface.supervision), supervision.values(), strict=True))
    after = law.step(**ports, **signals, state=ca.vertcat(*state.values()))
    start = _function("first", told | gains | holding | place, _split(structs.state, first))
    outputs = _split(structs.state, after["next_state"]) | {"tau": after["tau"]}
    step = _function("law", state | told | gains | supervision, outputs)
    started = placed_first(law.robot, start) if law.carries_place else start
    programs = [part if isinstance(part, Program) else Program.of(part) for part in (started, step)]
    begin, tick = (program.in_single() if law.single else program for program in programs)
    if law.guard is None:
        return Kernel(begin, contraction=False), Kernel(tick, contraction=False)
    return (
        Kernel(begin, contraction=False, unchecked=tuple(told | gains | holding)),
        Kernel(tick, contraction=False, unchecked=step.name_in()),
    )


def _symbols(prefix: str, struct: Struct) -> dict[str, ca.SX]:
    return {
        name: ca.SX.sym(name, *member.shape)
        for member in struct.members
        for name in [f"{prefix}_{member.name}".strip("_")]
    }


def _split(struct: Struct, vector: ca.SX) -> dict[str, ca.SX]:
    """Cut a vector into the members of a struct, named as their values for the next tick."""
    parts: dict[str, ca.SX] = {}
    first = 0
    for member in struct.members:
        parts[f"next_{member.name}".strip("_")] = vector[first : first + member.size]
        first += member.size
    return parts


def _function(name: str, inputs: Mapping[str, ca.SX], outputs: Mapping[str, ca.SX]) -> ca.Function:
    return ca.Function(name, list(inputs.values()), list(outputs.values()), list(inputs), list(outputs), {"cse": True})


def source_text(structs: Structs, kernels: tuple[Kernel, Kernel], name: str) -> str:
    """Write the C source of a controller: default gains, the two kernels, and `init` and `step` around them."""
    start, step = (
        c_source(
            kernel.plan,
            kernel.inputs,
            kernel.outputs,
            f"{name}_{kernel.name}",
            reciprocals=kernel.reciprocals,
            steady=True,
            private=True,
            single=structs.real == "float",
        )
        for kernel in kernels
    )
    gains = [f"    .{member.name} = {member.initializer(member.values)}," for member in structs.gains.members]
    told = addresses("", "reference->", structs.reference) | addresses("", "measurement->", structs.measurement)
    told |= addresses("gain", "gains->", structs.gains)
    supervised = {} if structs.supervision is None else addresses("", "supervision->", structs.supervision)
    verdict = ["    return (int)state->guard_status;"] if supervised else []
    old, new = (addresses(*names, structs.state) for names in (("state", "state->"), ("next", "next.")))
    begun = addresses("next", "state->", structs.state)
    prelude = steady_prelude(start.definitions + step.definitions)
    prelude = narrowed(prelude) if structs.real == "float" else prelude
    lines = [
        EXACT,
        math_text(prelude + start.definitions + step.definitions),
        "#include <stdint.h>",
        "",
        f'#include "{name}.h"',
        "",
        prelude,
        f"const {name}_gains {name}_default_gains = {{",
        *gains,
        "};",
        "",
        start.definitions,
        step.definitions,
        _prototype(name, structs, "init"),
        "{",
        *call_lines(start.name, kernels[0], told | {"holding": "holding"} | begun),
        *verdict,
        "}",
        "",
        _prototype(name, structs, "step"),
        "{",
        f"    {name}_state next;",
        *call_lines(step.name, kernels[1], old | told | supervised | new | {"tau": "tau"}),
        "    *state = next;",
        *verdict,
        "}",
    ]
    return "\n".join(lines) + "\n"


def addresses(prefix: str, place: str, struct: Struct) -> dict[str, str]:
    """Return the addresses of a struct's members by the names that kernels have for them."""
    return {f"{prefix}_{member.name}".strip("_"): member.address(place) for member in struct.members}


def call_lines(function: str, kernel: Kernel, addresses: Mapping[str, str]) -> list[str]:
    """Write the call of a kernel, whose arguments are its inputs and then its outputs."""
    arguments = [addresses[socket.name] for socket in (*kernel.inputs, *kernel.outputs)]
    return wrapped(f"{function}({', '.join(arguments)});", "    ", "        ")


def _prototype(name: str, structs: Structs, which: str) -> str:
    count = f"[{structs.tau.size}]"
    last = f"const {structs.real} holding{count}" if which == "init" else f"{structs.real} tau{count}"
    supervised = () if which == "init" or structs.supervision is None else ("supervision",)
    kinds = ("gains", "reference", "measurement", *supervised)
    listed = [f"{name}_state *state", *(f"const {name}_{kind} *{kind}" for kind in kinds), last]
    returned = "void" if structs.supervision is None else "int"
    return f"{returned} {name}_{which}(\n    " + ",\n    ".join(listed) + ")"


def header_text(law: Law, structs: Structs, name: str) -> str:
    """Write the C header of a controller: the period, the structs with a comment for each member, and two functions."""
    what = f"{law.name} for {law.robot.name}, one step every {1e3 * law.period:g} ms."
    body = [
        *(line for struct in structs for line in (*struct_lines(struct, name), "")),
        *([] if law.guard is None else _enum_lines(name)),
        f"extern const {name}_gains {name}_default_gains;",
        "",
        *comment_lines([f"Before the first step, with the robot at rest. {_described(structs.holding)}"]),
        f"{_prototype(name, structs, 'init')};",
        "",
        *comment_lines([f"Once every period. {_described(structs.tau)}", _CHECKED[law.guard is not None]]),
        f"{_prototype(name, structs, 'step')};",
    ]
    return framed_header(what, name, law.period, body)


def framed_header(what: str, name: str, period: float, body: Sequence[str]) -> str:
    """Return a C header that says what it is, defines the period [s], and may be included twice, and by C++."""
    guard = f"{name.upper()}_H"
    lines = [
        f"/* {comment_text(what)} {name}.md says how to use it. */",
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        f"#define {name.upper()}_PERIOD {period!r} /* [s] */",
        "",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        "",
        *body,
        "",
        "#ifdef __cplusplus",
        "}",
        "#endif",
        "",
        "#endif",
    ]
    return "\n".join(lines) + "\n"


_CHECKED = {
    False: "Nothing is checked, pointers must not overlap.",
    True: "Returns the status; tau is finite and within its limits whatever was told. Pointers must not overlap.",
}
"""What the header says of numbers, without a guard and with one."""


def _enum_lines(name: str) -> list[str]:
    """Write the numbers of a guard's status and causes, each with what it means."""
    lines: list[str] = []
    for kind, values in (("status", tuple(GuardStatus)), ("cause", tuple(GuardCause))):
        labels = [f"{name.upper()}_{kind.upper()}_{each.name} = {each.value}" for each in values]
        ends = [","] * (len(values) - 1) + [""]
        rows = (f"    {row}{end} /* {each.words} */" for row, end, each in zip(labels, ends, values, strict=True))
        lines += [f"/* Numbers of guard_{kind}. */", "enum {", *rows, "};", ""]
    return lines


def struct_lines(struct: Struct, name: str) -> list[str]:
    """Write the declaration of a struct, with a comment for each member."""
    lines = [*comment_lines([f"{struct.meaning[0].upper()}{struct.meaning[1:]}."]), "typedef struct {"]
    for member in struct.members:
        shape = f" {member.shape[0]} x {member.shape[1]}, row by row:" if len(member.shape) == 2 else ""
        lines += [*comment_lines([f"[{member.unit}]{shape} {member.meaning}"], "    "), f"    {member.declaration};"]
    return [*lines, f"}} {name}_{struct.kind};"]


def _described(member: Member) -> str:
    return f"{member.name} [{member.unit}]: {member.meaning}."


def comment_lines(texts: Sequence[str], indent: str = "") -> list[str]:
    """Write sentences as a comment in C."""
    *lines, last = wrapped(comment_text(" ".join(texts)), f"{indent}/* ", f"{indent} * ")
    return [*lines, f"{last} */"]


def wrapped(text: str, first: str, later: str) -> list[str]:
    """Return a text in lines of C, the first and the later ones with their indents."""
    return wrap(
        text,
        _WIDTH,
        initial_indent=first,
        subsequent_indent=later,
        break_on_hyphens=False,
        break_long_words=False,
    )
