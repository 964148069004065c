"""From a robot file to a better one: an exciting motion, a log of it, what the log says, and identified.toml.

python examples/05_identification.py [OUTPUT_DIRECTORY]
"""

import sys
from pathlib import Path

import numpy as np

import parakin as pk
from parakin import control, simulation
from parakin.identification import ExciteOptions, Question, excite, identify

directory = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out")
directory.mkdir(parents=True, exist_ok=True)
robot = pk.load("five_bar")  # what the drawing says
rng = np.random.default_rng(0)
real = robot.parameters * rng.uniform(0.9, 1.1, len(robot.parameters))  # what was built

found = excite(robot, ExciteOptions(evaluations=200, periods=3, rest=0.5))
print(found)

law = control.law("computed_torque", robot)
machine = simulation.Scenario(parameters=real, counts=2**20 / (2 * np.pi), velocity_filter=200.0, smoothing=1e-3)
log = simulation.simulate(robot, law, control.reference(robot, found.motion, law.period), machine)
path = simulation.write_log(directory / "log.csv", log)

identification = identify(robot, path, Question())  # the log says when its forces act
print(identification)
if identification.identified is None:
    sys.exit(identification.refused)
(directory / "identified.toml").write_text(identification.identified.to_toml())

state = robot.sample_states(1000)
tau = robot.regressor(*state) @ real
before, after = (np.std(one.inverse_dynamics(*state) - tau) for one in (robot, pk.load(directory / "identified.toml")))
print(f"forces of the robot file are wrong by {before:.3g} N m rms, those of identified.toml by {after:.2g}")
