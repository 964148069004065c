"""A five-bar robot by hand: from a symbolic model to a million poses, to Newton inside compiled code, to C.

    python examples/10_own_model.py [OUTPUT_DIRECTORY]

Two arms of length L1 turn about (-D, 0) and (D, 0); their forearms of length L2 meet at the tool (x, y).
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

import casadi as ca
import numpy as np
from rich.console import Console
from rich.table import Table

import parakin as pk

D, L1, L2 = 0.1, 0.25, 0.35


def arm_angles(p: ca.SX) -> ca.SX:
    """q such that each elbow is L1 from its motor and L2 from the tool: circle meets circle, elbows outwards."""
    angles: list[ca.SX] = []
    for side in (-1.0, 1.0):
        r = p - ca.vertcat(side * D, 0.0)
        distance = ca.norm_2(r)
        toward = ca.atan2(r[1], r[0])
        opening = ca.acos((L1**2 + distance**2 - L2**2) / (2 * L1 * distance))
        angles.append(toward - side * opening)
    return ca.vertcat(*angles)


def inverse_kinematics() -> pk.Kernel:
    p, v = ca.SX.sym("position", 2), ca.SX.sym("velocity", 2)
    q = arm_angles(p)
    function = ca.Function("five_bar_ik", [p, v], [q, ca.jacobian(q, p) @ v], ["position", "velocity"], ["q", "q_dot"])
    return pk.Kernel(function, units={"position": "m", "velocity": "m/s", "q": "rad", "q_dot": "rad/s"})


def forward_kinematics() -> pk.Kernel:
    """Newton on q(position) = q, each state until it has converged."""
    p, q = ca.SX.sym("position", 2), ca.SX.sym("q", 2)
    error = arm_angles(p) - q
    step = ca.solve(ca.jacobian(error, p), error)
    residual = ca.norm_inf(error)
    newton = ca.Function(
        "newton", [p, q], [p - step, residual < 1e-12, residual], ["position", "q"], ["next", "done", "residual"]
    )
    iteration = pk.iterate(pk.stage(newton, next="position"), until="done", limit=20, residual="residual")
    return pk.Kernel(pk.Program(iteration, outputs=("position", "steps", "residual"), name="five_bar_fk"))


def main(directory: Path) -> None:
    console = Console()
    count = 1_000_000
    rng = np.random.default_rng(0)
    position = rng.uniform([-0.15, 0.3], [0.15, 0.45], (count, 2))
    velocity = rng.normal(size=(count, 2))

    ik, fk = inverse_kinematics().compile(), forward_kinematics().compile()
    start = time.perf_counter()
    out = ik(position, velocity)
    ik_seconds = time.perf_counter() - start
    start = time.perf_counter()
    found = fk(position=[0.0, 0.4], q=out["q"])
    fk_seconds = time.perf_counter() - start
    miss = np.abs(found["position"] - position).max()

    table = Table(title=f"Five-bar, {count:,} states")
    for column in ("kernel", "operations", "ns a state", "result"):
        table.add_column(column, justify="left" if column in ("kernel", "result") else "right")
    table.add_row("inverse kinematics", f"{ik.operations.total}", f"{1e9 * ik_seconds / count:.0f}", "q, q_dot")
    steps = f"{found['steps'].mean():.1f} Newton steps, position to {miss:.0e} m"
    table.add_row("forward kinematics", f"{fk.operations.total} a step", f"{1e9 * fk_seconds / count:.0f}", steps)
    console.print(table)

    files = ik.to_c(directory, samples={"position": position[:64], "velocity": velocity[:64]})
    console.print(f"C99 written to {files.source}, {files.header.name} and {files.selftest.name}")
    if shutil.which("gcc"):
        binary = directory / "selftest"
        command = ["gcc", "-std=c99", "-O2", str(files.source), str(files.selftest), "-o", str(binary), "-lm"]
        subprocess.run(command, check=True)
        subprocess.run([str(binary)], check=True)
    else:
        console.print("gcc is not here, so its self-test was not run")
    if miss > 1e-10:
        sys.exit("forward kinematics did not return to where inverse kinematics started")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out"))
