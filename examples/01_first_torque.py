"""Torques of a Delta that picks and places, what a simplified model would say, and a figure.

python examples/01_first_torque.py [OUTPUT_DIRECTORY]
"""

import sys
from pathlib import Path

import parakin as pk
from parakin.plots import force_figure
from parakin.plots.files import save
from parakin.trajectory import check, pick_and_place

directory = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
directory.mkdir(parents=True, exist_ok=True)

robot = pk.load("delta").with_payload(0.3)  # kg
motion = pick_and_place(robot, cycle=0.6)  # s
print(check(motion, robot))  # reach, singularities, stroke, speed, force

s = motion.sampled(2000.0)  # Hz
tau = robot.inverse_dynamics(s.pose, s.velocity, s.acceleration)
lumped = robot.inverse_dynamics(s.pose, s.velocity, s.acceleration, formulation="simplified")
print(robot.compare(s.pose, s.velocity, s.acceleration, formulation="simplified"))

figure = force_figure(s.t, tau, robot.actuator_names, "N m", others={"lumped forearms": lumped}, title="Delta, 0.3 kg")
print("written:", *save(figure, directory, "delta_torques"))
