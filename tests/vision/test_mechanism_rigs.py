"""Rigs of mechanisms: bars of their files as rods, against legs, differences, and pictures of them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import parakin as pk
from parakin.errors import UnknownNameError, UnsupportedRobotError, VisionError
from parakin.vision import (
    Appearance,
    Camera,
    Observer,
    Rig,
    estimate,
    find_edges,
    looking_at,
    observe,
    read_rig,
    regions_at,
    render,
    rig_of,
    rod_lines,
    sightings_at,
    visibility,
    write_rig,
)
from parakin.vision.observability.information import Observable
from tests.vision.rigs import camera

SAME = 1e-10
"""Lines of legs in closed form, and of the same robot as a graph that is closed by Newton, relative to 1."""
STEP = 1e-5
"""Step of central differences [m, rad], whose truncation is 1e-9 or so."""


@functools.cache
def tripod() -> Rig:
    """A 3-RPS before a camera beside it, which sees its pistons and two bars that cross its platform."""
    pistons = [{"body": f"piston{k}", "radius": 0.01} for k in (1, 2, 3)]
    ends = (([0.12, 0.0, 0.48], [-0.1, 0.0, 0.48]), ([0.0, 0.1, 0.48], [0.0, -0.1, 0.48]))
    crossing = [
        {"name": f"cross{k}", "radius": 0.012, "ends": [{"body": "platform", "position": end} for end in both]}
        for k, both in enumerate(ends)
    ]
    robot = pk.load("tripod_3rps").replace(bars=[*pistons, *crossing])
    place = np.array([0.7, 0.5, 0.9])
    looking = Camera("beside", (1024, 1024), (900.0, 900.0), place, looking_at(place, [0, 0, 0.35], [0, 1, 0]))
    return rig_of(robot, looking, "*")


def test_bars_of_a_graph_are_the_rods_of_its_legs() -> None:
    """Twin rods of a Delta, in closed form and by Newton; J q_dot of the graph with q_dot = J_qv v."""
    delta = pk.load("delta")
    legs = rig_of(delta, camera(), "*.forearm", radius=0.01, twin=True)
    bodies = [name.replace(".", "_") for name in legs.rod_names]
    graph = delta.graph.replace(bars=[{"body": body, "radius": 0.01} for body in bodies])
    bars = rig_of(graph, camera(), "*")
    poses = delta.sample(4)
    q = delta.inverse_kinematics(poses) - delta.inverse_kinematics(delta.home) + graph.home
    expected, found = rod_lines(legs, poses), rod_lines(bars, q)
    assert (found.status == 0).all()
    back = np.where(np.einsum("prk,prk->pr", expected.x, found.x) < 0, -1.0, 1.0)
    start = np.where(back[..., None] > 0, found.A, found.A + found.d[..., None] * found.x)
    assert np.abs(start - expected.A).max() < SAME
    assert np.abs(back[..., None] * found.x - expected.x).max() < SAME
    assert np.abs(found.d - expected.d).max() < SAME
    rates = np.einsum("prim,pmn->prin", back[..., None, None] * found.J_x, delta.jacobian(poses))
    assert np.abs(rates - expected.J_x).max() < SAME * 10


def test_rates_of_bars_are_derivatives() -> None:
    rig = tripod()
    pose = rig.robot.home + np.array([0.02, -0.01, 0.03])
    lines = rod_lines(rig, pose)
    for k, step in enumerate(STEP * np.eye(3)):
        later, before = rod_lines(rig, pose + step), rod_lines(rig, pose - step)
        assert np.abs((later.A - before.A) / (2 * STEP) - lines.J_A[..., k]).max() < 1e-7
        assert np.abs((later.x - before.x) / (2 * STEP) - lines.J_x[..., k]).max() < 1e-7


def standing() -> Rig:
    """The bars of a tripod's base, which do not move with it."""
    ends = [{"body": "world", "position": [x, 0.0, 0.0]} for x in (0.3, -0.3)]
    robot = pk.load("tripod_3rps").replace(bars=[{"name": "base", "radius": 0.01, "ends": ends}])
    return rig_of(robot, tripod().cameras)


