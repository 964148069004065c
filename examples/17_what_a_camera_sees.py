# %% [markdown]
# How well does a camera know where a Quattro is? Pictures are rendered and looked at, and then a whole loop runs on
# what an observer makes of such regions. Cells for Jupyter (jupytext) and VS Code; as a script:
# `python examples/17_what_a_camera_sees.py [DIRECTORY]`

# %%
import sys
from pathlib import Path

import numpy as np

import parakin as pk
from parakin import control, simulation, vision

robot = pk.load("quattro")
rig = vision.read_rig(Path(__file__).parent / "quattro_rig.toml", robot)
poses = robot.home + np.array([[0.0, 0.0, 0.0, 0.0], [0.02, 0.01, 0.0, 0.05], [0.04, 0.02, 0.01, 0.1]])
look = vision.Appearance(noise=2.0)  # grey levels
pictures = [[vision.render(rig, pose, appearance=look, seed=k)] for k, pose in enumerate(poses)]

# %%
found = vision.observe(rig, pictures, robot.home)
for pose, truth, deviation in zip(found.pose, poses, found.deviation, strict=True):
    print(f"error {1e6 * np.abs(pose - truth)[:3].max():.0f} um, deviation told {1e6 * deviation[:3].max():.0f} um")

# %%
law = control.law("computed_torque_platform", robot, period=2e-3)
sensor = vision.camera_sensor(rig, law.period, vision.Watching(rate=4000.0), vision.EdgeNoise(deviation=0.04))
still = control.hold(robot, robot.home, 0.1, law.period)
log = simulation.simulate(robot, law, still, simulation.Scenario(sensor=sensor, seed=1))
print(f"held by what it sees to {1e6 * log.summary().distance_peak:.0f} um")

# %%
place = Path(sys.argv[1] if len(sys.argv) > 1 else ".") / "quattro_seen.png"
pk.plots.observation_figure(np.arange(len(poses)) / 10, found, poses).savefig(place)
print(f"written: {place}")
