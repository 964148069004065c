"""Rods that parakin keeps as distances become bodies again, for other tools know bodies and joints alone."""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array
from parakin.errors import UnsupportedRobotError
from parakin.mechanism.assembling import assemble
from parakin.mechanism.model import BASE, Body, Frame, Joint, MechanismDescription
from parakin.mechanism.numeric import Posture, posture
from parakin.mechanism.skeleton import Skeleton, skeleton
from parakin.robot import Robot


def with_rod_bodies(robot: Robot) -> tuple[Skeleton, Array, tuple[str, ...]]:
    """Return a robot's tree without joints of type distance, its configuration at home, and sentences on what changed.

    A rod stands on a universal joint at its parent's end and on a ball at the other: it has no moment of inertia about
    its line, so that its spin takes nothing.
    """
    graph = robot.graph
    tree, configuration = graph.plan.skeleton, graph.home_configuration
    description = tree.file
    if tree.rods:  # bodies and balls as the file has them
        tree = skeleton(description)
        configuration = assemble(tree).configuration
    if not any(joint.type == "distance" for joint in description.joints):
        return tree, configuration, ()
    at = posture(tree, configuration)
    bodies, joints, notes = list(description.bodies), list[Joint](), list[str]()
    for joint in description.joints:
        if joint.type != "distance":
            joints.append(joint)
            continue
        rod, pair = _rod_body(description, tree, at, joint)
        bodies.append(rod)
        joints += pair
        notes.append(f"rod {joint.name} is a body on a universal joint and a ball; it does not spin freely")
    expanded = description.model_copy(update={"bodies": tuple(bodies), "joints": tuple(joints)})
    grown = skeleton(expanded)
    return grown, assemble(grown).configuration, tuple(notes)


def _rod_body(
    description: MechanismDescription, tree: Skeleton, at: Posture, joint: Joint
) -> tuple[Body, tuple[Joint, Joint]]:
    """Return the body of a rod, its frame at the parent's end with z along the line, and the joints at its ends."""
    if joint.rod is None or joint.length is None:
        reason = f"joint {joint.name} keeps a distance without a mass, which other tools cannot say: give it a rod"
        raise UnsupportedRobotError(description.name, reason)
    (p_P, R_P), (p_C, R_C) = (_body_frame(description, tree, at, body) for body in (joint.parent, joint.child))
    tip = p_C + R_C @ np.array(joint.frame_on_child.position)
    line = tip - p_P - R_P @ np.array(joint.parent_frame.position)
    root = _frame(joint.parent_frame.position, R_P.T @ line)
    R_rod = R_P @ root.rotation
    body = Body(
        name=f"{joint.name}_rod",
        mass=joint.rod.mass,
        com=(0.0, 0.0, joint.rod.com),
        inertia=((joint.rod.inertia, 0.0, 0.0), (0.0, joint.rod.inertia, 0.0), (0.0, 0.0, 0.0)),
    )
    axes = R_C.T @ R_rod
    end = Frame(position=joint.frame_on_child.position, z=tuple(axes[:, 2].tolist()), x=tuple(axes[:, 0].tolist()))
    first = Joint(
        name=joint.name,
        type="universal",
        parent=joint.parent,
        child=body.name,
        parent_frame=root,
        child_frame=Frame(x=(1.0, 0.0, 0.0)),
    )
    second = Joint(
        name=f"{joint.name}_ball",
        type="spherical",
        parent=body.name,
        child=joint.child,
        parent_frame=Frame(position=(0.0, 0.0, joint.length), x=(1.0, 0.0, 0.0)),
        child_frame=end,
    )
    return body, (first, second)


def _body_frame(description: MechanismDescription, tree: Skeleton, at: Posture, body: str) -> tuple[Array, Array]:
    if body == BASE:
        return np.zeros(3), np.eye(3)
    return at.frame(tree.bodies[[one.name for one in description.bodies].index(body)])


def _frame(position: tuple[float, float, float], line: Array) -> Frame:
    z = line / np.linalg.norm(line)
    x = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = x - z * (z @ x)
    return Frame(position=position, z=tuple(z.tolist()), x=tuple((x / np.linalg.norm(x)).tolist()))
