"""Find the actuator forces from the encoders alone, for two arms in a plane whose bars meet: the five-bar.

Elbows follow by sine and cosine, the tip where two circles meet, on the side of home, with one square root; then
velocities and accelerations by linear systems with one determinant, which is the same that the forces along the bars
need. Bars are kept as s = d_2 x_2, not normalised: lengths join the constants.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import casadi as ca
import numpy as np

from parakin.description import Leg
from parakin.description.patterns import pattern_of
from parakin.dynamics.friction import friction_force
from parakin.dynamics.kinematic_elements.bar_legs import BarInertia, bar_inertias, reducible
from parakin.dynamics.kinematic_elements.reduced import Braking
from parakin.dynamics.mechanics import Mechanics
from parakin.dynamics.platform import platform_inertia
from parakin.errors.capabilities import TWO_ARMS
from parakin.kinematics.status import SMALLEST_LEG_PIVOT, Status
from parakin.motions import PLANAR_TRANSLATION


@dataclass(frozen=True)
class Measured:
    """What the encoders give, as symbols."""

    q: ca.SX
    """(actuators,) actuator positions [rad]."""
    q_dot: ca.SX
    """(actuators,) their rates [rad/s]."""
    q_ddot: ca.SX
    """(actuators,) their accelerations [rad/s^2]."""


def measured(mechanics: Mechanics) -> Measured:
    """Return new symbols for what the encoders of a robot give."""
    actuators = mechanics.parameters.rotors.shape[0]
    return Measured(*(ca.SX.sym(name, actuators) for name in ("q", "q_dot", "q_ddot")))


def refuse_others(mechanics: Mechanics) -> None:
    """Raise CapabilityError for all robots but the five-bar."""
    planar = mechanics.moving.motion == PLANAR_TRANSLATION
    if not planar or not reducible(mechanics) or any(pattern_of(leg) != "arm" for leg in mechanics.legs):
        raise TWO_ARMS.error(mechanics.description.name, "inverse_dynamics_from_encoders")


@dataclass(frozen=True)
class Encoded:
    """What is known from the encoders."""

    tau: ca.SX
    """(2,) actuator forces [N m]."""
    status: ca.SX
    """GOOD, SINGULAR or UNREACHABLE."""


@dataclass(frozen=True)
class Arm:
    """An arm in components of the plane."""

    sense: float
    """Sense of q about the base's z, +1 or -1."""
    reach: float
    """Length of the arm [m] with the sign of `sense`: B_dot = reach q_dot z x x."""
    x: ca.SX
    """(2,) unit vector along the arm."""
    q_dot: ca.SX
    """Rate of its actuator [rad/s]."""
    q_ddot: ca.SX
    """Acceleration of its actuator [rad/s^2]."""
    B: ca.SX
    """(2,) position of the elbow [m]."""
    B_dot: ca.SX
    """(2,) its velocity."""
    B_ddot: ca.SX
    """(2,) its acceleration."""


@dataclass(frozen=True)
class Tip:
    """The point C where the two bars meet."""

    s_1: ca.SX
    """(2,) vector from the first elbow to C [m]."""
    s_2: ca.SX
    """(2,) vector from the second elbow to C [m]."""
    levers: list[ca.SX]
    """For each arm reach (x x s)/(s_1 x s_2), by which C_dot follows from q_dot."""
    C_dot: ca.SX
    """(2,) velocity of C."""
    C_ddot: ca.SX
    """(2,) acceleration of C."""


