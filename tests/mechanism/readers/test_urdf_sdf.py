"""URDF with Gepetto's loops and SDF: Pinocchio on the same file agrees, and both dialects give the same robot."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import parakin as pk
from parakin.errors import DescriptionError, RefusedImportError
from parakin.mechanism import MechanismDescription
from parakin.mechanism.readers import Choices, EntryKind, import_robot
from tests.mechanism.readers import texts
from tests.mechanism.readers.witnesses import cases_of, described, pinocchio_sees

AGREES = 1e-8
"""Largest difference of motor forces, relative to the largest; the issue's own figure."""
CLOSED = 1e-10
"""How far Pinocchio's frames may be apart at the coordinates and rates that parakin found [m, m/s]."""
SAME = 1e-12
"""How far the two dialects may differ: frames are put together in another order."""


@pytest.fixture
def urdf(tmp_path: Path) -> Path:
    path = tmp_path / "robot.urdf"
    path.write_text(texts.URDF)
    path.with_suffix(".yaml").write_text(texts.URDF_LOOPS)
    return path


def test_motor_forces_are_those_of_pinocchio(urdf: Path) -> None:
    pytest.importorskip("pinocchio")
    robot = pk.load(urdf)
    assert robot.actuator_names == ("crank.angle",)
    cases = cases_of(robot, 4)
    seen = [pinocchio_sees(robot, texts.URDF, ("pin_A", "pin_B"), case) for case in cases]
    assert max(one.open for one in seen) < CLOSED
    assert max(one.slip for one in seen) < CLOSED
    assert max(one.left for one in seen) < AGREES
    tau, reference = np.array([case.tau for case in cases]), np.array([one.tau for one in seen])
    assert np.max(np.abs(tau - reference)) < AGREES * np.max(np.abs(reference))


def drawn_closed(urdf: Path) -> str:
    """Return the SDF file with the poses at which the URDF's loop closes."""
    robot = pk.load(urdf).graph
    frames = robot.body_frames(robot.home)
    where = dict(zip(robot.body_names, zip(frames.p, frames.R, strict=True), strict=True))

    def pose(of: str, inside: str | None) -> str:
        p, R = where[of]
        if inside is not None:
            p, R = where[inside][1].T @ (p - where[inside][0]), where[inside][1].T @ R
        return " ".join(repr(float(value)) for value in (*p, 0.0, np.arctan2(R[0, 2], R[0, 0]), 0.0))

    text = texts.SDF.format(rocker=pose("rocker", None), elbow=pose("coupler", "crank"))
    return text.replace(">0.1 0 0.2 0 0 0<", f">{pose('crank', None)}<")


def test_sdf_gives_the_same_robot(urdf: Path) -> None:
    """The same four-bar in both dialects takes the same forces; the SDF file counts angles from its drawing."""
    path = urdf.with_suffix(".sdf")
    path.write_text(drawn_closed(urdf))
    one, other = pk.load(urdf), pk.load(path)
    assert other.actuator_names == ("crank.angle",)
    pose, velocity, acceleration = one.sample_states(5, seed=2)
    tau = one.inverse_dynamics(pose, velocity, acceleration)
    shifted = pose - one.home + other.home
    assert np.max(np.abs(other.inverse_dynamics(shifted, velocity, acceleration) - tau)) < SAME * np.max(np.abs(tau))


