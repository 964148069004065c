"""What each formulation of inverse dynamics has of its own: shared intermediates, special cases, what is left out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import parakin as pk
from parakin.dynamics import simplified, subchain_mass
from parakin.dynamics.formulations import FORMULATIONS
from parakin.dynamics.mechanics import mechanics
from parakin.errors import UnknownNameError, UnsupportedRobotError
from parakin.kernels import Kernel
from parakin.kinematics.model import Model, actuation_pivot, program_of
from tests.reference import ROBOTS, UNIQUE
from tests.robots import twins_later
from tests.states import AGREE, EXACT, States, scaled, states
from tests.variants import frictionless

OTHERS = EXACT[1:]
"""Exact formulations besides the default."""
LUMPED = ("delta", "orthoglide", "h4", "quattro", "five_bar", "planar_3rrr", "hexa", "hexaglide")
"""Robots whose legs all end with a bar."""


def changed(robot: pk.Robot, change: Callable[[dict[str, Any]], None]) -> pk.Robot:
    """The robot with every element of its file edited."""
    tables = robot.description.model_dump()
    for leg in tables["legs"]:
        for element in leg["elements"]:
            change(element)
    return robot.replace(legs=tables["legs"])


def forces(robot: pk.Robot, s: States, formulation: str = EXACT[0], **extras: Any) -> np.ndarray:
    return robot.inverse_dynamics(s.pose, s.velocity, s.acceleration, formulation=formulation, **extras)


@pytest.mark.parametrize("name", twins_later(UNIQUE))
def test_sub_chains_have_the_mass_of_the_robot(name: str) -> None:
    """[Abdellatif2005] eq. (7) gives the M that multiplies the acceleration in virtual work."""
    robot = ROBOTS[name]
    made = mechanics(robot.description, robot.payload)
    model = Model({"pose": made.moving.pose}, {"M": subchain_mass.mass_matrix(made)})
    kernel = Kernel(program_of("subchain_mass_matrix", model, made.moving, robot.description), status="status")
    pose = robot.sample(10)
    scaled(kernel(pose)["M"], robot.mass_matrix(pose), AGREE)


@pytest.mark.parametrize("formulation", OTHERS)
@pytest.mark.parametrize(("name", "joint"), [("delta", "parallelogram"), ("gough_stewart", "spherical")])
def test_free_joints_brake_the_relative_velocity(name: str, joint: str, formulation: str) -> None:
    """Friction of joints that leave the spin open, and its reaction on what carries them."""

    def braked(element: dict[str, Any]) -> None:
        if element["joint"]["type"] == "universal":
            element["joint"] |= {"type": "spherical", "axis": None}
        if element["joint"]["type"] == joint:
            element["joint"]["friction"] = {"viscous": 3.0}

    robot = changed(ROBOTS[name], braked)
    s = states(robot)
    want = forces(robot, s)
    assert np.max(np.abs(want - forces(frictionless(robot), s))) > 0.1
    scaled(forces(robot, s, formulation), want, AGREE)


@pytest.mark.parametrize("formulation", OTHERS)
def test_redundant_actuators_share_alike(formulation: str) -> None:
    robot = ROBOTS["planar_3rpr"].replace(name="planar_4rpr", symmetries={"thirds": {"count": 4}})
    s = states(robot)
    assert robot.jacobian(s.pose).shape == (20, 4, 3)
    for weights in (None, np.array([1.0, 4.0, 2.0, 0.5])):
        scaled(forces(robot, s, formulation, weights=weights), forces(robot, s, weights=weights), AGREE)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_forces_are_linear_in_free_parameters(formulation: str) -> None:
    robot = ROBOTS["delta"]
    s = states(robot)
    kernel = robot.kernel("inverse_dynamics", formulation=formulation, free=["parameters"])
    p = robot.parameters * np.random.default_rng(1).uniform(0.5, 1.5, len(robot.parameters))
    at_p, twice, baked = (kernel(s.pose, s.velocity, s.acceleration, v)["tau"] for v in (p, 2 * p, robot.parameters))
    scaled(twice, 2 * at_p, AGREE)
    scaled(baked, forces(robot, s, formulation), AGREE)


# The hexapod of [Sinatra2009] ------------------------------------------------------------------------------------


@pytest.mark.parametrize("formulation", EXACT)
@pytest.mark.parametrize("rubbing", [False, True])
def test_vertical_motion_takes_six_equal_forces(rubbing: bool, formulation: str) -> None:
    """[Sinatra2009] sec. 4, first motion: forces and powers are equal at every time, with friction too."""
    robot = ROBOTS["hexapod_sliding"] if rubbing else frictionless(ROBOTS["hexapod_sliding"])
    t = np.linspace(0.0, 3.0, 31)
    s = States(np.tile(robot.home, (31, 1)), np.zeros((31, 6)), np.zeros((31, 6)))
    s.pose[:, 2] -= 0.15 * (1 - np.cos(np.pi / 3 * t))
    s.velocity[:, 2] = -0.15 * np.pi / 3 * np.sin(np.pi / 3 * t)
    s.acceleration[:, 2] = -0.15 * (np.pi / 3) ** 2 * np.cos(np.pi / 3 * t)
    tau = forces(robot, s, formulation)
    assert np.all(np.diff(np.abs(tau[:, 0])) > 0), "towards the base the legs lie flatter and push harder"
    scaled(tau, np.broadcast_to(tau[:, :1], tau.shape), AGREE)
    power = tau * robot.actuator_velocity(s.pose, s.velocity)
    scaled(power, np.broadcast_to(power[:, :1], power.shape), AGREE)


# Simplified models -----------------------------------------------------------------------------------------------


def two_points(element: dict[str, Any]) -> None:
    """A last bar whose mass is two points, two thirds at its root and one third at its tip; its ring a point."""
    if element["type"] != "bar" or element["actuator"]:
        return
    for body in element["bodies"]:
        length, ring = element["length"], body["part"] == "ring"
        body["com"] = (0.0, 0.0, 0.0) if ring else (length / 3, 0.0, 0.0)
        across = 0.0 if ring else 2 / 9 * body["mass"] * length**2
        body["inertia"] = ((0.0, 0.0, 0.0), (0.0, across, 0.0), (0.0, 0.0, across))


@pytest.mark.parametrize("name", twins_later(LUMPED))
def test_bars_of_two_points_are_lumped_exactly(name: str) -> None:
    """[Codourey1997] sec. 4.2 is exact for bars with their mass at both ends; for uniform ones it is not."""
    robot = changed(ROBOTS[name], two_points)
    s = states(robot)
    scaled(forces(robot, s, "simplified"), forces(robot, s), AGREE)
    exact = forces(ROBOTS[name], s)
    assert np.max(np.abs(forces(ROBOTS[name], s, "simplified") - exact)) > 1e-4 * np.max(np.abs(exact))


def lumped(robot: pk.Robot) -> tuple[Kernel, tuple[str, ...]]:
    made = mechanics(robot.description, robot.payload)
    form, moving = simplified.lumped_form(made), made.moving
    inputs = {"pose": moving.pose, "velocity": moving.velocity, "acceleration": moving.acceleration}
    model = Model(inputs, {"Psi": form.Psi, "p": form.p}, actuation_pivot(moving, robot.description))
    return Kernel(program_of("lumped_form", model, moving, robot.description), status="status"), tuple(
        label.name for label in form.labels
    )


def test_the_lumped_delta_has_the_linear_form_of_codourey() -> None:
    """[Codourey1997] eq. (45): 3 x 7, where the arms' columns have one entry each; q counts upwards here."""
    robot = frictionless(ROBOTS["delta"])
    s = states(robot)
    kernel, names = lumped(robot)
    found = kernel(s.pose, s.velocity, s.acceleration)
    Psi, p = found["Psi"], found["p"]
    assert Psi.shape == (20, 3, 7)
    assert names == (*(f"leg{k}.arm.{what}" for k in (1, 2, 3) for what in ("mx", "Izz")), "platform.m")
    q = robot.inverse_kinematics(s.pose)
    q_ddot = robot.actuator_acceleration(s.pose, s.velocity, s.acceleration)
    want = np.zeros((20, 3, 7))
    for k in range(3):
        want[:, k, 2 * k] = 9.81 * np.cos(q[:, k])
        want[:, k, 2 * k + 1] = q_ddot[:, k]
    J = np.linalg.inv(robot.jacobian(s.pose))
    want[:, :, 6] = np.einsum("kji,kj->ki", J, s.acceleration - [0.0, 0.0, -9.81])
    scaled(Psi, want, AGREE)
    assert np.count_nonzero(Psi[0]) == 9
    scaled(np.einsum("kij,kj->ki", Psi, p), forces(robot, s, "simplified"), AGREE)


