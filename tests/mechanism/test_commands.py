"""The commands on mechanisms: list, info, check and schema."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path

import numpy as np
import pytest

import parakin as pk
from parakin.cli import app
from parakin.mechanism import mechanism_library, mechanism_schema, mechanism_to_toml
from parakin.robot import Robot, load, survey
from tests.commands import command
from tests.mechanisms import described
from tests.robots import twins_later


def test_list_shows_both_kinds() -> None:
    shown = command("list").stdout
    assert all(f"  {name} " in shown for name in pk.library())
    entries = json.loads(command("list", "--json").stdout)
    assert [entry["name"] for entry in entries if entry["kind"] == "mechanism"] == list(mechanism_library())


def test_info_shows_a_card() -> None:
    shown = command("info", "four_bar").stdout
    for text in (
        "1, pose (crank.angle [rad])",
        "4, with 20 rows in all, 3 of them redundant",
        "revolute, from crank to coupler",
        "-3.2 to 3.2 rad, 8 N m, 20 rad/s, gear 1 : 12",
        "rocker.angle  -1.2 to 1.2 rad",
        "assumed",
    ):
        assert text in shown
    described = json.loads(command("info", "four_bar", "--json").stdout)
    assert described["joints"][0]["name"] == "crank"


def test_check_prints_the_plan_and_the_box() -> None:
    good = command("check", "four_bar")
    assert good.returncode == 0
    assert str(load("four_bar").graph.plan) in good.stdout
    assert "box: 2000 of 2000 sampled poses are good" in good.stdout


def test_check_tells_poses_that_fail(tmp_path: Path) -> None:
    wide = tmp_path / "wide.toml"
    narrow = mechanism_to_toml(pk.load("four_bar").graph_description).replace("upper = 1.2", "upper = 0.5")
    wide.write_text(narrow.replace("upper = 3.2", "upper = 2.0"), encoding="utf-8")
    told = command("check", str(wide))
    assert told.returncode == 1
    assert "box: crank.angle leaves its stroke" in told.stdout
    assert "box: rocker.angle leaves its limits" in told.stdout
    assert "beyond its limits" in told.stdout
    facts = json.loads(command("check", str(wide), "--json").stdout)
    assert not facts["good"]
    assert facts["strokes"] == ["crank.angle"]
    assert facts["plan"]["redundant"] == 3
    assert 0 < facts["good_poses"] < 2000


def test_check_refuses_a_wrong_file(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.toml"
    text = mechanism_to_toml(pk.load("four_bar").graph_description)
    wrong.write_text(text.replace('child = "rocker"', 'child = "roker"'), encoding="utf-8")
    refused = command("check", str(wrong))
    assert refused.returncode == 1
    assert "wrong.toml: joints[2].child: no body 'roker', did you mean 'rocker'?" in refused.stderr
    told = json.loads(command("check", str(wrong), "--json").stdout)
    assert not told["good"]
    assert told["problems"][0]["key"] == "joints[2].child"


def test_schema_of_mechanisms() -> None:
    schema = json.loads(command("schema", "--mechanism").stdout)
    assert schema == mechanism_schema()
    assert {"shape", "ends", "radius", "inertia"} <= set(schema["$defs"]["Body"]["properties"])


@pytest.mark.parametrize("name", twins_later(mechanism_library()))
def test_boxes_of_the_library_are_good(name: str) -> None:
    surveyed = survey(load(name))
    assert surveyed.good, str(surveyed)


def test_motors_that_do_not_hold_are_told() -> None:
    """The only motor slides along a hinge that the other hinges hold in the plane."""
    linkage = pk.load("four_bar")
    joints = list(linkage.graph_description.model_dump(exclude_defaults=True)["joints"])
    drive = joints[0]["freedoms"]["angle"].pop("drive")
    joints[1] |= {"type": "cylindrical", "freedoms": {"travel": {"drive": drive}}}
    surveyed = survey(linkage.replace(joints=joints), 20)
    assert surveyed.home == pk.Status.SINGULAR
    assert "singular: the motors do not hold the mechanism" in str(surveyed)


def test_a_spin_without_inertia_is_told() -> None:
    """One of a Delta's rods as a point at its ball: unlike those of the others, its idle spin has no inertia."""
    delta = Robot(described("delta_ss"))
    ball = next(joint for joint in delta.graph_description.joints if joint.child == "platform")
    point = {"com": ball.parent_frame.position, "inertia": ((0.0,) * 3,) * 3}
    bodies = delta.graph_description.model_dump(exclude_defaults=True)["bodies"]
    thin = delta.replace(bodies=[body | point if body["name"] == ball.parent else body for body in bodies])
    assert survey(delta, 20).good
    surveyed = survey(thin, 20)
    assert not surveyed.good
    assert "a freedom without a motor has no inertia; give its bodies mass, and rods a radius" in str(surveyed)


def test_poses_out_of_reach_are_told() -> None:
    mechanism = load("tripod_3rps")
    far = mechanism.replace(workspace={"lower": (-0.3,) * 3, "upper": (0.3,) * 3})
    surveyed = survey(far)
    assert not surveyed.good
    assert "singular" in str(surveyed)
    assert re.search(r"strut\d\.travel is .* m beyond its stroke", str(surveyed))


def test_operations_of_every_machine_are_counted() -> None:
    """Bodies and joints without friction, once more by the evaluation of its models as CasADi counts them."""
    kossel, four_bar = json.loads(command("count", "kossel", "four_bar", "--json").stdout).values()
    forms = {(row["model"], row["form"]): row["count"] for row in kossel}
    as_legs, as_bodies = forms["inverse dynamics", "virtual-work"], forms["inverse dynamics", "bodies and joints"]
    assert 0 < as_legs["multiplications"] < as_bodies["multiplications"]
    assert [(row["model"], row["form"]) for row in four_bar] == [
        ("mass matrix", "bodies and joints"),
        ("inverse dynamics", "bodies and joints"),
    ]
    bare = load("four_bar")
    friction = [one.quantity.is_friction for one in bare.parameter_table]
    assert any(friction)
    smooth = bare.with_parameters(np.where(friction, 0.0, bare.parameters), "smooth")
    tau = smooth.casadi("inverse_dynamics")
    counted = four_bar[1]["count"]
    assert 0 < counted["additions"] + counted["multiplications"] <= tau.n_instructions()
    assert tau.n_instructions() < bare.casadi("inverse_dynamics").n_instructions()


def test_every_command_that_takes_a_robot_is_known_here() -> None:
    """A new command with a robot either takes mechanisms or says that it does not."""
    takes = {
        *("check", "count", "draw", "excite", "export-c", "export-fmu", "export-mjcf", "export-urdf"),
        *("forces", "identify"),
        *("import", "info", "map", "motion", "observe", "simulate", "tune", "view", "workspace"),
    }
    with_robot = {
        entry.name or entry.callback.__name__
        for entry in app.registered_commands
        if entry.callback is not None
        and {"robot", "robots", "file"} & set(inspect.signature(entry.callback).parameters)
    }
    assert with_robot == takes
