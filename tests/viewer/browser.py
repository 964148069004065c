"""A real browser for tests of the live page: Chromium, headless, with nothing but the page."""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest
from playwright.sync_api import Browser, Page, Playwright

SOFTWARE_GL = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader")
"""Flags for pictures without a graphics card."""
ALONE = (
    "--no-sandbox",
    "--no-first-run",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
"""Flags with which Chromium asks nobody for anything."""
NO_GL = ("--disable-gpu", "--disable-3d-apis")
"""Flags of a browser without WebGL."""


def missing(what: str) -> NoReturn:
    """Skip a test for want of a program; where that must not be, as in CI, fail."""
    if os.environ.get("CI"):
        pytest.fail(f"{what} is missing: make test installs it")
    pytest.skip(f"{what} is missing")


@contextmanager
def chromium(playwright: Playwright, flags: tuple[str, ...] = SOFTWARE_GL) -> Generator[Browser]:
    """Yield a browser."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        missing("chromium")
    browser = playwright.chromium.launch(executable_path=program, args=[*ALONE, *flags])
    yield browser
    browser.close()


@contextmanager
def opened(
    browser: Browser, address: str, *, offline: bool = True, size: tuple[int, int] = (1100, 700)
) -> Generator[Page]:
    """Yield an open page that is ready; fail at its end if it reported an error or asked anybody for anything."""
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, offline=offline)
    page = context.new_page()
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
    if offline:
        page.on("request", lambda request: troubles.append(request.url) if request.url != address else None)
    page.goto(address)
    until(page, "window.parakin && window.parakin.cost !== undefined")
    yield page
    context.close()
    assert not troubles


def file_address(path: Path) -> str:
    """The address of a file on disk."""
    return path.resolve().as_uri()


def until(page: Page, condition: str) -> None:
    """Wait until an expression of JavaScript is true; the page's own policy forbids Playwright's way of waiting."""
    for _ in range(600):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    pytest.fail(f"never became true: {condition}")


def settled(page: Page) -> None:
    """Wait until what was asked for is drawn."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def pixels(page: Page) -> bytes:
    """The picture of the scene as PNG."""
    return page.locator("#scene").screenshot()
