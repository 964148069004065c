"""Kernels as one WebAssembly module: shared functions, one memory, a description of what is where."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from parakin.errors import UnsupportedModelError
from parakin.kernels.arguments import Socket
from parakin.kernels.wasm.binary import assembled
from parakin.kernels.wasm.functions import Functions
from parakin.kernels.wasm.places import DOUBLE, Places, places, ports_end
from parakin.kernels.wasm.run import RunWriter
from parakin.kernels.wasm.stage import stage_function

if TYPE_CHECKING:
    from parakin.kernels.kernel import Kernel

SECTION = "parakin"
"""Name of the custom section that describes a module, as JSON."""
MEMORY = "memory"
"""Name under which a module exports its memory."""


def module(kernels: Mapping[str, Kernel]) -> bytes:
    """Return a WebAssembly module with a function for each kernel, under the name it has in the mapping.

    The functions take nothing and return 0, or 1 if an input was unusable. They read inputs from the exported `memory`
    and write outputs there; the custom section `parakin` says where. What several kernels need is there once.
    """
    if MEMORY in kernels:
        raise UnsupportedModelError(MEMORY, "is what the module calls its memory: give the kernel another name")
    functions = Functions()
    stages = {name: _stages(functions, kernel) for name, kernel in kernels.items()}
    starts: dict[str, int] = {}
    end = len(functions.data)  # tables of lane functions come first
    for name, kernel in kernels.items():
        starts[name] = end
        end = ports_end(kernel, end)
    scratch = end
    exports: dict[str, int] = {}
    described: dict[str, object] = {}
    for name, kernel in kernels.items():
        numbers, kept = stages[name]
        own = places(kernel, starts[name], scratch)
        exports[name] = functions.number(("run", name), RunWriter(functions, kernel, numbers, own).function)
        end = max(end, own.kept + DOUBLE * kept)
        described[name] = _description(kernel, own)
    version = str(sys.modules["parakin"].__version__)  # importing it would be importing upwards
    about = json.dumps({"version": version, "kernels": described}, separators=(",", ":"))
    return assembled(functions.written(), exports, end, functions.data, (SECTION, about.encode()))


def _stages(functions: Functions, kernel: Kernel) -> tuple[list[int], int]:
    """Write the stages of a kernel; return their numbers, and how many values one of them keeps at most."""
    numbers: list[int] = []
    most = 0
    for stage in kernel.plan.stages:
        code = stage.prepared(contraction=False, reciprocals=kernel.reciprocals)
        number, kept = stage_function(functions, (stage.content, kernel.reciprocals), code, len(stage.inputs))
        numbers.append(number)
        most = max(most, kept)
    return numbers, most


def _description(kernel: Kernel, own: Places) -> dict[str, object]:
    def listed(sockets: Sequence[Socket], offsets: dict[str, int]) -> list[dict[str, object]]:
        return [
            {
                "name": s.name,
                "shape": s.shape,
                "type": "i32" if s.name == kernel.status and offsets is own.outputs else "f64",
                "offset": offsets[s.name],
                "unit": s.unit,
            }
            for s in sockets
        ]

    return {
        "name": kernel.name,
        "inputs": listed(kernel.inputs, own.inputs),
        "outputs": listed(kernel.outputs, own.outputs),
        "status": kernel.status,
    }
