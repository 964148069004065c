"""Controllers for microcontrollers: no C library, no warning, little stack, and the recorded forces on a Cortex-M7."""

from __future__ import annotations

from pathlib import Path

import pytest

import parakin as pk
from parakin import control
from parakin.export import export_controller
from tests.cortex_m import CORES, compiled, missing, ran

MOST_STACK = 8192
"""Bytes that a tick may take on the stack: a task of a small real-time system has as many."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(missing()), reason=f"apt-get install gcc-arm-none-eabi qemu-system-arm: {missing()}"),
]


@pytest.mark.parametrize(
    ("robot", "law"),
    [
        *(("five_bar", law) for law in control.LAWS),
        ("h4", "computed_torque"),
        ("delta", "predictive_functional"),
        ("gough_stewart", "feedforward"),
        ("tripod_3rps", "computed_torque"),
    ],
)
def test_a_controller_repeats_its_loop_on_a_microcontroller(robot: str, law: str, tmp_path: Path) -> None:
    files = export_controller(control.law(law, pk.load(robot)), tmp_path / "law")
    for core in CORES:
        size = compiled(files, core, tmp_path)
        assert size.data == 0, "nothing but constants outlives a tick"
        assert 0 < size.stack < MOST_STACK
    wrong, instructions = ran(files, tmp_path)
    assert wrong == 0
    assert instructions > 0


def test_single_precision_repeats_its_loop_on_a_microcontroller(tmp_path: Path) -> None:
    files = export_controller(control.law("computed_torque", pk.load("h4")).in_single(), tmp_path / "law")
    for core in CORES:
        assert 0 < compiled(files, core, tmp_path).stack < MOST_STACK
    wrong, instructions = ran(files, tmp_path)
    assert wrong == 0
    assert instructions > 0
