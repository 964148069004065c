"""Eqs. (29) to (65) as printed give the forces of the five-bar, and take fewer operations than Table 3 has."""

from __future__ import annotations

from dataclasses import asdict

import casadi as ca
import numpy as np
import pytest

import parakin as pk
from parakin.dynamics.count import PAPER
from parakin.dynamics.kinematic_elements.balance import balance
from parakin.dynamics.kinematic_elements.observed import elements_seen, seen
from parakin.dynamics.mechanics import mechanics
from parakin.kernels import Kernel
from parakin.robot import Elements
from parakin.studies.common import workspace_states
from parakin.studies.ozgur.routes import PRINTED, five_bar_routes, uniform_five_bar, unseen_motions
from parakin.studies.ozgur.transcribed import transcribed

EXACT = 1e-10
"""Relative difference of forces: both sides solve systems whose condition number is below 50."""


def without_elbow_friction(robot: pk.Robot) -> pk.Robot:
    """Table 2 places the friction of a passive joint on the outer element alone, and so gives other forces."""
    legs = robot.description.model_dump(exclude_defaults=True)["legs"]
    for leg in legs:
        leg["elements"][1]["joint"].pop("friction")
    return robot.replace(legs=legs)


def test_the_equations_as_printed_give_the_forces_of_the_five_bar() -> None:
    robot = without_elbow_friction(uniform_five_bar())
    state = workspace_states(robot, 20, 1.0, 10.0)
    elements, function = robot.elements(*state), transcribed(robot.description, np.eye(3))
    for k, tau in enumerate(robot.inverse_dynamics(*state)):
        given = (elements.x[k].T, elements.x_dot[k].T, elements.x_ddot[k].T)
        assert np.array(function(*map(ca.DM, given))).ravel() == pytest.approx(tau, rel=EXACT, abs=EXACT)


def test_the_equations_as_printed_take_fewer_operations_than_table_3() -> None:
    """An independent transcription counted 198 and 325: no count of ours may be used to call Table 3 too small."""
    counted = five_bar_routes()[PRINTED]
    assert counted.within(PAPER["observed"])
    # other orders of the same products, in eqs. (41) and (65) above all, differ by as much
    assert (counted.additions, counted.multiplications) == pytest.approx((198, 325), rel=0.05)


def test_a_does_not_show_the_constraint_singularity_of_a_3_upu() -> None:
    """Each leg keeps the platform from turning about c_i, the part of x_i across its axis: there c_1, c_2, c_3 depend.

    With roots at 0.3 m and joints of the platform at 0.12 m, and tangents as axes, this is so at twice the difference
    of the radii along x, by hand; actuators hold the platform's translation all the same.
    """
    robot = pk.load("upu_3")
    pose = np.array([[2 * (0.3 - 0.12), 0.0, 0.6]])
    angles = np.radians([0.0, 120.0, 240.0])
    outward = np.column_stack([np.cos(angles), np.sin(angles), 0 * angles])
    tangents = np.column_stack([-np.sin(angles), np.cos(angles), 0 * angles])
    x = pose + (0.12 - 0.3) * outward
    c = x - np.sum(x * tangents, axis=1, keepdims=True) * tangents
    assert np.linalg.cond(c) > 1 / EXACT
    elements = robot.elements(pose, 0 * pose, 0 * pose)
    assert elements.x[0] == pytest.approx(x / np.linalg.norm(x, axis=1, keepdims=True))
    assert np.linalg.cond(observed_matrix(robot, elements)) < 10.0  # 6 here, 5 at home


def observed_matrix(robot: pk.Robot, elements: Elements) -> np.ndarray:
    """A of A Gamma + b = 0 at one state."""
    made = mechanics(robot.description, robot.payload)
    given = seen(made.legs, made.moving.motion.planar)
    A = balance(made, elements_seen(made, given)).A
    function = Kernel(ca.Function("A", list(given.inputs.values()), [A], list(given.inputs), ["A"]))
    values = asdict(elements)
    return function.evaluate({socket.name: values[socket.name] for socket in function.inputs})["A"][0]


def test_eq_41_divides_by_zero_where_a_leg_is_stretched() -> None:
    robot = uniform_five_bar()
    state = workspace_states(robot, 1, 1.0, 10.0)
    elements, function = robot.elements(*state), transcribed(robot.description, np.eye(3))
    x, x_dot, x_ddot = (np.array(each[0].T) for each in (elements.x, elements.x_dot, elements.x_ddot))
    assert np.isfinite(np.array(function(x, x_dot, x_ddot))).all()
    x[:, 1] = x[:, 0]
    assert not np.isfinite(np.array(function(x, x_dot, x_ddot))).any()


def test_a_shaft_that_turns_about_its_line_is_not_seen() -> None:
    assert unseen_motions(pk.load("delta_shaft")) == 1
    assert unseen_motions(pk.load("quattro")) == 0
