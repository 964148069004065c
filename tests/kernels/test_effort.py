"""LLVM's effort changes no bit: each instruction that it is given rounds once, and it may not trade one for another.

Tests of other folders make code without effort, which takes a quarter of the time. This is what allows them to.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import parakin as pk
from parakin.kernels import Kernel, compiler
from parakin.robot import Robot
from tests.support import SPECIAL, WIDTHS, arithmetic_graph, below_the_checks, same_bits


def evaluated(robot: Robot, model: str, states: dict[str, np.ndarray], effort: int) -> dict[str, np.ndarray]:
    """The outputs of a model whose code was made with an effort, for a batch and, in the last row, for one state."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiler, "EFFORT", effort)
        kernel = Robot(robot.description).kernel(model)
        given_states = {port.name: states[port.name] for port in kernel.inputs if port.name in states}
        batch = kernel.evaluate(given_states)
        one = kernel.evaluate({name: values[0] for name, values in given_states.items()})
    return {name: np.concatenate([values, np.asarray(one[name])[None]]) for name, values in batch.items()}


@pytest.mark.parametrize("model", ["inverse_dynamics", "forward_kinematics"])
@pytest.mark.parametrize("name", ["five_bar", "delta"])
def test_effort_changes_no_bit_of_a_model(name: str, model: str) -> None:
    robot = pk.load(name)
    pose, velocity, acceleration = robot.sample_states(33)
    pose[5] = 10 * pose[5]  # out of reach: a row of NaN
    q = robot.kernel("inverse_kinematics")(pose=pose)["q"]
    states = {"pose": pose, "velocity": velocity, "acceleration": acceleration, "q": np.nan_to_num(q)}
    states["near"] = np.tile(robot.home, (len(pose), 1))
    without, users = (evaluated(robot, model, states, effort) for effort in (0, compiler.EFFORT))
    assert compiler.EFFORT > 0
    for output, values in users.items():
        assert same_bits(np.asarray(values, float), np.asarray(without[output], float)).all(), output


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), size=st.integers(1, 120), width=st.sampled_from(WIDTHS))
def test_effort_changes_no_bit_of_a_graph(seed: int, size: int, width: int) -> None:
    """Zeros, infinities, NaN and subnormals included."""
    rng = np.random.default_rng(seed)
    states = np.where(rng.random((16, 6)) < 0.5, rng.choice(SPECIAL, (16, 6)), rng.normal(size=(16, 6)))
    results: list[np.ndarray] = []
    for effort in (0, compiler.EFFORT):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(compiler, "EFFORT", effort)
            results.append(below_the_checks(Kernel(arithmetic_graph(seed, size)), width)(states)[0])
    assert same_bits(*results).all()
