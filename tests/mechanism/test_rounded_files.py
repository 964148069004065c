"""Files whose coordinates a CAD system rounded: every robot of the library still moves as it did."""

from __future__ import annotations

import tomllib
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info

import parakin as pk
from parakin.description import describe, expanded_legs, library, load_description, to_toml
from parakin.errors import DescriptionError
from parakin.linalg.pivots import common_pivots
from parakin.mechanism import (
    Mobility,
    describe_mechanism,
    load_mechanism_description,
    mechanism_library,
    mechanism_to_toml,
    mobility_of,
)
from parakin.mechanism.expansion import graph_of
from parakin.mechanism.plan import plan
from parakin.mechanism.skeleton import skeleton

ROUNDED = 1e-9
"""How far each coordinate is off, in sizes of the robot."""
LENGTHS = {"root", "b", "c", "com", "length", "spacing", "position"}
"""Keys whose numbers are lengths [m]."""
DIRECTIONS = {"axis", "reference", "direction", "leg_axis", "x", "z"}
"""Keys whose numbers are parts of directions."""


def disturbed(value: Any, rng: np.random.Generator, size: float, key: str = "") -> Any:
    """Return the tables of a file with lengths off by ROUNDED of a size, and parts of directions by ROUNDED."""
    match value:
        case dict():
            return {name: disturbed(entry, rng, size, name) for name, entry in value.items()}
        case list():
            return [disturbed(entry, rng, size, key) for entry in value]
        case float() if key in LENGTHS:
            return value + ROUNDED * size * rng.uniform(-1.0, 1.0)
        case float() if key in DIRECTIONS:
            return value + ROUNDED * rng.uniform(-1.0, 1.0)
        case _:
            return value


def counted(found: Mobility) -> tuple[object, ...]:
    return found.good, found.freedoms, found.redundant, found.spins, len(found.idle), found.pin


@pytest.mark.parametrize("name", library())
def test_a_rounded_robot_has_the_mobility_of_the_exact_one(name: str) -> None:
    """Legs of a symmetry are written out first, so that each is rounded by itself."""
    exact = load_description(name)
    written = exact.model_copy(update={"legs": expanded_legs(exact), "symmetries": {}})
    size = skeleton(graph_of(exact)).size
    tables = disturbed(tomllib.loads(to_toml(written)), np.random.default_rng(3), size)
    rounded = describe(tables, f"{name}.toml")
    assert rounded != written
    assert counted(mobility_of(rounded)) == counted(mobility_of(exact))


@pytest.mark.parametrize("name", mechanism_library())
def test_a_rounded_mechanism_has_the_plan_of_the_exact_one(name: str) -> None:
    exact = load_mechanism_description(name)
    size = skeleton(exact).size
    tables = disturbed(tomllib.loads(mechanism_to_toml(exact)), np.random.default_rng(3), size)
    one, other = (plan(description) for description in (exact, describe_mechanism(tables, f"{name}.toml")))
    assert one.independent_names == other.independent_names
    for count in ("rank", "idle", "loose", "singular_home"):
        assert getattr(one, count) == getattr(other, count), count


@pytest.mark.parametrize("ratio", [1.0, 19.0, 50.0])
def test_a_fast_wheel_does_not_magnify_rounding(ratio: float) -> None:
    """A four-bar whose crank's hinge leans by 0.1 microradians, and a wheel that a gear drives from the crank.

    The faster the wheel, the less a motion of unit size opens the loop, and the smaller is its singular value; beside
    the crank's rate, in which elimination writes the row, the row stays as large as it is.
    """
    tables: dict[str, Any] = tomllib.loads(mechanism_to_toml(load_mechanism_description("four_bar")))
    tables = {key: value for key, value in tables.items() if key not in ("independent", "workspace")}
    tables["joints"][0]["parent_frame"]["z"] = [1e-7, -1.0, 0.0]
    tables["bodies"].append({"name": "wheel", "mass": 0.1, "inertia": (1e-4 * np.eye(3)).tolist()})
    tables["joints"].append({"name": "wheel", "type": "revolute", "parent": "world", "child": "wheel"})
    terms = [{"coordinate": "wheel.angle", "factor": 1.0}, {"coordinate": "crank.angle", "factor": -ratio}]
    tables["couplings"] = [{"terms": terms}]
    found = plan(describe_mechanism(tables, "geared.toml"))
    assert found.independent_names == ("crank.angle",)
    assert found.smallest_singular_value > 0.5


