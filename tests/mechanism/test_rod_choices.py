"""Which rods between two balls plans take as distances, why others stay bodies, and what then holds what."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from parakin.errors import DescriptionError
from parakin.mechanism import (
    Joint,
    MechanismDescription,
    Rod,
    ball_rods,
    describe_mechanism,
    plan_of_json,
    plan_to_json,
    with_distances,
)
from parakin.mechanism.plan import plan
from parakin.mechanism.rods import ROUND
from parakin.robot import Robot
from tests.mechanism.round_rods import rounded, with_bodies
from tests.mechanisms import described, record

AGREES = 1e-10
"""Largest difference of forces relative to the largest: the same mechanics, other coordinates."""
SPIN_LEFT_OUT = 1e-5
"""What leaving out the spins of Reachy's rods, round to 2e-3, may change; its reference says 2e-6."""


def edited(change: dict[str, object], **top: object) -> MechanismDescription:
    """A spatial four-bar linkage with a round coupler, whose first ball is changed."""
    tables: dict[str, Any] = rounded("four_bar_rssr").model_dump() | top
    next(one for one in tables["joints"] if one["name"] == "b").update(change)
    return MechanismDescription.model_validate(tables)


def test_round_rods_have_no_coordinates() -> None:
    planned = plan(rounded("delta_ss"))
    assert planned.independent_names == ("a0.angle", "a1.angle", "a2.angle")
    assert planned.idle == 0
    assert [rod.kept for rod in planned.rods] == [""] * 6
    assert "10 bodies make 4 moving links and 6 distances" in str(planned)
    assert "rod rod00 between two balls: round to " in str(planned)
    spinning = plan(rounded("delta_ss"), distances=False)
    assert (planned.rows, planned.redundant) == (spinning.rows, spinning.redundant)
    assert spinning.idle == 6
    assert {rod.kept for rod in spinning.rods} == {"distances were not allowed"}


def test_a_plan_with_rods_is_kept_as_json() -> None:
    description = rounded("delta_ss")
    text = plan_to_json(plan(description))
    assert plan_to_json(plan_of_json(description, text)) == text
    assert [rod["kept"] for rod in json.loads(text)["rods"]] == [""] * 6


KEPT: dict[str, Callable[[], MechanismDescription]] = {
    "b.wz is asked for": lambda: described("four_bar_rssr"),
    "b.wx has friction": lambda: edited({"freedoms": {"wx": {"friction": {"viscous": 0.1}}}}),
    "b does not hold along all axes": lambda: edited({"rows": (0, 1)}),
    "frame tip is on it": lambda: edited({}, frames=({"name": "tip", "body": "coupler"},)),
    "the output is on it": lambda: edited({}, output={"body": "coupler"}),
    "a distance has to be round to 1e-09": lambda: described("four_bar_rssr", independent=False),
}
"""Why a coupler stays a body, and a linkage in which it does."""


@pytest.mark.parametrize("reason", KEPT)
def test_why_a_rod_stays_a_body_is_said(reason: str) -> None:
    planned = plan(KEPT[reason]())
    assert [rod.kept for rod in planned.rods] == [reason]
    assert not planned.skeleton.rods
    assert f"a body that may spin, for {reason}" in str(planned)


def test_a_spin_that_is_chosen_keeps_its_body() -> None:
    description = rounded("four_bar_rssr")
    assert Robot(description, independent=("a.angle", "b.wz")).plan.rods[0].kept == "b.wz is asked for"
    assert plan(description, ("a.angle",)).skeleton.rods
    with pytest.raises(DescriptionError, match="do not determine the mechanism: add 1, such as"):
        plan(described("four_bar_rssr", independent=False), ("a.angle",))


def test_names_of_joints_stay_unique() -> None:
    """A ball may have the name of its rod; a distance has then another one."""
    tables = rounded("four_bar_rssr").model_dump()
    next(one for one in tables["joints"] if one["name"] == "b")["name"] = "coupler"
    (rod,) = plan(MechanismDescription.model_validate(tables)).skeleton.rods
    assert (rod.joint, rod.balls) == ("coupler_rod", ("coupler", "c"))


