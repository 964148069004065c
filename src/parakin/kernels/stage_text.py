"""Write a stage as an LLVM function on lane pointers: Code in, text out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from parakin.kernels.code import Code, Node
from parakin.kernels.lane_math import LANE_FUNCTIONS
from parakin.kernels.lanes import ON_LINES, Lanes
from parakin.kernels.operations import LOGICAL

LONG_STAGE, LONGEST_STAGE = 4096, 12_288
"""Values up to which a stage is one LLVM function, and beyond which it is several; between them it depends.

LLVM's register allocator takes more than linear time.
"""
PART_NODES = 512
"""Values in each function of a stage that is cut."""
FETCHED = 0.25
"""Values that parts fetch from others, relative to all, up to which a stage between these lengths is cut."""


class PartWriter:
    """A writer of one part of a Code, with the register of every value and the mask of every logical one.

    kept: the place of each value that another part needs, in an array that all parts share.
    """

    def __init__(self, code: Code, kept: dict[int, int], width: int, *, fused: bool) -> None:
        self.code = code
        self.kept = kept
        self.b = Lanes(width, fused=fused)
        self.values: dict[int, str] = {}
        self.masks: dict[int, str] = {}
        self.sincos: dict[int, tuple[str, str]] = {}

    def value(self, k: int) -> str:
        """Return the register of a value. Constants, inputs and other parts' values are fetched where first used."""
        if k not in self.values:
            b, node = self.b, self.code.nodes[k]
            if node.op == "const":
                self.values[k] = b.pattern(node.bits)
            elif node.op == "input":
                port, element = node.place
                self.values[k] = b.load(b.address(f"%in{port}", 8 * element * b.width))
            elif k in self.masks:  # a logical value becomes 0 or 1 only where it is used as a number
                self.values[k] = b.select(self.masks[k], b.number(1.0), b.number(0.0))
            else:
                self.values[k] = b.load_kept(b.address("%kept", 8 * self.kept[k] * b.width))
        return self.values[k]

    def truth(self, k: int) -> str:
        """Return the mask of value != 0, true for NaN as in C."""
        if k not in self.masks:
            self.masks[k] = self.b.compare("une", self.value(k), self.b.number(0.0))
        return self.masks[k]

    def write(self, k: int) -> None:
        """Write the operation of a value, and store it if another part needs it."""
        node = self.code.nodes[k]
        if node.op in ("const", "input"):
            return
        if node.op in LOGICAL:
            self.masks[k] = self._logical(node)
        elif node.op in ("sin", "cos"):
            self.values[k] = self._sin_or_cos(node)
        elif node.op in ("select", "if_else_zero"):
            otherwise = self.value(node.args[2]) if node.op == "select" else self.b.number(0.0)
            self.values[k] = self.b.select(self.truth(node.args[0]), self.value(node.args[1]), otherwise)
        elif node.op in LANE_FUNCTIONS:
            self.values[k] = self.b.call(node.op, *(self.value(a) for a in node.args))
        else:
            self.values[k] = DIRECT[node.op](self.b, *(self.value(a) for a in node.args))
        if k in self.kept:
            self.b.store_kept(self.value(k), self.b.address("%kept", 8 * self.kept[k] * self.b.width))

    def _logical(self, node: Node) -> str:
        b = self.b
        if node.op == "not":
            return b.inverted(self.truth(node.args[0]))
        if node.op in ("and", "or"):
            join = b.both if node.op == "and" else b.either
            return join(self.truth(node.args[0]), self.truth(node.args[1]))
        predicate = {"lt": "olt", "le": "ole", "eq": "oeq", "ne": "une"}[node.op]
        return b.compare(predicate, self.value(node.args[0]), self.value(node.args[1]))

    def _sin_or_cos(self, node: Node) -> str:
        """Write sine and cosine of one angle together, when the first of them is met."""
        angle = node.args[0]
        if angle not in self.sincos:
            self.sincos[angle] = self.b.call_pair("sincos", self.value(angle))
        return self.sincos[angle][0 if node.op == "sin" else 1]


def _sign(b: Lanes, x: str) -> str:
    zero = b.number(0.0)
    positive = b.select(b.compare("ogt", x, zero), b.number(1.0), x)
    return b.select(b.compare("olt", x, zero), b.number(-1.0), positive)


def _extremum(predicate: str) -> Callable[[Lanes, str, str], str]:
    def write(b: Lanes, x: str, y: str) -> str:
        second = b.either(b.compare(predicate, y, x), b.compare("uno", x, x))
        return b.select(second, y, x)

    return write


