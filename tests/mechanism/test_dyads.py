"""Loops that close by formulas: the same configurations as by Newton, on the branch that is asked for."""

from __future__ import annotations

from functools import cache

import casadi as ca
import numpy as np
import pytest

import parakin as pk
from parakin.arrays import Array
from parakin.dynamics.graph.models import Options, graph_program
from parakin.kernels import Kernel
from parakin.kinematics.graph.closing import LOOP_CLOSURE_TOLERANCE, SMALLEST_SHARE, coordinates_of_pose, residual
from parakin.kinematics.graph.formulas import from_pose
from parakin.kinematics.graph.loops import graph_motion
from parakin.mechanism import MechanismDescription
from parakin.mechanism.plan import Plan, plan
from parakin.motions.offsets import displaced, frame_at
from parakin.robot import Robot
from tests.mechanism.test_singular import Walk, description, imposed, walk
from tests.mechanisms import from_platform

SAME = 1e-10
"""Largest difference of coordinates [m, rad]; near a singularity they are known to rounding over its share."""
KNOWN = (
    "four_bar",
    "slider_crank_rsup",
    "robotiq_2f85",
    "library four_bar",
    "library four_bar_leg",
    "library slider_crank",
    "library redundant_4rrr",
    "library tricept",
)
ROBOTS = ("gough_stewart", "palida", "hexa", "hexaglide", "hexapod_sliding", "planar_3rrr", "planar_3rpr")
"""Struts with and without a cross that has mass, arms, rails, planar legs."""


def formulas(planned: Plan) -> ca.Function:
    """From a pose and a near configuration to the configuration and its residual."""
    pose, near = ca.SX.sym("pose", len(planned.independent)), ca.SX.sym("near", planned.skeleton.coordinates)
    moving = graph_motion(planned)
    rows = ca.Function("rows", [moving.c], [residual(moving)])
    found, _ = from_pose(planned, pose, near)
    return ca.Function(
        "formulas", [pose, near], [found, rows(found)], ["pose", "near"], ["found", "error"], {"cse": True}
    )


def pose_of(planned: Plan, configuration: Array) -> Array:
    return ca.DM(coordinates_of_pose(planned, ca.SX(ca.DM(configuration)))).full()[:, 0]


def share(one: Walk, configuration: Array) -> float:
    smallest = np.linalg.svd(imposed(one.plan, configuration), compute_uv=False)[-1]
    return float(smallest) / one.plan.smallest_singular_value


@pytest.mark.parametrize("name", KNOWN)
def test_a_configuration_is_found_again_on_its_branch(name: str) -> None:
    one = walk(name)
    assert not one.plan.closing.rows
    assert "by formulas" in str(one.plan)
    function = formulas(one.plan)
    sides = set()
    for c in one.configurations:
        if share(one, c) > SMALLEST_SHARE:
            found, error = function(pose_of(one.plan, c), c)
            assert float(error) < LOOP_CLOSURE_TOLERANCE
            assert np.max(np.abs(found.full()[:, 0] - c)) < SAME / share(one, c)
            sides.add(float(np.linalg.slogdet(imposed(one.plan, c))[0]))
    if name == "library tricept":
        assert len(sides) == 2  # the walk goes through singularities, and the other branch is followed there


@cache
def platform_plan(name: str) -> Plan:
    return plan(from_platform(pk.load(name)))


@pytest.mark.parametrize("name", ROBOTS)
def test_legs_close_as_those_of_robots_do(name: str) -> None:
    robot, planned = pk.load(name), platform_plan(name)
    assert len(planned.closing.before) == len(robot.actuators)
    function, home = formulas(planned), planned.assembly.configuration
    rng = np.random.default_rng(2)
    poses = displaced(robot.motion_type, robot.home, rng.uniform(*robot.box, (10, robot.degrees_of_freedom)))
    names = planned.skeleton.velocity_names
    for pose in poses:
        p, R = frame_at(robot.motion_type, pose)
        turns = 2 * np.arctan(_rodrigues(R))
        given = np.array([*p, *turns]) if robot.degrees_of_freedom == 6 else np.array([p[0], p[1], turns[2]])
        found, error = function(given, home)
        assert float(error) < LOOP_CLOSURE_TOLERANCE
        c = dict(zip(names, _one_each(planned, found.full()[:, 0]), strict=True))
        motors = np.array([c[names[k]] for k in planned.actuators])
        sign = np.array([actuator.sign for actuator in robot.actuators])
        zero = np.array([actuator.zero for actuator in robot.actuators])
        assert np.max(np.abs(sign * (motors - zero) - robot.inverse_kinematics(pose))) < SAME


def _rodrigues(R: Array) -> Array:
    return np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (1 + np.trace(R))


def _one_each(planned: Plan, configuration: Array) -> list[float]:
    """A coordinate for each velocity; those of a ball, of which nobody asks, are left out."""
    values: list[float] = []
    for link in planned.skeleton.links:
        kind = link.joint.kind
        plain = [f for f in kind.freedoms if not f.name.startswith("w")]
        values += configuration[link.coordinate : link.coordinate + len(plain)].tolist()
        values += [float("nan")] * (len(kind.freedoms) - len(plain))
    return values


def test_loops_that_cannot_close_stay_open_by_what_is_missing() -> None:
    planned = platform_plan("gough_stewart")
    far = pose_of(planned, planned.assembly.configuration)
    far[0] += 0.3
    found, error = formulas(planned)(far, planned.assembly.configuration)
    assert np.all(np.isfinite(found.full()))
    assert float(error) < LOOP_CLOSURE_TOLERANCE  # struts reach everywhere
    bars = platform_plan("hexa")
    far = pose_of(bars, bars.assembly.configuration)
    far[0] += 2.0
    found, error = formulas(bars)(far, bars.assembly.configuration)
    size = bars.skeleton.size
    (length,) = {cut.joint.length for cut in bars.skeleton.cuts}
    assert length is not None
    row = float(error) * size  # of the bar that misses most: (distance^2 - length^2)/(2 length)
    missing = np.sqrt(length**2 + 2 * length * row) - length
    assert 1.5 < missing < 2.0


def test_newton_and_formulas_agree_and_either_can_be_had() -> None:
    asked = description("library four_bar")
    newton = plan(asked, closed_forms=False)
    assert not newton.closing.formulas
    assert "by Newton steps" in str(newton)
    linkage = Robot(asked)
    pose = linkage.sample(50)
    kernel = Kernel(graph_program("configuration", newton, Options(linkage.payload)), status="status")
    near = np.tile(linkage.home_configuration, (50, 1))
    found = kernel.evaluate({"pose": pose[:, 0], "near": near})["configuration_found"]
    turned = found - linkage.configuration(pose)  # the coupler may have turned once more on Newton's way
    assert np.max(np.abs(turned - 2 * np.pi * np.round(turned / (2 * np.pi)))) < SAME


def test_loops_without_a_formula_are_left_to_newton() -> None:
    for name in ("agile_eye", "sarrus", "dymo_3uru"):
        assert not plan(description(name)).closing.formulas


def test_a_spring_counts_whole_turns_which_formulas_do_not() -> None:
    tables = description("library four_bar").model_dump()
    for joint in tables["joints"]:
        if joint["name"] == "crank_coupler":
            joint["freedoms"] = {"angle": {"spring": {"stiffness": 1.0}}}
    assert not plan(MechanismDescription.model_validate(tables)).closing.formulas
