"""What rods with a universal joint take that are distances: inertia that is not round, and friction of their joints.

Round rods without friction are masses of their ends (`rods`). What is left of others, and those whose inertia or
friction are symbols, turn as the universal joint makes them (`kinematics.graph.turned_rods`), and what they take is
given to their ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import casadi as ca
import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.dynamics.friction import friction_force
from parakin.dynamics.graph.parameters import GraphParameters
from parakin.dynamics.graph.rods import RodInertia
from parakin.dynamics.inertia import Inertia, Wrench, wrench_of_link
from parakin.dynamics.mechanics import Sign
from parakin.dynamics.parameter_symbols import Friction
from parakin.kinematics.bodies import Frame
from parakin.kinematics.graph.joints import of_rod
from parakin.kinematics.graph.links import Tree
from parakin.kinematics.graph.loops import GraphMotion
from parakin.kinematics.graph.rod_frames import carried_by, file_bodies, turned_rods
from parakin.kinematics.graph.rows import twist_columns
from parakin.kinematics.graph.turned_rods import TurnedRod
from parakin.mechanism.model import Joint
from parakin.mechanism.rod_bodies import RodBody
from parakin.mechanism.rod_ends import frame_on
from parakin.mechanism.rods import ROUND
from parakin.mechanism.skeleton import BASE_LINK, Place, Skeleton
from parakin.spatial import symmetric


def round_rods(rods: tuple[RodBody, ...], parameters: GraphParameters) -> GraphParameters:
    """Return parameters in which turned rods with numbers for their inertia are round rods and what these leave."""
    plain = dict(parameters.rods)
    left = {name: body for name, body in parameters.turned.items() if not _parts(body).is_zero()}
    for rod in rods:
        if rod.turned is None or rod.body not in left or not (parts := _parts(left[rod.body])).is_constant():
            continue
        values = ca.evalf(parts).full().ravel()
        plain[rod.joint], rest = _split(rod, float(values[0]), values[1:4], values[4:].reshape(3, 3))
        if _parts(rest).is_zero():
            del left[rod.body]
        else:
            left[rod.body] = rest
    return replace(parameters, turned=left, rods=plain)


def _parts(body: Inertia) -> ca.SX:
    return ca.vertcat(body.m, body.h, ca.vec(body.I))


def _split(rod: RodBody, m: float, h: Array, tensor: Array) -> tuple[RodInertia, Inertia]:
    """Return the round rod nearest to a body, counted from its parent's end, and what that leaves of the body.

    Of a round rod that turns about its line no more than its inertia about the line is left.
    """
    a, span = rod.ends[0], rod.ends[1] - rod.ends[0]
    length = float(np.linalg.norm(span))
    x = span / length
    along = float(x @ (h - m * a))
    about = tensor - _moved(h - m * a, a) - m * _moved(a, a) / 2
    across = float(np.trace(about) - x @ about @ x) / 2
    round_h = along * x
    round_I = across * (np.eye(3) - np.outer(x, x)) + _moved(round_h, a) + m * _moved(a, a) / 2
    sizes = abs(m) * (length + float(np.linalg.norm(a))) * np.array([1.0, length + float(np.linalg.norm(a))])
    rest = [
        np.where(np.abs(part) > ROUND * size, part, 0.0)
        for part, size in ((h - m * a - round_h, sizes[0]), (tensor - round_I, sizes[1]))
    ]
    left = Inertia(ca.SX(0), *(ca.sparsify(ca.SX(ca.DM(part))) for part in rest))
    return RodInertia(ca.SX(m), ca.SX(along), ca.SX(across)), left


def _moved(h: Array, a: Array) -> Array:
    """Return 2 (h·a) 1 - h a^T - a h^T: what the tensor about a point changes by that sees the first moment h at a."""
    return 2 * float(h @ a) * np.eye(3) - np.outer(h, a) - np.outer(a, h)


@frozen_arrays
class TurningBody:
    """A rod or a ring that is no link of the tree."""

    inertia: Inertia
    """Its inertia in the axes of its body and about its origin, if it is not among the masses of a rod's ends."""
    frame: Frame
    """The frame of its body in motion."""
    axis: Array
    """The axis of its last turn in its own axes (3,)."""


