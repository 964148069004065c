"""Edges in regions: kernels against numpy and scipy, positions against rays, deviations against scatter, refusals."""

from __future__ import annotations

import itertools
from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr

import parakin as pk
from parakin.errors import VisionError
from parakin.kernels import Kernel, Program, stage
from parakin.motions.offsets import displaced
from parakin.vision import (
    Appearance,
    EdgeStatus,
    PictureRegion,
    Rig,
    find_edges,
    offsets_at,
    picture_region,
    regions_at,
    render,
)
from parakin.vision.edges.finding import LARGEST_TURN, turned
from parakin.vision.edges.line import line_kernel
from parakin.vision.edges.profile import ROOT, fit_stages, gaussians, steps
from parakin.vision.edges.regions import Slot
from parakin.vision.edges.search import ACROSS, LINE, search_function
from parakin.vision.edges.shading import light_kernel
from tests.vision.long_rods import direction_bound, direction_errors
from tests.vision.raycast import edge
from tests.vision.rigs import RIGS, bent, camera, quattro

PLAIN = Appearance(noise=2.0)
EDGE_BIAS = 0.01
"""Mean offset of edges here [px]: five deviations of the mean of 48 points of 0.009 px, and 0.003 of models."""

LARGEST_CLAIM = 1.7
"""Error of edges in claimed deviations: 1.5, and what 48 correlated points leave to chance."""
NEAR_BOUND = 1.9
"""Error of a direction in deviations of the bound: 1.5, and a deviation of the rms of ten draws, a quarter of that."""


def looked(rig: Rig, poses: np.ndarray, look: Appearance, **options: float) -> tuple[np.ndarray, np.ndarray, int]:
    """How far points lie inside the true contours [px], their deviations [px], and how many edges were refused."""
    distances, deviations, refused = [], [], 0
    for k, pose in enumerate(poses):
        regions = regions_at(rig, pose)
        patches = [render(rig, pose, 0, look, region.window, seed=100 * k + i) for i, region in enumerate(regions)]
        found = find_edges(rig, regions, patches, **options)  # pyright: ignore[reportArgumentType]
        distances.append(640 * offsets_at(rig, pose, found.seen).distance)
        deviations.append(640 * found.seen.deviation)
        refused += len(found.refused)
    return np.concatenate(distances), np.concatenate(deviations), refused


def _poses(rig: Rig, count: int, seed: int = 1) -> np.ndarray:
    size = np.array([0.04, 0.04, 0.03, 0.1])
    return rig.robot.home + np.random.default_rng(seed).uniform(-1, 1, (count, 4)) * size


STEP_ERROR = 2e-6
"""Error of a blurred step for one of height 1: Mills' ratio is a polynomial that is fitted to 1.8e-6."""


def test_blurred_steps_are_right_to_two_millionths() -> None:
    middle, sigma = ca.SX.sym("middle"), ca.SX.sym("sigma")
    blurred = steps(middle, sigma, 6, 7)
    columns = [
        ca.vertcat(*values) for values in (blurred.Phi, blurred.phi, blurred.F, gaussians(middle, 1 / sigma, 6, 7))
    ]
    function = ca.Function("steps", [middle, sigma], columns)
    for blur in (0.25, 0.7, 4.0):
        for start in np.linspace(-3, 3, 25):
            x = start + np.arange(-6, 8)
            density = np.exp(-0.5 * (x / blur) ** 2) / np.sqrt(2 * np.pi)
            Phi, phi, F, gauss = (np.array(value).ravel() for value in function(start, blur))
            assert np.abs(Phi - ndtr(x / blur)).max() < STEP_ERROR
            assert np.allclose(phi, density, rtol=1e-10, atol=1e-300)
            assert np.allclose(gauss, density * np.sqrt(2 * np.pi), rtol=1e-10, atol=1e-300)
            assert np.abs(F - x * ndtr(x / blur) - blur * density).max() < STEP_ERROR * max(1, blur)


