"""Hostile numbers: whatever is asked of any model, its status and its values agree, and `check` has the last word."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np
import pytest

import parakin as pk
from parakin.description import library
from parakin.dynamics.formulations import FORMULATIONS
from parakin.dynamics.leg_models import LEG_FORCE_MODELS, LEG_MOTION_MODELS
from parakin.errors import KernelInputError, OverflowStateError, UnsupportedRobotError
from parakin.kernels import Kernel
from parakin.kernels.context import LARGEST_INPUT
from parakin.kinematics.robot_motion import robot_motion
from parakin.kinematics.status import SMALLEST_LEG_PIVOT, Status
from tests.extended import evaluated
from tests.robots import TWINS, robot_named, twins_later

MODELS = (*LEG_MOTION_MODELS, "forward_kinematics", *LEG_FORCE_MODELS)
TOLD = ("status", "excess", "leg_pivot", "residual", "steps", "frames")
"""Outputs that are given also where a state is no good; frames where it is only singular."""
TINY = (0.0, 5e-324, 1e-310, 2.3e-308, 1e-160, 1e-17)
HUGE = (1e3, 1e6, 1e16, 1e40, 1e47, 1e51, 1e75, 1e103, 1e150, 1e154, 1e155, 1e200, 1e300, 1.7e308)
HOSTILE = np.array([*TINY, *HUGE, np.inf, np.nan])
"""Sizes that no state has, tiny, huge, and none at all."""
STATES = 250
SLOW = ("linearize", "coriolis_matrix", "regressor", "regressor_reference", "jacobian_rate")
SLOW += ("mass_matrix_actuator", "bias_actuator", "gravity_actuator")
"""Models that take seconds to build for robots of many legs; the suite asks them of the small robots."""
USUAL = (
    "check",
    "inverse_kinematics",
    "forward_kinematics",
    "joint_coordinates",
    "inverse_dynamics",
    "forward_dynamics",
)
"""Models that the suite asks of robots that have a twin; `fuzzed` asks all."""


def kernels(robot: pk.Robot, models: tuple[str, ...]) -> Iterator[tuple[str, Kernel]]:
    for name in models:
        try:
            yield name, robot.kernel(name)
        except UnsupportedRobotError:
            continue


def hostile(rng: np.random.Generator, good: np.ndarray) -> np.ndarray:
    """Spoil rows of good numbers: one number, a whole row, the unit of a row, or nothing."""
    values = np.array(good)
    rows = values.reshape(len(values), -1)
    which = rng.integers(0, 8, len(rows))
    for row, kind in zip(rows, which, strict=True):
        if not row.size:
            continue
        if kind == 0:
            row[rng.integers(row.size)] = rng.choice(HOSTILE) * rng.choice([-1, 1])
        elif kind == 1:
            row[:] = rng.choice(HOSTILE) * rng.choice([-1, 1], row.size)
        elif kind == 2:
            row[:] = row * rng.choice([1e3, 1e-3, 180 / np.pi, np.pi / 180, 1e6, -1.0])
        elif kind == 3:
            row[:] = row * 10.0 ** rng.uniform(-320, 300)
    return values


def states(robot: pk.Robot, kernel: Kernel, rng: np.random.Generator, count: int) -> dict[str, np.ndarray]:
    """Inputs of a kernel, some of them good, most spoilt in one input or in several."""
    seed = int(rng.integers(2**31))
    pose, velocity, acceleration = robot.sample_states(count, seed)
    known = {
        "pose": pose,
        "near": robot.sample(count, seed + 1),
        "velocity": velocity,
        "acceleration": acceleration,
        "reference_velocity": velocity[::-1],
        "q": robot.kernel("inverse_kinematics")(pose=pose)["q"],
    }
    if any(s.name == "x" for s in kernel.inputs):
        known |= robot.kernel("elements")(pose=pose, velocity=velocity, acceleration=acceleration)
    given = {s.name: known.get(s.name, rng.normal(size=(count, *s.shape))) for s in kernel.inputs}
    spoilt = rng.choice(list(given), size=2)
    return {name: hostile(rng, values) if name in spoilt else np.array(values) for name, values in given.items()}


def disagreements(kernel: Kernel, given: dict[str, np.ndarray]) -> list[str]:
    """What of a kernel's answers contradicts its status."""
    out = kernel.evaluate(given)
    status, wrong = out["status"], list[str]()
    good = status == Status.GOOD
    if not np.isin(status, [int(known) for known in Status]).all():
        wrong.append("a status that means nothing")
    finite = np.ones(len(status), bool)
    for values in given.values():
        finite &= np.isfinite(values.reshape(len(status), -1)).all(axis=1)
    if (good & ~finite).any() or (status[~finite] != Status.UNUSABLE).any():
        wrong.append("an input that is not finite is not UNUSABLE")
    for name, values in out.items():
        rows = np.asarray(values, float).reshape(len(status), -1)
        if not np.isfinite(rows[good]).all():
            wrong.append(f"GOOD, but {name} is not finite")
        if name not in TOLD and not np.isnan(rows[~good]).all():
            wrong.append(f"not GOOD, but {name} has values")
    return wrong


