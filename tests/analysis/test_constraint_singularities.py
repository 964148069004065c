"""Constraint singularities and those of universal joints: against couples of legs, change points and closures."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import parakin as pk
from parakin.analysis import margins, margins_along, nearest_singularities, nearest_singularity, thorough
from parakin.analysis.singularities.chart import Chart, slopes
from parakin.arrays import Array
from parakin.errors import CapabilityError, UnknownNameError
from parakin.mechanism import MechanismDescription, describe_mechanism
from parakin.mechanism.numeric import posture, stepped
from parakin.motions.offsets import displaced, offset_between
from parakin.plots import singularity_figure
from parakin.robot import Robot
from parakin.trajectory import Samples
from tests.analysis.test_singularities import parallelogram
from tests.robots import robot_named

ON_SURFACE = 1e-8
"""How far a singular pose may be off a surface in closed form [m]: conditions vanish to 1e-9 there."""
NEAREST = 1e-6
"""How far a foot of a perpendicular may be off: it is followed until a step saves less than 1e-7 of the distance, and
steps save less and less."""
RANK = 1e-6
"""Singular values, beside the largest, that count in the tests' own Jacobians by differences."""
TSAI = Path(__file__).parents[2] / "docs" / "robots" / "tsai_3upu.toml"
OFFSET = 0.35 - 0.12
"""How far the base's joints of that robot are outside of its platform's [m]."""


def couples(robot: Robot, pose: Array) -> Array:
    """The couple that each leg of a 3-UPU holds: across both axes of its universal joints, n = x - (x·a) a."""
    points, along = robot.points(pose), axes_of(robot)
    x = (points.tip - points.root) / np.linalg.norm(points.tip - points.root, axis=1, keepdims=True)
    return x - np.sum(x * along, axis=1, keepdims=True) * along


def axes_of(robot: Robot) -> Array:
    """Axis 1 of the universal joint at the root of each leg (legs, 3)."""
    return np.array([leg.elements[0].joint.axis for leg in robot.legs], float)


@pytest.mark.parametrize("start", [pytest.param((0.0, 0.0, 0.5), marks=pytest.mark.slow), (0.1, 0.05, 0.45)])
def test_a_3upu_gains_a_turn_on_a_cylinder(start: tuple[float, float, float]) -> None:
    """The couples of its legs are dependent where z (4 e^2 - x^2 - y^2) = 0, e being the joints' offset.

    n_i = (p·r_i - e) r_i + z, three radial r_i, and det [n_1, n_2, n_3] = z sin 120° (6 e^2 - 3/2 (x^2 + y^2))/2.
    """
    robot = pk.load(TSAI)
    found = nearest_singularity(robot, np.array(start), kinds=("constraint",))
    assert found is not None
    x, y, _ = found.pose
    assert math.hypot(x, y) == pytest.approx(2 * OFFSET, abs=ON_SURFACE)
    assert found.distance == pytest.approx(2 * OFFSET - math.hypot(*start[:2]), abs=NEAREST)
    held = couples(robot, found.pose)
    assert abs(np.linalg.det(held)) < ON_SURFACE
    w = found.twist[3:] / np.linalg.norm(found.twist[3:])
    assert np.abs(held @ w).max() < ON_SURFACE
    assert "the platform can turn about the axis through" in found.words
    assert "though its motion is translation" in found.words
    assert found.limit == "an actuator leaves its stroke"
    assert not found.velocity.any()


def test_home_itself_can_be_singular() -> None:
    """With radial axes, as of the SNU 3-UPU, all couples are vertical on the axis: two turns are gained there."""
    tables: dict[str, Any] = pk.load(TSAI).description.model_dump(exclude_defaults=True)
    (leg,) = tables["legs"]
    leg["attachment"]["joint"]["axis"] = leg["elements"][0]["joint"]["axis"] = (1.0, 0.0, 0.0)
    leg["attachment"]["joint"].pop("leg_axis", None)
    robot = pk.load(TSAI).replace(legs=(leg,))
    found = nearest_singularity(robot, kinds=("constraint",))
    assert found is not None
    assert found.distance < NEAREST
    assert "(one of 2 such motions)" in found.words


