"""What regrouping makes of a leg."""

from __future__ import annotations

from dataclasses import dataclass, field

import casadi as ca

from parakin.description import Leg
from parakin.dynamics.friction import root_friction
from parakin.dynamics.inertia import NOTHING, Inertia
from parakin.dynamics.mechanics import Sign
from parakin.dynamics.parameter_symbols import Friction
from parakin.kinematics.bodies import Frame, element_frame
from parakin.kinematics.leg import LegMotion
from parakin.kinematics.platform import Point

Rest = list[tuple[Inertia, Frame]]
"""What no law of regrouping covers: bodies, or what is left of them, to be taken one by one."""
Frictions = list[tuple[ca.SX, ca.SX]]
"""Joints that no law of regrouping covers: relative rate and friction force."""


@dataclass(frozen=True)
class LoadedLeg:
    """A leg that reaches a moving tip, with its share of the robot's parameters."""

    leg: Leg
    """The leg as data."""
    tip: Point
    """The point C that it reaches."""
    motion: LegMotion
    """The leg in motion."""
    inertias: tuple[tuple[Inertia, ...], ...]
    """Inertias of its bodies, element by element."""
    rotors: ca.SX
    """Inertia of each of its rotors as the joint feels it."""
    gravity: ca.SX
    """Acceleration of free fall in base axes [m/s^2]."""
    joints: dict[int, Friction]
    """Friction of the root joint of element m, where it is passive."""
    sign: Sign
    """The sign of a rate in Coulomb friction."""

    def frictions(self) -> Frictions:
        """Return the relative rate and the force of every passive joint that has friction."""
        return [
            braked
            for m, friction in self.joints.items()
            for braked in root_friction(self.leg.elements[m], self.motion.elements[m], friction, self.sign)
        ]

    def bodies(self) -> Rest:
        """Return every body with its frame."""
        return [
            (inertia, element_frame(motion, body.part))
            for element, motion, inertias in zip(self.leg.elements, self.motion.elements, self.inertias, strict=True)
            for body, inertia in zip(element.bodies, inertias, strict=True)
        ]

    def part(self, element: int, part: str) -> Inertia:
        """Return the bodies of one part of an element as one."""
        bodies = zip(self.leg.elements[element].bodies, self.inertias[element], strict=True)
        return sum((inertia for body, inertia in bodies if body.part == part), NOTHING)


@dataclass(frozen=True)
class ReducedLeg:
    """A leg seen from its tip C. Rotors are in `drive_force` and `M`."""

    f: ca.SX
    """The force at C that the leg needs besides its tip mass, but for a part along j that is in `drive_force` [N]."""
    drive_force: ca.SX
    """What each of its drives supplies by itself [N or N m]."""
    M: ca.SX
    """The mass matrix of C, without the tip mass [kg]."""
    tip_mass: ca.SX = field(default_factory=lambda: ca.SX(0))
    """A point mass at C that the platform takes over [kg]."""
    rest: Rest = field(default_factory=Rest)
    """Bodies, or what is left of them, that are in none of these."""
    frictions: Frictions = field(default_factory=Frictions)
    """Joints with friction that are in none of these."""


def remaining(*bodies: tuple[Inertia, Frame]) -> Rest:
    """Return the bodies of which anything is left; symbols count as something."""
    return [
        (inertia, frame)
        for inertia, frame in bodies
        if not (inertia.m.is_zero() and inertia.h.is_zero() and inertia.I.is_zero())
    ]


def unreduced(loaded: LoadedLeg) -> ReducedLeg:
    """Return a leg that no law of regrouping covers: rotors, and every body for itself."""
    motion = loaded.motion
    M = motion.j.T @ ca.diag(loaded.rotors) @ motion.j if motion.j.shape[0] else ca.SX(3, 3)
    return ReducedLeg(
        ca.SX.zeros(3), loaded.rotors * motion.q_ddot, M, rest=loaded.bodies(), frictions=loaded.frictions()
    )


def without_mass(inertia: Inertia) -> Inertia:
    """Return what is left of a body when its mass was counted at the origin of its frame."""
    return Inertia(ca.SX(0), inertia.h, inertia.I)
