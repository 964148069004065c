"""Mechanism: any closed chain of rigid bodies and joints, as a robot."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.arrays import Array
from parakin.dynamics.choices import DEFAULT
from parakin.errors import UnknownNameError, UnsupportedRobotError
from parakin.kernels import Kernel
from parakin.kernels.arguments import as_array
from parakin.kinematics.status import Status
from parakin.mechanism.model import Drive
from parakin.motions.offsets import displaced, offset_between
from parakin.robot.evaluation import Evaluation
from parakin.robot.leading import BY_FORMULAS, BY_SEARCH, Led, led
from parakin.robot.many_starts import Arrivals, assembled, random_configurations
from parakin.robot.mechanism_core import MechanismCore
from parakin.robot.results import BodyFrames, OutputMotion, PlatformFrame, PosesFound
from parakin.robot.robot import Robot


class Mechanism(MechanismCore, Robot):
    """A robot whose models come from its graph of bodies and joints: all methods of Robot that make sense for it.

    Its pose are its independent coordinates, `pose_names`. The configuration of a pose, coordinates of the joints of
    its tree, is searched for from `near`. What needs legs (`elements`, `assembly_modes`, formulations other than the
    body-oriented one) raises an error that says what to use.

        Mechanism(graph_description, payload, independent, import_report)

    independent: coordinates, joint.freedom each, that make up a pose in place of the file's; import_report: what became
    of an imported file.

    >>> linkage.pose_names, linkage.forward_kinematics([0.3])
    (('crank.angle',), array([0.3]))
    """

    def pose_of(self, configuration: ArrayLike) -> Array:
        """Return the pose (..., n) of configurations with closed loops.

        >>> linkage.pose_of(linkage.configuration([0.3]))
        array([0.3])
        """
        return self._call("pose", configuration=configuration)["pose_found"]

    def led_from_home(self, poses: ArrayLike) -> Led:
        """Return the configurations (N, c) to which straight ways from home lead, at poses (N, n), and their statuses.

        They tell which branch poses are on, and how often a joint has turned. Limits do not end a way.

        >>> linkage.led_from_home([[0.3], [6.5]]).configuration[:, linkage.place_names.index("crank.angle")]
        array([0.3, 6.5])
        """
        goals, motion, size = as_array(self.name, "poses", poses), self.plan.motion, self.plan.skeleton.size
        away = offset_between(motion, self.home, goals)

        def way(shares: Array, chosen: NDArray[np.intp]) -> Array:
            on_way = displaced(motion, self.home, shares[:, None] * away[chosen])
            return np.where(shares[:, None] == 1, goals[chosen], on_way)

        lengths = np.max(np.abs(away) / np.array([size if unit == "m" else 1.0 for unit in self.pose_units]), axis=1)
        formulas = bool(self.plan.closing.formulas)
        turning = np.array([formulas and unit == "rad" for unit in self.place_units])
        longest = BY_FORMULAS if formulas else BY_SEARCH
        return led(self._told, way, lengths, self.home_configuration, turning=turning, longest=longest)

    def body_frames(self, pose: ArrayLike, *, near: ArrayLike | None = None) -> BodyFrames:
        """Return where the frames of all bodies are, in which the file gives their centres of mass and joints.

        >>> frames = linkage.body_frames([0.3])
        >>> frames.p[linkage.body_names.index("coupler")].round(4)
        array([-0.031 ,  0.    ,  0.0179])
        """
        out = self._call("body_frames", near=near, pose=pose)
        return BodyFrames(out["p"], out["R"])

    def frame(self, name: str, pose: ArrayLike, *, near: ArrayLike | None = None) -> PlatformFrame:
        """Return where a frame of interest is, by its name in the file; "output" is the output frame.

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
        """Return a frame of interest, by its name in the file, with its twist and the derivative.

        >>> linkage.frame_motion("output", [0.3], [1.0], [0.0]).twist[:3].round(4)
        array([-0.0816,  0.    ,  0.0147])
        """
        if name not in self.frame_names:
            raise UnknownNameError("frame", name, self.frame_names)
        k = self.frame_names.index(name)
        out = self._call("named_frames", near=near, pose=pose, velocity=velocity, acceleration=acceleration)
        p, twist, twist_dot = (out[key][..., k, :] for key in ("p", "twist", "twist_dot"))
        return OutputMotion(p, out["R"][..., k, :, :], twist, twist_dot)

    def _status(self, pose: ArrayLike, near: ArrayLike | None) -> NDArray[np.int32]:
        """The Status of each pose, searched for from `near`, or led there from home: as workspaces and maps see it."""
        poses = as_array(self.name, "pose", pose)
        if near is not None or not np.isfinite(poses).all():
            return super()._status(pose, near)
        way = self.led_from_home(poses.reshape(-1, poses.shape[-1]))
        found, ended = way.configuration.reshape(*poses.shape[:-1], -1), way.status.reshape(poses.shape[:-1])
        there = np.where(np.isfinite(found), found, self.home_configuration)
        return np.where(ended == int(Status.GOOD), super()._status(poses, there), ended)

    def _as_graph(self) -> Mechanism:
        return self

    def _found_pose(self, q: ArrayLike, near: ArrayLike | None) -> Array:
        return self.pose_of(self.by_motors.configuration(self._coordinates_of(q), near=near))

    def _arrivals(self, q: Array, starts: int, seed: int) -> Arrivals:
        driven, skeleton = self.by_motors, self.plan.skeleton
        home = driven.home_configuration
        near = np.concatenate([home[None], random_configurations(skeleton, home, starts, seed)])
        (socket,) = (one for one in driven.any_branch.inputs if one.name == "pose")
        out = driven.any_branch(near=near, pose=self._coordinates_of(q).reshape(socket.shape))
        good = np.asarray(out["status"] == int(Status.GOOD))
        configurations, residuals = out["configuration_found"][good], out["residual"][good]
        frames = self._call("body_frames", configuration=np.concatenate([home[None], configurations]))
        parts = (frames["p"] / skeleton.size, frames["R"])
        places = np.concatenate([part.reshape(len(part), -1) for part in parts], axis=1)
        found = Arrivals(configurations, self.pose_of(configurations), residuals, places[1:], places[0])
        return found.once().where(lambda configuration: assembled(skeleton, configuration))

    @functools.cached_property
    def any_branch(self) -> Kernel:
        """The search for a configuration of a pose, from `near`, whatever branch and assembly mode it is on."""
        from parakin.kinematics.graph.searching import closing_across_branches

        return Kernel(closing_across_branches(self.plan), status="status")

    def _poses_with(self, q: Array, near: Array) -> PosesFound:
        """The poses with these motor positions: configurations with motors as the pose, and their independent ones."""
        motors = self.by_motors
        out = motors._outputs("configuration", DEFAULT, {"pose": self._coordinates_of(q), "near": near})
        found = out["configuration_found"]
        pose = self._outputs("pose", DEFAULT, {"configuration": found})["pose_found"]
        return PosesFound(found, pose, np.asarray(out["status"], np.int32))

    def _evaluated(self, model: str, formulation: str, given: dict[str, ArrayLike]) -> Evaluation:
        """What `evaluate` returns; forward kinematics, which is no model, is a search with motors as the pose."""
        if model != "forward_kinematics":
            return super()._evaluated(model, formulation, given)
        search = self.by_motors.evaluate("configuration", pose=self._coordinates_of(given["q"]), near=given["near"])
        found = search["configuration_found"]
        pose = self._outputs("pose", formulation, {"configuration": found.reshape(-1, found.shape[-1])})["pose_found"]
        shaped = pose.reshape(*found.shape[:-1], pose.shape[-1])
        return Evaluation({"pose": shaped}, search.status, search.excess)

    @functools.cached_property
    def by_motors(self) -> Mechanism:
        """This is the same mechanism with the motors' coordinates as its pose; motors must be as many as freedoms."""
        motors, freedoms = len(self.actuator_names), self.degrees_of_freedom
        if motors != freedoms:
            raise UnsupportedRobotError(
                self.name, f"{motors} motors do not determine {freedoms} freedoms by themselves"
            )
        if self.actuator_names == self.pose_names:
            return self
        return Mechanism(self.graph_description, self.payload, self.actuator_names, self.import_report)

    def _coordinates_of(self, q: ArrayLike) -> Array:
        """Joint coordinates of motor positions: zero + sign q."""
        sign, zero = (np.array([getattr(drive, name) for drive in self.drives]) for name in ("sign", "zero"))
        return zero + sign * as_array(self.name, "q", q)

    @property
    def drives(self) -> tuple[Drive, ...]:
        """What the file says of each motor, in the order of `actuator_names`."""
        drives = {
            f"{joint.name}.{name}": freedom.drive
            for joint in self.graph_description.joints
            for name, freedom in joint.freedoms.items()
        }
        return tuple(drive for name in self.actuator_names if (drive := drives[name]) is not None)
