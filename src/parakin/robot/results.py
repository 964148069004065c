"""Named results of a robot's methods; arrays have the leading shape of the states that were given."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.kinematics.status import WITH_VALUES, Status


@frozen_arrays
class Evaluation:
    """The outputs of a model with the status of each state; outputs of a state that is not GOOD are NaN.

    >>> out = robot.evaluate("inverse_kinematics", pose=[[0, 0, -0.43], [0.9, 0, -0.43]])
    >>> out.good, out["q"].round(4)
    (array([ True, False]), array([[-0.4043, -0.4043, -0.4043],
           [    nan,     nan,     nan]]))
    """

    values: dict[str, Array]
    """Output name -> array with the leading shape of the states."""
    status: NDArray[np.int32]
    """One of Status for each state."""
    excess: Array
    """How far each leg is from closing (..., legs) [m]: positive where it cannot, -inf for legs that always reach."""
    residual: Array
    """What a search left open (...): loops, or actuator positions [m or rad]; 0 where nothing was searched for."""

    def __getitem__(self, name: str) -> Array:
        return self.values[name]

    @property
    def good(self) -> NDArray[np.bool_]:
        """Which states are GOOD."""
        return np.asarray(self.status == int(Status.GOOD))

    @property
    def has_values(self) -> NDArray[np.bool_]:
        """Which states have values: those that are GOOD or only beyond a limit."""
        return np.isin(self.status, WITH_VALUES)


@frozen_arrays
class Elements:
    """Motion of every kinematic element in base axes, in the order of `element_names`: what a camera would observe."""

    A: Array
    """Root of each element (..., elements, 3) [m]."""
    A_dot: Array
    """Velocity of the root [m/s]."""
    A_ddot: Array
    """Acceleration of the root [m/s^2]."""
    x: Array
    """Unit direction from root to tip (..., elements, 3)."""
    x_dot: Array
    """Rate of the direction [1/s]."""
    x_ddot: Array
    """Second derivative of the direction [1/s^2]."""
    d: Array
    """Length (..., elements) [m]."""
    d_dot: Array
    """Rate of the length [m/s]."""
    d_ddot: Array
    """Second derivative of the length [m/s^2]."""
    theta: Array
    """Angle of a joint inside the element (spindle, screw), 0 for others (..., elements) [rad]."""
    theta_dot: Array
    """Rate of that angle [rad/s]."""
    theta_ddot: Array
    """Second derivative of that angle [rad/s^2]."""
    spin: Array
    """Angular velocity about the line (..., elements) [rad/s]."""


@frozen_arrays
class Bodies:
    """Motion of every body in base axes, in the order of `body_names`."""

    p: Array
    """Centre of mass (..., bodies, 3) [m]."""
    v: Array
    """Velocity of the centre of mass [m/s]."""
    a: Array
    """Acceleration of the centre of mass [m/s^2]."""
    R: Array
    """Orientation (..., bodies, 3, 3): takes coordinates in the body's frame to base axes."""
    w: Array
    """Angular velocity (..., bodies, 3) [rad/s]."""
    w_dot: Array
    """Angular acceleration [rad/s^2]."""


@frozen_arrays
class Joints:
    """Motion of joints: the passive ones of a robot of legs, every one of a mechanism, those that are cut included."""

    coordinate: Array
    """Angles and travels in the order of `coordinate_names` [rad, m; quaternions of a mechanism's balls]."""
    rate: Array
    """Their rates in the order of `joint_names` [rad/s or m/s]; of a ball its angular velocity."""
    acceleration: Array
    """The derivatives of the rates [rad/s^2 or m/s^2]."""


class PlatformFrame(NamedTuple):
    """Where the frame of a platform is, or of a mechanism's output, in base axes."""

    p: Array
    """Its origin (..., 3) [m]."""
    R: Array
    """Its orientation (..., 3, 3): takes coordinates in the frame to base axes."""


class OutputMotion(NamedTuple):
    """The frame of a platform, or of a mechanism's output, in motion, in base axes."""

    p: Array
    """Position of its origin (..., 3) [m]."""
    R: Array
    """Orientation (..., 3, 3): takes coordinates in the frame to base axes."""
    twist: Array
    """Velocity of its origin and angular velocity (..., 6) [m/s, rad/s]."""
    twist_dot: Array
    """Their time derivatives (..., 6) [m/s^2, rad/s^2]."""

    def carrying(self, p: Array, R: Array) -> OutputMotion:
        """Return the motion of a frame that is fixed to this one, its origin at p (3,) with axes R (3, 3) there.

            p_OT = p_OE + R_OE p     v_T = v_E + w x r     a_T = a_E + w_dot x r + w x (w x r),     r = R_OE p

        >>> robot.output(pose, velocity, acceleration).carrying(np.array([0.0, 0.0, -0.1]), np.eye(3)).p
        array([ 0.1 ,  0.05, -0.55])
        """
        r = self.R @ p
        w, w_dot = self.twist[..., 3:], self.twist_dot[..., 3:]
        turning = np.cross(w, r)
        speeding = np.cross(w_dot, r) + np.cross(w, turning)
        still = np.zeros_like(r)
        return OutputMotion(
            self.p + r,
            self.R @ R,
            self.twist + np.concatenate([turning, still], axis=-1),
            self.twist_dot + np.concatenate([speeding, still], axis=-1),
        )


@frozen_arrays
class JointWrenches:
    """What joints carry, in the order of `wrench_names`."""

    wrench: Array
    """Force [N] and moment [N m] on the child by the parent (..., joints, 6), in base axes; the moment about the origin
    of the joint's frame on the child."""
    unique: NDArray[np.bool_]
    """Which of them (..., joints) follow from the motion; the others are the least of many that would do."""


class BodyFrames(NamedTuple):
    """Where the frames of a mechanism's bodies are, in base axes, in the order of `body_names`."""

    p: Array
    """Origins (..., bodies, 3) [m]."""
    R: Array
    """Orientations (..., bodies, 3, 3)."""


class Points(NamedTuple):
    """Ends of every element in base axes, in the order of `element_names`, for drawing."""

    root: Array
    """Where each element begins (..., elements, 3) [m]."""
    tip: Array
    """Where it ends (..., elements, 3) [m]."""


class Energy(NamedTuple):
    """Kinetic and potential energy."""

    kinetic: Array
    """Kinetic energy, rotors included (...) [J]."""
    potential: Array
    """Potential energy, counted from the plane through O across gravity (...) [J]."""


@frozen_arrays
class Linearization:
    """A robot about a state: d/dt [delta; dv] = A [delta; dv] + B dtau.

    delta is a small offset of the pose, of spatial robots translation and rotation vector in base axes.
    """

    A: Array
    """The matrix (..., 2n, 2n)."""
    B: Array
    """The matrix (..., 2n, m)."""
    acceleration: Array
    """The platform's acceleration at the state itself (..., n)."""


class PosesFound(NamedTuple):
    """Where actuator positions put a robot."""

    configuration: Array
    """What searches at neighbouring positions start from (N, c); of a robot of legs its pose."""
    pose: Array
    """Poses (N, coordinates); NaN where none was found."""
    status: NDArray[np.int32]
    """The Status of each (N,); limits are not looked at."""


class GraphState(NamedTuple):
    """States of a robot as those of its bodies and joints."""

    pose: Array
    """Independent coordinates (..., n) [m or rad]."""
    velocity: Array
    """Their rates."""
    acceleration: Array
    """The derivatives of the rates."""
    near: Array
    """Configurations from which those of the poses are searched for."""
