"""Balance all forces on the platform and solve for those of the actuators, [Ozgur2013] eq. (52) to (65).

Steps 5 and 6 of the paper: dynamic coordinates, dynamic constraints, and their linear solution.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import casadi as ca

from parakin.description.patterns import pattern_of
from parakin.dynamics.body_by_body import required_by_attachments
from parakin.dynamics.inertia import Inertia
from parakin.dynamics.kinematic_elements.constraints import constraints_of
from parakin.dynamics.kinematic_elements.coordinates import Coordinates, coordinates_of
from parakin.dynamics.kinematic_elements.elements import Elements, elements_of
from parakin.dynamics.kinematic_elements.local_forces import (
    actuator_force,
    driven_joint,
    gravity_force,
    in_base_axes,
    inertia_force,
    joint_friction,
    turned,
)
from parakin.dynamics.mechanics import Forces, Mechanics, actuator_forces
from parakin.kinematics.bodies import element_frame, platform_frame, platform_frames
from parakin.kinematics.elements import ElementMotion
from parakin.kinematics.platform import PlatformMotion
from parakin.linalg.solve import solve_least_squares


@dataclass(frozen=True)
class Balance:
    """The implicit model A Gamma + b = 0, [Ozgur2013] eq. (58)."""

    A: ca.SX
    """(freedom, actuators) what the force of each actuator does on the platform."""
    b: ca.SX
    """(freedom,) all other forces on the platform, those of bodies, rotors, friction and wrench."""


def tau(mechanics: Mechanics) -> Forces:
    """Return the actuator forces of a robot whose pose is known, A Gamma + b = 0.

    Friction and crosses between legs and platform are in no element: their share of b is taken by virtual work.
    """
    found = balance(mechanics, elements_of(mechanics.moving, mechanics.legs))
    return solved(replace(found, b=found.b - required_by_attachments(mechanics)), mechanics.acting.weights)


def solved(balance: Balance, weights: ca.SX | None = None) -> Forces:
    """Return Gamma = -A^+ b, [Ozgur2013] eq. (59).

    By elimination with pivoting, or by QR where there are more or fewer rows than actuators.
    """
    rows, actuators = balance.A.shape
    if rows > actuators:
        gamma, pivot = solve_least_squares(balance.A, -balance.b)
        return Forces(gamma, pivot)
    return actuator_forces(balance.A.T, -balance.b, ca.SX.zeros(actuators), weights)


def balance(mechanics: Mechanics, elements: Elements) -> Balance:
    """Return the balance of all forces on the platform.

    A has a column M^T row^T for each actuator; b is the sum of M^T F over the legs, and what acts on the platform.
    """
    platform = elements.platform
    b = _platform(mechanics, platform)
    columns: list[ca.SX] = []
    bodies = iter(mechanics.parameters.bodies)
    for k, (leg, motions) in enumerate(zip(mechanics.legs, elements.legs, strict=True)):
        M = constraints_of(leg, motions, elements.M_C[k], platform.W, elements.ends[k])
        coordinates = coordinates_of(motions, driven_carrier=pattern_of(leg) == "shaft")
        efforts = _body_efforts(mechanics, k, motions, coordinates, bodies)
        for m, element in enumerate(leg.elements):
            motion, element_coordinates = motions[m], coordinates[m]
            if element.actuator is not None:
                joint = driven_joint(element, m, motion, element_coordinates)
                efforts.append(joint.row.T * actuator_force(mechanics, len(columns), joint))
                columns.append(M.T @ joint.row.T)
            frictions = joint_friction(mechanics, (k, m), motion, element_coordinates)
            efforts += [row.T * force for row, force in frictions]
        b += M.T @ sum(efforts, ca.SX(M.shape[0], 1))
    return Balance(ca.densify(ca.horzcat(*columns)), ca.densify(b))


def _body_efforts(
    mechanics: Mechanics,
    k: int,
    motions: tuple[ElementMotion, ...],
    coordinates: list[Coordinates],
    bodies: Iterator[Inertia],
) -> list[ca.SX]:
    """Return gravity and inertia of a leg's bodies on its motion basis: V^T f + W^T moment, [Ozgur2013] eq. (52)."""
    efforts: list[ca.SX] = []
    for element, motion, element_coordinates in zip(mechanics.legs[k].elements, motions, coordinates, strict=True):
        for body in element.bodies:
            frame = element_frame(motion, body.part)
            inertia = in_base_axes(next(bodies), element, motion, body.part, frame)
            V, W = _partial(motion, element_coordinates, body.part)
            for wrench in (gravity_force(inertia, mechanics.gravity), inertia_force(inertia, frame)):
                efforts.append(V.T @ wrench.F + W.T @ wrench.N)
    return efforts


def _partial(motion: ElementMotion, coordinates: Coordinates, part: str) -> tuple[ca.SX, ca.SX]:
    """Return V and W of a body: velocity of its frame's origin = V u, angular velocity = W u."""
    if part == "ring":
        assert motion.ring is not None
        return coordinates.V_A, coordinates.W_ring(motion.ring.R[:, 0])
    return (coordinates.V_B, coordinates.W_tip) if part == "tip" else (coordinates.V_A, coordinates.W)


def _platform(mechanics: Mechanics, platform: PlatformMotion) -> ca.SX:
    """Return gravity and inertia of the platform or nacelle, payload and wrench, as a force on the platform.

    [Ozgur2013] sec. 3.2 shares the platform's mass among the legs; the sum over the shares is this.
    """
    b = ca.SX(platform.L.shape[1], 1) if mechanics.acting.wrench is None else mechanics.acting.wrench
    bodies = mechanics.description.platform.bodies
    inertias = list(mechanics.parameters.bodies[len(mechanics.parameters.bodies) - len(bodies) :])
    frames = platform_frames(platform, mechanics.description)
    jacobians = [
        (platform.L, platform.W) if body.turns else (platform.point(body.b, body.c).M, 0 * platform.W)
        for body in bodies
    ]
    if mechanics.payload is not None:
        inertias.append(mechanics.payload)
        frames.append(platform_frame(platform))
        jacobians.append((platform.L, platform.W))
    for inertia, frame, (V, W) in zip(inertias, frames, jacobians, strict=True):
        in_base = turned(inertia, frame.spin.R)
        for wrench in (gravity_force(in_base, mechanics.gravity), inertia_force(in_base, frame)):
            b += V.T @ wrench.F + W.T @ wrench.N
    return b
