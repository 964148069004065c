"""Every model of every robot as WebAssembly has the bits of its kernel without fused operations."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import parakin as pk
from parakin.description import library
from parakin.dynamics.leg_models import LEG_FORCE_MODELS, LEG_MOTION_MODELS
from parakin.kinematics.status import Status
from tests.kernels.test_wasm import assert_equal, assert_within_limits
from tests.robots import twins_later
from tests.wasm_modules import WasmKernel

EACH = 64
"""States of each kind."""
USUAL = ("inverse_kinematics", "forward_kinematics")
"""Models that are looked at for every robot but the largest in every run of the tests."""
FORCES = ("delta", "five_bar", "gough_stewart", "h4", "palida")
"""Robots whose inverse dynamics is looked at in every run of the tests."""
MODELS = (*LEG_MOTION_MODELS, "forward_kinematics", *LEG_FORCE_MODELS)


@cache
def states(name: str) -> dict[str, np.ndarray]:
    """Inputs by name: usual states, some out of reach, some turned far or in singular poses, some extreme, some NaN."""
    robot = pk.load(name)
    rng = np.random.default_rng(0)
    pose, velocity, acceleration = robot.sample_states(EACH)
    q = np.asarray(robot.kernel("inverse_kinematics")(pose=pose)["q"])
    usual = {
        "pose": pose,
        "near": pose,
        "velocity": velocity,
        "acceleration": acceleration,
        "reference_velocity": velocity[::-1],
        "q": q,
        "q_dot": rng.normal(size=q.shape),
        "q_ddot": rng.normal(size=q.shape),
        "tau": rng.normal(size=q.shape),
    }
    elements = robot.kernel("elements")(pose=pose, velocity=velocity, acceleration=acceleration)
    usual |= {key: np.asarray(values, float) for key, values in elements.items() if key not in (*usual, "status")}
    return {key: np.concatenate([values, *_unusual(key, values, rng)]) for key, values in usual.items()}


def _unusual(key: str, values: np.ndarray, rng: np.random.Generator) -> list[np.ndarray]:
    far, turned, extreme, broken = (values.copy() for _ in range(4))
    spatial = key in ("pose", "near") and values.shape[1] == 7
    linear = slice(0, 3) if spatial else slice(None)
    far[:, linear] *= rng.uniform(0.5, 3.0, (EACH, *[1] * (values.ndim - 1)))
    turned[:, linear] = turned[:1, linear]
    turned[: EACH // 2, linear] = 0.0
    if spatial:
        turned[:, 3:] = rng.normal(size=(EACH, 4))
        turned[::4, 3:] = 1.0, 0.0, 0.0, rng.choice([-1.0, 1.0])  # a quarter turn about z
        turned[:, 3:] /= np.linalg.norm(turned[:, 3:], axis=1)[:, None]
    extreme[:, linear] *= np.resize(
        [1e12, 1e30, 1e-200, 1e40, 1e49, 1e60, 1e300, 5e-324], (EACH, *[1] * (values.ndim - 1))
    )
    broken[::3, 0], broken[1::3, -1] = np.nan, np.inf
    return [far, turned, extreme, broken]


def look(name: str, model: str) -> set[int]:
    """Compare the module with the kernel; returns the statuses that were met."""
    robot = pk.load(name)
    kernel = pk.Kernel(robot.kernel(model).program, status="status", contraction=False)
    inputs = {socket.name: states(name)[socket.name] for socket in kernel.inputs}
    data = robot.kernel(model).to_wasm()
    assert_within_limits(data)
    return set(assert_equal(kernel, WasmKernel(data), inputs)["status"].tolist())


@pytest.mark.parametrize("name", twins_later(sorted(set(library()) - {"hexa_offset"})))  # takes as long as four others
def test_kinematics_and_forces(name: str) -> None:
    models = (*USUAL, "inverse_dynamics") if name in FORCES else USUAL
    met = set[int]().union(*(look(name, model) for model in models))
    assert met >= {Status.GOOD, Status.UNUSABLE}
    assert met & {Status.UNREACHABLE, Status.NOT_CONVERGED, Status.SINGULAR}


@pytest.mark.parametrize("model", sorted(set(MODELS) - {*USUAL, "inverse_dynamics"}))
def test_every_model_of_a_small_robot(model: str) -> None:
    look("five_bar", model)


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", library())
def test_every_model_of_every_robot(name: str, model: str) -> None:
    try:
        pk.load(name).kernel(model)
    except pk.ParakinError as error:
        pytest.skip(str(error))  # forces from encoders alone are not there for every robot
    look(name, model)
