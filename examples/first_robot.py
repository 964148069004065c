"""A Delta picks and places: forces of its motors by every formulation, what simplifications cost, a figure, C code.

python examples/first_robot.py [OUTPUT_DIRECTORY]
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import parakin as pk
from parakin.dynamics.formulations import DEFAULT, FORMULATIONS
from parakin.plots import force_figure
from parakin.trajectory import check, pick_and_place

RATE = 2000.0
MANY = 500_000
AGREE = 1e-10


def main(directory: Path) -> None:
    console = Console()
    directory.mkdir(parents=True, exist_ok=True)
    robot = pk.load("delta").with_payload(0.3)
    motion = pick_and_place(robot, cycle=0.6)
    console.print(f"[bold]{robot.description.title}[/bold], carrying 0.3 kg; {motion.name}, {motion.duration:.2f} s")
    s = motion.sampled(RATE)
    tau = robot.inverse_dynamics(s.pose, s.velocity, s.acceleration)

    table = Table(title=f"Motor torques along {len(s.t):,} states")
    table.add_column("formulation", no_wrap=True)
    for column in ("largest, N m", "against the default", f"ns a state, of {MANY:,}"):
        table.add_column(column, justify="right")
    many = [np.resize(values, (MANY, 3)) for values in (s.pose, s.velocity, s.acceleration)]
    others: dict[str, np.ndarray] = {}
    worst = 0.0
    for name, row in FORMULATIONS.items():
        with console.status(f"{name}: compiling"):
            kernel = robot.kernel("inverse_dynamics", formulation=name).compile()
        found = kernel(s.pose, s.velocity, s.acceleration)["tau"]
        nanoseconds = 1e9 * min(seconds(lambda kernel=kernel: kernel(*many)) for _ in range(3)) / MANY
        error = float(np.max(np.abs(found - tau)) / np.max(np.abs(tau)))
        if row.exact:
            worst = max(worst, error)
        else:
            others[name] = found
        against = "" if name == DEFAULT else f"{error:.0e}" if row.exact else f"{100 * error:.1f} % off"
        table.add_row(name, f"{np.max(np.abs(found)):.3f}", against, f"{nanoseconds:.0f}")
    console.print(table)
    console.print(str(check(motion, robot)))
    console.print(str(robot.compare(s.pose, s.velocity, s.acceleration, formulation="simplified")))

    figure = force_figure(
        s.t, tau, robot.actuator_names, "N m", others=others, title="Delta, pick and place with 0.3 kg"
    )
    for kind in ("png", "svg"):
        figure.savefig(directory / f"delta_forces.{kind}", dpi=150)
    files = robot.to_c("inverse_dynamics", directory, "delta_torques")
    console.print(f"figure: {directory / 'delta_forces.png'}; C99: {files.source}, {files.header.name}")
    if shutil.which("gcc"):
        binary = directory / "delta_torques_selftest"
        command = ["gcc", "-std=c99", "-O2", str(files.source), str(files.selftest), "-o", str(binary), "-lm"]
        subprocess.run(command, check=True)
        subprocess.run([str(binary)], check=True)
    else:
        console.print("gcc is not here, so the self-test of the C code was not run")
    if not worst < AGREE:
        sys.exit(f"the exact formulations differ by {worst:.1e}")


def seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out"))
