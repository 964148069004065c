"""Forces from observed elements and from encoders: the same as from a pose, as accurate, and for as few operations as
promised."""

from __future__ import annotations

import copy
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import casadi as ca
import mpmath as mp
import numpy as np
import pytest

import parakin as pk
from parakin.description.patterns import pattern_of
from parakin.dynamics.count import PAPER, TURN, Count, five_bar_counts, turned
from parakin.dynamics.inertia import Inertia
from parakin.dynamics.kinematic_elements.balance import balance, solved
from parakin.dynamics.kinematic_elements.bar_legs import reducible
from parakin.dynamics.kinematic_elements.elements import elements_of
from parakin.dynamics.kinematic_elements.encoders import encoded, measured
from parakin.dynamics.kinematic_elements.observed import elements_seen, seen
from parakin.dynamics.kinematic_elements.reduced import reduced_tau
from parakin.dynamics.mechanics import Mechanics, mechanics
from parakin.dynamics.two_points import two_points
from parakin.errors import MeasurementError, UnsupportedRobotError
from parakin.kinematics.status import Status
from tests.extended import DIGITS, evaluated
from tests.reference import ROBOTS, UNIQUE
from tests.robots import twins_later
from tests.states import States, scaled, states

SAME = 1e-12
"""Relative; two orders of the same few hundred operations."""
PAYLOAD = pk.Payload(mass=0.7, centre=(0.02, -0.01, 0.03), inertia=((3e-3, 0, 0), (0, 4e-3, 0), (0, 0, 5e-3)))


def general_five_bar() -> pk.Robot:
    """Nothing special about it: centres of mass off their lines, gravity along no axis, all forces of the paper."""
    reference = ROBOTS["reference fivebar"]
    legs = reference.description.model_dump()["legs"]
    for k, leg in enumerate(legs):
        leg["elements"][0]["actuator"] |= {
            "rotor_inertia": 0.003 + 0.001 * k,
            "gear_ratio": 1.5,
            "friction": {"viscous": 0.02 + 0.01 * k, "coulomb": 0.1 - 0.03 * k},
            "reference": (0.8, 0.6, 0.0),
            "zero": 0.1,
        }
    return reference.replace(legs=legs, gravity=(3.0, -9.0, 0.0))


FIVE_BARS = {
    "general": general_five_bar(),
    "library": ROBOTS["five_bar"],
    "carrying": ROBOTS["five_bar"].with_payload(0.4, (0.01, 0.0, 0.0)),
}
CLOSED_FORM = [name for name, robot in UNIQUE.items() if all(pattern_of(leg) != "numeric" for leg in robot.legs)]
"""Robots whose legs need no stage before their models."""
REDUCED = [name for name, robot in UNIQUE.items() if reducible(mechanics(robot.description, robot.payload))]


@pytest.mark.parametrize("name", twins_later(UNIQUE))
def test_observed_elements_need_no_pose(name: str) -> None:
    robot, rng = ROBOTS[name], np.random.default_rng(5)
    s = states(robot)
    elements = robot.elements(s.pose, s.velocity, s.acceleration)
    wrench = rng.normal(size=(20, robot.degrees_of_freedom))
    for extras in ({}, {"payload": PAYLOAD, "wrench": wrench}):
        want = robot.inverse_dynamics(s.pose, s.velocity, s.acceleration, **extras)
        scaled(robot.inverse_dynamics_observed(elements, **extras), want, SAME)


@pytest.mark.parametrize("name", twins_later(UNIQUE))
def test_observed_elements_need_no_trigonometry(name: str) -> None:
    """But for the angle of a shaft: one sine, one cosine."""
    operations = ROBOTS[name].kernel("inverse_dynamics_observed").operations
    assert operations.trigonometric == (2 if name == "delta_shaft" else 0)


