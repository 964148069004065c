"""A rod of the file that is computed as a distance: what leads back from the distance to the body and its joints."""

from __future__ import annotations

from parakin.arrays import Array, frozen_arrays


@frozen_arrays
class TurnedEnd:
    """The end of a rod that has two turns about axes that meet there, so that the rod's spin follows from its line.

    It is a universal joint, or two hinges with a ring between them.
    """

    end: int
    """Which end of the distance it is: 0 at its parent, 1 at its child."""
    joints: tuple[str, ...]
    """Its joints in the file, from what the rod hangs on to the rod."""
    ring: str
    """The body between two hinges; empty for a universal joint."""
    axes: tuple[Array, Array]
    """The axes of its turns: the first in the axes of the distance's frame at this end, the second in the body's."""
    cosine: float
    """The cosine of the angle between these axes: 0 but for rounding."""
    side: float
    """The sign at home of y·(e x n), with axes e and y and n along the line towards the other end."""


@frozen_arrays
class RodBody:
    """A body between two spherical joints that the plan takes as a distance with mass; one may be a universal joint.

    Its motion is that of its line. Between two spherical joints its spin moves nothing and is chosen: at its first
    joint the body turns the short way from where it is at home.

    >>> [rod.body for rod in linkage.plan.skeleton.rods]  # none in a four-bar
    []
    """

    body: str
    """Its name in the file."""
    joint: str
    """The joint of type distance that stands for it."""
    balls: tuple[str, str]
    """Its joints in the file, at the distance's parent and at its child; of two hinges that away from the rod."""
    ends: tuple[Array, Array]
    """Where these are in the body's frame (3,) [m]."""
    R_home: Array
    """Axes of the body's frame at home, in the axes of the distance's frame on its parent (3, 3)."""
    turned: TurnedEnd | None = None
    """The end that gives the rod its spin; None between two spherical joints."""

    @property
    def joints(self) -> tuple[str, ...]:
        """All joints of the file that the distance stands for."""
        return tuple(dict.fromkeys((*self.balls, *(self.turned.joints if self.turned else ()))))