@dataclass(frozen=True)
class RodLoad:
    """What a rod takes beside the masses of its ends, in base axes."""

    motion: TurnedRod
    """The rod."""
    body: TurningBody | None
    """The rod, if it has inertia beside the masses of its ends."""
    ring: TurningBody | None
    """The ring between two hinges, if it has mass."""
    needed: Wrench
    """What moves it, less the friction of its spherical joint; the moment about its end with the universal joint."""
    moves_ring: Wrench
    """What moves the ring, the moment about the same end."""
    push: ca.SX
    """A force on it at the other end that does the work of all on its two turns (3,)."""
    braking: ca.SX
    """The moment that friction of its spherical joint takes from what it hangs on there (3,)."""

    @property
    def at_ends(self) -> Iterator[tuple[Place, Wrench]]:
        """What the rod takes from what it hangs on, at the origins of its ends."""
        yield self.motion.there, Wrench(self.push, self.braking)
        ring = self.moves_ring
        yield self.motion.here, Wrench(self.needed.F + ring.F - self.push, self.moment + ring.N)

    @property
    def bodies(self) -> list[TurningBody]:
        """The rod and the ring, as far as they have inertia."""
        return [body for body in (self.body, self.ring) if body is not None]

    @property
    def moment(self) -> ca.SX:
        """The moment on the rod at its universal joint (3,)."""
        return self.needed.N - ca.cross(self.motion.length * self.motion.n, self.push)


def rod_loads(moving: GraphMotion, parameters: GraphParameters, gravity: ca.SX, sign: Sign) -> list[RodLoad]:
    """Return what turned rods take that are not round, or whose joints have friction."""
    skeleton = moving.plan.skeleton
    joints = {joint.name: joint for joint in skeleton.file.joints}
    chosen = {
        rod.body: [joints[name] for name in rod.joints]
        for rod in skeleton.rods
        if rod.turned
        and (
            not {rod.body, rod.turned.ring}.isdisjoint(parameters.turned)
            or any(_friction(parameters, joints[name]) for name in rod.joints)
        )
    }
    if not chosen:
        return []
    bodies = file_bodies(skeleton, moving.tree)
    motions = turned_rods(skeleton, moving.tree)
    return [_load(motions[rod], mine, bodies, parameters, gravity, sign) for rod, mine in chosen.items()]


def _friction(parameters: GraphParameters, joint: Joint) -> list[Friction]:
    """Return the friction of each freedom of a joint; nothing where there is none."""
    found = [parameters.friction[f"{joint.name}.{freedom.name}"] for freedom in joint.kind.freedoms]
    return [] if all(one.viscous.is_zero() and one.coulomb.is_zero() for one in found) else found


def _load(  # noqa: PLR0917
    motion: TurnedRod,
    joints: list[Joint],
    bodies: Mapping[str, Frame],
    parameters: GraphParameters,
    gravity: ca.SX,
    sign: Sign,
) -> RodLoad:
    rod, turned, nothing = motion.rod, motion.turned, ca.SX(3, 1)
    outer = next(joint for joint in joints if joint.name == turned.joints[0])
    on_ring = frame_on(outer, turned.ring).rotation[:, 2]
    body, ring = (
        TurningBody(parameters.turned[name], bodies[name], axis) if name in parameters.turned else None
        for name, axis in ((rod.body, turned.axes[1]), (turned.ring, on_ring))
    )
    needed, moves_ring = (_wrench(one, motion, gravity) for one in (body, ring))
    braking, brakes = nothing, [ca.SX(0), ca.SX(0)]
    for joint in joints:
        known = _friction(parameters, joint)
        if not known:
            continue
        if joint.type == "spherical":
            state = of_rod(joint, bodies)
            torque = ca.vertcat(*(friction_force(one, state.rates[k], sign) for k, one in enumerate(known)))
            R = carried_by(bodies[joint.child], joint.frame_on_child).spin.R
            braking = (-1 if joint.child == rod.body else 1) * (R @ torque)
            continue
        turns = (0, 1) if joint.child == rod.body else (1, 0)
        if turned.ring:
            turns = (turned.joints.index(joint.name),)
        for turn, one in zip(turns, known, strict=True):
            brakes[turn] = friction_force(one, motion.rates[turn], sign)
    needed = Wrench(needed.F, needed.N - braking)
    f = [ca.dot(needed.N + moves_ring.N, motion.e) + brakes[0], ca.dot(needed.N, motion.y) + brakes[1]]
    push = (f[0] * motion.y - f[1] * motion.e) / (motion.D * motion.length)
    return RodLoad(motion, body, ring, needed, moves_ring, push, braking)


