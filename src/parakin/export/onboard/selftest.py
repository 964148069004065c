"""The self-test of a block in C replays what its kernel was told, and compares all that it said."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from parakin.arrays import Array
from parakin.export.interface import Struct
from parakin.export.onboard.block import Block, Ticked
from parakin.export.selftest import TOLERANCE
from parakin.kernels.c_files import own_prefix
from parakin.kernels.c_source import EXACT


def selftest_text(block: Block, name: str, told: Mapping[str, Array], ticked: Ticked) -> str:
    """Write the C program that replays inputs (ticks, size) by members, and fails where an output differs."""
    own = own_prefix(name)
    outputs = np.concatenate([ticked.output[one.name] for one in block.output.members], axis=1)
    largest = np.nanmax(np.abs(outputs), axis=0, initial=0.0)
    ticks, width = outputs.shape
    return _SELFTEST.format(
        exact=EXACT,
        own=own,
        name=name,
        ticks=ticks,
        width=width,
        inputs=",\n    ".join(_rows(block.input, told)),
        outputs=",\n    ".join(f"{{{', '.join(map(_number, row))}}}" for row in outputs.tolist()),
        scale=", ".join(map(repr, np.where(largest > 0.0, largest, 1.0).tolist())),
        tolerance=TOLERANCE,
    )


def _number(value: float) -> str:
    return "NAN" if np.isnan(value) else repr(value)


def _rows(struct: Struct, told: Mapping[str, Array]) -> list[str]:
    """Return the C initialisers of a struct, one for each tick."""
    columns = [
        [f"{{{', '.join(map(_number, row))}}}" if one.size > 1 else _number(row[0]) for row in told[one.name].tolist()]
        for one in struct.members
    ]
    return [f"{{{', '.join(row)}}}" for row in zip(*columns, strict=True)]


_SELFTEST = """\
{exact}
#include <math.h>
#include <stdio.h>

#include "{name}.h"

/* What was told at every tick in Python, and what was said. */
static const {name}_input {own}input[{ticks}] = {{
    {inputs}
}};
static const double {own}output[{ticks}][{width}] = {{
    {outputs}
}};
/* The largest of each number. */
static const double {own}scale[{width}] = {{{scale}}};

int main(void)
{{
    {name}_state state = {name}_initial_state;
    union {{
        {name}_output output;
        double numbers[{width}];
    }} said;
    double worst = 0.0;
    int wrong = 0;
    for (int tick = 0; tick < {ticks}; ++tick) {{
        {name}_step(&state, &{name}_default_settings, &{own}input[tick], &said.output);
        for (int k = 0; k < {width}; ++k) {{
            const double recorded = {own}output[tick][k];
            const double off = fabs(said.numbers[k] - recorded) / {own}scale[k];
            const int both_nan = (said.numbers[k] != said.numbers[k]) && (recorded != recorded);
            worst = (off > worst) ? off : worst;
            if (!(off <= {tolerance}) && !both_nan) {{
                if (++wrong <= 10) {{
                    printf("tick %d: number %d is %.17g, recorded %.17g\\n", tick, k, said.numbers[k], recorded);
                }}
            }}
        }}
    }}
    printf("{name}: {ticks} ticks, %d values differ, the worst by %.1e of the largest\\n", wrong, worst);
    return wrong != 0;
}}
"""
