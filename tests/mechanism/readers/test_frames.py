"""Named places of imported files are frames of the mechanism; reports stay with variants, errors name the file."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import parakin as pk
from parakin.errors import DescriptionError, UnknownNameError
from parakin.mechanism import MechanismDescription, mechanism_to_toml
from parakin.mechanism.readers import Choices, EntryKind, import_robot
from tests.mechanism.readers import texts

MJCF = """<mujoco model="arm"><worldbody><site name="floor mark" pos="1 0 0"/>
  <body name="arm"><joint name="hinge" axis="0 1 0"/><inertial pos="0.2 0 0" mass="1" diaginertia="0.01 0.01 0.01"/>
    <site name="camera" pos="0.1 0.2 0.3" quat="2 0 0 2"/><site pos="9 9 9"/>
    <body name="mount" pos="0 0 0.5"><site name="lens" pos="0.1 0 0"/></body>
    <site name="output_frame" pos="0.4 0 0"/>
  </body></worldbody><actuator><motor joint="hinge"/></actuator></mujoco>"""
LINK = '<inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
URDF = f"""<robot name="slider"><link name="world"/><link name="cart">{LINK}</link><link name="flange"/>
  <link name="tool0"/><link name="far"/>
  <joint name="rail" type="prismatic"><parent link="world"/><child link="cart"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" effort="50" velocity="2"/></joint>
  <joint name="f" type="fixed"><parent link="cart"/><child link="flange"/><origin xyz="0 0 1" rpy="0 1.57 0"/></joint>
  <joint name="t" type="fixed"><parent link="flange"/><child link="tool0"/><origin xyz="0 0 0.5"/></joint>
  <joint name="far_away" type="fixed"><parent link="world"/><child link="far"/><origin xyz="0 3 0"/></joint></robot>"""
ROUNDING = 1e-15
"""[m] Sums of a few numbers of the size of 1."""


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def described(path: Path, choices: Choices | None = None) -> MechanismDescription:
    description = import_robot(path, choices).description
    assert isinstance(description, MechanismDescription)
    return description


def test_named_sites_are_frames(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    path = written(tmp_path, "arm.xml", MJCF)
    description = described(path)
    frames = {frame.name: frame for frame in description.frames}
    assert sorted(frames) == ["camera", "floor_mark", "lens", "mount"]
    assert {name: frame.body for name, frame in frames.items()} == {
        "camera": "arm",
        "floor_mark": "world",
        "lens": "arm",
        "mount": "arm",
    }
    assert frames["camera"].frame.position == (0.1, 0.2, 0.3)
    assert np.max(np.abs(frames["camera"].frame.rotation - [[0, -1, 0], [1, 0, 0], [0, 0, 1]])) < ROUNDING
    assert frames["lens"].frame.position == (0.1, 0.0, 0.5)
    assert (description.output.body, description.output.frame.position) == ("arm", (0.4, 0.0, 0.0))
    report = import_robot(path).report
    assert any("1 without a name" in entry.words for entry in report.of(EntryKind.DROPPED))
    asked = described(path, Choices(output="camera"))
    assert asked.output.frame.position == (0.1, 0.2, 0.3)
    with pytest.raises(UnknownNameError, match="lens"):
        import_robot(path, Choices(output="nobody"))


def test_links_without_mass_at_the_end_are_frames(tmp_path: Path) -> None:
    description = described(written(tmp_path, "slider.urdf", URDF))
    assert [body.name for body in description.bodies] == ["cart"]
    frames = {frame.name: frame for frame in description.frames}
    assert sorted(frames) == ["far", "flange", "tool0"]
    expected = np.array([0.5 * np.sin(1.57), 0.0, 1.0 + 0.5 * np.cos(1.57)])
    assert np.max(np.abs(np.array(frames["tool0"].frame.position) - expected)) < ROUNDING


def test_variants_and_copies_keep_the_report(tmp_path: Path) -> None:
    slider = pk.load(written(tmp_path, "slider.urdf", URDF))
    printer = pk.load(written(tmp_path, "printer.cfg", texts.KLIPPER))
    for robot in (slider, printer):
        assert robot.import_report is not None
        variants = (robot.replace(title="another"), robot.with_payload(0.1), pickle.loads(pickle.dumps(robot)))
        for other in variants:
            assert other.import_report == robot.import_report


def test_errors_of_the_plan_name_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, "stuck.urdf", URDF)
    written(tmp_path, "stuck.yaml", "closed_loop: [[cart, far]]\ntype: [3d]\n")
    with pytest.raises(DescriptionError, match=r"^stuck\.urdf: "):
        pk.load(path)
    text = mechanism_to_toml(described(path))
    with pytest.raises(DescriptionError, match=r"^own\.toml: "):
        pk.load(written(tmp_path, "own.toml", text))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name_mot: [rail]\nrotor_inertia: [1, 2]", "rotor_inertia: must have 1 numbers, got 2"),
        ("spring_joint: [f]\nspring_stiffness: [1]\nspring_rest: [0]", "no joint 'f' that turns or slides"),
        ("spring_joint: [rail]", "spring_stiffness: must have 1 numbers, got 0"),
        ("home_joint: [rail]\nhome: [[0, 1]]", "joint 'rail' has 1 coordinates, got 2"),
        ("home_joint: [nobody]\nhome: [[0]]", "no joint 'nobody'"),
        ("home_joint: [rail]", "home: must have a list of coordinates for each of the 1 entries"),
        ("gravity: [0, 0, nan]", "gravity: must be finite numbers"),
        ("gravity: [0, 0, down]", "gravity: must be finite numbers"),
    ],
)
def test_numbers_beside_a_urdf_that_are_wrong(text: str, words: str, tmp_path: Path) -> None:
    written(tmp_path, "slider.yaml", f"{text}\n")
    with pytest.raises(DescriptionError, match=r"slider\.yaml") as error:
        import_robot(written(tmp_path, "slider.urdf", URDF))
    assert words in str(error.value)
