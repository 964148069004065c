"""Methods of a robot about where things are and how they move."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.arrays import Array, read_only
from parakin.description.model import OUTPUT, TOOL
from parakin.errors import KernelInputError, UnknownNameError
from parakin.kernels.arguments import as_array, as_rows, whole_number
from parakin.kinematics.dimensions import dimensions_of
from parakin.kinematics.directions import directions_of
from parakin.kinematics.joint_table import joint_angles
from parakin.robot.core import RobotCore
from parakin.robot.results import Bodies, BodyFrames, Elements, Joints, OutputMotion, PlatformFrame, Points, PosesFound

if TYPE_CHECKING:
    from parakin.assembly import AssemblyModes
    from parakin.assembly.search import SomeAssemblyModes
    from parakin.description import RobotDescription
    from parakin.kinematics.dimensions import Dimension
    from parakin.kinematics.directions import DirectionEntry
    from parakin.kinematics.joint_table import JointAngle
    from parakin.mechanism import Plan
    from parakin.motions import MotionType
    from parakin.robot.leading import Led


class Kinematics(RobotCore):
    """Positions, rates and accelerations of actuators, platform, elements, joints and bodies.

    Wherever a method takes `near`: the loops of a mechanism have no closed form, and the configuration of a pose is
    searched for from `near`, one that `configuration` gave for a neighbouring pose; from home's by default. Legs have
    closed forms, or searches of their own, and do not look at it.
    """

    # Names and tables ----------------------------------------------------------------------------------------------

    @property
    def description(self) -> RobotDescription:
        """The robot file of legs and platform; of another machine see `graph_description`."""
        return self.engine.leg_file("description")

    @property
    def motion_type(self) -> MotionType:
        """The motion as an object: coordinates, units, how poses are stepped and compared.

        A pose with only some components of a spherical joint's angular velocity has none: see `coordinates`.
        """
        return self.engine.motion_type

    @property
    def plan(self) -> Plan:
        """How the loops of bodies and joints are computed, and what the joints allow; `print` it."""
        return self.engine.plan

    @functools.cached_property
    def joint_table(self) -> tuple[JointAngle, ...]:
        """Every passive joint angle of the legs with its limits."""
        return joint_angles(self.engine.leg_file("joint_table"))

    @functools.cached_property
    def geometry_table(self) -> tuple[Dimension, ...]:
        """Every dimension of the legs with name, unit and value."""
        return dimensions_of(self.engine.leg_file("geometry"))

    @functools.cached_property
    def geometry_names(self) -> tuple[str, ...]:
        """Names of the dimensions."""
        return tuple(dimension.name for dimension in self.geometry_table)

    @functools.cached_property
    def geometry(self) -> Array:
        """Values of the dimensions [m, rad], which free=("geometry",) makes an input; read-only."""
        return read_only([dimension.value for dimension in self.geometry_table])

    @functools.cached_property
    def direction_names(self) -> tuple[str, ...]:
        """Names of the components of directions: of axes, rails and references."""
        return tuple(entry.name for entry in self._directions)

    @functools.cached_property
    def directions(self) -> Array:
        """Components of the directions, which free=("directions",) makes an input; read-only.

        They are of unit length here, and of any length in a call.
        """
        return read_only([entry.value for entry in self._directions])

    @functools.cached_property
    def _directions(self) -> tuple[DirectionEntry, ...]:
        return tuple(directions_of(self.engine.leg_file("directions")))

    # Actuators from the platform -----------------------------------------------------------------------------------

    def inverse_kinematics(self, pose: ArrayLike, *, near: ArrayLike | None = None) -> Array:
        """Return the actuator positions q (..., m) [m or rad] of poses.

        A single pose beyond a stroke or a joint limit raises; in a batch its row has its values, and `check` tells.

        >>> robot.inverse_kinematics(pose).round(4)
        array([-0.1802, -0.5425, -0.7979])
        """
        q = self.engine.value("inverse_kinematics", "q", (pose,), near)
        if q.ndim == 1:
            self.engine.refuse_beyond(as_array(self.name, "pose", pose), q, near)
        return q

    def actuator_velocity(self, pose: ArrayLike, velocity: ArrayLike, *, near: ArrayLike | None = None) -> Array:
        """Return the actuator rates q_dot = J_qv v (..., m) [m/s or rad/s].

        >>> robot.actuator_velocity(pose, velocity).round(3)
        array([ 0.852, -1.072, -1.896])
        """
        return self.engine.value("actuator_velocity", "q_dot", (pose, velocity), near)

    def actuator_acceleration(
        self, pose: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike, *, near: ArrayLike | None = None
    ) -> Array:
        """Return the actuator accelerations q_ddot = J_qv a + J_qv_dot v (..., m) [m/s^2 or rad/s^2].

        >>> robot.actuator_acceleration(pose, velocity, acceleration).round(3)
        array([7.297, 0.999, 1.753])
        """
        return self.engine.value("actuator_acceleration", "q_ddot", (pose, velocity, acceleration), near)

    def jacobian(self, pose: ArrayLike, *, near: ArrayLike | None = None) -> Array:
        """Return J_qv (..., m, n) with q_dot = J_qv v.

        >>> robot.jacobian(pose).round(3)
        array([[ 2.639, -0.461,  3.754],
               [-2.482,  2.305,  2.914],
               [-2.208, -2.773,  2.373]])
        """
        return self.engine.value("jacobian", "J_qv", (pose,), near)

    def jacobian_rate(self, pose: ArrayLike, velocity: ArrayLike, *, near: ArrayLike | None = None) -> Array:
        """Return dJ_qv/dt (..., m, n) along a velocity.

        >>> robot.jacobian_rate(pose, velocity).round(3)
        array([[-4.482, -1.809,  2.483],
               [-3.768, -2.914, -1.2  ],
               [-2.496,  1.178, -2.266]])
        """
        return self.engine.value("jacobian_rate", "J_qv_dot", (pose, velocity), near)

    # Platform from the actuators -----------------------------------------------------------------------------------

    def platform_velocity(self, pose: ArrayLike, q_dot: ArrayLike, *, near: ArrayLike | None = None) -> Array:
        """Return the velocity v (..., n) with J_qv v = q_dot, in the least-squares sense if redundant.

        >>> robot.platform_velocity(pose, [1.0, 0.0, -1.0]).round(4)
        array([0.2908, 0.2034, 0.0869])
        """
        return self.engine.value("platform_velocity", "velocity", (pose, q_dot), near)

    def platform_acceleration(
        self, pose: ArrayLike, velocity: ArrayLike, q_ddot: ArrayLike, *, near: ArrayLike | None = None
    ) -> Array:
        """Return the acceleration a (..., n) with J_qv a + J_qv_dot v = q_ddot.

        >>> robot.platform_acceleration(pose, velocity, [10.0, 0.0, -10.0]).round(3)
        array([3.019, 2.272, 1.58 ])
        """
        return self.engine.value("platform_acceleration", "acceleration", (pose, velocity, q_ddot), near)

    def forward_kinematics(self, q: ArrayLike, *, near: ArrayLike | None = None) -> Array:
        """Return the pose (..., coordinates) with these actuator positions, on the assembly mode of `near` (home).

        near: a configuration, which of a robot of legs is a pose; the platform is found within half a turn of it,
        unless motors count its turns. Poses that did not converge are never returned: such states raise, or are NaN in
        a batch. A single pose beyond a stroke or a joint limit raises too. A mechanism must have as many motors as
        freedoms.

        >>> robot.forward_kinematics([0.1, 0.2, 0.3]).round(4)
        array([-0.0149, -0.0082, -0.271 ])
        """
        pose = self.engine.found_pose(q, near)
        if pose.ndim == 1:
            self.engine.refuse_beyond(pose, as_array(self.name, "q", q), near)
        return pose

    def poses_with(self, q: ArrayLike, near: ArrayLike) -> PosesFound:
        """Return the poses with actuator positions q (N, m), each searched for from one of the configurations (N, c).

        What `forward_kinematics` does, with configurations to go on from, and a status in place of errors.

        >>> found = linkage.poses_with([[0.3], [0.4]], linkage.configurations([[0.0], [0.0]]))
        >>> found.pose[:, 0], found.status
        (array([0.3, 0.4]), array([0, 0], dtype=int32))
        """
        return self.engine.poses_with(as_array(self.name, "q", q), as_array(self.name, "near", near))

    def unit_length(self, configurations: ArrayLike) -> Array:
        """Return configurations (..., c) with quaternions in them divided by their lengths, after interpolation.

        >>> hexapod = pk.load("gough_stewart")
        >>> hexapod.unit_length([0, 0, 0.8, 2.0, 0, 0, 0])
        array([0. , 0. , 0.8, 1. , 0. , 0. , 0. ])
        """
        return self.engine.unit_length(as_array(self.name, "configurations", configurations))

    def assembly_modes(self, q: ArrayLike) -> AssemblyModes:
        """Return every pose with these actuator positions (..., m), of any working mode: complete, each once.

        Robots with other legs than struts, arms, rails and offset arms, redundant ones, and mechanisms are refused: see
        `some_assembly_modes`. A set of offset arms takes about half a second: 2560 complex solutions are followed.

        >>> modes = robot.assembly_modes(robot.inverse_kinematics(pose))
        >>> modes.poses[: modes.count].round(4)
        array([[-0.0309, -0.0104,  0.2327],
               [ 0.1   ,  0.05  , -0.45  ]])
        """
        description = self.engine.leg_file("assembly_modes")
        from parakin.assembly import assembly_modes

        return assembly_modes(description, q)

    def some_assembly_modes(self, q: ArrayLike, *, starts: int = 1000, seed: int = 0) -> SomeAssemblyModes:
        """Return poses with these actuator positions (..., m) that a search finds from random starts: maybe not all.

        It is forward kinematics from home and from `starts` random configurations, or poses of a robot of legs, each
        result kept once. Nothing says that the list is complete; `hits` tells how many starts led to each. Robots that
        `assembly_modes` takes have complete lists there. Limits of joints are not looked at; of a robot of legs only
        poses of the file's working mode are found.

        >>> modes = linkage.some_assembly_modes([0.3], starts=50)
        >>> print(modes)
        2 assembly modes found from 50 random starts; the list may not be complete
        """
        from parakin.assembly.search import gathered

        motors = len(self.actuator_names)
        values = as_rows(self.name, "q", q, motors)
        if values.ndim == 1 and not np.isfinite(values).all():
            raise KernelInputError(self.name, "q", "finite numbers", str(values.tolist()))
        if not values.size:
            raise KernelInputError(self.name, "q", "at least one set of actuator positions", f"shape {values.shape}")
        count = whole_number(self.name, "starts", starts, 0)
        arrivals = [self.engine.arrivals(row, count, seed) for row in values.reshape(-1, motors)]
        return gathered(arrivals, values.shape[:-1], count)

    # Everything that moves -----------------------------------------------------------------------------------------

    def configuration(self, pose: ArrayLike, *, near: ArrayLike | None = None) -> Array:
        """Return what a search at neighbouring poses starts from, for `near`.

        Of a mechanism the coordinates (..., c) of the joints of its tree; of a robot of legs the pose itself.

        >>> near = linkage.configuration([0.3])
        >>> linkage.inverse_dynamics([0.31], [1.0], [0.0], near=near).round(3)
        array([0.171])
        """
        return self.engine.configuration(pose, near)

    def configurations(self, poses: ArrayLike, *, near: ArrayLike | None = None) -> Array:
        """Return what searches at poses (N, coordinates) along a motion start from (N, c), for `near`.

        The configuration of the first pose is searched for from `near` (home's by default), that of each other one from
        the one before: on one branch throughout. A pose that cannot be reached so gets the last that was. Of a robot of
        legs they are the poses themselves.

        >>> path = linkage.configurations([[0.0], [0.5], [1.0]])
        >>> linkage.inverse_dynamics([[0.0], [0.5], [1.0]], [1.0], [0.0], near=path).shape
        (3, 1)
        """
        return self.engine.configurations(as_array(self.name, "poses", poses), near)

    def pose_of(self, configuration: ArrayLike) -> Array:
        """Return the pose (..., n) of configurations with closed loops.

        >>> linkage.pose_of(linkage.configuration([0.3]))
        array([0.3])
        """
        return self.engine.pose_of(configuration)

    def led_from_home(self, poses: ArrayLike) -> Led:
        """Return the configurations (N, c) to which straight paths from home lead, at poses (N, n), and their statuses.

        They tell which branch poses are on, and how often a joint has turned. Limits do not end a path. Legs in closed
        form have no other branch, and their configurations are the poses.

        >>> linkage.led_from_home([[0.3], [6.5]]).configuration[:, linkage.place_names.index("crank.angle")]
        array([0.3, 6.5])
        """
        return self.engine.led_from_home(as_array(self.name, "poses", poses))

    def places(self, pose: ArrayLike) -> Array:
        """Return the places (..., `place_names`) of poses, from which all else follows: the poses themselves, or more.

        What a pose does not say by a formula is searched for from home. Rows of poses at which the robot cannot be are
        NaN. Places are what control laws carry from tick to tick.

        >>> linkage.places([0.3]).round(4)
        array([ 0.3   , -0.3597,  0.1213])
        """
        return self.engine.places(pose)

    def limited_values(self, pose: ArrayLike, *, near: ArrayLike | None = None) -> tuple[Array, Array]:
        """Return the values that `strokes` and `joint_limits` bound, at poses; without columns where there is none.

        >>> actuators, joints = robot.limited_values(pose)
        >>> actuators.round(4)
        array([-0.1802, -0.5425, -0.7979])
        """
        return self.engine.limited_values(pose, near)

    def platform_frame(self, pose: ArrayLike, *, near: ArrayLike | None = None) -> PlatformFrame:
        """Return where the platform's frame E is, or the output frame of a mechanism.

        >>> robot.platform_frame(pose).p
        array([ 0.1 ,  0.05, -0.45])
        """
        still = np.zeros(self.degrees_of_freedom)
        return PlatformFrame(*self.engine.output(pose, still, still, near)[:2])

    def output(
        self, pose: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike, *, near: ArrayLike | None = None
    ) -> OutputMotion:
        """Return the platform's frame E, or the output frame of a mechanism, with its twist and the derivative.

        >>> robot.output(pose, velocity, acceleration).twist
        array([ 0.5,  0.2, -0.1,  0. ,  0. ,  0. ])
        """
        return self.engine.output(pose, velocity, acceleration, near)

    def elements(self, pose: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike) -> Elements:
        """Return A, x, d, theta of every element of the legs with two derivatives, and its spin rate.

        >>> elements = robot.elements(pose, velocity, acceleration)
        >>> elements.x[robot.element_names.index("leg1.forearm")].round(4)
        array([-0.5722,  0.1   , -0.814 ])
        """
        out = self.engine.call("elements", pose=pose, velocity=velocity, acceleration=acceleration)
        return Elements(**{name: out[name] for name in Elements.__dataclass_fields__})

    def bodies(
        self, pose: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike, *, near: ArrayLike | None = None
    ) -> Bodies:
        """Return p, v, a of every centre of mass and R, w, w_dot of every body.

        >>> bodies = robot.bodies(pose, velocity, acceleration)
        >>> bodies.p[robot.body_names.index("platform.plate")].round(4)
        array([ 0.1  ,  0.05 , -0.462])
        """
        out = self.engine.call("bodies", near=near, pose=pose, velocity=velocity, acceleration=acceleration)
        return Bodies(out["p"], out["v"], out["a"], out["R"], out["w"], out["w_dot"])

    def body_frames(self, pose: ArrayLike, *, near: ArrayLike | None = None) -> BodyFrames:
        """Return where the frames of all bodies are, in which the file gives their centres of mass and joints.

        >>> frames = linkage.body_frames([0.3])
        >>> frames.p[linkage.body_names.index("coupler")].round(4)
        array([-0.031 ,  0.    ,  0.0179])
        """
        out = self.engine.call("body_frames", near=near, pose=pose)
        return BodyFrames(out["p"], out["R"])

    def frame(self, name: str, pose: ArrayLike, *, near: ArrayLike | None = None) -> PlatformFrame:
        """Return where a frame of interest is, by its name in `frame_names`; "output" is the output frame.

        "tool" is the tool frame, where the file has one.

        >>> frame = linkage.frame("output", [0.3])
        >>> (frame.p + frame.R @ [0.01, 0, 0]).round(4)  # a point 10 mm along the frame's x
        array([0.1688, 0.    , 0.1762])
        """
        still = np.zeros(self.degrees_of_freedom)
        return PlatformFrame(*self.frame_motion(name, pose, still, still, near=near)[:2])

    def frame_motion(
        self,
        name: str,
        pose: ArrayLike,
        velocity: ArrayLike,
        acceleration: ArrayLike,
        *,
        near: ArrayLike | None = None,
    ) -> OutputMotion:
        """Return a frame of interest, by its name in `frame_names`, with its twist and the derivative.

        >>> linkage.frame_motion("output", [0.3], [1.0], [0.0]).twist[:3].round(4)
        array([-0.0816,  0.    ,  0.0147])
        """
        if name not in self.frame_names:
            raise UnknownNameError("frame", name, self.frame_names)
        if name == OUTPUT:
            return self.output(pose, velocity, acceleration, near=near)
        if name == TOOL and self.tool is not None:
            E = self.output(pose, velocity, acceleration, near=near)
            return E.carrying(np.array(self.tool.position), self.tool.rotation)
        k = self.frame_names.index(name)
        out = self.engine.call("named_frames", near=near, pose=pose, velocity=velocity, acceleration=acceleration)
        p, twist, twist_dot = (out[key][..., k, :] for key in ("p", "twist", "twist_dot"))
        return OutputMotion(p, out["R"][..., k, :, :], twist, twist_dot)

    def joints(
        self, pose: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike, *, near: ArrayLike | None = None
    ) -> Joints:
        """Return joint coordinates, in the order of `coordinate_names`, with rates and accelerations, by `joint_names`.

        Of a robot of legs they are the angles of passive joints; of a mechanism all joints.

        >>> angles = robot.joints(pose, velocity, acceleration)
        >>> dict(zip(robot.joint_names, angles.coordinate.round(3).tolist()))
        {'leg1.forearm.joint': 2.001, 'leg2.forearm.joint': 1.858, 'leg3.forearm.joint': 1.747}
        """
        out = self.engine.call("joints", near=near, pose=pose, velocity=velocity, acceleration=acceleration)
        return Joints(out["coordinate"], out["rate"], out["acceleration_of_joints"])

    def points(self, pose: ArrayLike) -> Points:
        """Return root and tip of every element of the legs, for drawing.

        >>> points = robot.points(pose)
        >>> points.tip[robot.element_names.index("leg1.arm")].round(4)
        array([ 0.4361,  0.    , -0.043 ])
        """
        out = self.engine.call("points", pose=pose)
        return Points(out["root"], out["tip"])

    # How good a pose is --------------------------------------------------------------------------------------------

    def check(self, pose: ArrayLike, *, near: ArrayLike | None = None) -> NDArray[np.int32]:
        """Return the Status (...) of each pose, limits included. A single pose is refused only if it is not finite.

        A mechanism is led to each pose from home along a straight way, unless `near` tells a configuration to search
        from.

        >>> pk.Status(robot.check(pose)), pk.Status(robot.check([0.9, 0, -0.43]))
        (<Status.GOOD: 0>, <Status.UNREACHABLE: 1>)
        """
        return self.engine.status(pose, near)

    def condition(self, pose: ArrayLike, *, near: ArrayLike | None = None) -> Array:
        """Return the condition number (...) of J_qv, with rotations scaled by the robot's length.

        Of a mechanism it is that of the map from rates of its motors to the twist of its output frame, with lengths
        divided by `robot.length`: of J_qv^-1, if its pose is that of a platform. It is infinite where a pose is no
        good, and where motors move the output in fewer ways than elsewhere.

        >>> robot.condition([robot.home, pose]).round(3)
        array([1.28 , 1.504])
        """
        return self.engine.condition(pose, near)
