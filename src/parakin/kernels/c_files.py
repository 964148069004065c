"""Write the three C files of a kernel: source, header, and a self-test that replays recorded states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from parakin.errors import CExportError
from parakin.files import write_texts
from parakin.kernels.arguments import Array, Socket, as_array
from parakin.kernels.c_source import EXACT, argument_names, c_source, math_text

if TYPE_CHECKING:
    from parakin.kernels.kernel import Kernel

ROUNDINGS = 16
"""How many times the change of an output when all inputs move by their last digit is allowed to a self-test.

An output that is nothing but rounding, as the residual of forward kinematics is, changes by its own size.
"""
FLOOR = 1e-15
"""Difference of an output, in its own unit, that a self-test never looks at."""
_RECORDED = 32
"""States that a self-test replays at least; of states drawn at random, exactly so many."""
_DRAWN = 256
"""States drawn at random where the caller gives none; those with outputs that are not finite are left out."""


@dataclass(frozen=True)
class CFiles:
    """Paths of the C files of one kernel."""

    source: Path
    """The source file, `name.c`."""
    header: Path
    """The header, `name.h`, which lists the arguments with shapes and units."""
    selftest: Path
    """The self-test, `name_selftest.c`, a program that returns non-zero if any value differs."""


def write(
    kernel: Kernel, directory: Path, name: str, samples: Mapping[str, ArrayLike] | None, tolerance: float
) -> CFiles:
    """Write a kernel as C function `name` with header and self-test, all three files or none."""
    c = c_source(kernel.plan, kernel.inputs, kernel.outputs, name, reciprocals=kernel.reciprocals, status=kernel.status)
    inputs, outputs = recorded(kernel, samples)
    allowed = _allowed(kernel, inputs, outputs, tolerance)
    guard = f"{name.upper()}_H"
    texts = {
        f"{name}.c": f'{EXACT}\n{math_text(c.definitions)}\n#include "{name}.h"\n\n{c.definitions}',
        f"{name}.h": f"#ifndef {guard}\n#define {guard}\n\n{c.declaration}\n#endif\n",
        f"{name}_selftest.c": _selftest(kernel, name, inputs, outputs, allowed),
    }
    return CFiles(*written(kernel.name, directory, texts))


def written(name: str, directory: Path, texts: Mapping[str, str]) -> list[Path]:
    """Write the C files of a kernel or a law, all or none, and return their paths. CExportError if that fails."""
    try:
        return write_texts(directory, texts)
    except OSError as error:
        reason = f"'{directory}' cannot be written: {error.strerror or error}; choose another directory"
        raise CExportError(name, reason) from error


def recorded(kernel: Kernel, samples: Mapping[str, ArrayLike] | None) -> tuple[list[Array], list[Array]]:
    """Return at least 32 states and what the kernel makes of them: inputs and outputs, each (state, element)."""
    if not kernel.outputs:
        raise CExportError(kernel.name, "has no outputs, so there is nothing to write in C")
    drawn = _random(kernel.inputs) if samples is None else _checked(kernel, samples)
    count = len(drawn[0]) if drawn else _DRAWN
    outputs = _results(kernel, drawn, count)
    good = np.all([np.isfinite(values).all(axis=1) for values in outputs], axis=0)
    if good.sum() < _RECORDED:
        raise CExportError(
            kernel.name,
            f"only {int(good.sum())} of {count} sample states have finite outputs, {_RECORDED} are needed; pass "
            "samples={input: (count, *shape)} from where the model is defined",
        )
    states = np.flatnonzero(good)[: _RECORDED if samples is None else None]
    inputs = [array.reshape(count, s.size)[states] for s, array in zip(kernel.inputs, drawn, strict=True)]
    return inputs, [values[states] for values in outputs]


def _results(kernel: Kernel, states: Sequence[Array], count: int) -> list[Array]:
    """Return what a kernel makes of states, one array (count, *shape) for each input: outputs, each (count, size)."""
    arrays = [array[:, None] if s.ticked else array for s, array in zip(kernel.inputs, states, strict=True)]
    result = kernel(*arrays, ticks=1 if kernel.scans else None)
    return [
        np.broadcast_to(np.asarray(result[s.name], np.float64).reshape(-1, s.size) if s.size else 0.0, (count, s.size))
        for s in kernel.outputs
    ]


def _allowed(kernel: Kernel, inputs: Sequence[Array], outputs: Sequence[Array], tolerance: float) -> list[float]:
    """Return for each output the largest difference that its self-test allows.

    It is a share of the output's largest value, and what roundings change: all inputs are moved by their last digit, up
    and down, and the largest change over all states is taken.
    """
    changes = [0.0] * len(outputs)
    for towards in (-np.inf, np.inf):
        moved = [
            np.where(values == 0.0, 0.0, np.nextafter(values, towards)).reshape(len(values), *s.shape)
            for s, values in zip(kernel.inputs, inputs, strict=True)
        ]
        for k, (old, new) in enumerate(zip(outputs, _results(kernel, moved, len(outputs[0])), strict=True)):
            off = np.abs(new - old)
            changes[k] = max(changes[k], float(np.max(off[np.isfinite(off)], initial=0.0)))
    largest = [float(np.max(np.abs(values), initial=0.0)) or 1.0 for values in outputs]
    return [
        max(FLOOR, float(tolerance) * size + ROUNDINGS * change) for size, change in zip(largest, changes, strict=True)
    ]


def _checked(kernel: Kernel, samples: Mapping[str, ArrayLike]) -> list[Array]:
    """Return the samples that a caller gave, one array for each input, all of one length."""
    missing = [s.name for s in kernel.inputs if s.name not in samples]
    if missing:
        raise CExportError(kernel.name, f"samples lack {', '.join(missing)}")
    unknown = sorted(samples.keys() - {s.name for s in kernel.inputs})
    if unknown:
        raise CExportError(kernel.name, f"samples have {', '.join(unknown)}, which is no input")
    arrays = [as_array(kernel.name, s.name, samples[s.name]) for s in kernel.inputs]
    for s, array in zip(kernel.inputs, arrays, strict=True):
        if array.shape != (len(arrays[0]) if arrays[0].ndim else 0, *s.shape) or len(array) < _RECORDED:
            shape = f"({', '.join(('count', *map(str, s.shape)))}) with the same count >= {_RECORDED} for all"
            raise CExportError(kernel.name, f"samples of {s.name} must have shape {shape}, got {array.shape}")
    return arrays


def _random(sockets: Iterable[Socket]) -> list[Array]:
    """Draw states from -1 to 1, with zeros where the model has structural ones."""
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


def own_prefix(name: str) -> str:
    """Return what the identifiers of a self-test begin with, so that none is one of the function or law it tests."""
    return "replayed_" if name.startswith("selftest") else "selftest_"


def _selftest(
    kernel: Kernel, name: str, inputs: Sequence[Array], outputs: Sequence[Array], allowed: Sequence[float]
) -> str:
    names_in, names_out = argument_names(kernel.inputs, kernel.outputs)
    own = own_prefix(name)
    tables = [_table(f"{own}in_{n}", values) for n, values in zip(names_in, inputs, strict=True)]
    tables += [_table(f"{own}want_{n}", values) for n, values in zip(names_out, outputs, strict=True)]
    results = [f"        double {own}got_{n}[{max(1, v.shape[1])}];" for n, v in zip(names_out, outputs, strict=True)]
    call = ", ".join([*(f"{own}in_{n}[{own}state]" for n in names_in), *(f"{own}got_{n}" for n in names_out)])
    checks: list[str] = []
    for n, values, most in zip(names_out, outputs, allowed, strict=True):
        where = f"{own}got_{n}, {own}want_{n}[{own}state], {values.shape[1]}"
        checks.append(f'        {own}wrong += {own}differ("{n}", {own}state, {where}, {most!r});')
    states = len(outputs[0]) if outputs else 0
    return _SELFTEST.format(
        exact=EXACT,
        own=own,
        name=name,
        tables="\n".join(tables),
        results="\n".join(results),
        call=call,
        checks="\n".join(checks),
        states=states,
    )


_SELFTEST = """\
{exact}
#include <math.h>
#include <stdio.h>

#include "{name}.h"

/* States recorded from the Python kernel. */
{tables}
static int {own}differ(
    const char *name, int state, const double *got, const double *want, int count, double allowed)
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
    int {own}wrong = 0;
    for (int {own}state = 0; {own}state < {states}; ++{own}state) {{
{results}
        {name}({call});
{checks}
    }}
    printf("{name}: {states} states, %d values differ\\n", {own}wrong);
    return {own}wrong != 0;
}}
"""
