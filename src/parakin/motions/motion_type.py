"""What a type of platform motion is: coordinates of a pose, the velocity that goes with them, and their algebra.

A pose holds positions along base axes, and then the orientation: nothing, one angle about z, or a unit quaternion
(w, x, y, z). The velocity holds components of v_E and then of w_E, both in base axes. An offset (a displacement) has as
many numbers as the velocity: lengths, then an angle or a rotation vector in base axes.

The motion of a mechanism is one of joints: its pose holds coordinates of joints, lengths and angles in any order, and
its velocity their rates. It has no axes of its own in space: `linear` and `angular` are empty. Three numbers of a pose
may be the turns of a ball (`motions.turns`), whose velocity is its angular velocity, and whose offsets and errors are
rotation vectors, all in the axes that the ball has reached.

Methods that compute are symbolic, and import CasADi when they are called: a robot whose kernels are in the cache
needs none; `motions.offsets` does the same kind of work on arrays of numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from parakin.motions.turns import (
    small_vector,
    symbolic_quaternion,
    symbolic_rates,
    symbolic_step,
    symbolic_turn,
)
from parakin.units import ANGLE, LENGTH, NUMBER, CoordinateUnits

if TYPE_CHECKING:
    import casadi as ca

QUATERNION_TOLERANCE = 1e-6
"""A quaternion further than this from length 1 is refused: it is a mistake, not rounding."""


@dataclass(frozen=True)
class MotionType:
    """A type of motion, complete as data: everything else follows from these six.

    >>> spatial.coordinates, spatial.degrees_of_freedom, spatial.velocity_names
    (('x', 'y', 'z', 'qw', 'qx', 'qy', 'qz'), 6, ('vx', 'vy', 'vz', 'wx', 'wy', 'wz'))
    """

    name: str
    """What robot files call it."""
    coordinates: tuple[str, ...]
    """Names of the numbers of a pose, in order."""
    linear: tuple[int, ...]
    """Base axes along which the platform moves (0 for x), in the order of pose and velocity."""
    angular: tuple[int, ...] = ()
    """Base axes about which it turns: none, z alone, or all three."""
    joint_units: tuple[CoordinateUnits, ...] = ()
    """Units of each coordinate where they are coordinates of joints; none where a platform moves."""
    balls: tuple[int, ...] = ()
    """Where the turns of balls begin in pose and velocity, three each; only where coordinates are those of joints."""

    def __str__(self) -> str:
        return f"{self.name} ({', '.join(self.coordinates)})" if self.of_joints else self.name

    # Data that follow ----------------------------------------------------------------------------------------------

    @cached_property
    def degrees_of_freedom(self) -> int:
        """How many numbers a velocity has."""
        return len(self.linear) + len(self.angular) + len(self.joint_units)

    @property
    def of_joints(self) -> bool:
        """Whether the coordinates are those of joints, not of a platform."""
        return bool(self.joint_units)

    @cached_property
    def quaternion(self) -> slice | None:
        """Where a pose holds its unit quaternion (w, x, y, z); None where the orientation is no quaternion."""
        return slice(len(self.linear), len(self.linear) + 4) if len(self.angular) == 3 else None

    @property
    def turns(self) -> bool:
        """Whether anything turns: the platform, or a joint whose angle is a coordinate."""
        return ANGLE in self.axes

    @property
    def slides(self) -> bool:
        """Whether anything moves along a way: the platform, or a joint whose length is a coordinate."""
        return LENGTH in self.axes

    @property
    def turns_about_z(self) -> bool:
        """Whether the orientation is one angle about z."""
        return self.angular == (2,)

    @property
    def planar(self) -> bool:
        """Whether everything moves in the plane z = 0."""
        return bool(self.linear) and 2 not in self.linear

    @cached_property
    def axes(self) -> tuple[CoordinateUnits, ...]:
        """Units of each component of a velocity: those of joints; or of a length, and then those of an angle."""
        return self.joint_units or (LENGTH,) * len(self.linear) + (ANGLE,) * len(self.angular)

    @cached_property
    def units(self) -> tuple[str, ...]:
        """Unit of each number of a pose."""
        if self.of_joints:
            return tuple(axis.position for axis in self.axes)
        turning = NUMBER if self.quaternion else ANGLE.position
        lengths = len(self.linear)
        return (LENGTH.position,) * lengths + (turning,) * (len(self.coordinates) - lengths)

    @cached_property
    def velocity_names(self) -> tuple[str, ...]:
        """Name of each component of a velocity: vx, ..., wz; of joints those of the pose."""
        if self.of_joints:
            return self.coordinates
        return (*(f"v{'xyz'[axis]}" for axis in self.linear), *(f"w{'xyz'[axis]}" for axis in self.angular))

    @cached_property
    def acceleration_names(self) -> tuple[str, ...]:
        """Name of each component of an acceleration: ax, ..., wz_dot; of joints those of the pose."""
        if self.of_joints:
            return self.coordinates
        return (*(f"a{'xyz'[axis]}" for axis in self.linear), *(f"w{'xyz'[axis]}_dot" for axis in self.angular))

    @cached_property
    def offset_names(self) -> tuple[str, ...]:
        """Name of each number of an offset: those of the pose, but rx, ry, rz of a rotation vector."""
        if self.quaternion is None:
            return self.coordinates
        return (*self.coordinates[: len(self.linear)], *(f"r{'xyz'[axis]}" for axis in self.angular))

    def scale(self, length: float) -> list[float]:
        """Return factors for a velocity or an offset that count a rotation as the way of a point `length` [m] away.

        >>> spatial.scale(0.2)
        [1.0, 1.0, 1.0, 0.2, 0.2, 0.2]
        """
        return [length if axis == ANGLE else 1.0 for axis in self.axes]

    # Symbolic ------------------------------------------------------------------------------------------------------

    def twist_maps(self) -> tuple[ca.SX, ca.SX]:
        """Return L and W with v_E = L velocity and w_E = W velocity.

        >>> L, W = pk.motions.PLANAR.twist_maps()
        >>> L.shape, W.shape
        ((3, 3), (3, 3))
        """
        import casadi as ca

        freedom = self.degrees_of_freedom
        L, W = ca.SX(3, freedom), ca.SX(3, freedom)
        for column, row in enumerate(self.linear):
            L[row, column] = 1
        for column, row in enumerate(self.angular):
            W[row, len(self.linear) + column] = 1
        return L, W

    def position(self, pose: ca.SX) -> ca.SX:
        """Return p_OE of a pose; what does not move is zero.

        >>> ca.Function("p_OE", [pose], [spatial.position(pose)])(home)
        DM([0, 0, 0.8])
        """
        import casadi as ca

        p_OE = ca.SX.zeros(3)
        for k, row in enumerate(self.linear):
            p_OE[row] = pose[k]
        return p_OE

    def rotation(self, pose: ca.SX) -> ca.SX:
        """Return R_OE of a pose, which may hold the nine numbers of R_OE (by columns) in place of a quaternion.

        >>> ca.Function("R_OE", [pose], [spatial.rotation(pose)])(quarter).full().round(6)[:, 2]
        array([0., 0., 1.])
        """
        import casadi as ca

        from parakin.spatial import rotation_about_z, rotation_of_quaternion

        start = len(self.linear)
        if self.quaternion is not None:
            matrix = pose.shape[0] == start + 9
            return ca.reshape(pose[start:], 3, 3) if matrix else rotation_of_quaternion(pose[self.quaternion])
        return rotation_about_z(pose[start]) if self.turns else ca.SX.eye(3)

    def angle(self, pose: ca.SX) -> ca.SX:
        """Return the angle about z where that is the orientation, and 0 elsewhere.

        >>> q = ca.SX.sym("q", 4)
        >>> ca.Function("angle", [q], [pk.motions.SCHOENFLIES.angle(q)])([0, 0, 0, 0.3])
        DM(0.3)
        """
        import casadi as ca

        return pose[len(self.linear)] if self.turns_about_z else ca.SX(0)

    def usable(self, pose: ca.SX) -> ca.SX:
        """Return whether the quaternion of a pose, if it has one, is of unit length.

        >>> ca.Function("usable", [pose], [spatial.usable(pose)])([0, 0, 0.8, 2, 0, 0, 0])
        DM(0)
        """
        import casadi as ca

        if self.quaternion is None:
            return ca.SX(1)
        return ca.fabs(ca.sumsqr(pose[self.quaternion]) - 1) < 2 * QUATERNION_TOLERANCE

    def normalized(self, pose: ca.SX) -> ca.SX:
        """Return the pose with its quaternion, if it has one, divided by its length.

        >>> ca.Function("unit", [pose], [spatial.normalized(pose)])([0, 0, 0.8, 2, 0, 0, 0])
        DM([0, 0, 0.8, 1, 0, 0, 0])
        """
        import casadi as ca

        if self.quaternion is None:
            return pose
        start = self.quaternion.start
        quaternion = pose[self.quaternion]
        return ca.vertcat(pose[:start], quaternion / ca.norm_2(quaternion))

    def pose_rate(self, pose: ca.SX, velocity: ca.SX) -> ca.SX:
        """Return d(pose)/dt: the velocity itself, but quat_dot = 1/2 (0, w) quat for a quaternion.

        >>> planar, pose, rate = pk.motions.PLANAR, ca.SX.sym("pose", 3), ca.SX.sym("rate", 3)
        >>> ca.Function("rate", [pose, rate], [planar.pose_rate(pose, rate)])([0, 0, 0.3], [0.1, 0.2, 1.0])
        DM([0.1, 0.2, 1])
        """
        import casadi as ca

        from parakin.spatial import quaternion_product

        if self.balls:
            return _replaced(velocity, {k: symbolic_rates(_ball(pose, k), _ball(velocity, k)) for k in self.balls})
        if self.quaternion is None:
            return velocity
        start = self.quaternion.start
        w = ca.vertcat(0, velocity[start:])
        return ca.vertcat(velocity[:start], 0.5 * quaternion_product(w, pose[self.quaternion]))

    def stepped(self, pose: ca.SX, offset: ca.SX) -> ca.SX:
        """Return the pose after a small offset: positions and angles add, quat + 1/2 (0, r) quat is renormalised.

        A ball's quaternion becomes quat + 1/2 quat (0, r): its offset is in its own axes.

        >>> ca.Function("next", [pose, offset], [spatial.stepped(pose, offset)])(home, [0.01, 0, 0, 0, 0, 0])
        DM([0.01, 0, 0.8, 1, 0, 0, 0])
        """
        import casadi as ca

        from parakin.spatial import quaternion_product

        if self.balls:
            return _replaced(pose + offset, {k: symbolic_step(_ball(pose, k), _ball(offset, k)) for k in self.balls})
        if self.quaternion is None:
            return pose + offset
        start = self.quaternion.start
        before = pose[self.quaternion]
        quaternion = before + 0.5 * quaternion_product(ca.vertcat(0, offset[start:]), before)
        return ca.vertcat(pose[:start] + offset[:start], quaternion / ca.norm_2(quaternion))

    def displacement(self, start: ca.SX, goal: ca.SX) -> ca.SX:
        """Return the small offset from one pose to another: a difference; 2 sign(w) (x, y, z) of goal start^-1.

        Of a ball, whose offset is in its own axes, that of start^-1 goal.

        >>> ca.Function("offset", [pose], [spatial.displacement(ca.SX(home), pose)])([0.1, 0, 0.8, 1, 0, 0, 0])
        DM([0.1, 0, 0, 0, 0, 0])
        """
        import casadi as ca

        from parakin.spatial import quaternion_product

        if self.balls:
            turns = {k: _turn(start, goal, k) for k in self.balls}
            return _replaced(goal - start, {k: small_vector(turn) for k, turn in turns.items()})
        if self.quaternion is None:
            return goal - start
        first = self.quaternion.start
        before = start[self.quaternion]
        back = ca.vertcat(before[0], -before[1:])
        turn = quaternion_product(goal[self.quaternion], back)
        return ca.vertcat(goal[:first] - start[:first], 2 * ca.if_else(turn[0] < 0, -1, 1) * turn[1:])

    def offset_drift(self, velocity: ca.SX) -> ca.SX:
        """Return D with offset_dot = dv + D offset for a small offset carried along.

        It is w x for a rotation vector in base axes, and -w x for one in the axes of a ball.

        >>> ca.Function("D", [offset], [spatial.offset_drift(offset)])([0, 0, 0, 0, 0, 2.0]).shape
        (6, 6)
        """
        import casadi as ca

        from parakin.spatial import skew

        freedom = self.degrees_of_freedom
        drift = ca.SX(freedom, freedom)
        if self.quaternion is not None:
            start = len(self.linear)
            drift[start:, start:] = skew(velocity[start:])
        for k in self.balls:
            drift[k : k + 3, k : k + 3] = -skew(_ball(velocity, k))
        return drift

    def seen_from(self, pose: ca.SX, goal: ca.SX, velocity: ca.SX) -> ca.SX:
        """Return a velocity or acceleration at another pose, `goal`, in the axes that velocities have at a pose.

        Only a ball's axes differ: R_pose^T R_goal takes its angular velocity there to the axes it has reached here.

        >>> moved = ca.Function("moved", [pose, offset], [spatial.seen_from(pose, pose, offset)])
        >>> moved(home, [1, 0, 0, 0, 0, 0])
        DM([1, 0, 0, 0, 0, 0])
        """
        from parakin.spatial import rotation_of_quaternion

        if not self.balls:
            return velocity
        R = {k: rotation_of_quaternion(_turn(pose, goal, k)) for k in self.balls}
        return _replaced(velocity, {k: R[k] @ _ball(velocity, k) for k in self.balls})


def _ball(values: ca.SX, start: int) -> ca.SX:
    """Return the three numbers of a ball."""
    return values[start : start + 3]


def _turn(pose: ca.SX, goal: ca.SX, start: int) -> ca.SX:
    """Return the quaternion from the orientation of a ball at one pose to that at another."""
    return symbolic_turn(symbolic_quaternion(_ball(pose, start)), symbolic_quaternion(_ball(goal, start)))


def _replaced(values: ca.SX, balls: Mapping[int, ca.SX]) -> ca.SX:
    """Return values with the three numbers of each ball replaced."""
    import casadi as ca

    result = ca.SX(values)
    for start, three in balls.items():
        result[start : start + 3] = three
    return result
