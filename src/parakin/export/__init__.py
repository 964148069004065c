"""Robots leave parakin here: laws and machines around them as C99, laws and plants as FMUs, models as MJCF and URDF.

Names are imported when first used: who writes a model needs no control laws.

>>> import parakin as pk
>>> robot = pk.load("delta")
>>> law = pk.control.law("computed_torque", robot)
>>> DOWN = pk.vision.looking_at([0, 0, 0], [0, 0, -1], [1, 0, 0])
>>> camera = pk.vision.Camera("top", size=(1024, 1024), focal=(640.0, 640.0), p_OK=[0, 0, 0], R_OK=DOWN)
>>> rig = pk.vision.rig_of(pk.load("quattro"), camera, "*.forearm", radius=0.008)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parakin.lazy import importer

if TYPE_CHECKING:
    from parakin.export.controller import ControllerFiles, Precision, export_controller, precision
    from parakin.export.fmu.archive import export_fmu
    from parakin.export.mjcf import write_mjcf
    from parakin.export.onboard.observer_files import export_observer
    from parakin.export.onboard.player import MoveLimits
    from parakin.export.onboard.states import MachineState
    from parakin.export.onboard.writing import OnboardFiles, Playing, export_machine, export_set_points, move_limits
    from parakin.export.urdf import write_urdf
    from parakin.export.writing import Exported

__getattr__ = importer(
    __name__,
    {
        "parakin.export.controller": "ControllerFiles Precision export_controller precision",
        "parakin.export.fmu.archive": "export_fmu",
        "parakin.export.mjcf": "write_mjcf",
        "parakin.export.onboard.observer_files": "export_observer",
        "parakin.export.onboard.player": "MoveLimits",
        "parakin.export.onboard.states": "MachineState",
        "parakin.export.onboard.writing": "OnboardFiles Playing export_machine export_set_points move_limits",
        "parakin.export.urdf": "write_urdf",
        "parakin.export.writing": "Exported",
    },
)

__all__ = [
    "ControllerFiles",
    "Exported",
    "MachineState",
    "MoveLimits",
    "OnboardFiles",
    "Playing",
    "Precision",
    "export_controller",
    "export_fmu",
    "export_machine",
    "export_observer",
    "export_set_points",
    "move_limits",
    "precision",
    "write_mjcf",
    "write_urdf",
]
