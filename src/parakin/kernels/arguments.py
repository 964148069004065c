"""Check what callers hand in and describe it to the driver. Arrays are read where they are: views, not copies."""

from __future__ import annotations

import ctypes
import math
import numbers
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.errors import KernelInputError
from parakin.kernels.context import HEADER_WORDS, PORT_WORDS
from parakin.kernels.output_memory import OUTPUTS
from parakin.kernels.ports import Port

FLOAT64 = np.dtype(np.float64)
"""Type of every number that enters or leaves, but for a status."""
INT32 = np.dtype(np.int32)
"""Type of a status."""
STREAMED_BYTES = 2**25
"""Size [bytes] of a call's outputs beyond which they are written past the caches, most of which are smaller."""


@dataclass(frozen=True)
class Socket:
    """An input or output of a kernel as numpy sees it."""

    name: str
    """Name of the input or output, by which calls give it or find it."""
    shape: tuple[int, ...]
    """Shape of one state at one tick: () for a number, (n,) for a vector, (rows, columns) for a matrix."""
    size: int
    """Number of elements of one state at one tick."""
    ticked: bool
    """Whether it has a row for each tick of a scan, in an axis before those of `shape`."""
    unit: str
    """Unit as it is shown in C headers; "" if none was given."""
    port: Port
    """The matrix it stands for, with its structural zeros."""
    dtype: np.dtype[np.float64] | np.dtype[np.int32] = FLOAT64
    """float64, or int32 for a status."""

    def describe(self) -> str:
        """Return the shape of its arrays as messages show it, with `...` for the batch."""
        lead = ("...", "ticks") if self.ticked else ("...",)
        return f"({', '.join((*lead, *map(str, self.shape)))})"


def socket(port: Port, *, matrix: bool, number: bool, ticked: bool, unit: str, status: bool) -> Socket:
    """Make the socket of a port: n x 1 is a vector unless it is declared a matrix, 1 x 1 a number if declared one."""
    shape: tuple[int, ...] = (port.rows, port.columns)
    if not matrix and port.columns == 1:
        shape = () if port.rows == 1 and number else (port.rows,)
    return Socket(port.name, shape, port.size, ticked, unit, port, INT32 if status else FLOAT64)


def as_array(kernel: str, name: str, value: ArrayLike) -> Array:
    """Return real numbers as a float64 array, without a copy where they are one already."""
    if type(value) is np.ndarray and value.dtype is FLOAT64 and value.flags.aligned:  # as it usually is
        return value
    if _is_masked(value):
        raise KernelInputError(kernel, name, "numbers everywhere", "a masked array")
    try:
        array = np.asarray(value)
    except (ValueError, TypeError) as error:
        raise KernelInputError(kernel, name, "a rectangular array of real numbers", str(error)) from error
    if array.dtype == FLOAT64 and array.dtype.isnative and array.flags.aligned:
        return array
    if array.dtype.kind not in "biuf":
        raise KernelInputError(kernel, name, "real numbers", f"dtype {array.dtype}")
    return array.astype(np.float64)


def as_rows(kernel: str, name: str, value: ArrayLike, width: int, *, table: bool = False) -> Array:
    """Return numbers as an array of rows (..., width), or (N, width) for a table; other shapes are refused."""
    rows = as_array(kernel, name, value)
    if rows.ndim == 0 or rows.shape[-1] != width or (table and rows.ndim != 2):
        expected = f"shape ({'N' if table else '...'}, {width})"
        raise KernelInputError(kernel, name, expected, f"shape {rows.shape}")
    return rows


def _is_masked(value: ArrayLike) -> bool:
    """Return whether a mask hides numbers. Who made a masked array has imported numpy.ma, which takes its time."""
    masked = sys.modules.get("numpy.ma")
    return masked is not None and isinstance(value, masked.MaskedArray) and bool(masked.is_masked(value))


def whole_number(kernel: str, name: str, value: int, least: int) -> int:
    """Check that an argument of a call is a whole number, at least `least`, and return it as an int."""
    if type(value) is int and value >= least:  # as it usually is
        return value
    if not isinstance(value, numbers.Integral) or value < least:
        raise KernelInputError(kernel, name, f"a whole number, at least {least}", repr(value))
    return int(value)


