"""A fingerprint tells whether two works are the same, from their data alone and alike in every process.

A digest of the pickle would not do: pickles differ with what objects share, with caches that objects hold, and with the
order of sets. Here data are taken apart instead: numbers, texts, arrays, containers, dataclasses field by field,
functions by name, compiled code, defaults and what they close over, and other objects by what they pickle to.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import struct
import sys
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from pathlib import Path, PurePath
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from parakin.errors import ExecutorError
from parakin.kernels.texts import digest_of_texts, modules_below

_PACKAGE = Path(__file__).parent.parent
_PLAIN = (bool, int, str, bytes, type(None), type(Ellipsis))


def fingerprint(work: object) -> str:
    """Return a digest of all data that a work holds, in hexadecimal digits.

    >>> one, other = executors.OnRows(np.sqrt, np.arange(3.0)), executors.OnRows(np.sqrt, np.arange(4.0))
    >>> executors.fingerprint(one) == executors.fingerprint(other)
    False
    """
    return _Walk().digest(work).hex()


@functools.cache
def code_digest() -> str:
    """Return a digest of parakin's own text, and Python's version: results of two versions are not mixed."""
    return f"{sys.version_info[0]}.{sys.version_info[1]}-{digest_of_texts(_PACKAGE, modules_below(_PACKAGE)).hex()}"


class _Walk:
    """Takes objects apart, each once; keeps them alive meanwhile, so that an identity stays theirs."""

    def __init__(self) -> None:
        self._known: dict[int, bytes] = {}
        self._alive: list[object] = []
        self._open: set[int] = set()

    def digest(self, thing: object) -> bytes:
        if isinstance(thing, float | complex):
            return _of("number", struct.pack("<2d", complex(thing).real, complex(thing).imag))
        if isinstance(thing, _PLAIN):
            return _of(type(thing).__name__, repr(thing).encode("utf-8", "surrogatepass"))
        if id(thing) in self._known:
            return self._known[id(thing)]
        if id(thing) in self._open:
            return _of("an object that holds this one")
        self._open.add(id(thing))
        found = self._taken_apart(thing)
        self._open.discard(id(thing))
        self._known[id(thing)] = found
        self._alive.append(thing)
        return found

    def _taken_apart(self, thing: object) -> bytes:  # noqa: PLR0911
        match thing:
            case np.ndarray() | np.generic():
                return self._array(np.asarray(cast("ArrayLike", thing)))
            case Enum():
                return _of("enum", self.digest(type(thing)), thing.name.encode())
            case type():
                return self._type(thing)
            case CodeType():
                return _of("code", thing.co_code, *self._each((thing.co_names, thing.co_consts)))
            case Mapping():
                entries = cast("Mapping[object, object]", thing)
                return _of("mapping", *(self.digest(part) for pair in entries.items() for part in pair))
            case list() | tuple():
                return _of("sequence", *self._each(cast("Iterable[object]", thing)))
            case set() | frozenset():
                return _of("set", *sorted(self._each(cast("Iterable[object]", thing))))
            case PurePath():
                return _of("path", str(thing).encode("utf-8", "surrogateescape"))
            case functools.partial():
                given = cast("functools.partial[object]", thing)
                return _of("partial", *self._each((given.func, given.args, given.keywords)))
            case FunctionType() | MethodType() | BuiltinFunctionType() | np.ufunc():
                return self._function(thing)
            case _ if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
                values = (getattr(thing, field.name) for field in dataclasses.fields(thing))
                return _of("data", self.digest(type(thing)), *self._each(values))
            case _:
                return self._reduced(thing)

    def _each(self, things: Iterable[object]) -> list[bytes]:
        return [self.digest(thing) for thing in things]

    def _array(self, values: np.ndarray[Any, np.dtype[Any]]) -> bytes:
        if values.dtype.hasobject:
            return _of("objects", str(values.shape).encode(), *self._each(values.ravel().tolist()))
        head = f"{values.dtype.str} {values.shape}".encode()
        return _of("array", head, np.ascontiguousarray(values).tobytes())

    def _function(self, thing: Callable[..., object]) -> bytes:
        name = f"{getattr(thing, '__module__', '')}.{getattr(thing, '__qualname__', thing.__name__)}".encode()
        if isinstance(thing, MethodType):
            return _of("method", self.digest(thing.__self__), name)
        if not isinstance(thing, FunctionType):
            return _of("function", name)
        cells = [cell.cell_contents for cell in thing.__closure__ or ()]
        data = self._each((thing.__defaults__, thing.__kwdefaults__, cells))
        return _of("function", name, self.digest(thing.__code__), *data)

    def _type(self, thing: type) -> bytes:
        """Digest a class by its name; a class of users with its methods, for no digest of code tells what they are."""
        name = f"{thing.__module__}.{thing.__qualname__}".encode()
        theirs = hasattr(thing, "__dataclass_fields__") and thing.__module__.partition(".")[0] != "parakin"
        methods = [each for each in vars(thing).values() if theirs and isinstance(each, FunctionType)]
        return _of("type", name, *self._each(methods))

    def _reduced(self, thing: object) -> bytes:
        """Digest what an object would pickle to."""
        try:
            reduced = thing.__reduce_ex__(2)
        except TypeError as error:
            reason = f"holds a {type(thing).__qualname__}, which cannot be told from another: {error}"
            raise ExecutorError("work", f"{reason}; give data, functions of modules, and objects that pickle") from None
        if isinstance(reduced, str):
            return _of("global", type(thing).__module__.encode(), reduced.encode())
        items = [list(cast("Iterable[object]", part or ())) for part in reduced[3:5]]  # iterators of entries
        return _of("object", *self._each((*reduced[:3], *items)))


def _of(kind: str, *parts: bytes) -> bytes:
    """Return one digest of several parts, each with its length, so that none runs into the next."""
    digest = hashlib.sha256(kind.encode())
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.digest()
