"""Legs of kinds that no robot of the library has, against their graphs, against other engines, and by the laws."""

from __future__ import annotations

import numpy as np
import pytest

import parakin as pk
from parakin.description import describe
from parakin.errors import DescriptionError, JointLimitError, UnsupportedRobotError
from parakin.motions.offsets import displaced
from parakin.robot import Robot
from parakin.robot.limits import Status
from tests import leg_kinds
from tests.mechanism import test_expansion as as_graph
from tests.peers.free_bodies import Engine, inverse_dynamics, mujoco_engine, pinocchio_engine

AGREES = 1e-10
"""Largest difference between ways to compute forces, relative to the largest force."""
PEERS_AGREE = 1e-8
"""Likewise between engines; the issue's own figure."""
ROUNDED = 1e-9
"""Likewise from a file whose numbers have twelve digits."""
STEP = 1e-6
"""Time over which differences are taken [s]; their error is about its square."""
DIFFERENCES = 1e-7
"""Largest difference between a rate and a quotient of differences, beside the largest rate."""
ENGINES = {"pinocchio": pinocchio_engine, "mujoco": mujoco_engine}
QUICK = ("braked_6ucu", "braked_3upu", "braked_3rrr")
SLOW = (
    *("hexapod_6ucu", "spindles_on_rails", "spindle_in_the_middle", "hinged_cylinders"),
    *("motors_at_the_second_joint", "braked_hexapod", "driven_spins", "spindle_of_a_chain", "motors_at_second_axes"),
    "braked_shaft",
)
TURNING = (
    *("braked_6ucu", "spindles_on_rails", "spindle_in_the_middle", "spindle_of_a_chain", "hinged_cylinders"),
    *("driven_spins", "motors_at_second_axes"),
)
KINDS = (*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW))


def robot(name: str) -> Robot:
    one: Robot = getattr(leg_kinds, name)()
    as_graph.VARIANTS[name] = lambda: one
    return one


@pytest.mark.parametrize("name", KINDS)
def test_legs_are_their_graph(name: str) -> None:
    robot(name)
    as_graph.test_graphs_are_put_together_at_home(name)
    as_graph.test_the_platform_moves_as_the_legs_say(name)
    as_graph.test_every_body_is_where_the_legs_put_it(name)
    as_graph.test_the_motors_need_the_same_forces(name)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "name", ["braked_3upu", *(pytest.param(name, marks=pytest.mark.slow) for name in ("braked_6ucu", "driven_spins"))]
)
def test_other_engines_need_the_same_forces(name: str, engine: str) -> None:
    pytest.importorskip(engine)
    robot(name)
    one = as_graph.pair(name)
    force: Engine = ENGINES[engine](one.graph.graph_description)
    tau = one.robot.inverse_dynamics(one.pose, one.velocity, one.acceleration)
    bodies = one.graph.evaluate("body_frames", configuration=one.configuration)
    sign = np.array([actuator.sign for actuator in one.robot.actuators])
    for k in range(4):
        places = bodies["p"][k], bodies["R"][k].reshape(-1, 3, 3)
        motion = one.state["velocity"][k], one.state["acceleration"][k]
        expected, _ = inverse_dynamics(one.graph.graph_description, one.graph.pose_names, places, motion, force)
        assert np.max(np.abs(tau[k] - sign * expected)) < PEERS_AGREE * np.max(np.abs(tau))


def test_the_3uru_of_the_library_as_legs() -> None:
    legs, graph = leg_kinds.dymo(), pk.load("dymo_3uru").graph
    pose, velocity, acceleration = legs.sample(20), *np.random.default_rng(2).normal(size=(2, 20, 3))
    q, q_dot = legs.inverse_kinematics(pose), legs.actuator_velocity(pose, velocity)
    q_ddot = legs.actuator_acceleration(pose, velocity, acceleration)
    output = graph.output(q, q_dot, q_ddot)
    assert np.max(np.abs(output.p - pose)) < ROUNDED
    assert np.max(np.abs(output.twist[:, :3] - velocity)) < ROUNDED
    tau = legs.inverse_dynamics(pose, velocity, acceleration)
    assert np.max(np.abs(tau - graph.inverse_dynamics(q, q_dot, q_ddot))) < ROUNDED * np.max(np.abs(tau))
    assert legs.kernel("inverse_kinematics").casadi is not None