@frozen_arrays(eq=True)
class Batch:
    """The arrays of a call, broadcast to one leading shape."""

    shape: tuple[int, ...]
    """Leading shape that all arrays have."""
    ticks: int
    """Number of ticks of a scan; 1 where there is none."""
    arrays: tuple[Array, ...]
    """Inputs in their order, (*shape, ticks if ticked, *shape of one state)."""

    @property
    def count(self) -> int:
        """Number of states."""
        return math.prod(self.shape)


def gather(kernel: str, sockets: Sequence[Socket], arrays: Sequence[Array], ticks: int | None) -> Batch:
    """Check trailing shapes, agree on the number of ticks, and broadcast leading shapes."""
    leads: list[tuple[int, ...]] = []
    for s, array in zip(sockets, arrays, strict=True):
        trailing = len(s.shape) + s.ticked
        lead = array.shape[: array.ndim - trailing]
        if array.ndim < trailing or array.shape[array.ndim - len(s.shape) :] != s.shape:
            raise KernelInputError(kernel, s.name, f"shape {s.describe()}", f"shape {array.shape}")
        if s.ticked:
            if ticks is None:
                ticks = array.shape[len(lead)]
            if array.shape[len(lead)] != ticks:
                raise KernelInputError(kernel, s.name, f"{ticks} ticks", f"{array.shape[len(lead)]}")
        leads.append(lead)
    ticks = 1 if ticks is None else ticks
    if len(set(leads)) == 1:  # as they usually are, and broadcasting takes its time
        return Batch(leads[0], ticks, tuple(arrays))
    _refuse_columns(kernel, sockets, leads)
    try:
        shape = np.broadcast_shapes(*leads)
    except ValueError as error:
        shapes = ", ".join(f"{s.name} {lead}" for s, lead in zip(sockets, leads, strict=True))
        raise KernelInputError(kernel, "batch", "leading shapes that broadcast", shapes) from error
    broadcast = tuple(
        np.broadcast_to(array, shape + array.shape[len(lead) :]) for array, lead in zip(arrays, leads, strict=True)
    )
    return Batch(shape, ticks, broadcast)


def _refuse_columns(kernel: str, sockets: Sequence[Socket], leads: Sequence[tuple[int, ...]]) -> None:
    """Refuse a column (N, 1) for an input of shape () beside N states: numpy's rules would make N x N states of them.

    A column is an input of shape (), without ticks, whose array has two axes or more, the last of length 1. It must not
    have more axes than the batch of the inputs that are no columns or, where these have none at all, than any other
    column. The law looks at the number of axes alone, so that it is the same for one state and for many. A product of A
    by B states is asked for by (A, 1) beside (1, B), not beside (B,).
    """
    columns = {
        s.name: lead
        for s, lead in zip(sockets, leads, strict=True)
        if s.shape == () and not s.ticked and len(lead) > 1 and lead[-1] == 1
    }
    if not columns:
        return
    others = [len(lead) for s, lead in zip(sockets, leads, strict=True) if s.name not in columns]
    axes = max(others, default=0) or min(map(len, columns.values()))
    for name, lead in columns.items():
        if len(lead) > axes:
            drop = f"[{':, ' * (len(lead) - 1)}0]"
            expected = (
                f"one number for each state, in no more leading axes than the other inputs have, {axes} (drop the "
            )
            expected += f"last one by {drop}, or give the others as many)"
            raise KernelInputError(kernel, name, expected, f"shape {lead}")


