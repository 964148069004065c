"""Dynamics from kinematic elements, [Ozgur2013]: docs/theory/kinematic_elements.md."""

from parakin.dynamics.kinematic_elements.balance import tau

__all__ = ["tau"]
