"""What callers hand in, checked and described to the driver. Arrays are read where they are: views, not copies."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.arrays import Array
from parakin.errors import KernelInputError
from parakin.kernels.code import Port
from parakin.kernels.driver_text import HEADER_WORDS, PORT_WORDS

FLOAT64 = np.dtype(np.float64)
INT32 = np.dtype(np.int32)


@dataclass(frozen=True)
class Socket:
    """A port as numpy sees it: `shape` is that of one state at one tick. A status is an integer."""

    name: str
    shape: tuple[int, ...]
    size: int
    ticked: bool
    unit: str
    port: Port
    dtype: np.dtype[Any] = FLOAT64

    def describe(self) -> str:
        lead = ("...", "ticks") if self.ticked else ("...",)
        return f"({', '.join((*lead, *map(str, self.shape)))})"


def socket(port: Port, *, matrix: bool, ticked: bool, unit: str, status: bool) -> Socket:
    """n x 1 is a vector and 1 x 1 a number, unless declared a matrix."""
    shape: tuple[int, ...] = (port.rows, port.columns)
    if not matrix and port.columns == 1:
        shape = () if port.rows == 1 else (port.rows,)
    return Socket(port.name, shape, port.size, ticked, unit, port, INT32 if status else FLOAT64)


def as_array(kernel: str, name: str, value: ArrayLike) -> Array:
    """Real numbers as float64, without a copy where they are already."""
    if type(value) is np.ndarray and value.dtype is FLOAT64 and value.flags.aligned:  # as it usually is
        return value
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(cast("Array", value)):
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


def whole_number(kernel: str, name: str, value: int, least: int) -> int:
    """Check that an argument of a call is a whole number, at least `least`, and return it as an int."""
    if not isinstance(value, numbers.Integral) or value < least:
        raise KernelInputError(kernel, name, f"a whole number, at least {least}", repr(value))
    return int(value)


@dataclass(frozen=True)
class Batch:
    """Arrays for a call, broadcast to one batch shape."""

    shape: tuple[int, ...]
    ticks: int
    arrays: tuple[Array, ...]

    @property
    def count(self) -> int:
        return math.prod(self.shape)


def gather(kernel: str, sockets: Sequence[Socket], arrays: Sequence[Array], ticks: int | None) -> Batch:
    """Check trailing shapes, agree on ticks, broadcast leading shapes."""
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
    """Bytes from the first element of a state to each of its elements, row-major."""
    offsets = np.zeros((), np.int64)
    for stride, length in zip(strides, shape, strict=True):
        offsets = offsets[..., None] + stride * np.arange(length)
    return np.ascontiguousarray(offsets.reshape(-1), np.int64)


def collapse(shape: tuple[int, ...], strides: list[tuple[int, ...]]) -> tuple[list[int], list[list[int]]]:
    """The same walk over the batch in as few dimensions as possible; at least one."""
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
    """Do the elements of a state follow each other, row by row?"""
    step = FLOAT64.itemsize
    for stride, length in zip(reversed(strides), reversed(shape), strict=True):
        if length > 1 and stride != step:
            return False
        step *= length
    return True


def address(array: NDArray[Any]) -> int:
    """Of the first element; `ctypes.data` takes twice the time."""
    return array.__array_interface__["data"][0]


@dataclass(frozen=True)
class Walk:
    """How a call goes through its arrays: the driver's context (see driver_text) but for their addresses, which belong
    into the words number `slots`, and the offset tables it points to."""

    shape: tuple[int, ...]
    ticks: int
    count: int
    words: NDArray[np.int64]
    slots: list[int]
    tables: tuple[NDArray[np.int64], ...]

    def over(self, arrays: Iterable[NDArray[Any]]) -> NDArray[np.int64]:
        """The context for these inputs and outputs."""
        words = self.words.copy()
        words[self.slots] = [address(array) for array in arrays]
        return words


def walk(
    kernel: str, inputs: Sequence[Socket], outputs: Sequence[Socket], arrays: Sequence[Array], ticks: int | None
) -> Walk:
    """Through inputs like these, and outputs as `new_output` makes them."""
    batch = gather(kernel, inputs, arrays, ticks)
    lead = len(batch.shape)
    strides = [array.strides for array in batch.arrays] + [
        _strides(_full_shape(s, batch.shape, batch.ticks), s.dtype) for s in outputs
    ]
    lengths, steps = collapse(batch.shape, [one[:lead] for one in strides])
    tables: list[NDArray[np.int64]] = []
    words, slots = [len(lengths), batch.ticks, *lengths], list[int]()
    for k, (s, one, kept) in enumerate(zip((*inputs, *outputs), strides, steps, strict=True)):
        own = one[lead + s.ticked :]
        table = 0
        if k < len(inputs) and not _side_by_side(own, s.shape):
            tables.append(element_offsets(own, s.shape))
            table = address(tables[-1])
        slots.append(len(words))
        words += [0, one[lead] if s.ticked else 0, table, *kept]
    assert len(words) == HEADER_WORDS + len(lengths) + len(strides) * (PORT_WORDS + len(lengths))
    return Walk(batch.shape, batch.ticks, batch.count, np.array(words, np.int64), slots, tuple(tables))


def _full_shape(s: Socket, shape: tuple[int, ...], ticks: int) -> tuple[int, ...]:
    return shape + ((ticks,) if s.ticked else ()) + s.shape


def _strides(shape: tuple[int, ...], dtype: np.dtype[Any]) -> tuple[int, ...]:
    """Of an array in C order."""
    strides: list[int] = []
    step = dtype.itemsize
    for length in reversed(shape):
        strides.append(step)
        step *= length
    return tuple(reversed(strides))


def new_output(s: Socket, shape: tuple[int, ...], ticks: int) -> NDArray[Any]:
    return np.empty(_full_shape(s, shape, ticks), s.dtype)
