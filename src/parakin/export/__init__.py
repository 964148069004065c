"""Models and control laws for other worlds: C99 for the machine's own controller."""

from parakin.export.controller import ControllerFiles, export_controller

__all__ = ["ControllerFiles", "export_controller"]