_Writer = Callable[[Lanes, str], str] | Callable[[Lanes, str, str], str] | Callable[[Lanes, str, str, str], str]

DIRECT: dict[str, _Writer] = {
    "add": lambda b, x, y: b.add(x, y),
    "sub": lambda b, x, y: b.sub(x, y),
    "mul": lambda b, x, y: b.mul(x, y),
    "div": lambda b, x, y: b.div(x, y),
    "neg": lambda b, x: b.neg(x),
    "fma": lambda b, x, y, z: b.fma(x, y, z),
    "sq": lambda b, x: b.mul(x, x),
    "twice": lambda b, x: b.add(x, x),
    "inv": lambda b, x: b.div(b.number(1.0), x),
    "sqrt": lambda b, x: b.intrinsic("sqrt", x),
    "abs": lambda b, x: b.intrinsic("fabs", x),
    "floor": lambda b, x: b.intrinsic("floor", x),
    "ceil": lambda b, x: b.intrinsic("ceil", x),
    "copysign": lambda b, x, y: b.intrinsic("copysign", x, y),
    "single": lambda b, x: b.single(x),
    "sign": _sign,
    "fmin": _extremum("olt"),
    "fmax": _extremum("ogt"),
}
"""Operations written in place, by their writer on (lanes, *arguments)."""


@dataclass(frozen=True)
class StageText:
    """The LLVM text of one stage."""

    functions: tuple[tuple[str, Lanes], ...]
    """LLVM functions with their writers; the last one is the stage, those before are its parts."""
    kept: int
    """Number of values that its parts hand on to each other in memory."""


def stage_text(code: Code, inputs: int, outputs: int, symbol: str, width: int, *, fused: bool) -> StageText:
    """Write `void symbol(in0, in1, ..., out0, ..., kept)`: a pointer leads to a port's elements, W lanes an element.

    An output is stored as soon as it is known: pointers never overlap, the wiring sees to that.
    """
    names = [f"%in{k}" for k in range(inputs)] + [f"%out{k}" for k in range(outputs)] + ["%kept"]
    parameters = ", ".join(f"ptr noalias {name}" for name in names)
    parts = parts_of(code)
    if len(parts) == 1:
        whole = _part(code, {}, parts[0], f"@{symbol}({parameters})", width, fused=fused)
        return StageText((whole,), 0)
    kept = crossing(code)
    functions = [
        _part(code, kept, part, f"@{symbol}.{k}({parameters})", width, fused=fused) for k, part in enumerate(parts)
    ]
    b = Lanes(width, fused=fused)
    arguments = ", ".join(f"ptr {name}" for name in names)
    for k in range(len(parts)):
        b.do(f"call void @{symbol}.{k}({arguments})")
    b.do("ret void")
    return StageText((*functions, (b.text(f"internal void @{symbol}({parameters}) {ON_LINES}"), b)), len(kept))


def parts_of(code: Code) -> list[range]:
    """Return which operations stand in one function: all of them, or PART_NODES in each of a long stage."""
    count = len(code.nodes)
    if not _is_cut(code):
        return [range(count)]
    return [range(k, min(k + PART_NODES, count)) for k in range(0, count, PART_NODES)]


def _is_cut(code: Code) -> bool:
    """Tell whether a stage is written as several functions: if it is long, and does not fetch too much between them."""
    count = len(code.nodes)
    if not LONG_STAGE < count <= LONGEST_STAGE:
        return count > LONG_STAGE
    fetched = {
        (k // PART_NODES, argument)
        for k, node in enumerate(code.nodes)
        for argument in node.args
        if argument // PART_NODES != k // PART_NODES and code.nodes[argument].args
    }
    return len(fetched) <= FETCHED * count


def crossing(code: Code) -> dict[int, int]:
    """Give a place to each value that is computed in one part of a long stage and used in another."""
    kept: dict[int, int] = {}
    for k, node in enumerate(code.nodes):
        for argument in node.args:
            if argument // PART_NODES != k // PART_NODES and code.nodes[argument].op not in ("const", "input"):
                kept.setdefault(argument, len(kept))
    return kept


def _part(
    code: Code, kept: dict[int, int], part: range, signature: str, width: int, *, fused: bool
) -> tuple[str, Lanes]:
    writer = PartWriter(code, kept, width, fused=fused)
    b = writer.b
    places: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for port, values in enumerate(code.outputs):
        for element, k in enumerate(values):
            places[k].append((port, element))
    for k in part:
        writer.write(k)
        for port, element in places.get(k, ()):
            b.store(writer.value(k), b.address(f"%out{port}", 8 * element * width))
    b.do("ret void")
    return b.text(f"internal void {signature} {ON_LINES}"), b
