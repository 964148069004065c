"""The regrouped form is the textbook form: as exact, as accurate, and solved as stably."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import parakin as pk
from parakin.description import Joint, describe
from parakin.dynamics.formulations import FORMULATIONS
from parakin.dynamics.mechanics import mechanics
from parakin.dynamics.platform import platform_inertia
from parakin.dynamics.virtual_work.driven_bar import _bar_fits
from parakin.kinematics.status import SMALLEST_PIVOT
from parakin.linalg.solve import (
    good_order,
    solve_in_order,
    solve_minimum_norm,
    solve_pivoted,
    solve_positive_definite,
)
from parakin.motions.offsets import sampled
from parakin.poses import quaternion_from_vector
from tests.extended import evaluated
from tests.machines import hexagon
from tests.reference import ROBOTS, UNIQUE, moved_base, turned_pose
from tests.robots import twins_later
from tests.states import states
from tests.variants import frictionless

EPS = float(np.finfo(float).eps)
WORSE = 3
"""Errors of a few states scatter by this much between equally good forms."""
LAST_PLACES = 5
"""Errors this small, in units in the last place, are no loss: the textbook form has 2 to 3."""


def forces(robot: pk.Robot, formulation: str) -> ca.Function:
    made = mechanics(robot.description, robot.payload)
    moving = made.moving
    tau = FORMULATIONS[formulation].tau(made).tau
    return ca.Function(
        "tau", [moving.pose, moving.velocity, moving.acceleration], [tau], ["pose", "velocity", "acceleration"], ["tau"]
    )


def error(function: ca.Function, arguments: tuple[np.ndarray, ...]) -> float:
    """Of double arithmetic against fifty digits, in units of the last place of the largest force."""
    exact = np.array([float(value) for value in evaluated(function, arguments)[0]])
    got = np.ravel(np.array(function(*arguments)))
    return float(np.max(np.abs(got - exact)) / (EPS * np.max(np.abs(exact))))


def test_moments_that_cancel_are_zero_and_equal() -> None:
    """Then tip masses of a symmetric platform cost nothing across its axis; a symbol is left as it is."""
    made = mechanics(ROBOTS["palida"].description, None)
    whole = platform_inertia(made, [ca.SX(2.1)] * 6)
    assert [whole.h[k].is_zero() for k in range(3)] == [True, True, False]
    assert ca.DM(whole.I[0, 0]) == ca.DM(whole.I[1, 1])
    assert whole.I[0, 1].is_zero()
    uneven = platform_inertia(made, [ca.SX(2.1)] * 5 + [ca.SX.sym("m")])
    assert not uneven.h[0].is_zero()
    assert not (uneven.I[0, 0] - uneven.I[1, 1]).is_zero()


@pytest.mark.parametrize("name", ["delta", "h4", "planar_3rpr", "hexapod_sliding", "palida"])
def test_regrouping_costs_no_accuracy(name: str) -> None:
    """Also near a singular pose, where the platform is almost at the end of its reach."""
    robot = ROBOTS[name]
    ours, textbook = forces(robot, "virtual-work"), forces(robot, "body-by-body")
    s = states(robot, 4)
    errors = [
        (error(ours, state), error(textbook, state)) for state in zip(s.pose, s.velocity, s.acceleration, strict=True)
    ]
    near = near_singular(robot)
    errors.append(
        (
            error(ours, (near, s.velocity[0], s.acceleration[0])),
            error(textbook, (near, s.velocity[0], s.acceleration[0])),
        )
    )
    ours_worst, textbook_worst = np.max(errors[:-1], axis=0)
    assert ours_worst < WORSE * textbook_worst + LAST_PLACES
    assert errors[-1][0] < WORSE * errors[-1][1] + LAST_PLACES


def near_singular(robot: pk.Robot) -> np.ndarray:
    """From home upwards or outwards, as far as every leg still reaches, less a millionth."""
    inside, outside = 0.0, 2.0
    axis = 1 if robot.motion.startswith("planar") else 2
    step = np.zeros(len(robot.home))
    step[axis] = 1.0
    for _ in range(60):
        middle = (inside + outside) / 2
        good = robot.check((robot.home + middle * step)[None])[0] == pk.Status.GOOD
        inside, outside = (middle, outside) if good else (inside, middle)
    return robot.home + (inside - 1e-6) * step


def semi_regular(order: np.ndarray) -> pk.Robot:
    """A Gough-Stewart whose fourth pivot is zero at home, its legs in some order."""
    tables = pk.load("gough_stewart").description.model_dump()
    legs = [leg.model_dump() for leg in pk.load("gough_stewart").legs]
    base, platform = hexagon(1.0, 0.25), np.roll(hexagon(0.6, 0.3, np.pi / 3), 1, axis=0)
    for k, leg in enumerate(legs):
        leg["root"], leg["attachment"]["b"] = base[k].tolist(), platform[k].tolist()
    tables["legs"], tables["symmetries"] = [legs[k] for k in order], {}
    tables["workspace"]["home"] = [0.0, 0.0, 1.1, 1.0, 0.0, 0.0, 0.0]
    return pk.Robot(describe(tables, "semi_regular"))


@pytest.mark.parametrize("seed", range(3))
def test_the_solve_is_stable_at_home_in_any_order_and_frame(seed: int) -> None:
    """Where a fixed order of elimination meets a zero pivot; against a solution by singular values."""
    rng = np.random.default_rng(seed)
    robot = frictionless(semi_regular(rng.permutation(6)))
    quaternion = quaternion_from_vector(rng.normal(size=3)) if seed else np.array([1.0, 0, 0, 0])
    tables = robot.description.model_dump()
    tables["workspace"]["home"] = turned_pose(robot, robot.home, quaternion).tolist()
    tables["gravity"] = (0.0, 0.0, 0.0)
    moved = pk.Robot(describe(moved_base(tables, quaternion, np.zeros(3), True), "moved"))
    for turn in ((0, 0, 0), (0.1, 0, 0), (0, 0, 0.2)):
        pose = robot.home.copy()
        pose[3:] = quaternion_from_vector(np.array(turn, float))
        pose = turned_pose(moved, pose, quaternion)
        wrench = rng.normal(size=6)
        tau = moved.static_forces(pose, wrench)
        needed = moved.gravity(pose) - wrench
        want = np.linalg.lstsq(moved.jacobian(pose).T, needed, rcond=None)[0]
        np.testing.assert_allclose(tau, want, rtol=0, atol=1e-12 * np.max(np.abs(want)))
        still = np.zeros(6)
        quick = moved.inverse_dynamics(pose, still, still, wrench=wrench)
        np.testing.assert_allclose(quick, want, rtol=0, atol=1e-12 * np.max(np.abs(want)))


def test_a_solve_in_order_is_trusted_only_where_it_is_stable() -> None:
    """Among matrices of any condition; the order is one that suits none of them in particular."""
    rng = np.random.default_rng(0)
    order = good_order(rng.normal(size=(3, 6, 6)))
    A, b = ca.SX.sym("A", 6, 6), ca.SX.sym("b", 6)
    (x, trusted), (_, ratio) = solve_in_order(A, b, order, [1.0] * 6), solve_pivoted(A, b)
    quick = pk.Kernel(ca.Function("quick", [A, b], [x, trusted, ratio], ["A", "b"], ["x", "trusted", "ratio"]))
    left, right = np.linalg.qr(rng.normal(size=(2, 20000, 6, 6)))[0]
    scale = 10 ** (-rng.uniform(0, 8, size=(20000, 1, 1)) * np.linspace(0, 1, 6))
    matrices, vectors = left * scale @ right, rng.normal(size=(20000, 6))
    matrices[:3] = np.zeros((6, 6)), np.full((6, 6), np.nan), np.diag([1, 1, 1, 1, 1, 1e-8])
    found = quick(matrices, vectors)
    good = found["trusted"] == 1
    assert not good[:3].any()
    assert 100 < good.sum() < 10000
    assert found["ratio"][good].min() > SMALLEST_PIVOT
    residual = np.einsum("nij,nj->ni", matrices[good], found["x"][good]) - vectors[good]
    allowed = np.abs(matrices[good]).sum(axis=(1, 2)) * np.abs(found["x"][good]).max(axis=1)
    assert (np.abs(residual).max(axis=1) < 20 * EPS * allowed).all()


@pytest.mark.parametrize("name", twins_later(sorted(UNIQUE)))
def test_the_quick_way_says_what_the_sure_one_says(name: str) -> None:
    """Also beyond the box: out of reach, beside singular poses, with a quaternion off unit length."""
    robot = ROBOTS[name]
    kernel = robot.kernel("inverse_dynamics")
    sure = pk.Kernel(kernel.program.surely(), status="status")
    rng, n = np.random.default_rng(3), robot.degrees_of_freedom
    near, far = robot.sample(400), sampled(robot.motion_type, robot.home, (4 * robot.box[0], 4 * robot.box[1]), 400, 1)
    if robot.motion == "spatial":
        near[:3, 3:] *= 1.01
    state = np.concatenate([near, far]), rng.normal(size=(800, n)), 5 * rng.normal(size=(800, n))
    got, want = kernel(*state), sure(*state)
    np.testing.assert_array_equal(got["status"], want["status"])
    np.testing.assert_array_equal(np.isnan(got["tau"]), np.isnan(want["tau"]))
    pose = state[0][got["status"] == pk.Status.GOOD]
    assert len(pose) > 300
    off = np.abs(got["tau"] - want["tau"]).max(axis=1)[got["status"] == pk.Status.GOOD]
    size = np.abs(want["tau"]).max(axis=1)[got["status"] == pk.Status.GOOD]
    assert (off < 1e-13 * np.linalg.cond(robot.jacobian(pose)) * size).all()


@pytest.mark.parametrize("name", ["delta_shaft", "five_bar", "gough_stewart"])
def test_regressors_have_the_columns_of_every_body_by_itself(name: str) -> None:
    """With the true velocity for a reference, the linear form of the bodies one by one is that of the regrouped legs.

    Beside good states there are some out of reach and some that are not numbers: those have NaN in every column.
    """
    robot, n = ROBOTS[name], ROBOTS[name].degrees_of_freedom
    rng, count = np.random.default_rng(4), 100
    pose = np.concatenate(
        [robot.sample(count), sampled(robot.motion_type, robot.home, (4 * robot.box[0], 4 * robot.box[1]), count, 1)]
    )
    velocity, acceleration = rng.normal(size=(2 * count, n)), 5 * rng.normal(size=(2 * count, n))
    acceleration[-1] = np.nan
    regrouped = robot.kernel("regressor")(pose, velocity, acceleration)
    bodies = robot.kernel("regressor_reference")(pose, velocity, acceleration, velocity)
    status = robot.kernel("inverse_dynamics")(pose, velocity, acceleration)["status"]
    np.testing.assert_array_equal(regrouped["status"], status)
    np.testing.assert_array_equal(bodies["status"], status)
    bad = status != pk.Status.GOOD
    assert bad.any()
    assert np.isnan(regrouped["Psi"][bad]).all()
    size = np.abs(bodies["Psi"][~bad]).max(axis=(1, 2))
    off = np.abs(regrouped["Psi"] - bodies["Psi"])[~bad].max(axis=(1, 2))
    assert (off < 1e-13 * np.linalg.cond(robot.jacobian(pose[~bad])) * size).all()


def test_a_regressor_in_doubt_is_that_of_the_exchanged_rows() -> None:
    """At poses where the order of the box would divide by next to nothing, against the elimination with exchanges."""
    robot = frictionless(semi_regular(np.arange(6)))
    pose = np.tile(robot.home, (3, 1))
    pose[1:, 3:] = quaternion_from_vector(np.array([[0.1, 0, 0], [0, 0, 0.2]]))
    rng = np.random.default_rng(5)
    velocity, acceleration = rng.normal(size=(2, 3, 6))
    Psi, tau = robot.regressor(pose, velocity, acceleration), robot.inverse_dynamics(pose, velocity, acceleration)
    np.testing.assert_allclose(Psi @ robot.parameters, tau, rtol=0, atol=1e-12 * np.max(np.abs(tau)))


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), size=st.integers(2, 6), extra=st.integers(1, 3), power=st.integers(0, 6))
def test_solvers_against_numpy(seed: int, size: int, extra: int, power: int) -> None:
    """Matrices of condition number 10^power, with rows exchanged at will."""
    rng = np.random.default_rng(seed)
    scale = np.logspace(0, -power, size)
    Q, _ = np.linalg.qr(rng.normal(size=(size + extra, size)))
    P, _ = np.linalg.qr(rng.normal(size=(size, size)))
    tall, square = Q * scale @ P, np.linalg.qr(rng.normal(size=(size, size)))[0] * scale @ P
    b = rng.normal(size=(size, 2))
    tolerance = 200 * EPS * 10.0**power

    def close(got: ca.SX, want: np.ndarray) -> None:
        value = np.array(ca.DM(got))
        np.testing.assert_allclose(value, want, rtol=0, atol=tolerance * np.max(np.abs(want)))

    close(solve_pivoted(ca.SX(ca.DM(square)), ca.SX(ca.DM(b)))[0], np.linalg.solve(square, b))
    close(solve_minimum_norm(ca.SX(ca.DM(tall)), ca.SX(ca.DM(b)))[0], np.linalg.lstsq(tall.T, b, rcond=None)[0])
    M = P.T * scale @ P
    M = (M + M.T) / 2
    close(solve_positive_definite(ca.SX(ca.DM(M)), ca.SX(ca.DM(b))), np.linalg.solve(M, b))


@pytest.mark.parametrize(
    ("first", "joint", "fits"),
    [
        ("bar", Joint(type="spherical"), True),
        ("bar", Joint(type="universal", axis=(0.0, 1.0, 0.0)), True),
        ("telescopic", Joint(type="parallelogram", axis=(0.0, 1.0, 0.0), spacing=0.1), True),
        ("bar", Joint(type="revolute", axis=(0.0, 0.0, -1.0)), True),
        ("bar", Joint(type="revolute", axis=(0.0, 1.0, 0.0)), False),
        ("telescopic", Joint(type="revolute", axis=(0.0, 0.0, 1.0)), False),
    ],
)
def test_which_second_bars_are_two_points(first: str, joint: Joint, fits: bool) -> None:
    """A bar that is free to turn is; one on a revolute joint only where it turns about the axis of the arm."""
    leg: Any = SimpleNamespace(elements=(SimpleNamespace(type=first), SimpleNamespace(joint=joint)))
    loaded: Any = SimpleNamespace(leg=leg)
    assert _bar_fits(loaded) == fits
