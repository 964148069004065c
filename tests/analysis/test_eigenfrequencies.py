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
from tests.peers.mjcf import closed_chain, coordinates, with_stretching_tips
from tests.peers.vibration import Chain, eigenfrequencies, moved, sprung
from tests.robots import robot_named

AGREES = 1e-8
"""Relative difference of a frequency from MuJoCo's projected accelerations. Central differences leave the square of
their step, 1e-10, times how much K changes over the size of a robot; 6e-11 was seen."""
SOFT = 1e-3
"""The same from MuJoCo's own solver, whose equalities give way by 1 - 0.9999 of the acceleration that they prevent, and
light bodies that they hold would be quick. 6e-4 was seen."""
LIGHT = 1e-6
"""Relative difference that masses of 1e-9 of a leg's own make, whose elongations have frequencies far above."""
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


def delta_with_elastic_forearms(stiffness: float, weight: float) -> pk.Robot:
    """A Delta without gravity, whose forearms stretch and whose legs have a share of their masses."""
    tables = robot_named("delta").description.model_dump()
    tables["gravity"] = (0.0, 0.0, 0.0)
    for leg in tables["legs"]:
        leg["elements"][1]["stiffness"] = stiffness
        for body in [body for element in leg["elements"] for body in element["bodies"]]:
            body["mass"] *= weight
            body["inertia"] = (weight * np.array(body["inertia"])).tolist()
    return pk.Robot(describe(tables, "elastic_delta"))


def of_stretching_legs(robot: pk.Robot, pose: Array, drive: float, element: float) -> float:
    """The lowest frequency by MuJoCo of a robot whose last elements stretch, each elongation a freedom of its own."""
    tree = tree_of(robot.description)
    configuration = Closer(tree, robot.description).at(pose)
    text, stretching = with_stretching_tips(closed_chain(tree, configuration))
    model = mujoco.MjModel.from_xml_string(text)
    rest = np.zeros(len(tree.joints) + len(stretching))
    for joint, value in zip(tree.joints, configuration.value, strict=True):
        rest[model.joint(joint.name).qposadr[0]] = value
    drives = {tree.joints[one.joint].name: drive for one in tree.drives} | dict.fromkeys(stretching, element)
    return float(eigenfrequencies(sprung(model, rest, drives))[0])


def test_light_bars_that_stretch_make_a_platform_swing_as_in_mujoco() -> None:
    """Elongations follow without inertia where legs have none: what bars add to compliance is MuJoCo's."""
    light = delta_with_elastic_forearms(3e3, 1e-9)
    pose = light.sample(1, seed=3)[0]
    assert frequency(light, pose, 200.0) == pytest.approx(of_stretching_legs(light, pose, 200.0, 3e3), rel=LIGHT)


@pytest.mark.parametrize(("element", "share"), [(1e4, 0.1), (1e5, 0.02), (1e6, 0.002)])
def test_heavy_arms_before_bars_that_stretch_make_a_frequency_too_low(element: float, share: float) -> None:
    """Arms are taken to move with the platform, and do not as bars stretch: the frequency is too low."""
    heavy = delta_with_elastic_forearms(element, 1.0)
    pose = heavy.sample(1, seed=3)[0]
    ratio = frequency(heavy, pose, 200.0) / of_stretching_legs(heavy, pose, 200.0, element)
    assert 1 - share < ratio < 1