def encoded(mechanics: Mechanics, state: Measured) -> Encoded:
    """Return the actuator forces of a five-bar from what its encoders say, on the assembly mode of home."""
    refuse_others(mechanics)
    one, two = (_arm(leg, k, state) for k, leg in enumerate(mechanics.legs))
    d_1, d_2 = (leg.elements[1].length or 0.0 for leg in mechanics.legs)

    # Circle meets circle: s_1 = (m D + side h z x D)/|D|^2, so that cross(s_1, s_2) = cross(D, s_1) = side h.
    D = two.B - one.B
    D_squared = ca.sumsqr(D)
    m = 0.5 * D_squared + 0.5 * (d_1**2 - d_2**2)
    room = d_1**2 * D_squared - m**2
    h = ca.sqrt(room)
    side = _side_of_home(mechanics)
    inverse = 1 / D_squared
    along, aside = m * inverse, side * h * inverse
    s_1 = ca.vertcat(along * D[0] - aside * D[1], along * D[1] + aside * D[0])
    s_2 = s_1 - D
    inverse_determinant = 1 / (side * h)

    # s·(C_dot - B_dot) = 0 and s·(C_ddot - B_ddot) + |s_dot|^2 = 0 for both bars.
    pairs = ((one, s_1), (two, s_2))
    levers = [(arm.reach * inverse_determinant) * cross(arm.x, s) for arm, s in pairs]
    C_dot = _meet(levers[0] * one.q_dot, levers[1] * two.q_dot, s_1, s_2)
    gains = [(ca.dot(s, arm.B_ddot) - ca.sumsqr(C_dot - arm.B_dot)) * inverse_determinant for arm, s in pairs]
    C_ddot = _meet(gains[0], gains[1], s_1, s_2)

    tau = _forces(mechanics, Tip(s_1, s_2, levers, C_dot, C_ddot), (one, two))
    singular = ca.logic_not(h > SMALLEST_LEG_PIVOT * d_1 * d_2)
    status = ca.if_else(room >= 0, ca.if_else(singular, Status.SINGULAR, Status.GOOD), Status.UNREACHABLE)
    return Encoded(tau, status)


def cross(a: ca.SX, b: ca.SX) -> ca.SX:
    """Return z·(a x b) of two vectors in the plane."""
    return a[0] * b[1] - a[1] * b[0]


def _meet(one: ca.SX, two: ca.SX, s_1: ca.SX, s_2: ca.SX) -> ca.SX:
    """Return v with s_1·v = one and s_2·v = two, where both are divided by cross(s_1, s_2) already."""
    return ca.vertcat(one * s_2[1] - two * s_1[1], two * s_1[0] - one * s_2[0])


def _arm(leg: Leg, k: int, state: Measured) -> Arm:
    """Return an arm at its encoder's angle, its root shifted so that both bars meet in E."""
    element = leg.elements[0]
    actuator = element.actuator
    assert actuator is not None and actuator.reference is not None  # noqa: PT018
    turn = _turn(leg)
    sense = turn * actuator.sign
    start = math.atan2(actuator.reference[1], actuator.reference[0]) + turn * actuator.zero
    reach = sense * (element.length or 0.0)
    root = np.array(leg.root) - np.array(leg.attachment.b) - np.array(leg.attachment.c)
    angle = sense * state.q[k] + start
    q_dot, q_ddot = state.q_dot[k], state.q_ddot[k]
    x = ca.vertcat(ca.cos(angle), ca.sin(angle))
    y = ca.vertcat(-x[1], x[0])
    swung = reach * q_dot
    B_ddot = (reach * q_ddot) * y - sense * (swung * q_dot) * x
    return Arm(sense, reach, x, q_dot, q_ddot, sense * reach * x + ca.DM(root[:2]), swung * y, B_ddot)


def _side_of_home(mechanics: Mechanics) -> float:
    """Return +1 or -1: on which side of the line from elbow to elbow the tip is at home, and stays."""
    moving = mechanics.moving
    B_1, B_2 = (leg.elements[1].line.A - point.p for leg, point in zip(moving.legs, moving.attachments, strict=True))
    side = ca.Function("side", [moving.pose], [cross(B_2 - B_1, -B_1)])
    return math.copysign(1.0, float(side(ca.DM(mechanics.description.workspace.home))))


