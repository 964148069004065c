"""The rigid parts of a mechanism as frames: the base, its bodies, and rods that are no bodies.

A joint of type "distance" stands for such a rod: x from the parent's point to the child's, turned the short way.
"""

from __future__ import annotations

import casadi as ca

from parakin.kinematics.bodies import Frame as MovingFrame
from parakin.kinematics.elements import STILL, Line, free_frame
from parakin.kinematics.graph.links import Tree
from parakin.kinematics.graph.rod_frames import carried_by, file_bodies
from parakin.mechanism.model import Joint
from parakin.mechanism.skeleton import Skeleton


def frame_names(skeleton: Skeleton) -> tuple[str, ...]:
    """Return the names of the frames: of the base, of bodies, and of rods that are no bodies."""
    file = skeleton.file
    rods = [rod_name(joint) for joint in file.joints if joint.type == "distance"]
    return ("base", *(body.name for body in file.bodies), *rods)


def rod_name(joint: Joint) -> str:
    """Return the name of the frame of the rod that a joint of type "distance" stands for."""
    return f"{joint.name}.rod"


def frames_of_bodies(skeleton: Skeleton, tree: Tree) -> ca.SX:
    """Return [R | p] of every frame of `frame_names`, one below the other (3 F, 4)."""
    bodies = file_bodies(skeleton, tree)
    frames = [(frame.spin.R, frame.p) for frame in bodies.values()]
    frames += [_rod(joint, bodies) for joint in skeleton.file.joints if joint.type == "distance"]
    return ca.vertcat(*(ca.horzcat(R, p) for R, p in frames))


def _rod(joint: Joint, bodies: dict[str, MovingFrame]) -> tuple[ca.SX, ca.SX]:
    """Return axes and origin of the rod that a joint of type "distance" stands for."""
    parent = carried_by(bodies[joint.parent], joint.parent_frame)
    child = carried_by(bodies[joint.child], joint.frame_on_child)
    zero = ca.SX.zeros(3)
    span = child.p - parent.p
    line = Line(
        parent.p, zero, zero, span / (joint.length or 1.0), zero, zero, ca.SX(joint.length or 0.0), ca.SX(0), ca.SX(0)
    )
    return free_frame(line, STILL).frame.R, parent.p