def test_a_blurred_root_is_as_its_formula_says() -> None:
    for z in np.linspace(-2, 8, 21):
        exact = quad(
            lambda w, z=z: 2 * w * w * np.exp(-0.5 * (w * w - z) ** 2) / np.sqrt(2 * np.pi), 0, np.sqrt(z + 9)
        )[0]
        M = z * ndtr(z) + np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
        assert M / np.sqrt(M + ROOT[0] / (1 + ROOT[1] * M * M)) == pytest.approx(exact, abs=0.003)


def _profiles(p: np.ndarray, blur: float, noise: float) -> np.ndarray:
    """Windows of steps from 70 to 190 at positions p, blurred and averaged over pixels by scipy's distribution."""
    i = np.arange(-6, 7)[None] - p[:, None]

    def F(x: np.ndarray) -> np.ndarray:
        return x * ndtr(x / blur) + blur * np.exp(-0.5 * (x / blur) ** 2) / np.sqrt(2 * np.pi)

    rng = np.random.default_rng(2)
    return 70 + 120 * (F(i + 0.5) - F(i - 0.5)) + noise * rng.normal(size=i.shape)


def _profile_kernel(count: int) -> Kernel:
    outputs = [f"{name}_0" for name in ("position", "formal", "noise", "found_blur")]
    return Kernel(Program(*fit_stages(count, 0, shaded=False), outputs=outputs, name="profile"))


def test_profiles_give_positions_with_the_deviations_that_they_say() -> None:
    p = np.random.default_rng(1).uniform(-1, 1, 4000)
    kernel, given = _profile_kernel(5), {"first_0": -6.0, "last_0": 6.0, "start_0": 0.0}
    exact = kernel.evaluate({"window_0": _profiles(p, 0.7, 0.0), "blur_0": 1.2, "pull": [1e-3, 0.0], **given})
    assert np.abs(exact["position_0"] - p).max() < 1e-4
    assert exact["found_blur_0"] == pytest.approx(0.7, abs=1e-3)
    noisy = kernel.evaluate({"window_0": _profiles(p, 0.7, 2.0), "blur_0": 0.7, "pull": [30.0, 0.0], **given})
    error = noisy["position_0"] - p
    assert np.std(error) == pytest.approx(np.mean(noisy["formal_0"] * noisy["noise_0"]), rel=0.05)
    assert abs(error.mean()) < 4 * np.std(error) / np.sqrt(len(p))
    bound = 2 / 120 * np.sqrt(2 * np.sqrt(np.pi) * np.hypot(0.7, 12**-0.5))  # of an edge between known levels
    assert np.std(error) < 1.2 * bound


def test_the_search_takes_the_pair_of_edges_of_the_right_width() -> None:
    line = np.full(LINE, 70.0)
    line[14:32] = 150.0
    line[18:21] = 250.0  # a stripe of light, with steeper edges than the rod
    function = search_function()
    search = Kernel(Program(stage(function), outputs=function.name_out(), name="search"))
    out = search(grey=line, length=48.0, places=[[20.0, 38.0], [6.0, 24.0]], capture=10.0, polarity=0.0)
    assert np.abs(out["centre"] - [13.5, 31.5]).max() <= 1.0
    assert out["sign"].tolist() == [1.0, 1.0]
    dark = search(grey=255 - line, length=48.0, places=[20.0, 38.0], capture=10.0, polarity=0.0)
    assert dark["sign"] == -1.0
    assert np.array_equal(out["window_1"][0], line[int(out["centre"][0, 1]) + np.arange(6, -7, -1)])
    first = int(out["middle"][0]) - ACROSS // 2
    assert np.array_equal(out["across"][0], line[first : first + ACROSS])


def _light_means(rng: np.random.Generator, matt: float, highlight: float) -> dict[str, np.ndarray | float]:
    """Means over 40 scan lines of a rod of 28 px, 190 - matt bright at its contours, with noise of 2 grey levels."""
    x = np.arange(ACROSS) - ACROSS // 2 + 0.2
    s = np.clip(x / 14.0, -1.0, 1.0)
    light = 190.0 - matt * (1 - np.sqrt(1 - s * s)) + highlight * np.exp(-0.5 * ((x - 5.0) / 1.7) ** 2)
    noisy = light + 2.0 / np.sqrt(40) * rng.normal(size=(400, ACROSS))
    given = {"mean": noisy, "square": noisy**2 + 4.0, "count": np.full(ACROSS, 40.0), "x": x}
    return given | {"width": 28.0, "blur": 0.0, "shading": 60.0}


