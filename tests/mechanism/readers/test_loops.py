"""Loops that extensions of URDF write as elements, and elements that change a mechanism or that nobody knows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import parakin as pk
from parakin.errors import DescriptionError, RefusedImportError
from parakin.mechanism.readers import Choices, EntryKind, import_robot
from tests.mechanism.readers import texts
from tests.mechanism.readers.witnesses import described

AGREES = 1e-10
"""Difference of motor forces relative to the larger: the same mechanism in other words."""
LOOPS = {
    "URDF+": '<loop name="pin" type="ball"><predecessor link="coupler"><origin xyz="0.25 0 0.15"/></predecessor>'
    '<successor link="rocker"><origin xyz="0.03 0 0.18"/></successor></loop>',
    "URDF+ hinge": '<loop name="pin" type="continuous"><predecessor link="coupler"><origin xyz="0.25 0 0.15"/>'
    '</predecessor><successor link="rocker"><origin xyz="0.03 0 0.18"/></successor><axis xyz="0 1 0"/></loop>',
    "Isaac Sim": '<loop_joint name="pin" type="spherical"><link1 link="coupler" rpy="0 0 0" xyz="0.25 0 0.15"/>'
    '<link2 link="rocker" rpy="0 0 0" xyz="0.03 0 0.18"/></loop_joint>',
    "Isaac Sim, as its page has it": '<loop_joint name="pin" type="spherical">'
    '<link1 link="coupler" xyz="0.25 0 0.15"/><link1 link="rocker" xyz="0.03 0 0.18"/></loop_joint>',
}


def _written(folder: Path, more: str) -> Path:
    path = folder / "four_bar.urdf"
    path.write_text(texts.URDF.replace("</robot>", f"{more}</robot>"))
    return path


@pytest.mark.parametrize("dialect", LOOPS)
def test_a_loop_is_that_of_a_yaml_file(dialect: str, tmp_path: Path) -> None:
    path = _written(tmp_path, LOOPS[dialect])
    robot = pk.Robot(described(path, Choices(drives=("crank",))))
    assert robot.degrees_of_freedom == 1
    path.with_suffix(".yaml").write_text(texts.URDF_LOOPS)
    path.write_text(texts.URDF)
    reference = pk.load(path)
    states = reference.sample_states(3, seed=1)
    assert robot.inverse_dynamics(*states) == pytest.approx(reference.inverse_dynamics(*states), rel=AGREES)


def test_what_closes_a_loop_is_not_driven(tmp_path: Path) -> None:
    path = _written(tmp_path, LOOPS["URDF+ hinge"].replace("rocker", "ground"))
    joints = {joint.name: joint for joint in described(path).joints}
    assert joints["pin"].type == "revolute"
    assert all(freedom.drive is None for freedom in joints["pin"].freedoms.values())


def test_loops_of_a_yaml_file_of_another_name_are_not_lost(tmp_path: Path) -> None:
    """As of Gepetto's talos_full_v2.urdf beside robot.yaml: an open tree was imported, without a word."""
    path, beside = _written(tmp_path, ""), tmp_path / "robot.yaml"
    free = described(path)
    beside.write_text(texts.URDF_LOOPS)
    with pytest.raises(RefusedImportError, match=r"robot\.yaml: closes loops .*--loops robot\.yaml"):
        described(path)
    assert described(path, Choices(without=("robot.yaml",))).joints == free.joints
    assert pk.Robot(described(path, Choices(loops=str(beside)))).degrees_of_freedom == 1
    for text in ("closed_loop: [['of_another', 'robot']]", "controller: {rate: 100}"):
        beside.write_text(text)
        assert described(path).joints == free.joints
    beside.write_text(texts.URDF_LOOPS)
    beside.with_suffix(".urdf").write_text(texts.URDF)
    assert described(path).joints == free.joints


