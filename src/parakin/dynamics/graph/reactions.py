"""What every joint of a mechanism carries.

The rows that close the loops exert lambda, J_d^T lambda = f_d (`GraphMotion.projected`). Along the tree a joint carries
what all links beyond it need, less what cut joints give them.

Where rows are redundant, any lambda_s of the spare rows balances, J_d^T lambda = f_d - J_sd^T lambda_s: joints can
strain against each other. Of all these the wrenches are taken whose sum of |F|^2 + |N/size|^2 over all joints is least.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca
import numpy as np

from parakin.dynamics.graph.mechanics import GraphMechanics, actuator_signs
from parakin.dynamics.inertia import Wrench, wrench_of_link
from parakin.kinematics.graph.links import carried
from parakin.kinematics.graph.rod_frames import carried_by, file_bodies
from parakin.kinematics.graph.rows import cut_rows
from parakin.linalg.solve import solve_least_squares
from parakin.mechanism.rod_bodies import RodBody
from parakin.mechanism.skeleton import BASE_LINK, Place


@dataclass(frozen=True)
class Reactions:
    """What the joints carry."""

    wrenches: ca.SX
    """Force and moment on the child by the parent of each joint (joints, 6), in base axes [N, N m]."""
    open: ca.SX
    """How much of each joint's wrench a strain of 1 N between joints would add (joints,); 0 where it is determined."""


def reactions(mechanics: GraphMechanics, tau: ca.SX) -> Reactions:
    """Return what the joints carry, the least of it where redundant rows leave it open."""
    plan = mechanics.moving.plan
    spare = ca.SX.sym("spare", len(plan.pivots.spare))
    wrenches = joint_wrenches(mechanics, tau, spare)
    count = wrenches.shape[0]
    if not plan.pivots.spare:
        return Reactions(wrenches, ca.SX.zeros(count))
    scale = ca.SX(ca.DM([1.0, 1.0, 1.0, *[1 / plan.skeleton.size] * 3])).T
    weighed = ca.vec((ca.repmat(scale, count, 1) * wrenches).T)
    by_spare = ca.densify(ca.jacobian(weighed, spare))
    given = ca.substitute(weighed, spare, ca.SX.zeros(spare.shape[0]))
    least, _ = solve_least_squares(by_spare, -given)
    sizes = ca.sum2(ca.reshape(ca.sum2(by_spare**2), 6, count).T)
    return Reactions(ca.substitute(wrenches, spare, least), ca.sqrt(sizes))


def joint_wrenches(mechanics: GraphMechanics, tau: ca.SX, spare: ca.SX) -> ca.SX:
    """Return force and moment on the child by the parent of each joint that moves or is cut (joints, 6), base axes.

    The moment is about the origin of the joint's frame on the child. Motors, whose forces tau are, friction and springs
    are included. spare: what redundant rows exert.
    """
    moving, skeleton = mechanics.moving, mechanics.moving.plan.skeleton
    given = _of_cuts(mechanics, tau, spare)
    loads: list[Wrench] = []
    for k, (link, inertia) in enumerate(zip(moving.tree.links, mechanics.inertias, strict=True)):
        needed = Wrench(ca.SX(3, 1), ca.SX(3, 1))
        if inertia is not None:
            needed = wrench_of_link(inertia, link.frame, mechanics.gravity)
        if k in mechanics.external:
            needed = Wrench(needed.F - mechanics.external[k].F, needed.N - mechanics.external[k].N)
        loads.append(needed)
    for name, (F, N, p) in given.items():
        cut = next(cut for cut in skeleton.cuts if cut.joint.name == name)
        for place, sign in ((cut.child, 1), (cut.parent, -1)):
            if place.link != BASE_LINK:
                arm, known = p - moving.tree.links[place.link].frame.p, loads[place.link]
                loads[place.link] = Wrench(known.F - sign * F, known.N - sign * (N + ca.cross(arm, F)))
    wrenches = {name: ca.vertcat(F, N) for name, (F, N, _) in given.items()}
    for rod in mechanics.rods:
        P, C = moving.tree.at(rod.cut.parent), moving.tree.at(rod.cut.child)
        taken = rod.CC * (C.a - mechanics.gravity) + rod.PC * (P.a - mechanics.gravity)
        wrenches[rod.cut.joint.name][:3] -= taken
    for load in mechanics.turned_rods:
        there, here = load.at_ends
        wrenches[load.motion.rod.joint][:3] -= (there if load.motion.turned.end == 0 else here)[1].F
    for k in range(len(skeleton.links) - 1, -1, -1):
        link, origin, carried = skeleton.links[k], moving.tree.links[k].frame.p, loads[k]
        inner = moving.tree.at(link.inner)
        p_child = inner.p if link.backwards else origin
        sign = -1 if link.backwards else 1
        moment = carried.N + ca.cross(origin - p_child, carried.F)
        wrenches[link.joint.name] = ca.vertcat(sign * carried.F, sign * moment)
        before = link.inner.link
        if before != BASE_LINK:
            arm, known = origin - moving.tree.links[before].frame.p, loads[before]
            loads[before] = Wrench(known.F + carried.F, known.N + carried.N + ca.cross(arm, carried.F))
    wrenches |= _of_rods(mechanics, wrenches)
    kept = [joint.name for joint in skeleton.file.joints if joint.name in wrenches]
    return ca.horzcat(*(wrenches[name] for name in kept)).T


