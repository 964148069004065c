"""A pose of platform components: a free joint from the base to the platform names them."""

from __future__ import annotations

import numpy as np
import pytest

from parakin.robot import Robot
from tests.mechanisms import described

AGREES = 1e-9
"""Largest difference of motor forces, relative to the largest one."""


def with_platform_pose(name: str, *parts: str) -> Robot:
    """A reference mechanism whose pose is these components of its platform."""
    one = described(name)
    free: dict[str, object] = {"name": "pf", "type": "free", "parent": "world", "child": one.output.body}
    place = Robot(one).body_frames(Robot(one).home)
    k = [body.name for body in one.bodies].index(one.output.body)
    w = np.sqrt(1 + np.trace(place.R[k])) / 2
    R = place.R[k]
    turn = [w, *(np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (4 * w))]
    free["home"] = [*place.p[k], *turn]
    tables = one.model_dump()
    tables |= {"joints": [*tables["joints"], free], "independent": [f"pf.{part}" for part in parts]}
    return Robot(type(one).model_validate(tables))


@pytest.mark.parametrize(
    ("name", "parts"),
    [("3rps", ("z", "wx", "wy")), ("gough_stewart_offset", ("x", "y", "z", "wx", "wy", "wz"))],
)
def test_forces_do_not_depend_on_what_a_pose_is(name: str, parts: tuple[str, ...]) -> None:
    by_motors, by_platform = Robot(described(name)), with_platform_pose(name, *parts)
    assert by_platform.pose_names == tuple(f"pf.{part}" for part in parts)
    pose, velocity, acceleration = by_platform.sample_states(5, seed=1)
    q = by_platform.inverse_kinematics(pose)
    rates = by_platform.actuator_velocity(pose, velocity)
    q_ddot = by_platform.actuator_acceleration(pose, velocity, acceleration)
    tau = by_platform.inverse_dynamics(pose, velocity, acceleration)
    assert np.isfinite(tau).all()
    assert by_platform.forward_kinematics(q) == pytest.approx(pose, abs=1e-11)
    reference = by_motors.inverse_dynamics(q, rates, q_ddot)
    assert np.max(np.abs(tau - reference)) < AGREES * np.max(np.abs(reference))
