"""Loading looks whether the platform moves as the file claims, once for a file; what was found is kept between runs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import parakin as pk
from parakin.description import load_description, to_toml
from parakin.errors import DescriptionError, SingularHomeWarning
from parakin.kernels import disk_cache
from parakin.mechanism import load_mechanism_description, mechanism_library, mobility_of, plan_of_json, plan_to_json
from parakin.mechanism.plan import plan
from parakin.robot import load_unchecked, loading, remembering
from tests.commands import command
from tests.mechanism.test_mobility import delta, three_struts

IMPOSTORS = {
    "3-SPS": lambda: three_struts({"type": "spherical"}, None),
    "Delta with one ball-jointed rod a leg": lambda: delta({"type": "spherical"}),
}


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    directory = tmp_path / "cache"
    monkeypatch.setenv("PARAKIN_CACHE_DIR", str(directory))
    return directory


def refuse(*_: object) -> object:
    raise AssertionError("computed although it was in the cache")


# Who is let in -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", IMPOSTORS)
def test_impostors_are_refused_and_can_still_be_looked_at(name: str, tmp_path: Path) -> None:
    file = tmp_path / "impostor.toml"
    file.write_text(to_toml(IMPOSTORS[name]()), encoding="utf-8")
    free = r"impostor\.toml: motion: the platform can turn about x, y and z although motion = 'translation'"
    with pytest.raises(DescriptionError, match=rf"{free}: no leg holds it, leg1, leg2 and leg3 .*motion = 'spatial'"):
        pk.load(file)
    assert len(load_unchecked(file).legs) == 3
    shown = command("check", str(file))
    assert shown.returncode == 1
    assert "home: good" in shown.stdout
    assert "problem: the platform can turn about x, y and z" in shown.stdout
    assert "the platform can turn about x, y and z" in " ".join(command("info", str(file)).stdout.split())


def test_what_is_so_at_home_alone_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"problems": [], "warnings": ["home is a constraint singularity"]}
    monkeypatch.setattr(loading, "mobility_text", lambda _: json.dumps(found))
    with pytest.warns(SingularHomeWarning, match=r"delta: workspace\.home: home is a constraint") as caught:
        pk.load("delta")
    assert Path(caught[0].filename) == Path(__file__)


# What is kept --------------------------------------------------------------------------------------------------------


def test_mobility_is_computed_once(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pk.load("five_bar")
    assert len(list(cache.iterdir())) == 1
    description = load_description("five_bar")
    assert remembering.remembered_mobility(description) == mobility_of(description)
    monkeypatch.setattr("parakin.mechanism.mobility_of", refuse)
    pk.load("five_bar").with_payload(1.0)
    with pytest.raises(AssertionError, match="computed although"):
        pk.load("delta")


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize("damage", ["gone", "cut", "flipped"])
def test_without_a_good_entry_mobility_is_computed(damage: str, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pk.load("five_bar")
    (entry,) = cache.iterdir()
    data = entry.read_bytes()
    if damage == "gone":
        monkeypatch.setattr(disk_cache, "directory", lambda: None)
    else:
        entry.write_bytes(data[:50] if damage == "cut" else data[:-1] + bytes([data[-1] ^ 1]))
    pk.load("five_bar")
    monkeypatch.setattr("parakin.mechanism.mobility_of", refuse)
    if damage == "gone":
        with pytest.raises(AssertionError, match="computed although"):
            pk.load("five_bar")
    else:
        pk.load("five_bar")


@pytest.mark.parametrize("name", mechanism_library())
def test_a_plan_is_read_as_it_was_written(name: str) -> None:
    description = load_mechanism_description(name)
    found = plan(description)
    text = plan_to_json(found)
    again = plan_of_json(description, text)
    assert plan_to_json(again) == text
    assert str(again) == str(found)
    assert again.pivots == found.pivots
    np.testing.assert_array_equal(again.pivot_sizes, found.pivot_sizes)
    assert not again.pivot_sizes.flags.writeable
    for one, other in zip(again.skeleton.cuts, found.skeleton.cuts, strict=True):
        assert (one.axes is None) == (other.axes is None)
        if one.axes is not None and other.axes is not None:
            np.testing.assert_array_equal(one.axes.R, other.axes.R)


@pytest.mark.usefixtures("cache")
def test_a_mechanism_is_planned_and_derived_once(monkeypatch: pytest.MonkeyPatch) -> None:
    first = pk.load("four_bar")
    tau = first.inverse_dynamics(first.home, first.home, first.home)
    monkeypatch.setattr("parakin.mechanism.plan.plan", refuse)
    monkeypatch.setattr("parakin.robot.graph_engine.graph_program", refuse)
    again = pk.load("four_bar")
    assert np.array_equal(again.inverse_dynamics(again.home, again.home, again.home), tau)
    with pytest.raises(AssertionError, match="computed although"):
        pk.load("four_bar").replace(gravity=(0.0, 0.0, -9.0))
    with pytest.raises(AssertionError, match="computed although"):
        again.with_payload(1.0).inverse_dynamics(again.home, again.home, again.home)
    with pytest.raises(AssertionError, match="computed although"):
        again.kernel("inverse_dynamics", configuration=True).compile()


def test_the_text_of_every_module_that_has_a_part_is_in_the_key() -> None:
    """Modules of parakin that are there once mobility and plans have been computed, but for those that keep them."""
    code = (
        "import sys; from parakin.description import load_description; from parakin.mechanism import *\n"
        "from parakin.mechanism.plan import plan\n"
        "mobility_of(load_description('five_bar')); plan(load_mechanism_description('four_bar'))\n"
        "print([m.__file__ for n, m in sys.modules.items() if n.split('.')[0] == 'parakin'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    there = {Path(path).resolve() for path in json.loads(done.stdout.replace("'", '"'))}
    assert there <= {Path(path).resolve() for path in remembering.texts()}


def test_a_robot_of_legs_is_loaded_without_the_rooms_of_graphs() -> None:
    pk.load("palida")  # what its joints allow is in the cache then
    code = "import sys, parakin as pk; pk.load('palida'); print([m for m in sys.modules if m.startswith('parakin.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    there = json.loads(done.stdout.replace("'", '"'))
    assert not [name for name in there if name.startswith("parakin.mechanism") or ".graph" in name]
