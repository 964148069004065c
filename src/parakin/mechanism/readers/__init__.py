"""Robots from files of other programs: MJCF, URDF with Gepetto's loops, SDF, and constants of delta printers."""

from parakin.mechanism.readers.choosing import Choices
from parakin.mechanism.readers.reading import Imported, import_robot
from parakin.mechanism.readers.report import Entry, EntryKind, ImportReport

__all__ = ["Choices", "Entry", "EntryKind", "ImportReport", "Imported", "import_robot"]
