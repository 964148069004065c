"""Object code kept between runs. An entry is a SHA-256 over key and object, then the object.

A truncated object would crash the process and a flipped byte would load in silence, so nothing reaches LLVM before its
digest is right. Entries are written beside and renamed, so that processes may share the directory; what is wrong,
unreadable, no regular file or somebody else's is as good as not there.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
import warnings
from functools import cache
from pathlib import Path

from platformdirs import user_cache_dir

from parakin.files import open_regular, replacing

LIMIT_BYTES = 512 * 2**20
"""Size of the directory beyond which the entries longest unused are removed: 512 MiB."""
_SUFFIX = ".object"
_PARTIALS = f".*{_SUFFIX}-*"
"""Pattern of the entries that `replacing` had begun when its process ended."""
_DIGEST_BYTES = 32


def default_directory() -> Path:
    """Return PARAKIN_CACHE_DIR or the platform's own place for caches. RuntimeError where there is no home for it."""
    chosen = os.environ.get("PARAKIN_CACHE_DIR") or user_cache_dir("parakin", appauthor=False, opinion=False)
    return _absolute(Path(chosen).expanduser())


@cache
def _absolute(path: Path) -> Path:
    """Resolve a relative path when it is first met, and remember it, so that chdir does not move the cache."""
    return path.absolute()


def directory() -> Path | None:
    """Return the cache directory, made if need be, or None where it cannot be trusted or written."""
    try:
        path = default_directory()
    except (RuntimeError, OSError) as error:  # no home; a relative path, and the current directory is gone
        _warn_once("a home directory", str(error))
        return None
    reason = _unusable(path)
    if reason:
        _warn_once(str(path), reason)
        return None
    return path


def _unusable(path: Path) -> str | None:
    """Say why a directory cannot be used: object code that others may write is code they may run in our name."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = path.stat()
    except OSError as error:
        return error.strerror or str(error)
    if sys.platform != "win32":
        if status.st_uid != os.getuid():
            return "it belongs to another user"
        if stat.S_IMODE(status.st_mode) & 0o077:
            return "others may read or write it; run chmod 700 on it"
    return None


@cache
def _warn_once(path: str, reason: str) -> None:
    warnings.warn(f"kernels are not cached in {path}: {reason}", stacklevel=2)


def _seal(key: str, code: bytes) -> bytes:
    """Return the digest that an entry begins with; the key is in it, so that a renamed entry is found out."""
    digest = hashlib.sha256(key.encode())
    digest.update(code)
    return digest.digest()


def read(key: str) -> bytes | None:
    """Return the object code under a key, or None if it is not there or not whole."""
    place = directory()
    if place is None:
        return None
    path = place / (key + _SUFFIX)
    try:
        with open_regular(path) as file:
            if os.fstat(file.fileno()).st_size > LIMIT_BYTES:
                return None
            digest, code = file.read(_DIGEST_BYTES), file.read()
    except OSError:
        return None
    if digest != _seal(key, code):
        return None
    with contextlib.suppress(OSError):
        os.utime(path)
    return code


def write(key: str, code: bytes) -> None:
    """Keep object code under a key. A full disk or a lost race costs only another compilation."""
    place = directory()
    if place is None:
        return
    with contextlib.suppress(OSError):
        with replacing(place / (key + _SUFFIX)) as partial:
            partial.write_bytes(_seal(key, code) + code)
        _trim(place)


def entries(place: Path) -> list[tuple[float, int, Path]]:
    """Return (time of last use [s], size [bytes], path) of every entry, whole or partial, the longest unused first."""
    known: list[tuple[float, int, Path]] = []
    for path in (*place.glob(f"*{_SUFFIX}"), *place.glob(_PARTIALS)):
        with contextlib.suppress(OSError):
            status = path.stat()
            known.append((status.st_mtime, status.st_size, path))
    return sorted(known)


def _trim(place: Path) -> None:
    """Remove the entries that were unused longest until the rest fits."""
    known = entries(place)
    total = sum(size for _, size, _ in known)
    for _, size, path in known:
        if total <= LIMIT_BYTES:
            break
        with contextlib.suppress(OSError):
            path.unlink()
        total -= size


def clear() -> int:
    """Remove every entry and return how many bytes that freed."""
    place = directory()
    freed = 0
    for _, size, path in entries(place) if place else ():
        with contextlib.suppress(OSError):
            path.unlink()
            freed += size
    return freed