@pytest.mark.parametrize(
    "name",
    ["braked_3upu", *(pytest.param(name, marks=pytest.mark.slow) for name in ("spindle_of_a_chain", "braked_nacelle"))],
)
def test_laws(name: str) -> None:
    one: Robot = getattr(leg_kinds, name)()
    rng = np.random.default_rng(1)
    pose, n = one.sample(4), one.degrees_of_freedom
    velocity, acceleration = rng.normal(size=(2, 4, n))
    tau = one.inverse_dynamics(pose, velocity, acceleration)
    scale = np.max(np.abs(tau))
    again = one.inverse_dynamics(pose, velocity, acceleration, formulation="body-by-body")
    assert np.max(np.abs(again - tau)) < AGREES * scale
    linear = one.regressor(pose, velocity, acceleration) @ one.parameters
    assert np.max(np.abs(linear - tau)) < AGREES * scale
    back = one.forward_dynamics(pose, velocity, tau)
    assert np.max(np.abs(back - acceleration)) < 1e-8 * np.max(np.abs(acceleration))
    assert np.max(np.abs(one.forward_kinematics(one.inverse_kinematics(pose), near=pose) - pose)) < 1e-9


@pytest.mark.parametrize("formulation", ["kinematic-elements", "subchain-mass", "recursive-matrix"])
def test_friction_and_crosses_at_the_platform_in_every_formulation(formulation: str) -> None:
    one = leg_kinds.braked_3upu()
    state = (one.sample(5), *np.random.default_rng(4).normal(size=(2, 5, 3)))
    tau = one.inverse_dynamics(*state)
    other = one.inverse_dynamics(*state, formulation=formulation)
    assert np.max(np.abs(other - tau)) < AGREES * np.max(np.abs(tau))


@pytest.mark.parametrize("name", ["dymo", *(pytest.param(name, marks=pytest.mark.slow) for name in TURNING)])
def test_kinematic_elements_of_spindles_screws_and_the_3uru(name: str) -> None:
    """All of the grammar of [Ozgur2013]: motors at second axes, turns inside anywhere in a leg."""
    one: Robot = getattr(leg_kinds, name)()
    n = one.degrees_of_freedom
    state = (one.sample(5), *np.random.default_rng(4).normal(size=(2, 5, n)))
    tau, other = (one.inverse_dynamics(*state, formulation=name) for name in ("body-by-body", "kinematic-elements"))
    assert np.max(np.abs(other - tau)) < AGREES * np.max(np.abs(tau))


@pytest.mark.parametrize("formulation", ["subchain-mass", "recursive-matrix"])
def test_formulations_that_know_no_turns_inside_say_so(formulation: str) -> None:
    one = leg_kinds.hexapod_6ucu()
    with pytest.raises(
        UnsupportedRobotError, match=rf"{formulation} does not know legs that turn inside \(right1: screw"
    ):
        one.inverse_dynamics(one.home, np.zeros(6), np.zeros(6), formulation=formulation)


@pytest.mark.parametrize("name", ["hinged_cylinders", "driven_spins"])
def test_rates_of_motors_are_derivatives_of_their_positions(name: str) -> None:
    one: Robot = getattr(leg_kinds, name)()
    pose, offset = one.sample(3), np.random.default_rng(3).normal(size=(3, 6))
    ahead, behind = (displaced(one.motion_type, pose, s * STEP * offset) for s in (1, -1))
    rate = (one.inverse_kinematics(ahead) - one.inverse_kinematics(behind)) / (2 * STEP)
    q_dot = one.actuator_velocity(pose, offset)
    assert np.max(np.abs(rate - q_dot)) < DIFFERENCES * np.max(np.abs(q_dot))
    assert np.max(np.abs(np.einsum("sqv,sv->sq", one.jacobian(pose), offset) - q_dot)) < AGREES * np.max(np.abs(q_dot))


