"""Files are written whole, and together or not at all, whenever the write fails or is interrupted."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parakin.files import open_regular, replacing, replacing_together, write_texts

TEXTS = {"a.c": "a", "b.c": "b", "c.c": "c"}


def contents(directory: Path) -> dict[str, str]:
    """Return every file under a directory with its text, hidden ones too."""
    return {path.relative_to(directory).as_posix(): path.read_text() for path in directory.rglob("*") if path.is_file()}


def failing_at(moment: int, error: BaseException, real: Callable[..., object]) -> Callable[..., object]:
    """Wrap a function so that its call number `moment` fails, before it has done anything, and all others work."""
    calls = 0

    def wrapped(*args: object, **options: object) -> object:
        nonlocal calls
        calls += 1
        if calls == moment + 1:
            raise error
        return real(*args, **options)

    return wrapped


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(errno.ENOSPC, "No space left on device")], ids=repr)
@pytest.mark.parametrize("moment", range(3))
@pytest.mark.parametrize("function", ["write", "link", "replace"])
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(old=st.sets(st.sampled_from([*TEXTS, "notes.txt"])))
def test_a_failed_write_leaves_everything_as_it_was(
    function: str, moment: int, error: BaseException, old: set[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    tmp_path = tmp_path_factory.mktemp("files")
    place = tmp_path / "deep" / "out"
    if old:
        place.mkdir(parents=True)
    for name in old:
        (place / name).write_text(f"old {name}")
    before = contents(tmp_path)
    owner, attribute = {"write": (Path, "write_text"), "link": (os, "link"), "replace": (os, "replace")}[function]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, attribute, failing_at(moment, error, getattr(owner, attribute)))
        try:
            write_texts(place, TEXTS)
        except type(error):
            assert contents(tmp_path) == before
            assert old or not list(tmp_path.iterdir())
        else:  # a file that cannot have a second name was copied, or there were fewer to keep
            assert function == "link"
            assert contents(place) == {name: f"old {name}" for name in old} | TEXTS


def test_what_cannot_be_put_back_is_kept_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in TEXTS:
        (tmp_path / name).write_text(f"old {name}")
    replace, calls = os.replace, 0

    def refused(source: Path, target: Path) -> None:
        nonlocal calls
        calls += 1
        if calls > 1:
            raise OSError(errno.EIO, "Input/output error")
        replace(source, target)

    monkeypatch.setattr(os, "replace", refused)
    with pytest.raises(OSError, match="Input/output error") as caught:
        write_texts(tmp_path, TEXTS)
    (note, *_) = caught.value.__notes__
    assert "a.c: its old content is in" in note
    assert "old a.c" in contents(tmp_path).values()


@pytest.mark.parametrize("others", [(), ("a.csv", "z.csv")])
@pytest.mark.parametrize("moment", range(4))
def test_directories_are_replaced_whole_or_not_at_all(others: tuple[str, ...], moment: int, tmp_path: Path) -> None:
    def write(text: str, names: tuple[str, ...]) -> None:
        with replacing_together(tmp_path) as place:
            for name in (*others, *(f"pictures/{name}" for name in names)):
                (place / name).parent.mkdir(exist_ok=True)
                (place / name).write_text(f"{text} {name}")

    write("old", ("0.png", "1.png"))
    before = contents(tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "replace", failing_at(moment, OSError(errno.ENOSPC, "No space left on device"), os.replace))
        with contextlib.suppress(OSError):
            write("new", ("0.png",))
            before = {}  # it had fewer steps than the one that was to fail
    assert not before or contents(tmp_path) == before
    write("new", ("0.png",))
    assert contents(tmp_path) == {name: f"new {name}" for name in (*others, "pictures/0.png")}


def test_a_file_does_not_replace_a_directory(tmp_path: Path) -> None:
    (tmp_path / "a.c").mkdir()
    (tmp_path / "a.c" / "kept").write_text("old")
    with pytest.raises(OSError, match="directory"):
        write_texts(tmp_path, TEXTS)
    assert contents(tmp_path) == {"a.c/kept": "old"}


def test_a_link_is_replaced_not_followed(tmp_path: Path) -> None:
    (tmp_path / "kept.c").write_text("kept")
    (tmp_path / "a.c").symlink_to("kept.c")
    write_texts(tmp_path, TEXTS)
    assert contents(tmp_path) == {"kept.c": "kept", **TEXTS}


@pytest.mark.parametrize("name", ["new.txt", "old.txt"])
def test_a_block_that_fails_replaces_nothing(name: str, tmp_path: Path) -> None:
    (tmp_path / "old.txt").write_text("old")
    with contextlib.suppress(KeyboardInterrupt), replacing(tmp_path / name) as partial:
        partial.write_text("half")
        raise KeyboardInterrupt
    with contextlib.suppress(KeyboardInterrupt), replacing_together(tmp_path) as place:
        (place / name).write_text("half")
        raise KeyboardInterrupt
    assert contents(tmp_path) == {"old.txt": "old"}
    with replacing(tmp_path / name) as partial:
        partial.write_text("whole")
    assert contents(tmp_path) == {"old.txt": "old"} | {name: "whole"}


def test_regular_files_are_read_and_nothing_else_is_opened(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("content")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    with open_regular(tmp_path / "link") as file:
        assert file.read() == b"content"
    with pytest.raises(IsADirectoryError, match="it is a directory"):
        open_regular(tmp_path)
    with pytest.raises(FileNotFoundError):
        open_regular(tmp_path / "nothing")
    for name in ("zero\0", "half\ud800"):
        with pytest.raises(OSError, match="no file can have this name"):
            open_regular(tmp_path / name)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(OSError, match="it is a named pipe, which may have no end: copy its content to a file"):
            open_regular(tmp_path / "pipe")
