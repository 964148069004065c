"""What regrouping makes of a leg."""

from __future__ import annotations

from dataclasses import dataclass, field

import casadi as ca

from parakin.description.model import Leg
from parakin.dynamics.friction import root_friction
from parakin.dynamics.inertia import NOTHING, Inertia
from parakin.dynamics.mechanics import Sign
from parakin.dynamics.parameters import Friction
from parakin.kinematics.bodies import Frame, element_frame
from parakin.kinematics.leg import LegMotion
from parakin.kinematics.platform import Point

Rest = list[tuple[Inertia, Frame]]
"""What no law of regrouping covers: bodies, or what is left of them, to be taken one by one."""
Frictions = list[tuple[ca.SX, ca.SX]]
"""The same of joints: relative rate and friction force."""


@dataclass(frozen=True)
class LoadedLeg:
    """A leg that reaches a moving tip, with its bodies' inertias element by element, rotors, friction and gravity.

    joints: friction of root joint number m, where it is passive.
    """

    leg: Leg
    tip: Point
    motion: LegMotion
    inertias: tuple[tuple[Inertia, ...], ...]
    rotors: ca.SX
    gravity: ca.SX
    joints: dict[int, Friction]
    sign: Sign

    def frictions(self) -> Frictions:
        """Relative rate and force of every passive joint that has friction."""
        return [
            braked
            for m, friction in self.joints.items()
            for braked in root_friction(self.leg.elements[m], self.motion.elements[m], friction, self.sign)
        ]

    def bodies(self) -> Rest:
        """Every body with its frame."""
        return [
            (inertia, element_frame(motion, body.part))
            for element, motion, own in zip(self.leg.elements, self.motion.elements, self.inertias, strict=True)
            for body, inertia in zip(element.bodies, own, strict=True)
        ]

    def part(self, element: int, part: str) -> Inertia:
        """The bodies of one part of an element, together."""
        bodies = zip(self.leg.elements[element].bodies, self.inertias[element], strict=True)
        return sum((inertia for body, inertia in bodies if body.part == part), NOTHING)


@dataclass(frozen=True)
class ReducedLeg:
    """A leg seen from its tip C.

    tip_mass: a point mass at C that the platform takes over; f: the force at C that the leg needs besides, but for a
    part along j that `own` accounts for; own: what each of its drives supplies by itself; M: the mass matrix of C,
    without tip_mass; rest, frictions: bodies and joints that are in none of these. Rotors are in own and M.
    """

    f: ca.SX
    own: ca.SX
    M: ca.SX
    tip_mass: ca.SX = field(default_factory=lambda: ca.SX(0))
    rest: Rest = field(default_factory=Rest)
    frictions: Frictions = field(default_factory=Frictions)


def remaining(*bodies: tuple[Inertia, Frame]) -> Rest:
    """Those of which anything is left. Symbols count as something."""
    return [
        (inertia, frame)
        for inertia, frame in bodies
        if not (inertia.m.is_zero() and inertia.h.is_zero() and inertia.I.is_zero())
    ]


def unreduced(loaded: LoadedLeg) -> ReducedLeg:
    """A leg no law covers: rotors, and every body for itself."""
    motion = loaded.motion
    M = motion.j.T @ ca.diag(loaded.rotors) @ motion.j if motion.j.shape[0] else ca.SX(3, 3)
    return ReducedLeg(
        ca.SX.zeros(3), loaded.rotors * motion.q_ddot, M, rest=loaded.bodies(), frictions=loaded.frictions()
    )


def without_mass(inertia: Inertia) -> Inertia:
    """What is left of a body when its mass was counted at the origin of its frame."""
    return Inertia(ca.SX(0), inertia.h, inertia.I)
