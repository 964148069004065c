"""Where the links of a mechanism are and how rows depend on velocities, in numbers, one configuration at a time.

A twist is (velocity of the point of the link that passes the origin of the base, angular velocity), in base axes. A row
of a joint with frames P and C depends on the relative twist (v, w) of its two sides:

    position row i:           i_P·v + (p_C x i_P)·w
    orientation row (i, j):   (j_C x i_P)·w
    distance row:             n·v + (p_C x n)·w,     n = (p_C - p_P)/length

Orientation rows are sines: they vanish also where a joint is put in backwards, its axes along one line but against each
other. `closing_cut_rows` has components of the rotation vector in their place, which vanish only where the joint is
closed; there both have the same derivatives.

Plans are made with this; models are symbolic (`parakin.kinematics.graph`) and share no code with it.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.mechanism.kinds import Move
from parakin.mechanism.model import Joint
from parakin.mechanism.skeleton import BASE_LINK, Cut, Link, Place, Skeleton

SMALLEST_SINE = 1e-3
"""Sine of an angle below which what is divided by it is taken at zero, or at this size beside half a turn."""


def cross(a: Array, b: Array) -> Array:
    """Return a x b of two vectors; numpy's function for stacks of them takes ten times as long."""
    a0, a1, a2 = a.tolist()
    b0, b1, b2 = b.tolist()
    return np.array([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0])


@frozen_arrays
class Posture:
    """A mechanism at one configuration."""

    p: Array
    """Origin of each link's frame (links, 3) [m]."""
    R: Array
    """Axes of each link's frame (links, 3, 3)."""
    twists: Array
    """Twist of each link for each velocity of the tree (links, 6, velocities)."""

    def frame(self, place: Place) -> tuple[Array, Array]:
        """Return origin and axes of a frame that is fixed to a link."""
        return _frame_at(self.p, self.R, place)

    def twist(self, place: Place) -> Array:
        """Return the twist (6, velocities) of the link that carries a frame."""
        return _twist_at(self.twists, place)


def posture(skeleton: Skeleton, configuration: Array) -> Posture:
    """Return where all links are, and their twists for unit velocities."""
    count = len(skeleton.links)
    p, R, twists = np.zeros((count, 3)), np.zeros((count, 3, 3)), np.zeros((count, 6, skeleton.velocities))
    for k, link in enumerate(skeleton.links):
        axes, p[k], R[k] = _moved(link, configuration, *_frame_at(p, R, link.inner))
        twists[k] = _twist_at(twists, link.inner)
        sign = -1.0 if link.backwards else 1.0
        for n, (w, v, through) in enumerate(axes):
            twists[k][:, link.velocity + n] += sign * np.concatenate([v + cross(through, w), w])
    return Posture(p, R, twists)


def _frame_at(p: Array, R: Array, place: Place) -> tuple[Array, Array]:
    """Return origin and axes of a frame that is fixed to one of the links whose origins and axes are given."""
    if place.link == BASE_LINK:
        return place.p, place.R
    return p[place.link] + R[place.link] @ place.p, R[place.link] @ place.R


def _twist_at(twists: Array, place: Place) -> Array:
    """Return the twist (6, velocities) of the link, of those given, that carries a frame."""
    return np.zeros(twists.shape[1:]) if place.link == BASE_LINK else twists[place.link]


Line = tuple[Array, Array, Array]
"""How a freedom moves what is beyond it: angular axis, linear axis, a point of the line."""


def _moved(link: Link, configuration: Array, p: Array, R: Array) -> tuple[list[Line], Array, Array]:
    """Return the line of each freedom, and the frame on the far side of the joint, whose near side is given."""
    values: list[tuple[Move, int, Array]] = []
    place = link.coordinate
    for move, axis in link.joint.kind.moves:
        width = 4 if move is Move.BALL else 1
        values.append((move, axis, configuration[place : place + width]))
        place += width
    lines: list[list[Line]] = []
    turned = R
    for move, axis, value in reversed(values) if link.backwards else values:
        found, p, turn = _one_move(link, (move, axis, value), p, turned)
        turned = turned @ turn
        lines.append(found)
    ordered = lines[::-1] if link.backwards else lines
    return [line for found in ordered for line in found], p, turned


def _one_move(link: Link, step: tuple[Move, int, Array], p: Array, R: Array) -> tuple[list[Line], Array, Array]:
    """Return the lines of one move, given with its axis and coordinates, where it leads to, and by what it turns."""
    move, axis, value = step
    sign, nothing = -1.0 if link.backwards else 1.0, np.zeros(3)
    if move is Move.BALL:
        turn = quaternion_matrix(value).T if link.backwards else quaternion_matrix(value)
        child = R if link.backwards or link.floats else R @ turn
        return [(child[:, k], nothing, p) for k in range(3)], p, turn
    e, q = R[:, axis], sign * float(value[0])
    if move is Move.SLIDE:
        return [(nothing, e, p)], p + q * e, np.eye(3)
    lead = _lead(link.joint) if move is Move.SCREW else 0.0
    return [(e, lead * e, p)], p + lead * q * e, _turned(axis, q)