@pytest.mark.parametrize(("matt", "highlight"), [(60.0, 0.0), (0.0, 40.0), (40.0, 40.0)])
def test_light_is_told_from_a_highlight_with_the_deviations_that_it_says(matt: float, highlight: float) -> None:
    given = _light_means(np.random.default_rng(3), matt, highlight) | {"blur": 0.7}
    light = light_kernel().evaluate(given)
    assert abs(light["shade"][:, 0, 0].mean() - matt) < 2.0
    assert abs(light["shade"][:, 0, 2].mean() - highlight) < 2.0
    assert abs(light["level"].mean() - (190.0 - matt)) < 2.0
    error = np.stack([light["level"][:, 0] - 190.0 + matt, light["shade"][:, 0, 0] - matt], axis=-1)
    doubt = light["doubt"][:, [3, 0], [3, 0]]
    assert (np.sqrt(np.mean(error**2 / doubt, axis=0)) < 1.5).all()


BIWEIGHT = 3 * (1 / 0.95 - 1) ** 0.5
"""How far Tukey's lines may be from those of least squares, in deviations: three times what 95 % efficiency leaves."""


def _line_inputs(
    offset: np.ndarray, good: np.ndarray, lens: pk.vision.Camera, bend: float = 1e-3
) -> dict[str, np.ndarray]:
    edges = np.array([20.0, 0.4, bend, 0.0])
    k = np.arange(LINE) - 23.5
    given = {"position": edges @ [k**0, k, k**2, k**3] + offset, "good": good, "formal": np.full(LINE, 0.02)}
    given |= {"noise": np.full(LINE, 2.0), "blur": np.full(LINE, 0.8), "edge": edges, "middle": np.array(23.5)}
    given |= {"origin": np.array([700.0, 300.0]), "rows": np.array(1.0), "focal": np.array(lens.focal)}
    return given | {"centre": np.array(lens.middle), "distortion": np.array(lens.distortion)}


def test_lines_are_those_of_weighted_least_squares_and_pass_outliers() -> None:
    lens, rng, k = bent(camera()), np.random.default_rng(4), np.arange(LINE) - 23.5
    good = (np.abs(k - 5) < 15).astype(float)
    noise = 0.04 * rng.normal(size=LINE)
    plain = line_kernel().evaluate(_line_inputs(0.3 + 0.01 * k + noise, good, lens))
    own = good > 0
    slope, offset = np.polyfit(k[own], (0.3 + 0.01 * k + noise)[own], 1)
    size = 0.04 / np.sqrt(own.sum())
    assert plain["b"] == pytest.approx(slope, abs=BIWEIGHT * size / np.std(k[own]))
    assert plain["a"] == pytest.approx(offset + slope * plain["k_mean"], abs=BIWEIGHT * size)
    wild = np.where(np.arange(LINE) % 4 == 0, 6.0, 0.0)
    robust = line_kernel().evaluate(_line_inputs(0.3 + 0.01 * k + noise + wild, good, lens))
    assert robust["b"] == pytest.approx(slope, abs=2 * size / np.std(k[own]))
    assert robust["lines"] <= own.sum() - 7
    at = plain["k_mean"] + np.array([-1.0, 1.0]) * np.std(k[own])
    u = np.polyval([1e-3, 0.4, 20.0], at) + plain["a"] + plain["b"] * (at - plain["k_mean"])
    expected = lens.normalized(np.stack([700 + u, 300 + 23.5 + at], axis=-1))
    assert np.allclose(plain["m"], expected, atol=2e-4)


