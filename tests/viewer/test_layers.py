"""Layers as data: places, faces and lines of results, what is packed into a page, and refusals."""

from __future__ import annotations

import math
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_rgb

import parakin as pk
from parakin.analysis.scale import Scale
from parakin.analysis.workspaces.boundary import boundary_of
from parakin.analysis.workspaces.lattice import Lattice, coarse
from parakin.analysis.workspaces.surveying import Survey
from parakin.arrays import Array
from parakin.errors import DataError, FileError
from parakin.viewer.dual_mesh import DualMesh, dual_mesh, ends_of
from parakin.viewer.layer_data import CIVIDIS, layer_data, ticks_of
from parakin.viewer.layer_places import places_of
from parakin.viewer.packing import packed_floats, packed_integers
from parakin.viewer.placing import frames_at, scene_of
from tests.viewer.test_modules import evaluated

SAGITTA = 3 / 8
"""How far points within one cell of a unit ball's boundary are from their mean along its normal, at most, in squares of
the cell's size: half of the square of half a cell's diagonal."""
COLOURS = 0.035
"""Largest difference of red, green or blue, from 0 to 1, between a mixed colour and Matplotlib's: nobody sees it."""


def ball(middle: Array, cells: int, lower: float = -1.5, upper: float = 1.5) -> tuple[Lattice, Array]:
    """A ball of radius 1 about a point as a lattice, and its boundary; code 1 left of the middle, 2 right of it."""

    def judge(points: Array) -> np.ndarray:
        away = points - middle
        return np.where(np.linalg.norm(away, axis=1) < 1, 0, np.where(away[:, 0] < 0, 1, 2)).astype(np.int16)

    d = len(middle)
    survey = Survey(judge)
    lattice = coarse(survey, "ball", np.full(d, lower), np.full(d, upper), (cells,) * d)
    return lattice, boundary_of(survey, "boundary", lattice).points


def volume(mesh: DualMesh) -> float:
    """The volume within faces, by the divergence theorem: positive if they are seen from outside anticlockwise."""
    a, b, c, e = (mesh.points[mesh.faces[:, k]] for k in range(4))
    return float(sum(np.sum(p * np.cross(q, r)) for p, q, r in ((a, b, c), (a, c, e))) / 6)


def closed(mesh: DualMesh) -> bool:
    """Whether every side of a face is a side of another one, the other way round."""
    sides = np.concatenate([mesh.faces[:, [k, (k + 1) % 4]] for k in range(4)]).tolist()
    return sorted(sides) == sorted([b, a] for a, b in sides)


def test_the_surface_of_a_ball_is_closed_and_looks_outwards() -> None:
    middle = np.array([0.03, -0.02, 0.01])
    lattice, boundary = ball(middle, 32)
    mesh = dual_mesh(lattice, lattice.inside, boundary)
    assert closed(mesh)
    assert volume(mesh) == pytest.approx(4 * math.pi / 3, rel=3 * SAGITTA * lattice.step[0] ** 2)
    away = mesh.points - middle
    assert np.abs(np.linalg.norm(away, axis=1) - 1).max() < SAGITTA * lattice.step[0] ** 2
    clear = np.abs(away[:, 0]) > lattice.step[0]
    assert np.array_equal(mesh.codes[clear], np.where(away[clear, 0] < 0, 1, 2))


def test_a_ball_that_is_cut_off_is_closed_where_the_lattice_ends() -> None:
    lattice, boundary = ball(np.zeros(3), 32, lower=-1.5, upper=0.5)
    mesh = dual_mesh(lattice, lattice.inside, boundary)
    assert closed(mesh)
    assert mesh.points.max() <= 0.5
    on_face = np.isclose(mesh.points, 0.5).any(axis=1)
    assert on_face.any()
    assert (mesh.codes[~on_face] > 0).all()
    assert (mesh.codes == -1).any()


