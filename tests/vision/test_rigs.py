"""Rigs as data and as files, where their rods are, and sightings of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import parakin as pk
from parakin.errors import RigFileError, UnknownNameError, VisionError
from parakin.quaternions import quaternion_from_vector
from parakin.vision import Rig, offsets_at, read_rig, rig_of, rod_lines, sightings_at, write_rig
from parakin.vision.rigs.rig import rods_with_radii
from tests.vision.rigs import RIGS, bent, camera, quattro

EXACT = 1e-13
"""Points of contours are on contours to rounding."""
SLOPE = 1e-7
"""Differences over 1e-6 of distances known to 1e-16: their truncation and rounding."""


@pytest.mark.parametrize("name", RIGS)
def test_rods_are_the_elements_of_the_robot(name: str) -> None:
    rig = RIGS[name]()
    pose, velocity, acceleration = rig.robot.sample_states(5)
    lines, elements = rod_lines(rig, pose), rig.robot.elements(pose, velocity, acceleration)
    own = [rod.element for rod in rig.rods]
    assert np.allclose(lines.A, elements.A[:, own], atol=1e-15)
    assert np.allclose(lines.x, elements.x[:, own], atol=1e-15)
    for J, rate in ((lines.J_A, elements.A_dot), (lines.J_x, elements.x_dot)):
        assert np.allclose(np.einsum("brij,bj->bri", J, velocity), rate[:, own], atol=1e-12)


def test_twin_rods_stand_beside_the_line_of_their_parallelogram() -> None:
    robot = pk.load("quattro")
    twins = rig_of(robot, camera(), "*.forearm", radius=0.008, twin=True)
    lines, middle = rod_lines(twins, robot.home), rod_lines(quattro(), robot.home)
    pairs = lines.A.reshape(4, 2, 3)
    assert np.allclose(pairs.mean(axis=1), middle.A, atol=1e-15)
    assert np.allclose(np.linalg.norm(pairs[:, 0] - pairs[:, 1], axis=-1), 0.1)
    apart = (pairs[:, 0] - pairs[:, 1]) / 0.1
    assert np.allclose(apart[:, 2], 0.0, atol=1e-15)  # along the motor axes, which are level


@pytest.mark.parametrize("name", RIGS)
def test_rows_of_sightings_are_derivatives(name: str) -> None:
    rig = RIGS[name]()
    rig = Rig(rig.robot, (bent(rig.cameras[0]),), rig.rods)
    robot, pose = rig.robot, rig.robot.sample(1, seed=3)[0]
    seen = sightings_at(rig, pose, points=4)
    offsets = offsets_at(rig, pose, seen)
    assert np.abs(offsets.distance).max() < EXACT
    radii = np.array([rod.radius for rod in rig.rods])
    h = 1e-6
    for k, twist in enumerate(np.eye(robot.degrees_of_freedom)):
        ends = [offsets_at(rig, _moved(robot, pose, s * h * twist), seen).distance for s in (1, -1)]
        assert np.allclose((ends[0] - ends[1]) / (2 * h), offsets.by_pose[:, k], atol=SLOPE)
    ends = [offsets_at(rig, pose, seen, radii + s * h).distance for s in (1, -1)]
    assert np.allclose((ends[0] - ends[1]) / (2 * h), offsets.by_radius, atol=SLOPE)
    for k, twist in enumerate(np.eye(6)):
        ends = [offsets_at(_camera_moved(rig, s * h * twist), pose, seen).distance for s in (1, -1)]
        assert np.allclose((ends[0] - ends[1]) / (2 * h), offsets.by_camera[:, k], atol=SLOPE)


def _moved(robot: pk.Robot, pose: np.ndarray, twist: np.ndarray) -> np.ndarray:
    if robot.motion_type.name != "spatial":
        return pose + twist
    turned = pk.poses.quaternion_product(quaternion_from_vector(twist[3:]), pose[3:])
    return np.concatenate([pose[:3] + twist[:3], turned])


def _camera_moved(rig: Rig, twist: np.ndarray) -> Rig:
    (old,) = rig.cameras
    turn = pk.poses.matrix_from_quaternion(quaternion_from_vector(twist[3:]))
    return Rig(rig.robot, (old.placed(old.p_OK + old.R_OK @ twist[:3], old.R_OK @ turn),), rig.rods)


def test_sightings_are_of_visible_rods_and_have_the_noise_that_is_asked() -> None:
    rig = quattro()
    seen = sightings_at(rig, rig.robot.home, points=200, deviation=0.05, seed=1)
    pixels = camera().pixels_of(seen.m)
    assert camera().shows(pixels).all()
    miss = offsets_at(rig, rig.robot.home, seen).distance / seen.deviation
    assert np.std(miss) == pytest.approx(1.0, abs=4 / np.sqrt(2 * len(seen)))
    assert seen.deviation == pytest.approx(0.05 / 640)


def test_a_rig_comes_back_from_its_file(tmp_path: Path) -> None:
    robot = pk.load("quattro")
    rig = rig_of(robot, bent(camera()), "*.forearm", radius=0.008, twin=True, start=0.1, end=0.02)
    back = read_rig(write_rig(tmp_path / "rig.toml", rig, "test"), robot)
    assert back.rods == rig.rods
    assert back.cameras[0].distortion == rig.cameras[0].distortion
    assert np.allclose(back.cameras[0].R_OK, rig.cameras[0].R_OK, atol=1e-15)


def test_each_rod_of_a_pair_comes_back_as_it_is(tmp_path: Path) -> None:
    """Calibrated twins have radii of their own, and a rig may look at one of them alone."""
    robot = pk.load("quattro")
    rig = rig_of(robot, camera(), "*.forearm", radius=0.008, twin=True)
    different = rods_with_radii(rig.rods, 0.008 + 1e-4 * np.arange(8))
    for rods in (different, different[1::2], different[::-1]):
        assert read_rig(write_rig(tmp_path / "rig.toml", Rig(robot, rig.cameras, rods)), robot).rods == rods
    (tmp_path / "second.toml").write_text(GOOD.replace("*.forearm", "*.forearm.b"))
    assert read_rig(tmp_path / "second.toml", robot).rods == rig.rods[1::2]


def test_names_numbers_and_sources_of_all_kinds_are_written(tmp_path: Path) -> None:
    rig = quattro()
    eye = replace(rig.cameras[0], name="top-left", size=tuple(np.array([1024, 768])))
    path = write_rig(tmp_path / "rig.toml", Rig(rig.robot, (eye,), rig.rods), source="by hand \U0001f4f7\nin May")
    (back,) = read_rig(path, rig.robot).cameras
    assert (back.name, back.size) == ("top-left", (1024, 768))


@pytest.mark.parametrize(
    ("change", "source", "message"),
    [
        ({}, "\ud800", r"rig.toml: cannot be written as UTF-8"),
        ({}, "\x7f", r"rig.toml: is not TOML"),
        ({}, "", r"rig.toml: source: "),
        ({"name": "top left"}, "test", r"rig.toml: cameras\[0\].name: "),
        ({"size": (2**17, 4)}, "test", r"rig.toml: cameras\[0\].size\[0\]: "),
        ({"offset": (0.0, 0.0, 0.1)}, "test", r"rig.toml: elements\[0\]: a file has no such rod of quattro"),
        ({"name": "mine", "element": 1}, "test", r"rig.toml: elements\[0\]: no element or bar 'mine'"),
    ],
)
def test_rigs_that_would_not_come_back_are_not_written(
    tmp_path: Path, change: dict[str, object], source: str, message: str
) -> None:
    rig, path = quattro(), tmp_path / "rig.toml"
    if {"element", "offset"} & change.keys():
        rig = Rig(rig.robot, rig.cameras, (replace(rig.rods[0], **change), *rig.rods[1:]))
    else:
        rig = Rig(rig.robot, (replace(rig.cameras[0], **change),), rig.rods)
    path.write_text("what was there")
    with pytest.raises(RigFileError, match=message):
        write_rig(path, rig, source)
    assert [file.read_text() for file in tmp_path.iterdir()] == ["what was there"]


GOOD = """
robot = "quattro"
source = "test"
[[cameras]]
name = "top"
size = [64, 48]
focal = [50.0, 50.0]
position = [0, 0, 0]
target = [0, 0, -1]
right = [1, 0, 0]
[[elements]]
name = "*.forearm"
radius = 0.008
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[64, 48]", "[64, 0]", r"rig.toml: cameras\[0\].size\[1\]: "),
        ("radius = 0.008", "radius = -1.0", r"rig.toml: elements\[0\].radius: must be > 0"),
        ("radius = 0.008", "", r"rig.toml: elements\[0\]: quattro: first1.forearm: has no radius"),
        ('"*.forearm"', '"*.shin"', r"rig.toml: elements\[0\]: no element or bar '\*.shin'"),
        ('"quattro"', '"delta"', "rig.toml: robot: the rig is that of delta, not of quattro"),
        ("target = [0, 0, -1]", "", r"rig.toml: cameras\[0\]: .*either a rotation"),
        ("right = [1, 0, 0]", "right = [0, 0, 1]", "right: must differ from the direction"),
        ("[[elements]]", "[[element]]", "rig.toml: "),
        ('"*.forearm"', '"*.arm.a"', r"rig.toml: elements\[0\]: no element or bar '\*.arm.a'"),
        ("[[elements]]", '[[elements]]\nname = "first1.forearm"\nradius = 0.01\n[[elements]]', "rods: must have names"),
        ("robot =", "robot = =", "rig.toml: is not TOML"),
    ],
)
def test_files_that_are_no_rigs_say_where_and_what(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "rig.toml"
    path.write_text(GOOD.replace(old, new))
    with pytest.raises(RigFileError, match=message):
        read_rig(path, pk.load("quattro"))


def test_what_cannot_be_observed_is_refused() -> None:
    with pytest.raises(UnknownNameError, match=r"no element or bar 'leg9'"):
        rig_of(pk.load("quattro"), camera(), "leg9", radius=0.01)
    with pytest.raises(VisionError, match=r"radius: must be > 0 m, got -0\.01"):
        rig_of(pk.load("quattro"), camera(), "*.arm", radius=-0.01)
    rig = quattro()
    with pytest.raises(VisionError, match=r"rods: must have names of their own, got second1.forearm more than once"):
        Rig(rig.robot, rig.cameras, (*rig.rods, rig.rods[1]))
    with pytest.raises(VisionError, match=r"first1.forearm: element: must be below 8, .* got 8"):
        Rig(rig.robot, rig.cameras, (replace(rig.rods[0], element=8),))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"element": -1}, "element: must be the number of an element, from 0, got -1"),
        ({"element": 0.5}, "element: must be the number of an element"),
        ({"offset": (0.0, np.nan, 0.0)}, "offset: must be three finite numbers"),
        ({"offset": (0.0, 0.0)}, "offset: must be three finite numbers"),
    ],
)
def test_impossible_rods_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(VisionError, match=message):
        replace(quattro().rods[0], **change)
