"""Inertia and dry friction of passive joints, compensated weight and switched-off forces, compared with MuJoCo."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import parakin as pk
from parakin.errors import RefusedImportError
from parakin.mechanism.model import MechanismDescription
from parakin.mechanism.readers import Choices, EntryKind, import_robot
from parakin.robot import Robot
from tests.mechanism.readers.witnesses import cases_of, described, mujoco_sees

AGREES = 1e-8
"""Difference of motor forces relative to the largest: two solvers of the same equations."""
STATES = 5
"""States that are compared."""

RSSR = """<mujoco model="rssr">
  <compiler angle="radian"/>
  <option{option}>{flags}</option>
  <worldbody>
    <body name="crank" gravcomp="0.4">
      <joint name="crank" axis="0 0 1" armature="0.02" damping="0.1" frictionloss="0.3"/>
      <inertial pos="0.05 0 0.01" mass="0.5" diaginertia="1e-3 2e-3 2.5e-3"/>
      <body name="rod" pos="0.1 0 0" gravcomp="1">
        <joint name="shoulder" type="ball" armature="0.004" frictionloss="0.05" damping="0.02"/>
        <inertial pos="0.2 0.01 0.02" mass="0.4" diaginertia="3e-4 4e-3 4e-3"/>
        <site name="rod_end" pos="0.4 0 0.1"/>
      </body>
    </body>
    <body name="rocker" pos="0.5 0 0.3">
      <joint name="rocker" axis="0 1 0" armature="0.03" frictionloss="0.2" stiffness="1.5" springref="0.1"/>
      <inertial pos="0 0 -0.1" mass="0.6" diaginertia="2e-3 2e-3 1e-3"/>
      <site name="rocker_end" pos="0 0 -0.2"/>
    </body>
  </worldbody>
  <equality><connect name="tip" site1="rod_end" site2="rocker_end"/></equality>
  <actuator><motor name="motor" joint="crank" gear="3"/></actuator>
</mujoco>"""
"""A crank and a rocker with a rod between two spherical joints, of which one is MuJoCo's connect."""

DEAD_CENTRE = """<mujoco model="swing">
  <compiler angle="radian"/>
  <worldbody>
    <body name="boom">
      <joint name="boom" axis="0 1 0" damping="0.01"/>
      <inertial pos="0.1 0 -0.2" mass="2" diaginertia="2e-2 2e-2 1e-2"/>
      <body name="rocker" pos="0.3 0 0">
        <joint name="rocker" axis="0 1 0" armature="0.01"/>
        <inertial pos="0.01 0 0.05" mass="0.3" diaginertia="1e-3 1e-3 2e-4"/>
        <site name="rocker_end" pos="0 0 0.1"/>
      </body>
      <body name="crank">
        <joint name="crank" axis="0 1 0" armature="0.002"/>
        <inertial pos="0.05 0 0.01" mass="0.2" diaginertia="2e-4 3e-4 3e-4"/>
        <body name="coupler" pos="0.09 0 0.03">
          <joint name="coupler" axis="0 1 0"/>
          <inertial pos="0.1 0 0.03" mass="0.25" diaginertia="2e-4 1e-3 1e-3"/>
          <site name="coupler_end" pos="0.21 0 0.07"/>
        </body>
      </body>
    </body>
  </worldbody>
  <equality><connect name="tip" site1="coupler_end" site2="rocker_end"/></equality>
  <actuator><motor name="motor" joint="rocker"/></actuator>
</mujoco>"""
"""A four-bar on a swing; its crank, on a line with the coupler, moves the motor of the rocker nowhere at home."""

BALL = '<joint name="shoulder" type="ball" armature="0.004" frictionloss="0.05" damping="0.02"/>'
HINGES = '<joint name="first" axis="0 1 0" armature="0.004"/><joint name="second" axis="0 0 1" armature="0.005"/>'
"""What may stand in its place, so that the rod does not spin."""


def _written(folder: Path, option: str = "", flags: str = "") -> Path:
    path = folder / "rssr.xml"
    path.write_text(RSSR.replace("{option}", option).replace("{flags}", flags))
    return path


def _worst(robot: Robot, path: Path) -> float:
    worst = 0.0
    for case in cases_of(robot, STATES):
        seen = mujoco_sees(robot, path, case)
        scale = max(1.0, float(np.max(np.abs(case.tau))))
        worst = max(worst, float(np.max(np.abs(seen.tau - case.tau))) / scale, seen.left)
    return worst


@pytest.fixture
def rssr(tmp_path: Path) -> tuple[Robot, Path]:
    """The mechanism and its file."""
    pytest.importorskip("mujoco")
    path = _written(tmp_path)
    return pk.load(path), path


def test_armature_dry_friction_and_gravcomp_are_those_of_mujoco(rssr: tuple[Robot, Path]) -> None:
    robot, path = rssr
    assert _worst(robot, path) < AGREES
    assert {"rocker.angle.inertia", "shoulder.wx.inertia", "shoulder.wz.coulomb"} <= set(robot.parameter_names)
    assert robot.import_report is not None
    assert not robot.import_report.of(EntryKind.DROPPED)