def _lead(joint: Joint) -> float:
    """Return the way of a screw for one radian [m]."""
    return (joint.pitch or 0.0) / (2 * math.pi)


def _turned(axis: int, angle: float) -> Array:
    c, s = math.cos(angle), math.sin(angle)
    R = np.eye(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[i, i] = R[j, j] = c
    R[i, j], R[j, i] = -s, s
    return R


def quaternion_matrix(quaternion: Array) -> Array:
    """Return the rotation matrix of a quaternion (w, x, y, z), brought to unit length."""
    w, x, y, z = quaternion / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def matrix_quaternion(R: Array) -> Array:
    """Return the unit quaternion (w, x, y, z) of a rotation matrix, the largest entry of it positive."""
    K = np.array(
        [
            [np.trace(R), R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
            [R[2, 1] - R[1, 2], R[0, 0] - R[1, 1] - R[2, 2], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
            [R[0, 2] - R[2, 0], R[0, 1] + R[1, 0], R[1, 1] - R[0, 0] - R[2, 2], R[1, 2] + R[2, 1]],
            [R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], R[2, 2] - R[0, 0] - R[1, 1]],
        ]
    )
    q = np.linalg.eigh(K)[1][:, -1]
    return q * np.sign(q[np.argmax(np.abs(q))])


def cut_rows(at: Posture, cut: Cut) -> tuple[Array, Array]:
    """Return the rows of a cut joint: what they are (rows,), and how they depend on the relative twist (rows, 6)."""
    joint, (p_P, R_P), (p_C, R_C) = cut.joint, at.frame(cut.parent), at.frame(cut.child)
    r, D = p_C - p_P, R_P.T @ R_C
    values: list[float] = []
    rows: list[Array] = []
    axes = R_P if cut.axes is None else at.frame(cut.axes)[1]
    for i in joint.position_rows:
        values.append(float(axes[:, i] @ r))
        rows.append(np.concatenate([axes[:, i], cross(p_C, axes[:, i])]))
    for i, j in joint.kind.orientation_rows:
        values.append(float(D[i, j]))
        rows.append(np.concatenate([np.zeros(3), cross(R_C[:, j], R_P[:, i])]))
    if joint.length is not None:
        n = r / joint.length
        values.append(float((r @ r - joint.length**2) / (2 * joint.length)))
        rows.append(np.concatenate([n, cross(p_C, n)]))
    return np.array(values), np.reshape(rows, (-1, 6))


def closing_cut_rows(at: Posture, cut: Cut) -> tuple[Array, Array]:
    """Return the rows of a cut joint as `cut_rows` does, with a rotation vector in place of sines.

    A universal joint has one orientation row, which holds wherever it vanishes.
    """
    values, rows = cut_rows(at, cut)
    held, first = cut.joint.kind.orientation_rows, len(cut.joint.position_rows)
    if len(held) > 1:
        R_P, R_C = at.frame(cut.parent)[1], at.frame(cut.child)[1]
        turn, by_w = _turn_between(R_P, R_C) if len(held) == 3 else _tilt_between(R_P, R_C)
        values[first : first + len(held)], rows[first : first + len(held), 3:] = turn, by_w
    return values, rows


def _tilt_between(R_P: Array, R_C: Array) -> tuple[Array, Array]:
    """Return the angle theta from z_P to z_C times the direction u of z_C across z_P, and its derivatives by w.

    With a = z_P x u:    d(theta u) = u (a·w) + a (theta/sin theta) (z_C x a)·w,    both in the axes x_P, y_P
    """
    z_P, z_C = R_P[:, 2], R_C[:, 2]
    u = R_P[:, :2].T @ z_C
    sine, cosine = float(np.linalg.norm(u)), float(z_P @ z_C)
    u = u / sine if sine > 0.0 else np.array([1.0, 0.0])
    theta, a = math.atan2(sine, cosine), np.array([-u[1], u[0]])
    axis = R_P[:, :2] @ a
    growth = theta / max(sine, SMALLEST_SINE) if theta > SMALLEST_SINE else 1.0
    return theta * u, np.outer(u, axis) + growth * np.outer(a, cross(z_C, axis))


def _turn_between(R_P: Array, R_C: Array) -> tuple[Array, Array]:
    """Return the rotation vector from P to C, in the order and with the signs of orientation rows, and its derivatives.

    In axes of P:    d(phi) = (1 - [phi]/2 + (1/theta^2 - (1 + cos theta)/(2 theta sin theta)) [phi]^2) w
    """
    quaternion = matrix_quaternion(R_P.T @ R_C)
    quaternion *= -1.0 if quaternion[0] < 0 else 1.0
    sine = float(np.linalg.norm(quaternion[1:]))
    half = math.atan2(sine, float(quaternion[0]))
    phi = quaternion[1:] * (2 * half / sine if sine > 0.0 else 2.0)
    K = np.array([[0.0, -phi[2], phi[1]], [phi[2], 0.0, -phi[0]], [-phi[1], phi[0], 0.0]])
    curved = (1 - half / math.tan(half)) / (4 * half**2) if half > SMALLEST_SINE else 1 / 12
    by_w = (np.eye(3) - K / 2 + curved * K @ K) @ R_P.T
    order, signs = [2, 1, 0], np.array([-1.0, 1.0, -1.0])
    return signs * phi[order], signs[:, None] * by_w[order]


def loop_rows(
    skeleton: Skeleton, configuration: Array, of_cut: Callable[[Posture, Cut], tuple[Array, Array]] = cut_rows
) -> tuple[Array, Array]:
    """Return the values of all rows that close the loops, couplings last, and their Jacobian.

    of_cut: `cut_rows`, or `closing_cut_rows` for rows that vanish only where every joint is put in as it should be.
    """
    at = posture(skeleton, configuration)
    values: list[Array] = []
    rows: list[Array] = []
    for cut in skeleton.cuts:
        value, row = of_cut(at, cut)
        values.append(value)
        rows.append(row @ (at.twist(cut.child) - at.twist(cut.parent)))
    for coupling in skeleton.description.couplings:
        row = np.zeros(skeleton.velocities)
        total = -coupling.constant
        for term in coupling.terms:
            k = skeleton.velocity_names.index(term.coordinate)
            row[k] += term.factor
            total += term.factor * configuration[coordinate_of(skeleton, k)]
        values.append(np.array([total]))
        rows.append(row[None])
    return np.concatenate([np.zeros(0), *values]), np.concatenate([np.zeros((0, skeleton.velocities)), *rows])


def coordinate_of(skeleton: Skeleton, velocity: int) -> int:
    """Return the place, in a configuration, of the coordinate whose rate a velocity is; a ball has none."""
    for link in skeleton.links:
        offset = velocity - link.velocity
        if 0 <= offset < len(link.joint.kind.freedoms):
            if link.joint.kind.freedoms[offset].move is Move.BALL:
                break
            return link.coordinate + offset
    raise IndexError(velocity)


def stepped(skeleton: Skeleton, configuration: Array, step: Array) -> Array:
    """Return the configuration after a step of the tree's velocities; quaternions stay of unit length."""
    result = np.array(configuration)
    for link in skeleton.links:
        place, velocity = link.coordinate, link.velocity
        for move, _ in link.joint.kind.moves:
            if move is Move.BALL:
                turn, before = np.concatenate([[1.0], 0.5 * step[velocity : velocity + 3]]), result[place : place + 4]
                after = quaternion_product(turn, before) if link.floats else quaternion_product(before, turn)
                result[place : place + 4] = after
                result[place : place + 4] /= np.linalg.norm(result[place : place + 4])
                place, velocity = place + 4, velocity + 3
            else:
                result[place] += step[velocity]
                place, velocity = place + 1, velocity + 1
    return result


def quaternion_product(a: Array, b: Array) -> Array:
    """Return the product a b of two quaternions."""
    return np.concatenate([[a[0] * b[0] - a[1:] @ b[1:]], a[0] * b[1:] + b[0] * a[1:] + cross(a[1:], b[1:])])


def start(skeleton: Skeleton) -> Array:
    """Return the configuration that the file gives, not yet assembled; floating bodies where a joint puts them."""
    configuration = np.concatenate([np.array(link.joint.start) for link in skeleton.links])
    floating = [k for k, link in enumerate(skeleton.links) if link.floats]
    for k in floating:
        at = posture(skeleton, configuration)
        held = next((cut for cut in skeleton.cuts if _reaches(cut, k, floating)), None)
        if held is None:
            continue
        near, far = (held.parent, held.child) if held.child.link == k else (held.child, held.parent)
        p_near, R_near = at.frame(near)
        turn = quaternion_matrix(np.array(held.joint.start)) if held.joint.type == "spherical" else np.eye(3)
        R_far = R_near @ (turn if near is held.parent else turn.T)
        R_link = R_far @ far.R.T
        p_link = p_near - R_link @ far.p
        place = skeleton.links[k].coordinate
        configuration[place : place + 3] = p_link
        configuration[place + 3 : place + 7] = matrix_quaternion(R_link)
        floating = [other for other in floating if other != k]
    return configuration


def _reaches(cut: Cut, link: int, floating: list[int]) -> bool:
    """Tell whether a cut joint connects a floating link with one that is placed already."""
    ends = (cut.parent.link, cut.child.link)
    return link in ends and not any(end in floating for end in ends if end != link)
