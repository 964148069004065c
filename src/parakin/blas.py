"""BLAS and threads: its own gain nothing on matrices of a robot's size, and scipy's wrappers hold Python's lock."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@contextmanager
def one_blas_thread() -> Generator[None]:
    """Let BLAS work on one thread inside the block, numpy's and scipy's."""
    import scipy.linalg  # noqa: F401  # pyright: ignore[reportUnusedImport]  only a BLAS that is loaded can be told

    with one_numpy_thread():
        yield


@contextmanager
def one_numpy_thread() -> Generator[None]:
    """Let BLAS work on one thread inside the block, numpy's alone where scipy has not been imported."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, "blas"):
        yield


def solve_rows(R: NDArray[np.float64], rows: NDArray[np.float64]) -> None:
    """Overwrite each row a of `rows` (N, n) by R^-T a, in place and while other threads of Python go on.

    R (n, n): an upper triangle, stored by columns; rows: stored one after the other.
    """
    if not (R.flags.f_contiguous and rows.flags.c_contiguous and rows.flags.writeable):
        raise ValueError("R must be stored by columns, rows one after the other and writeable")
    # BLAS takes whole numbers of 4 or 8 bytes, whichever it was made for: the first 4 bytes of 8 are the number too.
    count, n = (ctypes.c_int64(size) for size in rows.shape)
    one = ctypes.c_double(1.0)
    by_reference = ctypes.byref
    _dtrsm()(
        *(b"L", b"U", b"T", b"N", by_reference(n), by_reference(count), by_reference(one)),
        *(R.ctypes.data, by_reference(n), rows.ctypes.data, by_reference(n)),
    )


@cache
def _dtrsm() -> Callable[..., None]:
    """Return the routine that scipy offers to compiled code. Called by ctypes, it does not hold Python's lock."""
    capsule: object = import_module("scipy.linalg.cython_blas").__pyx_capi__["dtrsm"]
    name = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(("PyCapsule_GetName", ctypes.pythonapi))
    pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
        ("PyCapsule_GetPointer", ctypes.pythonapi)
    )
    texts, references = [ctypes.c_char_p] * 4, [ctypes.c_void_p] * 7
    return ctypes.CFUNCTYPE(None, *texts, *references)(pointer(capsule, name(capsule)))
