"""Singular poses against their geometry: collinear and concurrent lines, Fichter's turn, Hunt's plane."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest

import parakin as pk
from parakin.analysis import locus, margins, margins_along, nearest_singularities, nearest_singularity, screw_of
from parakin.analysis.singularities.measures import platform_margin
from parakin.arrays import Array
from parakin.description import RobotDescription
from parakin.errors import DataError, LoopClosureError, UnreachablePoseError
from parakin.motions.offsets import displaced, offset_between
from parakin.robot import Robot
from parakin.trajectory import Samples
from tests import machines
from tests.robots import robot_named

ON_CURVE = 2e-3
"""How far a point between two crossings may be off a curve, as a sine or a share: a cell is 1/128 of the plane."""
ON_REACH = 2e-5
"""How far a crossing may be off the end of a leg's reach [m]: a thousandth of a cell, half of it, and the 5 um before
the leg is folded from which on it counts as singular."""
SINGULAR = 1e-8
"""Largest margin of a pose that is singular by construction."""

ALMOST_STRETCHED = 5e-3
"""How far the motion that a leg ends may be off: rates are taken 1e-5 of the way before, and it is off by the root."""


def lines_of(robot: Robot, poses: Array, element: str) -> tuple[Array, Array]:
    """Points and unit directions of one element of every leg (N, legs, 3)."""
    points = robot.points(poses)
    chosen = [robot.element_names.index(f"{leg.name}.{element}") for leg in robot.legs]
    along = points.tip - points.root
    return points.root[:, chosen], (along / np.linalg.norm(along, axis=-1, keepdims=True))[:, chosen]


def test_platform_of_a_five_bar_is_singular_where_its_forearms_are_collinear() -> None:
    robot = robot_named("five_bar")
    found = locus(robot, cells=96)
    ends = found.region.poses(found.type_2.reshape(-1, 2))
    _, x = lines_of(robot, ends, "forearm")
    sine = x[:, 0, 0] * x[:, 1, 1] - x[:, 0, 1] * x[:, 1, 0]
    assert len(ends) > 50
    assert np.abs(sine).max() < ON_CURVE


def test_legs_of_a_five_bar_are_singular_where_they_are_stretched_or_folded() -> None:
    found = locus(robot_named("five_bar"), cells=96)
    away = np.stack([np.linalg.norm(found.type_1.reshape(-1, 2) - [x, 0.0], axis=1) for x in (-0.1, 0.1)])
    off = np.abs(away[..., None] - [0.57, 0.07]).min(axis=(0, 2))
    assert off.max() < ON_REACH


@pytest.mark.parametrize("phi", [1.0, pytest.param(1.15, marks=pytest.mark.slow)])
def test_platform_of_a_3rrr_is_singular_where_forearm_lines_meet(phi: float) -> None:
    """Three lines a x + b y + c = 0 meet in a point, or are parallel, where det [a, b, c] = 0."""
    robot = robot_named("planar_3rrr")
    found = locus(robot, at={"phi": phi}, cells=64)
    poses = found.region.poses(found.type_2.reshape(-1, 2))
    p, x = lines_of(robot, poses, "forearm")
    normal = np.stack([-x[..., 1], x[..., 0]], axis=-1)
    rows = np.concatenate([normal, -np.sum(normal * p[..., :2], axis=-1, keepdims=True) / robot.length], axis=-1)
    assert len(poses) > 20
    assert np.abs(np.linalg.det(rows)).max() < 10 * ON_CURVE


def test_nearest_of_a_five_bar_is_the_nearest_end_of_its_reach() -> None:
    """The circle of 0.57 m about the farther motor, which is the nearest curve to home."""
    robot = robot_named("five_bar")
    found = nearest_singularity(robot)
    assert found is not None
    assert found.kind == "type 1"
    assert found.distance == pytest.approx(0.57 - math.hypot(0.1, 0.36), abs=1e-9)
    assert "is stretched or folded: its motor moves nothing" in found.words
    line = found.pose - [0.1 if found.pose[0] < 0 else -0.1, 0.0]
    lost = found.velocity / np.linalg.norm(found.velocity)
    assert abs(lost @ line) == pytest.approx(np.linalg.norm(line), rel=1e-4)  # along the stretched leg


def test_nearest_of_a_symmetric_3rpr_is_a_quarter_turn() -> None:
    """Its three struts point at the middle of the platform there, which turns about it."""
    robot = robot_named("planar_3rpr")
    found = nearest_singularity(robot)
    assert found is not None
    assert found.kind == "type 2"
    assert found.distance == pytest.approx(robot.length * math.pi / 2, rel=1e-6)
    assert "turn about the axis through [0, 0, 0] m along [0, 0, 1]" in found.words


def test_nearest_is_singular_and_nothing_nearer_is_on_random_rays() -> None:
    """An upper bound cannot be shown to be the least; but no ray of thousands may cross before it."""
    robot = robot_named("planar_3rrr")
    found = nearest_singularity(robot)
    assert found is not None
    assert abs(margins(robot, found.pose[None]).platform[0]) < 1e-7
    J = robot.jacobian(
        displaced(robot.motion_type, robot.home, 0.999999 * offset_between(robot.motion_type, robot.home, found.pose))
    )
    assert np.linalg.norm(J @ found.velocity) < 1e-4 * np.linalg.norm(J)
    rng = np.random.default_rng(5)
    rays = rng.normal(size=(4000, 3))
    rays /= np.linalg.norm(rays, axis=1, keepdims=True)
    offsets = 0.999 * found.distance * rays * robot.motion_type.scale(1 / robot.length)
    home = np.sign(margins(robot, robot.home[None]).platform[0])
    for share in (0.5, 0.8, 1.0):
        seen = margins(robot, displaced(robot.motion_type, robot.home, share * offsets))
        assert (np.sign(seen.platform) == home).all()


def octahedral() -> Robot:
    """Legs that meet in pairs at three corners of a platform, from six points of a base."""
    description: RobotDescription = machines.six_three()
    return Robot(description)


@pytest.mark.parametrize("sign", [-1, 1])
def test_fichters_turn(sign: int) -> None:
    """[Fichter1986]: a quarter turn about z from the middle pose is singular, wherever the platform is.

    Both hexagons have the same three planes of symmetry.
    """
    robot = robot_named("gough_stewart")
    half = math.sqrt(0.5)
    poses = np.array(
        [[x, y, z, half, 0, 0, sign * half] for x, y, z in ((0, 0, 0.86), (0.1, -0.05, 0.8), (-0.2, 0.1, 0.9))]
    )
    assert np.abs(margins(robot, poses).platform).max() < SINGULAR
    near = poses[0].copy()
    near[3:] = [math.cos(0.7), 0, 0, sign * math.sin(0.7)]
    assert abs(margins(robot, near[None]).platform[0]) > 1e-2


def test_hunts_plane() -> None:
    """[Hunt1983]: where the two legs of one corner lie in the platform's plane, all six meet the opposite edge.

    The platform turns about that edge while all motors stand still.
    """
    robot = octahedral()
    legs = robot.legs
    corners = np.array([leg.attachment.b for leg in legs])
    roots = np.array([leg.root for leg in legs])
    first = [k for k in range(6) if np.allclose(corners[k], corners[0])]
    others = [k for k in range(6) if k not in first]
    a, b = roots[first]
    middle, along = (a + b) / 2, (b - a) / np.linalg.norm(b - a)
    outward = np.array([-middle[0], -middle[1], 0.0]) / np.linalg.norm(middle[:2])
    tilt = 0.6
    in_plane = math.cos(tilt) * outward + math.sin(tilt) * np.array([0.0, 0.0, 1.0])
    normal = np.cross(in_plane, along)
    normal *= np.sign(normal[2])
    corner = corners[0] / np.linalg.norm(corners[0])
    y_E = np.cross([0, 0, 1.0], corner)
    x_O = -in_plane  # the corner points back to its legs
    R = np.column_stack([x_O, np.cross(normal, x_O), normal]) @ np.column_stack([corner, y_E, [0, 0, 1.0]]).T
    p = middle + 1.4 * in_plane
    pose = np.concatenate([p, pk.poses.quaternion_from_matrix(R)])
    assert abs(margins(robot, pose[None]).platform[0]) < SINGULAR
    J = robot.jacobian(pose) * robot.motion_type.scale(1 / robot.length)
    free = np.linalg.svd(J)[2][-1] * robot.motion_type.scale(1 / robot.length)
    screw = screw_of(robot, pose, free)
    edge = [p + R @ corners[k] for k in others]
    direction = edge[-1] - edge[0] if np.linalg.norm(edge[-1] - edge[0]) > 0.1 else edge[1] - edge[0]
    direction = direction / np.linalg.norm(direction)
    assert screw.pitch == 0.0
    assert np.linalg.norm(np.cross(screw.direction, direction)) < 1e-6
    assert screw.point is not None
    assert np.linalg.norm(np.cross(screw.point - edge[0], direction)) < 1e-6


def test_a_motion_that_crosses_is_told() -> None:
    robot = robot_named("five_bar")
    t = np.linspace(0.0, 1.0, 60)
    pose = np.column_stack([np.zeros(60), np.linspace(0.36, 0.08, 60)])
    still = np.zeros_like(pose)
    seen = margins_along(robot, Samples(robot.motion_type, t, pose, still, still))
    assert seen.crossed
    assert "it crosses a singularity of type 2" in str(seen)
    assert seen.worst["platform"][0] < 0.05
    short = margins_along(robot, Samples(robot.motion_type, t[:30], pose[:30], still[:30], still[:30]))
    assert not short.crossed


def test_condition_of_joints_vanishes_where_a_parallelogram_is_flat() -> None:
    """Two cranks of one length on a coupler as long as the ground: from flat it can go on in two ways."""
    linkage = parallelogram()
    flat = -float(np.arctan2(1.0, 0.0))
    seen = margins(linkage, np.array([[0.0], [0.999 * flat]]), constraint=True)
    assert seen.constraint[0] > 0.1
    assert seen.constraint[1] < 5e-3


def parallelogram() -> Robot:
    """A four-bar whose opposite bars are equal, its cranks upright at home."""
    four_bar = pk.load("four_bar").graph_description.model_dump(exclude_defaults=True)
    ends = {"crank": (0.0, 0.0, 0.2), "rocker": (0.3, 0.0, 0.2)}
    for joint in four_bar["joints"]:
        places = {
            "crank": (0, 0, 0),
            "rocker": (0.3, 0, 0),
            "crank_coupler": ends["crank"],
            "coupler_rocker": ends["rocker"],
        }
        joint["parent_frame"]["position"] = places[joint["name"]]
        joint.get("freedoms", {}).get("angle", {}).pop("lower", None)
        joint.get("freedoms", {}).get("angle", {}).pop("upper", None)
    from parakin.mechanism import describe_mechanism

    return pk.Robot(describe_mechanism(four_bar, "parallelogram"))


def test_bad_input_is_told() -> None:
    with pytest.raises(DataError, match="locus: axes: must be two coordinates, got x"):
        locus(robot_named("five_bar"), ("x",))


def test_margins_of_more_motors_than_freedoms_are_none_out_of_reach() -> None:
    """Poses that cannot be reached beside others that can, and a motor that holds nothing."""
    tall = np.stack([np.eye(4, 3), np.full((4, 3), np.nan), np.vstack([np.eye(2, 3), np.ones((2, 3))])])
    assert np.allclose(platform_margin(tall)[[0, 2]], [1.0, math.sqrt((3 - math.sqrt(19 / 3)) / 2)])
    assert np.isnan(platform_margin(tall)[1])
    assert np.isnan(platform_margin(np.full((5, 4, 3), np.nan))).all()
    assert platform_margin(np.diag([1.0, 0.0])) == 0.0


@pytest.mark.slow
@pytest.mark.parametrize("name", pk.library())
def test_singularities_of_every_machine_are_searched_for(name: str) -> None:
    """Every search ends, whatever is out of reach on its rays; distances are in order, and poses are numbers."""
    robot = robot_named(name)
    found = nearest_singularities(robot)
    assert [one.distance for one in found] == sorted(one.distance for one in found)
    assert all(np.isfinite(one.pose).all() and one.distance > 0 for one in found)
    if robot.degrees_of_freedom > 1:
        curves = locus(robot, cells=12)
        assert np.isfinite(curves.values).any()
        assert curves.signed == (len(robot.actuator_names) == robot.degrees_of_freedom)


def test_nothing_is_near_to_a_pose_out_of_reach() -> None:
    with pytest.raises(UnreachablePoseError, match=r"leg2 cannot close at pose \[0.9, 0, -0.43\]: 425 mm missing"):
        nearest_singularity(robot_named("delta"), np.array([0.9, 0.0, -0.43]))
    with pytest.raises(LoopClosureError, match="the straight way from home ends before it"):
        nearest_singularity(robot_named("tripod_3rps"), np.array([9.0, 0.0, 0.0]))


def five_bar_with_a_guide(motors: int) -> Robot:
    """A five-bar with a third leg that has no motor, or whose two joints have one each."""
    robot = robot_named("five_bar")
    tables = robot.description.model_dump(exclude_defaults=True)
    (side,) = tables["legs"]
    guide = copy.deepcopy(side) | {"name": "guide", "root": (0.0, 0.05, 0.0), "attachment": {"b": (0.0, 0.0, 0.0)}}
    del guide["symmetry"]
    drive = guide["elements"][0].pop("actuator")
    if motors:  # closed by Newton, from where its elements point at home
        del guide["branch"]
    for element, length, x in zip(guide["elements"], (0.16, 0.19), (0.505, -0.425), strict=True):
        element["length"] = length
        if motors:
            element |= {"actuator": drive, "direction": (x, math.sqrt(1 - x * x), 0.0)}
    return robot.replace(legs=[side, guide])


@pytest.mark.parametrize("motors", [0, 2])
def test_a_leg_ends_the_same_motion_with_any_number_of_motors(motors: int) -> None:
    """It is stretched 0.35 m from its root, straight above home: nothing moves the platform up."""
    found = nearest_singularity(five_bar_with_a_guide(motors), kinds=("type 1",))
    assert found is not None
    assert (found.part, found.distance) == ("guide", pytest.approx(0.04, abs=1e-6))
    assert np.abs(found.velocity) == pytest.approx([0.0, 1.0], abs=ALMOST_STRETCHED)
    assert ("motor" in found.words) == (motors > 0)


@pytest.mark.parametrize("turns", [1, pytest.param(-3, marks=pytest.mark.slow)])
def test_whole_turns_of_a_platform_change_nothing(turns: int) -> None:
    robot = robot_named("delta_shaft")
    away = np.array([0.0, 0.0, 0.0, 2 * np.pi * turns])
    (here,) = nearest_singularities(robot, kinds=("constraint",))
    (there,) = nearest_singularities(robot, robot.home + away, kinds=("constraint",))
    assert there.distance == pytest.approx(here.distance, rel=1e-6)
    assert there.pose - away == pytest.approx(here.pose, abs=1e-6)
