"""A file with every law of a joint, as a user would write it: gears, a screw, springs, friction, limits."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from parakin.kinematics.status import Status
from parakin.mechanism import parse_mechanism
from parakin.robot import Robot

DOCS = Path(__file__).parents[2] / "docs" / "machines"
ROUNDING = 1e-14
"""Largest difference from the same sum taken by hand."""
LEAD = -0.01 / (2 * math.pi)
"""Way of the nut in a radian of the motor [m]: it does not turn, so that it goes against the spindle."""
PRESS = """
name = "press"
title = "A lead screw with a geared wheel and a spring"
source = "assumed"
independent = ["motor.angle"]
output = { body = "nut" }
bodies = [
  { name = "spindle", mass = 0.5, inertia = [[1e-3, 0, 0], [0, 1e-3, 0], [0, 0, 2.5e-5]] },
  { name = "nut", mass = 0.3 },
  { name = "wheel", mass = 0.2, com = [0.1, 0, 0], inertia = [[2e-4, 0, 0], [0, 2e-4, 0], [0, 0, 2.5e-4]] },
]

[[joints]]
name = "motor"
type = "revolute"
parent = "world"
child = "spindle"
freedoms.angle.drive = { rotor_inertia = 1e-4, gear_ratio = 3.0 }
freedoms.angle.friction = { viscous = 0.02, coulomb = 0.1 }
freedoms.angle.lower = -3.0
freedoms.angle.upper = 3.0

[[joints]]
name = "thread"
type = "screw"
pitch = 0.01
parent = "spindle"
child = "nut"
freedoms.angle = { friction = { viscous = 1e-3 } }

[[joints]]
name = "guide"
type = "prismatic"
parent = "world"
child = "nut"
freedoms.travel.spring = { stiffness = 900.0, rest = 0.01 }
freedoms.travel.friction = { viscous = 4.0, coulomb = 2.0 }
freedoms.travel.lower = -0.001
freedoms.travel.upper = 0.001

[[joints]]
name = "wheel"
type = "revolute"
parent = "world"
child = "wheel"
parent_frame = { position = [0.1, 0.0, 0.0] }

[[couplings]]
terms = [{ coordinate = "motor.angle", factor = 1.0 }, { coordinate = "wheel.angle", factor = 2.0 }]
"""


def test_forces_of_springs_gears_screws_and_friction_add_up() -> None:
    press = Robot(parse_mechanism(PRESS.encode(), "press.toml"))
    angle, rate, growth = np.random.default_rng(1).normal(size=(3, 8))
    inertia = 2.5e-5 + 9 * 1e-4 + 2.5e-4 / 4 + 0.3 * LEAD**2
    expected = inertia * growth + 0.02 * rate + 0.1 * np.sign(rate) + 1e-3 * rate
    pushed = 0.3 * 9.81 + 900.0 * (LEAD * angle - 0.01) + 4.0 * LEAD * rate + 2.0 * np.sign(LEAD * rate)
    tau = press.inverse_dynamics(angle[:, None], rate[:, None], growth[:, None])
    assert np.max(np.abs(tau[:, 0] - expected - LEAD * pushed)) < ROUNDING


def test_limits_of_joints_are_judged_strokes_first() -> None:
    press = Robot(parse_mechanism(PRESS.encode(), "press.toml"))
    pose = np.array([[0.0], [2.0], [3.5]])
    wanted = [Status.GOOD, Status.JOINT_LIMIT, Status.OUT_OF_STROKE]
    assert [Status(int(one)) for one in press.check(pose)] == wanted
    forces = press.evaluate("inverse_dynamics", pose=pose, velocity=0 * pose, acceleration=0 * pose)
    assert [Status(int(one)) for one in forces.status] == wanted
    assert np.isfinite(forces["tau"]).all()


@pytest.mark.parametrize("name", ["ankle", "exechon"])
def test_machines_of_the_pages_move_within_their_boxes(name: str) -> None:
    one = Robot(parse_mechanism((DOCS / f"{name}.toml").read_bytes(), name))
    pose, velocity, acceleration = one.sample_states(50)
    assert np.all(one.check(pose) == Status.GOOD)
    tau = one.inverse_dynamics(pose, velocity, acceleration)
    assert np.allclose(one.forward_dynamics(pose, velocity, tau), acceleration, rtol=0, atol=1e-9)
    assert (one.plan.loose, one.plan.idle) == (0, 0)
