"""Reference mechanisms of three other engines: mobility, configurations, forces, masses, reactions."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike

from parakin.arrays import Array
from parakin.mechanism import numeric
from parakin.mechanism.plan import Plan, plan
from parakin.robot import Robot
from tests.mechanisms import NAMES, described, record

AGREES = 1e-9
"""Largest difference from the reference, relative to its largest entry over all states; the issue's own figure."""
ROUNDED = 2e-5
"""The same where parakin chooses other rows of a loop that closes only up to 1e-7 m."""
CLOSES = 1e-10
"""Largest difference of a configuration [m, rad] that Newton found from home."""


@cache
def mechanism(name: str) -> Robot:
    return Robot(described(name))


def configuration(planned: Plan, state: dict[str, Any]) -> Array:
    """The tree's coordinates in a reference state; floating bodies from their poses."""
    c = np.zeros(planned.skeleton.coordinates)
    for link in planned.skeleton.links:
        span = slice(link.coordinate, link.coordinate + len(link.joint.kind.home))
        if link.joint.name in state["q"]:
            c[span] = state["q"][link.joint.name]
        else:
            body = state["bodies"][link.joint.child]
            c[span] = [*body["p"], *numeric.matrix_quaternion(np.array(body["R"]))]
    return c


def states(name: str, planned: Plan) -> dict[str, Any]:
    rows = record(name)["states"]
    return {
        "configuration": np.array([configuration(planned, state) for state in rows]),
        "velocity": np.array([state["u_dot"] for state in rows]),
        "acceleration": np.array([state["u_ddot"] for state in rows]),
    }


def expected(name: str, *path: str) -> Array:
    values = record(name)["states"]
    for key in path:
        values = [value[key] for value in values]
    return np.array(values)


def difference(values: ArrayLike, reference: Array) -> float:
    return float(np.max(np.abs(np.asarray(values) - reference)) / np.max(np.abs(reference)))


@pytest.mark.parametrize("chosen", [True, False], ids=["given", "free"])
@pytest.mark.parametrize("name", NAMES)
def test_mobility(name: str, chosen: bool) -> None:
    reference, planned = record(name)["mobility"], plan(described(name, independent=chosen))
    assert len(planned.independent) == reference["dof"]
    assert (planned.rows, planned.rank, planned.redundant) == tuple(reference[k] for k in ("rows", "rank", "redundant"))
    assert planned.idle == reference["idle"]
    assert planned.loose == 0


@pytest.mark.parametrize("name", NAMES)
def test_configurations_are_found_from_home(name: str) -> None:
    one = mechanism(name)
    given = states(name, one.plan)["configuration"]
    pose = one.pose_of(given)
    assert np.max(np.abs(np.abs(one.configuration(pose)) - np.abs(given))) < CLOSES  # a quaternion has two signs


@pytest.mark.parametrize("name", NAMES)
def test_forces_and_masses(name: str) -> None:
    one = mechanism(name)
    state = states(name, one.plan)
    still: dict[str, Any] = {"configuration": state["configuration"]}
    moving = still | {"velocity": state["velocity"]}
    tau = one.evaluate("inverse_dynamics", **state)
    assert tau.good.all()
    assert difference(tau["tau"], expected(name, "tau")) < AGREES
    assert difference(one.evaluate("generalised_force", **state)["Q"], expected(name, "Q")) < AGREES
    assert difference(one.evaluate("mass_matrix", **still)["M"], expected(name, "M")) < AGREES
    h = one.evaluate("bias", **moving)["h"] + one.evaluate("gravity", **still)["g"]
    assert difference(h, expected(name, "h")) < AGREES
    assert difference(one.evaluate("energy", **moving)["kinetic"], expected(name, "kinetic_energy")) < AGREES


@pytest.mark.parametrize("name", NAMES)
def test_every_joint_and_the_output_move_as_they_should(name: str) -> None:
    one = mechanism(name)
    state = states(name, one.plan)
    joints = one.evaluate("joints", **state)
    names = [joint.name for joint in one.graph_description.joints if joint.kind.freedoms]
    rows = record(name)["states"]
    for key, output in (("q_dot", "rate"), ("q_ddot", "acceleration_of_joints")):
        reference = np.array([np.concatenate([row[key][joint] for joint in names]) for row in rows])
        assert difference(joints[output], reference) < AGREES
    coordinates = np.array([np.concatenate([row["q"][joint] for joint in names]) for row in rows])
    assert np.max(np.abs(np.abs(joints["coordinate"]) - np.abs(coordinates))) < AGREES
    output = one.evaluate("output", **state)
    for key, value in (("p", "p"), ("R", "R"), ("twist", "twist"), ("accel", "twist_dot")):
        assert difference(output[value], expected(name, "output", key)) < AGREES


@pytest.mark.parametrize("name", [name for name in NAMES if record(name)["states"][0].get("reactions")])
def test_joint_reactions(name: str) -> None:
    one = mechanism(name)
    wrenches = one.evaluate("joint_wrenches", **states(name, one.plan))["wrench_on_child"]
    reference = np.array(
        [
            [[*row["reactions"][joint]["force"], *row["reactions"][joint]["moment"]] for joint in one.wrench_names]
            for row in record(name)["states"]
        ]
    )
    assert difference(wrenches, reference) < AGREES


def test_rounded_dimensions_keep_the_mobility_and_nearly_the_forces() -> None:
    free = Robot(described("agile_eye_rounded", rows=False))
    reference = record("agile_eye_rounded")
    assert len(free.plan.independent) == 3
    assert {row.split()[1] for row in free.plan.openings} == {"c1", "c2"}
    assert max(free.plan.openings.values()) == pytest.approx(
        reference["all_rows"]["dropped_row_error"], rel=1.0
    )  # it depends on where one looks
    state = states("agile_eye_rounded", mechanism("agile_eye_rounded").plan)
    tau = free.inverse_dynamics(
        mechanism("agile_eye_rounded").pose_of(state["configuration"]), state["velocity"], state["acceleration"]
    )
    assert difference(tau, expected("agile_eye_rounded", "tau")) < ROUNDED


def test_a_singular_home_is_said() -> None:
    data = record("dymo_3uru")["special"][0]
    tables = described("dymo_3uru").model_dump()
    for joint in tables["joints"]:
        joint["home"] = data["q"].get(joint["name"])
    planned = plan(type(described("dymo_3uru")).model_validate(tables))
    assert planned.singular_home
    assert len(planned.independent) == 3
    assert "singular" in str(planned)
