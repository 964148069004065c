"""A controller for the machine: computed torque of an H4, simulated, written as C99, compiled and tested there.

python examples/08_controller_in_c.py [OUTPUT_DIRECTORY]
"""

import subprocess
import sys
from pathlib import Path

import parakin as pk
from parakin import control, simulation, trajectory
from parakin.export import export_controller

directory = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out")
robot = pk.load("h4")
law = control.law("computed_torque", robot, 1e-3).with_gains(K_i=50_000.0)
reference = control.reference(robot, trajectory.pick_and_place(robot), law.period, settle=0.2)
carrying = simulation.Scenario(payload=pk.Payload(mass=0.2), velocity_filter=200.0, delay=True)
print(simulation.simulate(robot, law, reference, carrying).summary())

files = export_controller(law, directory)
print(f"written: {files.source}; {files.readme.name} there tells how to call it", flush=True)
subprocess.run(["make", "-s", "-C", str(directory), "check"], check=True)
