"""Edges of rods in regions of pictures: how long compiled code takes for one, and what pictures cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.assembly import one_core
from benchmarks.timing import Figure, at_most, best_of, repeated
from parakin.kernels import Kernel
from parakin.vision import Appearance, Edges, find_edges, regions_at, render
from parakin.vision.edge_line import line_kernel
from parakin.vision.edge_scan import first_scan_kernel, later_scan_kernel
from parakin.vision.edge_search import LINE
from parakin.vision.edge_shading import light_kernel
from tests.vision.rigs import quattro

MOST_MICROSECONDS = 100.0
CALLS = {
    "first scan": (first_scan_kernel(), LINE, 1, 0),
    "later scan": (later_scan_kernel(), LINE, 0, 1),
    "light": (light_kernel(), 1, 0, 1),
    "line": (line_kernel(), 2, 1, 1),
}
"""Kernels of a region, with how many states and how often they are called in the first look and in each later one."""
MANY = 64
"""Regions in a batch: the kernels' own time in a batch, for each region, has no share of Python's."""


def called(kernel: Kernel, states: int) -> Callable[[], object]:
    rng = np.random.default_rng(1)
    inputs = {socket.name: rng.uniform(1.0, 20.0, (states, *socket.shape)) for socket in kernel.inputs}
    return lambda: kernel.evaluate(inputs)


def kernels() -> Iterator[Figure]:
    contestants = {name: called(kernel, MANY * states) for name, (kernel, states, *_) in CALLS.items()}
    seconds = best_of(contestants)
    once = {name: 1e6 * seconds[name] / MANY for name in CALLS}
    for name, microseconds in once.items():
        yield Figure(f"edges of a region: {name}, one core", microseconds, "us")
    first = sum(once[name] * calls for name, (_, _, calls, _) in CALLS.items())
    later = sum(once[name] * calls for name, (*_, calls) in CALLS.items())
    yield Figure("edges of a region: compiled code, two looks, one core", first + later, "us")
    yield at_most("edges of a region: compiled code, three looks, one core", first + 2 * later, MOST_MICROSECONDS, "us")


def pictures() -> Iterator[Figure]:
    rig, look = quattro(), Appearance(noise=2.0)
    pose = rig.robot.home
    regions = regions_at(rig, pose, per_rod=2)
    patches = [render(rig, pose, 0, look, region.window) for region in regions]

    def found() -> Edges:
        return find_edges(rig, regions, patches)

    contestants: dict[str, Callable[[], object]] = {
        "predicted": lambda: regions_at(rig, pose, per_rod=2),
        "rendered": lambda: [render(rig, pose, 0, look, region.window) for region in regions],
        "found": repeated(found, 10),
    }
    seconds = best_of(contestants)
    yield Figure("a region of eight: predicted", 1e3 * seconds["predicted"] / 8, "ms")
    yield Figure("a region of eight: rendered", 1e3 * seconds["rendered"] / 8, "ms")
    yield Figure("a region of eight: edges found, with numpy's share", 1e3 * seconds["found"] / 80, "ms")


def figures() -> Iterator[Figure]:
    with one_core():
        yield from kernels()
        yield from pictures()


if __name__ == "__main__":
    for figure in figures():
        print(f"{figure.what}: {figure.value:.3g} {figure.unit} {figure.goal}")
