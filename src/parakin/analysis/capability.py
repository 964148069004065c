"""What a robot can do in its worst direction within the limits of its motors: speed, force, acceleration, payload.

All four are exact: polytopes of speeds are intersections of pairs of planes, those of forces are zonotopes whose faces
are enumerated, so that no direction is sampled and no program is solved. Friction is left out: at rest it may help or
hinder.

Motors with |tau_i| <= t_i exert p = J_qv^T tau on the platform. The set of all p is a zonotope whose edges run along
the rows of J_qv. Each of its faces is spanned by n - 1 of these rows, so that its normals c are found by enumeration:

    J_i c = 0 for n - 1 of the motors i,        |c^T p| <= h(c) = sum over the others of t_i |J_i c|

With as many motors as freedoms these are n pairs of faces, |tau_i| <= t_i itself; with more motors they are the exact
answer of the linear program "is there a tau within its limits that exerts p".
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parakin.analysis.options import Options
from parakin.analysis.quantity import Found, GoodPoses
from parakin.analysis.reason import Reason
from parakin.arrays import Array
from parakin.dynamics.payload import Payload
from parakin.robot import Robot

MOST_FACES = 5000
"""Pairs of faces up to which they are enumerated at every pose; 16 motors of a spatial platform have 4368."""


class Faces(NamedTuple):
    """Pairs of opposite faces of the zonotopes at N poses: |normal^T p| <= reach."""

    normals: Array
    """Normals (N, F, n), of unit length."""
    reach: Array
    """The largest normal^T p (N, F); infinite where a motor without a limit pushes that way."""

    def room(self, load: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Return how far a load (N, n) is from the nearer face of each pair (N, F), and which loads are outside (N,).

        h(c) - |c^T p|
        """
        room = self.reach - np.abs(np.einsum("kfn,kn->kf", self.normals, load))
        return room, (room < 0).any(axis=1)


def face_count(motors: int, freedoms: int) -> int:
    """Return how many pairs of faces are enumerated."""
    return math.comb(motors, freedoms - 1)


def faces(jacobian: Array, limits: Array) -> Faces:
    """Return the faces of what motors with limits (m,) exert, for Jacobians J_qv (N, m, n) with m >= n."""
    motors, freedoms = int(jacobian.shape[1]), int(jacobian.shape[2])
    every: list[tuple[int, ...]] = list(combinations(range(motors), freedoms - 1))
    chosen = np.array(every, int).reshape(len(every), freedoms - 1)
    normals = _square(jacobian) if motors == freedoms else _orthogonal(jacobian[:, chosen])
    rates = np.abs(np.einsum("kmn,kfn->kfm", jacobian, normals))
    inside = np.zeros((len(chosen), motors), bool)
    inside[np.arange(len(chosen))[:, None], chosen] = True
    with np.errstate(invalid="ignore"):
        pushes = np.where(inside | (rates == 0), 0.0, rates * limits)
    return Faces(normals, pushes.sum(axis=2))


def _square(jacobian: Array) -> Array:
    """Return normals (N, n, n) for as many motors as freedoms: columns of J_qv^-1, that of the last motor first."""
    columns = np.swapaxes(np.linalg.inv(jacobian), 1, 2)[:, ::-1]
    return columns / np.linalg.norm(columns, axis=2, keepdims=True)


def _orthogonal(rows: Array) -> Array:
    """Return a unit vector (N, F, n) across the rows (N, F, n - 1, n)."""
    if rows.shape[2] == 0:
        return np.ones((*rows.shape[:2], 1))
    return np.linalg.svd(rows, full_matrices=True)[2][..., -1, :]


def enough_motors(robot: Robot, _options: Options) -> str | None:
    """Return why forces cannot be mapped for a robot: too few motors, or too many to enumerate."""
    motors, freedoms = len(robot.actuators), robot.degrees_of_freedom
    if motors < freedoms:
        return f"{motors} motors do not hold {freedoms} freedoms: drive more joints"
    if face_count(motors, freedoms) > MOST_FACES:
        return f"{motors} motors for {freedoms} freedoms have more than {MOST_FACES} faces of forces"
    return None


def velocity(poses: GoodPoses) -> Found:
    """Return the largest speed that the platform reaches in every direction [m/s or rad/s].

    Speeds with |J_i v| <= s_i are between pairs of planes; the nearest is where the sphere of speeds ends:

        min over i of s_i / |J_i S|
    """
    rates = np.linalg.norm(poses.jacobian @ poses.directions.moves, axis=2)
    with np.errstate(divide="ignore"):
        return poses.good((poses.limits("speed") / rates).min(axis=1))


