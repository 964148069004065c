"""The live page in a real browser: numbers as Python's, handles and sliders that work, nothing asked of anybody."""

from __future__ import annotations

import math
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, Playwright

import parakin as pk
from parakin.simulation import simulate
from parakin.tables import write_table
from parakin.viewer import page_data as page_data_module
from tests.viewer.browser import NO_GL, chromium, file_address, opened, pixels, settled, until

ROBOTS = ("delta", "gough_stewart", "h4", "tripod_3rps")
"""A Delta, a hexapod, a nacelle and a mechanism."""
SHOWN = {"m": (1000.0, 2), "rad": (180 / math.pi, 2), "N": (1.0, 2), "N m": (1.0, 3)}
"""Unit -> factor and digits with which the page shows numbers."""


class Pages(dict[str, Path]):
    """Pages of library robots by name, each written when it is first asked for."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __missing__(self, name: str) -> Path:
        self[name] = pk.view(pk.load(name)).save(self.place / f"{name}.html")
        return self[name]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Pages:
    return Pages(tmp_path_factory.mktemp("pages"))


def numbers(page: Page, prefix: str, count: int) -> list[str]:
    return [page.inner_text(f"#{prefix}-{k}").split()[0].rstrip("°") for k in range(count)]


def go(page: Page, pose: np.ndarray) -> None:
    page.evaluate("pose => parakin.go(pose, true)", pose.tolist())
    settled(page)


def rounded_alike(texts: list[str], values: np.ndarray, units: tuple[str, ...]) -> bool:
    """Whether numbers on the page are Python's to the last digit shown; a half may round either way."""
    pairs = zip(texts, values, units, strict=True)
    return all(
        abs(float(text) - value * SHOWN[unit][0]) <= 0.5000001 * 10 ** -SHOWN[unit][1] for text, value, unit in pairs
    )


@pytest.mark.parametrize("name", ROBOTS)
def test_numbers_are_those_of_python(browser: Browser, pages: Pages, name: str) -> None:
    robot = pk.load(name)
    still = np.zeros(robot.degrees_of_freedom)
    units = tuple("m" if unit == "N" else "rad" for unit in robot.actuator_units)
    with opened(browser, file_address(pages[name])) as page:
        for pose in [np.asarray(robot.home), *robot.sample(3, seed=5)]:
            go(page, pose)
            q = robot.evaluate("inverse_kinematics", pose=pose)["q"]
            assert rounded_alike(numbers(page, "q", len(q)), q, units)
            tau = robot.inverse_dynamics(pose, still, still)
            assert rounded_alike(numbers(page, "force", len(q)), tau, robot.actuator_units)
            if not robot.coordinates.of_joints:
                assert page.inner_text("#condition") == f"{float(robot.condition(pose)):#.4g}"


@pytest.mark.parametrize("name", ROBOTS)
def test_the_picture_is_not_blank_and_changes(browser: Browser, pages: Pages, name: str) -> None:
    robot = pk.load(name)
    with opened(browser, file_address(pages[name])) as page:
        before = pixels(page)
        colours = page.evaluate(
            "() => { const c = document.createElement('canvas'); c.width = 64; c.height = 64;"
            "const g = c.getContext('2d'); g.drawImage(document.getElementById('scene'), 0, 0, 64, 64);"
            "return new Set(new Uint32Array(g.getImageData(0, 0, 64, 64).data.buffer)).size; }"
        )
        assert colours > 50
        go(page, robot.sample(1, seed=2)[0])
        assert pixels(page) != before


def test_a_slider_moves_the_robot(browser: Browser, pages: Pages) -> None:
    with opened(browser, file_address(pages["delta"])) as page:
        before = numbers(page, "q", 3)
        page.locator("#pose-0").focus()
        for _ in range(40):
            page.keyboard.press("ArrowRight")
        settled(page)
        assert numbers(page, "q", 3) != before
        assert float(page.input_value("#pose-0-number")) > 5
        page.click("#home")
        settled(page)
        assert numbers(page, "q", 3) == before


def test_a_number_is_taken_exactly(browser: Browser, pages: Pages) -> None:
    with opened(browser, file_address(pages["delta"])) as page:
        page.fill("#pose-1-number", "31.25")
        page.keyboard.press("Enter")
        settled(page)
        assert page.input_value("#python") == "pose = [0.0, 0.03125, -0.43]"


