"""What is wrong with a log: found, named with time and column, and cut out or refused, never repaired."""

from parakin.identification.damage.inspection import Inspection, inspect

__all__ = ["Inspection", "inspect"]
