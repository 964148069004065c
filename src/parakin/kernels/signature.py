"""The inputs of a kernel in their order, and what a call returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.arrays import Array
from parakin.errors import KernelInputError
from parakin.kernels.arguments import Socket
from parakin.kernels.context import LARGEST_INPUT

if TYPE_CHECKING:

    class Result(dict[str, Array]):
        """Outputs of a call by name: float64, except that the declared status is int32.

        Type checkers are told so for a status of the usual name, `status`. When the program runs, it is a plain dict.
        """

        @overload
        def __getitem__(self, name: Literal["status"], /) -> NDArray[np.int32]: ...  # pyright: ignore[reportOverlappingOverload]
        @overload
        def __getitem__(self, name: str, /) -> Array: ...
        def __getitem__(self, name: str, /) -> Array | NDArray[np.int32]: ...

else:
    Result = dict  # a class of its own would make a call on one state 5 % slower


class Signature:
    """The inputs of a kernel in their order: turns values given by position and by name into a sequence."""

    def __init__(self, kernel: str, inputs: Sequence[Socket], unchecked: Sequence[str] = ()) -> None:
        self.kernel = kernel
        self.unchecked = unchecked
        self.inputs = inputs
        self._names = tuple(s.name for s in inputs)
        self._pick = _picker(self._names)

    def ordered(self, args: Sequence[ArrayLike], named: Mapping[str, ArrayLike]) -> Sequence[ArrayLike]:
        """Return one value for each input, in their order."""
        if not args and len(named) == len(self._names):
            try:
                return self._pick(named)
            except KeyError:
                pass
        return self._merged(args, named)

    def _merged(self, args: Sequence[ArrayLike], named: Mapping[str, ArrayLike]) -> Sequence[ArrayLike]:
        """Merge positions and names, and refuse what is missing, unknown or given twice."""
        names = ", ".join(self._names)
        if len(args) > len(self.inputs):
            raise KernelInputError(self.kernel, "arguments", f"at most {len(self.inputs)} ({names})", str(len(args)))
        values: dict[str, ArrayLike] = {s.name: value for s, value in zip(self.inputs, args, strict=False)}
        for name, value in named.items():
            if name not in self._names:
                raise KernelInputError(self.kernel, name, f"an input among {names}", "an unknown name")
            if name in values:
                raise KernelInputError(self.kernel, name, "one value", "a position and a name")
            values[name] = value
        for s in self.inputs:
            if s.name not in values:
                raise KernelInputError(self.kernel, s.name, f"an array of shape {s.describe()}", "nothing")
        return [values[s.name] for s in self.inputs]

    def unusable(self, arrays: Sequence[Array]) -> KernelInputError:
        """Return the error that names the first element that cannot be used.

        It is not finite, or not zero where the model has none; or it is the first that is too large.
        """
        too_large: KernelInputError | None = None
        for s, array in zip(self.inputs, arrays, strict=True):
            checked = s.name not in self.unchecked
            for element, value in enumerate(array.reshape(-1).tolist()):
                element_of_state = element % s.size
                place = "".join(f"[{k}]" for k in np.unravel_index(element_of_state, s.shape)) if s.shape else ""
                if checked and not np.isfinite(value):
                    return KernelInputError(self.kernel, f"{s.name}{place}", "a finite number", str(value))
                if value != 0.0 and element_of_state not in s.port.pattern:
                    expected = "0, for the model has a structural zero there"
                    return KernelInputError(self.kernel, f"{s.name}{place}", expected, str(value))
                if checked and abs(value) > LARGEST_INPUT and too_large is None:
                    expected = f"a number of size {LARGEST_INPUT:.2g} or less, in SI units"
                    too_large = KernelInputError(self.kernel, f"{s.name}{place}", expected, str(value))
        return too_large or KernelInputError(
            self.kernel, "inputs", "finite numbers", "a value that changed during the call"
        )


def _picker(names: tuple[str, ...]) -> Callable[[Mapping[str, ArrayLike]], Sequence[ArrayLike]]:
    """Return what takes the values of these names out of a mapping, in their order; KeyError where one is missing."""
    if len(names) > 1:
        return itemgetter(*names)
    return lambda named: [named[name] for name in names]
