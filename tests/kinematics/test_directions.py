"""Directions of axes, rails and references as inputs of kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import parakin as pk
from parakin.description import describe
from parakin.errors import UnsupportedRobotError

AGREE = 1e-11
"""Of the largest value: rounding of some hundred operations, two of them a normalisation that a file does once."""
SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("delta", "h4", "hexa", "hexaglide", "palida")]
TILT = 0.01
"""Size of the changes of directions, small enough that all poses stay within reach."""


def tilted(robot: pk.Robot) -> tuple[np.ndarray, pk.Robot]:
    """Return directions that are a little off those of a robot, not of unit length, and the robot of such a file."""
    rng = np.random.default_rng(2)
    given = 1.3 * robot.directions + TILT * rng.uniform(-1.0, 1.0, len(robot.directions))
    values = dict(zip(robot.direction_names, given.tolist(), strict=True))
    tables = robot.description.model_dump() | {"symmetries": {}, "legs": [leg.model_dump() for leg in robot.legs]}

    def changed(table: dict[str, Any] | None, key: str, name: str) -> None:
        if table is not None and table.get(key) is not None:
            old = zip("xyz", table[key], strict=True)
            table[key] = [values.get(f"{name}.{axis}", value) for axis, value in old]

    for leg in tables["legs"]:
        for element in leg["elements"]:
            name = f"{leg['name']}.{element['name']}"
            changed(element["joint"], "axis", f"{name}.axis")
            changed(element["joint"], "reference", f"{name}.reference")
            changed(element, "direction", f"{name}.direction")
            changed(element["actuator"], "reference", f"{name}.drive_reference")
        changed(leg["attachment"]["joint"], "axis", f"{leg['name']}.attachment.axis")
        changed(leg["attachment"]["joint"], "reference", f"{leg['name']}.attachment.reference")
    return given, pk.Robot(describe(tables, robot.name))


@pytest.mark.parametrize("name", ["five_bar", "gough_stewart", "orthoglide", "upu_3", *SLOW])
def test_forces_and_angles_are_those_of_a_file_with_the_directions(name: str) -> None:
    robot = pk.load(name)
    given, other = tilted(robot)
    pose, velocity, acceleration = (part[0] for part in robot.sample_states(1, seed=3))
    state = {"pose": pose, "velocity": velocity, "acceleration": acceleration}
    told_apart = False
    for model in ("inverse_dynamics", "inverse_kinematics", "joint_coordinates", "jacobian"):
        asked = state if model == "inverse_dynamics" else {"pose": pose}
        freed = robot.casadi(model, free=("directions",))(**asked, directions=given)
        baked = robot.casadi(model)(**asked)
        for output, value in other.casadi(model)(**asked).items():
            expected = np.array(value)
            scale = np.max(np.abs(expected), initial=0.0)
            assert np.allclose(np.array(freed[output]), expected, rtol=0.0, atol=AGREE * scale)
            told_apart |= bool(np.max(np.abs(np.array(baked[output]) - expected), initial=0.0) > 1e-6 * scale)
    assert told_apart


def test_designs_times_poses_in_one_call_with_dimensions_and_parameters() -> None:
    """The kernel takes all that a design changes, each design beside each pose."""
    robot = pk.load("five_bar")
    kernel = robot.kernel("inverse_dynamics", free=("geometry", "directions", "parameters"))
    pose, velocity, acceleration = robot.sample_states(4, seed=1)
    designs = robot.geometry * np.array([1.0, 1.01, 1.02])[:, None]
    turned, other = tilted(robot)
    directions = np.array([robot.directions, robot.directions, turned])
    out = kernel(
        pose=pose[None],
        velocity=velocity[None],
        acceleration=acceleration[None],
        geometry=designs[:, None],
        directions=directions[:, None],
        parameters=robot.parameters,
    )["tau"]
    assert out.shape == (3, 4, 2)
    assert out[0] == pytest.approx(robot.inverse_dynamics(pose, velocity, acceleration), rel=1e-12)
    reference = other.kernel("inverse_dynamics", free=("geometry",))
    assert out[2] == pytest.approx(reference(pose, velocity, acceleration, designs[2])["tau"], rel=1e-11)


def test_derivatives_by_directions_against_differences() -> None:
    robot = pk.load("five_bar")
    pose = robot.sample(1, seed=7)[0]
    found = robot.derivatives("inverse_kinematics", by=("directions",), pose=pose)["q", "directions"]
    kernel = robot.kernel("inverse_kinematics", free=("directions",))
    for k in range(len(robot.directions)):
        step = 1e-5 * np.eye(len(robot.directions))[k]
        ends = [kernel(pose=pose, directions=robot.directions + sign * step)["q"] for sign in (1, -1)]
        assert found[:, k] == pytest.approx((ends[0] - ends[1]) / 2e-5, abs=1e-8)


def test_what_has_its_directions_baked_in_says_so() -> None:
    with pytest.raises(UnsupportedRobotError, match="have their geometry baked in"):
        pk.load("hexa_offset").kernel("inverse_kinematics", free=("directions",))
    for model in ("inverse_dynamics_observed", "inverse_dynamics_from_encoders"):
        for free in ("geometry", "directions"):
            with pytest.raises(UnsupportedRobotError, match="has its geometry baked in: use inverse_dynamics"):
                pk.load("five_bar").kernel(model, free=(free,))