def test_two_points_have_the_scatter_that_they_say() -> None:
    lens, rng, k = camera(), np.random.default_rng(5), np.arange(LINE) - 23.5
    out = line_kernel().evaluate(_line_inputs(0.04 * rng.normal(size=(2000, LINE)), np.ones(LINE), lens, bend=0.0))
    exact = line_kernel().evaluate(_line_inputs(np.zeros(LINE), np.ones(LINE), lens, bend=0.0))
    across = np.array([1.0, -0.4]) / np.hypot(0.4, 1)  # of an edge u = 20 + 0.4 k
    error = (out["m"] - exact["m"]) @ across
    assert np.std(error / out["spread"]) == pytest.approx(1.0, abs=0.06)
    assert abs(np.mean(error[:, 0] * error[:, 1])) < 4 / np.sqrt(2000) * np.var(error)
    assert np.mean(out["edge_deviation"]) == pytest.approx(0.04 * np.sqrt(2 / LINE) / np.hypot(0.4, 1), rel=0.05)
    assert k.std() == pytest.approx(np.sqrt((LINE**2 - 1) / 12))


@pytest.mark.parametrize("name", RIGS)
def test_sides_are_those_of_the_contours(name: str) -> None:
    """Side 0 is to the left of the rod's direction in the picture, and both lie where rays begin to miss the rod."""
    rig = RIGS[name]()
    rig = Rig(rig.robot, (bent(rig.cameras[0]),), rig.rods)
    pose, lens = rig.robot.home, rig.cameras[0]
    lines = pk.vision.rod_lines(rig, pose)
    for region in regions_at(rig, pose):
        found = find_edges(rig, region, render(rig, pose, 0, Appearance(), region.window))
        assert not found.refused
        axis = lens.seen(
            lines.A[region.rod] + np.linspace(0.05, 0.99, 400)[:, None] * lines.d[region.rod] * lines.x[region.rod]
        )
        uv = lens.pixels(axis)
        for side, along in itertools.product((0, 1), (0, 1)):
            point = lens.pixels_of(found.seen.m[found.seen.side == side][along])
            nearest = np.nanargmin(np.linalg.norm(uv - point, axis=-1))
            outwards = point - uv[nearest]
            direction = uv[nearest + 1] - uv[nearest]
            left = direction[1] * outwards[0] - direction[0] * outwards[1] > 0  # v goes down
            assert left == (side == 0)
            inside, outside = point - 0.2 * outwards, point + 0.6 * outwards
            assert np.linalg.norm(edge(rig, pose, region.rod, inside, outside) - point) < 0.02


def test_edges_are_unbiased_and_scatter_as_they_say() -> None:
    rig = quattro()
    distance, deviation, refused = looked(rig, _poses(rig, 6), PLAIN)
    assert refused == 0
    assert abs(distance.mean()) < EDGE_BIAS
    assert np.std(distance / deviation) == pytest.approx(1.0, abs=0.3)


def test_a_scan_line_finds_its_edge_to_four_hundredths_of_a_pixel() -> None:
    rig = quattro()
    regions = regions_at(rig, rig.robot.home)
    patches = [render(rig, rig.robot.home, 0, PLAIN, region.window) for region in regions]
    reports = find_edges(rig, regions, patches).reports
    assert max(report.rms for report in reports) < 0.04
    assert min(report.lines for report in reports) > 20


@pytest.mark.parametrize("shift", [9.5, -9.5, 6.3, -6.7])
def test_predictions_may_be_ten_pixels_off(shift: float) -> None:
    rig = quattro()
    distance, refused = [], 0
    for region in regions_at(rig, rig.robot.home):
        wrong = replace(region, edges=region.edges + shift * np.eye(4)[0])
        found = find_edges(rig, wrong, render(rig, rig.robot.home, 0, PLAIN, region.window))
        assert all(abs(report.shift + shift) < 0.1 for report in found.reports)
        refused += len(found.refused)
        distance.append(640 * offsets_at(rig, rig.robot.home, found.seen).distance)
    assert refused == 0
    assert np.abs(np.concatenate(distance)).max() < 0.06


