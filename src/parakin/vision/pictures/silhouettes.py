"""How much of each pixel the silhouette of a finite round rod covers, behind a lens that blurs.

The silhouette is the convex hull of the two end discs' pictures: two straight contours between the points where they
touch the discs, and beyond these the outer arcs of two ellipses. Away from the ends a pixel's share follows from its
distances to the contours in closed form; near the ends it is the mean over points spread like the blur.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.vision.pictures.appearance import Appearance
from parakin.vision.rigs.camera import Camera
from parakin.vision.rigs.contours import contour_kernel

SPREAD_POINTS = 256
"""Points over a pixel and its blur near the ends of rods: a share is right to about 1/256."""
REACH = 5.0
"""How many standard deviations of the blur an edge reaches: beyond, less than 1e-6 of its contrast."""
LEAST_BLUR = 0.02
"""Least blur of the closed form, and least width across a contour of a pixel's corner [px]: it divides by both."""
NEAREST = 0.01
"""How near before the camera a rod is drawn [m]; what is nearer is cut off."""
BOX = 12**-0.5
"""Standard deviation of a pixel's own width [px]."""
ACROSS_POINTS = 40
"""Points across a contour over which shading is averaged."""
RIM_POINTS = 32
"""Points of an end disc's rim whose pictures tell where that end is."""


@frozen_arrays
class Pixels:
    """Pixels of a camera that are to be drawn, with the way back into the normalised picture."""

    uv: Array
    """Columns and rows (pixels, 2)."""
    m: Array
    """The same in the normalised picture (pixels, 2)."""
    slopes: Array
    """d m/d pixel (pixels, 2, 2)."""
    largest: float
    """How far in the normalised picture a step of one pixel leads at most."""

    def chosen(self, which: NDArray[np.bool_]) -> Pixels:
        """Return some of the pixels."""
        return Pixels(self.uv[which], self.m[which], self.slopes[which], self.largest)


def pixels_of(camera: Camera, uv: Array) -> Pixels:
    """Return pixels (pixels, 2) of a camera for drawing."""
    m = camera.normalized(uv)
    slopes = np.asarray(np.linalg.inv(camera.pixel_slopes(np.where(np.isfinite(m), m, 0.0))), np.float64)
    return Pixels(uv, m, slopes, float(np.abs(slopes).sum(axis=-1).max()))


@frozen_arrays
class Cylinder:
    """A finite round rod in a camera's frame."""

    A: Array
    """A point of its axis (3,) [m]."""
    x: Array
    """Unit direction of its axis (3,)."""
    radius: float
    """Radius [m]."""
    ends: tuple[float, float]
    """Where along the axis it begins and ends, from A [m]."""
    n: Array
    """Normals of the planes of its contours (2, 3); NaN where the camera's centre is on its axis or in it."""
    rims: Array
    """Points m of the rims of both end discs (2, points, 2)."""
    number: int
    """Its number among the rig's rods, or among the other parts."""
    other: bool = False
    """Whether it is another part rather than one of the rig's rods."""

    def impact(self, m: Array) -> Array:
        """Return s (...) of points m (..., 2): how far the ray passes the axis, in radii; -1 and 1 at the contours."""
        across = np.cross(_rays(m), self.x)
        return across @ self.A / (self.radius * np.linalg.norm(across, axis=-1))

    def light(self, m: Array, look: Appearance) -> Array:
        """Return its grey level (...) at points m (..., 2), those of the nearer contour beyond its contours."""
        return np.full(m.shape[:-1], look.other) if self.other else look.light(self.impact(m))

    def depth(self, m: Array) -> Array:
        """Return Z (...) [m] of the surface at points m (..., 2), that of the nearest passage where rays miss it."""
        rays = _rays(m)
        flat, root = rays - (rays @ self.x)[..., None] * self.x, self.A - (self.A @ self.x) * self.x
        a, b = np.sum(flat * flat, axis=-1), flat @ root
        c = root @ root - self.radius**2
        return (b - np.sqrt(np.clip(b * b - a * c, 0.0, None))) / a


def cylinder(
    line: tuple[Array, Array], radius: float, ends: tuple[float, float], number: int, other: bool
) -> Cylinder | None:
    """Return a rod about a line A, x of the camera's frame, cut off too near the camera; None if nothing is left."""
    (A, x), (start, end) = line, ends
    closest = NEAREST + radius * float(np.hypot(x[0], x[1]))
    if x[2] != 0.0:
        crossing = float((closest - A[2]) / x[2])
        start, end = (max(start, crossing), end) if x[2] > 0 else (start, min(end, crossing))
    elif A[2] < closest:
        return None
    if not end > start:
        return None
    n = contour_kernel()(A=A[None], x=x[None], radius=radius)["n"][0]
    rims = np.stack([_rim(A + t * x, x, radius) for t in (start, end)])
    return Cylinder(A, x, radius, (start, end), n, rims, number, other)


