"""Inverse dynamics from directions, lengths and angles of a robot's elements, [Ozgur2013].

The derivation is in docs/theory/kinematic_elements.md.
"""

from parakin.dynamics.kinematic_elements.balance import tau

__all__ = ["tau"]
