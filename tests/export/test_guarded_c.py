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
from tests.control.fault_table import TICKS, WHEN, Table, law_of, run, table_of
from tests.wasm_modules import WasmKernel, same_numbers


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
    real = np.float32 if structs.real == "float" else np.float64
    state = np.full(sum(member.size for member in structs.state.members), np.nan, real)
    tau = np.full(structs.tau.size, np.nan, real)
    prefixes = {"gains": "gain", "reference": "", "measurement": "", "supervision": ""}
    told = [struct for struct in structs if struct.kind in prefixes]
    first = {name: values[None] for name, values in table.first.items()}
    begun = [packed(struct, prefixes[struct.kind], first).astype(real) for struct in told[:-1]]
    holding = table.first["holding"].astype(real)
    rows = {name: values[:, kind] for name, values in table.rows.items()}
    with np.errstate(over="ignore"):  # 1e300 is infinite in single precision
        given = [np.ascontiguousarray(packed(struct, prefixes[struct.kind], rows), real) for struct in told]

    def at(array: np.ndarray, tick: int = 0) -> ctypes.c_void_p:
        return ctypes.c_void_p(array.ctypes.data + tick * array.strides[0])

    assert library.one_init(at(state), *map(at, begun), at(holding)) == 0
    forces, states, statuses = np.empty((TICKS, len(tau))), np.empty((TICKS, len(state))), list[int]()
    for tick in range(TICKS):
        statuses.append(library.one_step(at(state), *(at(array, tick) for array in given), at(tau)))
        forces[tick], states[tick] = tau, state
    return forces, states, statuses


def check_c(name: str, robot: str, directory: Path, *, single: bool = False) -> None:
    law = law_of(name, pk.load(robot))
    table = table_of(law.in_single() if single else law)
    library = compiled(table, directory)
    forces, states = run(table)
    for kind in range(forces.shape[1]):
        from_c, state, statuses = replayed(table, library, kind)
        assert from_c.tobytes() == forces[:, kind].tobytes(), kind
        assert state.tobytes() == states[:, kind].tobytes(), kind
        assert statuses == states[:, kind, 0].astype(int).tolist(), kind


def test_c_answers_every_fault_with_the_bits_of_the_lanes(tmp_path: Path) -> None:
    check_c("pid", "five_bar", tmp_path)


def test_c_in_single_precision_answers_every_fault_with_the_bits_of_the_lanes(tmp_path: Path) -> None:
    check_c("pid", "five_bar", tmp_path, single=True)


def test_webassembly_answers_every_fault_with_the_bits_of_the_lanes() -> None:
    table = table_of(law_of("pid", pk.load("five_bar")))
    forces, states = run(table)
    step = table.kernels[1]
    module = WasmKernel(step.to_wasm())
    sizes = [(member.name, member.size) for member in table.structs.state.members]
    cuts = np.cumsum([size for _, size in sizes])[:-1]
    for tick in range(WHEN - 1, WHEN + 12):
        parts = np.split(states[tick - 1], cuts, axis=1)
        given = {f"state_{name}": part for (name, _), part in zip(sizes, parts, strict=True)}
        given |= {name: values[tick] for name, values in table.rows.items()}
        found = module(**{s.name: given[s.name].reshape(-1, *s.shape) for s in step.inputs})
        assert same_numbers(forces[tick], found["tau"]).all()
        assert same_numbers(
            states[tick], np.concatenate([found[f"next_{n}"].reshape(len(forces[0]), -1) for n, _ in sizes], axis=1)
        ).all()


@pytest.mark.parametrize("single", [False, True])
def test_a_step_before_init_is_a_fault_without_force_until_init(single: bool, tmp_path: Path) -> None:
    law = law_of("pid", pk.load("five_bar"))
    table = table_of(law.in_single() if single else law)
    library = compiled(table, tmp_path)
    structs, real = table.structs, np.float32 if single else np.float64
    assert structs.supervision is not None
    prefixes = {"gains": "gain", "reference": "", "measurement": ""}
    first = {name: values[None] for name, values in table.first.items()}
    told = [packed(s, prefixes[s.kind], first).astype(real) for s in structs if s.kind in prefixes]
    places = [ctypes.c_void_p(values.ctypes.data) for values in told]
    size = sum(member.size for member in structs.state.members)
    for garbage in (np.nan, np.inf, 0.0, 1.0, 1e30, -2.0):
        state, tau = np.full(size, garbage, real), np.full(structs.tau.size, np.nan, real)
        at = [ctypes.c_void_p(values.ctypes.data) for values in (state, tau)]
        for tick in range(30):
            signals = np.array(
                [{"heartbeat": tick, "reset": tick % 2}[m.name] for m in structs.supervision.members], real
            )
            status = library.one_step(at[0], *places, ctypes.c_void_p(signals.ctypes.data), at[1])
            assert (status, state[1], state[2]) == (control.GuardStatus.FAULT, control.GuardCause.NOT_BEGUN, 1.0)
            assert (tau == 0.0).all()
            assert np.isfinite(state).all()
        holding = table.first["holding"].astype(real)
        assert library.one_init(at[0], *places, ctypes.c_void_p(holding.ctypes.data)) == control.GuardStatus.OK


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
