"""Models to measure kernels with. They have the size and texture of robot dynamics; they are not validated robots."""

from __future__ import annotations

import casadi as ca
import numpy as np

from parakin.spatial import rotation_of_quaternion

GRAVITY = ca.DM([0.0, 0.0, -9.81])


def turning(w: ca.SX, w_dot: ca.SX, r: ca.SX) -> ca.SX:
    """Acceleration of a point at r of a body that turns about its origin."""
    return ca.cross(w_dot, r) + ca.cross(w, ca.cross(w, r))


def strut(p_AC: ca.SX, v_C: ca.SX, a_C: ca.SX, axis: ca.DM) -> tuple[ca.SX, ca.SX, ca.SX]:
    """Direction of a telescopic strut, the force its two bodies ask of its tip, and of its actuator."""
    d = ca.norm_2(p_AC)
    x = p_AC / d
    d_dot = ca.dot(x, v_C)
    x_dot = (v_C - d_dot * x) / d
    d_ddot = ca.dot(x, a_C) + d * ca.dot(x_dot, x_dot)
    x_ddot = (a_C - 2 * d_dot * x_dot - d_ddot * x) / d
    axis_2 = ca.cross(x, axis)
    axis_2 = axis_2 / ca.norm_2(axis_2)
    normal = ca.cross(axis, axis_2)
    w = ca.cross(x, x_dot)
    w = w - ca.dot(w, normal) / ca.dot(x, normal) * x
    w_dot = ca.cross(x, x_ddot)
    R = ca.horzcat(x, axis_2, ca.cross(x, axis_2))

    moment = ca.SX.zeros(3)
    axial = ca.SX(0)
    bodies = (
        (3.0, [0.2, 0.01, 0.02], [0.01, 0.10, 0.12], 0),
        (2.0, [-0.25, 0.003, 0.001], [0.005, 0.08, 0.07], 1),
    )
    for mass, centre, inertia, slides in bodies:
        r = R @ ca.DM(centre) + slides * d * x
        a = turning(w, w_dot, r) + slides * (d_ddot * x + 2 * d_dot * ca.cross(w, x))
        force = mass * (a - GRAVITY)
        spin = R.T @ w
        J = ca.DM(np.diag(inertia) + 0.001)
        moment += ca.cross(r, force) + R @ (J @ (R.T @ w_dot) + ca.cross(spin, J @ spin))
        axial += slides * ca.dot(force, x)
    across = ca.cross(moment, x) / d
    return x, normal * (ca.dot(moment, x) / d / ca.dot(x, normal)) - across, axial


def hexapod() -> ca.Function:
    """Wrench balance of a platform on six struts: pose, velocity and acceleration to six forces."""
    pose, velocity, acceleration = ca.SX.sym("pose", 7), ca.SX.sym("velocity", 6), ca.SX.sym("acceleration", 6)
    p, R = pose[:3], rotation_of_quaternion(pose[3:])
    v, w, a, w_dot = velocity[:3], velocity[3:], acceleration[:3], acceleration[3:]
    inertia = R @ ca.DM(np.diag([1.1, 1.3, 1.9]) + 0.1) @ R.T
    p_ES = R @ ca.DM([0.01, 0.02, 0.05])
    force = 20 * (a + turning(w, w_dot, p_ES) - GRAVITY)
    moment = ca.cross(p_ES, force) + inertia @ w_dot + ca.cross(w, inertia @ w)
    columns: list[ca.SX] = []
    axial: list[ca.SX] = []
    for k in range(6):
        at_base = 2 * np.pi * (k // 2) / 3 + (-1) ** k * 0.3
        at_platform = at_base + 0.4 * (-1) ** k
        p_OA = ca.DM([0.8 * np.cos(at_base), 0.8 * np.sin(at_base), 0.01 * k])
        p_EC = R @ ca.DM([0.4 * np.cos(at_platform), 0.4 * np.sin(at_platform), 0.02 * k])
        x, tip, own = strut(
            p + p_EC - p_OA,
            v + ca.cross(w, p_EC),
            a + turning(w, w_dot, p_EC),
            ca.DM([np.cos(at_base), np.sin(at_base), 0.0]),
        )
        force += tip
        moment += ca.cross(p_EC, tip)
        columns.append(ca.vertcat(x, ca.cross(p_EC, x)))
        axial.append(own)
    tau = ca.solve(ca.horzcat(*columns), ca.vertcat(force, moment)) + ca.vertcat(*axial)
    names = ["pose", "velocity", "acceleration"]
    return ca.Function("hexapod", [pose, velocity, acceleration], [tau], names, ["tau"], {"cse": True})


def hexapod_states(count: int, seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    pose = np.concatenate([rng.normal([0, 0, 1], 0.05, (count, 3)), rng.normal([1, 0, 0, 0], 0.05, (count, 4))], axis=1)
    return [pose, rng.normal(size=(count, 6)), rng.normal(size=(count, 6))]


def random_graph(operations: int, *, transcendental: bool, inputs: int = 20, seed: int = 0) -> ca.Function:
    """A random expression graph of about so many operations, values kept near one."""
    rng = np.random.default_rng(seed)
    x = ca.SX.sym("x", inputs)
    values: list[ca.SX] = [x[k] for k in range(inputs)]
    functions = (ca.sin, ca.cos, ca.atan, ca.tanh)
    placed = 0
    while placed < operations:
        a, b, c = (values[k] for k in rng.integers(max(0, len(values) - 60), len(values), 3))
        if transcendental and rng.random() < 0.2:
            values.append(functions[rng.integers(len(functions))](a))
            placed += 1
        else:
            values.append(a * b * 0.5 + c * 0.3 if rng.random() < 0.5 else a * 0.6 - b * c * 0.2)
            placed += 4
    outputs = ca.vertcat(*values[-40:])
    return ca.Function("random_graph", [x], [outputs], ["x"], ["y"])