def _of_rods(mechanics: GraphMechanics, wrenches: Mapping[str, ca.SX]) -> dict[str, ca.SX]:
    """Return what the joints of rods that are distances exert on their children.

    What a rod takes, less what its child's ball gives, its parent's ball gives. Balls exert no moment but friction; a
    universal joint exerts what is left of what the rod takes, nothing if the rod is round and no joint has friction.

        F_P + F_C = (m_PP + m_PC) (a_P - g) + (m_CC + m_PC) (a_C - g)
    """
    moving, skeleton = mechanics.moving, mechanics.moving.plan.skeleton
    masses = {rod.cut.joint.name: rod for rod in mechanics.rods}
    loads = {load.motion.rod.joint: load for load in mechanics.turned_rods}
    found: dict[str, ca.SX] = {}
    for rod in skeleton.rods:
        at_child, taken = -wrenches[rod.joint][:3], ca.SX(3, 1)
        if rod.joint in masses:
            mass = masses[rod.joint]
            P, C = moving.tree.at(mass.cut.parent), moving.tree.at(mass.cut.child)
            taken = (mass.PP + mass.PC) * (P.a - mechanics.gravity) + (mass.CC + mass.PC) * (C.a - mechanics.gravity)
        load = loads.get(rod.joint)
        ring = Wrench(ca.SX(3, 1), ca.SX(3, 1))
        moments = [ca.SX(3, 1), ca.SX(3, 1)]
        if load is not None:
            end, ring = load.motion.turned.end, load.moves_ring
            moments[end], moments[1 - end] = load.moment, load.braking
            taken += load.needed.F + ring.F
        for ball, force, moment in zip(rod.balls, (taken - at_child, at_child), moments, strict=True):
            found |= _at_end(mechanics, rod, ball, Wrench(force, moment), ring)
    return found


def _at_end(mechanics: GraphMechanics, rod: RodBody, ball: str, at: Wrench, ring: Wrench) -> dict[str, ca.SX]:
    """Return what joints at an end of a rod exert on their children.

    at: the force there on the rod and its ring, and the moment on the rod. ring: what moves a ring.
    """
    joints = {joint.name: joint for joint in mechanics.moving.plan.skeleton.file.joints}
    if rod.turned is None or ball not in rod.turned.joints or not rod.turned.ring:
        on_rod = ca.vertcat(at.F, at.N)
        return {ball: on_rod if joints[ball].child == rod.body else -on_rod}
    bodies = file_bodies(mechanics.moving.plan.skeleton, mechanics.moving.standing)
    p = carried(bodies[rod.body], Place(BASE_LINK, rod.ends[rod.turned.end], np.eye(3))).p
    found: dict[str, ca.SX] = {}
    carries = Wrench(at.F, at.N + ring.N), Wrench(at.F - ring.F, at.N)
    for name, beyond, on in zip(rod.turned.joints, (rod.turned.ring, rod.body), carries, strict=True):
        joint = joints[name]
        arm = p - carried_by(bodies[joint.child], joint.frame_on_child).p
        found[name] = (1 if joint.child == beyond else -1) * ca.vertcat(on.F, on.N + ca.cross(arm, on.F))
    return found


def _of_cuts(mechanics: GraphMechanics, tau: ca.SX, spare: ca.SX) -> dict[str, tuple[ca.SX, ca.SX, ca.SX]]:
    """Return what each cut joint exerts on its child: force, moment about the origin there, and that origin."""
    moving, plan = mechanics.moving, mechanics.moving.plan
    passive = ca.SX(mechanics.f)
    for k, force, sign in zip(plan.actuators, ca.vertsplit(tau), actuator_signs(moving), strict=True):
        passive[k] = passive[k] - sign * force
    if plan.pivots.spare:
        passive -= moving.J[list(plan.pivots.spare), :].T @ spare
    multipliers = moving.factors.solved_transposed([passive[k] for k in plan.pivots.columns])
    by_row = dict(zip((*plan.pivots.rows, *plan.pivots.spare), (*multipliers, *ca.vertsplit(spare)), strict=True))
    result: dict[str, tuple[ca.SX, ca.SX, ca.SX]] = {}
    row = 0
    for cut in plan.skeleton.cuts:
        forces, moments = [ca.SX(3, 1)], [ca.SX(3, 1)]
        for one in cut_rows(cut, moving.standing):
            if row in by_row:
                forces.append(one.linear * by_row[row])
                moments.append(one.angular * by_row[row])
            row += 1
        for motion, k, force in mechanics.joint_forces:
            if motion.joint.name == cut.joint.name:
                linear, angular = motion.axes[k]
                forces.append(-linear * force)
                moments.append(-angular * force)
        result[cut.joint.name] = sum(forces[1:], forces[0]), sum(moments[1:], moments[0]), moving.tree.at(cut.child).p
    return result
