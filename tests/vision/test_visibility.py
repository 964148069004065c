"""What can be seen at all: motions that hide, singular surfaces, ranks against finite motions of the robots."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

import parakin as pk
from parakin.errors import UnknownNameError, VisionError
from parakin.motions.offsets import displaced, offset_between
from parakin.vision import Rig, offsets_at, rig_of, rod_lines, sightings_at, views_at, visibility
from tests.vision.regions import delta_from_the_side
from tests.vision.rigs import camera, delta, gough_stewart, quattro

STEP = 1e-4
"""Way along a lost motion [m], over which what is observed changes by its square alone."""


def test_directions_do_not_show_how_a_hexaglide_moves_along_its_rails() -> None:
    robot = pk.load("hexaglide")
    rig = rig_of(robot, camera(), "*.bar", radius=0.01)
    directions = visibility(rig, observe="directions", count=100)
    assert (directions.rank, directions.unseen) == (5, "move along x")
    assert np.isinf(directions.views.condition).all()
    moved = displaced(robot.motion_type, robot.home, np.array([0.05, 0, 0, 0, 0, 0]))
    assert rod_lines(rig, moved).x == pytest.approx(rod_lines(rig, robot.home).x, abs=1e-14)  # the witness: 50 mm
    contours = visibility(rig, count=100)
    assert (contours.rank, contours.unseen) == (6, "")
    assert contours.worst.margin > 0.1


def test_nothing_shows_how_the_shaft_of_a_delta_turns() -> None:
    """A round shaft that turns looks the same, from any side."""
    robot = pk.load("delta_shaft")
    rig = rig_of(robot, camera(), "*", radius=0.01)
    assert visibility(rig, observe="directions", count=100).unseen == "turn about z"
    found = visibility(rig, count=100)
    assert (found.rank, found.unseen) == (3, "turn about z")
    turned = displaced(robot.motion_type, robot.home, np.array([0, 0, 0, 0.4]))
    before, after = rod_lines(rig, robot.home), rod_lines(rig, turned)
    assert after.x == pytest.approx(before.x, abs=1e-14)
    assert pytest.approx(before.A, abs=1e-14) == after.A


@pytest.mark.slow
def test_three_legs_of_a_gough_stewart_have_singularities_inside_the_box() -> None:
    """18 of 20 choices among 2000 drawn poses; the other two in corners of the box, which descents find."""
    rig = gough_stewart()
    robot = rig.robot
    by_samples: list[tuple[str, ...]] = []
    for legs in itertools.combinations(rig.rod_names, 3):
        found = visibility(rig, observe="directions", rods=legs)
        assert found.views.signed
        margins = found.views.margin[np.isfinite(found.views.margin)]
        if margins.min() < 0 < margins.max():
            by_samples.append(legs)
        assert found.singular is not None
        away = offset_between(robot.motion_type, robot.home, found.singular.pose)
        assert (away >= robot.box[0] - 1e-12).all()
        assert (away <= robot.box[1] + 1e-12).all()
        assert abs(found.singular.margin) < 1e-7
        _changes_by_squares(rig, legs, found.singular.pose, found.singular.motion)
    missing = set(itertools.combinations(rig.rod_names, 3)) - set(by_samples)
    assert missing == {
        ("right1.strut", "right2.strut", "right3.strut"),
        ("left1.strut", "left2.strut", "left3.strut"),
    }


def _changes_by_squares(rig: Rig, legs: tuple[str, ...], pose: np.ndarray, motion: np.ndarray) -> None:
    """Directions of legs of the robot that is really moved along the lost motion change by squares of the way."""
    chosen = [rig.rod_names.index(name) for name in legs]
    changes = []
    for size in (STEP, 2 * STEP):
        ends = [rod_lines(rig, displaced(rig.robot.motion_type, pose, s * size * motion)).x[chosen] for s in (1, -1)]
        changes.append(np.abs(ends[0] - ends[1]).max() / (2 * size))
    usual = np.abs(rod_lines(rig, pose).J_x[chosen]).max()
    assert max(changes) < 1e-5 * usual  # odd part: none of the first order is left


def test_three_legs_lose_a_motion_between_poses_of_both_signs() -> None:
    rig = gough_stewart()
    legs = ("right1.strut", "left1.strut", "left2.strut")
    found = visibility(rig, observe="directions", rods=legs, count=200)
    assert found.singular is not None
    assert found.singular.words.startswith("turn about the axis through [")
    _changes_by_squares(rig, legs, found.singular.pose, found.singular.motion)


def test_signs_do_not_depend_on_the_bases_across_directions() -> None:
    """On a fine way through the box the determinant is continuous: its sign changes only where it is small."""
    rig = gough_stewart()
    legs = ("right1.strut", "left1.strut", "left2.strut")
    ends = np.array([-0.9 * rig.robot.box[1], 0.9 * rig.robot.box[1]])
    ways = np.linspace(0, 1, 400)[:, None]
    offsets = ends[0] + ways * (ends[1] - ends[0])
    margin = views_at(
        rig, displaced(rig.robot.motion_type, rig.robot.home, offsets), observe="directions", rods=legs
    ).margin
    jumps = np.abs(np.diff(margin))
    assert jumps.max() < 0.02


@pytest.mark.parametrize("rig", [quattro(), gough_stewart(), delta_from_the_side()], ids=lambda rig: rig.robot.name)
def test_contour_rows_have_the_rank_of_what_sightings_show(rig: Rig) -> None:
    """Singular directions of offsets of sightings, by slopes of another kernel, agree: the weakest motion is weak."""
    pose = rig.robot.sample(1, seed=4)[0]
    views = views_at(rig, pose)
    slopes = offsets_at(rig, pose, sightings_at(rig, pose, points=2)).by_pose
    scaled = slopes / np.array(rig.robot.motion_type.scale(rig.robot.length))
    assert views.rank == np.linalg.matrix_rank(scaled) == rig.robot.degrees_of_freedom
    sizes = np.linalg.svd(scaled, compute_uv=False)
    assert np.linalg.norm(scaled @ views.weakest) < 2.5 * sizes[-1]


def test_from_the_axis_of_a_delta_heights_are_seen_least() -> None:
    above, beside = delta(), delta_from_the_side()
    home = above.robot.home
    seen = [views_at(rig, home) for rig in (above, beside)]
    assert np.abs(seen[0].weakest) == pytest.approx([0, 0, 1], abs=0.02)
    assert seen[0].condition > 5 * seen[1].condition


def test_all_motions_are_named_where_several_are_lost() -> None:
    worst = visibility(quattro(), observe="directions", rods=["first1.*"], count=20).worst
    assert worst.margin == 0.0
    assert " and " in worst.words
    assert worst.words.count("turn about") + worst.words.count("move along") >= 2


def test_poses_out_of_reach_are_nan_and_shapes_are_kept() -> None:
    rig = quattro()
    poses = np.array([[rig.robot.home, [9.0, 0, 0, 0]]] * 3)
    for observe in ("contours", "directions"):
        views = views_at(rig, poses, observe=observe)
        assert views.condition.shape == (3, 2)
        assert np.isnan(views.condition[:, 1]).all()
        assert np.isnan(views.margin[:, 1]).all()
        assert views.rank.tolist() == [[4, -1]] * 3


def test_a_camera_inside_a_rod_sees_nothing_of_it() -> None:
    rig = quattro()
    lines = rod_lines(rig, rig.robot.home)
    inside = replace(rig, cameras=(camera().placed(lines.A[0] + 0.1 * lines.x[0], camera().R_OK),))
    assert views_at(inside, rig.robot.home, rods=["first1.*"]).rank == 0
    assert views_at(inside, rig.robot.home).rank == 4


def test_what_does_not_exist_is_refused() -> None:
    rig = quattro()
    with pytest.raises(UnknownNameError, match=r"no rod 'leg9'"):
        views_at(rig, rig.robot.home, rods=["leg9"])
    box = {"lower": (-2.0, -2.0, -2.0, -0.7), "upper": (2.0, 2.0, 2.0, 0.7)}
    lost = rig.robot.replace(workspace={**rig.robot.description.workspace.model_dump(), **box})
    with pytest.raises(VisionError, match="box: must have poses that can be reached"):
        visibility(replace(rig, robot=lost), count=5)