def test_a_disc_has_its_area_and_its_outline() -> None:
    middle = np.array([0.03, -0.02])
    lattice, boundary = ball(middle, 64)
    mesh = dual_mesh(lattice, lattice.inside, boundary)
    corners = mesh.points[mesh.faces]
    x, y = corners[..., 0], corners[..., 1]
    area = 0.5 * np.sum(x * np.roll(y, -1, axis=1) - y * np.roll(x, -1, axis=1))
    assert area == pytest.approx(math.pi, rel=2 * SAGITTA * lattice.step[0] ** 2)
    ends = mesh.points[mesh.lines]
    assert np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).sum() == pytest.approx(
        2 * math.pi, rel=2 * SAGITTA * lattice.step[0] ** 2
    )
    assert (mesh.codes[mesh.lines] > 0).all()


def test_a_finer_lattice_is_thinned() -> None:
    lattice, boundary = ball(np.zeros(2), 256)
    mesh = dual_mesh(lattice, lattice.inside, boundary)
    assert len(mesh.lines) < 4 * 128
    assert (
        np.abs(np.linalg.norm(mesh.points[np.unique(mesh.lines)], axis=1) - 1).max()
        < SAGITTA * (2 * lattice.step[0]) ** 2
    )


def test_points_of_the_boundary_lie_between_inside_and_what_ends_it() -> None:
    lattice, boundary = ball(np.array([0.1, 0.0, -0.05]), 16)
    ends = ends_of(lattice, boundary)
    assert lattice.inside[tuple(ends.inside.T)].all()
    assert set(ends.codes.tolist()) == {1, 2}


def test_numbers_are_unpacked_as_they_were() -> None:
    rng = np.random.default_rng(3)
    integers, floats = rng.integers(-(2**20), 2**20, (50, 3)), rng.normal(size=40).astype(np.float32)
    names = 'import { floatsOf, integersOf } from "./packed_numbers.js";'
    got = evaluated(names, f'Array.from(await integersOf("{packed_integers(integers)}", 3))')
    assert got == integers.ravel().tolist()
    assert evaluated(names, f'Array.from(await floatsOf("{packed_floats(floats)}"))') == floats.tolist()
    assert evaluated(names, f'Array.from(await integersOf("{packed_integers(np.zeros((0, 2)))}", 2))') == []


@pytest.mark.parametrize(
    ("scale", "ticks"),
    [
        (Scale(0.3676, 0.677, False), [0.4, 0.45, 0.5, 0.55, 0.6, 0.65]),
        (Scale(-3.0, 11.0, False), [-2.0, 0.0, 2.0, 4.0, 6.0, 8.0, 10.0]),
        (Scale(2.0, 2.0, False), [2.0]),
        (Scale(0.003, 0.2, True), [0.005, 0.01, 0.02, 0.05, 0.1, 0.2]),
        (Scale(5e-4, 0.99, True), [1e-3, 1e-2, 1e-1]),
    ],
)
def test_scales_have_round_numbers(scale: Scale, ticks: list[float]) -> None:
    assert ticks_of(scale) == pytest.approx(ticks)


def test_colours_are_those_of_the_figures() -> None:
    places = np.linspace(0, 1, 200)
    steps = np.array([to_rgb(colour) for colour in CIVIDIS])
    mixed = np.stack([np.interp(places, np.linspace(0, 1, len(steps)), steps[:, k]) for k in range(3)], axis=1)
    assert np.abs(mixed - mpl.colormaps["cividis"](places)[:, :3]).max() < COLOURS