def four_bar(crank: float, coupler: float, rocker: float, ground: float) -> pk.Robot:
    """A four-bar in the plane of x and z, its crank upright at home, its rocker's end beyond it."""
    tables: dict[str, Any] = pk.load("four_bar").graph_description.model_dump(exclude_defaults=True)
    a, b = np.array([0.0, crank]), np.array([ground, 0.0])
    d = np.linalg.norm(b - a)
    s = (d**2 + coupler**2 - rocker**2) / (2 * d)
    along = (b - a) / d
    end = a + s * along + math.sqrt(coupler**2 - s**2) * np.array([-along[1], along[0]])
    places = {"crank": (0, 0, 0), "rocker": (ground, 0, 0), "crank_coupler": (0, 0, crank)}
    places["coupler_rocker"] = (end[0], 0, end[1])
    for joint in tables["joints"]:
        joint["parent_frame"]["position"] = places[joint["name"]]
        for freedom in joint.get("freedoms", {}).values():
            freedom.pop("lower", None)
            freedom.pop("upper", None)
    return pk.Robot(describe_mechanism(tables, "four_bar"))


def test_a_four_bar_gains_a_motion_at_its_change_point() -> None:
    """Shortest + longest = the other two: all bars can lie on one line, crank and coupler towards the rocker's end."""
    linkage = four_bar(0.2, 0.3, 0.25, 0.25)
    found = nearest_singularity(linkage, kinds=("constraint",))
    assert found is not None
    assert found.pose[0] == pytest.approx(-math.pi / 2, abs=ON_SURFACE)
    assert found.distance == pytest.approx(linkage.length * math.pi / 2, abs=ON_SURFACE)
    assert "the loops let coupler turn about the axis through [0.2, 0, 0] m along [0, 1, 0]" in found.words
    assert nearest_singularity(four_bar(0.1, 0.3, 0.28, 0.25), kinds=("constraint",)) is None


def test_a_parallelogram_gains_a_motion_where_it_is_flat() -> None:
    linkage = parallelogram()
    found = nearest_singularity(linkage, kinds=("constraint",))
    assert found is not None
    assert abs(found.pose[0]) == pytest.approx(math.pi / 2, abs=ON_SURFACE)


def closures(description: MechanismDescription, frames: dict[str, tuple[Array, Array]]) -> Array:
    """How far joints are open, from the frames of the bodies: places, and axes that stay at right angles."""
    rows: list[float] = []
    for joint in description.joints:
        (p, P), (c, C) = (
            (frames[body][0] + frames[body][1] @ np.array(frame.position), frames[body][1] @ frame.rotation)
            for body, frame in ((joint.parent, joint.parent_frame), (joint.child, joint.frame_on_child))
        )
        rows += (P.T @ (c - p)).tolist()
        D = P.T @ C
        rows += [float(D[0, 2]), float(D[1, 2])] if joint.type == "revolute" else [float(D[0, 1])]
    return np.array(rows)


def free_motions(robot: pk.Robot, configuration: Array) -> int:
    """Motions that all joints leave to all bodies, each with six velocities: by central differences of closures."""
    tree = robot.plan.skeleton
    at, h = posture(tree, configuration), 1e-6
    frames = {body.name: at.frame(place) for body, place in zip(tree.file.bodies, tree.bodies, strict=True)}
    frames["world"] = (np.zeros(3), np.eye(3))
    columns: list[Array] = []
    for name in [body.name for body in tree.file.bodies]:
        p, R = frames[name]
        for k in range(6):
            ends: list[Array] = []
            for sign in (1.0, -1.0):
                w = np.eye(3)[k - 3] * sign * h if k > 2 else np.zeros(3)
                turn = np.eye(3) + np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
                moved = (p + np.eye(3)[k] * sign * h * tree.size, R) if k < 3 else (p, turn @ R)
                ends.append(closures(tree.file, frames | {name: moved}))
            columns.append((ends[0] - ends[1]) / (2 * h))
    sizes = np.linalg.svd(np.column_stack(columns), compute_uv=False)
    return len(columns) - int(np.sum(sizes > RANK * sizes[0]))


