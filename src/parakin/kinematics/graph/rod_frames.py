"""Bodies of the file in motion, rods that are computed as distances among them.

A rod between two balls that is a distance has a line and no spin. Its frame is given one: seen from the body at its
first ball P, it has turned the short way from where it is at home. With n the direction of its line and e that at home,
both in P's axes, of which the turned one is n = F e,

    w = n x n_dot + s n        s = -e·(n x n_dot)/(1 + e·n)

is the angular velocity of F, so that rates are those of coordinates. Where n = -e the short way is not unique, and one
is taken. The spin s is that of this choice: no force depends on it.

The spin of a rod with a universal joint at one end follows from its line: `turned_rods`.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from parakin.arrays import Array
from parakin.kinematics.bodies import Frame
from parakin.kinematics.elements import Spin, short_way
from parakin.kinematics.graph.links import GROUND, Tree, carried
from parakin.kinematics.graph.rows import relative_motion
from parakin.kinematics.graph.turned_rods import TurnedRod, turned_rod
from parakin.mechanism.model import BASE
from parakin.mechanism.model import Frame as FileFrame
from parakin.mechanism.numeric import cross
from parakin.mechanism.rod_bodies import RodBody
from parakin.mechanism.rod_ends import frame_on, other
from parakin.mechanism.skeleton import BASE_LINK, Cut, Place, Skeleton


def file_bodies(skeleton: Skeleton, tree: Tree) -> dict[str, Frame]:
    """Return the frames of the base and of all bodies of the file, in its order."""
    places = {body.name: place for body, place in zip(skeleton.description.bodies, skeleton.bodies, strict=True)}
    rods = {rod.body: rod for rod in skeleton.rods}
    cuts = {cut.joint.name: cut for cut in skeleton.cuts}
    frames = {BASE: GROUND}
    turned = turned_rods(skeleton, tree)
    rings = {rod.turned.ring: rod for rod in turned.values() if rod.turned.ring}
    joints = {joint.name: joint for joint in skeleton.file.joints}
    for body in skeleton.file.bodies:
        if body.name in places:
            frames[body.name] = tree.at(places[body.name])
        elif body.name in turned:
            frames[body.name] = turned[body.name].frame
        elif body.name not in rings:
            frames[body.name] = _rod(rods[body.name], cuts[rods[body.name].joint], tree)
    for name, rod in rings.items():
        outer, inner = (joints[joint] for joint in rod.turned.joints)
        base = other(outer, name)
        frames[name] = rod.ring(outer, inner, carried_by(frames[base], frame_on(outer, base)))
    return {name: frames[name] for name in (BASE, *(body.name for body in skeleton.file.bodies))}


def turned_rods(skeleton: Skeleton, tree: Tree) -> dict[str, TurnedRod]:
    """Return the rods that are distances and have a universal joint at one end, in motion, by their bodies."""
    cuts = {cut.joint.name: cut for cut in skeleton.cuts}
    return {rod.body: turned_rod(rod, rod.turned, cuts[rod.joint], tree) for rod in skeleton.rods if rod.turned}


def carried_by(body: Frame, frame: FileFrame) -> Frame:
    """Return a frame of the file on a body, in motion."""
    return carried(body, Place(BASE_LINK, np.array(frame.position), frame.rotation))


def _rod(rod: RodBody, cut: Cut, tree: Tree) -> Frame:
    """Return the frame of a rod's body from the motion of the ends of its distance."""
    P, C = tree.at(cut.parent), tree.at(cut.child)
    seen, length = relative_motion(P, C), float(np.linalg.norm(rod.ends[1] - rod.ends[0]))
    axes = _axes_at_home(rod)
    across = P.spin.R @ ca.SX(ca.DM(axes))  # x along the line at home, as it moves with P
    n, n_dot, n_ddot = (across.T @ vector / length for vector in (seen.r, seen.v, seen.a))
    turn, half = short_way(n)
    spin = -half * _about_x(n, n_dot)
    spin_dot = half * half * n_dot[0] * _about_x(n, n_dot) - half * _about_x(n, n_ddot)
    w = across @ (ca.cross(n, n_dot) + spin * n)
    w_dot = across @ (ca.cross(n, n_ddot) + spin_dot * n + spin * n_dot)
    w_P = P.spin.w
    turned = Spin(across @ turn @ ca.DM(axes.T @ rod.R_home), w_P + w, P.spin.w_dot + w_dot + ca.cross(w_P, w))
    return carried(Frame(P.p, P.v, P.a, turned), Place(BASE_LINK, -rod.ends[0], np.eye(3)))


def _axes_at_home(rod: RodBody) -> Array:
    """Return axes with x along the rod's line at home, in those of the distance's frame on its parent (3, 3)."""
    x = rod.R_home @ (rod.ends[1] - rod.ends[0])
    x = x / np.linalg.norm(x)
    y = cross(x, np.eye(3)[int(np.argmin(np.abs(x)))])
    y /= np.linalg.norm(y)
    return np.column_stack([x, y, cross(x, y)])


def _about_x(a: ca.SX, b: ca.SX) -> ca.SX:
    """Return the x component of a x b."""
    return a[1] * b[2] - a[2] * b[1]