def fuzzed(name: str, count: int, seed: int, models: tuple[str, ...] = MODELS) -> tuple[int, list[str]]:
    """How many states of a robot were tried, over all its models, and what disagreed."""
    robot, rng = robot_named(name), np.random.default_rng(seed)
    tried, wrong = 0, list[str]()
    for model, kernel in kernels(robot, models):
        given = states(robot, kernel, rng, count)
        wrong += [f"{name}: {model}: {what}" for what in disagreements(kernel, given)]
        tried += count
    return tried, wrong


@pytest.mark.parametrize("name", twins_later(library()))
def test_status_and_values_agree_whatever_is_asked(name: str) -> None:
    small = len(robot_named(name).legs) <= 3
    models = USUAL if name in TWINS else MODELS if small else tuple(model for model in MODELS if model not in SLOW)
    tried, wrong = fuzzed(name, STATES, 0, models)
    assert not wrong
    assert tried >= (len(USUAL) if name in TWINS else 18) * STATES


def test_one_state_gets_the_status_that_a_batch_gives_it() -> None:
    robot, rng = robot_named("five_bar"), np.random.default_rng(1)
    kernel = robot.kernel("inverse_dynamics")
    given = states(robot, kernel, rng, 400)
    batch = kernel.evaluate(given)
    for k in range(400):
        one = {name: values[k] for name, values in given.items()}
        if not all((np.abs(values) < LARGEST_INPUT).all() for values in one.values()):
            with pytest.raises(KernelInputError, match=r"expected a finite number|expected a number of size"):
                kernel.evaluate(one)
            continue
        alone = kernel.evaluate(one)
        assert alone["status"] == batch["status"][k]
        np.testing.assert_array_equal(np.isnan(alone["tau"]), np.isnan(batch["tau"][k]))


# Overflow -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["five_bar", "delta", "gough_stewart", "hexa_offset"])
def test_a_velocity_of_1e150_is_unusable(name: str) -> None:
    robot = robot_named(name)
    pose, velocity, acceleration = robot.sample_states(3)
    velocity = np.array(velocity)
    velocity[1] = 1e150
    found = robot.evaluate("inverse_dynamics", pose=pose, velocity=velocity, acceleration=acceleration)
    assert found.status.tolist() == [Status.GOOD, Status.UNUSABLE, Status.GOOD]
    assert np.isnan(found["tau"][1]).all()
    with pytest.raises(KernelInputError, match=r"velocity\[0\]: expected a number of size 1.5e\+48 or less"):
        robot.inverse_dynamics(pose[1], velocity[1], acceleration[1])
    velocity[1] = 1e30  # the valid twin: large, but every result is finite
    assert np.isfinite(robot.inverse_dynamics(pose, velocity, acceleration)).all()


def test_a_result_that_is_not_finite_is_named() -> None:
    """Numbers that are usable one by one: friction at rest, smoothed over a rate of zero, is 0/0."""
    robot = robot_named("five_bar")
    with pytest.raises(KernelInputError, match=r"payload\[0\]: expected a number of size"):
        robot.inverse_dynamics(robot.home, [0, 0], [0, 0], payload=[1e300, *np.zeros(9)])
    with pytest.raises(OverflowStateError, match=r"the largest that was given, in tau, is 3: check"):
        robot.forward_dynamics(robot.home, [0, 0], [3, 0], smoothing=0.0)
    batch = robot.evaluate("forward_dynamics", pose=robot.home, velocity=np.zeros((2, 2)), tau=[3, 0], smoothing=[0, 1])
    assert batch.status.tolist() == [Status.UNUSABLE, Status.GOOD]
    assert np.isfinite(robot.forward_dynamics(robot.home, [0, 0], [3, 0], smoothing=1e-3)).all()


