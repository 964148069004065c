"""Edges of rods in regions of pictures: how long compiled code takes for one, and what pictures cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from unittest import mock

import numpy as np

from benchmarks.assembly import one_core
from benchmarks.timing import Figure, at_most, best_of, repeated
from parakin.kernels import Kernel
from parakin.vision import Appearance, Edges, PictureRegion, Rig, find_edges, regions_at, render
from tests.vision.rigs import quattro

MOST_MICROSECONDS = 100.0
COPIES = 8
"""How often eight regions are in a batch: the kernels' own time in one, for each region, has no share of Python's."""


def eight(rig: Rig) -> tuple[list[PictureRegion], list[np.ndarray]]:
    """Regions of all rods at home, two a rod, and their pictures."""
    look, pose = Appearance(noise=2.0), rig.robot.home
    regions = regions_at(rig, pose, per_rod=2)
    return regions, [render(rig, pose, 0, look, region.window) for region in regions]


def calls_of(run: Callable[[], object]) -> list[tuple[str, Callable[[], object]]]:
    """Every call of a kernel in a run, by the kernel's name, to be repeated with the arrays that it was given."""
    found: list[tuple[str, Callable[[], object]]] = []
    evaluate = Kernel.evaluate

    def recorded(kernel: Kernel, inputs: dict[str, np.ndarray]) -> object:
        found.append((kernel.name, lambda: evaluate(kernel, inputs)))
        return evaluate(kernel, inputs)

    with mock.patch.object(Kernel, "evaluate", recorded):
        run()
    return found


def kernels() -> Iterator[Figure]:
    rig = quattro()
    regions, patches = eight(rig)
    totals: dict[int, float] = {}
    once: dict[str, float] = {}
    calls: list[tuple[str, Callable[[], object]]] = []
    for looks in (2, 3):
        calls = calls_of(lambda looks=looks: find_edges(rig, regions * COPIES, patches * COPIES, looks=looks))
        seconds = best_of({f"{k}": call for k, (_, call) in enumerate(calls)})
        once = dict.fromkeys((name for name, _ in calls), 0.0)
        for k, (name, _) in enumerate(calls):
            once[name] += 1e6 * seconds[f"{k}"] / (COPIES * len(regions))
        totals[looks] = sum(once.values())
    for name, microseconds in once.items():
        times = sum(name == called for called, _ in calls)
        yield Figure(f"edges of a region: {name}, {times} of three looks, one core", microseconds, "us")
    yield Figure("edges of a region: compiled code, two looks, one core", totals[2], "us")
    yield at_most("edges of a region: compiled code, three looks, one core", totals[3], MOST_MICROSECONDS, "us")


def pictures() -> Iterator[Figure]:
    rig = quattro()
    regions, patches = eight(rig)

    def found() -> Edges:
        return find_edges(rig, regions, patches)

    contestants: dict[str, Callable[[], object]] = {
        "predicted": lambda: regions_at(rig, rig.robot.home, per_rod=2),
        "rendered": lambda: eight(rig),
        "found": repeated(found, 10),
    }
    seconds = best_of(contestants)
    yield Figure("a region of eight: predicted", 1e3 * seconds["predicted"] / 8, "ms")
    yield Figure("a region of eight: predicted and rendered", 1e3 * seconds["rendered"] / 8, "ms")
    yield Figure("a region of eight: edges found, with numpy's share", 1e3 * seconds["found"] / 80, "ms")


def figures() -> Iterator[Figure]:
    with one_core():
        yield from kernels()
        yield from pictures()


if __name__ == "__main__":
    for figure in figures():
        print(f"{figure.what}: {figure.value:.3g} {figure.unit} {figure.goal}")