def _wrench(body: TurningBody | None, motion: TurnedRod, gravity: ca.SX) -> Wrench:
    """Return what moves a body, the moment about the end of a rod with the universal joint."""
    if body is None:
        return Wrench(ca.SX(3, 1), ca.SX(3, 1))
    about = wrench_of_link(body.inertia, body.frame, gravity)
    return Wrench(about.F, about.N + ca.cross(body.frame.p - motion.root.p, about.F))


def turned_masses(skeleton: Skeleton, loads: list[RodLoad]) -> ca.SX:
    """Return what turned rods that are not round add to the tree's mass matrix: J^T M J of each body."""
    total = ca.SX(skeleton.velocities, skeleton.velocities)
    for load in loads:
        if not load.bodies:
            continue
        motion = load.motion
        (J_A, J_w), (J_B, _) = (_jacobians(skeleton, motion.tree, place) for place in (motion.here, motion.there))
        r = motion.length * motion.n
        turns = motion.turns((J_B - J_A - _crossed(J_w, r)) / motion.length)
        J_ring = J_w + motion.e @ turns[0, :]
        for body, J, turn in ((load.body, J_ring, turns[1, :]), (load.ring, J_w, turns[0, :])):
            if body is not None:
                total += _mass_of(body, motion.root.p, (J_A, J), turn)
    return symmetric(ca.densify(total))  # half of the products are equal


def _mass_of(body: TurningBody, p_A: ca.SX, carrier: tuple[ca.SX, ca.SX], turn: ca.SX) -> ca.SX:
    """Return J^T M J of a body; carrier: velocity at p_A and angular velocity before its last turn, whose rate is turn.

    The axis of that turn is constant in the body's axes.
    """
    R, inertia = body.frame.spin.R, body.inertia
    J_A, J_before = carrier
    axis = ca.sparsify(ca.DM(body.axis))
    J_w = J_before + (R @ axis) @ turn
    J_v, h = J_A + _crossed(J_w, body.frame.p - p_A), R @ inertia.h
    in_body = R.T @ J_before + axis @ turn
    momenta = ca.vertcat(inertia.m * J_v + _crossed(J_w, h), inertia.I @ in_body - R.T @ _crossed(J_v, h))
    return ca.vertcat(J_v, in_body).T @ momenta


def _crossed(J: ca.SX, r: ca.SX) -> ca.SX:
    """Return the columns of J, each crossed with r."""
    return -ca.skew(r) @ J


def _jacobians(skeleton: Skeleton, tree: Tree, place: Place) -> tuple[ca.SX, ca.SX]:
    """Return velocity of a frame's origin and angular velocity for unit velocities of the tree (3, velocities)."""
    ground = Place(BASE_LINK, np.zeros(3), np.eye(3))
    J_v, J_w = ca.SX(3, skeleton.velocities), ca.SX(3, skeleton.velocities)
    for k, (v, w) in twist_columns(skeleton, tree, ground, place, tree.at(place).p).items():
        J_v[:, k], J_w[:, k] = v, w
    return ca.sparsify(J_v), ca.sparsify(J_w)