def test_pivots_are_as_many_as_singular_values_that_count() -> None:
    """Elimination leaves twice the singular value, d/2, of two rows that differ by a rounding d."""
    rows = np.array([[[1.0, 1.0], [1.0, 1.0 + d]] for d in (1.5e-7, 0.5e-7)])
    for samples in (rows, rows[:1]):
        found = common_pivots(samples, [0, 0], 1e-7)
        assert (len(found.rows), len(found.spare), found.blocked) == (1, 1, ())
    rounding_first = np.array([[[1.2e-7, 0.0, 0.0], [1e-3, 1.0, 0.0], [0.0, 0.0, 0.5]]])
    assert set(common_pivots(rounding_first, [0, 0, 0], 1.3e-7).rows) == {1, 2}
    tied = common_pivots(np.array([[[0.0, 1.0, 1.0]]]), [0, 2, 2], 1e-9)
    assert (tied.rows, tied.blocked) == ((), (0,))


def test_rows_that_no_velocity_satisfies_everywhere_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    found = common_pivots(np.array([[[1.0, 0.0]], [[0.0, 1.0]]]), [0, 0], 1e-9)
    assert found.blocked == (0,)
    monkeypatch.setattr("parakin.mechanism.plan.common_pivots", lambda *_: found)
    with pytest.raises(DescriptionError, match=r"by other velocities at some configurations.*start from another home"):
        plan(load_mechanism_description("four_bar").model_copy(update={"independent": None, "workspace": None}))


def test_what_hangs_on_one_bar_of_a_nacelle_has_one_place_after_loading() -> None:
    """The lateral bars of an H4: legs 1 and 4 and a body hang on one, legs 2 and 3 and another body on the other."""
    tables: dict[str, Any] = tomllib.loads(to_toml(load_description("h4")))
    tables["legs"][3]["attachment"]["b"][0] += 1e-9
    tables["platform"]["bodies"][0]["b"][1] -= 1e-9
    tables["platform"]["bodies"][2]["c"] = [1e-10, 0.0, 0.0]
    read = describe(tables, "h4.toml")
    assert read == load_description("h4")
    assert describe(tomllib.loads(to_toml(read)), "h4.toml") == read


def test_what_rounding_opens_is_told_over_the_whole_workspace() -> None:
    """A four-bar whose rocker's hinge on the base leans by 20 microradians: the rocker leaves the base sideways."""
    tables: dict[str, Any] = tomllib.loads(mechanism_to_toml(load_mechanism_description("four_bar")))
    (hinge,) = (joint for joint in tables["joints"] if joint["name"] == "crank")
    hinge["parent_frame"]["z"] = [2e-5, -1.0, 0.0]
    linkage = pk.Robot(describe_mechanism(tables, "leaning.toml"))
    sideways = {row: size for row, size in linkage.plan.openings.items() if "along z of its frame" in row}
    ((row, told),) = sideways.items()
    assert row == "joint rocker along z of its frame on world"
    assert f"{row}; it opens by up to {told * 1e6:.3g} um over the workspace" in str(linkage.plan)
    lower, upper = linkage.box
    frames = linkage.body_frames(np.linspace(linkage.home + lower, linkage.home + upper, 200))
    (rocker,) = (joint for joint in tables["joints"] if joint["name"] == "rocker")
    place = np.array(rocker["parent_frame"]["position"])
    body = linkage.body_names.index("rocker")
    moved = (frames.p[:, body] + frames.R[:, body] @ place - place) @ np.array([0.0, -1.0, 0.0])
    assert 0.9 * np.abs(moved).max() < told <= 1.001 * np.abs(moved).max()


def test_plans_do_not_wait_for_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside busy processes ToddlerBot took 26 s: BLAS waited for its threads on every small matrix."""
    seen: list[int] = []

    def counting(jacobians: Any, *rest: Any) -> Any:
        seen.extend(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")
        return common_pivots(jacobians, *rest)

    monkeypatch.setattr("parakin.mechanism.plan.common_pivots", counting)
    plan(load_mechanism_description("four_bar"))
    assert set(seen) == {1}