# Near singular legs -------------------------------------------------------------------------------------------------

LEGGED = ("delta", "five_bar", "h4", "hexa", "orthoglide", "hexaglide", "gough_stewart", "planar_3rrr", "quattro")
POSE_MODELS = tuple(name for name in MODELS if name not in ("forward_kinematics", "inverse_dynamics_from_encoders"))


@functools.cache
def near_singular_legs(name: str, count: int = 12) -> np.ndarray:
    """Poses on rays from home to where a leg stretches, at distances that shrink to nothing."""
    robot, rng = robot_named(name), np.random.default_rng(5)
    check = robot.kernel("check")
    linear = len(robot.motion_type.linear)
    poses = list[np.ndarray]()
    for _ in range(count):
        ray = np.zeros(len(robot.home))
        ray[:linear] = rng.normal(size=linear)
        near, far = 0.0, 20.0 * robot.description.length
        for _ in range(100):
            middle = (near + far) / 2
            reached = (check(pose=(robot.home + middle * ray)[None]).get("excess", np.full((1, 1), -1.0)) <= 0).all()
            near, far = (middle, far) if reached else (near, middle)
        poses += [robot.home + near * (1 - gap) * ray for gap in np.logspace(-1, -14, 40)]
    return np.array(poses)


@pytest.mark.parametrize("name", LEGGED)
def test_every_model_has_the_verdict_of_check_on_a_leg(name: str) -> None:
    robot = robot_named(name)
    poses = near_singular_legs(name)
    verdict = robot.kernel("check")(pose=poses)
    bounds = np.array(robot_motion(robot.description).smallest_pivots)
    singular_leg = ~(np.abs(verdict["leg_pivot"]) > bounds).all(axis=1)
    reached = verdict["status"] != Status.UNREACHABLE
    if name != "gough_stewart":
        assert (singular_leg & reached).sum() > 20
    assert (verdict["status"][singular_leg & reached] == Status.SINGULAR).all()
    rng = np.random.default_rng(0)
    for model in POSE_MODELS if len(robot.legs) <= 3 else set(POSE_MODELS) - set(SLOW):
        try:
            kernel = robot.kernel(model)
        except UnsupportedRobotError:
            continue
        if not any(s.name == "pose" for s in kernel.inputs):
            continue
        rates = {s.name: rng.normal(size=(len(poses), *s.shape)) for s in kernel.inputs if s.name != "pose"}
        status = kernel.evaluate({"pose": poses} | rates)["status"]
        assert (status[singular_leg & reached] == Status.SINGULAR).all(), model
        assert (status[~reached] == Status.UNREACHABLE).all(), model
        assert (status[verdict["status"] == Status.GOOD] == Status.GOOD).all(), model


@pytest.mark.parametrize("name", ["delta", "five_bar", "h4", "orthoglide"])
def test_what_is_good_beside_a_singular_leg_is_accurate(name: str) -> None:
    """Against fifty digits: 1e-9 of the largest force, down to the bound."""
    robot, rng = robot_named(name), np.random.default_rng(2)
    function = robot.kernel("inverse_dynamics").casadi
    poses = near_singular_legs(name)
    pivots = np.abs(robot.kernel("check")(pose=poses)["leg_pivot"]).min(axis=1)
    close = poses[(pivots > SMALLEST_LEG_PIVOT) & (pivots < 4 * SMALLEST_LEG_PIVOT)]
    assert len(close) >= 10
    for pose in close[:40]:
        velocity, acceleration = rng.normal(size=(2, robot.degrees_of_freedom))
        tau = robot.inverse_dynamics(pose, velocity, acceleration)
        want = evaluated(function, [pose, velocity, acceleration])[function.name_out().index("tau")]
        exact = np.array([float(value) for value in want])
        assert np.abs(tau - exact).max() <= 1e-9 * np.abs(exact).max()


# Near singular platforms ---------------------------------------------------------------------------------------------

