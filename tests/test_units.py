"""Units as data: every number of a coordinate has the unit that its definition gives it."""

from __future__ import annotations

from dataclasses import astuple

from parakin.units import ANGLE, LENGTH, UNITS, units_for


def test_units_of_lengths_and_angles() -> None:
    assert astuple(LENGTH) == ("m", "m/s", "m/s^2", "N", "kg", "N s/m", "N/m")
    assert astuple(ANGLE) == ("rad", "rad/s", "rad/s^2", "N m", "kg m^2", "N m s", "N m/rad")


def test_what_a_log_may_be_written_in() -> None:
    assert units_for("angle") == ("rad", "deg", "rev", "counts")
    assert units_for("torque") == ("N m", "mN m", "A")
    assert {unit.factor for unit in UNITS.values() if unit.dimension == "number"} == {1.0}
