"""Which file is read by whom: one row a dialect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from parakin.description import RobotDescription
from parakin.description.loader import PRINTER_SUFFIXES
from parakin.errors import DataError, DescriptionError
from parakin.mechanism.model import MechanismDescription
from parakin.mechanism.readers.choosing import Choices
from parakin.mechanism.readers.delta_printer import DeltaPrinter, printer_robot
from parakin.mechanism.readers.draft import Draft
from parakin.mechanism.readers.finishing import finished
from parakin.mechanism.readers.klipper import read_klipper
from parakin.mechanism.readers.marlin import read_marlin
from parakin.mechanism.readers.mjcf import read_mjcf
from parakin.mechanism.readers.report import ImportReport, Journal
from parakin.mechanism.readers.sdf import read_sdf
from parakin.mechanism.readers.urdf import read_urdf
from parakin.mechanism.readers.urdf_joints import LOOPS
from parakin.mechanism.readers.xml_text import Element, read_xml, refuse_many, xml_bytes


@dataclass(frozen=True)
class Imported:
    """A robot that was read from a file of another dialect."""

    description: MechanismDescription | RobotDescription
    """The robot: bodies and joints, or legs and platform for a printer."""
    report: ImportReport
    """What became of what the file holds."""


GRAPHS: dict[str, Callable[[Element, Path, Choices], Draft]] = {
    "mujoco": read_mjcf,
    "robot": read_urdf,
    "sdf": read_sdf,
}
"""Readers of mechanisms by the root element of their files."""
PRINTERS: dict[str, Callable[[str, Journal], DeltaPrinter]] = {"Klipper": read_klipper, "Marlin": read_marlin}
"""Readers of printers' constants by the name of the firmware."""


def import_robot(path: str | Path, choices: Choices | None = None) -> Imported:
    """Read a robot from an MJCF, URDF or SDF file, or from the constants of a delta printer.

    Nothing in a file is executed. DescriptionError names the place, the value and the remedy of what is wrong;
    RefusedImportError, one of its kinds, also carries the report of everything else.

    >>> imported = import_robot("four_bar.urdf")
    >>> linkage = pk.Robot(imported.description)
    >>> linkage.inverse_dynamics([0.3], [0.0], [0.0]).round(3)
    array([0.092])
    """
    file, asked = Path(path), choices or Choices()
    data = xml_bytes(file)
    firmware = PRINTER_SUFFIXES.get(file.suffix.lower())
    if firmware is not None:
        return _printer(data, file, firmware, asked)
    root = read_xml(data, file.name)
    if root.tag not in GRAPHS:
        reason = f"the root element must be one of {', '.join(f'<{tag}>' for tag in GRAPHS)}, got <{root.tag[:60]}>"
        raise DescriptionError(file.name, (("", reason),))
    refuse_many(sum(one.tag in ("body", "link") for one in root.walk()), file.name)
    if root.tag != "mujoco":  # where defaults and sensors have elements of this name too
        refuse_many(sum(one.tag in ("joint", *LOOPS) for one in root.walk()), file.name, "joints")
    draft = GRAPHS[root.tag](root, file, asked)
    description = finished(draft, asked)
    return Imported(description, draft.journal.settle())


def _printer(data: bytes, file: Path, firmware: str, asked: Choices) -> Imported:
    if asked != Choices():
        raise DataError(
            file.name, "choices", f"{firmware} files leave nothing to choose: output, base, drives, without"
        )
    journal = Journal(file.name, firmware)
    printer = PRINTERS[firmware](data.decode("utf-8", "replace"), journal)
    return Imported(printer_robot(printer, journal), journal.settle())
