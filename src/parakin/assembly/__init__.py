"""Find all assembly modes of a robot: every pose of the platform with given actuator positions."""

from parakin.assembly.modes import assembly_modes
from parakin.assembly.result import AssemblyModes

__all__ = ["AssemblyModes", "assembly_modes"]
