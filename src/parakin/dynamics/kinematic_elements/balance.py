"""Steps 5 and 6: dynamic coordinates, dynamic constraints and their linear solution, [Ozgur2013] eq. (52) to (65)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import casadi as ca

from parakin.description.patterns import pattern_of
from parakin.dynamics.actuation import actuator_forces
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
from parakin.dynamics.mechanics import Forces, Mechanics
from parakin.kinematics.bodies import element_frame, platform_frame, platform_frames
from parakin.kinematics.elements import ElementMotion
from parakin.kinematics.platform import PlatformMotion
from parakin.kinematics.solve import solve_least_squares


@dataclass(frozen=True)
class Balance:
    """The implicit model A Gamma + b = 0, [Ozgur2013] eq. (58)."""

    A: ca.SX
    b: ca.SX


def tau(mechanics: Mechanics) -> Forces:
    """The actuators' forces of a robot whose pose is known."""
    return solved(balance(mechanics, elements_of(mechanics.moving)), mechanics.acting.weights)


def solved(balance: Balance, weights: ca.SX | None = None) -> Forces:
    """Gamma = -A^+ b, [Ozgur2013] eq. (59): elimination with pivoting, or QR for more or fewer rows than actuators."""
    rows, actuators = balance.A.shape
    if rows > actuators:
        gamma, pivot = solve_least_squares(balance.A, -balance.b)
        return Forces(gamma, pivot)
    return actuator_forces(balance.A.T, -balance.b, ca.SX.zeros(actuators), weights)


def balance(mechanics: Mechanics, elements: Elements) -> Balance:
    """A = sum M^T row^T over the actuators, b = sum M^T F over the legs and what acts on the platform."""
    platform = elements.platform
    b = _platform(mechanics, platform)
    columns: list[ca.SX] = []
    bodies = iter(mechanics.parameters.bodies)
    for k, (leg, motions) in enumerate(zip(mechanics.legs, elements.legs, strict=True)):
        M = constraints_of(leg, motions, elements.M_C[k], platform.W)
        coordinates = coordinates_of(motions, pattern_of(leg) == "shaft")
        efforts = _body_efforts(mechanics, k, motions, coordinates, bodies)
        for m, element in enumerate(leg.elements):
            motion, own = motions[m], coordinates[m]
            if element.actuator is not None:
                joint = driven_joint(element, m, motion, own)
                efforts.append(joint.row.T * actuator_force(mechanics, len(columns), joint))
                columns.append(M.T @ joint.row.T)
            efforts += [row.T * force for row, force in joint_friction(mechanics, (k, m), motion, own)]
        b += M.T @ sum(efforts, ca.SX(M.shape[0], 1))
    return Balance(ca.densify(ca.horzcat(*columns)), ca.densify(b))


def _body_efforts(
    mechanics: Mechanics,
    k: int,
    motions: tuple[ElementMotion, ...],
    coordinates: list[Coordinates],
    bodies: Iterator[Inertia],
) -> list[ca.SX]:
    """Gravity and inertia of a leg's bodies on its motion basis: V^T f + W^T moment, [Ozgur2013] eq. (52)."""
    found: list[ca.SX] = []
    for element, motion, own in zip(mechanics.legs[k].elements, motions, coordinates, strict=True):
        for body in element.bodies:
            frame = element_frame(motion, body.part)
            inertia = in_base_axes(next(bodies), element, motion, body.part, frame)
            V, W = _partial(motion, own, body.part)
            for wrench in (gravity_force(inertia, mechanics.gravity), inertia_force(inertia, frame)):
                found.append(V.T @ wrench.F + W.T @ wrench.N)
    return found


def _partial(motion: ElementMotion, own: Coordinates, part: str) -> tuple[ca.SX, ca.SX]:
    """Kinematic coordinates of a body: of its frame's origin, and of its angular velocity."""
    if part == "ring":
        assert motion.ring is not None
        return own.V_A, own.W_ring(motion.ring.R[:, 0])
    return own.V_B if part == "tip" else own.V_A, own.W


def _platform(mechanics: Mechanics, platform: PlatformMotion) -> ca.SX:
    """Gravity and inertia of the platform or nacelle, payload and wrench.

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
        seen = turned(inertia, frame.spin.R)
        for wrench in (gravity_force(seen, mechanics.gravity), inertia_force(seen, frame)):
            b += V.T @ wrench.F + W.T @ wrench.N
    return b
