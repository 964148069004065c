"""Graphs and programs that several tests of kernels share."""

from __future__ import annotations

import casadi as ca
import numpy as np

import parakin as pk


def smooth_graph(seed: int, size: int, inputs: int = 6) -> ca.Function:
    """A random graph that stays finite and continuous: denominators and radicands are kept positive."""
    rng = np.random.default_rng(seed)
    x = ca.SX.sym("x", inputs)
    values: list[ca.SX] = [x[k] for k in range(inputs)]
    for _ in range(size):
        a, b, c = (values[k] for k in rng.integers(max(0, len(values) - 20), len(values), 3))
        positive = 1 + c**2
        values.append(
            [
                a + b,
                a - b,
                a * b * 0.7,
                a * b - c,
                a / positive,
                b / positive,
                1 / positive,
                ca.sqrt(positive),
                ca.sin(a),
                ca.cos(b),
                ca.atan(a),
                ca.atan2(a, positive),
                ca.tanh(b),
                ca.fabs(a),
                ca.fmin(a, b),
                ca.fmax(a, c),
            ][rng.integers(16)]
        )
    return ca.Function("smooth", [x], [ca.vertcat(*values[-10:])], ["x"], ["y"])


def pendulum_step() -> ca.Function:
    """One explicit Euler step of a driven pendulum."""
    x, u, h = ca.SX.sym("x", 2), ca.SX.sym("u"), ca.SX.sym("h")
    x_next = x + h * ca.vertcat(x[1], u - ca.sin(x[0]) - 0.1 * x[1])
    return ca.Function("euler", [x, u, h], [x_next], ["x", "u", "h"], ["x_next"])


def newton_step() -> ca.Function:
    """Newton for z^3 = a."""
    z, a = ca.SX.sym("z"), ca.SX.sym("a")
    step = (z**3 - a) / (3 * z**2)
    return ca.Function(
        "newton",
        [z, a],
        [z - step, ca.fabs(step) < 1e-12, ca.fabs(z**3 - a)],
        ["z", "a"],
        ["z_next", "done", "residual"],
    )


EULER = pendulum_step()
NEWTON = newton_step()


ROOT = pk.Program(
    pk.iterate(pk.stage(NEWTON, z_next="z"), until="done", limit=40, residual="residual"),
    outputs=("z", "steps", "residual"),
    name="cube_root",
)


def scan_program() -> pk.Program:
    energy = ca.Function("energy", [x := ca.SX.sym("x", 2)], [x[1] ** 2 / 2 - ca.cos(x[0])], ["x"], ["energy"])
    return pk.Program(
        pk.scan(pk.repeat(4, pk.stage(EULER, x_next="x")), energy, inputs=("u",), outputs=("energy",)), outputs=("x",)
    )


def make_function() -> ca.Function:
    """A vector, a number, a sparse matrix in; a vector, a number, a matrix, a sparse matrix out."""
    x, s = ca.SX.sym("x", 3), ca.SX.sym("s")
    a = ca.SX(2, 3)
    entries = ca.SX.sym("a", 4)
    a[0, 0], a[0, 2], a[1, 0], a[1, 1] = entries[0], entries[1], entries[2], entries[3]
    product = a @ x
    triangle = ca.SX(2, 2)
    triangle[0, 0], triangle[1, 0] = s, ca.sin(product[1])
    pattern = ca.Function("pattern", [entries], [a]).sparsity_out(0)
    matrix = ca.SX.sym("A", pattern)
    outputs = [product * s, ca.dot(x, x), x @ x.T, triangle]
    filled = ca.substitute(outputs, [entries], [ca.vertcat(matrix[0, 0], matrix[0, 2], matrix[1, 0], matrix[1, 1])])
    return ca.Function("model", [x, s, matrix], filled, ["x", "s", "A"], ["y", "e", "P", "L"])


FUNCTION = make_function()


def draw(*lead: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(*lead, 2, 3))
    a[..., 0, 1] = a[..., 1, 2] = 0.0
    return rng.normal(size=(*lead, 3)), rng.normal(size=lead), a
