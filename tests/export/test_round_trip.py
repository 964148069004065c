"""Robots written as MJCF and as URDF with YAML and imported again: the same models to rounding, the same frames."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import parakin as pk
from parakin.description import RobotDescription
from parakin.errors import UnsupportedRobotError
from parakin.export import Exported, write_mjcf, write_urdf
from parakin.export.opened import opened
from parakin.mechanism import describe_mechanism, load_mechanism_description
from parakin.mechanism.kinds import Move
from parakin.mechanism.readers import import_robot
from parakin.robot import Robot

EQUAL = 1e-12
"""Largest difference relative to the largest entry of a model at a state; the issue's own figure."""
STATES = 3
"""States at which models are compared."""
WRITERS: dict[str, tuple[Callable[[pk.Robot, Path], Exported], str]] = {
    "mjcf": (write_mjcf, "robot.xml"),
    "urdf": (write_urdf, "robot.urdf"),
}
OFTEN = {("five_bar", "mjcf"), ("four_bar_leg", "mjcf"), ("four_bar_leg", "urdf")}
"""A robot of legs with hinges that close loops, and a mechanism with springs and friction; others in `make slow`."""
ALL = [
    pytest.param(name, dialect, marks=() if (name, dialect) in OFTEN else pytest.mark.slow)
    for name in pk.library()
    for dialect in WRITERS
]
EITHER = [pytest.param("mjcf", marks=pytest.mark.slow), "urdf"]
"""Both dialects, one of them in `make slow` alone."""
FRAMES = [
    {"name": "camera", "body": "coupler", "frame": {"position": [0.1, 0.02, 0.1], "z": [1.0, 2.0, 0.5]}},
    {"name": "foot", "body": "world", "frame": {"position": [0.0, 0.0, -0.1]}},
]


def coordinate_in_file(one: pk.Robot, coordinate: str) -> str:
    """The coordinate of an imported robot for one of the exported robot's."""
    joints = {joint.coordinate: joint for link in opened(one).links for joint in link.joints}
    if coordinate in joints:
        joint = joints[coordinate]
        return f"{joint.name}.{'travel' if joint.move is Move.SLIDE else 'angle'}"
    ball, component = coordinate.rsplit(".", maxsplit=1)
    return f"{joints[ball].name}.{component}"


def back(one: pk.Robot, dialect: str, folder: Path) -> Robot:
    """The robot exported and imported, with the coordinates of the original's graph as its pose."""
    write, file = WRITERS[dialect]
    write(one, folder / file)
    description = import_robot(folder / file).description
    independent = tuple(coordinate_in_file(one, name) for name in one.graph.pose_names)
    assert not isinstance(description, RobotDescription)
    return Robot(description.model_copy(update={"independent": independent}))


def same(a: np.ndarray, b: np.ndarray, scale: float = 0.0) -> None:
    """Compare relative to the largest entry, or to a scale if that is larger."""
    assert np.max(np.abs(a - b)) < EQUAL * max(np.max(np.abs(a)), scale, np.finfo(float).tiny), (a, b)


def models_are_equal(one: pk.Robot, other: Robot) -> None:
    """Mass matrix, inverse dynamics with friction and springs, motors, and the output frame, at the same poses."""
    graph = one.graph
    rng = np.random.default_rng(4)
    if one.legs:
        sign, zero = (np.array([getattr(drive, key) for drive in graph.actuators]) for key in ("sign", "zero"))
        poses = zero + sign * one.inverse_kinematics(one.sample(STATES))
    else:
        poses = one.sample(STATES)
    velocity, acceleration = rng.normal(size=(2, STATES, graph.degrees_of_freedom)) * [[[0.5]], [[3.0]]]
    assert other.actuator_names == tuple(coordinate_in_file(one, name) for name in graph.actuator_names)
    same(graph.mass_matrix(poses), other.mass_matrix(poses))
    state = poses, velocity, acceleration
    same(graph.inverse_dynamics(*state), other.inverse_dynamics(*state))
    for name in graph.frame_names:
        here, there = (robot.frame_motion(name, *state) for robot in (graph, other))
        same(here.p, there.p, graph.length)
        for a, b in zip(here[1:], there[1:], strict=True):
            same(a, b)


