"""Robots as data."""

from parakin.description.loader import describe, library, load_description
from parakin.description.model import RobotDescription
from parakin.description.symmetry import expanded_legs
from parakin.description.writer import to_toml

__all__ = ["RobotDescription", "describe", "expanded_legs", "library", "load_description", "to_toml"]
