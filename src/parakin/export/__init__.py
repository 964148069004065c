"""Control laws leave parakin here: as C99 for the controller of a machine."""

from parakin.export.controller import ControllerFiles, export_controller

__all__ = ["ControllerFiles", "export_controller"]
