"""Actuators and tendons of MJCF that are more than a motor in a joint, compared with MuJoCo, or refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import parakin as pk
from parakin.errors import RefusedImportError
from parakin.mechanism.readers import Choices, EntryKind, import_robot
from tests.mechanism.readers.witnesses import cases_of, described, mujoco_sees

AGREES = 1e-8
"""Difference of motor forces relative to the largest: two solvers of the same equations."""
ARM = """<mujoco model="arm">
  <option{option}/>
  <worldbody><body name="upper"><joint name="shoulder" axis="0 1 0"/>
    <inertial pos="0.1 0 0.02" mass="0.5" diaginertia="1e-3 2e-3 2.5e-3"/>
    <body name="lower" pos="0.2 0 0"><joint name="elbow" axis="0 1 0"/>
      <inertial pos="0.1 0 0" mass="0.3" diaginertia="3e-4 1e-3 1e-3"/></body></body></worldbody>
  <tendon>{tendon}</tendon>
  <actuator>{first}<motor name="second" joint="elbow" ctrlrange="-3 3"/></actuator>
</mujoco>"""
MOTOR = '<motor name="first" joint="shoulder"/>'


def _written(folder: Path, *, first: str = MOTOR, tendon: str = "", option: str = "") -> Path:
    pytest.importorskip("mujoco")
    path = folder / "arm.xml"
    path.write_text(ARM.format(first=first, tendon=tendon, option=option))
    return path


@pytest.mark.parametrize(
    "first",
    [
        '<pid name="first" joint="shoulder" kp="30" kv="2" gear="2" armature="0.01"/>',
        '<position name="first" joint="shoulder" kp="30" kv="2" gear="-5" armature="0.01" damping="0.02"/>',
        '<dcmotor name="first" joint="shoulder" motorconst="0.05" resistance="1" armature="0.02" gear="5"/>',
    ],
)
def test_servos_are_motors_with_their_rotors(first: str, tmp_path: Path) -> None:
    path = _written(tmp_path, first=first)
    robot = pk.load(path)
    assert [actuator.force for actuator in robot.actuators] == [None, 3.0]  # of the motor behind one of two signals
    case = cases_of(robot, 1)[0]
    seen = mujoco_sees(robot, path, case)
    assert seen.tau == pytest.approx(case.tau, abs=AGREES * np.max(np.abs(seen.tau)))


FIXED = '<fixed name="rope" {}><joint joint="shoulder" coef="2"/></fixed>'
REFUSED = {
    "quadratic spring of a tendon": ({"tendon": FIXED.format('stiffness="0 1"')}, "rope", "a tendon with stiffness"),
    "cubic damping of a tendon": ({"tendon": FIXED.format('damping="0 0 1"')}, "rope", "a tendon with stiffness"),
    "quadratic damping": (
        {"first": MOTOR.replace("/>", ' gear="3" damping="0.1 0.2"/>')},
        "first",
        "its damping is not linear",
    ),
    "passive": (
        {"first": f'<general name="spring" joint="shoulder" gainprm="0" biastype="affine" biasprm="0 -3 -1"/>{MOTOR}'},
        "spring",
        "no signal moves it",
    ),
    "passive DC motor": (
        {"first": f'<dcmotor name="brake" joint="shoulder" motorconst="1" resistance="1" input="none"/>{MOTOR}'},
        "brake",
        "no signal moves it",
    ),
    "cogging": (
        {"first": '<dcmotor name="first" joint="shoulder" motorconst="1" resistance="1" cogging="0.1 6 0"/>'},
        "first",
        "has cogging or LuGre friction",
    ),
    "LuGre": (
        {"first": '<dcmotor name="first" joint="shoulder" motorconst="1" resistance="1" lugre="90 1 0.1 0.2 0.1"/>'},
        "first",
        "has cogging or LuGre friction",
    ),
    "silent": ({"option": ' actuatorgroupdisable="0"'}, "actuation", "motors first, second are switched off"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_forces_of_actuators_and_tendons_are_refused(name: str, tmp_path: Path) -> None:
    parts, option, words = REFUSED[name]
    path = _written(tmp_path, **parts)
    with pytest.raises(RefusedImportError, match=f"{words}.*--without {option}"):
        import_robot(path)
    entries = import_robot(path, Choices(without=(option,))).report.of(EntryKind.DROPPED)
    assert any("as asked" in entry.words for entry in entries)


def test_groups_below_zero_cannot_be_switched_off(tmp_path: Path) -> None:
    first = MOTOR.replace("/>", ' group="-1"/>')
    path = _written(tmp_path, first=first, option=' actuatorgroupdisable="30"')
    assert pk.load(path).actuator_names == ("shoulder.angle", "elbow.angle")


LIMITS = {
    "tendon": ('<motor name="first" tendon="rope" gear="3"/>', 'actuatorfrcrange="-1 1"', 2.0),
    "two": (
        (
            '<motor name="first" joint="shoulder" forcerange="-4 4"/>'
            '<motor name="more" tendon="rope" gear="3" forcerange="-1 1"/>'
        ),
        "",
        4.0 + 6.0,
    ),
    "one of two": (MOTOR + '<motor name="more" tendon="rope" forcerange="-1 1"/>', "", None),
}


@pytest.mark.parametrize("name", LIMITS)
def test_forces_of_all_motors_of_a_joint_add_up(name: str, tmp_path: Path) -> None:
    first, tendon, force = LIMITS[name]
    path = _written(tmp_path, first=first, tendon=FIXED.format(tendon))
    drive = described(path).joints[0].freedoms["angle"].drive
    assert drive is not None
    assert drive.force == force


def test_damping_and_rotors_of_all_motors_of_a_joint_add_up(tmp_path: Path) -> None:
    path = tmp_path / "two.xml"
    joint = '<joint name="j" axis="0 0 1" damping="0.1"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    motors = "".join(
        f'<motor joint="j" gear="{gear}" damping="{damping}" armature="{armature}"/>'
        for gear, damping, armature in ((2, 0.2, 0.1), (3, 0.3, 0.2))
    )
    path.write_text(f"<mujoco><worldbody><body>{joint}</body></worldbody><actuator>{motors}</actuator></mujoco>")
    angle = described(path).joints[0].freedoms["angle"]
    assert angle.drive is not None
    assert angle.friction.viscous == pytest.approx(0.1 + 0.2 * 2**2 + 0.3 * 3**2)
    assert angle.drive.rotor_inertia * angle.drive.gear_ratio**2 == pytest.approx(0.1 * 2**2 + 0.2 * 3**2)


SPLIT = """<mujoco model="gripper">
  <worldbody><body name="one"><joint name="one" type="slide" axis="0 0.6 0.8" damping="0.3"/>
    <inertial pos="0.01 0.02 0.03" mass="0.4" diaginertia="1e-4 2e-4 2e-4"/></body>
    <body name="two"><joint name="two" axis="0 1 0"/>
      <inertial pos="0.1 0 0" mass="0.3" diaginertia="3e-4 1e-3 1e-3"/></body>
    <body name="three" pos="0.3 0 0"><joint name="three" axis="0 1 0"/>
      <inertial pos="0.05 0 0" mass="0.2" diaginertia="1e-4 4e-4 4e-4"/></body></worldbody>
  <equality><joint joint1="two" joint2="one" polycoef="0.1 -2 0 0 0"/>{second}</equality>
  <tendon><fixed name="split"><joint joint="one" coef="0.3"/><joint joint="two" coef="-0.4"/>
    <joint joint="three" coef="0.5"/></fixed></tendon>
  <actuator><motor name="pull" tendon="split" gear="-5"{more}/></actuator>