@pytest.mark.parametrize("name", twins_later(UNIQUE))
def test_a_robot_at_rest_is_held(name: str) -> None:
    """y of eq. (10) would be 0/0 here."""
    robot = ROBOTS[name]
    pose, still = robot.sample(5), np.zeros((5, robot.degrees_of_freedom))
    held = robot.inverse_dynamics(pose, still, still, formulation="kinematic-elements")
    scaled(held, robot.static_forces(pose), SAME)


@pytest.mark.parametrize("name", CLOSED_FORM)
def test_the_matrix_of_the_implicit_model_is_the_transposed_jacobian(name: str) -> None:
    robot = ROBOTS[name]
    made = mechanics(robot.description, robot.payload)
    A = balance(made, elements_of(made.moving, made.legs)).A
    apart = ca.Function("apart", [made.moving.pose], [A.T - made.moving.J_qv, made.moving.J_qv])
    for pose in robot.sample(5):
        difference, J = (np.array(value) for value in apart(pose))
        assert np.max(np.abs(difference)) < SAME * np.max(np.abs(J))


def observed_functions(subject: Mechanics, flat: bool) -> tuple[list[str], ca.Function, ca.Function]:
    """Names of the inputs, the reduced form and A Gamma + b = 0."""
    o = seen(subject.legs, flat)
    forms = (reduced_tau(subject, o), solved(balance(subject, elements_seen(subject, o))))
    reduced, textbook = (ca.Function("tau", list(o.inputs.values()), [form.tau]) for form in forms)
    return list(o.inputs), reduced, textbook


@pytest.mark.parametrize("name", REDUCED)
def test_the_reduced_form_is_the_implicit_model_solved(name: str) -> None:
    robot = ROBOTS[name]
    names, reduced, textbook = observed_functions(mechanics(robot.description, robot.payload), robot.motion_type.planar)
    s = states(robot)
    elements = robot.elements(s.pose, s.velocity, s.acceleration)
    for k in range(20):
        inputs = [getattr(elements, name)[k] for name in names]
        scaled(np.array(reduced(*inputs)), np.array(textbook(*inputs)), SAME)


def test_robots_with_the_reduced_form() -> None:
    assert {"five_bar", "planar_3rrr", "delta", "h4", "quattro", "orthoglide"} <= set(REDUCED)


@pytest.mark.parametrize("name", FIVE_BARS)
def test_a_five_bar_in_any_plane(name: str) -> None:
    """Three components and a 3 x 2 matrix A, as in the paper."""
    robot = FIVE_BARS[name]
    names, *forms = observed_functions(mechanics(turned(robot.description), None), flat=False)
    s = states(robot)
    elements = robot.elements(s.pose, s.velocity, s.acceleration)
    want = pk.Robot(robot.description).inverse_dynamics(s.pose, s.velocity, s.acceleration)
    for form in forms:
        got = [np.array(form(*(getattr(elements, name)[k] @ TURN.T for name in names))).ravel() for k in range(20)]
        scaled(np.array(got), want, SAME)


@pytest.mark.parametrize("name", FIVE_BARS)
def test_encoders_are_enough_for_a_five_bar(name: str) -> None:
    robot, rng = FIVE_BARS[name], np.random.default_rng(6)
    s = states(robot)
    q, q_dot, q_ddot = encoder_values(robot, s)
    for extras in ({}, {"payload": PAYLOAD, "wrench": rng.normal(size=(20, 2))}):
        want = robot.inverse_dynamics(s.pose, s.velocity, s.acceleration, **extras)
        scaled(robot.inverse_dynamics_from_encoders(q, q_dot, q_ddot, **extras), want, SAME)


def encoder_values(robot: pk.Robot, s: States) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return (
        robot.inverse_kinematics(s.pose),
        robot.actuator_velocity(s.pose, s.velocity),
        robot.actuator_acceleration(s.pose, s.velocity, s.acceleration),
    )


