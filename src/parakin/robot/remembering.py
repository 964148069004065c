"""Plans of mechanisms, mobilities of robots and their motors at home, kept between runs in the cache of kernels.

A result is found by a digest of what it is computed from: the description, and the text of every module that may have a
part in it. Where there is no cache, or an entry that cannot be read, it is computed.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from parakin.kernels import disk_cache
from parakin.kernels.texts import digest_of_texts, modules_below, modules_in

if TYPE_CHECKING:
    from parakin.description import RobotDescription
    from parakin.mechanism import MechanismDescription, Mobility, Plan
    from parakin.robot.robot import Robot

PACKAGE = Path(__file__).parent.parent
"""Where parakin is."""
ROOMS = ("mechanism", "description", "linalg", "motions", "errors")
"""Packages that decide plans and mobilities, besides the modules of parakin itself: all that `mechanism` stands on."""


def texts() -> list[str]:
    """Return the paths of the modules whose text decides plans and mobilities."""
    return [path for room in ("", *ROOMS) for path in modules_in(PACKAGE / room)]


def every_text() -> list[str]:
    """Return the paths of all modules, whose text decides what kernels give."""
    return modules_below(PACKAGE)


@cache
def _maker(deciding: Callable[[], list[str]]) -> bytes:
    digest = hashlib.sha256(repr((np.__version__, platform.python_version(), platform.machine())).encode())
    digest.update(digest_of_texts(PACKAGE, deciding()))
    return digest.digest()


def remembered(kind: str, content: str, compute: Callable[[], str], deciding: Callable[[], list[str]] = texts) -> str:
    """Return the text that belongs to a content, from the cache or computed and kept there.

    deciding: returns the paths of the modules that have a part in it.
    """
    key = hashlib.sha256(_maker(deciding) + repr((kind, content)).encode()).hexdigest()
    kept = disk_cache.read(key)
    if kept is not None:
        return kept.decode()
    text = compute()
    disk_cache.write(key, text.encode())
    return text


def mobility_text(description: RobotDescription) -> str:
    """Return the mobility of a robot of legs as JSON, `mechanism.Mobility` by its fields."""

    def compute() -> str:
        from parakin.mechanism import mobility_of
        from parakin.mechanism.json_text import to_table

        return json.dumps(to_table(mobility_of(description)))

    return remembered("mobility", repr(description.model_dump()), compute)


def remembered_mobility(description: RobotDescription) -> Mobility:
    """Return the mobility of a robot of legs."""
    from parakin.mechanism import Mobility
    from parakin.mechanism.json_text import of_table

    return of_table(Mobility, json.loads(mobility_text(description)))


def remembered_home(robot: Robot) -> list[float]:
    """Return where the motors of a robot of legs are at home [m or rad]; NaN where home cannot be reached."""

    def compute() -> str:
        return json.dumps(robot.evaluate("inverse_kinematics", pose=robot.home)["q"].tolist())

    return json.loads(remembered("home", repr(robot.description.model_dump()), compute, every_text))


def remembered_plan(description: MechanismDescription, independent: tuple[str, ...] | None) -> Plan:
    """Return the plan of a mechanism; independent: coordinates in place of the file's."""
    from parakin.mechanism import plan_of_json, plan_to_json
    from parakin.mechanism.plan import plan

    content = repr((description.model_dump(), independent))
    text = remembered("plan", content, lambda: plan_to_json(plan(description, independent)))
    return plan_of_json(description, text)
