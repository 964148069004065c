"""MJCF files: MuJoCo, on the same file, gives the same motor forces."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

import parakin as pk
from parakin.errors import DescriptionError, RefusedImportError, UnknownNameError
from parakin.mechanism import MechanismDescription
from parakin.mechanism.readers import Choices, EntryKind, import_robot
from tests.mechanism.readers import texts
from tests.mechanism.readers.witnesses import cases_of, mujoco_sees

pytest.importorskip("mujoco")

AGREES = 1e-8
"""Largest difference of motor forces, relative to the largest; the issue's own figure."""
CLOSED = 1e-10
"""How far MuJoCo's own constraints may be open at the coordinates and rates that parakin found [m, rad, m/s, rad/s]."""
FILES = {
    "bodies": texts.FOUR_BAR_BODIES,
    "sites": texts.FOUR_BAR_SITES,
    "weld": texts.FOUR_BAR_WELD,
    "rssr": texts.RSSR,
    "coupled": texts.COUPLED,
}


@pytest.mark.parametrize("name", FILES)
def test_motor_forces_are_those_of_mujoco(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.xml"
    path.write_text(FILES[name])
    (tmp_path / "rest.xml").write_text(texts.RSSR_REST)
    robot = pk.load(path)
    cases = cases_of(robot, 4)
    seen = [mujoco_sees(robot, path, case) for case in cases]
    assert max(one.open for one in seen) < CLOSED
    assert max(one.slip for one in seen) < CLOSED
    assert max(one.left for one in seen) < AGREES
    tau, reference = np.array([case.tau for case in cases]), np.array([one.tau for one in seen])
    assert np.max(np.abs(tau - reference)) < AGREES * np.max(np.abs(reference))


def test_numbers_of_a_file(tmp_path: Path) -> None:
    """Gear, armature, limits, springs and friction are where mechanism files have them."""
    path = tmp_path / "bar.xml"
    path.write_text(texts.FOUR_BAR_BODIES)
    description = import_robot(path).description
    assert isinstance(description, MechanismDescription)
    joints = {joint.name: joint for joint in description.joints}
    crank, rocker = joints["crank"].freedoms["angle"], joints["rocker"].freedoms["angle"]
    assert crank.drive is not None
    assert rocker.spring is not None
    assert crank.drive.sign == -1
    assert crank.drive.gear_ratio == 4.0
    assert crank.drive.rotor_inertia * 16 == pytest.approx(0.02, rel=1e-15)
    assert crank.drive.force == 12.0
    assert (crank.lower, crank.upper, crank.friction.viscous) == (-2.0, 2.0, 0.03)
    assert (rocker.spring.stiffness, rocker.spring.rest) == (1.5, 0.3)
    assert joints["rocker"].home == (0.1,)
    assert joints["pin"].type == "spherical"
    assert description.source == "bar.xml (MJCF)"


def test_nothing_is_lost_without_a_word(tmp_path: Path) -> None:
    path = tmp_path / "bar.xml"
    path.write_text(texts.FOUR_BAR_WELD)
    report = pk.load(path).import_report
    assert report is not None
    words = str(report)
    assert "chosen: body 'coupler': its frame is the output" in words
    assert "its servo, gain and feedback 30, -30, 0" in words
    path.write_text(texts.COUPLED)
    report = import_robot(path).report
    (mass,) = report.of(EntryKind.APPROXIMATED)
    assert "body 'base'" in mass.place
    assert "come from its shapes" in mass.words
    (held,) = report.of(EntryKind.MERGED)
    assert held.words == "holds joint 'stuck' at 0.3: it is a weld"


def test_every_element_is_told(tmp_path: Path) -> None:
    """An element that nobody knows is told as well."""
    path = tmp_path / "bar.xml"
    more = '<sensor><jointpos joint="crank"/></sensor><contact><exclude body1="crank" body2="rocker"/></contact>'
    text = texts.FOUR_BAR_BODIES.replace(
        "</mujoco>", f'{more}<keyframe><key name="k" qpos="0 0 0.1"/></keyframe></mujoco>'
    )
    path.write_text(text)
    told = " ".join(entry.place for entry in import_robot(path).report.entries)
    for tag in ("<geom name='shell'>", "<sensor>", "<contact>", "<key name='k'>"):
        assert tag in told


SITES = '<site site="pin_c"/><site site="pin_r"/>'
REFUSED = {
    "tendon": (
        f'<tendon><spatial name="rope" limited="true" range="0 1">{SITES}</spatial></tendon>',
        "a rope that can hold the mechanism",
        "rope",
    ),
    "spring": (
        '<tendon><fixed name="both" stiffness="3"><joint joint="crank" coef="1"/></fixed></tendon>',
        "a tendon with stiffness",
        "both",
    ),
    "curve": (
        '<equality><joint name="cam" joint1="crank" joint2="rocker" polycoef="0 1 2 0 0"/></equality>',
        "is no straight line",
        "cam",
    ),
    "jet": (
        '<actuator><motor name="jet" site="pin_c"/></actuator>',
        "pushes at a site",
        "jet",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_matters_is_refused_or_left_out_on_demand(name: str, tmp_path: Path) -> None:
    more, words, subject = REFUSED[name]
    path = tmp_path / "bar.xml"
    path.write_text(texts.FOUR_BAR_SITES.replace("</mujoco>", f"{more}</mujoco>"))
    with pytest.raises(RefusedImportError, match=words) as error:
        import_robot(path)
    assert any(kind == "refused" for kind, _, _ in error.value.entries)
    report = import_robot(path, Choices(without=(subject,))).report
    assert any(words in entry.words and "as asked" in entry.words for entry in report.of(EntryKind.DROPPED))


def test_equalities_that_are_off_and_mocap(tmp_path: Path) -> None:
    path = tmp_path / "bar.xml"
    text = texts.FOUR_BAR_BODIES.replace("<worldbody>", '<worldbody><body name="hand" mocap="true" pos="1 0 0"/>')
    ties = '<weld name="follow" body1="hand" body2="rocker"/>'
    ties += '<connect name="off" body1="crank" body2="rocker" anchor="0 0 0" active="false"/>'
    path.write_text(text.replace("</equality>", f"{ties}</equality>"))
    report = import_robot(path).report
    told = {entry.place.split("'")[1]: entry.words for entry in report.of(EntryKind.DROPPED) if "'" in entry.place}
    assert "mocap" in told["hand"]
    assert "mocap" in told["follow"]
    assert told["off"] == "is not active in the file"


def test_a_floating_base_can_be_fixed(tmp_path: Path) -> None:
    path = tmp_path / "float.xml"
    inertia = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    path.write_text(
        f'<mujoco><worldbody><body name="trunk" pos="0 0 1"><freejoint name="root"/>{inertia}'
        f'<body name="leg"><joint name="hip" axis="0 1 0"/>{inertia}</body></body></worldbody>'
        '<actuator><motor joint="hip"/></actuator></mujoco>'
    )
    assert pk.load(path).degrees_of_freedom == 7
    description = import_robot(path, Choices(base="trunk", output="leg")).description
    assert isinstance(description, MechanismDescription)
    assert [joint.type for joint in description.joints] == ["weld", "revolute"]
    assert description.joints[0].parent_frame.position == (0.0, 0.0, 1.0)
    with pytest.raises(UnknownNameError, match=r"no body 'tunk'.*did you mean 'trunk'"):
        import_robot(path, Choices(base="tunk"))


def test_a_missing_mesh_matters_only_for_mass(tmp_path: Path) -> None:
    path = tmp_path / "mesh.xml"
    mesh = '<asset><mesh name="m" file="none.stl"/></asset>'
    text = texts.FOUR_BAR_BODIES.replace("<worldbody>", f"{mesh}<worldbody>")
    path.write_text(text.replace('type="box" size="0.1 0.01 0.01"', 'type="mesh" mesh="m"'))
    import_robot(path)
    text = texts.COUPLED.replace("<worldbody>", f"{mesh}<worldbody>")
    path.write_text(text.replace('type="box" size="0.05 0.04 0.03"', 'type="mesh" mesh="m"'))
    with pytest.raises(DescriptionError, match=r"none\.stl.*has its mass from its shapes"):
        import_robot(path)


@pytest.mark.parametrize(
    ("printed", "code", "words"),
    [
        (b"", -11, r"ended without an answer \(exit code -11\)"),
        (b"half a lin", 1, "ended without an answer"),
        (b'{"missing": "mujoco"}', 0, r"pip install 'parakin\[mjcf\]'"),
        (None, 0, "did not read it in"),
    ],
)
def test_what_can_become_of_mujoco(
    printed: bytes | None, code: int, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crash, a wait without end and a MuJoCo that is not installed are errors that say so."""

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[bytes]:
        if printed is None:
            raise subprocess.TimeoutExpired(command, 1.0)
        return subprocess.CompletedProcess(command, code, printed, b"")

    monkeypatch.setattr(subprocess, "run", run)
    path = tmp_path / "bar.xml"
    path.write_text(texts.FOUR_BAR_BODIES)
    with pytest.raises(DescriptionError, match=words):
        import_robot(path)


def test_home_is_the_key_frame(tmp_path: Path) -> None:
    """A key frame in which loops are nearly closed is home, the one named so first; others are not."""
    path = tmp_path / "bar.xml"
    keys = '<key name="a" qpos="0 0 0.1"/><key name="home" qpos="0 0 0.101"/><key name="far" qpos="1 1 1"/>'
    path.write_text(texts.FOUR_BAR_BODIES.replace("</mujoco>", f"<keyframe>{keys}</keyframe></mujoco>"))
    imported = import_robot(path)
    assert isinstance(imported.description, MechanismDescription)
    assert {joint.name: joint.home for joint in imported.description.joints}["rocker"] == (0.101,)
    assert any(entry.place == "key frame 'home'" for entry in imported.report.of(EntryKind.CHOSEN))
    path.write_text(
        path.read_text().replace('"a"', '"b"').replace('"0 0 0.1"', '"1 0 0"').replace("0 0 0.101", "2 1 0")
    )
    assert not any("key frame" in entry.place for entry in import_robot(path).report.of(EntryKind.CHOSEN))


WELDED = """<mujoco>
  <worldbody>
    <body name="torso" pos="0 0 1"><freejoint name="torso"/>
      <inertial pos="0.01 0.02 0" mass="3" diaginertia="0.02 0.03 0.04"/>
      <body name="arm" pos="0.1 0 0.1"><joint name="arm" axis="0 1 0"/>
        <inertial pos="0.1 0 0" mass="0.5" diaginertia="1e-3 2e-3 2e-3"/>{inside}</body></body>
    {beside}
  </worldbody>
  <equality>{weld}</equality>
  <actuator><motor joint="arm"/></actuator>
</mujoco>"""
"""A floating torso with an arm and a tool, which is a child of the arm, or floats and is welded to it."""


def test_a_floating_body_that_is_welded_is_part_of_what_it_is_welded_to(tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    inertial = '<inertial pos="0 0.02 0.05" mass="0.8" diaginertia="1e-3 1e-3 5e-4"/>'
    path = tmp_path / "welded.xml"
    tool = f'<body name="tool" pos="0.3 0.05 1.1"><freejoint name="tool"/>{inertial}</body>'
    path.write_text(WELDED.format(inside="", beside=tool, weld='<weld body1="arm" body2="tool"/>'))
    robot = pk.load(path)
    assert robot.degrees_of_freedom == 7
    inside = f'<body name="tool" pos="0.2 0.05 0">{inertial}</body>'
    m = mujoco.MjModel.from_xml_string(WELDED.format(inside=inside, beside="", weld=""))
    d = mujoco.MjData(m)
    pose, _, _ = robot.sample_states(3, seed=2)
    order = [robot.pose_names.index(name) for name in (*(f"torso.{axis}" for axis in FREE), "arm.angle")]
    for one in pose:
        joints = robot.joints(one, 0 * one, 0 * one)
        places = [f"torso.{key}" for key in ("x", "y", "z", "qw", "qx", "qy", "qz")]
        d.qpos[:] = [joints.coordinate[robot.coordinate_names.index(name)] for name in (*places, "arm.angle")]
        mujoco.mj_forward(m, d)
        M = np.zeros((7, 7))
        for k in range(7):
            mujoco.mj_mulM(m, d, M[k], np.eye(7)[k])
        assert robot.mass_matrix(one)[np.ix_(order, order)] == pytest.approx(M, abs=AGREES)


FREE = ("x", "y", "z", "wx", "wy", "wz")
"""Freedoms of a free joint."""
