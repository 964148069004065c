"""Kernels that are found in the cache from what their derivation reads, without deriving anything."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path
from typing import NoReturn

import casadi as ca
import numpy as np
import pytest

import parakin as pk
from parakin.errors import DescriptionError, UnknownNameError
from parakin.kernels import Derivation, compiler, disk_cache
from parakin.kernels.interface import Interface
from parakin.robot import load_unchecked
from parakin.robot.engine import Asked

NUMBER = re.compile(r"(?<![\w.\"-])-?\d+\.\d+(?:e-?\d+)?(?![\w\"])")
"""A number with a decimal point, as robot files write lengths, masses and angles."""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    directory = tmp_path / "cache"
    monkeypatch.setenv("PARAKIN_CACHE_DIR", str(directory))
    return directory


def looped() -> pk.Program:
    x, u = ca.SX.sym("x", 2), ca.SX.sym("u")
    step = ca.Function("step", [x, u], [x + u, ca.sum1(x)], ["x", "u"], ["next", "y"])
    return pk.Program(pk.scan(pk.stage(step, next="x"), inputs=["u"], outputs=["y"]), outputs=["x"], name="walk")


def refuse() -> NoReturn:
    raise AssertionError("derived although it was in the cache")


@pytest.mark.usefixtures("cache")
def test_a_kernel_in_the_cache_is_not_derived_again() -> None:
    states = {"x": np.ones((3, 2)), "u": np.arange(12.0).reshape(3, 4)}
    first = pk.Kernel(Derivation("walk", looped))
    want = first(**states)
    again = pk.Kernel(Derivation("walk", refuse))
    got = again(**states)
    assert [s.describe() for s in again.outputs] == [s.describe() for s in first.outputs]
    assert all(np.array_equal(got[name], want[name]) for name in want)


@pytest.mark.usefixtures("cache")
def test_what_only_the_model_knows_is_derived_when_it_is_asked_for() -> None:
    x = ca.SX.sym("x")
    made: list[int] = []

    def derive() -> pk.Program:
        made.append(1)
        return pk.Program.of(ca.Function("f", [x], [ca.sin(x) * 2 + 1], ["x"], ["y"]))

    pk.Kernel(Derivation("sine", derive))(0.5)
    kernel = pk.Kernel(Derivation("sine", derive))
    kernel(0.5)
    assert len(made) == 1
    assert kernel.operations.total == pk.Kernel(derive()).operations.total
    assert float(kernel.casadi(0.5)) == pytest.approx(2 * np.sin(0.5) + 1, rel=1e-15)
    assert len(made) == 3  # one of them by this test itself


def test_code_that_left_the_cache_is_made_again(cache: Path) -> None:
    kernel = pk.Kernel(Derivation("walk", looped))
    want = kernel(x=np.ones(2), u=np.ones(4))
    sizes = sorted((path.stat().st_size, path) for path in cache.iterdir())
    assert len(sizes) == 2
    sizes[1][1].unlink()  # the code is the larger one
    got = pk.Kernel(Derivation("walk", looped))(x=np.ones(2), u=np.ones(4))
    assert np.array_equal(got["x"], want["x"])


def test_an_interface_is_read_as_it_was_written() -> None:
    interface = pk.Kernel(looped()).plan.interface
    assert Interface.of_bytes(interface.to_bytes()) == interface


def test_without_a_cache_everything_is_derived(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk_cache, "directory", lambda: None)
    assert pk.Kernel(Derivation("walk", looped)).inputs[0].name == "x"


@pytest.mark.usefixtures("cache")
def test_names_that_there_are_not_are_refused_with_a_warm_cache() -> None:
    robot = pk.load("five_bar")
    robot.kernel("jacobian")
    with pytest.raises(UnknownNameError, match="no model 'jacobia'"):
        robot.kernel("jacobia")
    with pytest.raises(UnknownNameError, match="no formulation 'newton'"):
        robot.kernel("inverse_dynamics", formulation="newton")
    with pytest.raises(UnknownNameError, match="no input to free 'payload'"):
        robot.kernel("jacobian", free=("payload",))


# The key ---------------------------------------------------------------------------------------------------------


def key_of(robot: pk.Robot, model: str = "inverse_dynamics") -> str:
    return compiler.derivation_key(robot.engine.content(Asked(model, "virtual-work", (), False, ())))


def changed_files(text: str) -> Iterator[tuple[str, str]]:
    """A robot file with one of its numbers changed in the ninth digit, for each number."""
    for found in NUMBER.finditer(text):
        value = float(found[0])
        other = value * (1 + 1e-9) if value else 1e-9
        yield found[0], f"{text[: found.start()]}{other!r}{text[found.end() :]}"


def said(robot: pk.Robot) -> object:
    return robot.description if robot.legs else robot.graph_description


@pytest.mark.parametrize("name", ["delta", "five_bar", "h4", "palida", "four_bar"])
def test_every_number_of_a_robot_file_is_in_the_key(name: str, tmp_path: Path) -> None:
    """All but those that make no other robot: the length of a direction, a number in a comment."""
    room = "mechanism" if name in pk.mechanism_library() else "description"
    text = (resources.files(f"parakin.{room}") / "library" / f"{name}.toml").read_text()
    file = tmp_path / f"{name}.toml"
    file.write_text(text)
    original = load_unchecked(file)
    keys = {key_of(original)}
    for number, other in changed_files(text):
        file.write_text(other)
        try:
            robot = load_unchecked(file)
        except DescriptionError:  # legs that are no longer alike, zeros that are no longer exact
            continue
        key = key_of(robot)
        assert (key in keys) == (said(robot) == said(original)), number
        keys.add(key)
    assert len(keys) > 0.5 * len(NUMBER.findall(text))  # most numbers can be changed alone


def test_what_is_asked_for_and_carried_is_in_the_key() -> None:
    robot = pk.load("delta")
    variants = [
        key_of(robot),
        key_of(robot, "mass_matrix"),
        key_of(robot.with_payload(0.1)),
        key_of(robot.with_payload(0.1, centre=(0, 0, 1e-9))),
        compiler.derivation_key(robot.engine.content(Asked("inverse_dynamics", "simplified", (), False, ()))),
        compiler.derivation_key(
            robot.engine.content(Asked("inverse_dynamics", "virtual-work", ("payload",), False, ()))
        ),
    ]
    assert len(set(variants)) == len(variants)
    assert key_of(pk.load("delta")) == variants[0]


def _edit(place: Path) -> None:
    path = place / "dynamics" / "models.py"
    path.write_text(path.read_text().replace("def ", "def  ", 1))


def _rename(place: Path) -> None:
    (place / "spatial.py").rename(place / "spatial_2.py")


def _add(place: Path) -> None:
    (place / "kinematics" / "new.py").write_text("")


@pytest.mark.parametrize("change", [_edit, _rename, _add])
def test_the_text_of_the_package_is_in_the_key(
    change: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "parakin"
    shutil.copytree(compiler.PACKAGE, place, ignore=shutil.ignore_patterns("*.toml", "*.npz", "__pycache__"))
    before = compiler.derivation_key("content")
    monkeypatch.setattr(compiler, "PACKAGE", place)
    assert compiler.derivation_key("content") == before
    change(place)
    compiler._maker.cache_clear()
    assert compiler.derivation_key("content") != before