def test_a_welded_body_and_a_rod_between_one_part_keep_it() -> None:
    tables = rounded("four_bar_rssr").model_dump()
    tables["bodies"] = [*tables["bodies"], {"name": "sticker", "mass": 0.1}]
    weld = {"name": "glue", "type": "weld", "parent": "coupler", "child": "sticker"}
    stuck = MechanismDescription.model_validate(tables | {"joints": [*tables["joints"], weld]})
    assert [rod.kept for rod in ball_rods(stuck)] == ["sticker is welded to it"]
    both = [one | {"child": "crank"} if one["name"] == "c" else one for one in tables["joints"]]
    looped = MechanismDescription.model_validate(tables | {"joints": both})
    assert [rod.kept for rod in ball_rods(looped)] == ["both its balls are on one rigid part"]


def test_of_two_rods_in_a_row_one_is_a_distance() -> None:
    one = describe_mechanism(swing(chained=True), "swing")
    assert [rod.kept for rod in plan(one).rods] == ["", "", "", "it hangs on rod rod2, which is a distance"]


# Parts that only rods hold -------------------------------------------------------------------------------------------


def swing(*, chained: bool = False) -> dict[str, Any]:
    """Two bars, hinged to each other, on three thick rods: only distances hold them. A motor turns the hinge.

    chained: whether a fourth rod carries the third one.
    """
    tops = [(-0.3, -0.1, 1.0), (-0.3, 0.15, 1.0), (0.35, 0.02, 1.0)]
    tips = [(-0.25, -0.1, 0.4), (-0.25, 0.1, 0.4), (0.25, 0.0, 0.45)]
    bodies: list[dict[str, Any]] = [
        {"name": name, "mass": 1.0 + k, "com": (x, 0.02, 0.4), "inertia": np.diag([0.01, 0.02, 0.03]).tolist()}
        for k, (name, x) in enumerate((("left", -0.15), ("right", 0.15)))
    ]
    joints: list[dict[str, Any]] = [
        {
            "name": "hinge",
            "type": "revolute",
            "parent": "left",
            "child": "right",
            "parent_frame": {"position": (0.0, 0.0, 0.4), "z": (0.0, 1.0, 0.0)},
            "freedoms": {"angle": {"drive": {}}},
        }
    ]
    for k, (top, tip) in enumerate(zip(tops, tips, strict=True)):
        above, bar = "rod3" if chained and k == 2 else "world", "right" if k == 2 else "left"
        bodies.append(_thick_rod(f"rod{k}", top, tip))
        joints.append(_ball(f"tip{k}", bar, f"rod{k}", tip))
        joints.append(_ball(f"top{k}", above, f"rod{k}", top))
    if chained:
        bodies.append(_thick_rod("rod3", (0.35, 0.3, 1.2), tops[2]))
        joints.append(_ball("top3", "world", "rod3", (0.35, 0.3, 1.2)))
    output = {"body": "right", "frame": {"position": (0.2, 0.0, 0.4)}}
    return {"name": "swing", "title": "Two bars on rods", "source": "assumed", "output": output} | {
        "bodies": bodies,
        "joints": joints,
    }


Point = tuple[float, float, float]


def _thick_rod(name: str, top: Point, tip: Point) -> dict[str, Any]:
    """A round rod whose centre of mass is nearer to its top."""
    line = np.array(tip) - np.array(top)
    tensor = 0.01 * (line @ line) * np.eye(3) - 0.007 * np.outer(line, line)
    return {"name": name, "mass": 0.3, "com": (np.array(top) + 0.3 * line).tolist(), "inertia": tensor.tolist()}


def _ball(name: str, parent: str, child: str, position: Point) -> dict[str, Any]:
    return {"name": name, "type": "spherical", "parent": parent, "child": child, "parent_frame": {"position": position}}


