"""Rods on a universal joint and a spherical joint as distances: the mechanics of bodies, their names and parameters."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import parakin as pk
from parakin.arrays import Array
from parakin.mechanism import Joint, MechanismDescription, graph_of, plan_of_json, plan_to_json
from parakin.mechanism.plan import plan
from parakin.robot import Robot, Status
from tests.mechanism.round_rods import with_bodies

AGREES = 1e-10
"""Largest difference relative to the largest entry: the same mechanics, other coordinates."""
OFFSET = 0.05
"""How far the frames of hinges are along their axes from where these meet [m]."""


def kossel() -> MechanismDescription:
    return graph_of(pk.load("kossel").description)


def changed(change: Callable[[Joint], list[dict[str, Any]]]) -> MechanismDescription:
    """A Kossel whose universal joints are changed."""
    tables = kossel().model_dump()
    joints = [Joint.model_validate(table) for table in tables["joints"]]
    changes = [new for one in joints for new in (change(one) if one.type == "universal" else [one.model_dump()])]
    rings = [{"name": f"{one.name}_ring"} for one in joints if change is hinges and one.type == "universal"]
    bodies = [*tables["bodies"], *rings]
    return MechanismDescription.model_validate(tables | {"joints": changes, "bodies": bodies})


def backwards(joint: Joint) -> list[dict[str, Any]]:
    """The same joint with the rod as its parent."""
    frames = [
        _frame(frame.position, frame.rotation[:, [1, 0, 2]]) for frame in (joint.frame_on_child, joint.parent_frame)
    ]
    ends = {"parent": joint.child, "child": joint.parent, "parent_frame": frames[0], "child_frame": frames[1]}
    first, second = joint.home or (0.0, 0.0)
    return [{"name": joint.name, "type": "universal", "home": [-second, -first], **ends}]


def hinges(joint: Joint) -> list[dict[str, Any]]:
    """Two hinges with a ring between them, the second one backwards, their frames away from where they meet."""
    ring, corner = f"{joint.name}_ring", np.array([0.01, 0.02, 0.03])
    P, C, first, second = joint.parent_frame, joint.frame_on_child, [1, 2, 0], [2, 0, 1]
    axes = [
        (joint.parent, np.array(P.position), P.rotation[:, first], OFFSET),
        (ring, corner, np.eye(3)[:, first], OFFSET),
        (joint.child, np.array(C.position), C.rotation[:, second], -OFFSET),
        (ring, corner, np.eye(3)[:, second], -OFFSET),
    ]
    frames = [_frame(p + along * R[:, 2], R) for _, p, R, along in axes]
    turned = joint.home or (0.0, 0.0)
    return [
        {
            "name": f"{joint.name}_{k}",
            "type": "revolute",
            "parent": axes[2 * k][0],
            "child": ring,
            "parent_frame": frames[2 * k],
            "child_frame": frames[2 * k + 1],
            "home": [angle],
        }
        for k, angle in enumerate((turned[0], -turned[1]))
    ]


def _frame(position: Array | tuple[float, ...], R: Array) -> dict[str, Any]:
    x, z = R[:, 0], R[:, 2] * np.linalg.det(R)
    return {"position": tuple(np.array(position).tolist()), "x": tuple(x.tolist()), "z": tuple(z.tolist())}


def heavy() -> MechanismDescription:
    """Rods that are not round, in joints with friction."""
    tables = kossel().model_dump()
    for body in tables["bodies"]:
        if "rods" in body["name"]:
            across = body["inertia"][1][1]
            body["inertia"] = (np.diag([0.3, 1.0, 0.8]) * across).tolist()
            body["com"] = tuple(np.add(body["com"], (0.0, 0.002, 0.001)).tolist())
    for joint in tables["joints"]:
        names = {"universal": ("first", "second"), "spherical": ("wx", "wy", "wz")}.get(joint["type"], ())
        joint["freedoms"] |= {name: {"friction": {"viscous": 0.2 + k}} for k, name in enumerate(names)}
        if joint["type"] == "universal":
            joint["freedoms"]["second"] = {"friction": {"viscous": 0.1, "coulomb": 0.3}}
    return MechanismDescription.model_validate(tables)


MACHINES: dict[str, Callable[[], MechanismDescription]] = {
    "universal joints": kossel,
    "universal joints backwards": lambda: changed(backwards),
    "hinges": lambda: changed(hinges),
    "rods that are not round, with friction": heavy,
    "rings with mass": lambda: graph_of(pk.load("hexaglide").description),
}


@cache
def pair(name: str) -> tuple[Robot, Robot]:
    """Return a mechanism as its plan takes it, and with its rods as bodies."""
    description = MACHINES[name]()
    return Robot(description), with_bodies(description)


def compare(name: str, model: str, free: tuple[str, ...] = ()) -> None:
    mine, bodies = pair(name)
    pose, velocity, acceleration = mine.sample_states(4)
    given = {"pose": pose, "velocity": velocity, "acceleration": acceleration}
    if free:  # any inertia and friction, rods that are not round among them
        rng = np.random.default_rng(1)
        given["parameters"] = mine.parameters * rng.uniform(0.7, 1.3, len(mine.parameters)) + 1e-3
    found = []
    for one in (mine, bodies):
        kernel = one.kernel(model, free=free)
        names = {port.name for port in kernel.inputs}
        near = {"near": one.graph.home_configuration}
        inputs: dict[str, Any] = {key: value for key, value in (given | near).items() if key in names}
        found.append(kernel(**inputs))
    for key in found[1].keys() - {"residual"}:
        values, expected = (np.asarray(out[key], float) for out in found)
        assert np.max(np.abs(values - expected)) <= AGREES * np.max(np.abs(expected)), key


def test_names_and_parameters_stay_those_of_the_file() -> None:
    for name in MACHINES:
        mine, bodies = pair(name)
        assert (len(mine.plan.skeleton.rods), len(bodies.plan.skeleton.rods)) == (6, 0)
        assert mine.pose_names == bodies.pose_names
        assert mine.body_names == bodies.body_names
        assert mine.joint_names == bodies.joint_names
        assert mine.coordinate_names == bodies.coordinate_names
        assert mine.wrench_names == bodies.wrench_names
        assert mine.parameter_table == bodies.parameter_table
        assert (mine.plan.rank, mine.plan.redundant) == (bodies.plan.rank, bodies.plan.redundant)


@pytest.mark.parametrize("name", MACHINES)
def test_forces_are_those_of_bodies(name: str) -> None:
    compare(name, "inverse_dynamics")


@pytest.mark.slow
@pytest.mark.parametrize("model", ["mass_matrix", "energy", "joints", "bodies", "joint_wrenches"])
@pytest.mark.parametrize("name", MACHINES)
def test_all_models_are_those_of_bodies(name: str, model: str) -> None:
    compare(name, model)


@pytest.mark.slow
@pytest.mark.parametrize("model", ["inverse_dynamics", "mass_matrix", "energy", "joint_wrenches"])
@pytest.mark.parametrize("name", ["universal joints backwards", "rings with mass"])
def test_any_parameters_give_what_they_give_bodies(name: str, model: str) -> None:
    compare(name, model, ("parameters",))


def test_it_takes_half_of_the_operations() -> None:
    mine, bodies = (one.kernel("inverse_dynamics").operations for one in pair("universal joints"))
    assert mine.additions < bodies.additions / 2
    assert mine.multiplications < bodies.multiplications / 2


def test_other_parameters_are_written_into_bodies() -> None:
    mine, _ = pair("universal joints")
    values = 1.1 * np.array(mine.parameters)
    again = mine.with_parameters(values, "a test")
    assert np.allclose(again.parameters, values, rtol=1e-12, atol=1e-15)
    assert len(again.graph.plan.skeleton.rods) == 6


def test_a_plan_with_turned_rods_is_kept_as_json() -> None:
    description = MACHINES["hinges"]()
    text = plan_to_json(plan(description))
    assert plan_to_json(plan_of_json(description, text)) == text


def edited(freedoms: dict[str, Any] | None = None, **top: object) -> MechanismDescription:
    """A Kossel with other settings of one universal joint, or other tables."""
    tables = kossel().model_dump()
    if freedoms is not None:
        next(joint for joint in tables["joints"] if joint["name"] == U)["freedoms"] = freedoms
    return MechanismDescription.model_validate(tables | top)


U = "tower1_rail_tip_tower1_rods_a"
KEPT: dict[str, Callable[[], MechanismDescription]] = {
    f"{U}.first has a limit": lambda: edited({"first": {"lower": -1.0}}),
    f"{U}.second has spring": lambda: edited({"second": {"spring": {"stiffness": 1.0}}}),
    f"{U}.first has inertia": lambda: edited({"first": {"inertia": 1.0}}),
    "frame tip is on it": lambda: edited(frames=({"name": "tip", "body": "tower1_rods_a"},)),
}


@pytest.mark.parametrize("reason", KEPT)
def test_why_a_rod_stays_a_body_is_said(reason: str) -> None:
    planned = plan(KEPT[reason]())
    assert [rod.kept for rod in planned.rods if rod.kept] == [reason]
    assert f"between a universal joint and a ball: round to 0.0e+00, a body, for {reason}" in str(planned)


def test_angles_of_a_rod_stay_coordinates_of_the_pose() -> None:
    """A rod on a universal joint with a ball at its end and a weight on that: nothing drives its angles."""
    tables: dict[str, Any] = {
        "name": "swing",
        "title": "A weight on a rod",
        "source": "assumed",
        "output": {"body": "weight"},
        "bodies": [
            {"name": "rod", "mass": 0.3, "com": (0.0, 0.0, -0.3), "inertia": np.diag([0.01, 0.01, 0.0]).tolist()},
            {"name": "weight", "mass": 1.0, "inertia": np.diag([0.01, 0.02, 0.03]).tolist()},
        ],
        "joints": [
            {"name": "top", "type": "universal", "parent": "world", "child": "rod"},
            {
                "name": "tip",
                "type": "spherical",
                "parent": "rod",
                "child": "weight",
                "parent_frame": {"position": (0.0, 0.0, -0.6)},
            },
        ],
    }
    planned = plan(MechanismDescription.model_validate(tables))
    assert planned.independent_names == ("top.first", "top.second", "tip.wx", "tip.wy", "tip.wz")
    assert [rod.kept for rod in planned.rods] == ["the motors do not determine its pose"]


CRANK, ROD, START = 0.1, 0.3, 1.0
"""Lengths of a crank and its rod [m], and the angle at which they are drawn [rad]."""


def slider_crank() -> Robot:
    """A crank, and a slider along x that carries axis 1 of the rod's universal joint along x."""
    pin = (CRANK * np.cos(START), CRANK * np.sin(START), 0.0)
    end = (float(pin[0] + np.sqrt(ROD**2 - pin[1] ** 2)), 0.0, 0.0)
    middle = tuple(float(value) for value in (np.array(pin) + end) / 2)
    thick = np.diag([2e-4, 3e-4, 4e-4]).tolist()
    joints = [
        {"name": "crank", "type": "revolute", "parent": "world", "child": "crank", "home": [0.0]},
        {"name": "slide", "type": "prismatic", "parent": "world", "child": "slider", "parent_frame": {"z": (1, 0, 0)}},
        {"name": "ball", "type": "spherical", "parent": "crank", "child": "rod", "parent_frame": {"position": pin}},
        {
            "name": "cross",
            "type": "universal",
            "parent": "slider",
            "child": "rod",
            "parent_frame": {"position": end, "x": (1, 0, 0), "z": (0, -1, 0)},
        },
    ]
    joints[0]["freedoms"] = {"angle": {"drive": {}}}
    bodies = [
        {"name": "crank", "mass": 0.1, "com": pin},
        {"name": "rod", "mass": 0.2, "com": middle, "inertia": thick},
        {"name": "slider", "mass": 0.3, "com": end},
    ]
    tables = {"name": "slider", "title": "slider crank", "source": "a test", "output": {"body": "slider"}}
    return Robot(MechanismDescription.model_validate(tables | {"bodies": bodies, "joints": joints}))


def test_a_rod_along_axis_1_of_its_universal_joint_is_singular() -> None:
    """Its spin is undetermined there, and with it the angles of the joint and what inertia that is not round takes."""
    robot = slider_crank()
    assert [rod.body for rod in robot.plan.skeleton.rods] == ["rod"]
    stretched = -START
    poses = np.array([[stretched + away] for away in (-0.01, 0.0, 0.01, 0.3)])
    near = robot.led_from_home(poses[[3, 3, 3, 3]]).configuration
    for model in ("joint_coordinates", "configuration"):
        status = robot.evaluate(model, pose=poses, near=near).status
        assert status.tolist() == [Status.GOOD, Status.SINGULAR, Status.GOOD, Status.GOOD], model
