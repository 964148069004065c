"""What plans say: rows that rounding leaves out, homes where motions cross, open loops and whose fault they are."""

from __future__ import annotations

import pytest

from parakin.errors import DescriptionError
from parakin.mechanism import MechanismDescription, load_mechanism_description
from parakin.mechanism.plan import plan
from tests.mechanisms import described, record


def test_rounded_rows_are_named_with_their_axis_and_gap() -> None:
    said = str(plan(described("agile_eye_rounded", rows=False)))
    assert "loop cut at c1 (spherical between far1 and platform): stays open by 0.1 um at home" in said
    assert (
        "left out, for others hold it up to rounding: joint c1 along z of its frame on far1; it opens by up to" in said
    )


def test_a_home_where_motions_cross_is_told_with_what_the_output_can_do() -> None:
    tables = described("dymo_3uru").model_dump()
    (special,) = record("dymo_3uru")["special"]
    for joint in tables["joints"]:
        joint["home"] = special["q"].get(joint["name"], joint["home"])
    planned = plan(MechanismDescription.model_validate(tables))
    assert planned.singular_home
    more = special["instantaneous_freedom"] - len(planned.independent)
    assert f"motions of different kinds cross: it has {more} freedoms more than poses around it (3)" in str(planned)
    assert "the output can turn about" in str(planned)


def test_welds_and_floating_bodies_are_told() -> None:
    assert "welded into one link: tube, head" in str(plan(load_mechanism_description("tricept")))
    assert "float freely, all their balls cut: platform" in str(plan(load_mechanism_description("tripod_3rps")))


def test_the_joint_at_fault_is_found_where_loops_share_joints() -> None:
    tables = load_mechanism_description("tricept").model_dump()
    (ball,) = (joint for joint in tables["joints"] if joint["name"] == "ball2")
    ball["child_frame"] = {"position": tuple(x + 1.5 for x in ball["parent_frame"]["position"])}
    sleeve = next(joint for joint in tables["joints"] if joint["name"] == "cross2")
    for freedom in ("first", "second"):
        sleeve["freedoms"].setdefault(freedom, {})
    (slide,) = (joint for joint in tables["joints"] if joint["name"] == "leg2")
    slide["type"], slide["freedoms"] = "weld", {}
    with pytest.raises(
        DescriptionError, match=r"loops stay open: .*ball2.* mm; all others close without joint "
    ) as caught:
        plan(MechanismDescription.model_validate(tables | {"independent": None, "workspace": None}))
    named = str(caught.value).split("all others close without")[1]
    assert "'ball2'" in named
    assert "'ball1'" not in named
    assert "'ball3'" not in named
