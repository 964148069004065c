"""What every formulation starts from: the robot in motion, its parameters, and what acts on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import casadi as ca

from parakin.description import RobotDescription, expanded_legs
from parakin.description.model import Leg
from parakin.dynamics.inertia import Inertia
from parakin.dynamics.parameters import Friction, Parameters, parameters_of, sorted_parameters
from parakin.kinematics.bodies import Frame, body_frames, platform_frame
from parakin.kinematics.model import RobotMotion, robot_motion

Sign = Callable[[ca.SX], ca.SX]
"""Of a rate, in Coulomb friction."""


@dataclass(frozen=True)
class Acting:
    """What acts on a robot besides its drives and gravity, and how its laws are read.

    payload: carried at E; wrench: external, conjugate to the platform's velocity; weights: of the actuators of a
    redundant robot, whose forces minimise the sum of weight tau^2; sign: of a rate, in Coulomb friction (0 at rest).
    """

    payload: Inertia | None = None
    wrench: ca.SX | None = None
    weights: ca.SX | None = None
    sign: Sign = ca.sign


@dataclass(frozen=True)
class Mechanics:
    """A robot, its motion and its parameters."""

    description: RobotDescription
    legs: tuple[Leg, ...]
    moving: RobotMotion
    parameters: Parameters
    gravity: ca.SX
    acting: Acting

    @property
    def bodies(self) -> list[tuple[Inertia, Frame]]:
        """Every body with its frame, in the order of body_names; the payload last."""
        frames = body_frames(self.moving, self.description)
        found = list(zip(self.parameters.bodies, frames, strict=True))
        return found if self.acting.payload is None else [*found, (self.acting.payload, self.platform_frame)]

    @property
    def platform_bodies(self) -> list[tuple[Inertia, Frame]]:
        """Those of the platform, and the payload."""
        return self.bodies[sum(len(element.bodies) for leg in self.legs for element in leg.elements) :]

    @property
    def platform_frame(self) -> Frame:
        return platform_frame(self.moving.platform)


@dataclass(frozen=True)
class Forces:
    """What a formulation gives: the actuators' forces, and a pivot that is zero where the platform is singular."""

    tau: ca.SX
    pivot: ca.SX


Formulation = Callable[[Mechanics], Forces]


def mechanics(description: RobotDescription, p: ca.SX | None = None, acting: Acting | None = None) -> Mechanics:
    """p: the robot's parameters as symbols; those of its file by default."""
    if p is None:
        p = ca.SX(ca.DM([parameter.value for parameter in parameters_of(description)]))
    return Mechanics(
        description,
        expanded_legs(description),
        robot_motion(description),
        sorted_parameters(description, p),
        ca.SX(ca.DM(description.gravity)),
        acting or Acting(),
    )


def frictionless(mechanics: Mechanics) -> Mechanics:
    """The same robot without friction."""
    nothing = Friction(ca.SX(0), ca.SX(0))
    known = mechanics.parameters
    parameters = replace(
        known, actuators=tuple(nothing for _ in known.actuators), joints=dict.fromkeys(known.joints, nothing)
    )
    return replace(mechanics, parameters=parameters)


def weightless(mechanics: Mechanics) -> Mechanics:
    """The same robot without gravity."""
    return replace(mechanics, gravity=ca.SX(3, 1))
