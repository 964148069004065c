"""Coordinates and rates of every joint of a mechanism, those of the tree and those that are cut.

A joint of the tree has its coordinates in the configuration. Those of a cut joint follow from how its two frames stand,
with d the place of C in P and D = R_PC:

    revolute: atan2(D_yx, D_xx)        prismatic: d_z        universal: atan2(D_zy, D_yy), atan2(D_xz, D_xx)

and its rates from the relative twist: about z_P, along z_P, about x_P and y_C; of a ball R_C^T w. So do those of the
joints of a rod that is computed as a distance, from the frame that `rod_frames` gives it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca

from parakin.kinematics.bodies import Frame
from parakin.kinematics.graph.loops import GraphMotion
from parakin.kinematics.graph.rod_frames import carried_by, file_bodies
from parakin.kinematics.graph.rows import relative_motion, twist_columns
from parakin.mechanism.kinds import Freedom, Move
from parakin.mechanism.model import Joint, cone_name
from parakin.mechanism.skeleton import Cut, Link
from parakin.spatial import angle_between, vector


@dataclass(frozen=True)
class JointState:
    """Coordinates and rates of one joint."""

    joint: Joint
    """The joint."""
    coordinates: ca.SX
    """Its coordinates [m or rad]; a ball has a quaternion."""
    rates: ca.SX
    """Its velocities [m/s or rad/s]."""
    accelerations: ca.SX
    """Their derivatives."""


@dataclass(frozen=True)
class JointMotion(JointState):
    """One joint in motion that is in the tree or cut."""

    columns: ca.SX
    """The rates' dependence on the tree's velocities: rates = columns t."""
    axes: tuple[tuple[ca.SX, ca.SX], ...] = ()
    """Force and moment on the child of a cut joint for a unit of force on each freedom, in base axes."""


def file_joints(moving: GraphMotion) -> list[JointState]:
    """Return every joint of the file that moves, in its order; joints of rods that are distances among them."""
    skeleton = moving.plan.skeleton
    known: dict[str, JointState] = {motion.joint.name: motion for motion in joint_motions(moving)}
    if skeleton.rods:
        of_rods = {name for rod in skeleton.rods for name in rod.joints}
        bodies = file_bodies(skeleton, moving.tree)
        known |= {joint.name: of_rod(joint, bodies) for joint in skeleton.file.joints if joint.name in of_rods}
    return [known[joint.name] for joint in skeleton.file.joints if joint.kind.freedoms]


def cone_angles(moving: GraphMotion) -> dict[str, ca.SX]:
    """Return the angles [rad] that cones limit, by `cone_name`."""
    skeleton = moving.plan.skeleton
    coned = [joint for joint in skeleton.file.joints if joint.cone is not None]
    bodies = file_bodies(skeleton, moving.tree) if coned else {}
    angles: dict[str, ca.SX] = {}
    for joint in coned:
        on_parent, on_child = joint.cone_directions
        a, b = bodies[joint.parent].spin.R @ vector(on_parent), bodies[joint.child].spin.R @ vector(on_child)
        angles[cone_name(joint)] = angle_between(a, b)
    return angles


def of_rod(joint: Joint, bodies: Mapping[str, Frame]) -> JointState:
    """Return a joint of a rod that is a distance, between bodies of the file in motion.

    Its angles are within half a turn of those at home, as a hinge may stand near half a turn there.
    """
    P, C = carried_by(bodies[joint.parent], joint.parent_frame), carried_by(bodies[joint.child], joint.frame_on_child)
    relative = relative_motion(P, C)
    axes = ca.horzcat(*(_axis(freedom, joint, P, C) for freedom in joint.kind.freedoms)).T
    coordinates = _coordinates(joint, P, C)
    if joint.type != "spherical":
        coordinates += math.tau * ca.floor((ca.DM(joint.start) - coordinates) / math.tau + 0.5)
    return JointState(joint, coordinates, axes @ relative.w, axes @ relative.alpha)


def joint_motions(moving: GraphMotion) -> list[JointMotion]:
    """Return every joint that moves, in the order of the file, but for joints of rods that are distances."""
    skeleton = moving.plan.skeleton
    links = {link.joint.name: link for link in skeleton.links}
    cuts = {cut.joint.name: cut for cut in skeleton.cuts}
    motions: list[JointMotion] = []
    for joint in skeleton.description.joints:
        if not joint.kind.freedoms:
            continue
        if joint.name in links:
            motions.append(_of_tree(moving, links[joint.name]))
        else:
            motions.append(_of_cut(moving, cuts[joint.name]))
    return motions


def _of_tree(moving: GraphMotion, link: Link) -> JointMotion:
    kind = link.joint.kind
    c = moving.c[link.coordinate : link.coordinate + len(kind.home)]
    span = slice(link.velocity, link.velocity + len(kind.freedoms))
    columns = ca.SX(len(kind.freedoms), moving.plan.skeleton.velocities)
    for k in range(len(kind.freedoms)):
        columns[k, link.velocity + k] = 1
    return JointMotion(link.joint, c, moving.t[span], moving.t_dot[span], columns)


def _of_cut(moving: GraphMotion, cut: Cut) -> JointMotion:
    skeleton = moving.plan.skeleton
    P, C = moving.tree.at(cut.parent), moving.tree.at(cut.child)
    relative = relative_motion(P, C)
    shares = twist_columns(skeleton, moving.tree, cut.parent, cut.child, C.p)
    rates: list[ca.SX] = []
    accelerations: list[ca.SX] = []
    rows: list[ca.SX] = []
    axes: list[tuple[ca.SX, ca.SX]] = []
    for freedom in cut.joint.kind.freedoms:
        e = _axis(freedom, cut.joint, P, C)
        slides = freedom.move is Move.SLIDE
        axes.append((e, ca.SX(3, 1)) if slides else (ca.SX(3, 1), e))
        rates.append(ca.dot(e, relative.v if slides else relative.w))
        accelerations.append(ca.dot(e, relative.a if slides else relative.alpha))
        row = ca.SX(1, skeleton.velocities)
        for k, (v, w) in shares.items():
            row[k] = ca.dot(e, v if slides else w)
        rows.append(row)
    coordinates = _coordinates(cut.joint, P, C)
    motion = ca.vertcat(*rates), ca.vertcat(*accelerations)
    return JointMotion(cut.joint, coordinates, *motion, ca.vertcat(*rows), tuple(axes))


def _axis(freedom: Freedom, joint: Joint, P: Frame, C: Frame) -> ca.SX:
    """Return the axis of a freedom in base axes: on the child for balls and the second axis of a universal joint."""
    on_child = freedom.move is Move.BALL or (joint.type == "universal" and freedom.axis == 1)
    return (C if on_child else P).spin.R[:, freedom.axis]


def _coordinates(joint: Joint, P: Frame, C: Frame) -> ca.SX:
    """Return the coordinates of a cut joint from its two frames."""
    d, D = P.spin.R.T @ (C.p - P.p), P.spin.R.T @ C.spin.R
    if joint.type == "universal":
        return ca.vertcat(ca.atan2(D[2, 1], D[1, 1]), ca.atan2(D[0, 2], D[0, 0]))
    if joint.type == "spherical":
        return quaternion_of(D)
    turn = ca.atan2(D[1, 0], D[0, 0])
    return ca.vertcat(*(d[f.axis] if f.move is Move.SLIDE else turn for f in joint.kind.freedoms))


def quaternion_of(R: ca.SX) -> ca.SX:
    """Return the unit quaternion (w, x, y, z) of a rotation matrix by the largest of its entries, which is positive.

    Of the four products 4 w^2, 4 x^2, 4 y^2, 4 z^2, all known from the diagonal, the largest is divided by.
    """
    squares = [
        1 + R[0, 0] + R[1, 1] + R[2, 2],
        1 + R[0, 0] - R[1, 1] - R[2, 2],
        1 - R[0, 0] + R[1, 1] - R[2, 2],
        1 - R[0, 0] - R[1, 1] + R[2, 2],
    ]
    wx, wy, wz = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    xy, xz, yz = R[0, 1] + R[1, 0], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1]
    candidates = [
        ca.vertcat(squares[0], wx, wy, wz),
        ca.vertcat(wx, squares[1], xy, xz),
        ca.vertcat(wy, xy, squares[2], yz),
        ca.vertcat(wz, xz, yz, squares[3]),
    ]
    best, largest = candidates[0], squares[0]
    for candidate, square in zip(candidates[1:], squares[1:], strict=True):
        larger = square > largest
        best, largest = ca.if_else(larger, candidate, best), ca.if_else(larger, square, largest)
    return best / (2 * ca.sqrt(largest))
