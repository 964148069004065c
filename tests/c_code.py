"""How generated C is compiled and its self-test run."""

from __future__ import annotations

import subprocess
from pathlib import Path

import casadi as ca
import numpy as np

from tests.support import FUNCTIONS

STRICT = ["gcc", "-std=c99", "-O2", "-fno-math-errno", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror"]


SANITIZED = [*STRICT, "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


def selftest(directory: Path, name: str, compiler: list[str] = STRICT) -> subprocess.CompletedProcess[str]:
    sources = [str(directory / f"{name}.c"), str(directory / f"{name}_selftest.c")]
    binary = str(directory / "selftest")
    subprocess.run([*compiler, *sources, "-o", binary, "-lm"], check=True)
    return subprocess.run([binary], capture_output=True, text=True, check=False)


def all_operations() -> ca.Function:
    """Every operation there is, on arguments where it is defined."""
    x = ca.SX.sym("x", 4)
    a, b, c, d = (x[k] for k in range(4))
    positive = 1.5 + a
    outputs = [
        f(c, b) if name in ("atan2",) else f(c * 0.5) for name, f in FUNCTIONS.items() if name not in ("log", "pow")
    ]
    outputs += [
        ca.log(positive),
        positive**b,
        ca.sqrt(positive),
        a / (2 + b),
        1 / (2 + b),
        c / (2 + b),
        -a,
        2 * b,
        a**2,
    ]
    outputs += [ca.fabs(a), ca.sign(b), ca.floor(5 * c), ca.ceil(5 * d), ca.fmin(a, b), ca.fmax(c, d)]
    outputs += [ca.fmod(7 * a, 2 + b), ca.copysign(a, b), a < b, a <= b, ca.eq(a, b), ca.ne(a, b)]
    outputs += [ca.logic_and(a < 0, b), ca.logic_or(a < 0, b < 0), ca.logic_not(c), ca.if_else(a < b, c, d)]
    outputs += [ca.SX(1) / 3, ca.SX(-np.inf) * 0 + 1, ca.if_else(a < 5, 1, np.inf), ca.if_else(a < 5, 1, np.nan)]
    return ca.Function(
        "everything", [x, ca.SX.sym("unused", 2)], [ca.vertcat(*outputs[:-3]), a], ["x", "sin"], ["y", "t1"]
    )
