"""What a motion asks of every joint: the wrench it carries, how fast it moves and how far, to choose bearings by.

A robot of legs is taken as its graph of bodies and joints. Wrenches are in the axes of the joint's own frame on its
child, about its origin: z is the axis of a revolute, prismatic, cylindrical or screw joint.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.errors import MotionError
from parakin.units import CoordinateUnits

if TYPE_CHECKING:
    from parakin.robot import Robot
    from parakin.trajectory import Samples

WITH_AXIS = ("revolute", "prismatic", "cylindrical", "screw")
"""Kinds of joints that have one axis, along which a bearing carries otherwise than across it."""


@frozen_arrays
class JointLoads:
    """Wrenches and motion of every joint along a motion."""

    joints: tuple[str, ...]
    """Names of the joints, as in `robot.wrench_names`."""
    kinds: tuple[str, ...]
    """Kind of each joint, as in mechanism files."""
    t: Array
    """Times of the samples (N,) [s]."""
    wrench: Array
    """Force [N] and moment [N m] on the child by the parent (N, joints, 6), in the joint's axes on the child."""
    unique: NDArray[np.bool_]
    """Which joints (joints,) carry what follows from the motion; what others carry is the least of many that would do,
    for redundant constraints can strain against each other."""
    freedoms: tuple[str, ...]
    """Names of the freedoms, joint.freedom."""
    units: tuple[CoordinateUnits, ...]
    """Units of each freedom."""
    coordinate: Array
    """Angles and ways (N, freedoms) [rad or m]; NaN of balls, whose turns are no angles."""
    rate: Array
    """Their rates (N, freedoms) [rad/s or m/s]; of a ball its angular velocity."""

    @property
    def force(self) -> Array:
        """Size of the force that each joint carries (N, joints) [N]."""
        return np.linalg.norm(self.wrench[..., :3], axis=2)

    @property
    def moment(self) -> Array:
        """Size of the moment that each joint carries (N, joints) [N m], a motor's and friction's included."""
        return np.linalg.norm(self.wrench[..., 3:], axis=2)

    @property
    def axial(self) -> Array:
        """Size of the force along the axis of each joint (N, joints) [N]; NaN of joints without one axis."""
        return np.where(self._with_axis, np.abs(self.wrench[..., 2]), np.nan)

    @property
    def radial(self) -> Array:
        """Size of the force across the axis of each joint (N, joints) [N]; NaN of joints without one axis."""
        return np.where(self._with_axis, np.linalg.norm(self.wrench[..., :2], axis=2), np.nan)

    @property
    def tilting(self) -> Array:
        """Size of the moment across the axis of each joint (N, joints) [N m]; NaN of joints without one axis."""
        return np.where(self._with_axis, np.linalg.norm(self.wrench[..., 3:5], axis=2), np.nan)

    @property
    def travel(self) -> Array:
        """Way of each freedom over the motion, back and forth added up (freedoms,) [rad or m]."""
        return np.asarray(np.trapezoid(np.abs(self.rate), self.t, axis=0), float)

    def rms(self, values: Array) -> Array:
        """Return the root mean square over time of values (N, ...).

        >>> loads = pk.analysis.joint_loads(pk.trajectory.motion("point_to_point", linkage).sampled(200.0), linkage)
        >>> dict(zip(loads.joints, loads.rms(loads.force).round(2).tolist()))
        {'crank': 7.53, 'crank_coupler': 5.36, 'coupler_rocker': 2.51, 'rocker': 4.36}
        """
        if len(self.t) == 1:
            return np.abs(values[0])
        return np.sqrt(np.trapezoid(values**2, self.t, axis=0) / (self.t[-1] - self.t[0]))

    @property
    def _with_axis(self) -> NDArray[np.bool_]:
        return np.array([kind in WITH_AXIS for kind in self.kinds])


def joint_loads(samples: Samples, robot: Robot) -> JointLoads:
    """Return what the samples of a motion ask of every joint of a robot, with whatever it carries.

    A state that the robot cannot be in is refused; limits are looked at by `trajectory.check`.

    >>> loads = pk.analysis.joint_loads(pk.trajectory.motion("point_to_point", linkage).sampled(200.0), linkage)
    >>> loads.kinds, loads.unique.all()
    (('revolute', 'revolute', 'revolute', 'revolute'), np.False_)
    """
    if samples.kind != robot.motion_type:
        raise MotionError("samples", "robot", f"the motion is {samples.kind}, {robot.name} is {robot.motion_type}")
    if not len(samples.t):
        raise MotionError("samples", "t", "there is no state to take loads of")
    graph = robot.graph
    *state, near = robot.graph_state(samples.pose, samples.velocity, samples.acceleration)
    carried = graph.joint_wrenches(*state, near=near)
    bad = np.flatnonzero(~np.isfinite(carried.wrench).all(axis=(1, 2)))
    if len(bad):
        reason = f"{robot.name} cannot be there at t = {samples.t[bad[0]]:.6g} s: trajectory.check says why"
        raise MotionError("samples", "pose", reason)
    moved = graph.joints(*state, near=near)
    places = {name: moved.coordinate[:, k] for k, name in enumerate(graph.coordinate_names)}
    unknown = np.full(len(samples.t), np.nan)
    coordinate = np.stack([places.get(name, unknown) for name in graph.joint_names], axis=1)
    joints = {joint.name: joint for joint in graph.graph_description.joints}
    return JointLoads(
        graph.wrench_names,
        tuple(joints[name].type for name in graph.wrench_names),
        samples.t,
        _in_own_axes(graph, carried.wrench, graph.body_frames(state[0], near=near).R),
        np.asarray(carried.unique.all(axis=0)),
        graph.joint_names,
        tuple(_units(graph)[name] for name in graph.joint_names),
        coordinate,
        moved.rate,
    )


def _units(graph: Robot) -> dict[str, CoordinateUnits]:
    """Return the units of every freedom of every joint, by its name."""
    return {
        f"{joint.name}.{freedom.name}": freedom.units
        for joint in graph.graph_description.joints
        for freedom in joint.kind.freedoms
    }


def _in_own_axes(graph: Robot, wrench: Array, R: Array) -> Array:
    """Return wrenches (N, joints, 6) in the axes of the joints' frames on their children, of orientation R."""
    joints = {joint.name: joint for joint in graph.graph_description.joints}
    result = np.empty_like(wrench)
    for k, name in enumerate(graph.wrench_names):
        joint = joints[name]
        own = joint.frame_on_child.rotation
        if joint.child in graph.body_names:
            own = R[:, graph.body_names.index(joint.child)] @ own
        for part in (slice(0, 3), slice(3, 6)):
            result[:, k, part] = np.einsum("...ji,...j->...i", own, wrench[:, k, part])
    return result