TURNING = ("planar_3rrr", "h4", "gough_stewart")
SOLVING = (
    "platform_velocity",
    "platform_acceleration",
    "static_forces",
    "actuator_power",
    "regressor",
    "bias_actuator",
)
"""Models that solve with J_qv, besides inverse dynamics."""


@functools.cache
def near_singular_platforms(robot: pk.Robot, count: int = 60) -> np.ndarray:
    """Poses on lines through poses where det J_qv changes its sign, at distances from there that shrink to nothing."""
    rng, quaternion = np.random.default_rng(7), robot.motion_type.quaternion
    reach = 4 * np.ptp(robot.sample(200), axis=0) + 1e-3

    def along(share: np.ndarray) -> np.ndarray:
        poses = start + share[:, None] * (end - start)
        if quaternion is not None:
            poses[:, quaternion] /= np.linalg.norm(poses[:, quaternion], axis=1, keepdims=True)
        return poses

    def side(share: np.ndarray) -> np.ndarray:
        J = robot.kernel("jacobian")(pose=along(share))["J_qv"]
        sign = np.sign(np.linalg.det(np.nan_to_num(J)))
        return np.where(np.isfinite(J).all(axis=(1, 2)), sign, np.nan)

    start, end = robot.home + reach * rng.uniform(-1, 1, (2, 2000 * count, len(robot.home)))
    first = side(np.zeros(len(start)))
    crossing = np.flatnonzero(first * side(np.ones(len(start))) < 0)[:count]
    start, end, first = start[crossing], end[crossing], first[crossing]
    near, far = np.zeros(len(start)), np.ones(len(start))
    for _ in range(60):
        middle = (near + far) / 2
        same = side(middle) == first
        near, far = np.where(same, middle, near), np.where(same, far, middle)
    return np.concatenate([along(near + gap) for gap in (0.0, *np.logspace(-12, -2, 60))])


def assert_agreement(robot: pk.Robot, asked: Iterator[tuple[str, Kernel]] | list[tuple[str, Kernel]]) -> None:
    poses = near_singular_platforms(robot)
    verdict = robot.kernel("check")(pose=poses)["status"]
    assert min((verdict == Status.GOOD).sum(), (verdict == Status.SINGULAR).sum()) > 100
    rng = np.random.default_rng(0)
    for model, kernel in asked:
        rates = {s.name: rng.normal(size=(len(poses), *s.shape)) for s in kernel.inputs if s.name != "pose"}
        np.testing.assert_array_equal(kernel.evaluate({"pose": poses} | rates)["status"], verdict, model)


@pytest.mark.parametrize("name", ["delta", "five_bar", *TURNING])
def test_every_model_has_the_verdict_of_check_on_the_platform(name: str) -> None:
    robot = robot_named(name)
    assert_agreement(robot, kernels(robot, ("inverse_dynamics", *SOLVING)))


@pytest.mark.parametrize("name", ["delta", *TURNING])
def test_every_formulation_has_the_verdict_of_check_on_the_platform(name: str) -> None:
    robot, asked = robot_named(name), list[tuple[str, Kernel]]()
    for formulation in FORMULATIONS:
        try:
            asked.append((formulation, robot.kernel("inverse_dynamics", formulation=formulation)))
        except UnsupportedRobotError:
            continue
    assert len(asked) >= 4
    assert_agreement(robot, asked)


@pytest.mark.parametrize("length", [1e-4, 8.0])
def test_the_verdict_on_the_platform_counts_rotations_by_the_length(length: float) -> None:
    """Where `length` is far from the robot's own, J_qv is badly scaled, and forces say so as `check` does."""
    robot = robot_named("planar_3rrr")
    odd = robot.replace(length=length)
    poses = near_singular_platforms(robot)
    verdict = odd.kernel("check")(pose=poses)["status"]
    assert (verdict != robot.kernel("check")(pose=poses)["status"]).sum() > 100
    state = np.zeros((2, len(poses), 3))
    np.testing.assert_array_equal(odd.kernel("inverse_dynamics")(poses, *state)["status"], verdict)


