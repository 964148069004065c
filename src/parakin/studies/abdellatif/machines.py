"""PaLiDA, and machines of other proportions: how far apart its joints are, and how far below the frame it works."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from parakin.robot import Robot, load


@dataclass(frozen=True)
class Proportions:
    """How a machine differs from the library's PaLiDA."""

    base: float = 1.0
    """Factor on the radius of the base joints."""
    platform: float = 1.0
    """Factor on the radius of the platform joints."""
    height: float = 1.0
    """Factor on the height between base and platform at home."""


GEOMETRIES: Mapping[str, Proportions] = {
    "as assumed": Proportions(),
    "wide and low": Proportions(base=1.3, height=0.85),
    "wide, small platform": Proportions(base=1.3, platform=0.6),
    "narrow and tall": Proportions(base=0.75, height=1.15),
    "narrow and low, large platform": Proportions(base=0.75, platform=1.4, height=0.85),
}
"""The machines compared, by name: PaLiDA as the library assumes it, and four others."""

ASSUMED = next(iter(GEOMETRIES))
"""Name of PaLiDA as the library assumes it."""
RULES = ("equal margin", "equal noise")
"""The two ways to choose the gains of decoupling: the delay margin of feedforward, or its force noise."""
RAMPS = (0.25, 0.05)
"""Parts of a turn on which the speed rises, and on which it falls, one value for each run."""


@dataclass(frozen=True)
class Setup:
    """One configuration of the apparatus: a machine, a rule of tuning, and a way into the circle."""

    machine: str
    """Name of the machine, one of GEOMETRIES."""
    rule: str
    """How decoupling is tuned, one of RULES."""
    ramp: float
    """Part of a turn on which the speed rises, one of RAMPS."""


SETUPS = {
    f"{machine}, {rule}, ramps of {ramp:g} turns": Setup(machine, rule, ramp)
    for machine in GEOMETRIES
    for rule in RULES
    for ramp in RAMPS
}
"""All configurations by name."""


def machine(proportions: Proportions) -> Robot:
    """Return PaLiDA with other proportions, and masses, drives and box as they are.

    The zero of the drives moves with the length of the struts, so that their coordinates at home stay what they were.
    """
    robot = load("palida")
    if proportions == Proportions():
        return robot
    tables = robot.description.model_dump(exclude_defaults=True)
    legs = [_leg(leg, proportions) for leg in tables["legs"]]
    workspace = dict(tables["workspace"])
    x, y, z, *rest = workspace["home"]
    workspace["home"] = (x, y, z * proportions.height, *rest)
    changed = robot.replace(legs=legs, workspace=workspace)
    longer = float((changed.inverse_kinematics(changed.home) - robot.inverse_kinematics(robot.home)).mean())
    for leg in legs:
        strut = leg["elements"][0]
        strut["actuator"] = strut["actuator"] | {"zero": strut["actuator"]["zero"] + longer}
    return robot.replace(legs=legs, workspace=workspace)


def _leg(leg: dict[str, Any], proportions: Proportions) -> dict[str, Any]:
    x, y, z = leg["root"]
    b_x, b_y, b_z = leg["attachment"]["b"]
    radius, spread = proportions.base, proportions.platform
    return leg | {
        "root": (radius * x, radius * y, z),
        "attachment": leg["attachment"] | {"b": (spread * b_x, spread * b_y, b_z)},
        "elements": [dict(element) for element in leg["elements"]],
    }