def test_a_map_has_its_poses_as_points_and_holes_without_values() -> None:
    robot = pk.load("delta")
    result = pk.analysis.performance_map(robot, ["dexterity", "force"], pk.analysis.Slice({"z": -0.5}, grid=15))
    first, second = pk.viewer.layers_of(robot, result)
    assert np.array_equal(first.points, result.poses.reshape(-1, 3))
    good = result.values["dexterity"].good.ravel()
    assert not good.all()
    assert set(np.unique(first.faces).tolist()) <= set(np.flatnonzero(good).tolist())
    corners = good.reshape(15, 15)
    around = sum(part.astype(int) for part in (corners[:-1, :-1], corners[1:, :-1], corners[:-1, 1:], corners[1:, 1:]))
    assert len(first.faces) == np.sum(around >= 3)
    assert (first.shown, second.shown) == (True, False)
    assert first.group == second.group != ""
    assert [first.words[code] for code in first.codes[~good]] == ["beyond a stroke"] * int(np.sum(~good))
    assert first.grid is not None
    assert [(span.name, span.count) for span in first.grid.spans] == [("x", 15), ("y", 15)]
    assert first.grid.held[0].ends[0] == pytest.approx(-0.5 - robot.home[2])


def test_a_line_of_poses_is_a_line() -> None:
    robot = pk.load("five_bar")
    result = pk.analysis.performance_map(robot, ["condition"], pk.analysis.Slice(axes=("x",), grid=9))
    (layer,) = pk.viewer.layers_of(robot, result)
    assert layer.lines.tolist() == [[k, k + 1] for k in range(8)]
    assert not len(layer.faces)


def test_a_fine_map_is_thinned_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from parakin.viewer import map_layers

    monkeypatch.setattr(map_layers, "MOST_ALONG", 11)
    robot = pk.load("five_bar")
    result = pk.analysis.performance_map(robot, ["condition"], pk.analysis.Slice(grid=31))
    (layer,) = pk.viewer.layers_of(robot, result)
    assert len(layer.points) == 11 * 11
    assert layer.note.endswith("one pose in 3 along each axis")
    assert np.array_equal(layer.points[:, :2], result.poses[::3, ::3].reshape(-1, 2))


@pytest.mark.slow
def test_a_mechanism_is_shown_where_its_output_is() -> None:
    robot = pk.load("tricept")
    result = pk.analysis.performance_map(robot, ["dexterity"], pk.analysis.Slice(grid=5))
    (layer,) = pk.viewer.layers_of(robot, result)
    frames, _ = frames_at(robot, result.poses.reshape(25, -1))
    output = scene_of(robot).output
    carrier = frames[:, output.frame]
    assert np.allclose(layer.points, carrier[:, :, :3] @ output.p + carrier[:, :, 3], rtol=0, atol=1e-9)
    assert np.ptp(layer.points[:, 2]) > 0.01  # the slice is a part of a sphere, no plane


def test_a_workspace_is_as_large_as_it_is_said_to_be() -> None:
    robot = pk.load("five_bar")
    found = pk.analysis.workspace(robot, levels=3)
    home, others = pk.viewer.layers_of(robot, found)
    areas = []
    for layer in (home, others):
        x, y = layer.points[layer.faces][..., 0], layer.points[layer.faces][..., 1]
        areas.append(abs(0.5 * np.sum(x * np.roll(y, -1, axis=1) - y * np.roll(x, -1, axis=1))))
    assert areas[0] == pytest.approx(found.volume(), rel=0.01)
    assert sum(areas) == pytest.approx(found.volume("all"), rel=0.01)
    assert (home.shown, others.shown) == (True, False)
    assert "beyond a stroke: side1.arm at its lower end" in {tint.words for tint in home.tints}
    assert len(home.tint_of) == len(home.words) == len(found.causes) + 1


def test_many_causes_are_taken_together_until_a_legend_is_short() -> None:
    robot = pk.load("gough_stewart")
    found = pk.analysis.workspace(robot, ("x", "z"), levels=3)
    (layer, *_) = pk.viewer.layers_of(robot, found)
    assert {tint.words for tint in layer.tints} >= {"reachable"}
    assert len(layer.tints) <= 9
    assert layer.note == "gough_stewart over x, z, at y = 0 m, rx = 0 rad, ry = 0 rad, rz = 0 rad"


