"""Optimal control of a closed chain: how fast a 3-RPS tripod can tilt from one side to the other with limited forces.

    minimise  T        from rest at a tilt of -16 degrees to rest at +16 degrees, |tau| <= 40 N in every strut

A mechanism's dependent joints follow from its pose by a search, which no solver can look into. Here they are variables
of the problem, and that the loops close is a constraint: `robot.casadi` gives both as functions that CasADi derives.

python examples/11_optimal_control_of_a_mechanism.py [OUTPUT_DIRECTORY]
"""

import sys
from pathlib import Path

import casadi as ca
import numpy as np
from matplotlib.figure import Figure

import parakin as pk
from parakin.plots.files import save

STEPS, LIMIT, TILT, HEIGHT = 20, 40.0, np.radians(16.0), 0.48

robot = pk.load("tripod_3rps")
closure = robot.casadi("closure")  # of configuration and pose: zero where all loops are closed
forces = robot.casadi("inverse_dynamics", free=("smoothing",))  # of configuration, velocity, acceleration
frame = robot.casadi("output")  # the platform's frame, likewise

problem = ca.Opti()
T = problem.variable()
dt = T / STEPS
configuration = problem.variable(closure.size1_in(0), STEPS + 1)
pose, velocity, acceleration = (problem.variable(3, STEPS + 1) for _ in range(3))
still = np.zeros(3)
efforts = []
for k in range(STEPS + 1):
    c, v, a = configuration[:, k], velocity[:, k], acceleration[:, k]
    problem.subject_to(closure(configuration=c, pose=pose[:, k])["closure"] == 0)
    tau = forces(configuration=c, velocity=v, acceleration=a, smoothing=0.05)["tau"]
    problem.subject_to(problem.bounded(-LIMIT, tau, LIMIT))
    efforts.append(tau)
for k in range(STEPS):  # acceleration linear in each step
    a, b = acceleration[:, k], acceleration[:, k + 1]
    problem.subject_to(velocity[:, k + 1] == velocity[:, k] + dt * (a + b) / 2)
    problem.subject_to(pose[:, k + 1] == pose[:, k] + dt * velocity[:, k] + dt**2 * (2 * a + b) / 6)
for k, tilt in ((0, -TILT), (STEPS, TILT)):
    platform = frame(configuration=configuration[:, k], velocity=still, acceleration=still)
    problem.subject_to(platform["R"][0, 2] == np.sin(tilt))
    problem.subject_to(platform["R"][1, 2] == 0)
    problem.subject_to(platform["p"][2] == HEIGHT)
    problem.subject_to(velocity[:, k] == 0)
problem.subject_to(T >= 0.01)
smooth = ca.sumsqr(acceleration[:, 1:] - acceleration[:, :-1])
problem.minimize(T + 1e-7 * smooth)

side = np.array([-1.0, 0.5, 0.5]) * 0.12 * np.sin(TILT)  # about how much each strut is longer at one side
path = np.linspace(-1, 1, STEPS + 1)[:, None] * side
problem.set_initial(pose, path.T)
problem.set_initial(configuration, robot.configuration(path).T)
problem.set_initial(T, 0.4)
problem.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes"})
found = problem.solve()

duration, poses = float(found.value(T)), np.array(found.value(pose)).T
tau = np.array(found.value(ca.horzcat(*efforts))).T
motion = [np.array(found.value(part)).T for part in (velocity, acceleration)]
again = robot.evaluate("inverse_dynamics", pose=poses, velocity=motion[0], acceleration=motion[1], smoothing=0.05)
print(f"tilts by {np.degrees(2 * TILT):.0f} degrees in {1e3 * duration:.1f} ms with at most {np.abs(tau).max():.1f} N")
differs = np.abs(again["tau"] - tau).max()
print(f"{found.stats()['iter_count']} steps of IPOPT; kernels, which close loops themselves, differ by {differs:.0e} N")

directory = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
directory.mkdir(parents=True, exist_ok=True)
figure = Figure(figsize=(11, 3.6), layout="constrained")
left, *drawings = figure.subplots(1, 3, width_ratios=[2, 1, 1])
t = np.linspace(0, 1e3 * duration, STEPS + 1)
for name, force, style in zip(robot.actuator_names, tau.T, ("-", "-", "--"), strict=True):
    left.plot(t, force, style, marker=".", label=name)
left.axhspan(-LIMIT, LIMIT, color="0.93", zorder=0)
left.set(xlabel="time [ms]", ylabel="force [N]", title="Tripod 3-RPS, quickest tilt with 40 N a strut")
left.legend()
for drawing, state, when in zip(drawings, poses[[0, -1]], ("start", "end"), strict=True):
    pk.draw(robot, state, view="front", ax=drawing).set_title(when)
print("written:", *save(figure, directory, "quickest_tilt"))
