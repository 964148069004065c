"""All assembly modes: every pose of the platform with given actuator positions."""

from parakin.robot.assembly.modes import assembly_modes
from parakin.robot.assembly.result import AssemblyModes

__all__ = ["AssemblyModes", "assembly_modes"]
