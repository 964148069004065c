"""Edges of rods in regions of pictures: how long compiled code takes for one, and what pictures cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.assembly import one_core
from benchmarks.timing import Figure, at_most, best_of, repeated
from parakin.kernels import Kernel
from parakin.vision import Appearance, Edges, find_edges, regions_at, render
from parakin.vision.edge_line import line_kernel
from parakin.vision.edge_profile import FIRST_STEPS, LATER_STEPS, profile_kernel
from parakin.vision.edge_search import LINE, search_kernel
from parakin.vision.edge_shading import alignment_kernel
from parakin.vision.edges import LATER_PULLS
from tests.vision.rigs import quattro

MOST_MICROSECONDS = 100.0
LOOKS = 1 + len(LATER_PULLS)
CALLS = {
    "search": (search_kernel(), LINE, LOOKS),
    "first profile": (profile_kernel(FIRST_STEPS), 2 * LINE, 1),
    "later profiles": (profile_kernel(LATER_STEPS), 2 * LINE, LOOKS - 1),
    "alignment": (alignment_kernel(), LINE, LOOKS - 1),
    "line": (line_kernel(), 2, LOOKS),
}
"""Kernels of a region, with how many states and how often they are called."""
MANY = 64
"""Regions in a batch: the kernels' own time in a batch, for each region, has no share of Python's."""


def called(kernel: Kernel, states: int) -> Callable[[], object]:
    rng = np.random.default_rng(1)
    inputs = {socket.name: rng.uniform(1.0, 20.0, (states, *socket.shape)) for socket in kernel.inputs}
    return lambda: kernel.evaluate(inputs)


def kernels() -> Iterator[Figure]:
    contestants = {name: called(kernel, MANY * states) for name, (kernel, states, _) in CALLS.items()}
    seconds = best_of(contestants)
    parts = {name: 1e6 * seconds[name] / MANY * CALLS[name][2] for name in CALLS}
    for name, microseconds in parts.items():
        yield Figure(f"edges of a region: {name}, {CALLS[name][2]} calls, one core", microseconds, "us")
    yield at_most("edges of a region: compiled code in all, one core", sum(parts.values()), MOST_MICROSECONDS, "us")


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
