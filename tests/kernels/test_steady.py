"""C without branches: the same values as the kernel, the functions within their bounds, nothing left to branch on."""

from __future__ import annotations

import ctypes
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from parakin.kernels import Kernel
from parakin.kernels.c_math import steady_prelude
from parakin.kernels.c_source import c_source
from tests.c_code import STRICT, all_operations
from tests.kernels.lane_functions import ULPS, arguments, kernel_of
from tests.support import SPECIAL, below_the_checks

FUNCTIONS = sorted(ULPS.keys() - {"pow"})
ROUNDING = 1e-14
"""Relative: functions of both differ by a few units of the last place."""


def steady_text(kernels: list[Kernel]) -> str:
    parts = [
        c_source(k.plan, k.inputs, k.outputs, f"c_{k.name}", reciprocals=k.reciprocals, steady=True).definitions
        for k in kernels
    ]
    definitions = "\n".join(parts)
    prototypes = "".join(f"{signature};\n" for signature in re.findall(r"^(void c_[^{]*)$", definitions, re.MULTILINE))
    return f"#include <math.h>\n#include <stdint.h>\n\n{steady_prelude(definitions)}\n{prototypes}\n{definitions}"


def compiled(text: str, directory: Path) -> ctypes.CDLL:
    (directory / "steady.c").write_text(text)
    library = directory / "steady.so"
    subprocess.run([*STRICT, "-shared", "-fPIC", str(directory / "steady.c"), "-o", str(library), "-lm"], check=True)
    return ctypes.CDLL(str(library))


def called(library: ctypes.CDLL, name: str, inputs: list[np.ndarray], sizes: list[int]) -> list[np.ndarray]:
    """One state a row."""
    outputs = [np.zeros((len(inputs[0]), size)) for size in sizes]
    function = getattr(library, f"c_{name}")
    for k in range(len(inputs[0])):
        function(*(ctypes.c_void_p(array[k].ctypes.data) for array in (*inputs, *outputs)))
    return outputs


@pytest.fixture(scope="module")
def functions(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    return compiled(steady_text([kernel_of(name) for name in FUNCTIONS]), tmp_path_factory.mktemp("steady"))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_those_of_kernels(name: str, functions: ctypes.CDLL) -> None:
    """Both within ULPS of the truth, so within twice that of each other; special values alike."""
    every = arguments(name)
    states = np.concatenate([every[: -(len(SPECIAL) ** 2) : 5], every[-(len(SPECIAL) ** 2) :]])
    want = below_the_checks(kernel_of(name), 1)(states)[0][:, 0]
    got = called(functions, name, [states], [1])[0][:, 0]
    assert np.array_equal(np.isnan(got), np.isnan(want))
    numbers = np.isfinite(want)
    assert np.array_equal(got[np.isinf(want)], want[np.isinf(want)])
    assert np.array_equal(np.signbit(got[numbers]), np.signbit(want[numbers]))
    apart = np.abs(got[numbers] - want[numbers]) / np.spacing(np.abs(want[numbers]))
    assert apart.max() <= 2 * ULPS[name], states[numbers][apart.argmax()]


def test_every_operation_gives_the_value_of_the_kernel(tmp_path: Path) -> None:
    kernel = Kernel(all_operations(), contraction=False)
    text = steady_text([kernel])
    x = np.random.default_rng(1).uniform(-1, 1, (400, 4))
    x[::7, 1] = x[::7, 0]  # equal, neither less nor more
    want = kernel(x, np.zeros((400, 2)))
    got = called(compiled(text, tmp_path), kernel.name, [x, np.zeros((400, 2))], [s.size for s in kernel.outputs])
    for socket, values in zip(kernel.outputs, got, strict=True):
        expected = np.asarray(want[socket.name]).reshape(values.shape)
        assert np.allclose(values, expected, rtol=ROUNDING, atol=ROUNDING)
    body = text[text.index("void c_everything") :]
    assert not re.search(r"\?|\b(if|for|while|goto)\b|&&|\|\|", body)
