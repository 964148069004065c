"""Layers in a real browser: values as the map has them, switches, legends, and names that stay text."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, Playwright

import parakin as pk
from parakin.analysis import PerformanceMap, Slice
from tests.viewer.browser import NO_GL, chromium, file_address, opened, pixels, settled

GRID = 13
"""Poses along each axis of the maps of these tests."""
DIGITS = 4
"""Digits of a value in the page."""


@pytest.fixture(scope="module")
def mapped() -> PerformanceMap:
    return pk.analysis.performance_map(pk.load("delta"), ["dexterity", "force"], Slice({"z": -0.5}, grid=GRID))


@pytest.fixture(scope="module")
def delta_page(tmp_path_factory: pytest.TempPathFactory, mapped: PerformanceMap) -> Path:
    return pk.view(pk.load("delta"), layers=[mapped]).save(tmp_path_factory.mktemp("layers") / "delta.html")


def go(page: Page, pose: np.ndarray) -> None:
    page.evaluate("pose => parakin.go(pose, true)", pose.tolist())
    settled(page)


def is_shown(text: str, value: float) -> bool:
    """Whether a text begins with a value to the last digit shown; a half may round either way."""
    last = 10.0 ** (math.floor(math.log10(abs(value))) + 1 - DIGITS)
    return abs(float(text.split(maxsplit=1)[0]) - value) <= 0.501 * last


def test_the_platform_reads_the_value_of_its_cell(browser: Browser, delta_page: Path, mapped: PerformanceMap) -> None:
    rows, columns = (7, 2, 10), (5, 6, 11)
    half = 0.4 * (mapped.axes[0].values[1] - mapped.axes[0].values[0])
    with opened(browser, file_address(delta_page)) as page:
        for row, column in zip(rows, columns, strict=True):
            go(page, mapped.poses[row, column] + np.array([half, -half, 0.0]))
            for k, quantity in enumerate(mapped.quantities):
                found = mapped.values[quantity.name]
                assert found.good[row, column]
                text = page.inner_text(f"#layer-{k}-here")
                assert is_shown(text, found.values[row, column])
                assert text.endswith(found.unit) or found.unit == "1"


def test_the_platform_hears_why_there_is_no_value(browser: Browser, delta_page: Path, mapped: PerformanceMap) -> None:
    row, column = np.argwhere(~mapped.values["dexterity"].good)[0]
    with opened(browser, file_address(delta_page)) as page:
        assert page.inner_text("#layer-0-here").endswith("(away from this slice: z by 70.0 mm)")
        go(page, mapped.poses[row, column])
        assert page.inner_text("#layer-0-here") == "no value: beyond a stroke"
        go(page, mapped.poses[6, 6] + np.array([0.4, 0.0, 0.0]))
        assert page.inner_text("#layer-0-here") == "beyond the map"


def pixel_of(page: Page, place: np.ndarray) -> tuple[float, float]:
    """Where a point of the base frame is on the screen."""
    x, y = page.evaluate(
        "p => { const { stage, parts } = parakin, c = stage.canvas;"
        "const [x, y] = stage.camera.seen(parts.upright(p));"
        "return [(x + 1) / 2 * c.clientWidth, (1 - y) / 2 * c.clientHeight]; }",
        place.tolist(),
    )
    return x, y


def test_the_pointer_reads_the_value_under_it(browser: Browser, delta_page: Path, mapped: PerformanceMap) -> None:
    row, column = 5, 1
    with opened(browser, file_address(delta_page)) as page:
        assert page.locator("#reading").is_hidden()
        page.mouse.move(*pixel_of(page, mapped.poses[row, column]))
        settled(page)
        value, title, where = (page.inner_text(f"#reading > :nth-child({k})") for k in (1, 2, 3))
        assert is_shown(value, mapped.values["dexterity"].values[row, column])
        assert title == mapped.quantities[0].title
        x, y = 1000 * mapped.poses[row, column][:2]
        assert where == f"x {x:.1f} mm, y {y:.1f} mm"
        page.mouse.move(5, 300)
        assert page.locator("#reading").is_hidden()


def test_layers_at_one_place_are_shown_one_at_a_time(browser: Browser, delta_page: Path) -> None:
    with opened(browser, file_address(delta_page)) as page:
        first = pixels(page)
        page.click("#layer-1")
        settled(page)
        second = pixels(page)
        assert not page.is_checked("#layer-0")
        page.click("#layer-1")
        settled(page)
        neither = pixels(page)
        assert len({first, second, neither}) == 3


def test_the_scale_is_stated(browser: Browser, delta_page: Path, mapped: PerformanceMap) -> None:
    with opened(browser, file_address(delta_page)) as page:
        assert page.inner_text(".layer label").strip() == mapped.quantities[0].title
        assert page.inner_text(".layer .hint") == "delta at z = -0.5 m"
        force = mapped.values["force"]
        low, high = force.values[force.good].min(), force.values[force.good].max()
        assert page.locator(".layer").nth(1).inner_text().count(f"from {low:.4g} N to {high:.4g} N") == 1
        labels = [float(text) for text in page.locator(".layer").nth(1).locator(".ticks span").all_inner_texts()]
        assert all(low <= label <= high for label in labels)
        assert len(labels) > 2


@pytest.fixture(scope="module")
def five_bar_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    robot = pk.load("five_bar")
    found = [pk.analysis.workspace(robot, levels=2), pk.analysis.locus(robot, cells=32)]
    return pk.view(robot, layers=found).save(tmp_path_factory.mktemp("layers") / "five_bar.html")


def test_legends_say_what_ends_a_workspace(browser: Browser, five_bar_page: Path) -> None:
    robot = pk.load("five_bar")
    layer = pk.viewer.layers_of(robot, pk.analysis.workspace(robot, levels=2))[0]
    with opened(browser, file_address(five_bar_page)) as page:
        legend = page.locator(".tints").first.locator("span")
        assert legend.all_inner_texts() == [tint.words for tint in layer.tints]
        assert legend.first.evaluate("one => one.style.getPropertyValue('--mark')") == layer.tints[0].colours[0]
        page.mouse.move(*pixel_of(page, layer.points[layer.lines[0, 0]]))
        settled(page)
        assert page.inner_text("#reading > b") in layer.words
        page.click("#theme")
        settled(page)
        assert legend.first.evaluate("one => one.style.getPropertyValue('--mark')") == layer.tints[0].colours[1]


def test_hostile_layers_are_text(browser: Browser, tmp_path: Path) -> None:
    evil = "</script><img src=x onerror=alert(1)>{data}"
    robot = pk.load("five_bar")
    (layer,) = pk.viewer.layers_of(robot, pk.analysis.locus(robot, cells=16))
    tints = tuple(replace(tint, words=evil) for tint in layer.tints)
    named = replace(layer, title=evil, note=evil, words=(evil, evil), tints=tints)
    with opened(browser, file_address(pk.view(robot, layers=[named]).save(tmp_path / "evil.html"))) as page:
        assert page.inner_text(".layer label").strip() == evil
        assert page.inner_text(".layer .hint") == evil
        assert page.inner_text(".tints span") == evil
        page.mouse.move(*pixel_of(page, layer.points[layer.lines[0, 0]]))
        settled(page)
        assert page.inner_text("#reading > b") == evil
        assert page.locator("img").count() == 0


def test_without_webgl_layers_are_drawn_simply(playwright: Playwright, five_bar_page: Path) -> None:
    with chromium(playwright, NO_GL) as browser, opened(browser, file_address(five_bar_page)) as page:
        assert page.evaluate("parakin.stage.renderer.constructor.name") == "CanvasRenderer"
        both = pixels(page)
        page.click("#layer-0")
        settled(page)
        assert pixels(page) != both


def test_layers_read_well_on_a_phone(browser: Browser, delta_page: Path) -> None:
    with opened(browser, file_address(delta_page), size=(390, 780)) as page:
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        page.locator("#layer-1").scroll_into_view_if_needed()
        assert page.locator("#layer-1").is_visible()


def test_pages_without_layers_carry_none_of_it(delta_page: Path) -> None:
    plain = pk.view(pk.load("delta")).html
    assert "#reading" not in plain
    assert "#reading" in delta_page.read_text(encoding="utf-8")


def test_pages_tell_infinite_values_from_none(browser: Browser, tmp_path: Path) -> None:
    robot = pk.load("planar_3rrr")
    found = pk.analysis.performance_map(robot, ["payload"], pk.analysis.Slice(grid=3, span=0.1))
    with opened(browser, file_address(pk.view(robot, layers=[found]).save(tmp_path / "page.html"))) as page:
        assert "infinite wherever this slice has a value" in page.locator(".layer").inner_text()
