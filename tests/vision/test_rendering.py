"""Rendered pictures against rays that are cast one by one, and against integrals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import parakin as pk
from parakin.errors import VisionError
from parakin.vision import Appearance, Rig, Rod, render, rig_of, rod_lines
from parakin.vision.pictures.appearance import clutter, noise
from parakin.vision.pictures.rendering import exposed
from parakin.vision.pictures.silhouettes import half_plane_share
from parakin.vision.rigs.rig import rods_of
from tests.vision.raycast import edge, raycast
from tests.vision.rigs import bent, camera, quattro

RMS = 0.5
"""Grey levels of 120: nine rays a pixel's side leave stairs of 0.25 to 0.4; 27 rays leave 0.02 away from ends."""
LARGEST = 5.0
"""Grey levels of 120: the same in a pixel's worst case, 4.2 where blur is 0.3 px."""
MIDDLE, TIP = (700, 280, 40, 40), (535, 425, 40, 40)
"""Windows of the Quattro's picture at home: across a rod, and around its tip."""


def _arms(robot: pk.Robot) -> list[Rod]:
    arms = [k for k, name in enumerate(robot.element_names) if name.endswith(".arm")]
    return [rod for k in arms for rod in rods_of(robot, k, 0.02)]


def _upwards() -> Rig:
    """Legs of a Gough-Stewart, two of which cross before this camera, and begin behind it."""
    robot = pk.load("gough_stewart")
    look = pk.vision.looking_at([0.9, 0.1, 0.3], [0, 0, 0.45], [0, 1, 0])
    return rig_of(robot, camera().placed([0.9, 0.1, 0.3], look), "*", radius=0.012)


@pytest.mark.parametrize("window", [MIDDLE, TIP], ids=["middle", "tip"])
@pytest.mark.parametrize(
    "look", [Appearance(blur=0.3), Appearance(shading=80, slant=30, highlight=30)], ids=["sharp", "shaded"]
)
def test_pictures_are_what_rays_see(window: tuple[int, int, int, int], look: Appearance) -> None:
    rig = Rig(quattro().robot, (bent(camera()),), quattro().rods)
    difference = exposed(rig, rig.robot.home, 0, look, window) - raycast(rig, rig.robot.home, look, window)
    assert np.std(difference) < RMS
    assert np.abs(difference).max() < LARGEST


def test_the_nearer_rod_hides_the_other() -> None:
    """Legs that cross: where rays see the nearer one, so do pictures, and where their edges meet."""
    rig, look = _upwards(), Appearance(rod=200.0, slant=40.0)
    lines = rod_lines(rig, rig.robot.home)
    uv = rig.cameras[0].pixels(
        rig.cameras[0].seen(
            lines.A[:, None] + np.linspace(0, 1, 400)[:, None] * lines.d[:, None, None] * lines.x[:, None]
        )
    )
    gap = np.linalg.norm(uv[:, None, :, None] - uv[None, :, None], axis=-1)
    gap = np.where(np.eye(6, dtype=bool)[:, :, None, None] | ~np.isfinite(gap), np.inf, gap)
    shown = rig.cameras[0].shows(uv)
    gap = np.where(shown[:, None, :, None], gap, np.inf)
    first, _, place, _ = np.unravel_index(np.argmin(gap), gap.shape)
    assert gap.min() < 3.0
    u, v = uv[first, place].astype(int)
    window = (u - 20, v - 20, 40, 40)
    difference = exposed(rig, rig.robot.home, 0, look, window) - raycast(rig, rig.robot.home, look, window)
    assert np.std(difference) < RMS
    alone = Rig(rig.robot, rig.cameras, (rig.rods[first],))
    assert (
        np.abs(exposed(alone, rig.robot.home, 0, look, window) - exposed(rig, rig.robot.home, 0, look, window)).max()
        > 20
    )


def test_arms_are_drawn_as_other_parts() -> None:
    robot = pk.load("delta")
    rig = rig_of(robot, camera().placed([0, 0, 0.6], camera().R_OK), "*.forearm", radius=0.008)
    look, window = Appearance(), (690, 480, 60, 60)
    ours = exposed(rig, robot.home, 0, look, window, others=_arms(robot))
    witness = raycast(rig, robot.home, look, window, others=_arms(robot))
    assert np.std(ours - witness) < RMS
    assert (np.abs(ours - look.other) < 0.5).mean() > 0.1


