"""The cosine motions of [Sinatra2009]."""

from __future__ import annotations

import numpy as np
import pytest

from parakin.errors import UnsupportedRobotError
from parakin.poses import quaternion_from_vector
from parakin.trajectory import cosine, cosine_turn, cosine_x, cosine_z
from tests.trajectory.helpers import (
    MOMENTS,
    STARTS_WITH_ACCELERATION,
    is_refused,
    made,
    robot_named,
    slopes_agree,
)


def test_cosine_motions_are_those_of_the_paper() -> None:
    """[Sinatra2009] eq. (6) with the numbers of eq. (24), z down."""
    robot = robot_named("hexapod_sliding")
    t = np.linspace(0.0, 3.0, 7)
    wave = 1 - np.cos(np.pi / 3 * t)
    np.testing.assert_allclose(cosine_x(robot).at(t).pose[:, 0], 0.1 * wave, atol=1e-15)
    np.testing.assert_allclose(cosine_z(robot).at(t).pose[:, 2], robot.home[2] - 0.15 * wave, atol=1e-15)
    turn = cosine_turn(robot).at(t).pose[:, 3:]
    np.testing.assert_allclose(turn, quaternion_from_vector(np.outer(np.pi / 12 * wave, [0, 0, 1])), atol=1e-15)
    assert not any(made("hexapod_sliding", kind).note for kind in STARTS_WITH_ACCELERATION)
    slopes_agree(cosine(robot, [0.01, 0.02, 0.03, 0.3, -0.2, 0.4]), MOMENTS)
    with pytest.raises(UnsupportedRobotError, match=r"delta: its platform does not turn: choose cosine_x or cosine_z"):
        cosine_turn(robot_named("delta"))


def test_amplitudes_that_cannot_be_are_refused() -> None:
    is_refused(lambda r: cosine(r, [1.0]), r"cosine: amplitude: 3 finite numbers, got \[1\.0\]")
    is_refused(lambda r: cosine(r, [0.0, 0.0, np.nan]), r"cosine: amplitude: 3 finite numbers")
    is_refused(lambda r: cosine(r, [0.0] * 3, 0.0), r"cosine: half_period: must be finite and > 0 s, got 0")
