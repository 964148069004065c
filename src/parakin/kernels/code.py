"""A model as a list of operations, each value assigned once, read from a casadi.Function."""

from __future__ import annotations

import struct
from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

import casadi as ca

from parakin.errors import UnsupportedModelError, UnsupportedOperationError
from parakin.kernels.operations import OPERATIONS, OperationCount
from parakin.kernels.ports import Port


class Node(NamedTuple):
    """One value: an operation on earlier values, a constant, or an element of an input."""

    op: str
    """Name of the operation, a key of OPERATIONS, or "const" or "input"."""
    args: tuple[int, ...] = ()
    """Numbers of the values it is an operation on."""
    place: tuple[int, int] = (0, 0)
    """Port and element of an "input", the element counted row-major in the dense matrix."""
    bits: int = 0
    """The 64 bits of a "const", so that 0.0 and -0.0 are different constants and a NaN equals itself."""


def constant(value: float) -> Node:
    """Make the node of a constant."""
    return Node("const", bits=struct.unpack("<Q", struct.pack("<d", value))[0])


def number(node: Node) -> float:
    """Return the value of a "const" node."""
    return struct.unpack("<d", struct.pack("<Q", node.bits))[0]


@dataclass(frozen=True)
class Code:
    """A model as a list of values."""

    nodes: tuple[Node, ...]
    """Values in the order in which they are computed."""
    outputs: tuple[tuple[int, ...], ...]
    """Number of the value of each element, row-major, for each output port."""

    def operations(self) -> OperationCount:
        """Count the operations by kind."""
        kinds = Counter(OPERATIONS[node.op].kind for node in self.nodes if node.op in OPERATIONS)
        return OperationCount(
            kinds["addition"],
            kinds["multiplication"],
            kinds["division"],
            kinds["square_root"],
            kinds["trigonometric"],
            kinds["other"],
        )


def _identifiers() -> dict[int, str]:
    names = {getattr(ca, f"OP_{alias}"): name for name, row in OPERATIONS.items() for alias in row.casadi}
    special = {getattr(ca, f"OP_{name.upper()}"): name for name in ("const", "input", "output", "assign")}
    return names | special


IDENTIFIERS = _identifiers()
"""Names of operations by CasADi's number for them; also of its instructions for constants, inputs and outputs."""


def expand(function: ca.Function) -> ca.Function:
    """Return the function as an SX graph, or refuse what cannot be one."""
    if function.is_a("SXFunction"):
        return function
    try:
        return function.expand()
    except RuntimeError as error:
        reason = str(error).strip().splitlines()[-1]
        raise UnsupportedModelError(
            function.name(), f"cannot be expanded to an SX graph ({reason}); build it from SX expressions"
        ) from error


def check_operations(function: ca.Function) -> None:
    """Refuse an operation that kernels do not translate, by name."""
    unknown = {function.instruction_id(k) for k in range(function.n_instructions())} - IDENTIFIERS.keys()
    if unknown:
        names = {getattr(ca, key): key for key in dir(ca) if key.startswith("OP_")}
        raise UnsupportedOperationError(
            function.name(),
            ", ".join(sorted(names.get(i, f"number {i}") for i in unknown)),
            tuple(f"OP_{alias}" for row in OPERATIONS.values() for alias in row.casadi),
        )


def _elements(sparsity: ca.Sparsity) -> list[int]:
    """Return the row-major element of each nonzero; CasADi stores nonzeros column by column."""
    rows, columns = sparsity.get_triplet()
    return [row * sparsity.columns() + column for row, column in zip(rows, columns, strict=True)]


def input_ports(function: ca.Function) -> tuple[Port, ...]:
    """Return the inputs of a function as ports."""
    return tuple(_port(function.name_in(k), function.sparsity_in(k)) for k in range(function.n_in()))


def output_ports(function: ca.Function) -> tuple[Port, ...]:
    """Return the outputs of a function as ports."""
    return tuple(_port(function.name_out(k), function.sparsity_out(k)) for k in range(function.n_out()))


def _port(name: str, sparsity: ca.Sparsity) -> Port:
    return Port(name, sparsity.rows(), sparsity.columns(), frozenset(_elements(sparsity)))


def read(function: ca.Function) -> Code:
    """Read an SX function's instruction list; structurally zero elements of outputs become the constant 0."""
    check_operations(function)
    entries_in = [_elements(function.sparsity_in(k)) for k in range(function.n_in())]
    entries_out = [_elements(function.sparsity_out(k)) for k in range(function.n_out())]
    nodes: list[Node] = [constant(0.0)]
    outputs = [[0] * function.numel_out(k) for k in range(function.n_out())]
    value_of: dict[int, int] = {}  # work-vector place -> value
    for k in range(function.n_instructions()):
        op = IDENTIFIERS[function.instruction_id(k)]
        reads, writes = function.instruction_input(k), function.instruction_output(k)
        if op == "output":
            outputs[writes[0]][entries_out[writes[0]][writes[1]]] = value_of[reads[0]]
            continue
        if op == "assign":
            value_of[writes[0]] = value_of[reads[0]]
            continue
        if op == "input":
            node = Node("input", place=(reads[0], entries_in[reads[0]][reads[1]]))
        elif op == "const":
            node = constant(function.instruction_constant(k))
        else:
            node = Node(op, tuple(value_of[place] for place in reads))
        value_of[writes[0]] = len(nodes)
        nodes.append(node)
    return Code(tuple(nodes), tuple(tuple(values) for values in outputs))
