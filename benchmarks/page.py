"""What a picture of the live page costs the browser's main thread, and what a kernel costs in it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import parakin as pk
from benchmarks.timing import Figure

FRAMES = 300
"""Pictures that are drawn; the median counts."""
CALLS = 20_000
"""Calls of a kernel that are timed together, the best of ten times."""


def figures() -> Iterator[Figure]:
    """Draw PaLiDA, 19 bodies, and call its inverse dynamics, in Chromium with pictures made by software."""
    from playwright.sync_api import sync_playwright

    from tests.viewer.browser import chromium, file_address, opened

    with tempfile.TemporaryDirectory() as directory, sync_playwright() as playwright, chromium(playwright) as browser:
        path = pk.view(pk.load("palida")).save(Path(directory) / "palida.html")
        with opened(browser, file_address(path)) as page:
            cost = page.evaluate(
                """async (frames) => {
                    const p = window.parakin, costs = [];
                    for (let k = 0; k < frames; k += 1) {
                        const offset = p.space.random().map((value) => 0.5 * value);
                        const begun = performance.now();
                        p.place = p.machine.place(p.space.at(offset), p.place);
                        p.draw();
                        costs.push(performance.now() - begun);
                        await new Promise(requestAnimationFrame);
                    }
                    return costs.sort((a, b) => a - b)[frames >> 1];
                }""",
                FRAMES,
            )
            yield Figure("PaLiDA: main thread, one picture", cost, "ms", "<= 4 ms", cost <= 4)
            call = page.evaluate(
                """(calls) => {
                    const p = window.parakin, run = p.machine.kernels.exports.inverse_dynamics;
                    p.machine.forces(p.place, p.still, p.still, 0);
                    let best = Infinity;
                    for (let round = 0; round < 10; round += 1) {
                        const begun = performance.now();
                        for (let k = 0; k < calls; k += 1) run();
                        best = Math.min(best, performance.now() - begun);
                    }
                    return (1000 * best) / calls;
                }""",
                CALLS,
            )
            yield Figure("PaLiDA: inverse dynamics with payload, one call", call, "us", "", None)
            size = path.stat().st_size / 1000
            yield Figure("PaLiDA: the page", size, "kB", "<= 150 kB", size <= 150)