@pytest.mark.filterwarnings("ignore::parakin.errors.ImplausibleValueWarning")  # the shaft of delta_shaft turns 12 rad
@pytest.mark.parametrize(("name", "dialect"), ALL)
def test_export_and_import_give_the_same_robot(name: str, dialect: str, tmp_path: Path) -> None:
    one = pk.load(name)
    models_are_equal(one, back(one, dialect, tmp_path))


@pytest.mark.parametrize("dialect", WRITERS)
def test_frames_go_out_and_come_back(dialect: str, tmp_path: Path) -> None:
    one = pk.load("four_bar").replace(frames=FRAMES)
    other = back(one, dialect, tmp_path)
    assert sorted(other.frame_names) == ["camera", "foot", "output"]
    models_are_equal(one, other)


@pytest.mark.parametrize("dialect", WRITERS)
def test_a_tool_goes_out_as_a_frame(dialect: str, tmp_path: Path) -> None:
    tool = {"position": (0.01, 0.02, 0.05), "quaternion": (0.6, 0.0, 0.8, 0.0)}
    one = pk.load("four_bar").replace(tool=tool)
    other = back(one, dialect, tmp_path)
    assert sorted(other.frame_names) == ["output", "tool"]
    models_are_equal(one, other)


def test_cones_that_no_dialect_has_are_told(tmp_path: Path) -> None:
    tables = load_mechanism_description("tripod_3rps").model_dump(exclude_defaults=True)
    next(joint for joint in tables["joints"] if joint["name"] == "ball2")["cone"] = {"angle": 0.5}
    one = Robot(describe_mechanism(tables, "coned.toml"))
    for write, file in ((write_mjcf, "coned.xml"), (write_urdf, "coned.urdf")):
        assert "limit cones are left out: of ball2" in write(one, tmp_path / file).notes


@pytest.mark.parametrize("dialect", EITHER)
def test_payloads_are_bodies(dialect: str, tmp_path: Path) -> None:
    one = pk.load("slider_crank").with_payload(0.7, (0.01, 0.02, 0.03), np.diag([1e-3, 2e-3, 2.5e-3]))
    models_are_equal(one, back(one, dialect, tmp_path))


def _one_sided() -> Robot:
    """A four-bar whose motor counts the other way from elsewhere, with a limit on one side and no largest force."""
    tables = load_mechanism_description("four_bar").model_dump(exclude_defaults=True)
    joints = [
        joint | {"freedoms": {"angle": {"drive": {"sign": -1, "zero": 0.25, "rotor_inertia": 0.01, "gear_ratio": 3.0}}}}
        if "drive" in joint.get("freedoms", {}).get("angle", {})
        else joint | {"freedoms": {"angle": {"upper": 3.0, "friction": {"viscous": 0.2, "coulomb": 0.1}}}}
        for joint in tables["joints"]
    ]
    return Robot(describe_mechanism(tables | {"joints": joints}, "one_sided.toml"))


def test_what_a_dialect_cannot_say_of_motors_is_told(tmp_path: Path) -> None:
    """MJCF has no zero of q and no gear: tau is the same, q counts from the joint's zero. The YAML has both."""
    one = _one_sided()
    (motor,) = one.actuators
    (of_mjcf,), (of_urdf,) = (back(one, dialect, tmp_path).actuators for dialect in ("mjcf", "urdf"))
    assert (of_mjcf.sign, of_mjcf.zero, of_urdf.sign, of_urdf.zero) == (-1, 0.0, -1, motor.zero)
    for drive in (of_mjcf, of_urdf):
        assert drive.gear_ratio == 1.0
        assert drive.rotor_inertia == motor.gear_ratio**2 * motor.rotor_inertia
        assert drive.force is None
        assert drive.speed is None
    notes = write_mjcf(one, tmp_path / "told.xml").notes
    assert any("q is -1 (joint - 0.25)" in note for note in notes)
    for dialect in WRITERS:
        models_are_equal(one, back(one, dialect, tmp_path))