def test_the_lumped_form_of_another_robot() -> None:
    robot = frictionless(ROBOTS["five_bar"])
    s = states(robot)
    found = lumped(robot)[0](s.pose, s.velocity, s.acceleration)
    scaled(np.einsum("kij,kj->ki", found["Psi"], found["p"]), forces(robot, s, "simplified"), AGREE)


def test_the_nacelle_model_is_that_of_vivas() -> None:
    """[Vivas2003] eq. (13) to (15) with the values of its Table 1: rods without mass, arms with their motors."""
    robot = frictionless(ROBOTS["h4"])
    s = states(robot)
    I_mot, M = np.array([0.0167, 0.0164, 0.0176, 0.0234]), np.diag([0.984, 0.984, 0.984, 0.0029])
    q_ddot = robot.actuator_acceleration(s.pose, s.velocity, s.acceleration)
    J = np.linalg.inv(robot.jacobian(s.pose))
    lifted = np.einsum("kji,kj->ki", J, (s.acceleration - [0.0, 0.0, -9.81, 0.0]) @ M)
    scaled(forces(robot, s, "nacelle"), I_mot * q_ddot + lifted, 1e-9)


@pytest.mark.parametrize(
    ("name", "formulation", "reason"),
    [
        ("gough_stewart", "simplified", "the last element of right1 is a telescopic"),
        ("delta_shaft", "simplified", "the last element of shaft is a screw"),
        ("orthoglide", "nacelle", "legs that are a driven arm and a bar, and axis1 is not"),
    ],
)
def test_robots_without_a_simplified_model_are_refused(name: str, formulation: str, reason: str) -> None:
    with pytest.raises(UnsupportedRobotError, match=reason):
        ROBOTS[name].kernel("inverse_dynamics", formulation=formulation)