</mujoco>"""
"""Three joints that move as one, pulled by a tendon, as in the grippers of Robotiq, Franka and UFACTORY."""
THIRD = '<joint joint1="three" joint2="two" polycoef="0 1.5 0 0 0"/>'
"""What ties the third of them."""


def test_a_tendon_of_joints_that_move_as_one_is_a_motor_of_the_first(tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "gripper.xml"
    path.write_text(SPLIT.format(second=THIRD, more=""))
    imported = import_robot(path)
    assert "joints that move as one" in str(imported.report.of(EntryKind.MERGED))
    robot = pk.Robot(described(path))
    m = mujoco.MjModel.from_xml_path(str(path))
    d = mujoco.MjData(m)
    way = 0.3 - 0.4 * -2 + 0.5 * -3  # of the tendon for a way of the first slide: -0.4
    for case in cases_of(robot, 3):
        d.qpos[:] = [case.where[f"{name}"] for name in ("one.travel", "two.angle", "three.angle")]
        d.qvel[:] = [case.rates[name] for name in ("one.travel", "two.angle", "three.angle")]
        d.ctrl[:] = case.tau / (-5 * way)
        mujoco.mj_forward(m, d)
        a = np.array([case.accelerations[name] for name in ("one.travel", "two.angle", "three.angle")])
        inertial = np.zeros(3)
        mujoco.mj_mulM(m, d, inertial, a)
        left = inertial + d.qfrc_bias - d.qfrc_passive - d.qfrc_actuator
        assert np.array([1.0, -2.0, -3.0]) @ left == pytest.approx(0.0, abs=AGREES * np.max(np.abs(d.qfrc_actuator)))


@pytest.mark.parametrize(
    ("second", "more", "words"),
    [
        ("", "", r"pulls a tendon.*--drive names one.*--without pull"),
        (THIRD, ' armature="0.01"', r"has armature or damping.*--without pull"),
    ],
)
def test_tendons_that_are_no_motor_of_one_joint_are_refused(second: str, more: str, words: str, tmp_path: Path) -> None:
    """Joints that move on their own; armature, which MuJoCo gives to each joint of a tendon alone."""
    pytest.importorskip("mujoco")
    path = tmp_path / "gripper.xml"
    path.write_text(SPLIT.format(second=second, more=more))
    with pytest.raises(RefusedImportError, match=words):
        import_robot(path)