@pytest.mark.parametrize("dialect", WRITERS)
def test_limits_that_are_none_stay_none(dialect: str, tmp_path: Path) -> None:
    one = _one_sided()
    limits = {
        freedom.upper: freedom.lower
        for joint in back(one, dialect, tmp_path).graph_description.joints
        for freedom in joint.freedoms.values()
        if freedom.upper is not None
    }
    assert limits == {3.0: None}


def test_urdf_refuses_couplings_of_three_joints(tmp_path: Path) -> None:
    """The one thing that URDF and its YAML cannot carry is refused; MJCF brings it back."""
    one = _coupled()
    with pytest.raises(UnsupportedRobotError, match="URDF couples two joints at most"):
        write_urdf(one, tmp_path / "robot.urdf")
    models_are_equal(one, back(one, "mjcf", tmp_path))


def _coupled() -> Robot:
    """Three hinges in a row, the sum of whose angles is constant."""
    link = {"mass": 1.0, "com": [0.1, 0.0, 0.0], "inertia": [[1e-3, 0, 0], [0, 2e-3, 0], [0, 0, 2e-3]]}
    hinges = {
        "parent_frame": {"position": [0.2, 0.0, 0.0], "z": [0.0, 1.0, 0.0]},
        "child_frame": {"z": [0.0, 1.0, 0.0]},
    }
    driven = {"angle": {"drive": {}}}
    names = ("world", "upper", "lower", "hand")
    tables = {
        "name": "coupled",
        "title": "Three hinges, coupled",
        "source": "made up",
        "output": {"body": "hand"},
        "bodies": [{"name": name} | link for name in names[1:]],
        "joints": [
            {"name": f"j{k}", "type": "revolute", "parent": parent, "child": child, "freedoms": driven} | hinges
            for k, (parent, child) in enumerate(pairwise(names))
        ],
        "couplings": [
            {
                "terms": [{"coordinate": f"j{k}.angle", "factor": f} for k, f in enumerate((1.0, 0.5, 2.0))],
                "constant": 0.3,
            }
        ],
    }
    return Robot(describe_mechanism(tables, "coupled.toml"))


@pytest.mark.parametrize("dialect", EITHER)
def test_balls_keep_viscous_friction(dialect: str, tmp_path: Path) -> None:
    tables = load_mechanism_description("tripod_3rps").model_dump(exclude_defaults=True)
    rubs = {f"w{axis}": {"friction": {"viscous": 0.05}} for axis in "xyz"}
    joints = [one | {"freedoms": rubs} if one["type"] == "spherical" else one for one in tables["joints"]]
    one = Robot(describe_mechanism(tables | {"joints": joints}, "rubbing.toml"))
    models_are_equal(one, back(one, dialect, tmp_path))


def test_urdf_without_its_yaml_has_no_loops_and_no_springs(tmp_path: Path) -> None:
    """What only the YAML can say is named in the export's report; rods that were distances are named in both."""
    one = pk.load("four_bar_leg")
    notes = write_urdf(one, tmp_path / "leg.urdf").notes
    assert "springs are in the YAML only, under spring_joint, spring_stiffness and spring_rest" in notes
    (tmp_path / "leg.yaml").unlink()
    alone = import_robot(tmp_path / "leg.urdf").description
    assert not isinstance(alone, RobotDescription)
    assert all(freedom.spring is None for joint in alone.joints for freedom in joint.freedoms.values())
    assert any(freedom.spring for joint in one.graph_description.joints for freedom in joint.freedoms.values())
    rods = pk.load("reachy_mini")
    count = sum(joint.type == "distance" for joint in rods.graph_description.joints)
    for dialect, (write, file) in WRITERS.items():
        told = write(rods, tmp_path / file).notes
        assert sum("is a body on a universal joint and a ball" in note for note in told) == count > 0, dialect
