"""A controller for the machine: computed torque of an H4, tuned, simulated, written as C99 and tested there.

python examples/own_controller.py [OUTPUT_DIRECTORY]
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from rich.console import Console

import parakin as pk
from parakin import control, simulation, trajectory
from parakin.export import export_controller

PERIOD = 1e-3


def main(directory: Path) -> None:
    console = Console()
    robot = pk.load("h4")
    law = control.law("computed_torque", robot, PERIOD).with_gains(K_i=50_000.0)
    reference = control.reference(robot, trajectory.pick_and_place(robot), PERIOD, settle=0.2)
    carrying = simulation.Scenario(payload=pk.Payload(mass=0.2), counts=2**17 / 6.283, velocity_filter=200.0)
    print(simulation.simulate(robot, law, reference, carrying).summary())

    files = export_controller(law, directory)
    console.print(f"C99 written to {files.source}; {files.readme} tells how to call it")
    if not (shutil.which("gcc") and shutil.which("make")):
        sys.exit("gcc or make is not here, so the self-test was not run")
    subprocess.run(["make", "-s", "-C", str(directory), "check"], check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out"))