REFUSED = {
    "half a loop": ('<loop name="pin" type="ball"><predecessor link="coupler"/></loop>', "pin", "a loop needs"),
    "hinge without axis": (LOOPS["Isaac Sim"].replace("spherical", "revolute"), "pin", "a loop needs"),
    "nobody knows": ('<clutch name="gear"/>', "clutch", "does not know this element"),
    "half a coupling": ('<coupling name="gear"><predecessor link="crank"/></coupling>', "gear", "a coupling needs"),
    "coupling to the base": (
        '<coupling name="gear"><predecessor link="ground"/><successor link="ground"/><ratio value="2"/></coupling>',
        "gear",
        "do not turn or slide",
    ),
    "gravity": (
        '<gazebo reference="crank"><turnGravityOff>true</turnGravityOff></gazebo>',
        "turnGravityOff",
        "in Gazebo alone",
    ),
    "spring": (
        '<gazebo reference="crank"><springStiffness>3</springStiffness></gazebo>',
        "springStiffness",
        "in Gazebo alone",
    ),
    "plugin": (
        '<gazebo><plugin name="m" filename="libmimic_joint.so"/></gazebo>',
        "plugin",
        "in Gazebo alone",
    ),
    "static": ("<gazebo><static>true</static></gazebo>", "static", "in Gazebo alone"),
    "kinematic": ('<gazebo reference="crank"><kinematic>1</kinematic></gazebo>', "kinematic", "in Gazebo alone"),
    "unknown in gazebo": ('<gazebo reference="crank"><inertial/></gazebo>', "inertial", "does not know this element"),
    "gravity of MuJoCo": ('<mujoco><option gravity="0 0 0"/></mujoco>', "gravity", "in MuJoCo alone"),
    "bounds of MuJoCo": ('<mujoco><compiler boundmass="1"/></mujoco>', "boundmass", "in MuJoCo alone"),
    "differential": (
        (
            '<transmission name="wrist"><type>Differential</type><joint name="crank"/><joint name="rocker"/>'
            '<actuator name="a"/><actuator name="b"/></transmission>'
        ),
        "wrist",
        "one motor and one joint: name",
    ),
    "gripper": (
        '<transmission name="grip"><joint name="crank"/><actuator name="a"/><gap_joint L0="0"/></transmission>',
        "grip",
        "and no <gap_joint>",
    ),
    "mimic of ros2_control": (
        '<ros2_control><joint name="rocker"><param name="mimic">crank</param></joint></ros2_control>',
        "rocker",
        "in <ros2_control> alone",
    ),
    "attribute of mimic": (
        (
            '<link name="gear"/><joint name="geared" type="continuous"><parent link="ground"/><child link="gear"/>'
            '<mimic joint="crank" power="2"/></joint>'
        ),
        "power",
        "does not know this attribute",
    ),
    "origin of a link that moves it": (
        (
            '<link name="plate"><origin xyz="0 0 0.1" rpy="0 0 0"/></link>'
            '<joint name="glue" type="fixed"><parent link="rocker"/><child link="plate"/></joint>'
        ),
        "origin",
        "does not know this element",
    ),
    "inertia without mass": (
        (
            '<link name="ghost"><inertial><mass value="0"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
            '<joint name="haunt" type="fixed"><parent link="rocker"/><child link="ghost"/></joint>'
        ),
        "ghost",
        "has inertia and no mass",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_changes_the_mechanism_is_refused(name: str, tmp_path: Path) -> None:
    more, option, words = REFUSED[name]
    path = _written(tmp_path, more)
    with pytest.raises(RefusedImportError, match=f"{words}.*--without {option}"):
        import_robot(path)
    dropped = import_robot(path, Choices(without=(option,))).report.of(EntryKind.DROPPED)
    assert any("as asked" in entry.words for entry in dropped)


def test_an_origin_of_zeros_in_a_link_changes_nothing(tmp_path: Path) -> None:
    plate = '<link name="plate">{}</link><joint name="glue" type="fixed"><parent link="rocker"/><child link="plate"/>'
    plain = import_robot(_written(tmp_path, plate.format("") + "</joint>"))
    zeros = import_robot(_written(tmp_path, plate.format('<origin xyz="0 0 0" rpy="0 -0 0"/>') + "</joint>"))
    assert zeros.description == plain.description
    assert any("zeros that leave a link" in entry.words for entry in zeros.report.of(EntryKind.DROPPED))
    with pytest.raises(RefusedImportError, match="does not know this attribute"):
        import_robot(_written(tmp_path, plate.format('<origin xyz="0 0 0" scale="2"/>') + "</joint>"))


def test_attributes_of_dynamics_that_nobody_knows_are_refused(tmp_path: Path) -> None:
    path = _written(tmp_path, "")
    path.write_text(path.read_text().replace('friction="0.1"', 'friction="0.1" armature="0.1"'))
    with pytest.raises(RefusedImportError, match="--without armature"):
        import_robot(path)
    dropped = import_robot(path, Choices(without=("armature",))).report.of(EntryKind.DROPPED)
    assert any("armature" in entry.place and "as asked" in entry.words for entry in dropped)


def test_motors_that_are_named_overrule_transmissions(tmp_path: Path) -> None:
    path = _written(tmp_path, REFUSED["differential"][0])
    imported = import_robot(path, Choices(drives=("rocker",)))
    assert any("named elsewhere" in entry.words for entry in imported.report.of(EntryKind.DROPPED))


def test_gears_and_rotors_of_transmissions(tmp_path: Path) -> None:
    """Those of Drake are on the side of the motor: its joint feels 1e-3 x 50^2 kg m^2."""
    of_drake = '<drake:gear_ratio value="50"/><drake:rotor_inertia value="1e-3"/>'
    of_joint = "<mechanicalReduction>-30</mechanicalReduction>"
    path = _written(
        tmp_path,
        f'<transmission name="a"><joint name="crank"/><actuator name="m">{of_drake}</actuator></transmission>'
        f'<transmission name="b"><joint name="rocker">{of_joint}</joint><actuator name="n"/></transmission>',
    )
    path.write_text(path.read_text().replace("<robot ", '<robot xmlns:drake="http://drake.mit.edu" '))
    joints = {joint.name: joint for joint in described(path).joints}
    crank, rocker = (joints[name].freedoms["angle"].drive for name in ("crank", "rocker"))
    assert crank is not None
    assert rocker is not None
    assert crank.rotor_inertia * crank.gear_ratio**2 == pytest.approx(2.5)
    assert (rocker.gear_ratio, rocker.sign) == (30.0, -1)


@pytest.mark.parametrize("twice", ["<mimic/>", '<dynamics damping="2"/>', '<axis xyz="1 0 0"/>', "<parent/>"])
def test_what_stands_there_twice_is_refused(twice: str, tmp_path: Path) -> None:
    path = _written(tmp_path, "")
    joint = '<joint name="crank" type="revolute">'
    assert joint in path.read_text()
    path.write_text(path.read_text().replace(joint, joint + twice * 2))
    with pytest.raises(DescriptionError, match=r"is the second <.*> of the same element"):
        import_robot(path)


def test_a_joint_that_follows_itself_is_refused(tmp_path: Path) -> None:
    path = _written(tmp_path, "")
    joint = '<joint name="crank" type="revolute">'
    path.write_text(path.read_text().replace(joint, f'{joint}<mimic joint="crank" multiplier="2"/>'))
    with pytest.raises(DescriptionError, match="must name another joint"):
        import_robot(path)


def test_a_mimic_of_a_joint_that_is_not_there_lists_those_that_are(tmp_path: Path) -> None:
    path = _written(tmp_path, "")
    joint = '<joint name="crank" type="revolute">'
    path.write_text(path.read_text().replace(joint, f'{joint}<mimic joint="crunk"/>'))
    with pytest.raises(DescriptionError, match=r"no joint 'crunk'; there are crank, coupler, rocker, pin_A_joint, "):
        import_robot(path)


def test_a_file_without_a_joint_that_moves_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "block.urdf"
    path.write_text('<robot name="b"><link name="b"><inertial><mass value="1"/></inertial></link></robot>')
    with pytest.raises(DescriptionError, match="none lets a body move"):
        _ = pk.load(path).degrees_of_freedom


def test_keys_of_the_yaml_file_that_nobody_knows_are_refused(tmp_path: Path) -> None:
    path = _written(tmp_path, "")
    path.with_suffix(".yaml").write_text(f"{texts.URDF_LOOPS}gear_backlash: [0.1]\n")
    with pytest.raises(RefusedImportError, match="--without gear_backlash"):
        import_robot(path)


def test_spherical_joints_of_urdf_keep_their_friction(tmp_path: Path) -> None:
    path = _written(tmp_path, "")
    text = path.read_text().replace('name="crank" type="revolute"', 'name="crank" type="spherical"')
    path.write_text(text)
    (crank,) = (joint for joint in described(path).joints if joint.name == "crank")
    assert {name: one.friction.coulomb for name, one in crank.freedoms.items()} == {"wx": 0.1, "wy": 0.1, "wz": 0.1}


def test_gravity_switched_off_for_a_link_of_sdf(tmp_path: Path) -> None:
    path = tmp_path / "bar.sdf"
    text = texts.SDF.format(rocker="0.45 0 0.2 0 0 0", elbow="0.12 0 0.05 0 0.1 0")
    path.write_text(text.replace('<link name="coupler">', '<link name="coupler"><gravity>false</gravity>'))
    bodies = {body.name: body for body in described(path).bodies}
    assert bodies["coupler"].gravity_compensation == 1.0
    assert bodies["rocker"].gravity_compensation == 0.0


IN_SDF = {
    "velocity_decay": ('<link name="coupler">', "<velocity_decay><linear>0.1</linear></velocity_decay>"),
    "kinematic": ('<link name="coupler">', "<kinematic>true</kinematic>"),
    "plugin": ('<link name="coupler">', '<plugin name="b" filename="gz-sim-buoyancy-system"/>'),
    "fluid_added_mass": ("<inertial>", "<fluid_added_mass><xx>1</xx></fluid_added_mass>"),
}


@pytest.mark.parametrize("name", IN_SDF)
def test_what_changes_a_mechanism_of_sdf_is_refused(name: str, tmp_path: Path) -> None:
    path, (after, more) = tmp_path / "bar.sdf", IN_SDF[name]
    text = texts.SDF.format(rocker="0.45 0 0.2 0 0 0", elbow="0.12 0 0.05 0 0.1 0")
    assert after in text
    path.write_text(text.replace(after, after + more, 1))
    with pytest.raises(RefusedImportError, match=f"--without {name}"):
        import_robot(path)
    imported = import_robot(path, Choices(without=(name,)))
    assert any("as asked" in entry.words for entry in imported.report.of(EntryKind.DROPPED))


def test_inertia_that_sdf_computes_from_shapes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bar.sdf"
    text = texts.SDF.format(rocker="0.45 0 0.2 0 0 0", elbow="0.12 0 0.05 0 0.1 0")
    path.write_text(text.replace("<inertial>", '<inertial auto="true">', 1))
    with pytest.raises(RefusedImportError, match="computed from shapes"):
        import_robot(path)


@pytest.mark.parametrize("far", ["1.79769e+308", "inf", "1e16"])
def test_limits_that_sdf_writes_for_none(far: str, tmp_path: Path) -> None:
    path = tmp_path / "swing.sdf"
    limit = f"<limit><lower>-{far}</lower><upper>{far}</upper><effort>{far}</effort></limit>"
    path.write_text(
        '<sdf version="1.9"><model name="m"><link name="a"/><joint name="j" type="revolute"><parent>world</parent>'
        f"<child>a</child><axis><xyz>0 1 0</xyz>{limit}</axis></joint></model></sdf>"
    )
    (joint,) = described(path).joints
    assert (joint.freedoms["angle"].lower, joint.freedoms["angle"].upper) == (None, None)


GEARED = """<robot name="leg">
  <link name="ground"/>
  <link name="thigh"><inertial><origin xyz="0 0 -0.1"/><mass value="2"/>
    <inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="shank"><inertial><origin xyz="0.01 0 -0.1"/><mass value="1"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.005" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="rotor"><inertial><mass value="0.3"/>
    <inertia ixx="2e-4" iyy="3e-4" izz="2e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hip" type="continuous"{free}><parent link="ground"/><child link="thigh"/><axis xyz="0 1 0"/></joint>
  <joint name="knee" type="continuous"{free}><parent link="thigh"/><child link="shank"/><origin xyz="0 0 -0.2"/>
    <axis xyz="0 1 0"/></joint>
  <joint name="spin" type="continuous"{bound}><parent link="ground"/><child link="rotor"/><origin xyz="0 0.1 0"/>
    <axis xyz="0 1 0"/></joint>
  {belt}
</robot>"""
"""A leg with a rotor on the ground, which a belt turns with the shank."""


def test_a_coupling_of_urdf_plus_turns_with_all_joints_on_the_way(tmp_path: Path) -> None:
    """Against Pinocchio, with spin = 6 (hip + knee) by hand: MIT's humanoid has such couplings."""
    pin = pytest.importorskip("pinocchio")
    belt = '<coupling name="belt" type="rolling"><predecessor link="shank"/><successor link="rotor"/>'
    plus = {
        "free": ' independent="true"',
        "bound": ' independent="false"',
        "belt": f'{belt}<ratio value="6"/></coupling>',
    }
    path = tmp_path / "leg.urdf"
    path.write_text(GEARED.format(**plus))
    robot = pk.Robot(described(path))
    assert robot.actuator_names == ("hip.angle", "knee.angle")
    model = pin.buildModelFromXML(GEARED.format(free="", bound="", belt=""))
    order = [model.joints[model.getJointId(name)].idx_v for name in ("hip", "knee", "spin")]
    by = np.zeros((3, 2))  # rates of the three joints by those of hip and knee, in Pinocchio's order
    by[order] = [[1, 0], [0, 1], [6, 6]]
    for pose, velocity, acceleration in zip(*robot.sample_states(5, seed=1), strict=True):
        angles, v, a = (by @ values for values in (pose, velocity, acceleration))
        q = pin.integrate(model, pin.neutral(model), angles)
        tau = by.T @ pin.rnea(model, model.createData(), q, v, a)
        assert robot.inverse_dynamics(pose, velocity, acceleration) == pytest.approx(tau, rel=1e-9, abs=1e-9)


def test_home_of_joints_with_one_coordinate_is_a_plain_list(tmp_path: Path) -> None:
    path = _written(tmp_path, LOOPS["URDF+"])
    path.with_suffix(".yaml").write_text("home_joint: [crank, rocker]\nhome: [0.1, [-0.2]]\n")
    joints = {joint.name: joint for joint in described(path).joints}
    assert (joints["crank"].home, joints["rocker"].home) == ((0.1,), (-0.2,))
