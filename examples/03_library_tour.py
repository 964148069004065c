"""Robots of the library: 200,000 poses there and back, every assembly mode, and a kernel in C.

python examples/03_library_tour.py [OUTPUT_DIRECTORY]
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import parakin as pk
from parakin.description import library

COUNT, SETS = 200_000, 5


def main(directory: Path) -> None:
    console = Console()
    table = Table(title=f"{COUNT:,} poses in each robot's box, there and back")
    table.add_column("robot", no_wrap=True)
    for column in ("legs", "bodies", "IK, ns", "FK, ns", "worst, m", "assembly modes"):
        table.add_column(column, justify="right")
    worst = 0.0
    for name in library():
        with console.status(f"{name}: compiling and running"):
            robot = pk.load(name)
            poses = robot.sample(COUNT)
            for kernel in ("inverse_kinematics", "forward_kinematics"):
                robot.kernel(kernel).compile()
            start = time.perf_counter()
            q = robot.inverse_kinematics(poses)
            there = time.perf_counter()
            found = robot.forward_kinematics(q)
            back = time.perf_counter()
            error = float(np.max(np.abs(found - poses)))
            modes = robot.assembly_modes(q[:SETS])
            listed = f"{modes.count.min()} to {modes.count.max()} of {modes.complex_count.max()}"
        worst = max(worst, error)
        ik, fk = (f"{1e9 * seconds / COUNT:.0f}" for seconds in (there - start, back - there))
        table.add_row(name, str(len(robot.legs)), str(len(robot.body_names)), ik, fk, f"{error:.0e}", listed)
    console.print(table)
    console.print(f"assembly modes: real solutions found for {SETS} poses, of how many complex ones")

    robot = pk.load("delta")
    files = robot.kernel("inverse_kinematics").to_c(directory, "delta_ik", samples={"pose": robot.sample(64)})
    console.print(f"C99 written to {files.source}, {files.header.name} and {files.selftest.name}")
    if shutil.which("gcc"):
        binary = directory / "delta_ik_selftest"
        command = ["gcc", "-std=c99", "-O2", str(files.source), str(files.selftest), "-o", str(binary), "-lm"]
        subprocess.run(command, check=True)
        subprocess.run([str(binary)], check=True)
    else:
        console.print("gcc is not here, so its self-test was not run")
    if not worst < 1e-11:
        sys.exit("forward kinematics did not return to where inverse kinematics started")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out"))