@pytest.mark.parametrize("name", ["change point", pytest.param("dymo_3uru", marks=pytest.mark.slow)])
def test_all_joints_together_leave_more_freedom_there_than_at_home(name: str) -> None:
    """Bodies with six velocities each, and the joints of the file as differences: nothing of the graph is asked."""
    robot = four_bar(0.2, 0.3, 0.25, 0.25) if name == "change point" else pk.load(name).graph
    found = nearest_singularity(robot, kinds=("constraint",))
    assert found is not None
    assert free_motions(robot, robot.home_configuration) == robot.degrees_of_freedom
    gained = 2 if "one of 2 such motions" in found.words else 1
    assert free_motions(robot, found.configuration) == robot.degrees_of_freedom + gained


@pytest.mark.parametrize("name", ["upu_3", "four_bar"])
def test_closing_conditions_have_the_singular_values_of_their_differences(name: str) -> None:
    """The Jacobian that searches use, against differences of the closing conditions by another code's steps."""
    robot = robot_named(name) if name == "upu_3" else pk.load(name)
    chart, c = Chart(robot, robot.home), robot.graph.home_configuration
    around = np.array(
        [
            stepped(chart.tree, c, sign * 1e-5 * chart.of_columns * e)
            for sign in (1, -1)
            for e in np.eye(chart.tree.velocities)
        ]
    )
    differences = slopes(chart.at(around).rows)
    sizes, own = (np.linalg.svd(J, compute_uv=False) for J in (differences, chart.at(c[None]).J[0]))
    assert np.abs(sizes - own).max() < 1e-8


@pytest.mark.slow
def test_dymo_gains_two_turns_on_its_axis() -> None:
    """A leg holds the couple along p - (p·r) r, r its radial axis: on the axis all three are vertical."""
    robot = pk.load("dymo_3uru").graph
    found = nearest_singularity(robot, kinds=("constraint",))
    assert found is not None
    tree = robot.plan.skeleton
    p, _ = posture(tree, found.configuration).frame(tree.output)
    assert np.abs(p[:2]).max() < ON_SURFACE
    assert "(one of 2 such motions)" in found.words
    assert abs(found.twist[5]) < ON_SURFACE * np.linalg.norm(found.twist[3:])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["delta", "orthoglide"])
def test_parallelograms_hold_dependent_couples(name: str) -> None:
    """A parallelogram holds the couple across its short sides and its rods."""
    robot = robot_named(name)
    found = nearest_singularity(robot, kinds=("constraint",))
    assert found is not None
    points, tree = robot.points(found.pose), robot.graph.plan.skeleton
    at, cuts = posture(tree, found.configuration), {cut.joint.name: cut for cut in tree.cuts}
    roots: dict[str, Array] = {}
    for rod in tree.rods:
        cut, end = cuts[rod.joint], int(np.linalg.norm(rod.ends[1]) < np.linalg.norm(rod.ends[0]))
        roots[rod.body] = at.frame((cut.parent, cut.child)[end])[0]
    held: list[Array] = []
    for leg in robot.legs:
        name = f"{leg.name}.{leg.elements[1].name}"
        rods = [roots[f"{leg.name}_{leg.elements[1].name}_{letter}"] for letter in "ab"]
        k = robot.element_names.index(name)
        assert np.abs((rods[0] + rods[1]) / 2 - points.root[k]).max() < ON_SURFACE  # closed as the file says
        normal = np.asarray(np.cross(rods[0] - rods[1], points.tip[k] - points.root[k]), float)
        held.append(normal / np.linalg.norm(normal))
    assert np.linalg.svd(np.array(held), compute_uv=False)[-1] < ON_SURFACE
    assert np.abs(np.array(held) @ found.twist[3:]).max() < ON_SURFACE * np.linalg.norm(found.twist[3:])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hexa", "hexapod_sliding"])
