"""From where a robot is looked at: parallel projection along a direction."""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array, frozen_arrays

ISO_AZIMUTH, ISO_ELEVATION = 33.0, 24.0
"""Where the eye is in the oblique view: about z from x, and above the plane of x and y [degrees]."""
FLAT_TILT = 32.0
"""By how much a planar robot is looked at from aside in the view from above [degrees]."""


@frozen_arrays
class Camera:
    """A parallel projection: right, up and towards the eye are the rows of R."""

    R: Array
    """Rows: the directions in base axes that point right and up in the picture, and towards the eye (3, 3)."""

    @property
    def straight(self) -> bool:
        """Whether it looks along one of the base's axes, so that lengths in the picture are true."""
        return bool((np.max(np.abs(self.R), axis=1) > 1 - 1e-12).all())

    def seen(self, points: Array) -> Array:
        """Return points (..., 3) as right, up and nearness (..., 3) [m]."""
        return points @ self.R.T


def looking(towards_eye: Array, up: Array) -> Camera:
    """Return the camera whose eye is in a direction, with another direction upwards in its picture."""
    n = towards_eye / np.linalg.norm(towards_eye)
    right = np.cross(up, n)
    right /= np.linalg.norm(right)
    return Camera(np.array([right, np.cross(n, right), n]))


def direction(azimuth: float, elevation: float) -> Array:
    """Return the unit direction at an azimuth from x about z, and an elevation above the plane of x and y [degrees]."""
    a, e = np.radians(azimuth), np.radians(elevation)
    return np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])


X, Y, Z = np.eye(3)
VIEWS: dict[str, Camera] = {
    "front": looking(-Y, Z),
    "side": looking(X, Z),
    "top": looking(Z, Y),
    "iso": looking(direction(ISO_AZIMUTH, ISO_ELEVATION), Z),
}
"""The views by name: from -y, from x, from above, and obliquely from above."""


def iso_for(normal: Array | None) -> Camera:
    """Return the oblique view from above; of a planar robot, from before its plane and a little aside."""
    if normal is None:
        return VIEWS["iso"]
    n = np.array(normal)
    up = Y if abs(n[2]) > 0.9 else Z
    right = np.cross(up, n)
    tilt = np.radians(FLAT_TILT)
    aside = np.cos(tilt) * n + np.sin(tilt) * (0.35 * right + (-0.94 if abs(n[2]) > 0.9 else 0.94) * up)
    return looking(aside, up)
