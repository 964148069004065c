"""One lane in WebAssembly: what `Lanes` writes as LLVM text, for stages and lane functions alike, as instructions."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

from parakin.kernels.lane_math import LANE_FUNCTIONS
from parakin.kernels.lanes import Lanes, Pair, Values
from parakin.kernels.wasm.binary import F64, I32, I64, Function, Signature, f64_const, i64_const
from parakin.kernels.wasm.body import Body
from parakin.kernels.wasm.functions import Functions
from parakin.kernels.wasm.instructions import (
    ABS,
    ADD,
    AND,
    BIT_OPERATIONS,
    BITS_OF,
    CEIL,
    COPYSIGN,
    DIV,
    EQ,
    FLOOR,
    GE,
    GT,
    I64_LESS,
    I64_NE,
    LE,
    LT,
    MUL,
    NE,
    NEG,
    NOT,
    OR,
    REAL_OF,
    SELECT,
    SQRT,
    SUB,
    TO_ADDRESS,
    TO_SINGLE_AND_BACK,
    call,
    f64_load,
    f64_store,
    i64_load,
)

_INTRINSICS = {"fabs": ABS, "ceil": CEIL, "floor": FLOOR, "sqrt": SQRT, "copysign": COPYSIGN}
_PREDICATES = {"oeq": EQ, "une": NE, "olt": LT, "ogt": GT, "ole": LE, "oge": GE}


class WasmLanes(Lanes):
    """A writer of one lane in WebAssembly. Values are the numbers of a body's values, as strings.

    parameters: name and type of each parameter. Nothing is fused: WebAssembly has no such instruction.
    """

    def __init__(self, functions: Functions, parameters: Sequence[tuple[str, int]]) -> None:
        super().__init__(1, fused=False)
        self.functions = functions
        self.body = Body([kind for _, kind in parameters])
        self._named = {name: str(k) for (name, _), k in zip(parameters, self.body.parameters, strict=True)}

    def _value(self, name: str) -> int:
        return int(self._named.get(name, name))

    def _new(self, code: bytes, kind: int, *args: str) -> str:
        return str(self.body.let(code, kind, *map(self._value, args)))

    def pattern(self, bits: int) -> str:
        """Return a real constant from its 64 bits."""
        return str(self.body.constant(f64_const(bits), F64))

    def number(self, value: float) -> str:
        """Return a real constant."""
        return self.pattern(struct.unpack("<Q", struct.pack("<d", value))[0])

    def whole(self, value: int) -> str:
        """Return an integer constant."""
        return str(self.body.constant(i64_const(value), I64))

    # Arithmetic ----------------------------------------------------------------------------------------------------

    def add(self, a: str, b: str) -> str:
        """Write a + b."""
        return self._new(ADD, F64, a, b)

    def sub(self, a: str, b: str) -> str:
        """Write a - b."""
        return self._new(SUB, F64, a, b)

    def mul(self, a: str, b: str) -> str:
        """Write a b."""
        return self._new(MUL, F64, a, b)

    def div(self, a: str, b: str) -> str:
        """Write a / b."""
        return self._new(DIV, F64, a, b)

    def neg(self, a: str) -> str:
        """Write -a, which changes the sign of zero and NaN too."""
        return self._new(NEG, F64, a)

    def intrinsic(self, name: str, *args: str) -> str:
        """Write a function of reals that is one instruction, by LLVM's name, such as sqrt."""
        return self._new(_INTRINSICS[name], F64, *args)

    def single(self, a: str) -> str:
        """Write a rounded to 24 bits."""
        return self._new(TO_SINGLE_AND_BACK, F64, a)

    def compare(self, predicate: str, a: str, b: str) -> str:
        """Write a comparison by LLVM's predicate, such as olt."""
        if predicate == "uno":
            return self.either(self.compare("une", a, a), self.compare("une", b, b))
        return self._new(_PREDICATES[predicate], I32, a, b)

    def select(self, mask: str, a: str, b: str) -> str:
        """Write a where the mask is set, b elsewhere."""
        return self._new(SELECT, F64, a, b, mask)

    def both(self, a: str, b: str) -> str:
        """Write the mask of lanes that are in both masks."""
        return self._new(AND, I32, a, b)

    def either(self, a: str, b: str) -> str:
        """Write the mask of lanes that are in either mask."""
        return self._new(OR, I32, a, b)

    def inverted(self, a: str) -> str:
        """Write the mask of lanes that are not in a mask."""
        return self._new(NOT, I32, a)

    # Bits ----------------------------------------------------------------------------------------------------------

    def bits(self, a: str) -> str:
        """Write the bits of reals as integers."""
        return self._new(BITS_OF, I64, a)

    def real_of(self, bits: str) -> str:
        """Write the reals that have these bits."""
        return self._new(REAL_OF, F64, bits)

    def on_bits(self, op: str, a: str, b: str) -> str:
        """Write an operation on integers by LLVM's name, such as shl."""
        return self._new(BIT_OPERATIONS[op], I64, a, b)

    def unequal(self, a: str, b: str) -> str:
        """Write the mask of lanes in which two integers differ."""
        return self._new(I64_NE, I32, a, b)

    def negative(self, bits: str) -> str:
        """Write the mask of lanes in which an integer is negative: the sign of the real whose bits it is."""
        return self._new(I64_LESS, I32, bits, self.whole(0))

    # Functions and branches ----------------------------------------------------------------------------------------

    def call(self, name: str, *args: str) -> str:
        """Write a call of a lane function of the module."""
        return self._new(call(lane_function(self.functions, name)), F64, *args)

    def call_pair(self, name: str, x: str) -> Pair:
        """Write a call of a lane function that returns two values."""
        code = call(lane_function(self.functions, name))
        first, second = self.body.do(code, self._value(x), results=(F64, F64))
        return str(first), str(second)

    def choose(self, condition: str, yes: Callable[[], Values], no: Callable[[], Values]) -> Values:
        """Write two branches, and return the values of the one that is taken."""
        variables: list[int] = []

        def assigning(write: Callable[[], Values]) -> Callable[[], None]:
            def inside() -> None:
                values = write()
                if not variables:
                    variables.extend(self.body.variable(F64) for _ in values)
                self.body.assign(variables, [self._value(value) for value in values])

            return inside

        self.body.branch(self._value(condition), assigning(yes), assigning(no))
        return tuple(map(str, variables))

    def repeat_while(self, start: Values, step: Callable[[Values], tuple[Values, str]]) -> Values:
        """Write a loop on integers: `step` gives new values, and the mask of lanes that want another run."""
        variables = [self.body.variable(I64) for _ in start]
        self.body.assign(variables, [self._value(value) for value in start])

        def run() -> tuple[list[int], int]:
            values, more = step(tuple(map(str, variables)))
            return [self._value(value) for value in values], self._value(more)

        self.body.loop(variables, run)
        return tuple(map(str, variables))

    def word(self, name: str, table: Sequence[int], index: str) -> str:
        """Write the word of a constant table of 64-bit integers at an index."""
        place = self.functions.table(name, b"".join(word.to_bytes(8, "little") for word in table))
        address = self._new(TO_ADDRESS, I32, self.on_bits("shl", index, self.whole(3)))
        return self._new(i64_load(place), I64, address)

    # Memory --------------------------------------------------------------------------------------------------------

    def address(self, base: str, offset_bytes: str | int) -> str:
        """Return the place so many bytes behind the address that a parameter holds."""
        return f"{base}+{offset_bytes}"

    def load(self, pointer: str) -> str:
        """Write a load of a double."""
        base, _, offset = pointer.partition("+")
        return self._new(f64_load(int(offset)), F64, base)

    def load_kept(self, pointer: str) -> str:
        """Write a load of what another part of the stage stored."""
        return self.load(pointer)

    def store(self, value: str, pointer: str) -> None:
        """Write a store of a double."""
        base, _, offset = pointer.partition("+")
        self.body.do(f64_store(int(offset)), self._value(base), self._value(value))

    def store_kept(self, value: str, pointer: str) -> None:
        """Write a store of what another part of the stage loads."""
        self.store(value, pointer)

    def encoded(self, *results: str) -> bytes:
        """Return the finished function, which returns these values."""
        return self.body.encoded(*map(self._value, results))


def lane_function(functions: Functions, name: str) -> int:
    """Return the number of a lane function in the module."""

    def write() -> Function:
        arity, write_result = LANE_FUNCTIONS[name]
        arguments = [f"%x{k}" for k in range(arity)]
        b = WasmLanes(functions, [(argument, F64) for argument in arguments])
        result = write_result(b, *arguments)
        results = result if isinstance(result, tuple) else (result,)
        return Function(Signature((F64,) * arity, (F64,) * len(results)), b.encoded(*results))

    return functions.number(("lane", name), write)
