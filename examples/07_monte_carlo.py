# %% [markdown]
# How much do wrong parameters and a load hurt? 500 Delta robots, none quite as the controller thinks. Cells for Jupyter
# (jupytext) and VS Code; as a script: `python examples/07_monte_carlo.py`

# %%
import numpy as np

import parakin as pk
from parakin import control, simulation, trajectory
from parakin.robot import Payload

COUNT = 500
robot = pk.load("delta")
law = control.law("computed_torque", robot, 1e-3)
reference = control.reference(robot, trajectory.pick_and_place(robot), law.period, settle=0.1)

# %%
rng = np.random.default_rng(0)
plants = robot.parameters * rng.uniform(0.8, 1.2, (COUNT, len(robot.parameters)))
real = simulation.Scenario(counts=2**17 / (2 * np.pi), velocity_filter=300.0, delay=True)
loads = [Payload(mass=mass) for mass in rng.uniform(0.0, 0.5, COUNT)]
many = simulation.simulate_many(robot, law, reference, simulation.family(real, COUNT, parameters=plants, payload=loads))

# %%
print(many.summary)
worst = 1e3 * many.summary.distance_peak
print(f"largest error of the platform: median {np.median(worst):.2f} mm, worst of {COUNT} {worst.max():.2f} mm")
