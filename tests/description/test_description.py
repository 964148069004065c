"""Robot files: what a loader must catch, each with file, key, value and remedy; and that nothing else gets through."""

from __future__ import annotations

import contextlib
import copy
import json
import pickle
import random
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import parakin as pk
from parakin.description import describe, library, load_description, to_toml
from parakin.description.loader import LARGEST_FILE, parse
from parakin.description.symmetry import cosine_and_sine
from parakin.errors import DescriptionError, ParakinError, UnknownNameError
from tests.commands import command

LIBRARY = resources.files("parakin.description") / "library"
TEXTS = {name: (LIBRARY / f"{name}.toml").read_bytes() for name in library()}


def tables(name: str = "delta") -> dict[str, Any]:
    return tomllib.loads(TEXTS[name].decode())


def changed(path: str, value: Any, name: str = "delta") -> dict[str, Any]:
    """A library robot with one value changed; `...` removes it. Path as in errors: legs[0].elements[1].length"""
    found = tables(name)
    table: Any = found
    *parents, last = path.replace("[", ".").replace("]", "").split(".")
    for key in parents:
        table = table[int(key)] if key.isdigit() else table[key]
    if value is ...:
        del table[last]
    else:
        table[last] = value
    return found


BODY = "legs[0].elements[0].bodies[0]"
ZERO = [[0.0] * 3] * 3


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (f"{BODY}.mass", -0.2, f"{BODY}.mass: must be > 0 kg, got -0.2"),
        (f"{BODY}.mass", "heavy", f"{BODY}.mass: must be a number, got 'heavy'"),
        (f"{BODY}.mass", True, "must be a number, got True"),
        (f"{BODY}.mass", float("nan"), "must be finite, got nan"),
        (f"{BODY}.mass", 10**400, "must be finite"),
        (f"{BODY}.com", [1e200, 0, 0], "must be at most 1e+100 in size, got 1e+200"),
        (f"{BODY}.mass", ..., f"{BODY}.mass: is missing"),
        (f"{BODY}.maas", 1.0, f"{BODY}.maas: unknown key, did you mean 'mass'?; known are com, inertia, inner_radius"),
        (f"{BODY}.inertia", [[1, 0, 0], [0, 1, 0], [0, 0, 3]], "no body has principal moments 1, 1, 3 kg m^2"),
        (f"{BODY}.inertia", [[1, 0, 0], [0, -1, 0], [0, 0, 1]], "must be positive semi-definite"),
        (f"{BODY}.inertia", [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]], "must be symmetric"),
        (f"{BODY}.part", "ring", "only a universal joint has a ring"),
        (f"{BODY}.part", "tip", "a bar has no tip part of its own"),
        (f"{BODY}.part", "middle", f"{BODY}.part: must be 'root', 'tip' or 'ring', got 'middle'"),
        ("legs[0].elements[0].length", 0.0, "legs[0].elements[0].length: must be > 0 m, got 0.0"),
        ("legs[0].elements[0].length", ..., "a bar has a length: add it, in m"),
        ("legs[0].elements[0].joint.axis", [0, 0, 0], "must not be the zero vector"),
        ("legs[0].elements[0].joint.axis", ..., "a revolute joint needs its axis"),
        ("legs[0].elements[0].joint.type", "revolut", "got 'revolut', did you mean 'revolute'?"),
        ("legs[0].elements[0].actuator.reference", [0, 1, 0], "the reference direction lies along the axis"),
        ("legs[0].elements[0].actuator.coordinate", "length", "an angle needs the reference direction"),
        ("legs[0].elements[0].actuator.upper", -5.0, "lower must be below upper, got -1.4 and -5.0"),
        ("legs[0].elements[0].actuator", ..., "3 degrees of freedom, but only 0 elements have an actuator"),
        ("legs[0].elements[0].actuator.gear_ratio", -1.0, "must be > 0, got -1.0"),
        ("legs[0].elements[1].bodies[0].inertia", [[0, 0, 0], [0, 1, 0], [0, 0, 1.5]], "no body has principal moments"),
        ("legs[0].elements[1].bodies[0].com", [0.2, 0.1, 0], "leaves its spin undetermined"),
        ("legs[0].elements[1].joint", {"type": "fixed"}, "an element on a fixed joint needs its direction"),
        ("legs[0].elements[1].joint.friction", {"coulomb": 0.1}, "a parallelogram joint has viscous friction only"),
        (
            "legs[0].elements[1].joint",
            {"type": "fixed", "friction": {"viscous": 0.1}},
            "nothing turns in a fixed joint",
        ),
        (
            "legs[0].elements[1].type",
            "spindle",
            "a parallelogram root leaves the spin of its element open",
        ),
        ("legs[0].symmetry", "halves", "legs[0].symmetry: no symmetry 'halves'; there is thirds"),
        ("legs[0].branch", 2, "legs[0].branch: must be -1 or 1, got 2"),
        ("legs[0].source", "", "legs[0].source: string should have at least 1 character"),
        ("source", ..., "source: is missing: say once, at the top, where the numbers come from"),
        ("legs[0].branch", ..., "legs[0].branch: is missing: bar on revolute, then bar on parallelogram closes in two"),
        ("platform.bodies[0].turns", True, "a platform of translation motion does not turn: set false"),
        ("workspace.home", [0.0, 0.0], "a pose of translation motion has 3 numbers (x, y, z), got 2"),
        ("workspace.lower", [0.1, -0.1, -0.1], "offsets from home must be < 0"),
        ("workspace.upper", [0.1, 0.1], "has 3 degrees of freedom, got 2 numbers"),
        ("motion", "flying", "motion: must be 'planar-translation', 'planar'"),
        ("gravity", [0, 0], "gravity"),
        ("legs", [], "legs"),
        ("name", "my robot", "name: must be a name of letters, digits and _, beginning with a letter"),
    ],
)
def test_what_cannot_be_is_refused(path: str, value: Any, message: str) -> None:
    with pytest.raises(DescriptionError) as caught:
        describe(changed(path, value), "my_delta.toml")
    assert message in str(caught.value)
    assert str(caught.value).startswith("my_delta.toml: ")
    assert pickle.loads(pickle.dumps(caught.value)).problems == caught.value.problems


