"""Controllers on Cortex-M7 and M4: code, stack, and instructions of a tick counted by qemu's clock."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.controllers_c import CASES
from benchmarks.timing import Figure
from parakin.control import law
from parakin.export import export_controller
from parakin.robot import load
from tests.cortex_m import CORES, compiled, missing, ran

NARROW = ("h4", "computed_torque")
"""The case that is also measured in single precision."""


def figures() -> Iterator[Figure]:
    if missing():
        print(f"not here: {', '.join(missing())} (apt-get install gcc-arm-none-eabi qemu-system-arm)", file=sys.stderr)
        return
    narrow = [(*case, True) for case in CASES if case[:2] == NARROW]
    for robot, name, guard, single in [*((*case, False) for case in CASES), *narrow]:
        what = f"{robot}, {name}{', guarded' if guard else ''}{', in float' if single else ''}"
        with tempfile.TemporaryDirectory() as folder:
            made = law(name, load(robot))
            files = export_controller(made.in_single() if single else made, Path(folder, "law"), guard=guard)
            for core in CORES:
                size = compiled(files, core, Path(folder))
                yield Figure(f"{what}, {core}: code and constants", size.text / 1024, "kB")
                yield Figure(f"{what}, {core}: stack of a tick", float(size.stack), "B")
            wrong, instructions = ran(files, Path(folder))
            if wrong:
                raise RuntimeError(f"{what}: {wrong} forces differ on the Cortex-M7")
            yield Figure(f"{what}, Cortex-M7: instructions a tick", instructions, "")


if __name__ == "__main__":
    for figure in figures():
        print(f"{figure.what}: {figure.value:.6g} {figure.unit}", flush=True)
