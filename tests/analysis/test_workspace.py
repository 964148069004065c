"""Workspaces against closed forms: annuli of a five-bar, cylinders of a Kossel and of an Orthoglide."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from parakin.analysis import Demands, Reason, inscribed, judge_of, locus, unreached_limits, workspace
from parakin.analysis.workspaces import fitting
from parakin.errors import DataError, UnknownNameError
from parakin.kinematics.status import SMALLEST_LEG_PIVOT
from parakin.robot import Robot
from tests.robots import robot_named

EVERYWHERE = Demands(one_aspect=False)
ORDER = 1.7
"""Least order of convergence that is seen: 2 but for where boundaries meet at an angle."""
LATTICES, ORDER_SCATTER = 24, 0.3
"""Places of a lattice, and by how much orders of their errors together may differ from 2: each scatters by a quarter,
so that the ratio of two means of 24 is known to some 7 %, 0.1 in its logarithm; three times that."""
COSINE = math.sqrt(1 - SMALLEST_LEG_PIVOT**2)
"""Of the angle between bars at which a leg counts as singular: the workspace ends there, not at the last micrometre."""


def without_strokes(name: str) -> Robot:
    """The robot with drives that move as far as they like."""
    robot = robot_named(name)
    tables: dict[str, Any] = robot.description.model_dump(exclude_defaults=True)
    for leg in tables["legs"]:
        for element in leg["elements"]:
            for key in ("lower", "upper"):
                element.get("actuator", {}).pop(key, None)
    return robot.replace(legs=tables["legs"])


def lens(radius: float, apart: float) -> float:
    """The area that two equal discs have in common."""
    half = apart / 2
    return 2 * (radius**2 * math.acos(half / radius) - half * math.sqrt(radius**2 - half**2))


def three_discs(radius: float, away: float) -> float:
    """The area that three equal discs have in common, their centres `away` from the middle, a third of a turn apart."""
    corner = math.sqrt(radius**2 - 0.75 * away**2) - away / 2
    chord = corner * math.sqrt(3)
    segment = radius**2 * math.asin(chord / (2 * radius)) - chord / 4 * math.sqrt(4 * radius**2 - chord**2)
    return math.sqrt(3) / 4 * chord**2 + 3 * segment


def order(errors: list[float]) -> float:
    """The order of convergence from the second level to the last, each of half the size."""
    return math.log2(errors[1] / errors[-1]) / (len(errors) - 2)


def test_area_of_a_five_bar_is_that_of_two_annuli() -> None:
    """arms 0.25, forearms 0.32, motors 0.2 apart: what lies between 0.07 and 0.57 from both."""
    outer = math.sqrt(0.25**2 + 0.32**2 + 2 * 0.25 * 0.32 * COSINE)
    inner = math.sqrt(0.25**2 + 0.32**2 - 2 * 0.25 * 0.32 * COSINE)
    exact = lens(outer, 0.2) - 2 * math.pi * inner**2
    found = workspace(without_strokes("five_bar"), demands=EVERYWHERE)
    errors = [abs(level.volume - exact) for level in found.levels]
    assert errors[-1] < 2e-5 * exact
    assert errors[-1] < found.error("all")
    assert order(errors) > ORDER
    assert found.bracket[0] < exact < found.bracket[1]


def test_section_of_a_kossel_is_three_discs() -> None:
    """Rods of 0.2135 m from towers at 0.1245 m to joints at 0.02 m."""
    exact = three_discs(0.2135 * COSINE, 0.1045)
    found = workspace(without_strokes("kossel"), ("x", "y"), demands=EVERYWHERE, levels=4)
    errors = [abs(level.volume - exact) for level in found.levels]
    assert errors[-1] < min(1e-4 * exact, found.error("all"))
    assert order(errors) > ORDER


@pytest.mark.slow
def test_a_kossel_converges_with_order_two_wherever_its_corners_lie_in_cells() -> None:
    """One lattice scatters by a quarter with the places of three corners in their cells; many together do not."""
    robot, exact = without_strokes("kossel"), three_discs(0.2135 * COSINE, 0.1045)
    lower, upper = np.array([-0.116, -0.13]), np.array([0.149, 0.13])
    errors: list[list[float]] = []
    for shift in np.random.default_rng(0).uniform(-0.003, 0.003, (LATTICES, 2)):
        ends = zip("xy", (lower + shift).tolist(), (upper + shift).tolist(), strict=True)
        bounds = {name: (low, high) for name, low, high in ends}
        found = workspace(robot, ("x", "y"), demands=EVERYWHERE, levels=5, bounds=bounds)
        errors.append([level.volume - exact for level in found.levels])
    together = np.sqrt(np.mean(np.square(errors), axis=0))
    orders = np.log2(together[1:-1] / together[2:])
    assert np.abs(orders - 2).max() < ORDER_SCATTER


@pytest.mark.slow
def test_volume_of_a_kossel_is_what_three_strokes_leave_of_three_cylinders() -> None:
    """Over (x, y) carriages are h_i = sqrt(l^2 - d_i^2) above the platform: strokes leave 0.4 - (max h - min h)."""
    length, step = 0.2135, 2.5e-4
    line = np.arange(-0.15, 0.15, step) + step / 2
    x, y = np.meshgrid(line, line)
    angles = 2 * np.pi * np.arange(3)[:, None, None] / 3
    squared = length**2 - (x - 0.1045 * np.cos(angles)) ** 2 - (y - 0.1045 * np.sin(angles)) ** 2
    heights = np.sqrt(np.maximum(squared, 0))
    room = np.maximum(0, 0.4 - (heights.max(axis=0) - heights.min(axis=0)))
    exact = float(np.sum(room * (squared > 0).all(axis=0))) * step**2
    found = workspace(robot_named("kossel"), demands=EVERYWHERE, levels=2)
    assert found.volume("all") == pytest.approx(exact, rel=2e-3)
    assert found.clipped == ()


def test_volume_of_an_orthoglide_is_steinmetz_solid() -> None:
    """Forearms of one length from three orthogonal rails: three cylinders have 8 (2 - sqrt 2) r^3 in common."""
    robot = without_strokes("orthoglide")
    exact = 8 * (2 - math.sqrt(2)) * (0.31 * COSINE) ** 3
    found = workspace(robot, demands=EVERYWHERE, levels=2)
    errors = [abs(level.volume - exact) for level in found.levels]
    assert errors[-1] < min(5e-3 * exact, found.error("all"))
    assert order(errors) > ORDER


def test_every_point_of_a_grid_agrees_with_refinement() -> None:
    robot = robot_named("five_bar")
    fine, full = workspace(robot, levels=3), workspace(robot, levels=3, grid=True)
    assert full.lattice.judged.all()
    assert not fine.lattice.judged.all()
    np.testing.assert_array_equal(fine.lattice.codes, full.lattice.codes)
    assert fine.volume() == full.volume()
    assert fine.levels[-1].evaluations < full.levels[-1].evaluations


@pytest.mark.parametrize("name", ["five_bar", "delta", "planar_3rrr"])
def test_codes_say_what_check_says(name: str) -> None:
    robot = robot_named(name)
    judge = judge_of(robot, EVERYWHERE)
    rng = np.random.default_rng(3)
    poses = robot.home + rng.uniform(-2, 2, (3000, len(robot.home))) * np.subtract(*robot.box[::-1])
    reasons = np.array([int(cause.reason) for cause in judge.causes])[judge(poses)]
    np.testing.assert_array_equal(reasons, robot.check(poses))
    assert len(np.unique(reasons)) >= 3
    _names_are_right(robot, judge.causes, judge(poses), poses)


def _names_are_right(robot: Robot, causes: tuple[Any, ...], codes: Any, poses: Any) -> None:
    """A stroke that is named as broken is broken, and at that end; a leg that is named does not close."""
    out = robot.evaluate("inverse_kinematics", pose=poses)
    for code in np.unique(codes):
        cause, rows = causes[code], codes == code
        if cause.reason is Reason.OUT_OF_STROKE:
            k = robot.actuator_names.index(cause.name)
            q = out["q"][rows, k]
            beyond = q < robot.strokes.lower[k] if cause.side == "below" else q > robot.strokes.upper[k]
            assert beyond.all()
        if cause.reason is Reason.UNREACHABLE:
            names = [leg.name for leg in robot.legs]
            assert (out.excess[rows, names.index(cause.name)] > 0).all()


def test_an_aspect_ends_at_a_singularity() -> None:
    robot = robot_named("five_bar")
    judge = judge_of(robot)
    poses = workspace(robot, levels=2).region.poses(np.random.default_rng(0).uniform(-0.3, 0.5, (4000, 2)))
    codes = judge(poses)
    reasons = np.array([int(cause.reason) for cause in judge.causes])[codes]
    J = robot.evaluate("jacobian", pose=poses)["J_qv"]
    signs = np.sign(np.linalg.det(np.nan_to_num(J)))
    home = np.sign(np.linalg.det(robot.jacobian(robot.home)))
    assert (signs[reasons == Reason.GOOD] == home).all()
    assert (signs[reasons == Reason.BEYOND_SINGULARITY] == -home).all()
    assert (reasons == Reason.BEYOND_SINGULARITY).any()


def test_only_the_part_that_holds_home_is_counted_for_home() -> None:
    found = workspace(robot_named("five_bar"), levels=4)
    assert found.volume("all") - found.volume() == pytest.approx(0.0034, abs=2e-4)
    assert found.home_part[tuple(np.rint((found.region.origin - found.lattice.lower) / found.lattice.step).astype(int))]


def test_orientations_shrink_or_widen() -> None:
    robot = robot_named("planar_3rrr")
    angles = {"phi": (-0.4, 0.0, 0.4)}
    one = workspace(robot, levels=2, bounds={"x": (-0.3, 0.3), "y": (-0.3, 0.3)})
    every, some = (
        workspace(robot, orientations=angles, need=need, levels=2, bounds={"x": (-0.3, 0.3), "y": (-0.3, 0.3)})
        for need in ("all", "any")
    )
    assert (every.lattice.inside <= one.lattice.inside).all()
    assert (one.lattice.inside <= some.lattice.inside).all()
    assert every.volume("all") < one.volume("all") < some.volume("all")


def test_shapes_inside_touch_the_boundary_and_do_not_cross_it() -> None:
    robot = robot_named("five_bar")
    found = workspace(robot, levels=4)
    judge = judge_of(robot)
    for shape in ("box", "sphere"):
        fitted = inscribed(robot, found, shape)
        rng = np.random.default_rng(1)
        unit = rng.uniform(-1, 1, (4000, 2))
        if shape == "sphere":
            unit = unit[np.linalg.norm(unit, axis=1) <= 1]
        assert (judge(found.region.poses(fitted.centre + fitted.half * unit)) == 0).all()
        away = found.boundary - fitted.centre
        size = (
            np.abs(away / fitted.half).max(axis=1) if shape == "box" else np.linalg.norm(away, axis=1) / fitted.half[0]
        )
        assert 0.99 < size.min() < 1.03


def test_condition_limit_is_kept() -> None:
    robot = robot_named("five_bar")
    wide, narrow = (workspace(robot, levels=3, demands=Demands(condition=limit)) for limit in (20.0, 2.0))
    assert narrow.volume() < wide.volume()
    inside = narrow.lattice.at(np.argwhere(narrow.lattice.inside & narrow.lattice.judged))
    assert robot.condition(inside).max() <= 2.0


def test_a_mechanism_ends_where_its_loop_opens() -> None:
    """A four-bar's crank against its limits alone: what is inside is within them."""
    linkage = robot_named("four_bar")
    found = workspace(linkage, levels=3)
    assert found.unit == "rad"
    assert found.volume() > 0.5
    edges = np.sort(found.boundary[:, 0])
    judge = judge_of(linkage)
    for edge in edges:
        assert (judge(np.array([[edge - 1e-3], [edge + 1e-3]])) == 0).sum() == 1


