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
SPINNING = 1e-5
"""The same of bars on universal joints, whose spins about their lines are left out as they stretch: 1e-6 was seen."""
LOADED = 1e-4
"""The same of bars that carry a load of some newtons and stretch by 1e-4 of their length or less."""
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
LATER = {"gough_stewart", "planar_3rrr", "h4", *MECHANISMS}
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


@pytest.mark.slow
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


def with_elastic_bars(name: str, stiffness: float, gravity: float) -> pk.Robot:
    """A robot whose bars to the platform stretch, with a share of its gravity."""
    tables = robot_named(name).description.model_dump()
    tables["gravity"] = (gravity * np.array(tables["gravity"])).tolist()
    for leg in tables["legs"]:
        leg["elements"][1]["stiffness"] = stiffness
    return pk.Robot(describe(tables, "elastic"))


def of_stretching_legs(robot: pk.Robot, pose: Array, drive: float, element: float) -> float:
    """The lowest frequency by MuJoCo of a robot whose last elements stretch, each elongation a freedom of its own."""
    tree = tree_of(robot.description)
    configuration = Closer(tree, robot.description).at(pose)
    text, stretching = with_stretching_tips(closed_chain(tree, configuration))
    model = mujoco.MjModel.from_xml_string(text)
    rest, values = np.zeros(model.nq), iter(coordinates(tree, configuration))
    for joint in tree.joints:
        place, size = int(model.joint(joint.name).qposadr[0]), 4 if joint.kind == "ball" else 1
        rest[place : place + size] = [next(values) for _ in range(size)]
    drives = {tree.joints[one.joint].name: drive for one in tree.drives} | dict.fromkeys(stretching, element)
    return float(eigenfrequencies(sprung(model, rest, drives))[0])


@pytest.mark.parametrize(
    ("name", "drive", "bar", "tolerance"),
    [
        ("delta", 200.0, 3e3, AGREES),
        ("five_bar", 300.0, 1e3, AGREES),
        pytest.param("kossel", 1e4, 2e4, AGREES, marks=pytest.mark.slow),
        pytest.param("quattro", 100.0, 1e4, AGREES, marks=pytest.mark.slow),
        pytest.param("hexa", 100.0, 1e4, SPINNING, marks=pytest.mark.slow),
    ],
)
def test_bars_that_stretch_make_a_platform_swing_as_in_mujoco(
    name: str, drive: float, bar: float, tolerance: float
) -> None:
    """Arms and carriages stand while bars stretch: elongations have inertia of their own."""
    robot = with_elastic_bars(name, bar, 0.0)
    for pose in robot.sample(2, seed=3):
        mine, other = frequency(robot, pose, drive), of_stretching_legs(robot, pose, drive, bar)
        assert mine == pytest.approx(other, rel=tolerance)


@pytest.mark.parametrize(("name", "drive"), [pytest.param("delta", 200.0, marks=pytest.mark.slow), ("five_bar", 300.0)])
def test_loads_of_bars_that_stretch_count_as_little_as_the_elongation_they_cause(name: str, drive: float) -> None:
    """What is left out: how elongation changes the effect of gravity. A bar of 1e5 N/m stretches by micrometres."""
    robot = with_elastic_bars(name, 1e5, 1.0)
    pose = robot.sample(1, seed=3)[0]
    assert frequency(robot, pose, drive) == pytest.approx(of_stretching_legs(robot, pose, drive, 1e5), rel=LOADED)
