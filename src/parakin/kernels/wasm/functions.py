"""Functions and tables of a module under construction, by key: written when they are first asked for, and once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from parakin.kernels.wasm.binary import Function


class Functions:
    """Functions of one module, numbered in the order in which they were first asked for."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._functions: list[Function | None] = []
        self._tables: dict[str, int] = {}
        self.data = b""

    def number(self, key: Hashable, write: Callable[[], Function]) -> int:
        """Return the number of the function known by a key; it is written now if it is new."""
        if key not in self._numbers:
            number = self._numbers[key] = len(self._functions)
            self._functions.append(None)
            self._functions[number] = write()
        return self._numbers[key]

    def table(self, name: str, content: bytes) -> int:
        """Return the address of a constant table, which is in memory before anything runs."""
        if name not in self._tables:
            self._tables[name] = len(self.data)
            self.data += content
        return self._tables[name]

    def written(self) -> Sequence[Function]:
        """Return all functions in the order of their numbers."""
        return [function for function in self._functions if function is not None]