@frozen_arrays
class Layer:
    """What one rod puts over pixels."""

    share: Array
    """Share of each pixel's light that it takes (pixels,)."""
    light: Array
    """Grey levels that it gives for that, times the share (pixels,)."""
    depth: Array
    """Depth Z of its surface there (pixels,) [m]."""


def layer(rod: Cylinder, pixels: Pixels, look: Appearance) -> Layer | None:
    """Return what a rod puts over pixels; None if it touches none of them."""
    if _out_of_sight(rod, pixels, look.blur):
        return None
    share, light = np.zeros(len(pixels.uv)), np.zeros(len(pixels.uv))
    near = _near_ends(rod, pixels, look.blur)
    if np.isfinite(rod.n).all():
        strip = strip_share(rod, pixels, look.blur)
        near &= strip > 0
        middle = ~near & (strip > 0)
        middle[middle] = _between_ends(rod, pixels.m[middle])
        share[middle] = strip[middle]
        light[middle] = _strip_light(rod, pixels.chosen(middle), strip[middle], look)
    if near.any():
        points = spread(pixels.chosen(near), look.blur, SPREAD_POINTS)
        covered = inside(rod, points)
        share[near] = np.mean(covered, axis=-1)
        light[near] = np.mean(covered * rod.light(points, look), axis=-1)
    return Layer(share, light, rod.depth(pixels.m)) if share.any() else None


def mixed_light(rods: Sequence[Cylinder], pixels: Pixels, look: Appearance, behind: Array) -> Array:
    """Return the light (pixels,) of pixels in which edges of several rods meet: points, each with the nearest rod."""
    points = spread(pixels, look.blur, SPREAD_POINTS)
    light = np.broadcast_to(behind[:, None], points.shape[:-1])
    nearest = np.full(points.shape[:-1], np.inf)
    for rod in rods:
        depth = np.where(inside(rod, points), rod.depth(points), np.inf)
        light = np.where(depth < nearest, rod.light(points, look), light)
        nearest = np.minimum(nearest, depth)
    return light.mean(axis=-1)


def _near_ends(rod: Cylinder, pixels: Pixels, blur: float) -> NDArray[np.bool_]:
    """Return which pixels are so near an end of a rod that its contours alone do not tell their share."""
    reach = REACH * np.hypot(blur, 0.5) * pixels.largest
    near = np.zeros(len(pixels.uv), bool)
    for rim in rod.rims:
        low, high = rim.min(axis=0) - reach, rim.max(axis=0) + reach
        near |= (
            (pixels.m[:, 0] >= low[0])
            & (pixels.m[:, 0] <= high[0])
            & (pixels.m[:, 1] >= low[1])
            & (pixels.m[:, 1] <= high[1])
        )
    return near


def _out_of_sight(rod: Cylinder, pixels: Pixels, blur: float) -> bool:
    """Return whether a rod's strip passes all pixels, by the circle about them."""
    middle = pixels.m.mean(axis=0)
    circle = float(np.linalg.norm(pixels.m - middle, axis=-1).max()) + REACH * np.hypot(blur, 0.5) * pixels.largest
    return bool(((rod.n[:, :2] @ middle + rod.n[:, 2]) / np.linalg.norm(rod.n[:, :2], axis=-1) < -circle).any())


def _strip_light(rod: Cylinder, pixels: Pixels, share: Array, look: Appearance) -> Array:
    """Return the light of a rod's strip: that of the nearer contour for its share, and what the inside differs by.

    The difference begins with zero at the contour, so that a few points across it are enough for its mean.
    """
    from scipy.special import ndtri

    if rod.other or not (look.shading or look.slant or look.highlight):
        return share * rod.light(pixels.m, look)
    contour = look.light(np.sign(rod.impact(pixels.m)))
    gradient = np.einsum("i,pij->pj", rod.n[0, :2], pixels.slopes)
    gradient /= np.linalg.norm(gradient, axis=-1, keepdims=True)
    offsets = np.hypot(look.blur, BOX) * ndtri((np.arange(ACROSS_POINTS) + 0.5) / ACROSS_POINTS)
    steps = np.einsum("pij,pj->pi", pixels.slopes, gradient)
    s = rod.impact(pixels.m[:, None] + offsets[:, None] * steps[:, None])
    return share * contour + np.mean((np.abs(s) < 1) * (look.light(s) - contour[:, None]), axis=-1)


