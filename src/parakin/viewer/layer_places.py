"""Where the output of a robot is at poses, for layers; and whether coordinates that vary move it through space."""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array
from parakin.errors import DataError
from parakin.robot import Robot

LEAST_SPREAD = 0.01
"""Coordinates over whose ranges the output moves by a smaller share of the largest way, beside the ways of the others,
do not span a surface or a volume that anybody can see."""
PROBES = 5
"""Poses along each axis by which it is seen whether the output moves through space."""


def places_of(robot: Robot, poses: Array) -> Array:
    """Return where the output of a robot is at poses (..., coordinates): p_OE, or the output's origin (..., 3) [m].

    Where configurations are searched for they are led there from home; rows where the robot cannot be are then NaN.
    """
    rows = poses.reshape(-1, poses.shape[-1])
    near = robot.led_from_home(rows).configuration if robot.searches_from_near else None
    return robot.platform_frame(rows, near=near).p.reshape(*poses.shape[:-1], 3)


def refuse_without_place(robot: Robot, places: Array, names: tuple[str, ...]) -> None:
    """Refuse a grid of places (n_1, ..., n_d, 3) whose d coordinates do not move the output in d directions."""
    d = places.ndim - 1
    ways = [
        np.diff(places, axis=axis)[tuple(slice(None, n - 1) for n in places.shape[:-1])] * (places.shape[axis] - 1)
        for axis in range(d)
    ]
    cells = np.stack(ways, axis=-1).reshape(-1, 3, d)
    sizes = np.linalg.svd(cells[np.isfinite(cells).all(axis=(1, 2))], compute_uv=False)
    shares = sizes[:, -1] / np.maximum(sizes[:, 0], np.finfo(float).tiny)
    if d <= 3 and shares.size and shares.max() > LEAST_SPREAD:
        return
    moving = robot.motion_type.offset_names[: len(robot.motion_type.linear)]
    remedy = f"vary positions, such as {', '.join(moving[:2])}, and hold the rest" if moving else "look at its figure"
    raise DataError(
        "layer",
        ", ".join(names),
        f"the output of {robot.name} does not move through space in as many directions as coordinates vary, so that "
        f"the result has no place in the robot's scene: {remedy}",
    )
