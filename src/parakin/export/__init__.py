"""Robots leave parakin here: laws as C99, laws and plants as FMUs, models as MJCF and URDF for other tools.

Names are imported when first used: who writes a model needs no control laws.

>>> import parakin as pk
>>> robot = pk.load("delta")
>>> law = pk.control.law("computed_torque", robot)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parakin.lazy import importer

if TYPE_CHECKING:
    from parakin.export.controller import ControllerFiles, export_controller
    from parakin.export.fmu.archive import export_fmu
    from parakin.export.mjcf import write_mjcf
    from parakin.export.single import Precision, precision
    from parakin.export.urdf import write_urdf
    from parakin.export.writing import Exported

__getattr__ = importer(
    __name__,
    {
        "ControllerFiles": "parakin.export.controller",
        "Exported": "parakin.export.writing",
        "Precision": "parakin.export.single",
        "export_controller": "parakin.export.controller",
        "export_fmu": "parakin.export.fmu.archive",
        "precision": "parakin.export.single",
        "write_mjcf": "parakin.export.mjcf",
        "write_urdf": "parakin.export.urdf",
    },
)

__all__ = [
    "ControllerFiles",
    "Exported",
    "Precision",
    "export_controller",
    "export_fmu",
    "precision",
    "write_mjcf",
    "write_urdf",
]