def test_arms_that_turn_the_other_way() -> None:
    """The sign of an encoder, the sense of an axis, and the place of an attachment change nothing else."""
    robot = general_five_bar()
    legs = robot.description.model_dump()["legs"]
    legs[1]["elements"][0]["joint"]["axis"] = (0.0, 0.0, -1.0)
    legs[1]["elements"][1]["joint"]["axis"] = (0.0, 0.0, -1.0)
    legs[1]["branch"] = -legs[1]["branch"]
    legs[1]["elements"][0]["actuator"]["sign"] = -1
    legs[0]["attachment"]["b"] = (0.01, -0.02, 0.0)
    robot = robot.replace(legs=legs)
    s = states(robot)
    want = robot.inverse_dynamics(s.pose, s.velocity, s.acceleration)
    assert np.isfinite(want).all()
    scaled(robot.inverse_dynamics_observed(robot.elements(s.pose, s.velocity, s.acceleration)), want, SAME)
    scaled(robot.inverse_dynamics_from_encoders(*encoder_values(robot, s)), want, SAME)


def test_a_redundant_robot_shares_as_its_weights_say() -> None:
    """A five-bar with a third leg: the least sum of weight tau^2 is the same by every way."""
    robot = general_five_bar()
    legs = robot.description.model_dump()["legs"]
    robot = robot.replace(legs=[*legs, copy.deepcopy(legs[1]) | {"name": "leg3", "root": (0.4, 0.35, 0.0)}])
    s, weights = states(robot), np.array([1.0, 2.0, 3.0])
    want = robot.inverse_dynamics(s.pose, s.velocity, s.acceleration, weights=weights)
    assert np.isfinite(want).all()
    got = robot.inverse_dynamics(s.pose, s.velocity, s.acceleration, weights=weights, formulation="kinematic-elements")
    scaled(got, want, SAME)
    elements = robot.elements(s.pose, s.velocity, s.acceleration)
    scaled(robot.inverse_dynamics_observed(elements, weights=weights), want, SAME)


def test_two_carriages_in_a_plane() -> None:
    """Rails in place of arms, with round bars on ball joints that brake."""
    robot = general_five_bar()
    legs = robot.description.model_dump()["legs"]
    tensor = ((1e-3, 0.0, 0.0), (0.0, 1e-3, 0.0), (0.0, 0.0, 1e-3))
    carriage = {"name": "carriage", "part": "tip", "mass": 1.2, "com": (0.0, 0.01, 0.0), "inertia": tensor}
    drive = {"coordinate": "length", "rotor_inertia": 0.3, "friction": {"viscous": 1.0, "coulomb": 2.0}}
    for k, leg in enumerate(legs):
        rail = {"name": "rail", "type": "telescopic", "joint": {"type": "fixed"}, "direction": (1.0, 0.1 * k, 0.0)}
        rail |= {"actuator": drive | {"source": "test"}, "bodies": [carriage | {"source": "test"}], "source": "test"}
        bar = leg["elements"][1] | {"joint": {"type": "spherical", "friction": {"viscous": 0.1}}}
        bar["bodies"] = [bar["bodies"][0] | {"com": (0.1, 0.0, 0.0)}]
        leg |= {"root": (-0.5, 0.3 * k, 0.0), "branch": 1, "elements": [rail, bar]}
    box = {"home": (0.2, 0.17), "lower": (-0.02, -0.02), "upper": (0.02, 0.02), "source": "test"}
    robot = robot.replace(legs=legs, workspace=box)
    assert reducible(mechanics(robot.description, robot.payload))
    s = states(robot)
    want = robot.inverse_dynamics(s.pose, s.velocity, s.acceleration, payload=PAYLOAD)
    assert np.isfinite(want).all()
    elements = robot.elements(s.pose, s.velocity, s.acceleration)
    scaled(robot.inverse_dynamics_observed(elements, payload=PAYLOAD), want, SAME)


