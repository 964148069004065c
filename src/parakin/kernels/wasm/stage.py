"""A stage as WebAssembly functions: the same walk over its operations as for LLVM, on another writer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence

from parakin.kernels.code import Code
from parakin.kernels.stage_text import PartWriter, crossing, parts_of
from parakin.kernels.wasm.binary import I32, Function, Signature
from parakin.kernels.wasm.functions import Functions
from parakin.kernels.wasm.lanes import WasmLanes, call


class _Part(PartWriter):
    """A writer of one part of a Code in WebAssembly."""

    def __init__(self, code: Code, kept: dict[int, int], b: WasmLanes) -> None:
        super().__init__(code, kept, 1, fused=False)
        self.b = b


def stage_function(functions: Functions, key: Hashable, code: Code, inputs: int) -> tuple[int, int]:
    """Write `stage(in0, in1, ..., out0, ..., kept)` of addresses; return its number, and how many values it keeps.

    A long stage is written as several functions, as for LLVM, which keep values for each other in memory: engines
    refuse functions beyond some megabytes, and compile long ones slowly.
    """
    names = [*(f"%in{k}" for k in range(inputs)), *(f"%out{k}" for k in range(len(code.outputs))), "%kept"]
    parts = parts_of(code)
    if len(parts) == 1:
        return functions.number(key, lambda: _part(functions, code, {}, parts[0], names)), 0
    kept = crossing(code)

    def whole() -> Function:
        numbers = [
            functions.number((key, k), lambda part=part: _part(functions, code, kept, part, names))
            for k, part in enumerate(parts)
        ]
        b = WasmLanes(functions, [(name, I32) for name in names])
        for number in numbers:
            b.body.do(call(number), *b.body.parameters)
        return Function(_signature(names), b.encoded())

    return functions.number(key, whole), len(kept)


def _signature(names: Sequence[str]) -> Signature:
    return Signature((I32,) * len(names), ())


def _part(functions: Functions, code: Code, kept: dict[int, int], part: range, names: Sequence[str]) -> Function:
    b = WasmLanes(functions, [(name, I32) for name in names])
    writer = _Part(code, kept, b)
    places: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for port, values in enumerate(code.outputs):
        for element, k in enumerate(values):
            places[k].append((port, element))
    for k in part:
        writer.write(k)
        for port, element in places.get(k, ()):
            b.store(writer.value(k), b.address(f"%out{port}", 8 * element))
    return Function(_signature(names), b.encoded())