def test_contours_are_where_rays_begin_to_miss() -> None:
    """Half of the light is lost where the ray-cast silhouette ends, also behind a lens that bends."""
    rig = Rig(quattro().robot, (bent(camera()),), quattro().rods)
    pose = rig.robot.home
    axis = rod_lines(rig, pose)
    inside = rig.cameras[0].pixels(rig.cameras[0].seen(axis.A[0] + 0.8 * axis.d[0] * axis.x[0]))
    found = edge(rig, pose, 0, inside, inside + np.array([40.0, 0.0]))
    column, row = np.floor(found).astype(int)
    look = Appearance(blur=0.7)
    light = exposed(rig, pose, 0, look, (int(column) - 1, int(row), 4, 2))
    u, v = found - [column - 1, row]
    across = [np.interp(u, np.arange(4.0), light[k]) for k in (0, 1)]
    half = (look.rod + look.background) / 2
    assert (1 - v) * across[0] + v * across[1] == pytest.approx(half, abs=0.02 * 120)  # linear between pixels


@pytest.mark.parametrize("angle", [0.0, 0.3, 0.7])
@pytest.mark.parametrize("blur", [0.0, 0.4, 1.5])
def test_the_share_of_a_half_plane_is_its_integral(angle: float, blur: float) -> None:
    from scipy.special import ndtr

    normal = np.array([np.cos(angle), np.sin(angle)])
    steps = (np.arange(801) + 0.5) / 801 - 0.5
    over = steps[:, None] * normal[0] + steps[None] * normal[1]
    for d in (-1.3, -0.2, 0.0, 0.45, 2.0):
        exact = np.mean(ndtr((d + over) / blur)) if blur else np.mean(d + over > 0)
        assert half_plane_share(np.array(d), normal, blur) == pytest.approx(exact, abs=4e-3 if not blur else 2e-4)


def test_a_region_is_that_part_of_the_picture() -> None:
    look = Appearance(noise=2.0, clutter=10.0)
    rig = quattro()
    large = render(rig, rig.robot.home, appearance=look, region=(560, 380, 150, 90), seed=5)
    small = render(rig, rig.robot.home, appearance=look, region=(600, 400, 48, 48), seed=5)
    assert np.array_equal(large[20:68, 40:88], small)
    assert not np.array_equal(small, render(rig, rig.robot.home, appearance=look, region=(600, 400, 48, 48), seed=6))


def test_noise_and_clutter_have_the_sizes_that_are_asked() -> None:
    v, u = np.indices((400, 400), dtype=float)
    grain = noise(u, v, 3)
    assert grain.std() == pytest.approx(1.0, abs=4 / np.sqrt(2 * grain.size))
    assert abs(grain.mean()) < 4 / np.sqrt(grain.size)
    assert abs(np.mean(grain[1:] * grain[:-1])) < 4 / np.sqrt(grain.size)
    assert clutter(u, v, 3).std() == pytest.approx(1.0, abs=0.1)
    rig = quattro()
    flat = render(rig, rig.robot.home, appearance=Appearance(noise=2.0), region=(0, 480, 48, 48)).astype(float)
    assert flat.std() == pytest.approx(np.hypot(2.0, 12**-0.5), abs=0.12)


def test_motion_blurs_as_the_mean_over_the_exposure() -> None:
    rig, look = quattro(), Appearance()
    poses = rig.robot.home + np.array([[0.0], [0.01]]) * [1, 0, 0, 0]
    apart = [exposed(rig, pose, 0, look, MIDDLE) for pose in poses]
    together = exposed(rig, poses, 0, look, MIDDLE, weights=[1.0, 3.0])
    assert np.allclose(together, 0.25 * apart[0] + 0.75 * apart[1], atol=1e-12)


def test_pictures_that_cannot_be_taken_are_refused() -> None:
    rig = quattro()
    with pytest.raises(VisionError, match="region: must be column, row and sizes of at least 1 px"):
        render(rig, rig.robot.home, region=(0, 0, 0, 5))
    with pytest.raises(VisionError, match="weights: must be one for each of 1 poses"):
        render(rig, rig.robot.home, region=MIDDLE, weights=[1.0, 2.0])
    with pytest.raises(VisionError, match="pose: must be one that the robot can have"):
        render(rig, rig.robot.home + np.array([3.0, 0, 0, 0]), region=MIDDLE)
    with pytest.raises(VisionError, match="blur: must be from 0 to 255"):
        replace(Appearance(), blur=-1.0)