def element_offsets(strides: tuple[int, ...], shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Return the offset [bytes] of each element of a state from its first one, row-major."""
    offsets = np.zeros((), np.int64)
    for stride, length in zip(strides, shape, strict=True):
        offsets = offsets[..., None] + stride * np.arange(length)
    return np.ascontiguousarray(offsets.reshape(-1), np.int64)


def collapse(shape: tuple[int, ...], strides: list[tuple[int, ...]]) -> tuple[list[int], list[list[int]]]:
    """Return lengths and strides of a walk over the batch in as few dimensions as possible, but at least one.

    Neighbouring dimensions merge where every array steps through them evenly; those of length 1 are left out.
    """
    lengths: list[int] = []
    steps: list[list[int]] = [[] for _ in strides]
    for d, length in enumerate(shape):
        if length == 1:
            continue
        if lengths and all(kept[-1] == s[d] * length for kept, s in zip(steps, strides, strict=True)):
            lengths[-1] *= length
            for kept, s in zip(steps, strides, strict=True):
                kept[-1] = s[d]
            continue
        lengths.append(length)
        for kept, s in zip(steps, strides, strict=True):
            kept.append(s[d])
    return (lengths, steps) if lengths else ([1], [[0] for _ in strides])


def _side_by_side(strides: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Tell whether the elements of a state follow each other in memory, row by row."""
    step = FLOAT64.itemsize
    for stride, length in zip(reversed(strides), reversed(shape), strict=True):
        if length > 1 and stride != step:
            return False
        step *= length
    return True


_word_at = ctypes.c_size_t.from_address
_DATA = object.__basicsize__
"""Where numpy's C API has the address of an array's first element [bytes]: next to what every object begins with."""


def address(array: NDArray[np.generic]) -> int:
    """Return the address of an array's first element, in a tenth of the time that `__array_interface__` takes."""
    return _word_at(id(array) + _DATA).value


@frozen_arrays(eq=True)
class Walk:
    """The way of a call through its arrays: the driver's context (see context.py) for such shapes and strides."""

    shape: tuple[int, ...]
    """Leading shape of the batch."""
    ticks: int
    """Number of ticks of a scan; 1 where there is none."""
    count: int
    """Number of states."""
    words: NDArray[np.int64]
    """The context, but for the addresses of the arrays, (words,)."""
    slots: list[int]
    """Places in `words` of the addresses of inputs and then outputs."""
    outputs: list[tuple[tuple[int, ...], np.dtype[np.float64] | np.dtype[np.int32]]]
    """Shape and type of each output array."""
    tables: tuple[NDArray[np.int64], ...]
    """Tables of element offsets [bytes] that the context points to, held so that they stay alive."""

    def new_outputs(self) -> list[Array]:
        """Return an uninitialised array for each output; it is int32 for a status, which its type does not say."""
        return [cast("Array", OUTPUTS.new(shape, dtype)) for shape, dtype in self.outputs]

    def over(self, arrays: Iterable[NDArray[np.generic]]) -> NDArray[np.int64]:
        """Return the context for these inputs and outputs."""
        words = self.words.copy()
        for slot, array in zip(self.slots, arrays, strict=True):
            words[slot] = address(array)
        return words


def walk(
    kernel: str, inputs: Sequence[Socket], outputs: Sequence[Socket], arrays: Sequence[Array], ticks: int | None
) -> Walk:
    """Work out the way through inputs of such shapes and strides, and outputs as `new_output` makes them."""
    batch = gather(kernel, inputs, arrays, ticks)
    lead = len(batch.shape)
    results = [(_full_shape(s, batch.shape, batch.ticks), s.dtype) for s in outputs]
    strides = [array.strides for array in batch.arrays]
    strides += [_strides(shape, dtype.itemsize) for shape, dtype in results]
    lengths, steps = collapse(batch.shape, [one[:lead] for one in strides])
    tables: list[NDArray[np.int64]] = []
    written = sum(dtype.itemsize * math.prod(shape) for shape, dtype in results)
    words, slots = [len(lengths), batch.ticks, int(written > STREAMED_BYTES), *lengths], list[int]()
    for k, (s, one, kept) in enumerate(zip((*inputs, *outputs), strides, steps, strict=True)):
        within = one[lead + s.ticked :]
        table = 0
        if k < len(inputs) and not _side_by_side(within, s.shape):
            tables.append(element_offsets(within, s.shape))
            table = address(tables[-1])
        slots.append(len(words))
        words += [0, one[lead] if s.ticked else 0, table, *kept]
    assert len(words) == HEADER_WORDS + len(lengths) + len(strides) * (PORT_WORDS + len(lengths))
    return Walk(batch.shape, batch.ticks, batch.count, np.array(words, np.int64), slots, results, tuple(tables))


def _full_shape(s: Socket, shape: tuple[int, ...], ticks: int) -> tuple[int, ...]:
    return shape + ((ticks,) if s.ticked else ()) + s.shape


def _strides(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """Return the strides [bytes] of an array in C order."""
    strides: list[int] = []
    step = itemsize
    for length in reversed(shape):
        strides.append(step)
        step *= length
    return tuple(reversed(strides))


def new_output(s: Socket, shape: tuple[int, ...], ticks: int) -> Array:
    """Return an uninitialised output array; it is int32 for a status, which its type does not say."""
    return cast("Array", OUTPUTS.new(_full_shape(s, shape, ticks), s.dtype))
