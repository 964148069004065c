"""The platform with all that it carries, as one body."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from parakin.dynamics.inertia import NOTHING, Inertia, point_mass
from parakin.dynamics.mechanics import Mechanics
from parakin.spatial import vector


def platform_inertia(mechanics: Mechanics, tip_masses: Sequence[ca.SX] = ()) -> Inertia:
    """All bodies of the platform, the payload, and masses at the tips of the legs, if given, about E.

    c moves nothing: a point p_OE + R b + c has the velocity of p_OE + R b. A body that does not turn is a point mass.
    """
    total = NOTHING
    first = len(mechanics.parameters.bodies) - len(mechanics.description.platform.bodies)
    for body, inertia in zip(mechanics.description.platform.bodies, mechanics.parameters.bodies[first:], strict=True):
        total += inertia if body.turns else point_mass(inertia.m, ca.SX(ca.DM(body.b)))
    for leg, mass in zip(mechanics.legs, tip_masses, strict=bool(tip_masses)):
        total += point_mass(mass, vector(leg.attachment.b))
    return total if mechanics.acting.payload is None else total + mechanics.acting.payload
