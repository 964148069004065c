"""A model of parakin inside CasADi: the motion of a five-bar that takes the least effort, with its exact dynamics.

    minimise  integral of |tau|^2 dt     over 0.25 s from rest to rest, |tau| within the motors' limits

python examples/09_optimal_control.py [OUTPUT_DIRECTORY]
"""

import sys
from pathlib import Path

import casadi as ca
import numpy as np

import parakin as pk
from parakin.plots import force_figure
from parakin.plots.files import save
from parakin.trajectory import point_to_point

STEPS, DURATION, LIMIT = 60, 0.25, 8.0
FROM, TO = np.array([-0.12, 0.3]), np.array([0.12, 0.42])

robot = pk.load("five_bar")
model = robot.kernel("inverse_dynamics", free=("smoothing",)).casadi  # Coulomb friction smoothed: solvers need slopes
dt = DURATION / STEPS

problem = ca.Opti()
position, velocity = problem.variable(2, STEPS + 1), problem.variable(2, STEPS + 1)
acceleration = problem.variable(2, STEPS + 1)
forces = [
    model(pose=position[:, k], velocity=velocity[:, k], acceleration=acceleration[:, k], smoothing=0.1)["tau"]
    for k in range(STEPS + 1)
]
tau = ca.horzcat(*forces)
problem.minimize(dt * (ca.sumsqr(tau) - (ca.sumsqr(tau[:, 0]) + ca.sumsqr(tau[:, -1])) / 2))  # trapezoids
for k in range(STEPS):  # acceleration linear in each step
    a, b = acceleration[:, k], acceleration[:, k + 1]
    problem.subject_to(velocity[:, k + 1] == velocity[:, k] + dt * (a + b) / 2)
    problem.subject_to(position[:, k + 1] == position[:, k] + dt * velocity[:, k] + dt**2 * (2 * a + b) / 6)
for k, place in ((0, FROM), (STEPS, TO)):
    problem.subject_to(position[:, k] == place)
    problem.subject_to(velocity[:, k] == 0)
problem.subject_to(problem.bounded(-LIMIT, ca.vec(tau), LIMIT))

t = np.linspace(0.0, DURATION, STEPS + 1)
guess = point_to_point(robot, FROM, TO, duration=DURATION).at(t)
problem.set_initial(position, guess.pose.T)
problem.set_initial(velocity, guess.velocity.T)
problem.set_initial(acceleration, guess.acceleration.T)
problem.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes"})
found = problem.solve()

usual = robot.inverse_dynamics(guess.pose, guess.velocity, guess.acceleration)
best = np.array(found.value(tau)).T
effort = [np.trapezoid(np.sum(values**2, axis=1), t) for values in (usual, best)]
print(f"effort of the quintic {effort[0]:.3f}, of the optimum {effort[1]:.3f} N^2 m^2 s")
print(f"largest torque {np.max(np.abs(usual)):.2f} and {np.max(np.abs(best)):.2f} N m")

directory = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
directory.mkdir(parents=True, exist_ok=True)
figure = force_figure(t, best, robot.actuator_names, "N m", title="Five-bar, least effort in 0.25 s")
print("written:", *save(figure, directory, "least_effort"))