def test_kinds_that_the_yaml_file_changes(urdf: Path) -> None:
    loops = urdf.with_suffix(".yaml")
    loops.write_text(
        'closed_loop: [["pin_A", "pin_B"]] # one\ntype: ["6D"]\nname_mot: [crank]\n'
        "joint_name: [rocker, pin_A_joint]\njoint_type: [UJOINT_ZY,\n  'SPHERICAL']\nspeed: fast\n"
    )
    imported = import_robot(urdf, Choices(without=("speed",)))
    assert isinstance(imported.description, MechanismDescription)
    joints = {joint.name: joint for joint in imported.description.joints}
    assert (joints["rocker"].type, joints["pin_A_joint"].type, joints["pin"].type) == ("universal", "spherical", "weld")
    assert np.allclose(joints["rocker"].frame_on_child.rotation, [[0, 0, -1], [0, 1, 0], [1, 0, 0]])
    assert any(entry.place == "robot.yaml: speed" for entry in imported.report.of(EntryKind.DROPPED))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("closed_loop: [[pin_A, pin_C]]", "no link or joint 'pin_C' in robot.urdf"),
        ("closed_loop: [[pin_A]]", "each entry is a pair of frames"),
        ("closed_loop: [[pin_A, pin_B]]\ntype: [5d]", "must be 3d or 6d"),
        ("name_mot: [cranck]", "no joint 'cranck' that turns or slides"),
        ("name_mot: [crank", "must be a list of names in brackets"),
        ("joint_name: [crank]\njoint_type: [HELICAL]", "must be SPHERICAL, FIXED or UJOINT_"),
        ("- crank", "must begin with a key and a colon"),
        (f"closed_loop: {'[' * 10000}", "must be a list of names in brackets"),
    ],
)
def test_yaml_that_is_wrong(urdf: Path, text: str, words: str) -> None:
    urdf.with_suffix(".yaml").write_text(text)
    with pytest.raises(DescriptionError, match=words):
        import_robot(urdf)


def test_motors_that_nobody_names(urdf: Path) -> None:
    """Without YAML every joint of a tree is driven, and the report says so; --drive chooses."""
    urdf.with_suffix(".yaml").unlink()
    report = import_robot(urdf).report
    assert any("every joint is driven, crank, coupler, rocker" in entry.words for entry in report.of(EntryKind.CHOSEN))
    driven = [joint.name for joint in described(urdf, Choices(drives=("rocker",))).joints if joint.freedoms]
    assert driven == ["crank", "rocker"]  # the crank has limits and friction, and no motor
    assert described(urdf, Choices(drives=("rocker",))).joints[1].freedoms["angle"].drive is None


def test_transmissions_and_mimics(urdf: Path) -> None:
    more = (
        '<transmission name="t"><joint name="rocker"/><actuator name="a"><mechanicalReduction>-50'
        "</mechanicalReduction></actuator></transmission>"
    )
    mimic = '<axis xyz="0 1 0"/><mimic joint="rocker" multiplier="2" offset="0.3"/></joint>'
    text = texts.URDF.replace('<axis xyz="0 1 0"/></joint>', mimic)
    urdf.write_text(text.replace("</robot>", f"{more}</robot>"))
    urdf.with_suffix(".yaml").unlink()
    description = described(urdf)
    drive = next(joint for joint in description.joints if joint.name == "rocker").freedoms["angle"].drive
    assert drive is not None
    assert (drive.gear_ratio, drive.sign) == (50.0, -1)
    (coupling,) = description.couplings
    assert [(term.coordinate, term.factor) for term in coupling.terms] == [
        ("coupler.angle", 1.0),
        ("rocker.angle", -2.0),
    ]
    assert coupling.constant == 0.3


def test_a_joint_inside_gazebo_is_refused(urdf: Path) -> None:
    more = '<gazebo><joint name="loop" type="revolute"/></gazebo>'
    urdf.write_text(texts.URDF.replace("</robot>", f"{more}</robot>"))
    with pytest.raises(RefusedImportError, match="holds a joint, which closes a loop"):
        import_robot(urdf)


SDF_FAULTS = {
    "pose in a circle": ('relative_to="elbow">0 0 0 0 0 0', 'relative_to="coupler">0 0 0 0 0 0', "depends on itself"),
    "no frame": ('relative_to="elbow"', 'relative_to="elbo"', "no link, joint or frame 'elbo'"),
    "no link": ("<child>crank</child>", "<child>krank</child>", "no link, joint or frame 'krank'"),
    "kind": ('name="pin" type="ball"', 'name="pin" type="glue"', "its type must be one of revolute"),
    "gearbox": ('name="pin" type="ball"', 'name="pin" type="gearbox"', "couples two other joints"),
    "number": ("<mass>0.4</mass>", "<mass>nan</mass>", "must be finite numbers in SI units, got 'nan'"),
    "include": ("<frame ", "<include><uri>x</uri></include><frame ", "another file is included"),
    "joint with what is included": (
        "<frame ",
        '<include/><joint name="rack" type="fixed"><parent>x::a</parent><child>crank</child></joint><frame ',
        "another file is included",
    ),
    "twice": ('<link name="rocker">', '<link name="crank">', "the name 'crank' is there twice"),
}


