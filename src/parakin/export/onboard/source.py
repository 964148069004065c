"""A block becomes C99 text: a header with its structs, and a source file with its table and one function, `step`."""

from __future__ import annotations

from parakin.export.interface import Struct
from parakin.export.law_source import addresses, call_lines, comment_lines, framed_header, struct_lines
from parakin.export.onboard.block import ROWS, Block, Table
from parakin.export.onboard.states import MachineState
from parakin.kernels.c_math import steady_prelude
from parakin.kernels.c_source import EXACT, c_source, math_text


def source_text(block: Block, name: str) -> str:
    """Write the C source of a block: defaults, the table, the kernel, and `step` around it."""
    kernel = block.kernel
    tick = c_source(
        kernel.plan,
        kernel.inputs,
        kernel.outputs,
        f"{name}_tick",
        reciprocals=kernel.reciprocals,
        steady=True,
        private=True,
    )
    told = addresses("setting", "settings->", block.settings) | addresses("input", "input->", block.input)
    told |= addresses("state", "state->", block.state) | addresses("next", "next.", block.state)
    told |= addresses("output", "output->", block.output)
    if block.table is not None:
        width = block.table.rows.shape[1]
        rows = (f"{name}_rows + {width} * {name}_row(state->{_row(block.table, k)})" for k in range(block.table.looks))
        told |= dict(zip(block.table.names, rows, strict=True))
    prelude = steady_prelude(tick.definitions)
    lines = [
        EXACT,
        math_text(prelude + tick.definitions),
        "#include <stdint.h>",
        "",
        f'#include "{name}.h"',
        "",
        prelude,
        *_defaults(block.settings, name, "default_settings"),
        *_defaults(block.state, name, "initial_state"),
        *([] if block.table is None else _table_lines(block.table, f"{name}_rows")),
        tick.definitions,
        _prototype(block, name),
        "{",
        f"    {name}_state next;",
        *call_lines(tick.name, kernel, told),
        "    *state = next;",
        *(["    return (int)output->state;"] if is_machine(block) else []),
        "}",
    ]
    return "\n".join(lines) + "\n"


def is_machine(block: Block) -> bool:
    """Tell whether a block has states of a machine, which its step returns."""
    return any(one.name == "state" for one in block.output.members)


def _row(table: Table, look: int) -> str:
    return ROWS if table.looks == 1 else f"{ROWS}[{look}]"


def _defaults(struct: Struct, name: str, what: str) -> list[str]:
    """Write the constant with a struct's defaults."""
    rows = [f"    .{member.name} = {member.initializer(member.values)}," for member in struct.members]
    return [f"const {name}_{struct.kind} {name}_{what} = {{", *rows, "};", ""]


def _table_lines(table: Table, name: str) -> list[str]:
    """Write the table as constants, row after row, for a tick looks at a row and at the one after it."""
    count, width = table.rows.shape
    rows = [f"    {', '.join(map(repr, row))}," for row in table.rows.tolist()]
    return [
        f"/* {count} rows of {width}. */",
        f"static const double {name}[{count * width}] = {{",
        *rows,
        "};",
        "",
        *_row_lines(name, count),
    ]


def _row_lines(name: str, count: int) -> list[str]:
    """Write the function that makes a number of a state a row with one after it, whatever the number is."""
    return [
        f"static int {name[:-1]}(double row)",
        "{",
        f"    return (row >= 0.0 && row <= {count - 2}.0) ? (int)row : 0;",
        "}",
        "",
    ]


def _prototype(block: Block, name: str) -> str:
    listed = [
        f"{name}_state *state",
        f"const {name}_settings *settings",
        f"const {name}_input *input",
        f"{name}_output *output",
    ]
    return f"{'int' if is_machine(block) else 'void'} {name}_step(\n    " + ",\n    ".join(listed) + ")"


def header_text(block: Block, name: str) -> str:
    """Write the C header of a block: the period, the structs with a comment for each member, and its function."""
    what = f"{block.title}, one step every {1e3 * block.period:g} ms."
    body = [
        *(line for struct in block for line in (*struct_lines(struct, name), "")),
        *(_states(name) if is_machine(block) else []),
        f"extern const {name}_settings {name}_default_settings;",
        *comment_lines(["What a state is before the first step: copy it."]),
        f"extern const {name}_state {name}_initial_state;",
        "",
        *comment_lines([f"Once every period. {_RETURNS[is_machine(block)]}Pointers must not overlap."]),
        f"{_prototype(block, name)};",
    ]
    return framed_header(what[0].upper() + what[1:], name, block.period, body)


_RETURNS = {True: "Returns the state. ", False: ""}
"""What the header says of the result of a step, of a machine and of other blocks."""


def _states(name: str) -> list[str]:
    """Write the numbers of the states, each with what it means."""
    rows = [
        f"    {name.upper()}_{state.name} = {state.value}{',' if state is not MachineState.FAULT else ''}"
        f" /* {state.words} */"
        for state in MachineState
    ]
    return ["/* What step returns. */", "enum {", *rows, "};", ""]
