"""The one door to robots: a name of either library, a robot file or a mechanism file."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from parakin.description import RobotDescription, load_description
from parakin.description import library as leg_library
from parakin.description.loader import describe, file_bytes, is_foreign, is_mechanism, is_path, levels_inside, tables_in
from parakin.errors import DescriptionError, SingularHomeWarning, UnknownNameError
from parakin.errors.capabilities import CLOSED_FORM
from parakin.robot.remembering import mobility_text
from parakin.robot.robot import Robot

if TYPE_CHECKING:
    from parakin.mechanism import MechanismDescription
    from parakin.mechanism.readers import Imported, ImportReport


def library() -> tuple[str, ...]:
    """Return the names of all machines that come with parakin: robots of legs, and then mechanisms.

    >>> [name for name in pk.library() if name.startswith(("delta", "tripod"))]
    ['delta', 'delta_shaft', 'tripod_3prs', 'tripod_3rps']
    """
    from parakin.mechanism import mechanism_library

    return (*leg_library(), *mechanism_library())


def load(name_or_path: str | Path) -> Robot:
    """Load a machine of the library by name, from a TOML file, or from a file of another program.

    A file with `legs` is a robot of legs and platform; one with `bodies` and `joints` is any closed chain. A robot of
    legs whose joints do not let its platform move as its file claims, exactly so and held by its motors, is refused:
    the error says what is free or locked, with the legs and a remedy. `load_unchecked` takes it all the same.

    MJCF, URDF and SDF files give bodies and joints, constants of a delta printer (printer.cfg, Configuration.h) legs;
    `robot.import_report` says what became of what they hold. `import_robot` lets you choose.

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
    name = str(name_or_path)
    if not is_path(name_or_path):
        if name in leg_library():
            return Robot(load_description(name))
        from parakin.mechanism import load_mechanism_description, mechanism_library

        if name not in mechanism_library():
            raise UnknownNameError("robot", name, library())
        return Robot(load_mechanism_description(name))
    if is_foreign(name_or_path):
        from parakin.mechanism.readers import import_robot

        return imported_robot(import_robot(name_or_path))
    file = Path(name_or_path).name
    return _of_file(describe_machine(tables_in(file_bytes(name_or_path), file), file), file)


def describe_machine(tables: Mapping[str, object], file: str) -> RobotDescription | MechanismDescription:
    """Return the machine of a file's tables: legs and platform, or bodies and joints; file: its name in errors."""
    if not is_mechanism(tables):
        return describe(tables, file)
    from parakin.mechanism import describe_mechanism

    return describe_mechanism(tables, file)


def imported_robot(imported: Imported) -> Robot:
    """Return the robot of an import, with the report of it as `import_report`."""
    return _of_file(imported.description, imported.report.file, imported.report)


def _of_file(machine: RobotDescription | MechanismDescription, file: str, report: ImportReport | None = None) -> Robot:
    """Return the robot of a file; loops that stay open, and all that a plan finds, are errors of that file."""
    try:
        return Robot(machine, import_report=report)
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


def leg_description(robot: Robot, what: str) -> RobotDescription:
    """Return the file of legs and platform, for a feature that needs one; without one raise a CapabilityError.

    what: the feature.

    >>> pk.robot.leg_description(robot, "this feature").name
    'delta'
    """
    return robot.engine.leg_file(what)


def closed_description(robot: Robot, what: str) -> RobotDescription:
    """Return the file of legs that all follow from the pose by formulas; without one raise a CapabilityError.

    what: the feature that needs one.
    """
    description = leg_description(robot, what)
    if not robot.place_is_pose:
        raise CLOSED_FORM.error(robot.name, what)
    return description