@pytest.mark.parametrize("name", SDF_FAULTS)
def test_sdf_that_is_wrong(name: str, tmp_path: Path) -> None:
    before, after, words = SDF_FAULTS[name]
    path = tmp_path / "bar.sdf"
    text = texts.SDF.format(rocker="0.45 0 0.2 0 0 0", elbow="0.12 0 0.05 0 0.1 0")
    assert before in text
    path.write_text(text.replace(before, after, 1))
    with pytest.raises(DescriptionError, match=words):
        import_robot(path)


def test_kinds_of_sdf_joints(tmp_path: Path) -> None:
    """Nested models, universal and screw joints, mimics, a floating model."""
    path = tmp_path / "kinds.sdf"
    links = "".join(f'<link name="{name}"/>' for name in "abcd")
    path.write_text(
        f"""<sdf version="1.9"><model name="outer"><link name="root"/><model name="in"><pose>0 0 1 0 0 0</pose>{links}
        <joint name="u" type="universal"><parent>a</parent><child>b</child>
          <axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 0 1</xyz></axis2></joint>
        <joint name="s" type="screw"><parent>b</parent><child>c</child><axis><xyz>0 0 1</xyz></axis>
          <screw_thread_pitch>0.002</screw_thread_pitch></joint>
        <joint name="p" type="prismatic"><parent>c</parent><child>d</child><axis><xyz>0 1 0</xyz>
          <mimic joint="s"><multiplier>0.5</multiplier><offset>0.1</offset><reference>0.2</reference></mimic></axis>
        </joint></model>
        <joint name="j" type="revolute"><parent>root</parent><child>in::a</child><axis><xyz>0 0 1</xyz></axis></joint>
        </model></sdf>"""
    )
    description = described(path)
    joints = {joint.name: joint for joint in description.joints}
    assert [joints[name].type for name in ("root_root", "in_u", "in_s", "in_p")] == [
        "free",
        "universal",
        "screw",
        "prismatic",
    ]
    assert np.allclose(joints["in_u"].parent_frame.rotation, [[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    assert joints["j"].parent_frame.position == (0.0, 0.0, 1.0)
    assert joints["in_s"].pitch == 0.002
    (coupling,) = description.couplings
    assert coupling.constant == pytest.approx(0.1 - 0.5 * 0.2)


def test_a_static_model_that_is_joined_with_the_world_is_refused(tmp_path: Path) -> None:
    """Gazebo moves nothing of it."""
    path = tmp_path / "arm.sdf"
    path.write_text(
        """<sdf version="1.9"><model name="arm"><static>true</static><link name="a"/>
        <joint name="j" type="revolute"><parent>world</parent><child>a</child><axis><xyz>0 1 0</xyz></axis></joint>
        </model></sdf>"""
    )
    with pytest.raises(RefusedImportError, match=r"nothing of a static model moves.*--without static"):
        import_robot(path)
    assert pk.Robot(described(path, Choices(without=("static",)))).degrees_of_freedom == 1


def test_a_mimic_of_a_joint_that_is_not_there_lists_those_that_are(tmp_path: Path) -> None:
    path = tmp_path / "arm.sdf"
    path.write_text(
        """<sdf version="1.9"><model name="arm"><link name="a"/><joint name="j" type="revolute"><parent>world</parent>
        <child>a</child><axis><xyz>0 1 0</xyz><mimic joint="k"><multiplier>1</multiplier></mimic></axis></joint>
        </model></sdf>"""
    )
    with pytest.raises(DescriptionError, match="no joint 'k'; there are j"):
        import_robot(path)


def test_joints_in_an_unlucky_order(tmp_path: Path) -> None:
    """A long chain whose file lists the joint at the base last is the same chain."""
    path = tmp_path / "chain.urdf"
    count = 12
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    links = "".join(f'<link name="l{k}">{inertial}</link>' for k in range(count + 1))
    joints = "".join(
        f'<joint name="j{k}" type="revolute"><origin xyz="1 0 0"/><parent link="l{k}"/><child link="l{k + 1}"/>'
        '<axis xyz="0 1 0"/></joint>'
        for k in reversed(range(count))
    )
    path.write_text(f'<robot name="chain">{links}{joints}</robot>')
    assert pk.load(path).degrees_of_freedom == count


INNER = {
    "origin": ("<origin xyz='0 0 0'/>", "<origin xyz='0 0 0'><scale/></origin>"),
    "dynamics": ("<dynamics damping='1'/>", "<dynamics damping='1'><spring_stiffness>5</spring_stiffness></dynamics>"),
    "axis": ("<axis xyz='0 0 1'/>", "<axis xyz='0 0 1'><of_model/></axis>"),
    "inertia": ("<inertia ixx='1' iyy='1' izz='1'/>", "<inertia ixx='1' iyy='1' izz='1'><about/></inertia>"),
}
HINGE = """<robot name='r'><link name='a'/><link name='b'><inertial><origin xyz='0 0 0'/><mass value='1'/>
<inertia ixx='1' iyy='1' izz='1'/></inertial></link><joint name='j' type='continuous'>
<parent link='a'/><child link='b'/><axis xyz='0 0 1'/><dynamics damping='1'/></joint></robot>"""


@pytest.mark.parametrize("tag", INNER)
def test_elements_inside_those_that_are_read_are_known_or_refused(tag: str, tmp_path: Path) -> None:
    path = tmp_path / "hinge.urdf"
    assert INNER[tag][0] in HINGE
    path.write_text(HINGE.replace(*INNER[tag]))
    with pytest.raises(RefusedImportError, match="parakin does not know this element"):
        import_robot(path)


POSES = {
    "frame of SDF 1.6": (
        "<link name='a'>",
        "<link name='a'><pose frame='b'>0 0 1 0 0 0</pose>",
        "frame: parakin does not",
    ),
    "mimic": ("</axis>", "<mimic joint='k'><multiplier>2</multiplier><curve/></mimic></axis>", "<curve>"),
    "inertia": ("<link name='a'>", "<link name='a'><inertial><inertia><about/></inertia></inertial>", "<about>"),
}


@pytest.mark.parametrize("case", POSES)
def test_sdf_says_nothing_that_is_not_read(case: str, tmp_path: Path) -> None:
    before, after, words = POSES[case]
    joint = "<joint name='{}' type='revolute'><parent>{}</parent><child>{}</child><axis><xyz>0 0 1</xyz></axis></joint>"
    links = "<link name='a'></link><link name='b'><pose frame=''>0 0 0 0 0 0</pose></link><link name='c'/>"
    joints = joint.format("j", "a", "b") + joint.format("k", "b", "c")
    text = f"<sdf version='1.9'><model name='m'>{links}{joints}</model></sdf>"
    path = tmp_path / "arm.sdf"
    path.write_text(text)
    import_robot(path)
    path.write_text(text.replace(before, after, 1))
    with pytest.raises(RefusedImportError, match=words):
        import_robot(path)


def test_parts_that_no_joint_connects_float_each_on_its_own(tmp_path: Path) -> None:
    """Gazebo's gripper of the PR2 has a screw of the torso in it: no chain of joints led to the gripper."""
    mass = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
    links = "".join(f"<link name='{name}'>{mass}</link>" for name in ("screw", "palm", "finger", "ball"))
    hinge = "<joint name='knuckle' type='revolute'><parent>palm</parent><child>finger</child>"
    path = tmp_path / "gripper.sdf"
    path.write_text(f"<sdf version='1.9'><model name='g'>{links}{hinge}<axis/></joint></model></sdf>")
    joints = {(joint.type, joint.child) for joint in described(path).joints}
    assert joints == {("free", "screw"), ("free", "palm"), ("free", "ball"), ("revolute", "finger")}
    world = "<joint name='held' type='revolute'><parent>world</parent><child>screw</child><axis/></joint>"
    path.write_text(path.read_text().replace("</model>", f"{world}</model>"))
    assert ("free", "screw") not in {(joint.type, joint.child) for joint in described(path).joints}
    robot = pk.Robot(described(path, Choices(drives=("knuckle",))))
    assert robot.degrees_of_freedom == 14  # hinges of screw and finger, palm and ball in space
