"""Robots written as MJCF and URDF, read back by MuJoCo and Pinocchio: they need the same forces, and loops hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin
import pytest
import yaml
from scipy.spatial.transform import Rotation
from typer.testing import CliRunner

import parakin as pk
from parakin.cli import app
from parakin.errors import UnsupportedRobotError
from parakin.export import write_mjcf, write_urdf
from parakin.export.identifiers import Identifiers
from parakin.export.opened import opened
from parakin.mechanism import describe_mechanism
from parakin.robot import Robot
from tests.export.other_tools import Mujoco, Pinocchio, Way, motor_forces
from tests.mechanism.zoo import ZOO

AGREES = 1e-8
"""Largest difference of forces from another engine, relative to the largest of a state; the issue's own figure."""
STATES, STEPS = 3, 12
"""Poses that are tried, and steps to each from home: every one starts Newton's method from the one before."""
SWING, SWING_FORCE = 0.05, 2.0
"""How far motors swing [rad, or sizes of the robot] and how hard they pull there, in forces that hold it at home."""
OFTEN = ("five_bar", "delta", "tripod_3rps", "reachy_mini", "four_bar_leg", "exechon", "upu_3")
"""Balls, hinges and universal joints that close loops; rods that are distances; springs; bodies that are twice."""
ALL = [pytest.param(name, marks=() if name in OFTEN else pytest.mark.slow) for name in pk.library()]
ENGINES = {"mujoco": (Mujoco, write_mjcf, "robot.xml"), "pinocchio": (Pinocchio, write_urdf, "robot.urdf")}


@cache
def robot(name: str) -> pk.Robot:
    return pk.load(name)


def ways(one: pk.Robot, share: float) -> Iterator[tuple[Way, np.ndarray]]:
    """Ways from home by the coordinates of the graph's pose, and the forces that their ends take.

    share: part of the way from home to a sample that is gone.
    """
    names = {joint.coordinate: joint.name for link in opened(one).links for joint in link.joints}
    lead = [names[coordinate] for coordinate in one.graph.pose_names]
    sign, zero = (np.array([getattr(drive, key) for drive in one.graph.actuators]) for key in ("sign", "zero"))
    rng = np.random.default_rng(5)
    shares = np.linspace(0.0, share, STEPS + 1)[1:, None]
    for pose in one.sample(STATES, seed=3):
        velocity, acceleration = rng.normal(size=(2, one.degrees_of_freedom)) * [[0.5], [3.0]]
        if one.graph is one:
            points = one.home + shares * (pose - one.home)
            way = Way(lead, points, velocity, acceleration)
            yield way, one.inverse_dynamics(points[-1], velocity, acceleration)
        else:
            start, end = (zero + sign * one.inverse_kinematics(place) for place in (one.home, pose))
            rates = one.evaluate("actuator_velocity", pose=pose, velocity=velocity)["q_dot"]
            state = {"pose": pose, "velocity": velocity, "acceleration": acceleration}
            speeding = one.evaluate("actuator_acceleration", **state)["q_ddot"]
            way = Way(lead, start + shares * (end - start), sign * rates, sign * speeding)
            yield way, one.inverse_dynamics(**state)


def forces_agree(one: pk.Robot, engine: str, folder: Path, share: float = 1.0) -> None:
    reader, write, file = ENGINES[engine]
    write(one, folder / file)
    other = reader(folder / file)
    sign = np.array([drive.sign for drive in one.graph.actuators])
    for way, tau in ways(one, share):
        seen = sign * motor_forces(other, way)
        assert np.max(np.abs(seen - tau)) < AGREES * np.max(np.abs(tau)), (seen, tau)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ALL)
def test_other_engines_need_the_same_forces(name: str, engine: str, tmp_path: Path) -> None:
    forces_agree(robot(name), engine, tmp_path)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["rccc", "ruuc", "screw_jack", "geared_slider"])
def test_every_kind_of_joint_is_written(name: str, engine: str, tmp_path: Path) -> None:
    """Cylindrical, universal, planar and screw joints, in the tree and cut, passed in both directions; gears."""
    forces_agree(Robot(ZOO[name]()), engine, tmp_path, share=0.2)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_payload_is_written(engine: str, tmp_path: Path) -> None:
    forces_agree(robot("tripod_3rps").with_payload(2.0, centre=[0.02, 0.01, 0.1]), engine, tmp_path)


