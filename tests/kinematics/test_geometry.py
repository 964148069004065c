"""Dimensions of a robot by name."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import parakin as pk
from parakin.description import expanded_legs
from parakin.kinematics.dimensions import dimensions_of
from parakin.kinematics.geometry import with_dimensions


def test_names_units_and_values_of_a_spatial_robot() -> None:
    robot = pk.load("delta")
    leg = robot.legs[0]
    arm, forearm = leg.elements
    assert arm.actuator is not None
    first = [entry for entry in dimensions_of(robot.description) if entry.name.startswith(f"{leg.name}.")]
    expected = [(f"{leg.name}.root.{axis}", "m", value) for axis, value in zip("xyz", leg.root, strict=True)]
    expected += [(f"{leg.name}.{arm.name}.length", "m", arm.length), (f"{leg.name}.{arm.name}.zero", "rad", 0.0)]
    expected += [(f"{leg.name}.{forearm.name}.length", "m", forearm.length)]
    for name, vector in (("b", leg.attachment.b), ("c", leg.attachment.c)):
        expected += [(f"{leg.name}.{name}.{axis}", "m", value) for axis, value in zip("xyz", vector, strict=True)]
    assert [(entry.name, entry.unit) for entry in first] == [entry[:2] for entry in expected]
    assert [entry.value for entry in first] == pytest.approx([entry[2] for entry in expected], abs=10.0)
    assert [entry.value for entry in first if entry.unit == "m"] == [entry[2] for entry in expected if entry[1] == "m"]


def test_planar_robots_have_the_components_in_their_plane_and_struts_zeros_in_metres() -> None:
    entries = dimensions_of(pk.load("planar_3rpr").description)
    assert {entry.name.rsplit(".", 1)[-1] for entry in entries} == {"x", "y", "zero"}
    assert {entry.unit for entry in entries} == {"m"}


@pytest.mark.parametrize("name", ["delta", "five_bar", "gough_stewart", "hexaglide", "delta_shaft"])
def test_every_symbol_takes_the_place_of_its_dimension(name: str) -> None:
    description = pk.load(name).description
    entries = dimensions_of(description)
    g = ca.SX.sym("g", len(entries))
    symbolic = with_dimensions(description, g)
    places: list[ca.SX] = []
    for leg in expanded_legs(symbolic):
        planar = description.motion.startswith("planar")
        places += [ca.SX(value) for value in ca.vertsplit(ca.SX(leg.root))[: 2 if planar else 3]]
        for element in leg.elements:
            places += [] if element.length is None else [ca.SX(element.length)]
            places += [] if element.actuator is None else [ca.SX(element.actuator.zero)]
        for vector in (leg.attachment.b, leg.attachment.c):
            places += ca.vertsplit(ca.SX(vector))[: 2 if planar else 3]
    values = ca.Function("values", [g], [ca.vertcat(*places)])
    given = np.arange(1.0, len(entries) + 1)
    assert np.array(values(given)).ravel() == pytest.approx(given)
