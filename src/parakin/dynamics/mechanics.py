"""What every formulation starts from: the robot in motion, its parameters, what it carries and what acts on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import casadi as ca

from parakin.description import Leg, RobotDescription, expanded_legs
from parakin.description.attachments import turns_inside
from parakin.description.patterns import described, pattern_of
from parakin.dynamics.inertia import Inertia
from parakin.dynamics.parameter_symbols import Friction, Parameters, inertia_of, sorted_parameters, values_of
from parakin.dynamics.parameters import parameters_of
from parakin.dynamics.payload import Payload
from parakin.errors import UnsupportedRobotError
from parakin.kinematics.bodies import Frame, body_frames, cross_frames, platform_frame
from parakin.linalg.solve import solve_least_squares, solve_minimum_norm

if TYPE_CHECKING:
    from parakin.kinematics.robot_motion import RobotMotion

Sign = Callable[[ca.SX], ca.SX]
"""The function that takes the place of sign(rate) in Coulomb friction."""


@dataclass(frozen=True)
class Acting:
    """What acts on a robot besides its drives and gravity, and how its laws are read."""

    wrench: ca.SX | None = None
    """External force on the platform, conjugate to its velocity [N, N m]."""
    weights: ca.SX | None = None
    """Weights of a redundant robot's actuators, whose forces minimise the sum of weight tau^2."""
    sign: Sign = ca.sign
    """The sign of a rate in Coulomb friction; 0 at rest."""


@dataclass(frozen=True)
class Mechanics:
    """A robot, its motion, its parameters and its load: all that a formulation needs. Built by `mechanics` alone."""

    description: RobotDescription
    """The robot file."""
    legs: tuple[Leg, ...]
    """Its legs, written out."""
    moving: RobotMotion
    """Everything that moves."""
    parameters: Parameters
    """Inertias and friction, of numbers or of symbols."""
    payload: Inertia | None
    """What the platform carries, about E in its axes."""
    gravity: ca.SX
    """Acceleration of free fall in base axes [m/s^2]."""
    acting: Acting
    """What else acts on it."""

    @property
    def bodies(self) -> list[tuple[Inertia, Frame]]:
        """Every body with its frame, in the order of body_names; the payload last."""
        frames = body_frames(self.moving, self.description)
        bodies = list(zip(self.parameters.bodies, frames, strict=True))
        return bodies if self.payload is None else [*bodies, (self.payload, self.platform_frame)]

    @property
    def crosses(self) -> list[tuple[Inertia, Frame]]:
        """The crosses between legs and platform that have mass, with their frames."""
        first = sum(len(element.bodies) for leg in self.legs for element in leg.elements)
        frames = cross_frames(self.moving, self.description)
        return list(zip(self.parameters.bodies[first : first + len(frames)], frames, strict=True))

    @property
    def platform_bodies(self) -> list[tuple[Inertia, Frame]]:
        """The crosses between legs and platform, the bodies of the platform, and the payload, with their frames."""
        return self.bodies[sum(len(element.bodies) for leg in self.legs for element in leg.elements) :]

    @property
    def platform_frame(self) -> Frame:
        """The frame E in motion."""
        return platform_frame(self.moving.platform)


@dataclass(frozen=True)
class Forces:
    """What a formulation gives."""

    tau: ca.SX
    """The actuators' forces [N or N m]."""
    pivot: ca.SX
    """A number that is zero where the matrix that gives tau is singular, for models that know no pose to judge by."""


Formulation = Callable[[Mechanics], Forces]
"""A way from a robot's mechanics to its actuator forces."""


def mechanics(
    description: RobotDescription,
    payload: Payload | ca.SX | None,
    p: ca.SX | None = None,
    acting: Acting | None = None,
    gravity: ca.SX | None = None,
) -> Mechanics:
    """Build the mechanics of a robot: the one door from a description and a payload to dynamics.

    payload: numbers, ten symbols about E (in the order of BODY_UNITS), or None for an empty hand; it has no default, so
    that nobody forgets it. p: symbols of the robot's parameters in the order of `parameters_of(description, payload)`,
    those of a payload of numbers with mass included; the file's values by default. gravity: the file's by default.
    """
    from parakin.kinematics.robot_motion import robot_motion

    count = len(parameters_of(description, None))
    carried = payload if isinstance(payload, ca.SX) else None
    if isinstance(payload, Payload) and payload.mass:
        carried = ca.SX(ca.DM(payload.about_E)) if p is None else p[count:]
    known = values_of(parameters_of(description, None)) if p is None else p[:count]
    return Mechanics(
        description,
        expanded_legs(description),
        robot_motion(description),
        sorted_parameters(description, known),
        None if carried is None else inertia_of(carried),
        ca.SX(ca.DM(description.gravity)) if gravity is None else gravity,
        acting or Acting(),
    )


def refuse_turns_inside(mechanics: Mechanics, formulation: str, solved_as: str | None = None) -> None:
    """Raise UnsupportedRobotError for a robot whose legs turn inside; only those of one pattern where that is given."""
    for leg in mechanics.legs:
        if turns_inside(leg) and solved_as in (None, pattern_of(leg)):
            reason = f"{formulation} does not know legs that turn inside ({leg.name}: {described(leg)})"
            raise UnsupportedRobotError(
                mechanics.description.name, f"{reason}; use virtual-work, body-by-body or kinematic-elements"
            )


def refuse_attachments(mechanics: Mechanics, model: str) -> None:
    """Raise UnsupportedRobotError for a robot with friction or crosses at its platform, or friction inside elements."""
    if mechanics.parameters.attachments or mechanics.parameters.inside or mechanics.crosses:
        reason = f"{model} knows no friction inside elements, and no friction and no crosses between legs and platform"
        raise UnsupportedRobotError(mechanics.description.name, f"{reason}; ask for forces at a pose instead")


def frictionless(mechanics: Mechanics) -> Mechanics:
    """Return the robot without friction."""
    nothing = Friction(ca.SX(0), ca.SX(0))
    known = mechanics.parameters
    parameters = replace(
        known,
        actuators=tuple(nothing for _ in known.actuators),
        joints=dict.fromkeys(known.joints, nothing),
        attachments=dict.fromkeys(known.attachments, nothing),
        inside=dict.fromkeys(known.inside, nothing),
    )
    return replace(mechanics, parameters=parameters)


def weightless(mechanics: Mechanics) -> Mechanics:
    """Return the robot without gravity."""
    return replace(mechanics, gravity=ca.SX(3, 1))


def actuator_forces(J_qv: ca.SX, f: ca.SX, drive_force: ca.SX, weights: ca.SX | None = None) -> Forces:
    """Return tau with J_qv^T tau = f + J_qv^T drive_force.

    f is what the platform asks for, drive_force what each drive needs for itself; both may have several columns, each a
    case by itself. With as many actuators as degrees of freedom tau = drive_force + J_qv^-T f; with more it is, of all
    tau, the one with the least sum of weight tau^2.
    """
    actuators, freedom = J_qv.shape
    if actuators == freedom:
        tau, pivot = solve_least_squares(J_qv.T, f)
        return Forces(tau + drive_force, pivot)
    return Forces(*solve_minimum_norm(J_qv, f + J_qv.T @ drive_force, weights))
