"""The threads of BLAS, which gain nothing on matrices of a robot's size and wait for each other on a busy machine."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def one_blas_thread() -> Generator[None]:
    """Let BLAS work on one thread inside the block."""
    import scipy.linalg  # noqa: F401  # pyright: ignore[reportUnusedImport]  only a BLAS that is loaded can be told
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, "blas"):
        yield