def test_limits_that_nothing_comes_to_are_found() -> None:
    """A four-bar's rocker turns back where crank and coupler are in line, 0.2 m and 0.4 m from the crank's pivot."""
    assert unreached_limits(robot_named("five_bar")) == ()
    found = unreached_limits(robot_named("four_bar"))
    assert [(one.name, one.end, one.limit) for one in found] == [
        ("rocker.angle", "lower", -1.2),
        ("rocker.angle", "upper", 1.2),
    ]
    for one, away in zip(found, (0.4, 0.2), strict=True):
        turned_back = math.pi / 2 - math.acos((0.3**2 + 0.26**2 - away**2) / (2 * 0.3 * 0.26))
        assert one.nearest == pytest.approx(turned_back, abs=1e-4)


def test_bad_input_is_told() -> None:
    robot = robot_named("five_bar")
    with pytest.raises(UnknownNameError, match="no coordinate 'z'"):
        workspace(robot, at={"z": 1.0})
    with pytest.raises(
        DataError, match=r"workspace: bounds\.x: the lower must be below the upper, both finite, got 1 and 0"
    ):
        workspace(robot, bounds={"x": (1.0, 0.0)})
    with pytest.raises(DataError, match="levels: must be 0 to"):
        workspace(robot, levels=20)
    with pytest.raises(DataError, match="a cylinder needs three axes, and here 2 vary"):
        inscribed(robot, workspace(robot, levels=1), "cylinder")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"axes": ("x", "x")}, "x is named twice"),
        ({"axes": ("x", "phi"), "at": {"x": 0.1}}, "x cannot both vary and be held"),
        ({"at": {"phi": 0.1}, "orientations": {"phi": [0.2]}}, "it is held at 0.1 too"),
        ({"orientations": {"x": [0.1]}}, "it is a length and no angle"),
        ({"orientations": {"phi": []}}, "must have at least one angle"),
        ({"orientations": {"phi": [0.1, math.inf]}}, "phi: must be finite, got 0.1, inf"),
        ({"orientations": {"phi": [0.0] * 10_001}}, "10,001 combinations, at most 10,000 are looked at"),
        ({"at": {"x": 0.0, "y": 0.0}}, "every coordinate that varies by itself is held: name what varies, such as phi"),
        ({"bounds": {"x": (-math.inf, 0.1)}}, "bounds.x: the lower must be below the upper, both finite"),
        ({"bounds": {"x": (0.1, math.nan)}}, "bounds.x: the lower must be below the upper, both finite"),
        ({"bounds": {"phi": (0.1, 0.2)}}, "bounds.phi: it does not vary here"),
        ({"demands": Demands(clearance=0.01)}, "no two parts of planar_3rrr have a `radius`"),
    ],
)
def test_what_cannot_be_looked_for_is_refused(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(DataError, match=re.escape(said)):
        workspace(robot_named("planar_3rrr"), **asked)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"bounds": {"x": (0.1, -0.1)}}, "bounds.x: the lower must be below the upper, both finite, got 0.1 and -0.1"),
        ({"bounds": {"y": (math.nan, 0.1)}}, "bounds.y: the lower must be below the upper"),
        ({"cells": 0}, "cells: must be 1 to 2048, got 0"),
    ],
)
def test_curves_that_cannot_be_looked_for_are_refused(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(DataError, match=re.escape(said)):
        locus(robot_named("five_bar"), **asked)


def test_demands_that_mean_nothing_are_refused() -> None:
    for wrong in (math.nan, 0.5, -1.0):
        with pytest.raises(DataError, match="condition: must be 1 or above, got"):
            Demands(condition=wrong)
    for wrong in (math.nan, math.inf, -1.0):
        with pytest.raises(DataError, match="clearance: must be 0 m or above, got"):
            Demands(clearance=wrong)


def test_shapes_of_many_axes_and_of_two_units() -> None:
    """A ball of four axes of half extent r holds pi^2 r^4 / 2; a round section needs one unit."""
    assert fitting._volume("sphere", np.full(4, 0.5)) == pytest.approx(math.pi**2 / 2 * 0.5**4)
    assert fitting._volume("sphere", np.full(3, 0.5)) == pytest.approx(math.pi / 6)
    robot = robot_named("planar_3rrr")
    found = workspace(robot, ("x", "phi", "y"), levels=0)
    with pytest.raises(DataError, match="x and phi have two units: use box, or name the axes in another order"):
        inscribed(robot, found, "cylinder")