def test_laws_hold_with_inertias_of_joints(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    path = _written(tmp_path, flags='<flag spring="disable"/>')  # springs are none of the parameters
    path.write_text(path.read_text().replace(BALL, HINGES))  # and tau is linear in them if no freedom is idle
    robot = pk.load(path)
    pose, velocity, acceleration = robot.sample_states(3, seed=2)
    tau = robot.inverse_dynamics(pose, velocity, acceleration)
    assert {"rocker.angle.inertia", "second.angle.inertia", "crank.angle.rotor"} <= set(robot.parameter_names)
    Psi = robot.regressor(pose, velocity, acceleration)
    assert Psi @ robot.parameters == pytest.approx(tau, rel=AGREES)
    energy = robot.energy(pose, velocity).kinetic
    assert energy == pytest.approx(np.einsum("ni,nij,nj->n", velocity, robot.mass_matrix(pose), velocity) / 2)


def test_exports_keep_inertias_of_joints_and_compensated_weight(rssr: tuple[Robot, Path], tmp_path: Path) -> None:
    robot, _ = rssr
    pose, velocity, acceleration = robot.sample_states(2, seed=3)
    tau = robot.inverse_dynamics(pose, velocity, acceleration)
    pk.export.write_mjcf(robot, tmp_path / "again.xml")
    pk.export.write_urdf(robot, tmp_path / "again.urdf")
    for name in ("again.xml", "again.urdf"):
        again = pk.load(tmp_path / name)
        assert again.inverse_dynamics(pose, velocity, acceleration) == pytest.approx(tau, rel=AGREES)


SWITCHED = ("spring", "damper", "frictionloss", "gravity", "limit", "equality", "constraint")


@pytest.mark.parametrize("flag", SWITCHED)
def test_what_a_flag_switches_off_is_not_in_the_mechanism(flag: str, tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    path = _written(tmp_path, flags=f'<flag {flag}="disable"/>')
    imported = import_robot(path)
    part = "equality" if flag == "constraint" else flag  # which switches off three things
    (told,) = (entry for entry in imported.report.of(EntryKind.MERGED) if f'{part}="disable"' in entry.place)
    assert "not in the mechanism" in told.words
    assert isinstance(imported.description, MechanismDescription)
    robot = pk.Robot(imported.description)
    case = cases_of(robot, 1)[0]
    seen = mujoco_sees(robot, path, case)
    if flag in ("frictionloss", "constraint"):  # the comparison adds MuJoCo's dry friction by itself
        assert all(
            not one.friction.coulomb for joint in robot.graph_description.joints for one in joint.freedoms.values()
        )
        assert mujoco.MjModel.from_xml_path(str(path)).dof_frictionloss.any()
    else:
        assert seen.tau == pytest.approx(case.tau, abs=AGREES)


def test_drive_keeps_the_armature_of_the_joint(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    path = tmp_path / "rssr.xml"
    text = RSSR.replace("{option}", "").replace("{flags}", "")
    motor = '<actuator><motor name="motor" joint="crank" gear="3"/></actuator>'
    path.write_text(text)
    joints = {one.name: one for one in described(path, Choices(drives=("rocker",))).joints}
    rocker, crank = joints["rocker"].freedoms["angle"], joints["crank"].freedoms["angle"]
    assert rocker.drive is not None
    assert (rocker.drive.rotor_inertia, rocker.inertia, rocker.friction.coulomb) == (0.03, 0.0, 0.2)
    assert crank.drive is None
    assert crank.inertia == pytest.approx(0.02, rel=1e-15)  # the rotor is still there when nobody drives it
    path.write_text(text.replace(motor, ""))
    joints = {one.name: one for one in described(path, Choices(drives=("crank",))).joints}
    drive = joints["crank"].freedoms["angle"].drive
    assert drive is not None
    assert drive.rotor_inertia == 0.02


REFUSED = {
    "fluid": (' density="1.2"', "", "forces of the air"),
    "actuation": ("", '<flag actuation="disable"/>', "all motors are switched off"),
    "actuatorgravcomp": ("", "", "carry compensated weight"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_options_that_change_the_mechanism_are_refused(name: str, tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    option, flags, words = REFUSED[name]
    path = _written(tmp_path, option, flags)
    if name == "actuatorgravcomp":
        path.write_text(path.read_text().replace('damping="0.1"', 'damping="0.1" actuatorgravcomp="true"'))
    with pytest.raises(RefusedImportError, match=words):
        import_robot(path)
    entries = import_robot(path, Choices(without=(name,))).report.of(EntryKind.DROPPED)
    assert any("as asked" in entry.words for entry in entries)


def test_motors_that_follow_a_crank_at_its_dead_centre_beside_a_free_swing(tmp_path: Path) -> None:
    """The foot of Cassie's first models: there was no inverse dynamics, for the foot was not independent."""
    pytest.importorskip("mujoco")
    path = tmp_path / "swing.xml"
    path.write_text(DEAD_CENTRE)
    robot = pk.load(path)
    assert "rocker.angle" not in robot.pose_names
    assert _worst(robot, path) < AGREES