def test_singular_curves_are_those_of_the_locus() -> None:
    robot = pk.load("five_bar")
    found = pk.analysis.locus(robot, cells=32)
    (layer,) = pk.viewer.layers_of(robot, found)
    ends = layer.points[layer.lines]
    lengths = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).sum()
    drawn = np.concatenate([found.type_2, found.type_1])
    assert lengths == pytest.approx(np.linalg.norm(drawn[:, 1] - drawn[:, 0], axis=1).sum(), rel=1e-6)
    assert {tint.words.split(":")[0] for tint in layer.tints} == {"type 1", "type 2"}


def test_what_has_no_place_in_space_is_refused() -> None:
    hexapod = pk.load("gough_stewart")
    turned = pk.analysis.performance_map(hexapod, ["dexterity"], pk.analysis.Slice(axes=("x", "rz"), grid=3))
    with pytest.raises(DataError, match=r"x, rz: the output of gough_stewart .* vary positions, such as x, y"):
        pk.view(hexapod, layers=[turned])
    four = pk.analysis.workspace(pk.load("quattro"), ("x", "y", "z", "theta"), levels=0)
    with pytest.raises(DataError, match="4 coordinates vary, a page shows one to three"):
        pk.viewer.layers_of(pk.load("quattro"), four)


@pytest.mark.slow
def test_coordinates_of_joints_that_only_turn_the_output_are_refused() -> None:
    eye = pk.load("agile_eye")
    with pytest.raises(DataError, match=r"agile_eye does not move .* look at its figure"):
        pk.viewer.layers_of(eye, pk.analysis.workspace(eye, levels=0))


def test_results_of_another_robot_are_refused(tmp_path: Path) -> None:
    found = pk.analysis.performance_map(pk.load("delta"), ["condition"], pk.analysis.Slice(grid=3))
    with pytest.raises(DataError, match="this is a result of delta, and the page shows h4"):
        pk.view(pk.load("h4"), layers=[found])
    np.savez(tmp_path / "map.npz", allow_pickle=False, **found.to_arrays())
    with pytest.raises(FileError, match="is a result of delta, not of h4"):
        pk.view(pk.load("h4"), layers=[tmp_path / "map.npz"])
    with pytest.raises(DataError, match="this is a result of another delta than the page shows"):
        pk.view(pk.load("delta").replace(gravity=(0.0, 0.0, -1.62)), layers=[found])


def test_a_slice_nobody_can_be_at_says_so() -> None:
    robot = pk.load("delta")
    result = pk.analysis.performance_map(robot, ["condition"], pk.analysis.Slice({"z": -5.0}, grid=3))
    (layer,) = pk.viewer.layers_of(robot, result)
    assert layer.shades is not None
    assert layer.shades.scale is None
    assert np.isnan(layer.bounds[0]).all()
    data = layer_data(layer)
    assert data["scale"] is None
    assert all(math.isfinite(value) for value in data["low"])  # type: ignore[attr-defined]


def test_a_page_that_listens_has_layers_too() -> None:
    robot = pk.load("five_bar")
    result = pk.analysis.performance_map(robot, ["condition"], pk.analysis.Slice(grid=3))
    with pk.view(robot, live=True, browser=False, layers=[result]) as live:
        assert '"layers":[{"title":"condition number"' in live.html


def test_places_are_those_of_the_platform() -> None:
    robot = pk.load("planar_3rrr")
    assert np.allclose(places_of(robot, robot.home), [*robot.home[:2], 0.0])


def test_infinite_values_are_told_from_none() -> None:
    """A weight in the hand of a robot that moves in a horizontal plane costs no force: its payload is infinite."""
    robot = pk.load("planar_3rrr")
    result = pk.analysis.performance_map(robot, ["payload", "force"], pk.analysis.Slice(grid=3, span=0.1))
    payload, force = (layer_data(layer) for layer in pk.viewer.layers_of(robot, result))
    assert (payload["scale"], payload["infinite"]) == (None, True)
    assert (force["scale"] is None, force["infinite"]) == (False, False)
