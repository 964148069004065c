"""Robots leave parakin here: control laws as C99 for a controller, models as MJCF and URDF for other tools."""

from parakin.export.controller import ControllerFiles, export_controller
from parakin.export.mjcf import write_mjcf
from parakin.export.urdf import write_urdf
from parakin.export.writing import Exported

__all__ = ["ControllerFiles", "Exported", "export_controller", "write_mjcf", "write_urdf"]
