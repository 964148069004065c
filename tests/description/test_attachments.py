"""How legs meet the platform: what files may say, what is filled in, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from parakin.description import (
    attachment_joint,
    describe,
    expanded_legs,
    library,
    load_description,
    to_toml,
)
from parakin.description.loader import parse
from parakin.errors import DescriptionError


def with_joint(name: str, joint: dict[str, Any]) -> dict[str, Any]:
    """The tables of a library robot, its first leg with a joint at the platform."""
    tables = load_description(name).model_dump()
    tables["legs"][0]["attachment"]["joint"] = joint
    return tables


EXPECTED = {
    "parallelogram": ("delta", "h4", "kossel", "orthoglide", "quattro"),
    "revolute": ("five_bar", "planar_3rpr", "planar_3rrr"),
    "spherical": ("gough_stewart", "hexa", "hexa_offset", "hexaglide", "hexapod_sliding", "palida"),
}


def test_a_leg_without_a_table_has_the_joint_of_its_kind() -> None:
    found: dict[str, set[str]] = {}
    for name in library():
        description = load_description(name)
        found[name] = {attachment_joint(leg, description.motion_type).type for leg in expanded_legs(description)}
    assert found == {name: {kind} for kind, names in EXPECTED.items() for name in names} | {
        "delta_shaft": {"parallelogram", "universal"},
        "upu_3": {"universal"},  # it has tables
    }


def test_axes_on_the_platform_turn_with_a_symmetry() -> None:
    description = describe(with_joint("gough_stewart", {"type": "universal", "axis": [0.0, 1.0, 0.0]}), "turned")
    joints = [leg.attachment.joint for leg in expanded_legs(description)]
    axes = [joint.axis for joint in joints if joint is not None and joint.axis is not None]
    assert len(axes) == 3
    angles = 2 * np.pi / 3 * np.arange(3)
    assert np.allclose(axes, np.column_stack([-np.sin(angles), np.cos(angles), np.zeros(3)]), atol=1e-15)


def test_a_universal_takes_its_axes_from_the_leg() -> None:
    description = describe(with_joint("gough_stewart", {"type": "universal"}), "by_the_leg")
    leg = expanded_legs(description)[0]
    joint = attachment_joint(leg, description.motion_type)
    assert joint.axis == leg.elements[0].joint.axis
    assert joint.leg_axis == (0.0, 1.0, 0.0)


def test_a_file_with_a_joint_reads_back_equal() -> None:
    joint = {"type": "universal", "axis": [0.0, 1.0, 0.0], "leg_axis": [0.0, 0.0, 1.0]}
    description = describe(with_joint("gough_stewart", joint), "written")
    assert parse(to_toml(description).encode(), "written") == description


@pytest.mark.parametrize(
    ("name", "joint", "words"),
    [
        ("delta", {"type": "spherical"}, "the leg ends in a parallelogram"),
        ("hexa", {"type": "parallelogram"}, "the leg does not end in a parallelogram"),
        ("hexa", {"type": "revolute"}, "a revolute joint needs its axis on the platform"),
        ("hexa", {"type": "spherical", "axis": [0.0, 0.0, 1.0]}, "a spherical joint has no axis"),
        ("hexa", {"type": "spherical", "leg_axis": [0.0, 1.0, 0.0]}, "leg_axis is an axis of"),
    ],
)
def test_joints_that_make_no_sense_are_refused(name: str, joint: dict[str, Any], words: str) -> None:
    with pytest.raises(DescriptionError, match=words):
        describe(with_joint(name, joint), name)
