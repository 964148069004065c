"""Guarded controllers in C, called through ctypes, answer every fault with the bits of the lane kernel."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

import parakin as pk
from parakin import control
from parakin.arrays import Array
from parakin.errors import CExportError
from parakin.export import export_controller
from parakin.export.interface import Struct
from parakin.export.law_source import header_text, source_text
from tests.c_code import STRICT
from tests.control.fault_table import TICKS, Table, law_of, run, table_of


def compiled(table: Table, directory: Path) -> ctypes.CDLL:
    """The controller as a library."""
    (directory / "one.c").write_text(source_text(table.structs, table.kernels, "one"))
    (directory / "one.h").write_text(header_text(table.law, table.structs, "one"))
    library = directory / "one.so"
    subprocess.run([*STRICT, "-shared", "-fPIC", str(directory / "one.c"), "-o", str(library), "-lm"], check=True)
    return ctypes.CDLL(str(library))


def packed(struct: Struct, prefix: str, values: Mapping[str, Array]) -> Array:
    """The numbers of a struct at each tick, one after the other (ticks, numbers)."""
    names = [f"{prefix}_{member.name}".strip("_") for member in struct.members]
    return np.concatenate([values[name].reshape(len(values[name]), -1) for name in names], axis=1)


def replayed(table: Table, library: ctypes.CDLL, kind: int) -> tuple[Array, Array, list[int]]:
    """Forces, states and returned statuses of one kind, from C."""
    structs = table.structs
    assert structs.supervision is not None
    state = np.full(sum(member.size for member in structs.state.members), np.nan)
    tau = np.full(structs.tau.size, np.nan)
    prefixes = {"gains": "gain", "reference": "", "measurement": "", "supervision": ""}
    told = [struct for struct in structs if struct.kind in prefixes]
    first = {name: values[None] for name, values in table.first.items()}
    begun = [packed(struct, prefixes[struct.kind], first) for struct in told[:-1]]
    rows = {name: values[:, kind] for name, values in table.rows.items()}
    given = [np.ascontiguousarray(packed(struct, prefixes[struct.kind], rows)) for struct in told]

    def at(array: Array, tick: int = 0) -> ctypes.c_void_p:
        return ctypes.c_void_p(array.ctypes.data + tick * array.strides[0])

    assert library.one_init(at(state), *map(at, begun), at(table.first["holding"])) == 0
    forces, states, statuses = np.empty((TICKS, len(tau))), np.empty((TICKS, len(state))), list[int]()
    for tick in range(TICKS):
        statuses.append(library.one_step(at(state), *(at(array, tick) for array in given), at(tau)))
        forces[tick], states[tick] = tau, state
    return forces, states, statuses


def check_c(name: str, robot: str, directory: Path) -> None:
    table = table_of(law_of(name, pk.load(robot)))
    library = compiled(table, directory)
    forces, states = run(table)
    for kind in range(forces.shape[1]):
        from_c, state, statuses = replayed(table, library, kind)
        assert from_c.tobytes() == forces[:, kind].tobytes(), kind
        assert state.tobytes() == states[:, kind].tobytes(), kind
        assert statuses == states[:, kind, 0].astype(int).tolist(), kind


def test_c_answers_every_fault_with_the_bits_of_the_lanes(tmp_path: Path) -> None:
    check_c("pid", "five_bar", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "robot"),
    [
        *((name, "five_bar") for name in control.LAWS),
        ("computed_torque", "h4"),
        ("computed_torque", "four_bar"),
        ("computed_torque_platform", "four_bar"),
    ],
)
def test_every_law_answers_alike_in_c(name: str, robot: str, tmp_path: Path) -> None:
    check_c(name, robot, tmp_path)


@pytest.mark.slow
def test_a_motion_that_the_guard_stops_is_not_exported(tmp_path: Path) -> None:
    law = law_of("pid", pk.load("five_bar"), speed=(0.01, 0.01))
    with pytest.raises(CExportError, match=r"the guard stops the closed loop .*: a set point is not finite, beyond"):
        export_controller(law, tmp_path)
