"""A camera: a pinhole with radial and tangential distortion, its place in the base frame, its picture's size.

    m = (X/Z, Y/Z)                                          a point p_K = (X, Y, Z) in the normalised picture
    d = m (1 + k1 r^2 + k2 r^4 + k3 r^6) + (2 p1 xy + p2 (r^2 + 2 x^2), p1 (r^2 + 2 y^2) + 2 p2 xy),    r = |m|
    pixel = (c_u + f_u d_x, c_v + f_v d_y)                  [Brown1971]

The camera's frame K has x to the right of the picture, y downwards and z into the scene. Pixel (0, 0) is the middle of
the first pixel: u counts columns, v rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import TypeVar

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.arrays import Array, lock_arrays
from parakin.errors import VisionError

UNDISTORTION_STEPS = 12
"""Newton steps back from a distorted point; lenses take three or four, and those that take more do not come back."""
UNDISTORTION_TOLERANCE = 1e-12
"""How far, in the normalised picture, a point may be off after these steps: a billionth of a pixel."""
ORTHONORMAL = 1e-9
"""How far R R^T of a camera's rotation may be from one: what files of ten digits leave."""


@dataclass(frozen=True, eq=False)
class Camera:
    """A pinhole camera with distortion, in a place.

    >>> camera = pk.vision.Camera("top", size=(1024, 1024), focal=(640.0, 640.0), p_OK=[0, 0, 0], R_OK=DOWN)
    >>> camera.pixels(camera.seen([0.1, 0.0, -0.8])).round(2)  # a point 0.8 m below it, 0.1 m along x
    array([591.5, 511.5])
    """

    name: str
    """What the camera is called."""
    size: tuple[int, int]
    """Columns and rows of its picture [px]."""
    focal: tuple[float, float]
    """Focal lengths along columns and rows [px]."""
    p_OK: Array
    """Position of its centre in the base frame (3,) [m]."""
    R_OK: Array
    """Its orientation (3, 3): columns are its axes right, down and forwards in base axes."""
    centre: tuple[float, float] | None = None
    """Where the optical axis meets the picture [px]; None for the middle."""
    distortion: tuple[float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0)
    """Coefficients k1, k2, p1, p2, k3."""
    exposure: float = 0.0
    """How long it collects light for a picture [s]; a picture's time is the middle of that."""

    def __post_init__(self) -> None:
        for name in ("p_OK", "R_OK"):
            object.__setattr__(self, name, np.array(getattr(self, name), float))
        lock_arrays(self)
        if _are_whole(self.size):
            object.__setattr__(self, "size", tuple(map(int, self.size)))
        for name, good, rule in self._rules():
            if not good:
                raise VisionError(self.name, name, f"must be {rule}, got {getattr(self, name)!r}")

    def _rules(self) -> tuple[tuple[str, bool, str], ...]:
        """Return what every camera keeps: fields, whether they do, and the rule in words."""
        R, c, size = self.R_OK, self.centre, self.size
        turned = R.shape == (3, 3) and bool(np.isfinite(R).all())
        turned = turned and bool(np.abs(R @ R.T - np.eye(3)).max() < ORTHONORMAL) and np.linalg.det(R) > 0
        return (
            ("size", _are_whole(size) and len(size) == 2 and min(size) >= 1, "two whole numbers of pixels"),
            ("focal", len(self.focal) == 2 and all(0 < f < math.inf for f in self.focal), "two numbers > 0 px"),
            ("p_OK", self.p_OK.shape == (3,) and bool(np.isfinite(self.p_OK).all()), "three finite numbers [m]"),
            ("R_OK", turned, "a rotation matrix"),
            ("centre", c is None or (len(c) == 2 and all(map(math.isfinite, c))), "two finite numbers [px]"),
            ("distortion", len(self.distortion) == 5 and all(map(math.isfinite, self.distortion)), "five numbers"),
            ("exposure", 0 <= self.exposure < math.inf, ">= 0 s"),
        )

    @property
    def middle(self) -> tuple[float, float]:
        """Where the optical axis meets the picture [px]."""
        return ((self.size[0] - 1) / 2, (self.size[1] - 1) / 2) if self.centre is None else self.centre

    def placed(self, p_OK: ArrayLike, R_OK: ArrayLike) -> Camera:
        """Return the same camera at another place.

        >>> camera.placed([0, 0, 0.1], camera.R_OK).p_OK
        array([0. , 0. , 0.1])
        """
        return replace(self, p_OK=np.asarray(p_OK, float), R_OK=np.asarray(R_OK, float))

    def seen(self, points: ArrayLike) -> Array:
        """Return points p_O (..., 3) [m] in the camera's frame: p_K = R_KO (p_O - p_OK).

        >>> camera.seen([0.1, 0.0, -0.8])
        array([0.1, 0. , 0.8])
        """
        return (np.asarray(points, float) - self.p_OK) @ self.R_OK

    def pixels(self, points: ArrayLike) -> Array:
        """Return the pixels (..., 2) of points p_K (..., 3) of the camera's frame; NaN for those not before it.

        >>> camera.pixels([0.0, 0.0, 1.0])
        array([511.5, 511.5])
        """
        p = np.asarray(points, float)
        before = p[..., 2:] > 0
        m = np.where(before, p[..., :2], np.nan) / np.where(before, p[..., 2:], 1.0)
        return self.pixels_of(m)

    def pixels_of(self, m: ArrayLike) -> Array:
        """Return the pixels (..., 2) of points m (..., 2) of the normalised picture.

        >>> camera.pixels_of([0.1, 0.0])
        array([575.5, 511.5])
        """
        return self.middle + np.asarray(self.focal) * self._distorted(np.asarray(m, float))

    def normalized(self, pixels: ArrayLike) -> Array:
        """Return the points m (..., 2) of pixels (..., 2) by Newton's method; NaN where distortion cannot be undone.

        >>> bent = replace(camera, distortion=(-0.2, 0.05, 1e-3, -5e-4, 0.0))
        >>> bent.pixels_of(bent.normalized([100.0, 900.0])).round(9)
        array([100., 900.])
        """
        d = (np.asarray(pixels, float) - self.middle) / np.asarray(self.focal)
        if not any(self.distortion):
            return d
        m = d
        with np.errstate(all="ignore"):
            for _ in range(UNDISTORTION_STEPS):
                m = m + _solved(self._slopes(m), d - self._distorted(m))
            unfolded = _determinant(self._slopes(m)) > 0
            good = unfolded & (np.abs(self._distorted(m) - d).max(axis=-1) < UNDISTORTION_TOLERANCE)
        return np.where(good[..., None], m, np.nan)

    def pixel_slopes(self, m: ArrayLike) -> Array:
        """Return d pixel/d m (..., 2, 2) at points of the normalised picture: row by row, u and v by x and y.

        >>> camera.pixel_slopes([0.1, 0.0])
        array([[640.,   0.],
               [  0., 640.]])
        """
        return np.asarray(self.focal)[:, None] * self._slopes(np.asarray(m, float))

    def shows(self, pixels: ArrayLike) -> NDArray[np.bool_]:
        """Return which pixels (..., 2) lie in the picture.

        >>> camera.shows([[0.0, 0.0], [1030.0, 5.0]])
        array([ True, False])
        """
        p = np.asarray(pixels, float)
        inside = (p >= -0.5) & (p <= np.asarray(self.size) - 0.5)
        return np.asarray(inside.all(axis=-1))

    def _distorted(self, m: Array) -> Array:
        return np.stack(distorted(m[..., 0], m[..., 1], self.distortion), axis=-1)

    def _slopes(self, m: Array) -> Array:
        """Return the derivative of the distorted by the undistorted point (..., 2, 2)."""
        k1, k2, p1, p2, k3 = self.distortion
        x, y = m[..., 0], m[..., 1]
        r2 = x * x + y * y
        radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
        growth = 2 * (k1 + r2 * (2 * k2 + 3 * r2 * k3))
        across = growth * x * y + 2 * (p1 * x + p2 * y)
        rows = (
            (radial + growth * x * x + 2 * p1 * y + 6 * p2 * x, across),
            (across, radial + growth * y * y + 6 * p1 * y + 2 * p2 * x),
        )
        return np.stack([np.stack(np.broadcast_arrays(*row), axis=-1) for row in rows], axis=-2)