@pytest.mark.parametrize("size", [1e-2, 1e-4, 1e-5, 1e-8])
def test_rods_against_the_base_axis_their_frames_are_turned_from(size: float) -> None:
    """An Orthoglide half a turn about z: at home a rod points along -x, where the short way from x is any way."""
    robot = ROBOTS["orthoglide"]

    def turned_half(vector: Any) -> Any:
        return vector and (-vector[0], -vector[1], vector[2])

    legs = [leg.model_dump() for leg in robot.legs]
    for leg in legs:
        leg["root"], rail = turned_half(leg["root"]), leg["elements"][0]
        leg["attachment"] = {key: turned_half(value) for key, value in leg["attachment"].items()}
        rail["direction"], rail["joint"]["axis"] = turned_half(rail["direction"]), turned_half(rail["joint"]["axis"])
    robot, rng = robot.replace(legs=legs, symmetries={}), np.random.default_rng(11)
    pose = robot.home + size * rng.normal(size=(20, 3))
    velocity, acceleration = rng.normal(size=(20, 3)), 5 * rng.normal(size=(20, 3))
    assert robot.elements(pose, velocity, acceleration).x[..., 0].min() < -1 + size
    want = robot.inverse_dynamics(pose, velocity, acceleration)
    got = robot.inverse_dynamics(pose, velocity, acceleration, formulation="kinematic-elements")
    scaled(got, want, SAME)


@pytest.mark.parametrize("name", ["five_bar", "planar_3rrr", "delta", "gough_stewart"])
def test_parameters_can_be_inputs(name: str) -> None:
    robot, rng = ROBOTS[name], np.random.default_rng(10)
    s = states(robot, 5)
    elements = robot.elements(s.pose, s.velocity, s.acceleration)
    p = robot.parameters * (1 + 0.2 * rng.normal(size=robot.parameters.shape))
    kernel = robot.kernel("inverse_dynamics_observed", free=["parameters"])
    got = kernel(*(getattr(elements, socket.name) for socket in kernel.inputs[:-1]), p)["tau"]
    posed = robot.kernel("inverse_dynamics", free=["parameters"])
    scaled(got, posed(s.pose, s.velocity, s.acceleration, p)["tau"], SAME)


def test_a_bar_in_a_plane_is_two_mass_points() -> None:
    """T of the law against T of the rigid body, for any motion of its ends that keeps its length."""
    rng = np.random.default_rng(7)
    m, h, inertia, d = 0.8, np.array([0.21, 0.05, 0.0]), 0.09, 0.4
    bar = two_points(Inertia(ca.SX(m), ca.SX(ca.DM(h)), ca.SX(ca.diag(ca.DM([0, 0, inertia])))), d, 1.0)
    BB, BC, CC, skew = (np.array(ca.DM(value)).item() for value in (bar.AA, bar.AB, bar.BB, bar.off))
    for angle, w, *v in rng.normal(size=(20, 4)):
        x, y = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
        v_B = np.array(v)
        v_C = v_B + d * w * y
        law = BB * v_B @ v_B / 2 + BC * v_B @ v_C + CC * v_C @ v_C / 2 + skew * (v_B[1] * v_C[0] - v_B[0] * v_C[1])
        rigid = m * v_B @ v_B / 2 + w * v_B @ (h[0] * y - h[1] * x) + inertia * w**2 / 2
        assert law == pytest.approx(rigid, rel=1e-12)


MOST = {
    "observed elements, 3-D": Count(90, 115),
    "observed elements, planar": Count(45, 65),
    "encoders": Count(70, 110, 1, 4),
}
"""What is promised; [Ozgur2013] Table 3 has 404 additions and 656 multiplications, from encoders 484 and 778."""


@pytest.mark.parametrize("name", ["general", "library"])
def test_a_five_bar_costs_no_more_than_promised(name: str) -> None:
    found = five_bar_counts(FIVE_BARS[name].description)
    for label, most in MOST.items():
        assert found[label].additions <= most.additions, label
        assert found[label].multiplications <= most.multiplications, label
        assert found[label].square_roots == most.square_roots, label
        assert found[label].trigonometric == most.trigonometric, label
    least = found["observed elements, 3-D"]
    assert 4 * least.additions < PAPER["observed"].additions
    assert 5 * least.multiplications < PAPER["observed"].multiplications