@pytest.mark.parametrize(
    ("path", "value", "name", "message"),
    [
        ("workspace.home", [0, 0, 1, 2, 0, 0, 0], "gough_stewart", "its quaternion must have length 1, got 2"),
        ("legs[0].root", [0.1, 0.0, 0.2], "five_bar", "a planar robot lies in z = 0, got z = 0.2"),
        ("legs[0].elements[0].joint.axis", [0, 1, 1], "five_bar", "a planar robot turns about z"),
        ("legs[0].elements[0].length", 1.0, "gough_stewart", "the length of a telescopic element varies: remove it"),
        ("legs[0].elements[1].direction", ..., "hexa_offset", "say roughly where each element points at home"),
        (
            "legs[0].elements[1].joint.type",
            "universal",
            "hexa_offset",
            "the place of its tip leaves a joint inside the leg open, and so does a spherical joint",
        ),
        ("legs[1].name", "right", "hexa", "the name 'right' is used 2 times"),
        ("legs[0].elements[0].actuator.coordinate", "spin", "gough_stewart", "has no spin to drive"),
        (
            "legs[0].elements[1].joint",
            {"type": "revolute", "axis": [0, 0, 1]},
            "delta",
            "write the machine as a mechanism, a file of bodies and joints: docs/mechanisms.md",
        ),
        ("motion", "spatial", "delta_shaft", "turns a platform of schoenflies motion"),
        ("workspace.home", [0.0, 0.0, -30.0], "delta", "leg1 cannot close there: "),
        ("platform.tool", {"position": [0, 0, 0], "quaternion": [2, 0, 0, 0]}, "hexa", "must have length 1, got 2"),
        ("platform.bodies[0].turns", "yes", "delta", "platform.bodies[0].turns"),
    ],
)
def test_what_does_not_fit_together_is_refused(path: str, value: Any, name: str, message: str) -> None:
    with pytest.raises(DescriptionError) as caught:
        describe(changed(path, value, name), f"{name}.toml")
    assert message in str(caught.value)


def test_legs_driven_where_no_closed_form_knows_it_need_directions() -> None:
    elbow = tables("planar_3rrr")
    for leg in elbow["legs"]:
        leg["elements"][1]["actuator"] = leg["elements"][0].pop("actuator")
    with pytest.raises(DescriptionError, match=r"driven at the angle of element 2, has no closed form"):
        describe(elbow, "elbow.toml")
    angle = tables("planar_3rpr")
    for leg in angle["legs"]:
        leg["elements"][0]["actuator"] |= {"coordinate": "angle", "reference": [1, 0, 0]}
    with pytest.raises(DescriptionError, match="driven at the angle of element 1, has no closed form"):
        describe(angle, "angle.toml")