def test_robots_without_the_lumped_form_are_refused() -> None:
    def lopsided(element: dict[str, Any]) -> None:
        for body in element["bodies"] if element["actuator"] else ():
            body["com"] = (0.1, 0.01, 0.0)

    for robot, reason in (
        (ROBOTS["h4"], "platform that does not turn"),
        (ROBOTS["orthoglide"], "axis1 is not"),
        (ROBOTS["delta"].replace(symmetries={"thirds": {"count": 4}}), "not 4 for 3"),
        (changed(ROBOTS["delta"], lopsided), "centre of mass on their line"),
    ):
        with pytest.raises(UnsupportedRobotError, match=reason):
            simplified.lumped_form(mechanics(robot.description, robot.payload))


# Comparing -------------------------------------------------------------------------------------------------------


def test_a_comparison_says_how_far_forces_are_off() -> None:
    robot = ROBOTS["delta"]
    s = states(robot)
    s.pose[3] = (5.0, 0.0, 0.0)  # out of reach
    state = (s.pose, s.velocity, s.acceleration)
    found = robot.compare(*state, formulation="simplified")
    good = np.arange(20) != 3
    want, got = forces(robot, s)[good], forces(robot, s, "simplified")[good]
    assert (found.states, found.left_out, found.against) == (19, 1, "virtual-work")
    assert found.actuators == robot.actuator_names
    np.testing.assert_array_equal(found.largest, np.abs(got - want).max(axis=0))
    np.testing.assert_allclose(found.rms_percent, 100 * found.rms / np.sqrt(np.mean(want**2, axis=0)), rtol=1e-12)
    assert np.all(found.largest_percent < 10)
    table = str(found)
    assert table.startswith("simplified against virtual-work: 19 states, 1 left out\nactuator")
    assert "leg1.arm" in table
    assert f"{found.largest[0]:.3g} N m ({found.largest_percent[0]:.2f} %)" in table
    assert robot.compare(*state, formulation="nacelle").rms.max() > found.rms.max()


def test_a_comparison_with_itself_or_with_nothing() -> None:
    robot = ROBOTS["hexaglide"]
    s = states(robot, 3)
    same = robot.compare(s.pose, s.velocity, s.acceleration, formulation="virtual-work")
    assert set(same.units) == {"N"}
    assert np.all(same.largest == 0.0)
    assert np.all(same.rms_percent == 0.0)
    s.pose[:, 2] = 50.0  # out of reach
    nothing = robot.compare(s.pose, s.velocity, s.acceleration, formulation="virtual-work")
    assert (nothing.states, nothing.left_out) == (0, 3)
    assert np.isnan(nothing.largest).all()
    with pytest.raises(UnknownNameError, match="no formulation 'newton'; choose one of virtual-work, body-by-body"):
        robot.compare(s.pose, s.velocity, s.acceleration, formulation="newton")