@pytest.mark.parametrize(
    ("look", "limit"),
    [
        (Appearance(noise=2.0, shading=60.0), 0.02),
        (Appearance(noise=2.0, slant=40.0), 0.02),
        (Appearance(noise=2.0, highlight=60.0), 0.02),
        (Appearance(noise=2.0, shading=40.0, highlight=40.0), 0.03),
        (Appearance(noise=2.0, clutter=5.0), 0.05),
    ],
    ids=["matt", "one-sided", "glossy", "matt-and-glossy", "clutter"],
)
def test_shading_is_not_taken_for_a_silhouette(look: Appearance, limit: float) -> None:
    rig = quattro()
    distance, deviation, refused = looked(rig, _poses(rig, 3), look)
    assert refused == 0
    assert abs(distance.mean()) < limit
    assert np.std(distance) < 2 * limit
    assert np.sqrt(np.mean((distance / deviation) ** 2)) < LARGEST_CLAIM


def test_the_direction_of_a_long_rod_is_near_the_bound() -> None:
    """Points of 0.04 px, one a scan line of 580 px, would give 7 urad in the picture and 0.5 mrad in depth."""
    angles = (0.0, 20.0, 45.0, 70.0, 90.0)
    errors = [direction_errors(angle, PLAIN, seed) for angle in angles for seed in (1, 2)]
    bounds = [direction_bound(angle) for angle in angles for _ in range(2)]
    assert bounds[0].picture == pytest.approx(7e-6, rel=0.01)
    for name in ("picture", "depth"):
        ratio = [getattr(error, name) / getattr(bound, name) for error, bound in zip(errors, bounds, strict=True)]
        assert np.sqrt(np.mean(np.square(ratio))) < NEAR_BOUND


def test_what_is_no_edge_of_the_rod_is_refused() -> None:
    rig = quattro()
    (region, *_) = regions_at(rig, rig.robot.home)
    flat = find_edges(rig, region, np.full((region.size, region.size), 70.0))
    assert [report.status for report in flat.reports] == [EdgeStatus.FEW_LINES] * 2
    assert flat.refused[0].reason == "too few scan lines with an edge that agrees"
    assert len(flat.seen) == 0
    step = np.where(np.arange(region.size) < region.size / 2, 70.0, 190.0)
    one = find_edges(rig, region, np.tile(step, (region.size, 1)) if region.rows else np.tile(step, (region.size, 1)).T)
    assert {report.status for report in one.reports} & {EdgeStatus.TURNED, EdgeStatus.WRONG_WIDTH, EdgeStatus.FEW_LINES}
    assert len(one.seen) == 0


def test_rods_that_leave_their_region_keep_their_light() -> None:
    """Rods that are 6 to 8 px from where they are predicted, so that scan lines show one of their edges only."""
    rig = quattro()
    for pose in rig.robot.sample(24, seed=3)[[0, 13]]:
        regions = regions_at(
            rig, displaced(rig.robot.motion_type, pose, np.array([0.003, -0.003, 0.003, 0.01])), per_rod=2
        )
        found = find_edges(rig, regions, [render(rig, pose, 0, PLAIN, region.window) for region in regions])
        assert not found.refused
        assert np.abs(offsets_at(rig, pose, found.seen).distance / found.seen.deviation).max() < 5.0


def test_an_edge_without_its_partner_is_refused() -> None:
    """What hides one contour of a rod may be another rod: nothing says then that the other contour is its own."""
    rig = quattro()
    (region, *_) = regions_at(rig, rig.robot.home)
    patch = render(rig, rig.robot.home, 0, PLAIN, region.window)
    lines = patch if region.rows else patch.T
    lower = (
        region.edges[np.argmin(region.edges[:, 0])] @ (np.arange(region.size) - region.middle) ** np.arange(4)[:, None]
    )
    hidden = np.where(np.arange(region.size) < lower[:, None] + 3, 190, lines)
    found = find_edges(rig, region, hidden if region.rows else hidden.T)
    assert sorted(report.status for report in found.reports) == [EdgeStatus.FEW_LINES, EdgeStatus.LONE]
    assert len(found.seen) == 0