def test_the_table_of_counts_is_what_is_counted() -> None:
    page = (Path(__file__).parents[2] / "docs" / "theory" / "kinematic_elements.md").read_text()
    rows = re.findall(r"^\| (.+?) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", page, re.MULTILINE)
    counted = {f"[Ozgur2013] Table 3, {label}": count for label, count in PAPER.items()}
    counted |= five_bar_counts(FIVE_BARS["library"].description)
    assert {label: Count(*map(int, numbers)) for label, *numbers in rows} == counted


WORSE = 2.0
"""Of two ways to the same forces, one may lose this much more: root mean squares of 25 states differ by luck."""


@pytest.mark.parametrize("sine", [None, 1e-1, 1e-3, 1e-5])
def test_the_reduced_form_is_as_accurate(sine: float | None) -> None:
    """Against 50 digits, from elements rounded to double precision: near a singularity both lose what it takes.

    sine: of the angle between the bars, whole workspace if None; below 1e-6 a state counts as singular.
    """
    robot = general_five_bar()
    made = mechanics(robot.description, robot.payload)
    names, reduced, textbook = observed_functions(made, flat=True)
    lost: dict[str, list[float]] = {"reduced": [], "textbook": []}
    with mp.workdps(DIGITS):
        for state in near_singular_states(robot, sine):
            exact = evaluated(element_function(made, names), [state])
            tau = evaluated(textbook, exact)[0]
            rounded = [np.array([float(value) for value in column]).reshape(3, 4).T for column in exact]
            for label, form in (("reduced", reduced), ("textbook", textbook)):
                lost[label].append(error(np.array(form(*rounded)).ravel(), tau))
    assert rms(lost["reduced"]) < WORSE * rms(lost["textbook"])
    assert rms(lost["reduced"]) < 1e-15 / (sine or 1.0)


@pytest.mark.parametrize("sine", [None, 1e-1, 4e-3])
def test_encoders_are_as_accurate_as_a_pose_found_from_them(sine: float | None) -> None:
    robot = general_five_bar()
    made = mechanics(robot.description, robot.payload)
    state = measured(made)
    form = ca.Function("tau", [state.q, state.q_dot, state.q_ddot], [encoded(made, state).tau])
    lost: dict[str, list[float]] = {"encoders": [], "pose": []}
    with mp.workdps(DIGITS):
        for one in near_singular_states(robot, sine):
            q, q_dot, q_ddot = encoder_values(robot, States(one[:2], one[2:4], one[4:]))
            tau = evaluated(form, [q, q_dot, q_ddot])[0]
            pose = robot.forward_kinematics(q, near=one[:2])
            velocity = robot.platform_velocity(pose, q_dot)
            acceleration = robot.platform_acceleration(pose, velocity, q_ddot)
            lost["encoders"].append(error(robot.inverse_dynamics_from_encoders(q, q_dot, q_ddot), tau))
            lost["pose"].append(error(robot.inverse_dynamics(pose, velocity, acceleration), tau))
    assert rms(lost["encoders"]) < WORSE * rms(lost["pose"])


def near_singular_states(robot: pk.Robot, sine: float | None, count: int = 25) -> np.ndarray:
    """Pose, velocity and acceleration, in rows."""
    rng = np.random.default_rng(8)
    poses = robot.sample(count) if sine is None else poses_with_bars_at(robot, sine, count)
    return np.hstack([poses, rng.normal(size=(count, 2)), 5 * rng.normal(size=(count, 2))])


def error(got: np.ndarray, want: list[Any]) -> float:
    """Relative to the largest."""
    off = max(abs(mp.mpf(float(one)) - two) for one, two in zip(got, want, strict=True))
    return float(off / max(abs(value) for value in want))


def rms(values: list[float]) -> float:
    return float(np.sqrt(np.mean(np.square(values))))


