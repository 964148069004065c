"""Design studies: designs x poses a second, what a chunk costs beside its work, memory from 10^4 to 10^6 designs."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.executors import peak_memory
from benchmarks.timing import Figure, at_least, at_most, best_of
from parakin import design
from parakin.design.evaluating import evaluator_of
from parakin.design.sampling import points_at

SIZES = (10**4, 10**5, 10**6)
DESIGNS = 2048
"""Designs of a batch whose speed is measured."""
ONE_BY_ONE = 4
"""Designs that are loaded as robots of their own, for comparison."""
FEW, MANY = 8, 72
"""Chunks of two runs with the same designs in all: what the longer takes more is what chunks cost."""
CHUNKED = 1152
ROUNDS = 3

KEYS = {
    "five_bar": {
        "parameters": {"arm": {"lower": 0.22, "upper": 0.28}, "forearm": {"lower": 0.3, "upper": 0.36}},
        "keys": {
            "legs[side].elements[arm].length": "arm",
            "legs[side].elements[arm].bodies[link].mass": "2.4 * arm",
            "legs[side].elements[forearm].length": "forearm",
            "legs[side].elements[forearm].bodies[link].mass": "0.3 * forearm / 0.32",
        },
        "region": {"lower": [-0.05, -0.05], "upper": [0.05, 0.05], "points": [3, 3]},
    },
    "delta": {
        "parameters": {"arm": {"lower": 0.2, "upper": 0.28}, "forearm": {"lower": 0.48, "upper": 0.56}},
        "keys": {
            "legs[leg].elements[arm].length": "arm",
            "legs[leg].elements[arm].bodies[arm].mass": "0.15 + 1.25 * arm",
            "legs[leg].elements[forearm].length": "forearm",
            "legs[leg].elements[forearm].bodies[rod_a].mass": "0.12 * forearm",
            "legs[leg].elements[forearm].bodies[rod_b].mass": "0.12 * forearm",
        },
        "region": {"lower": [-0.1, -0.1, -0.05], "upper": [0.1, 0.1, 0.05], "points": [3, 3, 3]},
    },
}


def study(robot: str, count: int, rate: float) -> design.Study:
    """Two lengths, with masses that follow: the worst force on a cycle, mass, and the condition number as a bound."""
    tables: dict[str, Any] = {
        "name": f"{robot}_measured",
        "title": f"Lengths of a {robot}",
        "robot": robot,
        **KEYS[robot],
        "sampling": {"method": "sobol", "count": count},
        "cycle": {"motion": "pick_and_place", "rate": rate},
        "objectives": {"force": {"of": "cycle_force"}, "mass": {"of": "mass"}},
        "constraints": {"condition": {"of": "condition", "most": 20.0}},
    }
    return design.Study.model_validate(tables)


def speeds() -> Iterator[Figure]:
    for robot in KEYS:
        evaluator = evaluator_of(design.work_of(study(robot, DESIGNS, 200.0), "."))
        points = points_at(evaluator.subject.study, np.arange(DESIGNS))
        seconds = best_of({"lanes": lambda: evaluator.evaluate(points)}, rounds=ROUNDS)["lanes"]  # noqa: B023
        poses = evaluator.poses_of_a_design
        yield Figure(f"{robot}: designs x poses a second ({poses} poses)", DESIGNS * poses / seconds, "1/s")
        start = time.process_time()
        evaluator.evaluate(points)
        each = (time.process_time() - start) / DESIGNS
        yield Figure(f"{robot}: processor time of a design in lanes", 1e6 * each, "us")
        start = time.process_time()
        for x in points[:ONE_BY_ONE]:
            made = evaluator.subject.robot_at(x)
            made.inverse_dynamics(*evaluator.subject.cycle)
        alone = (time.process_time() - start) / ONE_BY_ONE
        yield at_least(f"{robot}: against a robot for each design, which compiles its own kernels", alone / each, 100.0)


def chunks() -> Iterator[Figure]:
    """Processor time of one study cut into few chunks and into many; the same designs in all."""
    work = design.work_of(study("five_bar", CHUNKED, 50.0), ".")
    evaluator_of(work)

    def run(count: int) -> float:
        from parakin.executors import run as run_work

        with tempfile.TemporaryDirectory() as folder:
            start = time.process_time()
            run_work(work, CHUNKED, folder, chunk=CHUNKED // count)
            return time.process_time() - start

    run(FEW)
    few, many = (min(each) for each in zip(*((run(FEW), run(MANY)) for _ in range(ROUNDS)), strict=True))
    yield Figure("a chunk, beside its designs: processor time", 1e3 * (many - few) / (MANY - FEW), "ms")


def measure(count: int) -> None:
    """In a process of its own, so that the peak of memory is its own: a study with its front and its table."""
    work = design.work_of(study("five_bar", count, 20.0), ".")
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        results = design.run_study(work, Path(folder, "parts"))
        found = design.gather(work, results)
        design.write_designs(Path(folder, "designs.parquet"), found.study, results)
        wall = time.perf_counter() - start
    print(json.dumps({"wall": wall, "peak": peak_memory(), "front": len(found.front)}))


def memory() -> Iterator[Figure]:
    first = 0.0
    for count in SIZES:
        code = f"from benchmarks.design import measure\nif __name__ == '__main__':\n    measure({count})"
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        found: dict[str, float] = json.loads(run.stdout)
        what = f"10^{round(np.log10(count))} designs, evaluated, front found and written as Parquet"
        yield Figure(what, found["wall"], "s")
        yield Figure(f"{what}: peak memory", found["peak"], "MB")
        if first:
            yield at_most(f"{what}: peak memory, of that with 10^4", found["peak"] / first, 1.1, "x")
        first = first or found["peak"]


def figures() -> Iterator[Figure]:
    yield from speeds()
    yield from chunks()
    yield from memory()


if __name__ == "__main__":
    for figure in figures():
        print(f"{figure.what}: {figure.value:.3g} {figure.unit} {figure.goal}")