def drawn(region: PictureRegion, turn: float) -> np.ndarray:
    """Picture of a rod as it is predicted, but for its upper edge, which is turned about its middle."""
    lower, upper = region.edges[np.argsort(region.edges[:, 0])]
    k = np.arange(region.size) - region.middle
    edges = [(edge @ [k**0, k, k**2, k**3])[:, None] for edge in (lower, upper + turn * np.eye(4)[1])]
    begins, ends = (ndtr((np.arange(region.size) - edge) / 0.8) for edge in edges)
    lines = 70 + 120 * (begins - ends)
    return lines if region.rows else lines.T


def test_an_edge_whose_partner_is_turned_is_refused() -> None:
    rig = quattro()
    (region, *_) = regions_at(rig, rig.robot.home)
    assert not find_edges(rig, region, drawn(region, 0.0)).refused
    found = find_edges(rig, region, drawn(region, 0.4))
    assert sorted(report.status for report in found.reports) == [EdgeStatus.TURNED, EdgeStatus.LONE]
    assert len(found.seen) == 0


def test_edges_are_turned_by_the_angle_to_their_prediction() -> None:
    largest = np.arctan(LARGEST_TURN)
    expected = np.arctan(np.linspace(-1.4, 1.4, 15))
    for sign in (-1, 1):
        assert turned(np.tan(expected + 1.01 * sign * largest), np.tan(expected)).all()
        assert not turned(np.tan(expected + 0.99 * sign * largest), np.tan(expected)).any()


@pytest.mark.parametrize(
    ("rod", "background"), [(285.0, 105.0), (400.0, 70.0), (70.0, -60.0), (105.0, 285.0), (-60.0, 70.0)]
)
def test_saturated_edges_are_refused(rod: float, background: float) -> None:
    """They are found 0.2 to 0.5 px beside the contour, with a claim of 0.01 px."""
    rig = quattro()
    look = replace(PLAIN, rod=rod, background=background)
    regions = regions_at(rig, rig.robot.home)
    patches = [render(rig, rig.robot.home, 0, look, region.window) for region in regions]
    found = find_edges(rig, regions, patches)
    assert {report.status for report in found.reports} == {EdgeStatus.SATURATED}
    assert "expose less" in found.refused[0].reason
    assert not find_edges(rig, regions, patches, limits=None).refused


@pytest.mark.parametrize(
    "look",
    [replace(PLAIN, rod=250.0, background=105.0), replace(PLAIN, rod=200.0, highlight=100.0)],
    ids=["noise", "highlight"],
)
def test_saturation_that_does_not_reach_the_profile_is_harmless(look: Appearance) -> None:
    """Noise that is clipped now and then, and a highlight well inside the rod: its place is left out of the light."""
    rig = quattro()
    distance, deviation, refused = looked(rig, _poses(rig, 3), look)
    assert refused == 0
    assert abs(distance.mean()) < 2 * EDGE_BIAS
    assert np.sqrt(np.mean((distance / deviation) ** 2)) < LARGEST_CLAIM


def test_the_other_edge_of_a_rod_with_one_saturated_edge_is_found() -> None:
    rig = quattro()
    distance, deviation, refused = looked(rig, _poses(rig, 3), replace(PLAIN, rod=220.0, slant=60.0))
    assert refused == len(distance) / 2  # two points of an edge
    assert abs(distance.mean()) < 2 * EDGE_BIAS
    assert np.sqrt(np.mean((distance / deviation) ** 2)) < LARGEST_CLAIM


def test_rods_whose_light_is_clipped_all_over_are_refused() -> None:
    """Half of these edges have no clipped pixel in their profile, and all of those lie 0.13 px inside."""
    rig = quattro()
    distance, _, refused = looked(rig, _poses(rig, 1), replace(PLAIN, rod=270.0, shading=60.0))
    assert (len(distance), refused) == (0, 8)


