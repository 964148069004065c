"""The one door to robots: a name of either library, a robot file or a mechanism file."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from parakin.description import RobotDescription, library, load_description
from parakin.description.loader import describe, file_bytes, is_foreign, is_mechanism, is_path, levels_inside, tables_in
from parakin.errors import DescriptionError, LegsOnlyError, SingularHomeWarning, UnknownNameError
from parakin.robot.remembering import mobility_text
from parakin.robot.robot import Robot

if TYPE_CHECKING:
    from parakin.mechanism import MechanismDescription
    from parakin.mechanism.readers import Imported, ImportReport


def load(name_or_path: str | Path) -> Robot:
    """Load a robot or a mechanism of the library by name, from a TOML file, or from a file of another program.

    A file with `legs` is a robot of legs and platform; one with `bodies` and `joints` is a Mechanism, which is a Robot
    too. A robot of legs whose joints do not let its platform move as its file claims, exactly so and held by its
    motors, is refused: what is free or locked is said, with the legs and a remedy. `load_unchecked` takes it all the
    same.

    MJCF, URDF and SDF files give a Mechanism, constants of a delta printer (printer.cfg, Configuration.h) a robot of
    legs; `robot.import_report` says what became of what they hold. `import_robot` lets you choose.

    >>> pk.load("hexa").title
    'Hexa, 6-RUS with revolute arms'
    """
    robot = load_unchecked(name_or_path)
    if robot.legs:
        refuse_other_motion(robot.description, Path(name_or_path).name if is_path(name_or_path) else robot.name)
    return robot


def load_unchecked(name_or_path: str | Path) -> Robot:
    """Load a robot or a mechanism without asking whether its joints let the platform move as the file claims.

    >>> robot = pk.robot.load_unchecked("delta")  # a file of yours that `load` refuses
    >>> pk.mechanism.mobility_of(robot.description).problems
    ()
    """
    if is_path(name_or_path) and is_foreign(name_or_path):
        from parakin.mechanism.readers import import_robot

        return imported_robot(import_robot(name_or_path))
    if is_path(name_or_path):
        file = Path(name_or_path).name
        tables = tables_in(file_bytes(name_or_path), file)
        if not is_mechanism(tables):
            return Robot(describe(tables, file))
        from parakin.mechanism import describe_mechanism

        return _mechanism(describe_mechanism(tables, file), file)
    name = str(name_or_path)
    if name in library():
        return Robot(load_description(name))
    from parakin.mechanism import load_mechanism_description, mechanism_library
    from parakin.robot.mechanism import Mechanism

    if name not in mechanism_library():
        raise UnknownNameError("robot", name, (*library(), *mechanism_library()))
    return Mechanism(load_mechanism_description(name))


def imported_robot(imported: Imported) -> Robot:
    """Return the robot of an import, with the report of it as `import_report`."""
    description, report = imported.description, imported.report
    if isinstance(description, RobotDescription):
        return Robot(description, import_report=report)
    return _mechanism(description, report.file, report)


def _mechanism(description: MechanismDescription, file: str, report: ImportReport | None = None) -> Robot:
    """Return the mechanism of a file; loops that stay open, and all that its plan finds, are errors of that file."""
    from parakin.robot.mechanism import Mechanism

    try:
        return Mechanism(description, import_report=report)
    except DescriptionError as error:
        raise DescriptionError(file, error.problems) from error


def refuse_other_motion(description: RobotDescription, file: str) -> None:
    """Raise if a platform is free or locked otherwise than its file claims; warn if that is so at home alone.

    What the joints allow is computed once for a description, and kept between runs.
    """
    found = json.loads(mobility_text(description))
    if found["problems"]:
        raise DescriptionError(file, tuple(("motion", str(problem)) for problem in found["problems"]))
    for reason in found["warnings"]:
        warnings.warn(SingularHomeWarning(file, "workspace.home", reason), stacklevel=levels_inside())


def need_legs(robot: Robot, who: str) -> None:
    """Refuse a mechanism where robots of legs alone are taken, so far; who: what takes them, with its verb.

    >>> pk.robot.need_legs(robot, "this function takes")  # silent, for robot has legs
    """
    if not robot.legs:
        raise LegsOnlyError(robot.name, f"is a mechanism of bodies and joints, and {who} only robots of legs so far")