def test_a_motor_slider_runs_forward_kinematics(browser: Browser, pages: Pages) -> None:
    robot = pk.load("gough_stewart")
    with opened(browser, file_address(pages["gough_stewart"])) as page:
        q = np.asarray(page.evaluate("Array.from(parakin.place.q)"))
        q[2] += 0.01
        page.evaluate("q => parakin.drive(2, q)", q[2])
        settled(page)
        pose = np.asarray(page.evaluate("parakin.place.pose"))
        assert np.abs(pose - robot.forward_kinematics(q)).max() < 1e-12


def test_dragging_the_platform_moves_it(browser: Browser, pages: Pages) -> None:
    for name in ("delta", "tripod_3rps"):
        with opened(browser, file_address(pages[name])) as page:
            before = np.asarray(page.evaluate("parakin.place.pose"))
            x, y = page.evaluate(
                "() => { const p = parakin, c = p.stage.canvas;"
                "const [x, y] = p.stage.camera.seen(p.picture.outputOrigin());"
                "return [(x + 1) / 2 * c.clientWidth, (1 - y) / 2 * c.clientHeight]; }"
            )
            page.mouse.move(x + 2, y + 2)
            page.mouse.down()
            page.mouse.move(x + 6, y - 16, steps=4)
            page.mouse.up()
            settled(page)
            after = np.asarray(page.evaluate("parakin.place.pose"))
            assert np.abs(after - before).max() > 1e-4
            assert page.evaluate("parakin.place.status") == 0


def test_the_platform_is_held_where_it_is_and_not_beside_it(browser: Browser, pages: Pages) -> None:
    """Seen: a Delta's plate could be taken hold of from 0.6 m away, and the picture not be turned there."""
    with opened(browser, file_address(pages["delta"])) as page:
        through = (
            "away => { const { stage, parts, picture } = parakin;"
            "const [x, y] = stage.camera.seen(picture.outputOrigin().map((v, k) => v + parts.upright(away)[k]));"
            "return parakin.handleUnder(stage.camera.ray(x, y))?.kind; }"
        )
        page.evaluate("() => { parakin.handles.under = () => null; }")  # arrows and rings away
        assert page.evaluate(through, [0.02, 0.0, 0.0]) == "carry"
        for away in ([0.15, 0.0, 0.0], [0.0, -0.15, 0.0], [0.0, 0.0, -0.12]):
            assert page.evaluate(through, away) is None


def test_out_of_reach_is_said_and_the_last_good_pose_stays(browser: Browser, pages: Pages) -> None:
    robot = pk.load("delta")
    pose = np.array([0.9, 0.0, -0.43])
    excess = robot.evaluate("inverse_kinematics", pose=pose).excess
    worst = int(np.argmax(excess))
    with opened(browser, file_address(pages["delta"])) as page:
        go(page, pose)
        assert (
            page.inner_text("#message")
            == f"{robot.legs[worst].name} cannot close: {1000 * excess[worst]:.1f} mm are missing"
        )
        assert page.inner_text("#status") == "out of reach"
        assert page.get_attribute("#message", "data-state") == "bad"
        assert page.evaluate("parakin.good.pose") == robot.home.tolist()
        assert page.inner_text("#q-0") == "–"


def test_beyond_a_stroke_is_said(browser: Browser, pages: Pages) -> None:
    robot = pk.load("gough_stewart")
    pose = np.add(robot.home, [0, 0, 0.4, 0, 0, 0, 0])
    q = robot.evaluate("inverse_kinematics", pose=pose)["q"]
    worst = int(np.argmax(robot.strokes.excess(q)))
    with opened(browser, file_address(pages["gough_stewart"])) as page:
        go(page, pose)
        text = f"{robot.strokes.names[worst]} is {1000 * robot.strokes.excess(q)[worst]:.2f} mm beyond its stroke"
        assert page.inner_text("#message") == text
        assert page.inner_text("#q-0") != "–"


def test_legs_bend_the_other_way(browser: Browser, pages: Pages) -> None:
    robot = pk.load("delta")
    branches = np.array([-leg.branch if k == 1 else leg.branch for k, leg in enumerate(robot.legs) if leg.branch])
    with opened(browser, file_address(pages["delta"])) as page:
        page.click("#branch-1")
        settled(page)
        q = robot.kernel("inverse_kinematics", free=("branches",))(pose=robot.home, branches=branches)["q"]
        assert np.allclose(page.evaluate("Array.from(parakin.place.q)"), q, rtol=0, atol=1e-13)


