"""Eigenfrequencies against MuJoCo: trees with loops that hold springs in place of their motors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from _pytest.mark import ParameterSet

pytest.importorskip("mujoco", reason="install parakin[peers] for the peer tests: mujoco is missing")

import mujoco

import parakin as pk
from parakin.analysis import QUANTITIES, Options
from parakin.arrays import Array
from parakin.description import describe
from parakin.export import write_mjcf
from parakin.export.opened import opened
from tests.peers.configuration import Closer
from tests.peers.converter import tree_of
from tests.peers.mjcf import closed_chain, coordinates
from tests.peers.vibration import Chain, eigenfrequencies, moved, sprung
from tests.robots import robot_named

AGREES = 1e-8
"""Relative difference of a frequency from MuJoCo's projected accelerations. Central differences leave the square of
their step, 1e-10, times how much K changes over the size of a robot; 6e-11 was seen."""
SOFT = 1e-3
"""The same from MuJoCo's own solver, whose equalities give way by 1 - 0.9999 of the acceleration that they prevent, and
light bodies that they hold would be quick. 6e-4 was seen."""
LEGS = {"five_bar": 300.0, "delta": 200.0, "gough_stewart": 2e5, "h4": 300.0, "planar_3rrr": 100.0}
"""Robots of legs with the stiffness of their drives [N m/rad or N/m], so soft that gravity counts."""
MECHANISMS = {
    "four_bar": 10.0,
    "tripod_3rps": 1e4,
    "tricept": 1e5,
    "redundant_4rrr": 1e3,
    "agile_eye": 10.0,
    "exechon": 1e5,
    "four_bar_leg": 100.0,
    "reachy_mini": 5.0,
}
"""Mechanisms likewise; one has more motors than freedoms, one springs of its own."""
LATER = {"gough_stewart", "planar_3rrr", "h4", *MECHANISMS} - {"four_bar"}
"""Those whose kernels take longest, for `make slow`."""


def _listed(names: dict[str, float]) -> list[ParameterSet]:
    return [pytest.param(name, marks=pytest.mark.slow if name in LATER else ()) for name in names]


def frequency(robot: pk.Robot, pose: Array, stiffness: float) -> float:
    found = QUANTITIES["frequency"].evaluate(robot, pose, Options(drive_stiffness=stiffness))
    assert found.good.all()
    return float(found.values)


def chain_of_legs(robot: pk.Robot, pose: Array, stiffness: float) -> Chain:
    """A robot of legs in MuJoCo, built from its description alone."""
    tree = tree_of(robot.description)
    configuration = Closer(tree, robot.description).at(pose)
    model = mujoco.MjModel.from_xml_string(closed_chain(tree, configuration))
    drives = {tree.joints[drive.joint].name: stiffness for drive in tree.drives}
    return sprung(model, coordinates(tree, configuration), drives)


@pytest.mark.parametrize("name", _listed(LEGS))
def test_robots_of_legs_swing_as_in_mujoco(name: str) -> None:
    robot = robot_named(name)
    for pose in (robot.home, *robot.sample(2, seed=3)):
        mine, chain = frequency(robot, pose, LEGS[name]), chain_of_legs(robot, pose, LEGS[name])
        assert eigenfrequencies(chain)[0] == pytest.approx(mine, rel=AGREES)
        assert eigenfrequencies(chain, solved=True)[0] == pytest.approx(mine, rel=SOFT)


@pytest.mark.parametrize("name", _listed(MECHANISMS))
def test_mechanisms_swing_as_in_mujoco(name: str, tmp_path: Path) -> None:
    """At home, and where MuJoCo has moved them to, which their motors tell."""
    robot, stiffness = robot_named(name), MECHANISMS[name]
    write_mjcf(robot, tmp_path / "robot.xml")
    names = {joint.coordinate: joint.name for link in opened(robot).links for joint in link.joints}
    motors = [names[coordinate] for coordinate in robot.actuator_names]

    def chain_at(rest: Array) -> Chain:
        model = mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml"))
        return sprung(model, rest, dict.fromkeys(motors, stiffness))

    home = chain_at(mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml")).key_qpos[0])
    mine = frequency(robot, robot.home, stiffness)
    assert eigenfrequencies(home)[0] == pytest.approx(mine, rel=AGREES)
    assert eigenfrequencies(home, solved=True)[0] == pytest.approx(mine, rel=SOFT)
    if len(motors) > robot.degrees_of_freedom:
        return
    away = chain_at(moved(home, 0.02 * np.ones(home.ways.shape[1])))
    q = np.array([away.rest[away.model.joint(motor).qposadr[0]] for motor in motors])
    sign, zero = (np.array([getattr(one, key) for one in robot.actuators]) for key in ("sign", "zero"))
    pose = robot.forward_kinematics(sign * (q - zero))
    assert eigenfrequencies(away)[0] == pytest.approx(frequency(robot, pose, stiffness), rel=AGREES)


def test_elastic_struts_are_springs_behind_their_drives() -> None:
    """A strut's own elongation is that of its motor's joint: MuJoCo has one spring there, softer than both."""
    tables = robot_named("gough_stewart").description.model_dump()
    drive, strut = 2e5, 3e5
    for leg in tables["legs"]:
        leg["elements"][0]["stiffness"] = strut
    robot = pk.Robot(describe(tables, "elastic"))
    pose = robot.sample(1, seed=3)[0]
    chain = chain_of_legs(robot, pose, drive * strut / (drive + strut))
    assert eigenfrequencies(chain)[0] == pytest.approx(frequency(robot, pose, drive), rel=AGREES)
