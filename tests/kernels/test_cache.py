"""The disk cache: found again, never trusted, never in the way."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import parakin as pk
from parakin.kernels import compiler, disk_cache


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    directory = tmp_path / "cache"
    monkeypatch.setenv("PARAKIN_CACHE_DIR", str(directory))
    return directory


def make_kernel(factor: float = 3.0) -> pk.Kernel:
    x = ca.SX.sym("x", 3)
    return pk.Kernel(ca.Function("f", [x], [factor * ca.sin(x)], ["x"], ["y"]))


def value(factor: float = 3.0) -> np.ndarray:
    return make_kernel(factor)([0.1, 0.2, 0.3])["y"]


WANT = 3 * np.sin([0.1, 0.2, 0.3])


def count_compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    made: list[str] = []
    compile_text = compiler.object_code

    def counted(text: str) -> bytes:
        made.append(text)
        return compile_text(text)

    monkeypatch.setattr(compiler, "object_code", counted)
    return made


def test_a_second_kernel_of_the_same_model_compiles_nothing(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = count_compilations(monkeypatch)
    first, second = value(), value()
    assert len(made) == 1
    assert np.array_equal(first, second)
    assert (cache.stat().st_mode & 0o777) == 0o700


def test_another_model_or_option_is_another_entry(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = count_compilations(monkeypatch)
    value()
    value(4.0)
    x = ca.SX.sym("x", 3)
    function = ca.Function("f", [x], [3.0 * ca.sin(x)], ["x"], ["y"])
    pk.Kernel(function, reciprocals=False)([0.1, 0.2, 0.3])
    pk.Kernel(function)(np.ones((9, 3)))
    assert len(made) == 4
    assert len(list(cache.iterdir())) == 4


def test_another_process_finds_it(cache: Path) -> None:
    value()
    script = f"""
import parakin.kernels.compiler as compiler
compiler.object_code = lambda text: exit(3)
import sys; sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from tests.kernels.test_cache import value, WANT
assert abs(value() - WANT).max() < 1e-15
"""
    assert subprocess.run([sys.executable, "-c", script], check=False, timeout=60).returncode == 0
    assert len(list(cache.iterdir())) == 1


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_entries_are_rebuilt_and_never_crash(cache: Path, data: st.DataObject) -> None:
    """Cut short, bytes flipped, emptied, prolonged, or another kernel's entry under this name."""
    value()
    (entry,) = cache.iterdir()
    whole = entry.read_bytes()
    kind = data.draw(st.sampled_from(["cut", "flip", "junk", "longer", "foreign"]))
    if kind == "cut":
        entry.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
    elif kind == "flip":
        place = data.draw(st.integers(0, len(whole) - 1))
        entry.write_bytes(whole[:place] + bytes([whole[place] ^ data.draw(st.integers(1, 255))]) + whole[place + 1 :])
    elif kind == "junk":
        entry.write_bytes(data.draw(st.binary(max_size=300)))
    elif kind == "longer":
        entry.write_bytes(whole + data.draw(st.binary(min_size=1, max_size=50)))
    else:
        value(4.0)
        (other,) = set(cache.iterdir()) - {entry}
        entry.write_bytes(other.read_bytes())
        other.unlink()
    np.testing.assert_allclose(value(), WANT, rtol=1e-15)
    assert entry.read_bytes() == whole


def test_a_directory_open_to_others_is_not_used(cache: Path) -> None:
    cache.mkdir(mode=0o755)
    cache.chmod(0o755)
    disk_cache._warn_once.cache_clear()
    with pytest.warns(UserWarning, match="kernels are not cached in .*: others may read or write it; run chmod 700"):
        np.testing.assert_allclose(value(), WANT, rtol=1e-15)
    assert not list(cache.iterdir())


