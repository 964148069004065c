"""The one door to robots: a name of either library, a robot file or a mechanism file."""

from __future__ import annotations

from pathlib import Path

from parakin.description import library, load_description
from parakin.description.loader import describe, file_bytes, is_mechanism, is_path, tables_in
from parakin.errors import LegsOnlyError, UnknownNameError
from parakin.robot.robot import Robot


def load(name_or_path: str | Path) -> Robot:
    """Load a robot or a mechanism of the library by name, or from a TOML file.

    A file with `legs` is a robot of legs and platform; one with `bodies` and `joints` is a Mechanism, which is a Robot
    too.
    """
    if is_path(name_or_path):
        file = Path(name_or_path).name
        tables = tables_in(file_bytes(name_or_path), file)
        if not is_mechanism(tables):
            return Robot(describe(tables, file))
        from parakin.mechanism import describe_mechanism
        from parakin.robot.mechanism import Mechanism

        return Mechanism(describe_mechanism(tables, file))
    name = str(name_or_path)
    if name in library():
        return Robot(load_description(name))
    from parakin.mechanism import load_mechanism_description, mechanism_library
    from parakin.robot.mechanism import Mechanism

    if name not in mechanism_library():
        raise UnknownNameError("robot", name, (*library(), *mechanism_library()))
    return Mechanism(load_mechanism_description(name))


def need_legs(robot: Robot, what: str) -> None:
    """Refuse a mechanism where something is asked for that is there for robots of legs alone, so far."""
    if not robot.legs:
        reason = f"is a mechanism of bodies and joints, for which {what} are not there yet: take a robot of legs"
        raise LegsOnlyError(robot.name, reason)
