"""What the second homotopy starts from."""

from __future__ import annotations

import numpy as np
import pytest

from parakin.assembly import homotopy
from parakin.assembly.closure import closure_of
from parakin.assembly.dual_quaternions import displacement
from parakin.assembly.sphere_system import spheres
from parakin.assembly.start_set import OFF_AXIS_RADIUS, generic, off_axis, start_set
from tests import machines


def test_the_generic_platform_has_forty_different_solutions() -> None:
    w, x = displacement(generic().y)
    marks = np.concatenate([w, (x[:, :, None] * x[:, None, :]).reshape(40, 16)], axis=-1)
    apart = np.abs(marks[:, None] - marks[None]).max(axis=-1) + np.eye(40)
    assert apart.min() > 1e-3
    again = homotopy.followed(spheres, generic().y, generic().theta, generic().theta[None])
    assert again.arrived.all()
    overlap = np.abs(np.sum(again.y[0].conj() * generic().y, axis=-1)) / np.linalg.norm(generic().y, axis=-1)
    assert overlap == pytest.approx(1.0, abs=1e-12)


def test_the_first_homotopy_is_run_once() -> None:
    description = machines.semi_regular()
    assert start_set(closure_of(description)) is start_set(closure_of(machines.semi_regular()))


def test_random_coordinates_are_near_but_off_the_real_axis() -> None:
    numbers = off_axis(np.random.default_rng(0), 1000)
    assert np.abs(numbers).min() >= 0.7 * OFF_AXIS_RADIUS
    assert np.abs(numbers).max() <= 1.3 * OFF_AXIS_RADIUS
    assert np.abs(numbers.imag).min() > 0.5 * 0.7 * OFF_AXIS_RADIUS
    assert (numbers.imag > 0).any()
    assert (numbers.imag < 0).any()
