"""Object code kept between runs. An entry is a SHA-256 over key and object, then the object.

A truncated object would crash the process and a flipped byte would load in silence, so nothing reaches LLVM before its
digest is right. Entries are written beside and renamed, so that processes may share the directory; what is wrong,
unreadable or somebody else's is as good as not there.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
import tempfile
import warnings
from functools import cache
from pathlib import Path

LIMIT_BYTES = 512 * 2**20
"""What the directory may hold; beyond it the entries longest unused go."""
_SUFFIX = ".object"
_PARTIAL = "partial-"
_DIGEST_BYTES = 32


def default_directory() -> Path:
    """PARAKIN_CACHE_DIR, or the platform's place for caches. RuntimeError where there is no home to put it in."""
    if override := os.environ.get("PARAKIN_CACHE_DIR"):
        return Path(override).expanduser()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "parakin"


def directory() -> Path | None:
    """The cache directory, made if need be; None where it cannot be trusted or written."""
    try:
        path = default_directory()
    except RuntimeError as error:
        _warn_once("a home directory", str(error))
        return None
    reason = _unusable(path)
    if reason:
        _warn_once(str(path), reason)
        return None
    return path


def _unusable(path: Path) -> str | None:
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = path.stat()
    except OSError as error:
        return error.strerror or str(error)
    if sys.platform != "win32":
        if found.st_uid != os.getuid():
            return "it belongs to another user"
        if stat.S_IMODE(found.st_mode) & 0o077:
            return "others may read or write it; run chmod 700 on it"
    return None


@cache
def _warn_once(path: str, reason: str) -> None:
    warnings.warn(f"kernels are not cached in {path}: {reason}", stacklevel=2)


def _seal(key: str, code: bytes) -> bytes:
    return hashlib.sha256(key.encode() + code).digest()


def read(key: str) -> bytes | None:
    """The object code under a key, if it is there and whole."""
    place = directory()
    if place is None:
        return None
    path = place / (key + _SUFFIX)
    try:
        entry = path.read_bytes()
    except OSError:
        return None
    code = entry[_DIGEST_BYTES:]
    if entry[:_DIGEST_BYTES] != _seal(key, code):
        return None
    with contextlib.suppress(OSError):
        os.utime(path)
    return code


def write(key: str, code: bytes) -> None:
    """Keep object code; a full disk or a lost race costs only the next compilation."""
    place = directory()
    if place is None:
        return
    with contextlib.suppress(OSError):
        handle, name = tempfile.mkstemp(prefix=_PARTIAL, dir=place)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_seal(key, code) + code)
            os.replace(name, place / (key + _SUFFIX))
        except BaseException:
            os.unlink(name)
            raise
        _trim(place)


def entries(place: Path) -> list[tuple[float, int, Path]]:
    """(last use, size, path) of all that is ours in the directory, what was used longest ago first."""
    found: list[tuple[float, int, Path]] = []
    for path in (*place.glob(f"*{_SUFFIX}"), *place.glob(f"{_PARTIAL}*")):
        with contextlib.suppress(OSError):
            status = path.stat()
            found.append((status.st_mtime, status.st_size, path))
    return sorted(found)


def _trim(place: Path) -> None:
    """Drop what was unused longest until the rest fits."""
    known = entries(place)
    total = sum(size for _, size, _ in known)
    for _, size, path in known:
        if total <= LIMIT_BYTES:
            break
        with contextlib.suppress(OSError):
            path.unlink()
        total -= size


def clear() -> int:
    """Remove every entry; returns how many bytes that freed."""
    place = directory()
    freed = 0
    for _, size, path in entries(place) if place else ():
        with contextlib.suppress(OSError):
            path.unlink()
            freed += size
    return freed