def test_a_directory_of_another_user_is_not_used(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    disk_cache._warn_once.cache_clear()
    with pytest.warns(UserWarning, match="it belongs to another user"):
        np.testing.assert_allclose(value(), WANT, rtol=1e-15)
    assert not list(cache.iterdir())


def test_a_place_that_cannot_be_made_costs_only_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PARAKIN_CACHE_DIR", str(tmp_path / "file" / "cache"))
    disk_cache._warn_once.cache_clear()
    with pytest.warns(UserWarning, match="kernels are not cached in .*: Not a directory"):
        np.testing.assert_allclose(value(), WANT, rtol=1e-15)


def test_the_oldest_entries_go_when_it_is_full(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.mkdir(mode=0o700)
    (cache / "notes.txt").write_text("a user's own file")
    monkeypatch.setattr(disk_cache, "LIMIT_BYTES", 3500)
    for k in range(5):
        disk_cache.write(f"key{k}", bytes(1000))
        os.utime(cache / f"key{k}.object", (k, k))
    assert sorted(path.name for path in cache.iterdir()) == ["key2.object", "key3.object", "key4.object", "notes.txt"]


def test_reading_an_entry_keeps_it_young(cache: Path) -> None:
    disk_cache.write("key", b"code")
    os.utime(cache / "key.object", (1, 1))
    assert disk_cache.read("key") == b"code"
    assert (cache / "key.object").stat().st_mtime > 1


def test_processes_may_write_at_once(cache: Path) -> None:
    script = f"""
import sys; sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from tests.kernels.test_cache import value, WANT
assert abs(value() - WANT).max() < 1e-15
"""
    runs = [subprocess.Popen([sys.executable, "-c", script]) for _ in range(4)]
    assert [run.wait(timeout=60) for run in runs] == [0, 0, 0, 0]
    (entry,) = cache.iterdir()
    assert disk_cache.read(entry.stem) is not None


def test_clear_removes_what_is_ours(cache: Path) -> None:
    value()
    (cache / "notes.txt").write_text("a user's own file")
    assert disk_cache.clear() > 1000
    assert [path.name for path in cache.iterdir()] == ["notes.txt"]


@pytest.mark.skipif(sys.platform != "linux", reason="other platforms have other places")
@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"XDG_CACHE_HOME": "/x"}, Path("/x/parakin")),
        ({"HOME": "/h"}, Path("/h/.cache/parakin")),
        ({"PARAKIN_CACHE_DIR": "/p", "XDG_CACHE_HOME": "/x"}, Path("/p")),
        ({"PARAKIN_CACHE_DIR": "~/p", "HOME": "/h"}, Path("/h/p")),
    ],
)
def test_the_platforms_own_place_is_the_default(
    environment: dict[str, str], expected: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PARAKIN_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, text in environment.items():
        monkeypatch.setenv(name, text)
    assert disk_cache.default_directory() == expected


@pytest.mark.parametrize("variable", ["PARAKIN_CACHE_DIR", "XDG_CACHE_HOME"])
def test_a_relative_place_does_not_move_with_the_current_directory(
    variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk_cache._absolute.cache_clear()
    monkeypatch.delenv("PARAKIN_CACHE_DIR", raising=False)
    monkeypatch.setenv(variable, "here")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    first = disk_cache.default_directory()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert first.is_absolute()
    assert disk_cache.default_directory() == first


def test_an_unfinished_entry_counts_and_is_cleared(cache: Path) -> None:
    disk_cache.write("key", b"code")
    (cache / f".key.object-{'0' * 32}").write_bytes(b"half")
    assert len(disk_cache.entries(cache)) == 2
    disk_cache.clear()
    assert not list(cache.iterdir())


def test_a_full_disk_costs_only_time(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, data: bytes) -> int:
        raise OSError(errno.ENOSPC, f"{path}: {len(data)}")

    monkeypatch.setattr(Path, "write_bytes", full)
    np.testing.assert_allclose(value(), WANT, rtol=1e-15)
    assert not list(cache.iterdir())