def _are_whole(size: Sequence[object]) -> bool:
    """Return whether all numbers are whole ones, Python's or numpy's."""
    return all(isinstance(number, Integral) for number in size)


Number = TypeVar("Number", Array, ca.SX)
"""Numbers or expressions."""


def distorted(x: Number, y: Number, coefficients: Sequence[float] | Sequence[Number]) -> tuple[Number, Number]:
    """Return where a lens with coefficients k1, k2, p1, p2, k3 puts a point of the normalised picture [Brown1971]."""
    k1, k2, p1, p2, k3 = coefficients
    r2 = x * x + y * y
    radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
    return (
        radial * x + 2 * p1 * x * y + p2 * (r2 + 2 * x * x),
        radial * y + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y,
    )


def _determinant(J: Array) -> Array:
    return J[..., 0, 0] * J[..., 1, 1] - J[..., 0, 1] * J[..., 1, 0]


def _solved(J: Array, e: Array) -> Array:
    """Return J^-1 e of matrices (..., 2, 2); not finite where a matrix is singular."""
    x = J[..., 1, 1] * e[..., 0] - J[..., 0, 1] * e[..., 1]
    y = J[..., 0, 0] * e[..., 1] - J[..., 1, 0] * e[..., 0]
    return np.stack([x, y], axis=-1) / _determinant(J)[..., None]


def looking_at(position: ArrayLike, target: ArrayLike, right: ArrayLike) -> Array:
    """Return R_OK of a camera at a position that looks at a target, with a direction to the right of its picture.

    >>> pk.vision.looking_at([0, 0, 0], [0, 0, -1], [1, 0, 0])
    array([[ 1.,  0.,  0.],
           [ 0., -1.,  0.],
           [ 0.,  0., -1.]])
    """
    forward = np.asarray(target, float) - np.asarray(position, float)
    z = forward / np.linalg.norm(forward) if np.linalg.norm(forward) > 0 else np.full(3, np.nan)
    x = np.asarray(right, float) - (np.asarray(right, float) @ z) * z
    length = float(np.linalg.norm(x))
    if not length > 0:
        raise VisionError(
            "camera", "right", "must differ from the direction in which the camera looks, and it must look"
        )
    x = x / length
    return np.stack([x, np.cross(z, x), z], axis=-1) + 0.0