def swinging(name: str, folder: Path, seconds: float = 0.5) -> tuple[float, float]:
    """Largest opening of a loop [m], and turn between welded halves [rad], while motors swing in MuJoCo."""
    one = robot(name)
    other = Mujoco(write_mjcf(one, folder / "robot.xml").files[0])
    model, data = other.model, other.data
    model.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    start = other.coordinates(other.motors, other.home)
    still = np.zeros(one.degrees_of_freedom)
    hold = one.inverse_dynamics(one.home, still, still)
    stiffness = SWING_FORCE * np.maximum(np.abs(hold), np.max(np.abs(hold)) / 3)
    size = one.graph.plan.skeleton.size
    reach = np.array([SWING * (size if drive == "N" else 1.0) for drive in one.actuator_units])
    worst, turned = 0.0, 0.0
    for k in range(round(seconds / model.opt.timestep)):
        t = k * model.opt.timestep
        asked = reach * np.sin(2 * np.pi * 4 * t)
        moved = other.signs * (other.coordinates(other.motors, data.qpos) - start)
        data.ctrl[:] = hold + stiffness * (asked - moved) / reach
        mujoco.mj_step(model, data)
        for a, b, weld in other.ends():
            worst = max(worst, float(np.linalg.norm(data.site_xpos[a] - data.site_xpos[b])))
            if weld:
                R_a, R_b = (data.site_xmat[site].reshape(3, 3) for site in (a, b))
                turned = max(turned, float(np.linalg.norm(Rotation.from_matrix(R_a @ R_b.T).as_rotvec())))
    moved = np.max(np.abs(other.coordinates(other.motors, data.qpos) - start) / reach)
    assert np.all(np.isfinite(data.qpos)), name
    assert moved > 1e-3, "the motors should move"
    return worst, turned


HOLDS = 2e-5
"""Largest opening of a loop [m], and turn between welded halves [rad], that docs/other_tools.md states."""


@pytest.mark.parametrize("name", ["tripod_3rps", "reachy_mini", "four_bar_leg", "delta", "upu_3", "five_bar"])
def test_loops_hold_in_mujocos_simulation(name: str, tmp_path: Path) -> None:
    assert max(swinging(name, tmp_path)) < HOLDS


def test_couplings_of_three_coordinates_are_tendons_in_mjcf_and_refused_in_urdf(tmp_path: Path) -> None:
    tables = ZOO["geared_slider"]().model_dump(exclude_defaults=True)
    tables["couplings"][0]["terms"] = [*tables["couplings"][0]["terms"], {"coordinate": "slide.travel", "factor": 3.0}]
    one = Robot(describe_mechanism(tables | {"workspace": None}, "geared"))
    model = Mujoco(write_mjcf(one, tmp_path / "robot.xml").files[0]).model
    assert [mujoco.mjtEq(int(kind)) for kind in model.eq_type] == [mujoco.mjtEq.mjEQ_TENDON]
    factors = dict(zip(model.wrap_objid.tolist(), model.wrap_prm.tolist(), strict=True))
    assert {model.joint(k).name: factor for k, factor in factors.items()} == {"left": 2.0, "right": 1.0, "slide": 3.0}
    with pytest.raises(UnsupportedRobotError, match=r"URDF couples two joints at most, not left.angle, right.angle, "):
        write_urdf(one, tmp_path / "robot.urdf")
    assert not list(tmp_path.glob("*.urdf"))


@pytest.mark.parametrize("write", [write_mjcf, write_urdf])
def test_a_distance_without_mass_is_refused(write: Callable[..., object], tmp_path: Path) -> None:
    with pytest.raises(UnsupportedRobotError, match=r"joint rod keeps a distance without a mass.*: give it a rod"):
        write(Robot(ZOO["tethered_plate"]()), tmp_path / "robot.xml")
    assert not list(tmp_path.iterdir())


def test_names_are_plain_and_each_is_there_once() -> None:
    names = Identifiers()
    given = [names.of(text) for text in ("leg 1.strut", "leg__1_strut", "1st", "world", "ünder", "")]
    assert given == ["leg_1_strut", "leg_1_strut_2", "_1st", "world_2", "_nder", "part"]


def test_limits_motors_springs_and_home_are_in_the_file(tmp_path: Path) -> None:
    exported = write_mjcf(robot("four_bar_leg"), tmp_path / "robot.xml")
    model = mujoco.MjModel.from_xml_path(str(exported.files[0]))
    assert model.joint("knee").range.tolist() == [-1.1, 1.2]
    assert (model.joint("knee").stiffness[0], model.qpos_spring[model.joint("knee").qposadr[0]]) == (6.0, -0.3)
    assert model.joint("hip").armature[0] == pytest.approx(81 * 6e-5)
    assert model.actuator("hip").ctrlrange.tolist() == [-20.0, 20.0]
    assert model.ngeom > model.nbody - 2
    assert not np.any(model.geom_contype | model.geom_conaffinity)
    urdf, said = write_urdf(robot("four_bar_leg"), tmp_path / "robot.urdf").files
    read = pin.buildModelFromUrdf(str(urdf))
    assert read.upperPositionLimit[read.joints[read.getJointId("knee")].idx_q] == 1.2
    assert yaml.safe_load(said.read_text(encoding="utf-8"))["name_mot"] == ["hip", "crank"]


def test_commands_write_and_tell(tmp_path: Path) -> None:
    for command, file, written in (
        ("export-mjcf", "bar.xml", ["bar.xml"]),
        ("export-urdf", "leg.urdf", ["leg.urdf", "leg.yaml"]),
    ):
        run = CliRunner().invoke(app, [command, "four_bar", "-o", str(tmp_path / file)])
        assert run.exit_code == 0, run.output
        assert all((tmp_path / name).is_file() for name in written)
        assert "note: joint rocker closes a loop: rocker is there twice" in run.output
    run = CliRunner().invoke(app, ["export-urdf", "four_bar", "-o", str(tmp_path / "bar.txt")])
    assert run.exit_code != 0
    assert "must end in .urdf" in run.output
    assert not (tmp_path / "bar.txt").exists()
