"""Write files whole: a write that fails or is interrupted leaves what was there before; read regular files only.

New content is written beside its target under a hidden name and takes the target's name only when it is complete. Where
several files belong together, all of them take their names or none does. A new directory replaces an old one whole.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import shutil
import stat
import tempfile
from collections.abc import Generator, Iterable, Mapping
from pathlib import Path
from uuid import uuid4

_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
"""Kinds of files that may have no end, or never answer."""
_OPENING = os.O_RDONLY | sum(getattr(os, flag, 0) for flag in ("O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY"))
"""A pipe that took the file's place meanwhile does not hold the opening up, and no terminal becomes ours by it."""


def open_regular(path: Path) -> io.BufferedReader:
    """Open a regular file to read its bytes; OSError, with a reason to show, for whatever else has this name.

    Pipes, sockets and devices are not opened at all: to open one may wait for ever, or do something.
    """
    check_regular(path)
    file = open(os.open(path, _OPENING), "rb")  # noqa: SIM115
    try:
        _check_mode(path, os.fstat(file.fileno()).st_mode)
    except BaseException:
        file.close()
        raise
    return file


def check_regular(path: Path) -> None:
    """Raise OSError, with a reason to show, unless this is the name of a regular file."""
    try:
        status = os.stat(path)
    except ValueError as error:  # a zero character, or a surrogate that stands for no byte
        reason = "no file can have this name: it holds a zero character, or half of a surrogate pair"
        raise OSError(errno.EINVAL, reason, str(path)) from error
    _check_mode(path, status.st_mode)


def _check_mode(path: Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a directory, not a file", str(path))
    if not stat.S_ISREG(mode):
        kind = _KINDS.get(stat.S_IFMT(mode), "no regular file")
        raise OSError(errno.EINVAL, f"it is {kind}, which may have no end: copy its content to a file", str(path))


@contextlib.contextmanager
def replacing(target: Path) -> Generator[Path]:
    """Yield a path beside the target to write to; it replaces the target when the block ends without an error."""
    partial = _beside(target)
    try:
        yield partial
        _replace({partial: target})
    finally:
        _unlink([partial])


@contextlib.contextmanager
def replacing_together(directory: Path) -> Generator[Path]:
    """Yield an empty directory to write files to; they go to `directory` together when the block ends without an error.

    Files and directories of the same names are replaced, with all that these directories hold; others stay. A failed or
    interrupted block leaves `directory` as it was, and takes away the directories that were made for it. OSError where
    `directory` cannot be made or written.
    """
    missing = [place for place in (directory, *directory.parents) if not place.exists()]
    try:
        directory.mkdir(parents=True, exist_ok=True)
        partials = Path(tempfile.mkdtemp(prefix=".parakin-", dir=directory))
        try:
            yield partials
            _replace({partial: directory / partial.name for partial in sorted(partials.iterdir())})
        finally:
            shutil.rmtree(partials, ignore_errors=True)
    except BaseException:
        for place in missing:
            with contextlib.suppress(OSError):
                place.rmdir()
        raise


def write_texts(directory: Path, texts: Mapping[str, str]) -> list[Path]:
    """Write texts as UTF-8 files of one directory, all of them or none, and return their paths.

    texts: name of a file -> what it is to hold. See `replacing_together`.
    """
    with replacing_together(directory) as partials:
        for name, text in texts.items():
            (partials / name).write_text(text, encoding="utf-8", newline="\n")
    return [directory / name for name in texts]


def printable(text: str) -> str:
    """Return one line of text in which nothing can move a terminal's cursor: control characters become `?`."""
    return "".join(character if character.isprintable() else "?" for character in text)


def _replace(targets: Mapping[Path, Path]) -> None:
    """Give new files the names of their targets. If that fails half-way, every target has its old content again.

    targets: new file or directory -> its target. One file needs no copy of the old one, because its renaming is a
    single step. An old directory cannot be linked or replaced: it is moved aside just before.
    """
    moved = {target for partial, target in targets.items() if _is_directory(partial) and _is_directory(target)}
    if len(targets) == 1 and not moved:
        os.replace(*next(iter(targets.items())))
        return
    copies = {target: _beside(target) for target in targets.values() if os.path.lexists(target)}
    try:
        for target, copy in copies.items():
            if target not in moved:
                _copy(target, copy)
    except BaseException:
        _unlink(copies.values())
        raise
    try:
        for partial, target in targets.items():
            if target in moved:
                os.replace(target, copies[target])
            os.replace(partial, target)
    except BaseException as error:
        _restore(copies, error)
        _unlink(target for target in targets.values() if target not in copies)
        raise
    _unlink(copies.values())


def _restore(copies: Mapping[Path, Path], error: BaseException) -> None:
    """Give targets their old content back; what cannot be given back stays in its copy, and the error says where."""
    for target, copy in copies.items():
        if not os.path.lexists(copy):
            continue  # a directory that had not been moved aside
        try:
            if _is_directory(copy):
                _unlink([target])
            os.replace(copy, target)
        except OSError as refusal:
            error.add_note(f"{target}: its old content is in {copy}, for it cannot be put back: {refusal}")
        else:
            _unlink([copy])  # it is still there where the target had not been replaced: both named one file


def _is_directory(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _copy(file: Path, copy: Path) -> None:
    """Give a file a second name, or copy it where the file system has no hard links."""
    try:
        os.link(file, copy, follow_symlinks=False)
    except (OSError, NotImplementedError):
        shutil.copy2(file, copy, follow_symlinks=False)


def _beside(target: Path) -> Path:
    """Return a hidden path in the target's directory that nobody else uses."""
    return target.with_name(f".{target.name}-{uuid4().hex}")


def _unlink(paths: Iterable[Path]) -> None:
    for path in paths:
        with contextlib.suppress(OSError):
            if _is_directory(path):
                shutil.rmtree(path)
            else:
                path.unlink()
