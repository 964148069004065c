"""The rigid parts of a mechanism as frames: the base, its bodies, and rods that are no bodies.

A joint of type "distance" stands for such a rod: x from the parent's point to the child's, turned the short way.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from parakin.kinematics.bodies import Frame as MovingFrame
from parakin.kinematics.elements import STILL, Line, free_frame
from parakin.kinematics.graph.links import GROUND, Tree, carried
from parakin.mechanism.model import BASE, Frame, Joint
from parakin.mechanism.skeleton import BASE_LINK, Place, Skeleton


def frame_names(skeleton: Skeleton) -> tuple[str, ...]:
    """Return the names of the frames: of the base, of bodies, and of rods that are no bodies."""
    description = skeleton.description
    rods = [rod_name(joint) for joint in description.joints if joint.type == "distance"]
    return ("base", *(body.name for body in description.bodies), *rods)


def rod_name(joint: Joint) -> str:
    """Return the name of the frame of the rod that a joint of type "distance" stands for."""
    return f"{joint.name}.rod"


def frames_of_bodies(skeleton: Skeleton, tree: Tree) -> ca.SX:
    """Return [R | p] of every frame of `frame_names`, one below the other (3 F, 4)."""
    description = skeleton.description
    bodies = {BASE: GROUND}
    bodies |= {body.name: tree.at(place) for body, place in zip(description.bodies, skeleton.bodies, strict=True)}
    frames = [(frame.spin.R, frame.p) for frame in bodies.values()]
    frames += [_rod(joint, bodies) for joint in description.joints if joint.type == "distance"]
    return ca.vertcat(*(ca.horzcat(R, p) for R, p in frames))


def _rod(joint: Joint, bodies: dict[str, MovingFrame]) -> tuple[ca.SX, ca.SX]:
    """Return axes and origin of the rod that a joint of type "distance" stands for."""
    parent = _on(bodies[joint.parent], joint.parent_frame)
    child = _on(bodies[joint.child], joint.frame_on_child)
    zero = ca.SX.zeros(3)
    span = child.p - parent.p
    line = Line(
        parent.p, zero, zero, span / (joint.length or 1.0), zero, zero, ca.SX(joint.length or 0.0), ca.SX(0), ca.SX(0)
    )
    return free_frame(line, STILL).frame.R, parent.p


def _on(body: MovingFrame, frame: Frame) -> MovingFrame:
    return carried(body, Place(BASE_LINK, np.array(frame.position), frame.rotation))