def force(poses: GoodPoses) -> Found:
    """Return the largest force that the platform exerts at rest in every direction, beside gravity [N or N m].

    It comes without a moment, or the moment without a force, as `space` says. For faces |c^T p| <= h(c) and a load p:

        min over faces of (h - |c^T p|) / |S^T c|
    """
    return _nearest(poses, poses.directions.pushes)


def acceleration(poses: GoodPoses) -> Found:
    """Return the largest acceleration that the platform reaches from rest in every direction [m/s^2 or rad/s^2].

    J_qv^T tau = M S u a + p, with the exact M, rotors included, and the load p of gravity and springs:

        min over faces of (h - |c^T p|) / |S^T M c|
    """
    return _nearest(poses, poses.mass @ poses.directions.moves)


def payload(poses: GoodPoses) -> Found:
    """Return the largest mass in the hand that motors hold, or accelerate in every direction by `acceleration` [kg].

    It is infinite where weight costs no force. The mass m at `payload_centre`, in place of what the robot carries, adds
    m p_1 to the load and m M_1 to M:

        ±c^T (p_0 + m p_1) + a |S^T (M_0 + m M_1) c| <= h(c)        for every face, both signs
    """
    empty, unit = (np.array(Payload(mass=mass, centre=poses.options.payload_centre).about_E) for mass in (0.0, 1.0))
    load = poses.load_with(empty)
    added = poses.load_with(unit) - load
    edges = _faces(poses)
    moves, normals = poses.directions.moves, edges.normals
    a = poses.options.acceleration
    if a:
        M_0 = poses.ask("mass_matrix", "M", empty)
        M_1 = poses.ask("mass_matrix", "M", unit) - M_0
        b_0, b_1 = (a * np.einsum("kfn,knj,js->kfs", normals, M, moves) for M in (M_0, M_1))
    else:
        b_0 = b_1 = np.zeros((*normals.shape[:2], 1))
    room, step = (np.einsum("kfn,kn->kf", normals, part) for part in (load, added))
    most = np.minimum(
        _largest_mass(edges.reach - room, step, b_0, b_1), _largest_mass(edges.reach + room, -step, b_0, b_1)
    )
    most = most.min(axis=1)
    return poses.flagged(np.where(most > WITHOUT_LOAD, np.inf, most), most < 0, Reason.OVERLOADED)


def _largest_mass(room: Array, step: Array, b_0: Array, b_1: Array) -> Array:
    """Return the largest m with |b_0 + m b_1| <= room - m step, infinite if there is no end, -1 if m = 0 is beyond.

    The left side is convex, so that the first m at which both are equal ends it: the smallest root above 0 of
    |b_0 + m b_1|^2 = (room - m step)^2 at which room - m step is not negative. Its discriminant is written so that it
    is exactly zero, as it should be, where nothing is accelerated:

        |room b_1 + step b_0|^2 - (|b_0|^2 |b_1|^2 - (b_0·b_1)^2)
    """
    known = np.where(np.isinf(room), 0.0, room)
    squares, mixed, others = (b_0 * b_0).sum(axis=2), (b_0 * b_1).sum(axis=2), (b_1 * b_1).sum(axis=2)
    with np.errstate(divide="ignore", invalid="ignore"):
        two, half, nought = others - step**2, mixed + known * step, squares - known**2
        across = ((known[..., None] * b_1 + step[..., None] * b_0) ** 2).sum(axis=2)
        root = np.sqrt(np.maximum(across - (squares * others - mixed**2), 0.0))
        # The two roots in the form that does not cancel: far = half + sign(half) root.
        far = -(half + np.copysign(root, half))
        roots: Array = np.stack([far / two, nought / far])
        fits = (roots >= 0) & (known - roots * step >= -ROUNDING * np.abs(known)) & np.isfinite(roots)
        first = np.where(fits, roots, np.inf).min(axis=0)
    held = np.sqrt(squares) <= room
    return np.where(np.isinf(room), np.inf, np.where(held, first, -1.0))


WITHOUT_LOAD = 1e12
"""Payload [kg] beyond which a kilogram takes less than a part in 1e12 of what motors exert: rounding of a load that is
nothing, so that there is no end."""
ROUNDING = 1e-12
"""Part of the room at which the right side of the payload's inequality may be negative by rounding."""


def _faces(poses: GoodPoses) -> Faces:
    return faces(poses.jacobian, poses.limits("force"))


def _nearest(poses: GoodPoses, columns: Array) -> Found:
    """Return how far from the load the nearest face is, in units of columns (n, k) or (N, n, k)."""
    edges = _faces(poses)
    room, outside = edges.room(poses.load)
    widths = np.linalg.norm(edges.normals @ columns, axis=2)
    with np.errstate(divide="ignore", invalid="ignore"):
        ways = np.where(widths > 0, room / widths, np.inf)
    return poses.flagged(ways.min(axis=1), outside, Reason.OVERLOADED)