def test_angles_at_the_platform_and_their_limits() -> None:
    one = leg_kinds.braked_3upu()
    pose, velocity = one.sample(5), np.random.default_rng(6).normal(size=(5, 3))
    at = one.joints(pose, velocity, np.zeros((5, 3)))
    ahead, behind = (one.joints(pose + s * STEP * velocity, velocity, np.zeros((5, 3))).coordinate for s in (1, -1))
    assert one.joint_names[-2:] == ("leg3.attachment.joint.1", "leg3.attachment.joint.2")
    assert np.max(np.abs((ahead - behind) / (2 * STEP) - at.rate)) < DIFFERENCES * np.max(np.abs(at.rate))
    # Axes are parallel at both ends and the platform does not turn: what a strut does at its root it does at its tip.
    assert np.allclose(np.abs(at.coordinate[:, 1::2][:, :3]), np.abs(at.coordinate[:, 1::2][:, 3:]), atol=1e-12)
    assert np.all(one.check(pose) == Status.GOOD)
    narrow = one.replace(legs=[_narrow(leg) for leg in one.description.model_dump()["legs"]])
    assert int(narrow.check(one.home)) == Status.JOINT_LIMIT
    with pytest.raises(JointLimitError, match=r"leg1\.attachment\.joint\.1"):
        narrow.inverse_kinematics(one.home)


def _narrow(leg: dict) -> dict:
    leg["attachment"]["joint"] |= {"lower": [2.0, -0.9], "upper": [2.5, 1.1]}
    return leg


def test_friction_inside_an_element_takes_the_power_that_it_should() -> None:
    """What motors need more is viscous rate^2 + coulomb |rate| of the slide."""
    braked = leg_kinds.braked_shaft()
    state = (braked.sample(4), *np.random.default_rng(8).normal(size=(2, 4, 4)))
    columns = [braked.parameter_names.index(f"shaft.shaft.slide.{quantity}") for quantity in ("viscous", "coulomb")]
    tau = braked.regressor(*state)[..., columns] @ braked.parameters[columns]
    power = np.sum(tau * braked.actuator_velocity(*state[:2]), axis=-1)
    rate = braked.elements(*state).d_dot[:, -1]
    assert np.max(np.abs(power - (20.0 * rate**2 + 3.0 * np.abs(rate)))) < AGREES * np.max(power)


@pytest.mark.parametrize(
    ("robot_name", "element", "idle", "key", "message"),
    [
        ("gough_stewart", 0, False, "swivel_friction", "moves inside a spindle or screw, and this is a telescopic"),
        ("gough_stewart", 0, False, "slide_friction", "a motor drives the length: give slide_friction to actuator"),
        ("hexa", 1, False, "slide_friction", "of what moves inside a telescopic or screw, and this is a bar"),
        ("delta_shaft", 0, True, "swivel_friction", "nothing turns inside a shaft"),
    ],
)
def test_friction_of_what_does_not_move_inside_is_refused(
    robot_name: str, element: int, idle: bool, key: str, message: str
) -> None:
    tables = pk.load(robot_name).description.model_dump()
    tables["legs"][-1]["elements"][element].update({key: {"viscous": 1.0}, **({"actuator": None} if idle else {})})
    with pytest.raises(DescriptionError) as caught:
        describe(tables, "mine.toml")
    assert message in str(caught.value)


def test_friction_of_a_pin_is_refused() -> None:
    tables = pk.load("five_bar").description.model_dump()
    tables["legs"][0]["attachment"]["joint"] = {"type": "revolute", "friction": {"viscous": 1.0}}
    with pytest.raises(DescriptionError, match="all legs meet in one pin, which has no orientation"):
        describe(tables, "mine.toml")


@pytest.mark.parametrize(
    ("joint", "message"),
    [
        (
            {"type": "spherical", "cross": leg_kinds.CROSS},
            "only a universal joint has a cross, and this one is spherical",
        ),
        ({"type": "spherical", "friction": {"coulomb": 1.0}}, "a spherical joint has viscous friction only"),
        ({"type": "rigid", "friction": {"viscous": 1.0}}, "nothing turns in a rigid joint: remove its friction"),
        ({"type": "universal", "axis": [0, 1, 0], "lower": 0.1}, "lower of a universal joint is a pair of angles"),
        ({"type": "spherical", "cone": 0.1}, "limits need the reference direction"),
        ({"type": "rigid", "lower": 0.1, "reference": [1, 0, 0]}, "a rigid joint has no lower angle: nothing turns"),
        (
            {"type": "universal", "axis": [0, 1, 0], "cross": {"mass": 1.0}},
            "attachment.joint.cross.inertia: is missing",
        ),
    ],
)
def test_joints_at_the_platform_that_make_no_sense_are_refused(joint: dict, message: str) -> None:
    tables = pk.load("gough_stewart").description.model_dump()
    tables["legs"][0]["attachment"]["joint"] = joint
    with pytest.raises(DescriptionError) as caught:
        describe(tables, "mine.toml")
    assert message in str(caught.value)
