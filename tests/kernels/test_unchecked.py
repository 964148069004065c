"""Inputs that a model judges itself reach it as they come; all others are judged as ever."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from parakin.errors import KernelInputError, UnsupportedModelError
from parakin.kernels import Kernel
from tests.wasm_modules import WasmKernel

x, y = ca.SX.sym("x", 2), ca.SX.sym("y", 2)
CHOSEN = ca.Function("chosen", [x, y], [ca.if_else(ca.sumsqr(x) < 1e100, x, y)], ["x", "y"], ["z"])
"""x where it is finite, y elsewhere."""


def test_what_is_unchecked_reaches_the_model() -> None:
    kernel = Kernel(CHOSEN, unchecked="x")
    assert kernel([np.nan, 1.0], [3.0, 4.0])["z"].tolist() == [3.0, 4.0]
    rows = np.array([[1.0, 2.0], [np.nan, 1.0], [-np.inf, 0.0], [1e300, 1.0], [5.0, 6.0]] * 5)
    expected = np.where(np.isin(np.arange(25) % 5, (1, 2, 3))[:, None], [3.0, 4.0], rows)
    assert kernel(rows, [3.0, 4.0])["z"].tolist() == expected.tolist()


def test_all_others_are_judged() -> None:
    kernel = Kernel(CHOSEN, unchecked=("x",))
    with pytest.raises(KernelInputError, match=r"y\[1\]: expected a finite number, got nan"):
        kernel([np.nan, 1.0], [3.0, np.nan])
    found = kernel(np.ones((2, 2)), [[1.0, 2.0], [np.inf, 2.0]])["z"]
    assert found[0].tolist() == [1.0, 1.0]
    assert np.isnan(found[1]).all()
    with pytest.raises(UnsupportedModelError, match="has no 'z'; it has x, y"):
        Kernel(CHOSEN, unchecked="z")


def test_webassembly_does_the_same() -> None:
    module = WasmKernel(Kernel(CHOSEN, contraction=False, unchecked="x").to_wasm())
    found = module(x=np.array([[np.nan, 1.0], [1.0, 2.0]]), y=np.array([[3.0, 4.0], [np.nan, 0.0]]))["z"]
    assert found[0].tolist() == [3.0, 4.0]
    assert np.isnan(found[1]).all()
