"""Limits of actuators are those of the robot file, infinite where it has none."""

from __future__ import annotations

import numpy as np

import parakin as pk
from parakin.trajectory.limits import limits_of
from tests.trajectory.helpers import robot_named


def test_limits_are_those_of_the_file() -> None:
    delta, hexapod = limits_of(robot_named("delta")), limits_of(robot_named("gough_stewart"))
    assert delta.speed.tolist() == [18.0] * 3
    assert delta.force.tolist() == [25.0] * 3
    assert delta.lengths == (False,) * 3
    assert hexapod.lengths == (True,) * 6


def test_limits_that_are_not_given_are_infinite() -> None:
    description = robot_named("delta").description.model_copy(deep=True)
    for leg in description.legs:
        for element in leg.elements:
            if element.actuator is not None:
                for name in ("lower", "upper", "speed", "force"):
                    object.__setattr__(element.actuator, name, None)
    bare = pk.Robot(description)
    limits = limits_of(bare)
    assert bare.strokes.lower.tolist() == [-np.inf] * 3
    assert all((values == np.inf).all() for values in (bare.strokes.upper, limits.speed, limits.force))
