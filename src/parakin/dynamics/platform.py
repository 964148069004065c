"""The platform with all that it carries, as one body."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from parakin.dynamics.inertia import Inertia, point_mass, together
from parakin.dynamics.mechanics import Mechanics
from parakin.spatial import vector


def platform_inertia(mechanics: Mechanics, tip_masses: Sequence[ca.SX] = ()) -> Inertia:
    """Return all bodies of the platform, the payload, and masses at the tips of the legs, if given, as one about E.

    c moves nothing: a point p_OE + R b + c has the velocity of p_OE + R b. A body that does not turn is a point mass.
    """
    first = len(mechanics.parameters.bodies) - len(mechanics.description.platform.bodies)
    parts = [
        inertia if body.turns else point_mass(inertia.m, ca.SX(ca.DM(body.b)))
        for body, inertia in zip(
            mechanics.description.platform.bodies, mechanics.parameters.bodies[first:], strict=True
        )
    ]
    for leg, mass in zip(mechanics.legs, tip_masses, strict=bool(tip_masses)):
        parts.append(point_mass(mass, vector(leg.attachment.b)))
    return together(parts if mechanics.payload is None else [*parts, mechanics.payload])
