"""What parts of a scene are for, and the colour that each role has on light and on dark ground.

Colours are those of Okabe and Ito, or greys, which colour-blind readers tell apart: what is driven is warm, what
follows is blue, what is carried is green.
"""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """What a part is for."""

    BASE = "base"
    """The frame that stands still."""
    MOTOR = "motor"
    """A motor that turns a joint."""
    ARM = "arm"
    """A link that a motor turns."""
    LINK = "link"
    """A link that follows."""
    ROD = "rod"
    """A rod between two balls, or one of a parallelogram's two."""
    CYLINDER = "cylinder"
    """The outer part of a strut whose length is driven."""
    PISTON = "piston"
    """The inner part of a strut."""
    RAIL = "rail"
    """What a carriage slides on."""
    CARRIAGE = "carriage"
    """What slides on a rail."""
    PIN = "pin"
    """The axis of a hinge."""
    CROSS = "cross"
    """An arm of the cross of a universal joint."""
    BALL = "ball"
    """The ball of a spherical joint."""
    PLATFORM = "platform"
    """The platform."""
    NACELLE = "nacelle"
    """A part of an articulated platform."""
    TOOL = "tool"
    """What the robot works with."""
    MASS = "mass"
    """A centre of mass; hidden unless asked for."""


COLOURS: dict[Role, tuple[str, str]] = {
    Role.BASE: ("#6B7280", "#8B93A1"),
    Role.MOTOR: ("#E69F00", "#F2B632"),
    Role.ARM: ("#D55E00", "#EE7F2B"),
    Role.LINK: ("#0072B2", "#3D9BD6"),
    Role.ROD: ("#56B4E9", "#7CC8F2"),
    Role.CYLINDER: ("#D55E00", "#EE7F2B"),
    Role.PISTON: ("#B8C0CC", "#D5DBE3"),
    Role.RAIL: ("#4B5563", "#7A8494"),
    Role.CARRIAGE: ("#D55E00", "#EE7F2B"),
    Role.PIN: ("#374151", "#A6AFBD"),
    Role.CROSS: ("#374151", "#A6AFBD"),
    Role.BALL: ("#374151", "#A6AFBD"),
    Role.PLATFORM: ("#009E73", "#1FC296"),
    Role.NACELLE: ("#009E73", "#1FC296"),
    Role.TOOL: ("#CC79A7", "#E39BC2"),
    Role.MASS: ("#F0E442", "#F7EE78"),
}
"""Colour of each role on light ground and on dark ground."""
HIDDEN = frozenset({Role.MASS})
"""Roles that are drawn only if they are asked for."""
