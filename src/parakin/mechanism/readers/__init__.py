"""Robots from files of other programs: MJCF, URDF with Gepetto's loops, SDF, and constants of delta printers.

>>> import parakin as pk
>>> from parakin.mechanism.readers import Choices, EntryKind, import_robot
>>> exported = pk.export.write_urdf(pk.load("four_bar"), "four_bar.urdf")
>>> imported = import_robot("four_bar.urdf")
>>> imported.report.dialect, len(imported.description.joints)
('URDF', 7)
"""

from parakin.mechanism.readers.choosing import Choices
from parakin.mechanism.readers.reading import Imported, import_robot
from parakin.mechanism.readers.report import Entry, EntryKind, ImportReport

__all__ = ["Choices", "Entry", "EntryKind", "ImportReport", "Imported", "import_robot"]