def test_payload_adds_its_weight(browser: Browser, pages: Pages) -> None:
    robot = pk.load("delta")
    tool = robot.description.platform.tool
    assert tool is not None
    with opened(browser, file_address(pages["delta"])) as page:
        page.evaluate("() => { parakin.mass = 0.7; parakin.refresh(); }")
        settled(page)
        carrying = robot.with_payload(0.7, tool.position)
        tau = carrying.inverse_dynamics(robot.home, np.zeros(3), np.zeros(3))
        assert rounded_alike(numbers(page, "force", 3), tau, robot.actuator_units)


def test_a_log_plays(browser: Browser, tmp_path: Path) -> None:
    robot = pk.load("five_bar")
    law = pk.control.law("computed_torque", robot, 1e-3)
    log = simulate(robot, law, pk.control.reference(robot, pk.trajectory.motion("lift", robot), 1e-3))
    page_file = pk.view(robot, log=log).save(tmp_path / "log.html")
    with opened(browser, file_address(page_file)) as page:
        middle = float(log.t[len(log) // 2])
        page.evaluate("t => parakin.player.seek(t)", middle)
        settled(page)
        pose = np.asarray(page.evaluate("parakin.place.pose"))
        row = int(np.searchsorted(log.t, middle))
        assert np.abs(pose - log["pose"][row]).max() < 1e-4
        assert page.evaluate("parakin.recording.has('desired')")
        page.click("#play")
        until(page, f"parakin.player.time !== {middle!r}")
        assert page.inner_text("#play") == "❚❚ pause"


def test_forces_of_a_motion_are_those_of_python(browser: Browser, tmp_path: Path) -> None:
    robot = pk.load("delta")
    motion = pk.trajectory.motion("pick_and_place", robot)
    page_file = pk.view(robot, motion=motion).save(tmp_path / "motion.html")
    with opened(browser, file_address(page_file)) as page:
        row = 123
        t, *curves = page.evaluate(
            "k => [parakin.recording.t[k], ...parakin.player.curves.map((c) => c.values[k])]", row
        )
        state = motion.at(t)
        tau = robot.inverse_dynamics(state.pose, state.velocity, state.acceleration)
        assert np.allclose(curves, tau, rtol=0, atol=1e-4 * np.abs(tau).max())  # states have 32 bits in the page


def test_hostile_titles_and_names_are_text(browser: Browser, tmp_path: Path) -> None:
    evil = "</script><img src=x onerror=alert(1)>{data}"
    robot = pk.load("five_bar").replace(title=evil)
    with opened(browser, file_address(pk.view(robot).save(tmp_path / "evil.html"))) as page:
        assert page.inner_text("h1") == evil
        assert page.title() == evil
        assert page.locator("img").count() == 0
    log = write_table(
        tmp_path / "<img src=x>.csv", ["t [s]", "pose.x [m]", "pose.y [m]"], np.array([[0, 0, 0.36], [1, 0, 0.37]])
    )
    with opened(browser, file_address(pk.view(robot, log=log).save(tmp_path / "log.html"))) as page:
        assert page.inner_text("#panel .hint").startswith("<img src=x>.csv: 1.00 s")
        assert page.locator("img").count() == 0


def test_without_webgl_there_is_still_a_picture(playwright: Playwright, pages: Pages) -> None:
    with chromium(playwright, NO_GL) as browser, opened(browser, file_address(pages["delta"])) as page:
        assert page.evaluate("parakin.stage.renderer.constructor.name") == "CanvasRenderer"
        before = pixels(page)
        go(page, pk.load("delta").sample(1, seed=3)[0])
        assert pixels(page) != before


def test_a_page_reads_well_on_a_phone(browser: Browser, pages: Pages) -> None:
    with opened(browser, file_address(pages["delta"]), size=(390, 780)) as page:
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert page.locator("#pose-0").is_visible()


LARGEST_PAGE = 150_000
"""Bytes of a page without data that the issue on the live page allows."""


@pytest.mark.parametrize("name", ROBOTS)
def test_pages_are_small(pages: Pages, name: str) -> None:
    assert pages[name].stat().st_size < LARGEST_PAGE


@pytest.mark.slow
@pytest.mark.parametrize("name", pk.library())
def test_every_page_is_small(name: str) -> None:
    assert len(pk.view(pk.load(name)).html.encode()) < LARGEST_PAGE


def test_only_the_nearest_of_many_assembly_modes_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    robot = pk.load("five_bar")
    monkeypatch.setattr(page_data_module, "MOST_MODES", 1)
    modes, note = page_data_module._modes(robot)
    (mode,) = cast("list[dict[str, list[float]]]", modes)
    assert np.allclose(mode["pose"], robot.home, atol=1e-9)
    assert note == "2 poses have the motor positions of home; the 1 nearest to it are listed."