@pytest.mark.parametrize("made", [tripod, standing])
def test_poses_that_are_none_have_no_bars(made: Callable[[], Rig]) -> None:
    """A bar of the base would have numbers everywhere; beyond a stroke, cameras see what is there."""
    rig = made()
    away = np.array([[0.0], [0.2], [5.0], [np.nan]]) * [1.0, 0.0, 0.0]
    lines = rod_lines(rig, rig.robot.home + away)
    assert rig.robot.check(rig.robot.home + away[1]) == pk.Status.OUT_OF_STROKE
    assert (lines.status == pk.Status.GOOD).tolist() == [True, True, False, False]
    for values in (lines.A, lines.x, lines.d, lines.J_A, lines.J_x):
        assert np.isfinite(values[:2]).all()
        assert np.isnan(values[2:]).all()


@pytest.mark.parametrize("observe", ["contours", "directions"])
def test_bars_that_stand_show_no_motion_at_all(observe: Observable) -> None:
    found = visibility(standing(), observe=observe, count=5)
    assert found.rank == 0
    assert found.unseen.count("move (") == found.degrees_of_freedom


def test_a_mechanism_is_found_in_its_picture() -> None:
    """From rendered regions and edges in them, within its own deviations; all three motions are seen."""
    rig = tripod()
    pose = rig.robot.home + np.array([0.02, -0.03, 0.01])
    regions = regions_at(rig, pose, per_rod=2)
    patches = [render(rig, pose, 0, Appearance(noise=2.0), region.window, seed=1) for region in regions]
    found = estimate(rig, find_edges(rig, regions, patches).seen, near=rig.robot.home)
    assert found.status.name == "GOOD"
    deviation = np.sqrt(np.diag(found.covariance))
    assert (np.abs(found.pose - pose) < 4 * deviation).all()
    assert deviation.max() < 3e-4
    assert visibility(rig, count=20).unseen == ""


def test_motions_that_are_not_seen_are_said_by_coordinates() -> None:
    """One piston hides its own travel, and what the others do."""
    rig = rig_of(tripod().robot, tripod().cameras, "piston1")
    found = estimate(rig, sightings_at(rig, rig.robot.home, points=48, deviation=0.04), near=rig.robot.home)
    assert found.status.name == "SINGULAR"
    assert "strut2.travel" in found.words


def test_rig_files_name_bars(tmp_path: Path) -> None:
    rig = tripod()
    assert read_rig(write_rig(tmp_path / "rig.toml", rig), rig.robot).rod_names == rig.rod_names
    with pytest.raises(UnknownNameError, match="no element or bar 'strut'; choose one of piston1"):
        rig_of(rig.robot, rig.cameras, "strut")


def test_what_is_refused() -> None:
    with pytest.raises(VisionError, match=r"tripod_3rps.*bars: must be at least one.*write \[\[bars\]\]"):
        rig_of(pk.load("tripod_3rps"), tripod().cameras, "*")
    with pytest.raises(UnsupportedRobotError, match="an observer needs legs"):
        Observer(tripod())


@pytest.mark.slow
def test_poses_of_a_mechanism_are_found_in_pictures_one_after_the_other() -> None:
    """Rods cross in the picture; from one pose to the next a wrong one, beyond the strokes, fits two edges of three."""
    rig = tripod()
    far = np.array([[-0.0206, 0.0305, -0.0233], [0.0137, 0.0181, 0.0186], [0.0135, -0.0299, -0.0026]])
    pictures = [[render(rig, pose, 0, Appearance(noise=2.0), seed=k)] for k, pose in enumerate(far)]
    found = observe(rig, pictures, far[0])
    assert found.lost == 0
    assert (np.abs(found.pose - far) < 5 * found.deviation).all()
