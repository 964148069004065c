"""The largest box, cylinder or sphere that fits into a workspace: room for a task.

The lattice of a workspace tells the centre: the vertex around which the largest shape of the wanted proportions has
only vertices inside. The size is then judged anew, on points of the shape itself, by bisection.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from parakin.analysis.workspaces.judging import judge_of
from parakin.analysis.workspaces.lattice import all_in_window, distances, least_along
from parakin.analysis.workspaces.result import Workspace
from parakin.analysis.workspaces.searching import InRegion
from parakin.arrays import Array, frozen_arrays
from parakin.errors import DataError
from parakin.robot import Robot

ShapeName = Literal["box", "cylinder", "sphere"]
"""Shapes that can be fitted."""
HALVINGS = 14
"""Bisections of a size: to a ten-thousandth of it."""
ACROSS = 17
"""Points along each side of a shape that are judged, those on its surface included."""


@frozen_arrays
class Inscribed:
    """The largest shape of its proportions that was found in the connected part that holds home."""

    shape: ShapeName
    """What it is."""
    centre: Array
    """Its centre (d,) [m or rad]."""
    half: Array
    """Half of its extent along each axis (d,) [m or rad]; of a cylinder its radius, twice, and half its height."""
    volume: float
    """Its volume or area, in the workspace's unit."""
    points: int
    """How many of its points were judged, all of them inside."""

    def __str__(self) -> str:
        centre, size = (", ".join(f"{value:.4g}" for value in values) for values in (self.centre, 2 * self.half))
        return f"largest {self.shape}: {size} about [{centre}] ({self.points:,} points of it judged)"


def inscribed(
    robot: Robot, workspace: Workspace, shape: ShapeName = "box", proportions: Sequence[float] | None = None
) -> Inscribed:
    """Return the largest shape inside the part of a workspace that holds home.

    proportions: of the extents along the axes, equal by default, or those of the robot's box where angles vary; the
    first two of a cylinder are its diameter. What the workspace demanded (a condition number, ...) is kept throughout.

    >>> found = pk.analysis.workspace(robot, ("x", "y"), at={"z": -0.45}, levels=3)
    >>> pk.analysis.inscribed(robot, found, "sphere").half.round(2)
    array([0.26, 0.26])
    """
    sides = _proportions(robot, workspace, shape, proportions)
    centre, size = _on_lattice(workspace, shape, sides)
    unit = shape_points(shape, len(sides))
    points = InRegion(judge_of(robot, workspace.demands), workspace.region)
    lattice = workspace.lattice
    low, high = 0.0, size + float(np.max(lattice.step / sides))
    while high > low * (1 + 2.0**-HALVINGS) and high > size * 2.0**-HALVINGS:
        middle = (low + high) / 2
        inside = bool((points(centre + middle * sides * unit) == 0).all())
        low, high = (middle, high) if inside else (low, middle)
    half = low * sides
    return Inscribed(shape, centre, half, _volume(shape, half), len(unit))


def _proportions(robot: Robot, workspace: Workspace, shape: ShapeName, asked: Sequence[float] | None) -> Array:
    """Half extents along the axes for a size of one."""
    region = workspace.region
    d = len(region.axes)
    if shape == "cylinder" and d != 3:
        raise DataError("inscribed", "shape", f"a cylinder needs three axes, and here {d} vary: use box or sphere")
    if asked is not None:
        sides = np.array(asked, float)
        if sides.shape != (d,) or not (sides > 0).all():
            raise DataError("inscribed", "proportions", f"must be {d} numbers above zero, got {list(asked)}")
    elif "rad" in region.units and shape == "box":
        sides = np.subtract(*robot.box[::-1])[list(region.places)]
        sides = np.where(sides > 0, sides, 1.0)
    else:
        sides = np.ones(d)
    if shape == "sphere" and not (np.ptp(sides) == 0 and len(set(region.units)) == 1):
        raise DataError("inscribed", "shape", "a sphere needs axes of one unit and equal proportions: use box")
    if shape == "cylinder" and region.units[0] != region.units[1]:
        reason = f"the section of a cylinder is round, and {region.axes[0]} and {region.axes[1]} have two units"
        raise DataError("inscribed", "shape", f"{reason}: use box, or name the axes in another order")
    if shape == "cylinder" and sides[0] != sides[1]:
        raise DataError("inscribed", "proportions", "the first two of a cylinder are its diameter, and must be equal")
    return sides / sides.max()


def _on_lattice(workspace: Workspace, shape: ShapeName, sides: Array) -> tuple[Array, float]:
    """Return the best centre among the vertices, and the size there."""
    inside, step = np.pad(workspace.home_part, 1), workspace.lattice.step
    if not inside.any():
        raise DataError("inscribed", "workspace", "home is not inside it: nothing can be fitted around it")
    fits = _FITS[shape](inside, step, sides)
    low, high = 0.0, float(np.max(step * np.array(inside.shape) / sides))
    best = np.argwhere(fits(0.0))[0]
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        there = fits(middle)
        if there.any():
            low, best = middle, _middle(np.argwhere(there))
        else:
            high = middle
    return workspace.lattice.at(best - 1), low


def _middle(candidates: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the candidate nearest to the mean of all."""
    return candidates[np.argmin(np.sum((candidates - candidates.mean(axis=0)) ** 2, axis=1))]


Fits = Callable[[float], NDArray[np.bool_]]
"""What tells at which vertices a shape of a size can be centred."""


def _box_fits(inside: NDArray[np.bool_], step: Array, sides: Array) -> Fits:
    return lambda size: all_in_window(inside, np.floor(size * sides / step).astype(int).tolist())


def _sphere_fits(inside: NDArray[np.bool_], step: Array, _sides: Array) -> Fits:
    distance = distances(inside, step)
    return lambda size: inside & (distance > size)


def _cylinder_fits(inside: NDArray[np.bool_], step: Array, sides: Array) -> Fits:
    distance = np.stack([distances(inside[..., k], step[:2]) for k in range(inside.shape[2])], axis=-1)
    return lambda size: inside & (least_along(distance, int(size * sides[2] / step[2]), 2) > size * sides[0])


_FITS = {"box": _box_fits, "sphere": _sphere_fits, "cylinder": _cylinder_fits}
"""Shape -> what makes the test of a size."""


def shape_points(shape: ShapeName, d: int) -> Array:
    """Return points (N, d) of a shape of half extent one: a regular grid drawn onto it, its surface included."""
    grid = np.stack(np.meshgrid(*[np.linspace(-1, 1, ACROSS)] * d, indexing="ij"), axis=-1).reshape(-1, d)
    if shape == "box":
        return grid
    round_axes = d if shape == "sphere" else 2
    part = grid[:, :round_axes]
    length = np.linalg.norm(part, axis=1, keepdims=True)
    largest = np.abs(part).max(axis=1, keepdims=True)
    drawn = part * np.divide(largest, length, out=np.ones_like(length), where=length > 0)
    return np.concatenate([drawn, grid[:, round_axes:]], axis=1)


def _volume(shape: ShapeName, half: Array) -> float:
    box = float(np.prod(2 * half))
    if shape == "box":
        return box
    if shape == "cylinder":
        return box * np.pi / 4
    d = len(half)
    return box * np.pi ** (d / 2) / math.gamma(d / 2 + 1) / 2**d
