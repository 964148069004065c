"""Write docs/capabilities.md: what methods of `Robot` need that some machines lack, and which of the library lack it.

python tools/capability_table.py
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import parakin as pk
from parakin.description.patterns import pattern_of
from parakin.errors.capabilities import (
    BODIES_AND_JOINTS,
    CAPABILITIES,
    CLOSED_FORM,
    LEGS,
    ONE_MOTOR_A_FREEDOM,
    RATES,
    THE_METHOD,
    TWO_ARMS,
    Capability,
)
from parakin.robot import Robot

HEAD = """# What not every machine can do

Written by `tools/capability_table.py` from the table of which the errors are made; a test walks every method and
property of `Robot` on every machine of the library. All others are there for every machine. Where one is missing it
raises `CapabilityError`, which says why and what to use.
"""


def _has_other_arms(robot: Robot) -> bool:
    patterns = [pattern_of(leg) for leg in robot.legs]
    return bool(patterns) and (robot.motion != "planar-translation" or patterns != ["arm", "arm"])


LACKING: dict[Capability, Callable[[Robot], bool]] = {
    LEGS: lambda robot: not robot.legs,
    BODIES_AND_JOINTS: lambda robot: bool(robot.legs),
    RATES: lambda robot: not robot.legs and any(".w" in name or ".q" in name for name in robot.pose_names),
    ONE_MOTOR_A_FREEDOM: lambda robot: not robot.legs and len(robot.actuators) != robot.degrees_of_freedom,
    CLOSED_FORM: lambda robot: any(pattern_of(leg) == "numeric" for leg in robot.legs),
    TWO_ARMS: _has_other_arms,
}
"""Whether a machine lacks a capability, by what is in its file."""


def features_of(capability: Capability) -> list[str]:
    """Return the methods and properties of `Robot` that need a capability; models have methods of other names."""
    return [name for name, instead in capability.features.items() if instead != THE_METHOD and hasattr(Robot, name)]


def page() -> str:
    """Return the text of docs/capabilities.md."""
    machines = [pk.load(name) for name in pk.library()]
    lines = [HEAD, "| needed | why some lack it | machines of the library that lack it |", "|---|---|---|"]
    for capability in CAPABILITIES:
        words = ", ".join(robot.name for robot in machines if LACKING[capability](robot)) or "none"
        words = {LEGS: "all mechanisms", BODIES_AND_JOINTS: "all robots of legs"}.get(capability, words)
        lines.append(f"| {capability.needs} | {capability.why} | {words} |")
    lines += ["", "| method or property | needs | in its place |", "|---|---|---|"]
    rows = [(name, one.needs, one.features[name]) for one in CAPABILITIES for name in features_of(one)]
    lines += [f"| `{name}` | {needs} | {instead or 'nothing'} |" for name, needs, instead in sorted(rows)]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    Path(__file__).parents[1].joinpath("docs", "capabilities.md").write_text(page(), encoding="utf-8")