@pytest.mark.parametrize("name", ["delta", "five_bar", "planar_3rrr", "gough_stewart"])
def test_forward_kinematics_gives_no_pose_that_check_calls_singular(name: str) -> None:
    robot = robot_named(name)
    poses = near_singular_platforms(robot)
    q = robot.kernel("inverse_kinematics")(pose=poses)["q"]
    known = np.isfinite(q).all(axis=1)
    found = robot.kernel("forward_kinematics")(near=poses[known], q=q[known])
    good = found["status"] == Status.GOOD
    assert 100 < good.sum() < len(good) - 100
    assert (robot.kernel("check")(pose=found["pose"][good])["status"] == Status.GOOD).all()


# Assembly modes and regressors --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["gough_stewart", "palida", "planar_3rpr"])
def test_a_strut_of_negative_length_has_no_pose(name: str) -> None:
    robot = robot_named(name)
    q = robot.inverse_kinematics(robot.home)
    element = robot.legs[1].elements[0]
    assert element.actuator is not None
    short = np.array(q)
    short[1] = element.actuator.sign * (-0.8 - element.actuator.zero)
    bad = {"negative": short, "NaN": np.where(np.arange(len(q)) == 1, np.nan, q), "huge": 1e60 * q}
    bad["infinite"] = np.where(np.arange(len(q)) == 1, np.inf, q)
    found = robot.assembly_modes(np.array([q, *bad.values(), q]))
    assert found.count[0] == found.count[-1] > 0
    for counts in (found.count, found.complex_count, found.at_infinity, found.singular):
        assert (counts[1:-1] == 0).all()
    assert np.isnan(found.poses[1:-1]).all()
    for q_bad in bad.values():
        with pytest.raises(KernelInputError, match=r"q\[\d\]: expected a (finite number|position at which the strut)"):
            robot.assembly_modes(q_bad)


@pytest.mark.parametrize("block", [-1, 0, 2.5, np.nan, "10", None])
def test_a_block_of_no_states_is_refused(block: object) -> None:
    robot = robot_named("five_bar")
    with pytest.raises(KernelInputError, match="five_bar: block: expected a whole number, at least 1, got"):
        robot.regressor_triangle(*robot.sample_states(10), block=block)  # type: ignore[arg-type]
    assert robot.regressor_triangle(*robot.sample_states(10), block=3).rows == 20


def test_arrays_of_different_length_make_no_triangle() -> None:
    robot = robot_named("five_bar")
    pose, velocity, acceleration = robot.sample_states(10)
    for arrays in ((pose, velocity[:9], acceleration), (pose[0], velocity, acceleration), (pose, velocity, pose[0, 0])):
        with pytest.raises(KernelInputError, match=r"expected an array of shape \(count, 2\) with the same count"):
            robot.regressor_triangle(*arrays)
    with pytest.raises(KernelInputError, match="tau: expected an array"):
        robot.regressor_triangle(pose, velocity, acceleration, np.zeros((9, 2)))


NO_REAL_NUMBERS = [
    (np.array([0.0, 0.0, 1j]), "expected real numbers, got dtype complex128"),
    (np.ma.masked_array([0.0, 0.1, 0.2], [True, False, False]), "expected numbers everywhere, got a masked array"),
    (np.array(["0.0", "0.1", "0.2"]), "expected real numbers, got dtype <U3"),
    (np.array([object()] * 3), "expected real numbers, got dtype object"),
]
"""Arrays of which `numpy.asarray` makes floats without the imaginary part or the mask, or which it reads as text."""


@pytest.mark.parametrize(("values", "reason"), NO_REAL_NUMBERS)
def test_arrays_beside_models_are_real_numbers_too(values: np.ndarray, reason: str) -> None:
    robot = robot_named("delta")
    law = pk.control.law("pid", robot)
    hold = pk.control.hold(robot, robot.home, 0.01, law.period)
    poses = np.tile(robot.home, (3, 1))
    springs = pk.simulation.Scenario(elastic=pk.simulation.ElasticDrives(stiffness=values))  # type: ignore[arg-type]
    calls = (
        lambda: pk.trajectory.point_to_point(robot, robot.home, values),
        lambda: pk.trajectory.via_points(robot, poses, values),
        lambda: pk.trajectory.lift(robot).at(values),
        lambda: pk.simulation.simulate(robot, law, hold, springs),
        lambda: pk.executors.map_rows(lambda rows: {"row": rows}, values),
    )
    for call in calls:
        with pytest.raises(KernelInputError, match=reason):
            call()
