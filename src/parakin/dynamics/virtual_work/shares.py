"""Each leg's share of the platform's equation of motion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import casadi as ca

from parakin.description.patterns import pattern_of
from parakin.dynamics.body_by_body import virtual_work
from parakin.dynamics.friction import braking
from parakin.dynamics.inertia import Inertia
from parakin.dynamics.mechanics import Mechanics
from parakin.dynamics.virtual_work import driven_bar
from parakin.dynamics.virtual_work.reduced import LoadedLeg, ReducedLeg, unreduced
from parakin.dynamics.virtual_work.strut import strut
from parakin.kinematics.leg import LegMotion
from parakin.kinematics.platform import Point
from parakin.kinematics.robot_motion import solver_of
from parakin.spatial import symmetric

REDUCERS: dict[str, Callable[[LoadedLeg], ReducedLeg]] = {
    "strut": strut,
    "arm": driven_bar.arm,
    "rail": driven_bar.rail,
}
"""Name of a leg's pattern -> its law of regrouping. Legs of other patterns are taken body by body."""


@dataclass(frozen=True)
class LegShare:
    """A reduced leg in platform coordinates, with nothing left over."""

    at_tip: ca.SX
    """What the leg asks besides its tip mass and `drive_force`: at its tip, or in platform coordinates [N, N m]."""
    to_platform: ca.SX
    """The matrix that brings `at_tip` to platform coordinates."""
    drive_force: ca.SX
    """What each of its drives supplies by itself [N or N m]."""
    M: ca.SX
    """Its mass matrix without the tip mass, in platform coordinates."""
    tip_mass: ca.SX
    """A point mass at its tip that the platform takes over [kg]."""

    @property
    def f(self) -> ca.SX:
        """What `at_tip` is in platform coordinates [N, N m]."""
        return self.to_platform @ self.at_tip


def leg_shares(mechanics: Mechanics) -> list[LegShare]:
    """Return every leg's share. What is left to bodies is projected onto the tip's velocity: that is the least work."""
    return [
        _by_platform(mechanics, k) if leg.j_w is not None else _by_tip(mechanics, k)
        for k, leg in enumerate(mechanics.moving.legs)
    ]


def _by_tip(mechanics: Mechanics, k: int) -> LegShare:
    """Solve the leg for a tip of its own symbols, regroup, and let the tip be the platform's point."""
    attached, leg = mechanics.moving.attached[k], mechanics.legs[k]
    p, v, a = (ca.SX.sym(name, 3) for name in ("p", "v", "a"))
    tip = Point(p, v, a, ca.SX.eye(3))
    motion = solver_of(leg)(leg, replace(attached, point=tip))
    loaded = _loaded(mechanics, k, tip, motion)
    reduced = REDUCERS.get(pattern_of(leg), unreduced)(loaded)
    more = virtual_work(reduced.rest, mechanics.gravity, v) + braking(reduced.frictions, v)
    point = attached.point
    f, drive_force, M_C = ca.substitute(
        [reduced.f + more, reduced.drive_force, reduced.M + ca.jacobian(more, a)],
        [p, v, a],
        [ca.densify(known) for known in (point.p, point.v, point.a)],
    )
    M = point.M.T @ (symmetric(M_C) @ point.M)
    return LegShare(f, point.M.T, drive_force, M, reduced.tip_mass)


def _by_platform(mechanics: Mechanics, k: int) -> LegShare:
    """A leg that transmits rotation: every body for itself."""
    moving, motion = mechanics.moving, mechanics.moving.legs[k]
    loaded = _loaded(mechanics, k, moving.attachments[k], motion)
    f = virtual_work(loaded.bodies(), mechanics.gravity, moving.velocity) + braking(loaded.frictions(), moving.velocity)
    J = ca.jacobian(motion.q_dot, moving.velocity)
    M = ca.jacobian(f, moving.acceleration) + J.T @ ca.diag(loaded.rotors) @ J
    return LegShare(f, ca.SX.eye(f.shape[0]), loaded.rotors * motion.q_ddot, M, ca.SX(0))


def _loaded(mechanics: Mechanics, k: int, tip: Point, motion: LegMotion) -> LoadedLeg:
    """Leg k with its share of the robot's parameters."""
    counts = [[len(element.bodies) for element in leg.elements] for leg in mechanics.legs]
    first = sum(sum(leg) for leg in counts[:k])
    inertias: list[tuple[Inertia, ...]] = []
    for count in counts[k]:
        inertias.append(mechanics.parameters.bodies[first : first + count])
        first += count
    drives = [leg.q.shape[0] for leg in mechanics.moving.legs]
    rotors = mechanics.parameters.rotors[sum(drives[:k]) : sum(drives[: k + 1])]
    joints = {m: friction for (j, m), friction in mechanics.parameters.joints.items() if j == k}
    return LoadedLeg(
        mechanics.legs[k], tip, motion, tuple(inertias), rotors, mechanics.gravity, joints, mechanics.acting.sign
    )
