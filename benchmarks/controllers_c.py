"""Controllers in C: instructions of every tick, counted by valgrind while the self-test replays its closed loop."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.timing import Figure, at_most
from parakin.control import LAWS, law
from parakin.export import export_controller
from parakin.robot import load

OTHERS = ("five_bar", "delta", "palida", "tripod_3rps", "agile_eye")
BARE = [*(("h4", name) for name in LAWS), *((robot, "computed_torque") for robot in OTHERS)]
CASES = [*((*case, False) for case in BARE), *(("h4", name, True) for name in LAWS)]
"""Robot, law, and whether the law has a guard."""
MOST_SPREAD = 0.5
"""[%] How many more instructions the longest tick has than the shortest."""


def instructions(robot: str, name: str, directory: Path, *, guard: bool) -> np.ndarray:
    """Of `step` and all it calls, one number a tick."""
    own = f"{robot}_{name}"
    export_controller(law(name, load(robot)), directory, own, guard=guard)
    subprocess.run(["make", "-s", "-C", str(directory), f"{own}_selftest"], check=True)
    counted = directory / "counted"
    counted.mkdir()
    command = ["valgrind", "-q", "--tool=callgrind", f"--toggle-collect={own}_step", f"--dump-after={own}_step"]
    command += [f"--callgrind-out-file={counted / 'tick'}", str(directory / f"{own}_selftest")]
    # Bound at once, or the linker's work at the first call of a function would count as ours.
    subprocess.run(command, check=True, capture_output=True, env=os.environ | {"LD_BIND_NOW": "1"})
    totals: dict[int, int] = {}
    for path in counted.glob("tick.*"):
        found = re.search(r"^totals: (\d+)$", path.read_text(), re.MULTILINE)
        totals[int(path.suffix[1:])] = int(found[1]) if found else 0
    return np.array([totals[tick] for tick in sorted(totals)])


def figures() -> Iterator[Figure]:
    if shutil.which("valgrind") is None:
        print("instructions are counted by valgrind, which is not here (apt-get install valgrind)", file=sys.stderr)
        return
    for robot, name, guard in CASES:
        with tempfile.TemporaryDirectory() as directory:
            counts = instructions(robot, name, Path(directory), guard=guard)
        what = f"{robot}, {name}{', guarded' if guard else ''}"
        yield Figure(f"{what}: instructions a tick", float(np.median(counts)), "")
        spread = 100 * float(np.ptp(counts)) / float(counts.min())
        yield at_most(f"{what}: most over fewest of {len(counts):,} ticks", spread, MOST_SPREAD, "%")


if __name__ == "__main__":
    for figure in figures():
        print(f"{figure.what}: {figure.value:.6g} {figure.unit} {figure.goal} {figure.holds}", flush=True)