def poses_with_bars_at(robot: pk.Robot, sine: float, count: int) -> np.ndarray:
    """Poses, each on a way from home, where the bars are this far from one line."""
    rng = np.random.default_rng(9)
    found: list[np.ndarray] = []
    while len(found) < count:
        direction = rng.normal(size=2)
        way = robot.home + np.linspace(0, 0.5, 2001)[:, None] * direction / np.linalg.norm(direction)
        between = bars_apart(robot, way)
        below = np.flatnonzero(between < sine)
        if not below.size or not np.isfinite(between[: below[0] + 1]).all():
            continue
        inside, outside = way[below[0] - 1], way[below[0]]
        for _ in range(60):
            middle = (inside + outside) / 2
            apart = bars_apart(robot, middle[None])[0]
            inside, outside = (middle, outside) if apart > sine else (inside, middle)
        found.append(inside)
    return np.array(found)


def bars_apart(robot: pk.Robot, poses: np.ndarray) -> np.ndarray:
    points = robot.points(poses)
    one, two = (points.tip[:, k] - points.root[:, k] for k in (1, 3))
    sine = (one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0]) / (0.34 * 0.31)
    home = robot.points(robot.home)
    return sine * np.sign(np.cross(home.tip[1] - home.root[1], home.tip[3] - home.root[3])[2])


def element_function(made: Mechanics, names: list[str]) -> ca.Function:
    """x and its derivatives of all elements from pose, velocity and acceleration in one vector."""
    moving = made.moving
    lines = [element.line for leg in moving.legs for element in leg.elements]
    outputs = [ca.densify(ca.vertcat(*(getattr(line, name).T for line in lines))) for name in names]
    return ca.Function("elements", [ca.vertcat(moving.pose, moving.velocity, moving.acceleration)], outputs)


def test_measurements_that_are_no_good() -> None:
    five_bar, hexapod = ROBOTS["five_bar"], ROBOTS["hexaglide"]
    s = states(hexapod, 1)
    elements = asdict(hexapod.elements(s.pose[0], s.velocity[0], s.acceleration[0]))
    with pytest.raises(MeasurementError, match=r"hexaglide: needs x, .*, d_ddot of its elements, and d was not given"):
        hexapod.inverse_dynamics_observed({name: value for name, value in elements.items() if name != "d"})
    with pytest.raises(MeasurementError, match="five_bar: what was measured belongs to no pose"):
        five_bar.inverse_dynamics_from_encoders([0, 0], [0, 0], [0, 0])
    x = np.array([[1.0, 0, 0], [0, 1, 0], [-1, 0, 0], [0, 1, 0]])
    parallel = {"x": x, "x_dot": 0 * x, "x_ddot": 0 * x}
    with pytest.raises(MeasurementError, match="five_bar: what was measured belongs to a singular pose"):
        five_bar.inverse_dynamics_observed(parallel)
    found = five_bar.evaluate("inverse_dynamics_observed", x=x[None], x_dot=0 * x[None], x_ddot=0 * x[None])
    assert found.status[0] == Status.SINGULAR
    assert np.isnan(found["tau"]).all()


def test_encoders_alone_are_not_enough_for_others() -> None:
    with pytest.raises(UnsupportedRobotError, match="delta: has other legs, and inverse_dynamics_from_encoders needs"):
        ROBOTS["delta"].kernel("inverse_dynamics_from_encoders")
    with pytest.raises(UnsupportedRobotError, match="gough_stewart: has other legs"):
        five_bar_counts(ROBOTS["gough_stewart"].description)


def test_a_platform_whose_turning_does_not_show_is_refused() -> None:
    """An H4 whose bars all end in one point of the part that turns."""
    robot = ROBOTS["h4"]
    legs = robot.description.model_dump()["legs"]
    for leg in legs:
        leg["attachment"] = {"b": (0.0, 0.0, 0.0), "c": leg["attachment"]["c"]}
    with pytest.raises(UnsupportedRobotError, match="do not show how the platform turns"):
        robot.replace(legs=legs).kernel("inverse_dynamics_observed")