@pytest.mark.parametrize("what", ["nan", "inf", "0..1", "16 bits"])
def test_pixels_that_are_no_grey_levels_cost_their_region_only(what: str) -> None:
    rig = quattro()
    regions = regions_at(rig, rig.robot.home)
    patches = [render(rig, rig.robot.home, 0, PLAIN, region.window).astype(float) for region in regions]
    spoiled = patches[1].copy()
    spoiled[10, 10] = float(what) if what in ("nan", "inf") else spoiled[10, 10]
    spoiled *= {"0..1": 1 / 255, "16 bits": 257.0}.get(what, 1.0)
    found = find_edges(rig, regions, [patches[0], spoiled, *patches[2:]])
    assert [report.region for report in found.refused] == [1, 1]
    assert {report.status for report in found.refused} == {EdgeStatus.UNUSABLE}
    assert "give grey levels from 0 to 255" in found.refused[0].reason
    rest = find_edges(rig, [regions[0], *regions[2:]], [patches[0], *patches[2:]])
    assert np.array_equal(found.seen.m, rest.seen.m)


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("polarity", 2, "polarity: must be 1 for brighter rods, -1 for darker ones or 0 for either, got 2"),
        ("polarity", -3, "polarity: must be 1 .* got -3"),
        ("polarity", np.nan, "polarity: must be 1 .* got nan"),
        ("blur", 0.0, r"blur: must be from 0.25 to 4 px: about that of the lens, .* got 0.0"),
        ("blur", -1.0, "blur: .* got -1.0"),
        ("blur", np.nan, "blur: .* got nan"),
        ("blur", "sharp", "blur: .* got 'sharp'"),
        ("capture", -1.0, "capture: must be from 0 to 10 px: .* got -1.0"),
        ("capture", 50.0, "capture: .* got 50.0"),
        ("capture", np.nan, "capture: .* got nan"),
        ("shading", -60.0, "shading: must be finite and >= 0 grey levels: .* got -60.0"),
        ("shading", np.inf, "shading: .* got inf"),
        ("looks", 2.5, "looks: must be 2 or 3, got 2.5"),
        ("looks", 4, "looks: must be 2 or 3, got 4"),
        ("limits", (255, 0), r"limits: must be the darkest and the brightest grey level .* got \(255, 0\)"),
        ("limits", 255, "limits: .* got 255"),
        ("limits", (0, np.nan), "limits: .* got"),
    ],
)
def test_options_must_make_sense(option: str, value: object, message: str) -> None:
    with pytest.raises(VisionError, match=message):
        find_edges(quattro(), [], [], **{option: value})  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"size": 60}, r"regions\[0\].size: must be from 1 to 48 px, got 60"),
        ({"camera": 7}, r"regions\[0\].camera: must be one of the rig's 1, from 0, got 7"),
        ({"edges": np.full((2, 4), np.nan)}, r"regions\[0\].edges: must be finite"),
    ],
)
def test_regions_must_make_sense(changed: dict[str, object], message: str) -> None:
    rig = quattro()
    region = replace(regions_at(rig, rig.robot.home)[0], **changed)
    with pytest.raises(VisionError, match=message):
        find_edges(rig, region, np.zeros((region.size, region.size)))


def test_rods_that_end_inside_a_region_lose_scan_lines_only() -> None:
    """The tip of a rod in the middle of a region: the rest is found, and is said to be known less well."""
    rig = quattro()
    pose = rig.robot.home
    region = picture_region(rig, pose, Slot(0, 0, (0.97, 1.0)))
    assert region is not None
    assert not region.clear
    found = find_edges(rig, region, render(rig, pose, 0, PLAIN, region.window))
    distance = 640 * offsets_at(rig, pose, found.seen).distance
    assert len(found.seen) == 4
    assert np.abs(distance).max() < 0.2
    assert np.abs(distance / (640 * found.seen.deviation)).max() < 3.0


def test_patches_must_fit_their_regions() -> None:
    rig = quattro()
    regions = regions_at(rig, rig.robot.home)
    with pytest.raises(VisionError, match="patches: must be one for each of 4 regions, got 1"):
        find_edges(rig, regions, [np.zeros((48, 48))])
    with pytest.raises(VisionError, match=r"patches\[0\]: must be \(48, 48\) like its region, got \(5, 5\)"):
        find_edges(rig, regions[0], np.zeros((5, 5)))
    with pytest.raises(VisionError, match=r"patches\[0\]: must be grey levels, got complex128"):
        find_edges(rig, regions[0], np.zeros((48, 48), complex))
    assert len(find_edges(rig, [], []).seen) == 0