def strip_share(rod: Cylinder, pixels: Pixels, blur: float) -> Array:
    """Return the share (pixels,) that the strip between both contours covers: c_1 + c_2 - 1 of two half planes."""
    gradient = np.einsum("ki,pij->kpj", rod.n[:, :2], pixels.slopes)
    steepness = np.linalg.norm(gradient, axis=-1)
    distance = (rod.n[:, :2] @ pixels.m.T + rod.n[:, 2:]) / steepness
    reached = np.flatnonzero(distance.min(axis=0) > -REACH * np.hypot(blur, 0.5))
    normal = np.abs(gradient[:, reached]) / steepness[:, reached, None]
    total = np.zeros(len(pixels.uv))
    total[reached] = np.clip(half_plane_share(distance[:, reached], normal, blur).sum(axis=0) - 1, 0.0, 1.0)
    return total


def half_plane_share(distance: Array, normal: Array, blur: float) -> Array:
    """Return the share (...) of unit squares, blurred, that lies in a half plane `distance` [px] away from its border.

    normal: absolute components (..., 2) of the border's unit normal. The square's shadow on the normal is that of two
    boxes, so the share is a second difference of G with G'' = Phi(d/sigma):
    G = ((d^2 + sigma^2) Phi(d/sigma) + sigma d phi(d/sigma))/2.
    """
    from scipy.special import ndtr

    sigma = max(blur, LEAST_BLUR)
    a, b = (np.maximum(normal[..., k], LEAST_BLUR) / 2 for k in (0, 1))
    limit = 2.0 + REACH * sigma * 1.6

    def G(d: Array) -> Array:
        z = d / sigma
        return 0.5 * ((d * d + sigma * sigma) * ndtr(z) + sigma * d * np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi))

    d = np.clip(distance, -limit, limit)
    return np.clip((G(d + a + b) - G(d + a - b) - G(d - a + b) + G(d - a - b)) / (4 * a * b), 0.0, 1.0)


def spread(pixels: Pixels, blur: float, count: int) -> Array:
    """Return points m (pixels, count, 2) spread over pixels as their area and the blur weigh them: a Kronecker set.

    A coordinate's distribution is that of a half plane along the other one: half_plane_share, inverted by a table.
    """
    plastic = 1.324717957244746  # root of g^3 = g + 1: the steps 1/g and 1/g^2 fill a square evenly
    w = np.modf(0.5 + np.arange(1, count + 1)[:, None] * plastic ** -np.array([1.0, 2.0]))[0]
    x = np.linspace(-1.0, 1.0, 2001) * (0.6 + REACH * blur)
    offsets = np.interp(w, half_plane_share(x, np.array([1.0, 0.0]), blur), x)
    return pixels.m[:, None] + np.einsum("pij,cj->pci", pixels.slopes, offsets)


def inside(rod: Cylinder, m: Array) -> NDArray[np.bool_]:
    """Return which points m (..., 2) lie in the silhouette: in an end disc's picture, or between them in the strip."""
    rays = _rays(m)
    covered = np.zeros(m.shape[:-1], bool)
    for t in rod.ends:
        C = rod.A + t * rod.x
        with np.errstate(divide="ignore", invalid="ignore"):
            P = rays * (rod.x @ C / (rays @ rod.x))[..., None]
        covered |= (np.sum((P - C) ** 2, axis=-1) <= rod.radius**2) & (P[..., 2] > 0)
    if np.isfinite(rod.n).all():
        covered |= (rays @ rod.n.T >= 0).all(axis=-1) & _between_ends(rod, m)
    return covered


def _between_ends(rod: Cylinder, m: Array) -> NDArray[np.bool_]:
    """Return which points m (..., 2) of the strip lie between the two chords that join the points of touch."""
    touch = [[rod.A + t * rod.x - rod.radius * n for n in rod.n] for t in rod.ends]
    within = np.ones(m.shape[:-1], bool)
    for own, far in ((0, 1), (1, 0)):
        chord = np.cross(touch[own][0], touch[own][1])
        within &= (_rays(m) @ chord) * (chord @ touch[far][0]) >= 0
    return within


def _rim(centre: Array, x: Array, radius: float) -> Array:
    """Return points m (points, 2) of the rim of a disc across x."""
    first = np.asarray(np.cross(x, np.eye(3)[np.argmin(np.abs(x))]), np.float64)
    first /= np.linalg.norm(first)
    angles = np.linspace(0, 2 * np.pi, RIM_POINTS, endpoint=False)[:, None]
    second = np.asarray(np.cross(x, first), np.float64)
    rim = centre + radius * (np.cos(angles) * first + np.sin(angles) * second)
    return rim[:, :2] / rim[:, 2:]


def _rays(m: Array) -> Array:
    return np.concatenate([m, np.ones((*m.shape[:-1], 1))], axis=-1)