def _forces(mechanics: Mechanics, tip: Tip, arms: tuple[Arm, Arm]) -> ca.SX:
    """Return the actuator forces as `reduced_tau` does, in components of the plane.

    [s_1 s_2] lambda = f at the tip, then one equation for each arm.
    """
    inertias = bar_inertias(mechanics)
    g, bars = mechanics.gravity[:2], (tip.s_1, tip.s_2)
    braking = [_braking(mechanics, k, arms[k], bars[k], tip.C_dot) for k in range(2)]
    m = platform_inertia(mechanics).m + inertias[0].bar.BB + inertias[1].bar.BB
    f, weight = m * tip.C_ddot, m * g
    for k, (inertia, braked) in enumerate(zip(inertias, braking, strict=True)):
        skew = _turn(mechanics.legs[k]) * inertia.bar.off
        f += inertia.bar.AB * arms[k].B_ddot + braked.force
        f += ca.vertcat(skew * arms[k].B_ddot[1], -skew * arms[k].B_ddot[0])
        weight += inertia.bar.AB * g + skew * ca.vertcat(g[1], -g[0])
    if mechanics.acting.wrench is not None:
        weight += mechanics.acting.wrench
    f = f - weight
    strains = (cross(f, tip.s_2) * tip.levers[0], cross(tip.s_1, f) * tip.levers[1])
    forces: list[ca.SX] = []
    for k, (arm, inertia, braked) in enumerate(zip(arms, inertias, braking, strict=True)):
        J = inertia.carried.I[2, 2] + mechanics.parameters.rotors[k] + inertia.bar.AA * arm.reach**2
        of_drive = J * arm.q_ddot + friction_force(mechanics.parameters.actuators[k], arm.q_dot, mechanics.acting.sign)
        pushed = ca.dot(arm.x, _push(arm, inertia, _turn(mechanics.legs[k]), tip.C_ddot, g))
        borne = of_drive + strains[k] + pushed - arm.sense * braked.about_axis
        forces.append(borne - arm.reach * cross(arm.x, braked.force))
    return ca.vertcat(*forces)


def _push(arm: Arm, inertia: BarInertia, turn: float, a_C: ca.SX, g: ca.SX) -> ca.SX:
    """Return u with x·u = reach y·(AB a_C + off z x a_C) and what gravity asks of the arm.

    By y·v = x·(v_y, -v_x) and y·(z x v) = x·v no y is needed.
    """
    bar, h = inertia.bar, inertia.carried.h
    k, kappa = arm.reach * bar.AB, arm.reach * turn * bar.off
    weight = arm.sense * h[0] + arm.reach * (bar.AA + bar.AB)
    lift = arm.sense * turn * h[1] - kappa
    return ca.vertcat(
        k * a_C[1] + kappa * a_C[0] + (lift * g[0] - weight * g[1]),
        kappa * a_C[1] - k * a_C[0] + (lift * g[1] + weight * g[0]),
    )


def _braking(mechanics: Mechanics, k: int, arm: Arm, s: ca.SX, C_dot: ca.SX) -> Braking:
    """Return the friction in an elbow, which acts on the bar's rate against the arm's, both about the base's z."""
    friction = mechanics.parameters.joints[k, 1]
    if friction.viscous.is_zero() and friction.coulomb.is_zero():
        return Braking(ca.SX(2, 1), ca.SX(0))
    squared = (mechanics.legs[k].elements[1].length or 0.0) ** 2
    relative = cross(s, C_dot - arm.B_dot) / squared - arm.sense * arm.q_dot
    moment = friction_force(friction, relative, mechanics.acting.sign)
    return Braking((moment / squared) * ca.vertcat(-s[1], s[0]), moment)


def _turn(leg: Leg) -> float:
    """Return the sense of an arm's axis along the base's z, +1 or -1."""
    axis = leg.elements[0].joint.axis
    assert axis is not None
    return math.copysign(1.0, axis[2])
