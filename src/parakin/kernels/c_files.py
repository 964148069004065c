"""The three files of a kernel in C: source, header, and a self-test that replays recorded states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from parakin.errors import CExportError
from parakin.kernels.arguments import Array, Socket, as_array
from parakin.kernels.c_source import argument_names, c_source

if TYPE_CHECKING:
    from parakin.kernels.kernel import Kernel

TOLERANCE = 1e-12
"""Of the self-test, relative to the largest recorded value of an output: libm and our functions differ in the last
digits. Nothing else does: states are recorded from a kernel that, like C99, does not fuse products with sums."""
_RECORDED = 32
_DRAWN = 256


@dataclass(frozen=True)
class CFiles:
    """Where they are."""

    source: Path
    header: Path
    selftest: Path


def write(
    kernel: Kernel, directory: Path, name: str, samples: Mapping[str, ArrayLike] | None, tolerance: float
) -> CFiles:
    c = c_source(kernel.plan, kernel.inputs, kernel.outputs, name, reciprocals=kernel.reciprocals)
    inputs, outputs = recorded(kernel, samples)
    guard = f"{name.upper()}_H"
    texts = {
        f"{name}.c": f'#include <math.h>\n\n#include "{name}.h"\n\n{c.definitions}',
        f"{name}.h": f"#ifndef {guard}\n#define {guard}\n\n{c.declaration}\n#endif\n",
        f"{name}_selftest.c": _selftest(kernel, name, inputs, outputs, tolerance),
    }
    directory.mkdir(parents=True, exist_ok=True)
    for file, text in texts.items():
        (directory / file).write_text(text, encoding="ascii")
    return CFiles(*(directory / file for file in texts))


def recorded(kernel: Kernel, samples: Mapping[str, ArrayLike] | None) -> tuple[list[Array], list[Array]]:
    """At least 32 states and what the kernel makes of them, as (state, element)."""
    if samples is None:
        drawn = _random(kernel.inputs)
    else:
        missing = [s.name for s in kernel.inputs if s.name not in samples]
        if missing:
            raise CExportError(kernel.name, f"samples lack {', '.join(missing)}")
        drawn = [as_array(kernel.name, s.name, samples[s.name]) for s in kernel.inputs]
    arrays = [array[:, None] if s.ticked else array for s, array in zip(kernel.inputs, drawn, strict=True)]
    ticks = 1 if any(s.ticked for s in (*kernel.inputs, *kernel.outputs)) else None
    result = kernel(*arrays, ticks=ticks)
    count = _RECORDED if samples is None else max((len(array) for array in drawn), default=_RECORDED)
    outputs = [np.asarray(result[s.name], np.float64).reshape(-1, s.size) for s in kernel.outputs]
    good = np.all([np.isfinite(values).all(axis=1) for values in outputs], axis=0)
    if good.sum() < _RECORDED:
        raise CExportError(
            kernel.name,
            f"only {int(good.sum())} of {len(good)} sample states have finite outputs, {_RECORDED} are needed; pass "
            "samples={input: (count, *shape)} from where the model is defined",
        )
    states = np.flatnonzero(good)[:count]
    inputs = [array.reshape(-1, s.size)[states] for s, array in zip(kernel.inputs, drawn, strict=True)]
    return inputs, [values[states] for values in outputs]


def _random(sockets: Iterable[Socket]) -> list[Array]:
    rng = np.random.default_rng(0)
    drawn: list[Array] = []
    for s in sockets:
        values = rng.uniform(-1.0, 1.0, (_DRAWN, s.size))
        values[:, sorted(set(range(s.size)) - s.port.pattern)] = 0.0
        drawn.append(values.reshape(_DRAWN, *s.shape))
    return drawn


def _table(name: str, values: Array) -> str:
    rows = (f"    {{{', '.join(map(repr, row.tolist())) or '0.0'}}}" for row in values)
    return f"static const double {name}[{len(values)}][{max(1, values.shape[1])}] = {{\n" + ",\n".join(rows) + "\n};\n"


def _selftest(kernel: Kernel, name: str, inputs: Sequence[Array], outputs: Sequence[Array], tolerance: float) -> str:
    names_in, names_out = argument_names(kernel.inputs, kernel.outputs)
    tables = [_table(f"in_{n}", values) for n, values in zip(names_in, inputs, strict=True)]
    tables += [_table(f"want_{n}", values) for n, values in zip(names_out, outputs, strict=True)]
    results = [f"        double got_{n}[{max(1, v.shape[1])}];" for n, v in zip(names_out, outputs, strict=True)]
    call = ", ".join([*(f"in_{n}[state]" for n in names_in), *(f"got_{n}" for n in names_out)])
    checks: list[str] = []
    for n, values in zip(names_out, outputs, strict=True):
        largest = float(np.max(np.abs(values), initial=0.0))
        allowed = tolerance * (largest or 1.0)
        checks.append(
            f'        wrong += differ("{n}", state, got_{n}, want_{n}[state], {values.shape[1]}, {allowed!r});'
        )
    states = len(outputs[0]) if outputs else 0
    return _SELFTEST.format(
        name=name,
        tables="\n".join(tables),
        results="\n".join(results),
        call=call,
        checks="\n".join(checks),
        states=states,
    )


_SELFTEST = """\
#include <math.h>
#include <stdio.h>

#include "{name}.h"

/* States recorded from the Python kernel. */
{tables}
static int differ(const char *name, int state, const double *got, const double *want, int count, double allowed)
{{
    int wrong = 0;
    for (int k = 0; k < count; ++k) {{
        if (!(fabs(got[k] - want[k]) <= allowed)) {{
            printf("state %d: %s[%d] is %.17g, recorded %.17g\\n", state, name, k, got[k], want[k]);
            ++wrong;
        }}
    }}
    return wrong;
}}

int main(void)
{{
    int wrong = 0;
    for (int state = 0; state < {states}; ++state) {{
{results}
        {name}({call});
{checks}
    }}
    printf("{name}: {states} states, %d values differ\\n", wrong);
    return wrong != 0;
}}
"""
