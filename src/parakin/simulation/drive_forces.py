"""Forces between motor, spring, bristles and joint, and the pull of a cable, as expressions for the plant.

A bristle's bend follows from how far the drive went since it was last known, not from how long that took:

    dz/dx = 1 - s z/z_s,   z_s = g(v)/sigma_0,   s = sgn(x - x_0)   so   z = s z_s + (z_0 - s z_s) e^(-|x - x_0|/z_s)

is exact for a constant z_s. Integrated over time, z has the rate constant |v|/z_s, 20,000/s at 10 rad/s and 0.5 mrad,
for which explicit steps would have to be 50 us and shorter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from parakin.dynamics.friction import smooth_sign
from parakin.motions import MotionType
from parakin.simulation.imperfections import Effects

Symbols = dict[str, ca.SX]
"""Symbols by the names of their signals."""


@dataclass(frozen=True)
class JointState:
    """Joints that drives act on, as expressions."""

    q: ca.SX
    """Positions [rad or m]."""
    q_dot: ca.SX
    """Rates [rad/s or m/s]."""
    turning: Sequence[bool]
    """Which positions are angles, whose differences are told modulo a turn."""


@dataclass(frozen=True)
class DriveForces:
    """What drives do at a moment."""

    on_joints: ca.SX
    """Force on each joint [N or N m]."""
    motor_acceleration: ca.SX | None
    """Acceleration of each motor, as its joint feels it; None where drives are rigid."""
    bristle: ca.SX | None
    """Bend of the bristles of each drive [rad or m]; None without stiction."""
    slid: ca.SX | None
    """Position up to which that is known [rad or m]."""


def drive_symbols(effects: Effects, count: int) -> Symbols:
    """Return symbols of what drives need besides the state of the robot, by the names of their signals."""
    moving = ("stage_motor", "stage_motor_rate") if effects.elastic else ()
    bristles = ("bristle", "slid") if effects.stiction else ()
    names = (*moving, *bristles, *effects.drive_numbers)
    smooth = {"smoothing": ca.SX.sym("motor_smoothing")} if effects.elastic and not effects.stiction else {}
    return {name: ca.SX.sym(name, count) for name in names} | smooth


def drive_forces(effects: Effects, x: Symbols, tau: ca.SX, joints: JointState) -> DriveForces:
    """Return what drives do under motor forces tau; x: the symbols of `drive_symbols`."""
    turning = joints.turning
    position, rate = (x["stage_motor"], x["stage_motor_rate"]) if effects.elastic else (joints.q, joints.q_dot)
    driving, bristle = tau, None
    if effects.ripple:
        driving = driving + x["ripple"] * ca.sin(x["ripple_waves"] * position + x["ripple_phase"])
    if effects.stiction:
        bristle = _bristle(x, _short_way(position - x["slid"], turning), rate)
        driving = driving - _bristle_force(x, bristle, rate)
    if not effects.elastic:
        return DriveForces(driving, None, bristle, position if effects.stiction else None)
    driving = driving - x["motor_viscous"] * rate
    if not effects.stiction:
        driving = driving - x["motor_coulomb"] * smooth_sign(rate, x["smoothing"])
    spring = _spring(effects, x, _short_way(position - joints.q, turning), rate - joints.q_dot)
    slid = position if effects.stiction else None
    return DriveForces(spring, (driving - spring) / x["motor_inertia"], bristle, slid)


def _spring(effects: Effects, x: Symbols, twist: ca.SX, twist_rate: ca.SX) -> ca.SX:
    """Return the force of springs; with a dead zone they push on whichever side they touch, and never pull."""
    damping = x["damping"] * twist_rate
    linear = x["stiffness"] * twist + damping
    if not effects.backlash:
        return linear
    half = x["backlash"] / 2
    above = ca.fmax(x["stiffness"] * (twist - half) + damping, 0)
    below = ca.fmin(x["stiffness"] * (twist + half) + damping, 0)
    pushing = ca.if_else(twist > half, above, ca.if_else(twist < -half, below, 0))
    return ca.if_else(x["backlash"] > 0, pushing, linear)


def _sliding_force(x: Symbols, rate: ca.SX) -> ca.SX:
    """Return g(v), the friction force of steady sliding."""
    return x["sliding"] + (x["breakaway"] - x["sliding"]) * ca.exp(-((rate / x["stribeck_speed"]) ** 2))


def _bristle(x: Symbols, gone: ca.SX, rate: ca.SX) -> ca.SX:
    """Return the bend of bristles after a drive has gone so far."""
    most = _sliding_force(x, rate) / x["bristle_stiffness"]
    steady = ca.sign(gone) * most
    return steady + (x["bristle"] - steady) * ca.exp(-ca.fabs(gone) / most)


def _bristle_force(x: Symbols, bristle: ca.SX, rate: ca.SX) -> ca.SX:
    """Return sigma_0 z + sigma_1 z_dot."""
    bent = x["bristle_stiffness"] * bristle
    return bent + x["bristle_damping"] * (rate - ca.fabs(rate) * bent / _sliding_force(x, rate))


def _short_way(difference: ca.SX, turning: Sequence[bool]) -> ca.SX:
    """Return differences of angles within half a turn: formulas of legs give angles from -pi to pi."""
    turns = ca.SX(ca.DM([2 * math.pi if turns else 0.0 for turns in turning]))
    return difference - turns * ca.floor(difference / (2 * math.pi) + 0.5)


def cable_wrench(motion: MotionType, pose: ca.SX, cable: ca.SX) -> ca.SX:
    """Return what a cable does to a platform, conjugate to its velocity.

    f = tension (anchor - p)/distance,  p = p_OE + R_OE point,        wrench = L^T f + W^T (R_OE point x f)
    """
    anchor, point, stiffness, length, pull = cable[:3], cable[3:6], cable[6], cable[7], cable[8]
    lever = motion.rotation(pose) @ point
    apart = anchor - motion.position(pose) - lever
    distance = ca.sqrt(ca.sumsqr(apart))
    tension = pull + stiffness * ca.fmax(distance - length, 0)
    force = ca.if_else(distance > 0, apart * (tension / ca.if_else(distance > 0, distance, 1)), 0)
    L, W = motion.twist_maps()
    return L.T @ force + W.T @ ca.cross(lever, force)