def test_rods_that_are_distances_spin_at_their_universal_joints(name: str) -> None:
    """Their lines, by the formulas of legs, turn to the axis of the spin on the way there; axis 2 is across it."""
    robot = robot_named(name)
    found = nearest_singularity(robot, kinds=("universal",))
    assert found is not None
    assert not found.twist[:3].any()
    k, away = robot.element_names.index(found.part), offset_between(robot.motion_type, robot.home, found.pose)
    sines: list[float] = []
    for share in (0.9, 0.99, 0.999):
        points = robot.points(displaced(robot.motion_type, robot.home, share * away))
        line = (points.tip[k] - points.root[k]) / np.linalg.norm(points.tip[k] - points.root[k])
        sines.append(float(np.linalg.norm(np.cross(line, found.twist[3:]))))
    assert sines[2] < sines[1] / 2 < sines[0] / 4
    axis = [float(number) for number in re.findall(r"axis 2, \[(.*), (.*), (.*)\]", found.words)[0]]
    assert np.linalg.norm(axis) == pytest.approx(1.0, abs=2e-3)
    assert abs(np.dot(axis, found.twist[3:])) < 2e-3


def test_a_universal_joint_is_singular_with_its_line_along_axis_1() -> None:
    """Of a 3-UPU in the plane of its base: p - e r_i is along the tangent axis of a leg there."""
    robot = pk.load(TSAI)
    found = nearest_singularity(robot, kinds=("universal",))
    assert found is not None
    k, leg = next((k, leg) for k, leg in enumerate(robot.legs) if found.part == f"{leg.name}.strut")
    axis = axes_of(robot)[k]
    line = found.pose + np.array(leg.attachment.b) - np.array(leg.root)
    assert np.linalg.norm(np.cross(line, axis)) < ON_SURFACE
    assert found.distance >= math.hypot(OFFSET, 0.5)
    assert "is along axis 1 of its universal joint" in found.words
    assert np.linalg.norm(np.cross(found.twist[3:], axis)) < 1e-6 * np.linalg.norm(found.twist)


def test_margins_of_universal_joints_are_sines_between_line_and_axis() -> None:
    robot = pk.load(TSAI)
    poses = robot.sample(20)
    points = robot.points(poses)
    x = (points.tip - points.root) / np.linalg.norm(points.tip - points.root, axis=-1, keepdims=True)
    sines = np.linalg.norm(np.cross(x, axes_of(robot)), axis=-1)
    assert np.abs(margins(robot, poses).universal - sines).max() < 1e-12
    still = np.zeros_like(poses)
    seen = margins_along(robot, Samples(robot.motion_type, np.arange(20.0), poses, still, still))
    assert seen.worst["universal joint"] == pytest.approx((float(sines.min()), float(np.argmin(sines.min(axis=1)))))
    assert "universal joint" in str(seen)


@pytest.mark.slow
def test_each_kind_is_told_once_the_nearest_first() -> None:
    found = nearest_singularities(pk.load(TSAI))
    assert [one.kind for one in found] == ["constraint", "type 2", "universal"]
    assert sorted(one.distance for one in found) == [one.distance for one in found]


def test_an_unknown_kind_is_told() -> None:
    with pytest.raises(UnknownNameError, match="no kind of singularity 'type 3'; choose one of type 1, type 2, loops"):
        nearest_singularities(pk.load(TSAI), kinds=("type 3",))  # pyright: ignore[reportArgumentType]


def test_singularities_of_mechanisms_are_drawn_where_their_configuration_is_known() -> None:
    linkage = four_bar(0.2, 0.3, 0.25, 0.25)
    found = nearest_singularity(linkage, kinds=("constraint",))
    assert found is not None
    assert len(singularity_figure(linkage, found).axes) == 1  # in its plane
    unknown = replace(found, kind="loops", configuration=np.zeros(0))
    with pytest.raises(CapabilityError, match="singularity_figure of kind 'loops' needs legs"):
        singularity_figure(linkage, unknown)


@pytest.mark.slow
def test_thorough_tells_every_kind() -> None:
    told = [one.text for one in thorough(pk.load(TSAI)) if one.topic == "nearest singularity"]
    assert [text.partition(" singularity")[0] for text in told] == ["constraint", "type 2", "universal"]