def test_parts_that_only_rods_hold_float() -> None:
    """The torque of the hinge at home, all else free to fall as it must; rods are bodies on the other side."""
    description = describe_mechanism(swing(), "swing")
    mine, bodies = Robot(description), with_bodies(description)
    assert (mine.degrees_of_freedom, bodies.degrees_of_freedom) == (4, 7)
    assert mine.pose_names[0] == bodies.pose_names[0] == "hinge.angle"
    assert [rod.balls for rod in mine.plan.skeleton.rods] == [(f"top{k}", f"tip{k}") for k in range(3)]
    torques = []
    for one in (mine, bodies):
        acceleration = np.zeros(one.degrees_of_freedom)
        acceleration[0] = 3.0
        torques.append(one.inverse_dynamics(one.home, np.zeros(one.degrees_of_freedom), acceleration))
    assert torques[0] == pytest.approx(torques[1], rel=AGREES)
    free = Robot(with_distances(description))
    still = np.zeros(4)
    assert free.inverse_dynamics(free.home, still, np.array([3.0, 0, 0, 0])) == pytest.approx(torques[0], rel=AGREES)


@pytest.mark.slow
def test_rods_that_strain_each_other_carry_the_least() -> None:
    """A third rod beside a Delta's pair, parallel to it: balls are then loaded as they are with rods as bodies."""
    description = with_a_third_rod(rounded("delta_ss", thickness=0.01))
    carried = []
    for one in (Robot(description), with_bodies(description)):
        velocity = np.zeros(one.degrees_of_freedom)
        carried.append(one.joint_wrenches(one.home, velocity, velocity))
    assert np.max(np.abs(carried[0].wrench - carried[1].wrench)) < AGREES * np.max(np.abs(carried[1].wrench))
    assert np.array_equal(carried[0].unique, carried[1].unique)
    assert not carried[0].unique.all()


def with_a_third_rod(description: MechanismDescription) -> MechanismDescription:
    """A Delta with another rod in the middle between the first two."""
    tables = description.model_dump()
    bodies, joints = list(tables["bodies"]), list(tables["joints"])
    third = next(body for body in bodies if body["name"] == "rod00") | {"name": "third"}
    for pair in (("e00", "e01"), ("c00", "c01")):
        first, second = (next(joint for joint in joints if joint["name"] == name) for name in pair)
        other, rod = ("parent", "child") if first["child"] == "rod00" else ("child", "parent")
        ends = [np.array(joint[f"{other}_frame"]["position"]) for joint in (first, second)]
        middle = first[f"{other}_frame"] | {"position": tuple(np.mean(ends, axis=0).tolist())}
        joints.append(first | {"name": f"{pair[0]}_third", rod: "third", f"{other}_frame": middle})
    return MechanismDescription.model_validate(tables | {"bodies": [*bodies, third], "joints": joints})


# What files say ------------------------------------------------------------------------------------------------------


def test_distances_in_place_of_rods_make_the_same_plan() -> None:
    by_hand = plan(with_distances(rounded("delta_ss")))
    assert by_hand.independent_names == plan(rounded("delta_ss")).independent_names
    assert "taken as round" in str(by_hand)
    asked = rounded("delta_ss", independent=True)
    assert with_distances(asked) == asked  # spins that are asked for stay


def test_reachys_rods_are_round_to_thousandths() -> None:
    free = described("reachy_mini", independent=False)
    assert [ROUND < rod.unround < 4e-3 for rod in ball_rods(free)] == [True] * 6
    assert with_distances(free) == free
    one = Robot(with_distances(free, tolerance=4e-3))
    assert one.degrees_of_freedom == 7
    states = record("reachy_mini")["states"]
    motors = [entry["joint"] for entry in record("reachy_mini")["actuators"]]
    assert [name.partition(".")[0] for name in one.pose_names] == motors
    given = {key: np.array([state[key][:7] for state in states], float) for key in ("u", "u_dot", "u_ddot")}
    tau = one.inverse_dynamics(given["u"], given["u_dot"], given["u_ddot"])
    expected = np.array([state["tau"] for state in states])
    assert np.max(np.abs(tau - expected)) < SPIN_LEFT_OUT * np.max(np.abs(expected))


def test_only_a_distance_stands_for_a_rod() -> None:
    with pytest.raises(ValidationError, match="only a joint of type distance stands for a rod"):
        Joint(name="a", type="revolute", parent="b", child="c", rod=Rod(mass=1.0, com=0.1, inertia=0.0))
