"""WebAssembly modules read and run: their description, their functions' sizes, and their kernels through wasmtime."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import wasmtime

ENGINE = wasmtime.Engine()
CUSTOM, CODE = 0, 10
"""Numbers of sections."""


class FunctionSize(NamedTuple):
    body: int
    locals: int


def _number(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte, at = data[at], at + 1
        value, shift = value | (byte & 0x7F) << shift, shift + 7
        if byte < 0x80:
            return value, at


def _sections(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 8
    while at < len(data):
        kind = data[at]
        length, at = _number(data, at + 1)
        yield kind, data[at : at + length]
        at += length


def description(data: bytes) -> dict[str, Any]:
    """What the section `parakin` says."""
    for kind, content in _sections(data):
        if kind == CUSTOM:
            length, at = _number(content, 0)
            if content[at : at + length] == b"parakin":
                return json.loads(content[at + length :])
    raise AssertionError("the module has no section `parakin`")


def function_sizes(data: bytes) -> list[FunctionSize]:
    """Bytes and local variables of each function."""
    (content,) = [content for kind, content in _sections(data) if kind == CODE]
    count, at = _number(content, 0)
    sizes: list[FunctionSize] = []
    for _ in range(count):
        length, at = _number(content, at)
        groups, inside = _number(content, at)
        total = 0
        for _ in range(groups):
            many, inside = _number(content, inside)
            total, inside = total + many, inside + 1
        sizes.append(FunctionSize(length, total))
        at += length
    return sizes


class WasmKernel:
    """One kernel of a module, called on a batch state by state."""

    def __init__(self, data: bytes, name: str = "run") -> None:
        self.about = description(data)["kernels"][name]
        self.store = wasmtime.Store(ENGINE)
        self.instance = wasmtime.Instance(self.store, wasmtime.Module(ENGINE, data), [])
        exports = self.instance.exports(self.store)
        run, memory = exports[name], exports["memory"]
        assert isinstance(run, wasmtime.Func)
        assert isinstance(memory, wasmtime.Memory)
        self.run = run
        address = ctypes.cast(memory.data_ptr(self.store), ctypes.POINTER(ctypes.c_uint8))
        self.memory = np.ctypeslib.as_array(address, (memory.data_len(self.store),))

    def view(self, port: Mapping[str, Any]) -> np.ndarray:
        kind = np.dtype({"f64": np.float64, "i32": np.int32}[port["type"]])
        size = int(np.prod(port["shape"], dtype=int)) * kind.itemsize
        return self.memory[port["offset"] : port["offset"] + size].view(kind).reshape(port["shape"])

    def __call__(self, **inputs: np.ndarray) -> dict[str, np.ndarray]:
        given = [(self.view(port), inputs[port["name"]]) for port in self.about["inputs"]]
        taken = {port["name"]: self.view(port) for port in self.about["outputs"]}
        count = len(next(iter(inputs.values())))
        results = {name: np.empty((count, *view.shape), view.dtype) for name, view in taken.items()}
        self.flags = np.empty(count, int)
        for k in range(count):
            for view, values in given:
                view[...] = values[k]
            self.flags[k] = self.run(self.store)
            for name, view in taken.items():
                results[name][k] = view
        return results


def same_numbers(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Where bits are equal; any NaN equals any NaN."""
    if a.dtype == np.int32:
        return a == b
    bits = [np.ascontiguousarray(x).view(np.int64) for x in (a, b)]
    return (bits[0] == bits[1]) | (np.isnan(a) & np.isnan(b))
