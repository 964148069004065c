"""Is what was read, and put together, what the file says? Told from the tables as tomllib reads them."""

from __future__ import annotations

from typing import Any

import numpy as np

from parakin.arrays import Array
from parakin.mechanism import MechanismDescription, Plan
from parakin.mechanism.numeric import posture

CLOSED = 2e-4
"""Largest opening of a joint at home, in sizes of the mechanism or radians: twice what a plan calls closed, for the
frames are compared here in another norm."""
SAME = 1e-9
"""Rounding of tensors, beside their largest entry."""


def tensor_of(told: dict[str, Any], n: Array, length: float) -> Array:
    """Return the tensor of a handbook's rod, tube, plate or point; rods and tubes are along n."""
    mass, both_radii = float(told["mass"]), [float(told.get(key, 0.0)) for key in ("inner_radius", "outer_radius")]
    round_squares = {"rod": float(told.get("radius", 0.0)) ** 2, "tube": both_radii[0] ** 2 + both_radii[1] ** 2}
    if told["shape"] in round_squares:
        squares = round_squares[told["shape"]]
        along, across = mass * squares / 2, mass * (squares / 4 + length**2 / 12)
        return along * np.outer(n, n) + across * (np.eye(3) - np.outer(n, n))
    square = np.square(np.array([*told.get("sides", [0.0]), 0.0, 0.0][:3], float))
    return mass / 12 * (np.sum(square) * np.eye(3) - np.diag(square))


def shape_differs(told: dict[str, Any], read: Any, axis: tuple[float, ...], length: float | None = None) -> str | None:
    """Return how the tensor of a body differs from that of its shape, along an axis or between its ends.

    length: that of rods and tubes which do not say theirs.
    """
    line, long = np.array(axis), float(told.get("length", length) or 0.0)
    if ends := told.get("ends"):
        line = np.subtract(np.array(ends[1], float), np.array(ends[0], float))
        long = float(np.linalg.norm(line))
        middle = np.mean(np.array(ends, float), axis=0)
        if not np.allclose(read.com, middle, rtol=SAME, atol=SAME * (1 + np.max(np.abs(middle)))):
            return f"{told['name']}: centre {read.com}, by its ends {middle}"
    tensor = tensor_of(told, line / np.linalg.norm(line), long)
    same = np.allclose(read.inertia, tensor, rtol=SAME, atol=SAME * np.max(np.abs(tensor)))
    return None if same else f"{told['name']}: tensor {read.inertia}, by its shape {tensor.tolist()}"


def home_differs(planned: Plan) -> str | None:
    """Return which joint of the file is open at home, by the places of the bodies alone."""
    tree = planned.skeleton
    at = posture(tree, planned.assembly.configuration)
    places = {body.name: at.frame(place) for body, place in zip(tree.description.bodies, tree.bodies, strict=True)} | {
        "world": (np.zeros(3), np.eye(3))
    }
    for joint in tree.description.joints:
        (p_P, R_P), (p_C, R_C) = (
            (p + R @ np.array(frame.position), R @ frame.rotation)
            for frame, (p, R) in (
                (joint.parent_frame, places[joint.parent]),
                (joint.frame_on_child, places[joint.child]),
            )
        )
        gap = max(_gap(joint.type, joint, R_P.T @ (p_C - p_P), R_P.T @ R_C, tree.size), default=0.0)
        if not gap <= CLOSED:
            return f"joint {joint.name} is open by {gap:.3g} at home"
    return None


def _gap(kind: str, joint: Any, d: Array, D: Array, size: float) -> list[float]:
    """Return what a kind of joint forbids, of the child's frame (d, D) in the parent's."""
    d = d / size
    parallel, alike = float(np.linalg.norm(D[:, 2] - [0, 0, 1])), float(np.linalg.norm(D - np.eye(3)))
    off_line, off_point = float(np.linalg.norm(d[:2])), float(np.linalg.norm(d))
    if kind == "spherical":
        return [abs(float(d[i])) for i in joint.position_rows]
    turned = float(np.arctan2(D[1, 0], D[0, 0]))
    turns = [] if joint.pitch is None else [joint.pitch * turned / (2 * np.pi), joint.pitch]
    return {
        "revolute": [off_point, parallel],
        "prismatic": [off_line, alike],
        "screw": [off_line, parallel, *([_off_thread(float(d[2]) * size, *turns) / size] if turns else [])],
        "cylindrical": [off_line, parallel],
        "universal": [off_point, abs(float(D[0, 1]))],
        "planar": [abs(float(d[2])), parallel],
        "free": [],
        "weld": [off_point, alike],
        "distance": [abs(off_point - (joint.length or 0.0) / size)],
    }[kind]


def _off_thread(way: float, expected: float, pitch: float) -> float:
    """Return how far a nut is from its thread [m]: whole turns cannot be told from the axes."""
    return abs(way - expected - round((way - expected) / pitch) * pitch) if pitch else abs(way - expected)


def read_right(tables: dict[str, Any], description: MechanismDescription, planned: Plan) -> str | None:
    """Return what is wrong with the shapes of the bodies, or with the assembled home."""
    for told, read in zip(tables.get("bodies", []), description.bodies, strict=True):
        if "shape" in told and (wrong := shape_differs(told, read, (0.0, 0.0, 1.0))):
            return wrong
    return home_differs(planned)


def robot_shapes_differ(tables: dict[str, Any], read: Any) -> str | None:
    """Return how the tensor of a robot's body differs from that of its shape: along its element's line, or upright."""
    pairs = [
        (*pair, (0.0, 0.0, 1.0), None) for pair in zip(_bodies(tables["platform"]), read.platform.bodies, strict=True)
    ]
    for leg, read_leg in zip(tables["legs"], read.legs, strict=True):
        for element, read_element in zip(leg["elements"], read_leg.elements, strict=True):
            both = zip(_bodies(element), read_element.bodies, strict=True)
            pairs += [(*pair, (1.0, 0.0, 0.0), element.get("length")) for pair in both]
    wrong = (shape_differs(told, one, axis, length) for told, one, axis, length in pairs if "shape" in told)
    return next(filter(None, wrong), None)


def _bodies(table: dict[str, Any]) -> list[dict[str, Any]]:
    return table.get("bodies", [])