def test_names_are_apart_when_legs_are_written_out() -> None:
    found = tables("delta_shaft")
    found["legs"][1]["name"] = "leg2"
    with pytest.raises(DescriptionError, match="written out, 2 legs are named 'leg2'"):
        describe(found, "twice.toml")


def test_endless_files_are_not_read_to_their_end(tmp_path: Path) -> None:
    if Path("/dev/zero").exists():
        with pytest.raises(DescriptionError, match="cannot be read: it is a device, which may have no end"):
            load_description("/dev/zero")
    with (tmp_path / "endless.toml").open("wb") as file:
        file.truncate(2**33)
    with pytest.raises(DescriptionError, match="at most 1 MiB"):
        load_description(tmp_path / "endless.toml")


def test_all_problems_are_told_at_once() -> None:
    found = changed(f"{BODY}.mass", -1.0)
    found["workspace"]["home"] = "here"
    with pytest.raises(DescriptionError) as caught:
        describe(found, "bad.toml")
    assert {key for key, _ in caught.value.problems} >= {f"{BODY}.mass", "workspace.home"}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"name = ", "is not TOML"),
        (b"\xff\xfe", "is not UTF-8 text"),
        (b"x = " + b"[" * 20_000, "nested too deeply"),
        (b"x = " + b"{a=" * 20_000, "nested too deeply"),
        (b"x = " + b"9" * 100_000, "is not TOML"),
        (b"#" * (LARGEST_FILE + 1), "is too large: a file like this has at most 1 MiB"),
        (b"", "name: is missing"),
    ],
)
def test_files_that_are_no_robot_files_are_refused_politely(data: bytes, message: str) -> None:
    with pytest.raises(DescriptionError, match=message):
        parse(data, "odd.toml")


def test_a_large_file_loads() -> None:
    """1 MB of comments and a hundred legs."""
    found = tables("gough_stewart")
    text = to_toml(describe(found, "gs")) + "# " + "x" * (LARGEST_FILE - 20_000)
    assert parse(text.encode(), "large.toml") == describe(found, "gs")


def test_axes_are_normalised_and_stay_so() -> None:
    robot = describe(changed("legs[0].elements[0].joint.axis", [0, -3, 0]), "delta")
    assert robot.legs[0].elements[0].joint.axis == (0.0, -1.0, 0.0)
    skew = describe(changed("legs[0].elements[0].joint.axis", [0.1, -3, 0.7]), "delta")
    assert parse(to_toml(skew).encode(), "again") == skew


def test_variants() -> None:
    delta = pk.load("delta")
    moon = delta.replace(gravity=(0, 0, -1.62))
    assert moon.description.gravity == (0.0, 0.0, -1.62)
    assert delta.description.gravity == (0.0, 0.0, -9.81)
    loaded = delta.with_payload(1.5, centre=[0, 0, -0.05])
    assert loaded.payload.mass == 1.5
    assert pickle.loads(pickle.dumps(loaded)).payload == loaded.payload
    with pytest.raises(DescriptionError, match="payload: mass: must be >= 0 kg, got -1"):
        delta.with_payload(-1)
    with pytest.raises(DescriptionError, match="delta: motion: must be 'planar-translation'"):
        delta.replace(motion="flying")


def mutated(value: Any, rng: random.Random) -> Any:
    """A table with something in it changed, removed, repeated or replaced."""
    value = copy.deepcopy(value)
    place: Any = value
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            return value
        key = rng.choice(keys)
        inner = place[key]
        if isinstance(inner, dict | list) and inner and rng.random() < 0.85:
            place = inner
            continue
        odd = [
            None,
            "",
            "x",
            -1,
            0,
            1e308,
            -1e-308,
            10**30,
            True,
            [],
            {},
            [1, 2],
            [[0] * 3] * 3,
            {"a": 1},
            float("inf"),
        ]
        if rng.random() < 0.2:
            del place[key]
        elif rng.random() < 0.2 and isinstance(place, dict):
            place[f"{key}x"] = place.pop(key)
        elif rng.random() < 0.3 and isinstance(inner, float | int) and not isinstance(inner, bool):
            place[key] = inner * rng.choice([-1, 0, 1e-9, 1.001, 1e9])
        else:
            place[key] = rng.choice(odd)
        return value


@pytest.mark.filterwarnings("ignore::parakin.errors.ImplausibleValueWarning")
@settings(max_examples=300)
@given(name=st.sampled_from(library()), seed=st.integers(0, 2**32 - 1), changes=st.integers(1, 3))
def test_mutated_files_load_right_or_are_refused(name: str, seed: int, changes: int) -> None:
    """Whatever loads is complete: it writes and reads back equal, and its kinematics answer with a status."""
    rng = random.Random(seed)
    found = tables(name)
    for _ in range(changes):
        found = mutated(found, rng)
    try:
        robot = describe(found, "mutant.toml")
    except DescriptionError:
        return
    assert parse(to_toml(robot).encode(), "again") == robot
    assert len(pk.Robot(robot).body_names) >= 1


