"""Every public method and property of `Robot`, on every machine of the library: it runs, or is announced as missing."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import parakin as pk
from parakin.arrays import Array
from parakin.dynamics.mechanics import Acting
from parakin.errors import CapabilityError
from parakin.errors.capabilities import CAPABILITIES, LEGS
from parakin.motions.offsets import displaced
from parakin.robot import Robot
from tools.capability_table import LACKING, features_of, page

SOON = ("five_bar", "four_bar")
"""Machines whose models are small; others are walked by `make slow`."""
MACHINES = [pytest.param(name, marks=() if name in SOON else pytest.mark.slow) for name in pk.library()]
NEAR_HOME = 0.05
"""Fraction of the box; at home itself the cone angle of a joint can be 0, where it has no rate (orthoglide)."""
PAGE = Path(__file__).parents[2] / "docs" / "capabilities.md"


def calls(robot: Robot, folder: Path) -> dict[str, Callable[[], object]]:
    """Return a call of every public method near home, and a look at every other public name."""
    n, m = robot.degrees_of_freedom, len(robot.actuators)
    pose = displaced(robot.coordinates, robot.home, NEAR_HOME * robot.box[1])
    velocity, acceleration, tau = np.full(n, 0.01), np.full(n, 0.02), np.zeros(m)
    state = {"pose": pose, "velocity": velocity, "acceleration": acceleration}
    q = robot.inverse_kinematics(pose)
    given: dict[str, tuple[object, ...]] = dict.fromkeys(AT_POSES, (pose,))
    given |= dict.fromkeys(AT_RATES, (pose, velocity)) | dict.fromkeys(AT_STATES, (pose, velocity, acceleration))
    given |= dict.fromkeys(("assembly_modes", "forward_kinematics"), (q,)) | dict.fromkeys(
        ("regressors",), four_states(robot)
    )
    given |= dict.fromkeys(("configurations", "led_from_home"), (pose[None],))
    given |= {"forward_dynamics": (pose, velocity, tau), "casadi": ("inverse_dynamics",), "content": ("a test",)}
    given |= {"frame": ("output", pose), "frame_motion": ("output", *state.values()), "kernel": ("jacobian",)}
    given |= {"inverse_dynamics_from_encoders": (q, tau, tau), "linear_kernels": ("payload",), "placed": (Acting(),)}
    given |= {"platform_velocity": (pose, tau), "platform_acceleration": (pose, velocity, tau), "sample": (2,)}
    given |= {"poses_with": (q[None], robot.home_configuration[None]), "pose_of": (robot.home_configuration,)}
    given |= {"regressor_triangle": four_states(robot), "sample_states": (2,), "spin_inertia": (robot.body_names[0],)}
    given |= {"to_c": ("jacobian", folder), "unit_length": (robot.home_configuration,), "with_payload": (0.1,)}
    given |= {"with_parameters": (robot.parameters, "a test"), "to_toml": (), "base_parameters": (), "replace": ()}
    asked: dict[str, Callable[[], object]] = {
        name: lambda name=name: getattr(robot, name)(*given[name]) for name in given
    }
    asked |= {
        "compare": lambda: robot.compare(*four_states(robot), formulation="body-by-body"),
        "derivatives": lambda: robot.derivatives("static_forces", pose=pose),
        "evaluate": lambda: robot.evaluate("inverse_kinematics", pose=pose),
        "inverse_dynamics_observed": lambda: robot.inverse_dynamics_observed(robot.elements(*state.values())),
        "linearize": lambda: robot.linearize(pose, 0 * velocity, tau, smoothing=0.01),
        "run_at": lambda: robot.run_at(
            robot.linear_kernels("payload").rows,
            robot.configuration(pose),
            velocity=velocity,
            acceleration=acceleration,
            tau=tau,
        ),
        "some_assembly_modes": lambda: robot.some_assembly_modes(q, starts=2),
    }
    names = {name for name in dir(robot) if not name.startswith("_")}
    methods = {name for name in names if inspect.isfunction(inspect.getattr_static(Robot, name, None))}
    assert asked.keys() == methods, "every method is called, with what it takes"
    return asked | {name: lambda name=name: getattr(robot, name) for name in names - methods}


AT_POSES = (
    *("body_frames", "check", "condition", "configuration", "gravity", "inverse_kinematics", "jacobian"),
    *("known_forces", "limited_values", "mass_matrix", "places", "platform_frame", "points", "static_forces"),
)
"""Methods of a pose."""
AT_RATES = ("actuator_velocity", "bias", "coriolis_matrix", "energy", "jacobian_rate")
"""Methods of a pose and a velocity."""
AT_STATES = (
    *("actuator_acceleration", "actuator_power", "bodies", "elements", "graph_state", "inverse_dynamics"),
    *("joint_wrenches", "joints", "output", "regressor"),
)
"""Methods of a pose, a velocity and an acceleration."""


def four_states(robot: Robot) -> tuple[Array, Array, Array]:
    """Return four states of the box."""
    return robot.sample_states(4)


@pytest.mark.parametrize("name", MACHINES)
def test_every_method_runs_or_is_announced_as_missing(name: str, tmp_path: Path) -> None:
    robot = pk.load(name)
    lacking = {
        feature: capability
        for capability in CAPABILITIES
        if LACKING[capability](robot)
        for feature in features_of(capability)
    }
    for member, call in calls(robot, tmp_path).items():
        if member in lacking:
            with pytest.raises(CapabilityError) as refused:
                call()
            assert f"needs {lacking[member].needs}" in str(refused.value), member
        else:
            call()


def test_the_page_is_what_the_errors_are_made_of() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "write it anew: python -m tools.capability_table"


def test_errors_say_what_is_missing_why_and_what_to_use() -> None:
    assert str(LEGS.error("four_bar", "points")) == (
        "four_bar: is described by bodies and joints, and points needs legs and a platform: use body_frames"
    )
    with pytest.raises(CapabilityError, match=r"legs and a platform, and plan needs .*: use graph\.plan"):
        _ = pk.load("hexa_offset").plan
