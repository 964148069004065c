"""A robot of one's own: a small five-bar as a robot file, what a mistake in it is met with, and what it can do.

python examples/02_own_robot_file.py [OUTPUT_DIRECTORY]
"""

import sys
from pathlib import Path

import numpy as np

import parakin as pk
from parakin.errors import DescriptionError

TEXT = """
name = "my_five_bar"
title = "My five-bar"
motion = "planar-translation"
gravity = [0.0, -9.81, 0.0]
length = 0.2
source = "drawing 7, March"

[workspace]
home = [0.0, 0.3]
lower = [-0.1, -0.08]
upper = [0.1, 0.06]
source = "drawing 7"

[platform]
source = "the tool has no mass of its own"

[symmetries.sides]
count = 2
axis = [0.0, 1.0, 0.0]

[[legs]]
name = "side"
root = [0.08, 0.0, 0.0]
attachment = { b = [0.0, 0.0, 0.0] }
branch = 1
symmetry = "sides"
source = "drawing 7"

[[legs.elements]]
name = "arm"
type = "bar"
joint = { type = "revolute", axis = [0.0, 0.0, 1.0] }
length = 0.2
actuator = { coordinate = "angle", reference = [1.0, 0.0, 0.0], force = 4.0, speed = 20.0, source = "catalogue" }
bodies = [{ name = "link", mass = 0.2, com = [0.1, 0.0, 0.0], inertia = [[1e-5, 0.0, 0.0], [0.0, 7e-4, 0.0], \
[0.0, 0.0, 7e-4]], source = "CAD" }]
source = "drawing 7"

[[legs.elements]]
name = "forearm"
type = "bar"
joint = { type = "revolute", axis = [0.0, 0.0, 1.0] }
length = 0.25
bodies = [{ name = "link", mass = 0.1, com = [0.125, 0.0, 0.0], inertia = [[5e-6, 0.0, 0.0], [0.0, 5.2e-4, 0.0], \
[0.0, 0.0, 5.2e-4]], source = "CAD" }]
source = "drawing 7"
"""

directory = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
directory.mkdir(parents=True, exist_ok=True)
file = directory / "my_five_bar.toml"

file.write_text(TEXT.replace("mass = 0.1,", "maas = 0.1,"))
try:
    pk.load(file)
except DescriptionError as error:
    print(f"refused:\n{error}\n")

file.write_text(TEXT)
robot = pk.load(file)
print(robot)
x, y = np.meshgrid(np.linspace(-0.3, 0.3, 61), np.linspace(0.0, 0.45, 46))
condition = robot.condition(np.stack([x, y], axis=-1))  # infinite where a leg cannot reach
reached, good = np.isfinite(condition).mean(), np.mean(condition < 5)
print(f"{reached:.0%} of a field of 0.6 m x 0.45 m is in reach, {good:.0%} with a condition number below 5")
print("holding torques at home [N m]:", robot.static_forces(robot.home))
