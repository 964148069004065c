"""Three control laws of a Delta that carries a load nobody told them of, each as fast as the same delay margin allows.

python examples/06_compare_controllers.py [OUTPUT_DIRECTORY]
"""

import sys
from pathlib import Path

import numpy as np

import parakin as pk
from parakin import control, simulation, trajectory
from parakin.plots import comparison_figure
from parakin.plots.files import save

directory = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out")
directory.mkdir(parents=True, exist_ok=True)
robot = pk.load("delta")
laws = [control.law(name, robot) for name in ("pid", "feedforward", "computed_torque")]
reference = control.reference(robot, trajectory.pick_and_place(robot), laws[0].period, settle=0.1)
real = simulation.Scenario(payload=pk.Payload(mass=0.1), counts=2**17 / (2 * np.pi), velocity_filter=200.0, delay=True)
found = simulation.compare(robot, laws, reference, real, "margin")
print(found.said)
for name, log in found.logs.items():
    summary = log.summary()
    print(f"{name:16} {1e3 * summary.distance_rms:6.3f} mm rms, {1e3 * summary.distance_peak:6.3f} mm at most")
print("written:", *save(comparison_figure(found.logs, "Delta with 0.1 kg, the same delay margin"), directory, "laws"))
