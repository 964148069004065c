"""An element with one driven coordinate c, then a bar: arms and rails.

The elbow A moves with v_A = c_dot t: t = z x e, |t| = d_1, for an arm with its elbow at e, t = u for a rail. With the
bar as two mass points and a' = a - g, the drive's own force and the force at the tip are

    drive_force = (I_0 + AA t·t + rotor) c_ddot - G - AA t·g + t·(AB a'_C)          f = AB^T a'_A

where I_0 is the driven element's inertia and G the work of gravity on it, most of it along t as all the others. BB
stands at the tip: the platform's.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from parakin.dynamics.inertia import Inertia
from parakin.dynamics.two_points import two_points
from parakin.dynamics.virtual_work.reduced import LoadedLeg, ReducedLeg, Rest, remaining, unreduced, without_mass
from parakin.kinematics.bodies import element_frame
from parakin.spatial import skew


@dataclass(frozen=True)
class Driven:
    """The driven first element of a leg as its coordinate c moves it; gravity does the work mass t·g + other on it."""

    inertia: ca.SX
    """What resists c_ddot [kg m^2 or kg]."""
    mass: ca.SX
    """Mass, counted at the elbow, on which gravity works along t [kg]."""
    other: ca.SX
    """The rest of the work of gravity [N m or N]."""
    t: ca.SX
    """The elbow's velocity per rate, v_A = c_dot t [m or 1]."""
    t_squared: float
    """|t|^2, which is constant [m^2 or 1]."""
    drift: ca.SX
    """The elbow's acceleration but for c_ddot: a_A = c_ddot t + drift [m/s^2]."""


def arm(loaded: LoadedLeg) -> ReducedLeg:
    """Reduce a leg whose first element turns about z: it shows I_zz of the arm, and gravity on h_x and h_y."""
    element = loaded.leg.elements[0]
    if element.actuator is None or not _bar_fits(loaded):
        return unreduced(loaded)
    assert element.length is not None
    body = loaded.part(0, "root")
    motion = loaded.motion.elements[0]
    e, g, d = motion.line.r, loaded.gravity, element.length
    t = ca.cross(motion.frame.R[:, 2], e)
    rate = element.actuator.sign * loaded.motion.q_dot
    other = -(body.h[1] / d) * ca.dot(g, e)
    return _reduced(loaded, Driven(body.I[2, 2], body.h[0] / d, other, t, d**2, -(rate**2) * e))


def rail(loaded: LoadedLeg) -> ReducedLeg:
    """Reduce a leg whose first element slides along u: it shows the mass of the carriage."""
    element = loaded.leg.elements[0]
    if element.actuator is None or not _bar_fits(loaded):
        return unreduced(loaded)
    mass = loaded.part(0, "tip").m
    u = loaded.motion.elements[0].line.x
    return _reduced(loaded, Driven(mass, mass, ca.SX(0), u, 1.0, ca.SX.zeros(3)))


def _bar_fits(loaded: LoadedLeg) -> bool:
    """A bar on a revolute joint is a mass form if its axis is the arm's own."""
    joint = loaded.leg.elements[1].joint
    if joint.type != "revolute":
        return True
    return loaded.leg.elements[0].type == "bar" and joint.axis is not None and abs(joint.axis[2]) == 1.0


def _reduced(loaded: LoadedLeg, driven: Driven) -> ReducedLeg:
    bar, motion = loaded.leg.elements[1], loaded.motion.elements[1]
    actuator = loaded.leg.elements[0].actuator
    assert actuator is not None and bar.length is not None  # noqa: PT018
    body, ring = loaded.part(1, "root"), loaded.part(1, "ring")
    planar = bar.joint.type == "revolute"
    form = two_points(body, bar.length, sense=1.0 if planar else 0.0)
    at_elbow = form.AA + ring.m
    g, t = loaded.gravity, driven.t
    off = form.off * skew(motion.frame.R[:, 2]) if planar else ca.SX(3, 3)
    AB = form.AB * ca.SX.eye(3) + off
    c_ddot = actuator.sign * loaded.motion.q_ddot
    inertia = driven.inertia + at_elbow * driven.t_squared + loaded.rotors
    coupling = AB.T @ t
    weight = (driven.mass + at_elbow + form.AB) * ca.dot(t, g) + driven.other + ca.dot(off.T @ t, g)
    drive_force = inertia * c_ddot + ca.dot(coupling, loaded.tip.a) - weight
    f = AB.T @ (c_ddot * t + driven.drift - g)
    half = inertia / 2 * (actuator.sign * loaded.motion.j.T) + coupling
    M = actuator.sign * loaded.motion.j.T @ half.T
    rest: Rest = []
    if motion.ring is not None:
        rest.append((_left_out(body), element_frame(motion, "root")))
        rest.append((without_mass(ring), element_frame(motion, "ring")))
    return ReducedLeg(f, actuator.sign * drive_force, M + M.T, form.BB, remaining(*rest), loaded.frictions())


def _left_out(bar: Inertia) -> Inertia:
    """What two points do not see of a bar on a universal joint, which forces a spin and turns it about y too."""
    across = bar.I[2, 2]
    return Inertia(ca.SX(0), ca.vertcat(0, bar.h[1:]), bar.I - ca.diag(ca.vertcat(0, across, across)))
