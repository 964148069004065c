"""The linkage of a mechanism: its file says all of it."""

from __future__ import annotations

import numpy as np

from parakin.kinematics.graph.frames import frame_names, rod_name
from parakin.mechanism.model import BASE, Frame, MechanismDescription, Output
from parakin.mechanism.model import Joint as FileJoint
from parakin.mechanism.skeleton import Skeleton
from parakin.viewer.linkage import Body, Joint, Linkage, Mass, Place, Side, tool_on, upwards

X, Y, Z = np.eye(3)


def graph_linkage(skeleton: Skeleton) -> Linkage:
    """Return the linkage of a mechanism."""
    description = skeleton.file
    names = frame_names(skeleton)
    numbers = {name: k for k, name in enumerate(names)} | {BASE: 0}

    def place(frame: Output) -> Place:
        return Place(numbers[frame.body], np.array(frame.frame.position), frame.frame.rotation)

    return Linkage(
        description.name,
        description.title,
        upwards(description.gravity),
        tuple(_body(name, description) for name in names),
        tuple(_joint(joint, numbers) for joint in description.joints),
        place(description.output),
        tool_on(place(description.output), description.tool),
        frozenset({numbers[description.output.body]}) - {0},
        {frame.name: place(frame) for frame in description.frames},
    )


def _body(name: str, description: MechanismDescription) -> Body:
    masses = tuple(Mass(body.name, body.mass, np.array(body.com)) for body in description.bodies if body.name == name)
    return Body(name, name.replace("_", " ").replace(".", " "), None, tuple(one for one in masses if one.mass > 0))


def _joint(joint: FileJoint, numbers: dict[str, int]) -> Joint:
    """Return a joint of the file; the rod of a distance still runs from its parent to its child."""
    axes = (X, Y) if joint.type == "universal" else (Z, Z)
    frames = (joint.parent_frame, joint.frame_on_child)
    a, b = (
        _side(numbers[body], frame, axis)
        for body, frame, axis in zip((joint.parent, joint.child), frames, axes, strict=True)
    )
    if joint.child == BASE and joint.type != "distance":
        a, b = b, a  # what stands still comes first: it carries rails and motors
    driven = any(freedom.drive is not None for freedom in joint.freedoms.values())
    part = numbers[rod_name(joint)] if joint.type == "distance" else None
    return Joint(joint.name, joint.type, a, b, driven, None, part, joint.length or 0.0)


def _side(number: int, frame: Frame, axis: np.ndarray) -> Side:
    return Side(number, np.array(frame.position), frame.rotation @ axis)
