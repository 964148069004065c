"""The self-test of a controller in C replays a recorded closed loop and compares every force."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from parakin.arrays import Array
from parakin.control import Law
from parakin.export.interface import Member, Struct, Structs
from parakin.export.recording import Recording
from parakin.kernels.c_files import own_prefix
from parakin.kernels.c_source import EXACT

TOLERANCE = 1e-12
"""Largest difference of a force, as a share of its actuator's largest: libm and our functions differ in last digits."""
TOLERANCE_SINGLE = 5e-4
"""The same in single precision: as many of its last digits, for compilers that fuse a product and a sum."""


def tolerance(structs: Structs) -> float:
    """Return by how much a force may differ from the recorded one, as a share of its actuator's largest."""
    return TOLERANCE_SINGLE if structs.real == "float" else TOLERANCE


def selftest_text(law: Law, structs: Structs, name: str, recording: Recording) -> str:
    """Write the C program that replays a recording and fails where a force differs."""
    ports = {
        "reference": [wanted.port for wanted in law.interface.reference],
        "measurement": [f"measured_{what}" for what in law.interface.measurement],
    }
    guarded = law.guard is not None
    first = {port: values[None] for port, values in recording.first.items()}
    own = own_prefix(name)
    tables: list[str] = []
    for struct in (structs.reference, structs.measurement):
        for table, told in (("first", first), ("recorded", recording.told)):
            rows = _rows(struct, dict(zip((m.name for m in struct.members), ports[struct.kind], strict=True)), told)
            tables.append(_table(f"{name}_{struct.kind}", f"{own}{table}_{struct.kind}", "", rows))
    tables.append(
        _table(
            structs.real, f"{own}first_holding", f"[{structs.holding.size}]", _listed(structs.holding, first["holding"])
        )
    )
    tables.append(
        _table(structs.real, f"{own}recorded_tau", f"[{structs.tau.size}]", _listed(structs.tau, recording.command))
    )
    largest = np.abs(recording.command).max(axis=0)
    scale = np.where(largest > 0.0, largest, 1.0)
    return _SELFTEST.format(
        exact=EXACT,
        own=own,
        name=name,
        tables="\n".join(tables),
        ticks=len(recording.command),
        count=structs.tau.size,
        scale=", ".join(map(repr, scale.tolist())),
        real=structs.real,
        tolerance=tolerance(structs),
        supervision=f"    {name}_supervision supervision = {{0}};\n" if guarded else "",
        beat=f"        supervision.heartbeat = ({structs.real})(tick + 1);\n" if guarded else "",
        supervised=" &supervision," if guarded else "",
        judged=_JUDGED if guarded else "",
    )


def _listed(member: Member, values: Array) -> list[str]:
    return [member.braced(row) for row in values.tolist()]


def _rows(struct: Struct, ports: Mapping[str, str], told: Mapping[str, Array]) -> list[str]:
    """Return the C initialisers of a struct, one for each tick."""
    columns = [
        [member.initializer(row) for row in told[ports[member.name]].reshape(-1, member.size).tolist()]
        for member in struct.members
    ]
    return [f"{{{', '.join(row)}}}" for row in zip(*columns, strict=True)]


def _table(kind: str, name: str, shape: str, rows: list[str]) -> str:
    return f"static const {kind} {name}[{len(rows)}]{shape} = {{\n    " + ",\n    ".join(rows) + "\n};\n"


_JUDGED = "wrong += 0 != "
"""How the self-test counts a status that is not good as a wrong value."""
_SELFTEST = """\
{exact}
#include <math.h>
#include <stdio.h>

#include "{name}.h"

/* A closed loop in Python: before its first tick, and every tick. */
{tables}
/* The largest force each actuator was asked for. */
static const double {own}scale[{count}] = {{{scale}}};

int main(void)
{{
    {name}_state state;
    {real} tau[{count}];
    double worst = 0.0;
    int wrong = 0;
{supervision}    {judged}{name}_init(&state, &{name}_default_gains, {own}first_reference,
        {own}first_measurement, {own}first_holding[0]);
    for (int tick = 0; tick < {ticks}; ++tick) {{
{beat}        {judged}{name}_step(&state, &{name}_default_gains, &{own}recorded_reference[tick],
            &{own}recorded_measurement[tick],{supervised} tau);
        for (int k = 0; k < {count}; ++k) {{
            const double off = fabs((double)tau[k] - (double){own}recorded_tau[tick][k]) / {own}scale[k];
            worst = (off > worst) ? off : worst;
            if (!(off <= {tolerance})) {{
                if (++wrong <= 10) {{
                    printf("tick %d: tau[%d] is %.17g, recorded %.17g\\n", tick, k, (double)tau[k],
                        (double){own}recorded_tau[tick][k]);
                }}
            }}
        }}
    }}
    printf("{name}: {ticks} ticks, %d values differ, the worst by %.1e of its actuator's largest\\n", wrong, worst);
    return wrong != 0;
}}
"""
