"""A rod of the file that is computed as a distance: what leads back from the distance to the body and its balls."""

from __future__ import annotations

from parakin.arrays import Array, frozen_arrays


@frozen_arrays
class RodBody:
    """A body between two balls that the plan takes as a distance with mass.

    Its motion is that of its line. Its spin moves nothing and is chosen: at its first ball the body turns the short way
    from where it is at home.

    >>> [rod.body for rod in linkage.plan.skeleton.rods]  # none in a four-bar
    []
    """

    body: str
    """Its name in the file."""
    joint: str
    """The joint of type distance that stands for it."""
    balls: tuple[str, str]
    """Its joints in the file: at the distance's parent and at its child."""
    ends: tuple[Array, Array]
    """Where these are in the body's frame (3,) [m]."""
    R_home: Array
    """Axes of the body's frame at home, in the axes of the distance's frame on its parent (3, 3)."""