@pytest.mark.filterwarnings("ignore::parakin.errors.ImplausibleValueWarning")
@settings(max_examples=150)
@given(name=st.sampled_from(library()), seed=st.integers(0, 2**32 - 1))
def test_damaged_bytes_never_do_anything_but_be_refused(name: str, seed: int) -> None:
    rng = random.Random(seed)
    data = bytearray(TEXTS[name])
    for _ in range(rng.randint(1, 20)):
        place = rng.randrange(len(data))
        if rng.random() < 0.5:
            data[place] = rng.randrange(256)
        else:
            del data[place : place + rng.randint(1, 30)]
    with contextlib.suppress(ParakinError):
        parse(bytes(data), "damaged.toml")


# Command line ---------------------------------------------------------------------------------------------------------


def test_list_and_info() -> None:
    listed = json.loads(command("list", "--json").stdout)
    assert [entry["name"] for entry in listed if entry["kind"] == "robot"] == list(library())
    shown = command("info", "palida").stdout
    for text in ("spatial, 6 degrees of freedom", "19: ", "assumed", "Actuators", "home"):
        assert text in shown
    assert json.loads(command("info", "delta", "--json").stdout)["motion"] == "translation"
    missing = command("info", "dleta")
    assert missing.returncode == 1
    assert "choose one of delta" in missing.stderr


def test_check(tmp_path: Path) -> None:
    good = tmp_path / "good.toml"
    good.write_bytes(TEXTS["five_bar"])
    assert "2000 of 2000 sampled poses and 4 of 4 corners are good" in command("check", str(good)).stdout
    bad = tmp_path / "bad.toml"
    bad.write_bytes(TEXTS["five_bar"].replace(b"mass = ", b"mass = -", 1))
    refused = command("check", str(bad))
    assert refused.returncode == 1
    assert "bad.toml: legs[0].elements[0].bodies[0].mass: must be > 0 kg" in refused.stderr
    wide = tmp_path / "wide.toml"
    wide.write_text(to_toml(load_description("five_bar").model_copy(
        update={"workspace": load_description("five_bar").workspace.model_copy(update={"upper": (0.9, 0.9)})}
    )))  # fmt: skip
    assert command("check", str(wide)).returncode == 1
    assert json.loads(command("check", str(good), "--json").stdout)["good"]
    told = json.loads(command("check", str(bad), "--json").stdout)
    assert not told["good"]
    assert told["problems"][0]["key"]


def test_schema_describes_robot_files() -> None:
    schema = json.loads(command("schema").stdout)
    assert {"legs", "platform", "workspace", "motion"} <= schema["properties"].keys()
    assert "Actuator" in schema["$defs"]


def test_samples_are_inside_the_box_and_repeatable() -> None:
    robot = pk.load("h4")
    poses = robot.sample(100, seed=3)
    assert (poses - robot.home >= robot.box[0]).all()
    assert (poses - robot.home <= robot.box[1]).all()
    np.testing.assert_array_equal(poses, robot.sample(100, seed=3))
    assert not np.array_equal(poses, robot.sample(100, seed=4))


def test_long_lists_of_names_are_shortened_to_those_alike() -> None:
    known = tuple(f"leg{k}.arm.{what}" for k in range(1, 11) for what in ("m", "mx", "Iyy", "Izz"))
    said = str(UnknownNameError("parameter", "leg1.arm.Ixy", known))
    assert "leg1.arm.Iyy" in said
    assert said.endswith("... (40 in all); did you mean 'leg1.arm.Iyy'?")
    assert len(said) < len(", ".join(known)) + 60


def test_copies_of_a_leg_mirror_each_other_to_the_last_bit() -> None:
    assert cosine_and_sine(1, 3) == (-0.5, np.sqrt(0.75))
    for count in range(1, 13):
        c, s = np.array([cosine_and_sine(k, count) for k in range(count)]).T
        angle = 2 * np.pi * np.arange(count) / count
        np.testing.assert_allclose([c, s], [np.cos(angle), np.sin(angle)], atol=1e-15)
        np.testing.assert_array_equal(c[1:], c[:0:-1])
        np.testing.assert_array_equal(s[1:], -s[:0:-1])
