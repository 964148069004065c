"""A Kalman filter that follows a robot through sequential regions of interest, symbolic: what observers are made of.

The state is the platform's pose and velocity, how far the radius of each rod is from that of the rig, and what its
model does not know: the robot accelerates by (1 + k) a + d, where a is the model's acceleration under the forces tau, k
its excess (masses that are not quite right) and d a disturbance (all the rest). Errors are ordered radii, excess,
disturbance, pose (a twist), velocity, and their covariance is carried as a root (`control.estimators`):

    predicted    pose by v dt + ((1 + k) a + d) dt^2/2, velocity by its rate; excess and disturbance fade
    corrected    by the two contours of one rod in one region, two points each: rows of `contours.tangency`
    corrected_by_encoders        by positions of the actuators: rows of J_qv
    ahead        pose and velocity after a latency, from the forces that were given meanwhile

The acceleration counts as an input with an error of its own: how it changes with the state is far less than that.
Every function does the same work for all numbers: which rod, which camera, and whether a point is believed are selects.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import casadi as ca

from parakin.control.estimators.square_root import Columns, diagonal, moved, packed, turn_in, unpacked
from parakin.dynamics.mechanics import Acting
from parakin.kinematics.forward import misfit
from parakin.kinematics.robot_motion import robot_motion
from parakin.motions import MotionType
from parakin.robot.loading import closed_description
from parakin.vision.observers.beliefs import SIDES, Belief, SeenRegion, Settings, disturbance_sizes, entering, faded
from parakin.vision.observers.health import FIRST_HEALTH, HEALTH, Judged, is_lost, judged, pose_variance
from parakin.vision.observers.rows import Measured, camera_rows, chosen, contradicts_itself, foot, is_one_of, weighed
from parakin.vision.rigs.contours import SMALLEST_SHARE, contours
from parakin.vision.rigs.rig import Rig
from parakin.vision.rigs.rods import symbolic_rods

OBSERVER = "an observer"
"""What observers are called where a robot lacks what they need: they follow no joints beside the pose."""
LARGEST, LEAST = 1e9, 1e-30
"""Measurements and deviations above the first, and deviations below the second, are no measurements at all."""


@dataclass(frozen=True, eq=False)
class Filtering:
    """The functions that filters of a rig are made of. Built by `filtering` alone."""

    rig: Rig
    """What is seen of which robot."""
    rods: ca.Function
    """pose -> a row for each rod with A, x, J_A, J_x, and whether the pose is reached and regular."""
    acceleration: ca.Function
    """pose, velocity, tau -> acceleration under the model's forces."""
    encoders: ca.Function
    """pose, q -> q - q(pose) the short way round, J_qv, and whether the pose is reached and regular."""

    @property
    def motion(self) -> MotionType:
        """How the platform moves."""
        return self.rig.robot.motion_type

    @property
    def freedom(self) -> int:
        """Degrees of freedom of the platform."""
        return self.motion.degrees_of_freedom

    @property
    def size(self) -> int:
        """How many numbers the error of a state has: radii, excess, disturbance, pose, velocity."""
        return len(self.rig.rods) + 1 + 3 * self.freedom

    @property
    def first_of_pose(self) -> int:
        """Where the errors of the pose begin among those of a state."""
        return len(self.rig.rods) + 1 + self.freedom

    @property
    def belief_sizes(self) -> dict[str, int]:
        """How many numbers each part of a belief has, in their order."""
        pose, root = len(self.motion.coordinates), self.size * (self.size + 1) // 2
        sizes = {
            "pose": pose,
            "velocity": self.freedom,
            "corrections": len(self.rig.rods),
            "excess": 1,
            "disturbance": self.freedom,
        }
        return sizes | {"root": root, "health": len(HEALTH)}

    @property
    def lengths(self) -> list[float]:
        """For each component of a velocity 1, or the robot's length [m] where it is a turn."""
        return self.motion.scale(self.rig.robot.length)

    # Prediction ----------------------------------------------------------------------------------------------------

    def accelerated(self, belief: Belief, tau: ca.SX, settings: Settings) -> ca.SX:
        """Return the model's acceleration under forces of the actuators; none where it is not to be believed."""
        a = self.acceleration(belief.pose, belief.velocity, tau)
        sane = ca.SX(1)
        for k in range(self.freedom):
            sane = ca.logic_and(sane, ca.fabs(a[k]) <= settings["largest_acceleration"])
        return ca.if_else(sane, a, 0)

    def predicted(self, belief: Belief, tau: ca.SX, dt: ca.SX, settings: Settings) -> Belief:
        """Return the belief a time dt [s] later, with forces tau in between; a time that ran backwards is none.

        A disturbance d that fades in a time T moves the velocity by T (1 - f) d and the pose by T (dt - T (1 - f)) d,
        with f = exp(-dt/T). What is not known grows meanwhile by `beliefs.entering`.
        """
        dt = ca.fmax(dt, 0)
        a = self.accelerated(belief, tau, settings)
        later = self._gone_on(belief, a, dt, settings)
        A, B = self._transition(belief, later.pose, a, dt, settings)
        rods, sizes = len(self.rig.rods), disturbance_sizes(self.motion, self.lengths, a, settings)
        factors = [*([1.0] * rods), *faded(self.freedom, dt, settings)]
        S = moved(unpacked(belief.root, self.size), A, B, entering(rods, sizes, dt, settings), factors)
        return replace(later, root=packed(S))

    def _gone_on(self, belief: Belief, a: ca.SX, dt: ca.SX, settings: Settings) -> Belief:
        """Return a belief after a time dt with the model's acceleration a; its covariance is left alone."""
        excess, *disturbance = faded(self.freedom, dt, settings)
        pose, velocity = self._stepped(belief, (1 + belief.excess) * a, belief.disturbance, dt, settings)
        return replace(
            belief,
            pose=pose,
            velocity=velocity,
            excess=excess * belief.excess,
            disturbance=ca.vertcat(*disturbance) * belief.disturbance,
        )

    def ahead(self, belief: Belief, taus: Sequence[ca.SX], dt: ca.SX, settings: Settings) -> Belief:
        """Return a belief after a latency, in which forces taus acted one after the other, a time dt each.

        Its covariance is the one before.
        """
        for tau in taus:
            belief = self._gone_on(belief, self.accelerated(belief, tau, settings), dt, settings)
        return belief

    def _stepped(self, belief: Belief, a: ca.SX, d: ca.SX, dt: ca.SX, settings: Settings) -> tuple[ca.SX, ca.SX]:
        """Return pose and velocity after a time dt with an acceleration a and a disturbance that fades from d on."""
        T = settings["disturbance_memory"]
        lasting = T * (1 - ca.exp(-dt / T))
        way = belief.velocity * dt + a * (dt * dt / 2) + d * (T * (dt - lasting))
        return self.motion.stepped(belief.pose, way), belief.velocity + a * dt + d * lasting

    def _transition(self, belief: Belief, pose: ca.SX, a: ca.SX, dt: ca.SX, settings: Settings) -> tuple[ca.SX, ca.SX]:
        """Return the derivatives of the errors of pose and velocity: by radii, excess and disturbance, by these two."""
        n, kept = self.freedom, self.first_of_pose
        error = ca.SX.sym("error", self.size)
        there = self.motion.stepped(belief.pose, error[kept : kept + n])
        off = replace(belief, pose=there, velocity=belief.velocity + error[kept + n :])
        unknown = (1 + belief.excess + error[kept - n - 1]) * a, belief.disturbance + error[kept - n : kept]
        other = self._stepped(off, *unknown, dt, settings)
        after = ca.vertcat(self.motion.displacement(pose, other[0]), other[1])
        slopes = ca.substitute(ca.jacobian(after, error), error, ca.SX.zeros(self.size))
        return slopes[:, :kept], slopes[:, kept:]

    # Correction ----------------------------------------------------------------------------------------------------

    def corrected(self, belief: Belief, region: SeenRegion, settings: Settings) -> Belief:
        """Return the belief after one region: both contours of a rod, each point one scalar measurement.

        A time stamp that is off moves all points of a region by their rates: its error is the first of all errors while
        they are weighed, and is forgotten thereafter. A region that contradicts itself is refused as a whole.
        """
        S = [[settings["time_deviation"], *([ca.SX(0)] * self.size)], *unpacked(belief.root, self.size)]
        points, sound = self._points(belief, region, settings)
        torn = contradicts_itself(S, points, region.deviation, settings["gate"])
        doubted = ca.logic_or(torn, ca.logic_not(sound))
        correction, marks = weighed(S, points, ca.if_else(doubted, 0, self._gate(belief, settings)))
        turn_in(S[1:], S[0][1:])
        return self._believed(belief, correction[1:], S[1:], marks, settings)

    def _points(self, belief: Belief, region: SeenRegion, settings: Settings) -> tuple[list[Measured], ca.SX]:
        """Return the points of a region as measurements, with rows by time stamp, radii, excess, disturbance, pose and
        velocity, and whether the belief is a pose that they can be compared with.

        All rows are those at the belief before, of the contour's points nearest to those that were seen. Rows are
        straight and contours are not: where the pose is uncertain by s, contours are off by (s/Z)^2, which deviations
        are increased by. A filter that knows its pose to some micrometres does not see that.
        """
        n, rods = self.freedom, len(self.rig.rods)
        unknown, none = [ca.SX(0)] * (1 + n), [ca.SX(0)] * n
        table, sound = self.rods(belief.pose)
        line, placed = chosen(table, region.rod), chosen(camera_rows(self.rig.cameras), region.camera)
        R_KO = ca.reshape(placed[3:], 3, 3)
        A, x = R_KO @ (line[:3] - placed[:3]), R_KO @ line[3:6]
        J_A, J_x = (ca.reshape(line[first : first + 3 * n], 3, n) for first in (6, 6 + 3 * n))
        radius = chosen(ca.DM([rod.radius for rod in self.rig.rods]) + belief.corrections, region.rod)
        touched = contours(A, x, radius)
        known = ca.logic_and(is_one_of(region.rod, rods), is_one_of(region.camera, len(self.rig.cameras)))
        spread = pose_variance(unpacked(belief.root, self.size), self.first_of_pose, self.lengths)
        points: list[Measured] = []
        for k, side in enumerate(SIDES):
            distance, point = foot(A, x, touched.n[side], region.m[k, :].T)
            by_pose = point.row @ R_KO @ (J_A + point.t * J_x)
            by_radius = [ca.if_else(ca.eq(region.rod, j), ca.norm_2(point.row.T), 0) for j in range(rods)]
            h = [-(by_pose @ belief.velocity), *by_radius, *unknown, *ca.horzsplit(by_pose), *none]
            bent = settings["curvature"] * spread / point.Z**2
            deviation = ca.sqrt(region.deviation[k] ** 2 + bent**2)
            shown = ca.logic_and(ca.logic_and(touched.seen > SMALLEST_SHARE, point.Z > 0), _sane(-distance, deviation))
            seen = ca.logic_and(known, _sane(ca.norm_1(region.m[k, :].T), region.deviation[k]))
            offered = ca.logic_and(seen, ca.logic_or(shown, ca.logic_not(sound)))
            points.append(Measured(h, -distance, deviation, offered))
        return points, sound

    def corrected_by_encoders(self, belief: Belief, q: ca.SX, deviation: ca.SX, settings: Settings) -> Belief:
        """Return the belief after positions q of the actuators were read, with standard deviations; 0 or NaN: not read.

        Lost observers take them as well, and are found by them where they are enough for a pose.
        """
        missing, J_qv, sound = self.encoders(belief.pose, q)
        before, after = [ca.SX(0)] * self.first_of_pose, [ca.SX(0)] * self.freedom
        points: list[Measured] = []
        for k in range(q.shape[0]):
            h = [*before, *ca.horzsplit(J_qv[k, :]), *after]
            offered = _sane(q[k], deviation[k])
            points.append(Measured(h, missing[k], deviation[k], offered))
        S = unpacked(belief.root, self.size)
        correction, marks = weighed(S, points, ca.if_else(sound, self._gate(belief, settings), 0))
        return self._believed(belief, correction, S, marks, settings)

    def _gate(self, belief: Belief, settings: Settings) -> ca.SX:
        """Return how many deviations a point may be off."""
        return ca.if_else(is_lost(belief.health), settings["search_gate"], settings["gate"])

    def _believed(self, belief: Belief, correction: ca.SX, S: Columns, marks: Judged, settings: Settings) -> Belief:
        """Return the belief after a correction; a filter that is found to be lost searches from a wide covariance."""
        n, rods, pose = self.freedom, len(self.rig.rods), self.first_of_pose
        variance = pose_variance(S, pose, self.lengths)
        health, tripped = judged(belief.health, marks, variance, settings)
        wide = packed(self.diagonal(settings["search_deviation"], settings["search_velocity"], settings))
        return Belief(
            self.motion.stepped(belief.pose, correction[pose : pose + n]),
            belief.velocity + correction[pose + n :],
            ca.if_else(tripped, 0, belief.corrections + correction[:rods]),
            ca.if_else(tripped, 0, belief.excess + correction[rods]),
            ca.if_else(tripped, 0, belief.disturbance + correction[rods + 1 : pose]),
            ca.if_else(tripped, wide, packed(S)),
            health,
        )

    # Beginning -----------------------------------------------------------------------------------------------------

    def diagonal(self, position: ca.SX, velocity: ca.SX, settings: Settings) -> Columns:
        """Return the root of a covariance: radii as the rig knows them, excess and disturbance as the settings have
        them for a robot that does not accelerate, pose [m] and velocity [m/s] as told."""
        known = [ca.SX(rod.radius_deviation) for rod in self.rig.rods]
        sizes = (settings["disturbance_deviation"], position, velocity)
        return diagonal(
            [*known, settings["acceleration_share"], *(size / each for size in sizes for each in self.lengths)]
        )

    def started(self, pose: ca.SX, velocity: ca.SX, deviations: tuple[ca.SX, ca.SX], settings: Settings) -> Belief:
        """Return a first belief, with deviations of pose [m] and velocity [m/s], which counts as lost until its
        covariance has settled."""
        root = packed(self.diagonal(*deviations, settings))
        health = ca.SX(FIRST_HEALTH)
        return Belief(
            pose, velocity, ca.SX.zeros(len(self.rig.rods)), ca.SX(0), ca.SX.zeros(self.freedom), root, health
        )

    def symbols(self) -> Belief:
        """Return a belief made of symbols."""
        return Belief(**{name: ca.SX.sym(name, size) for name, size in self.belief_sizes.items()})


def _sane(value: ca.SX, deviation: ca.SX) -> ca.SX:
    """Return whether a measurement and its deviation are numbers that can be computed with."""
    usual = ca.logic_and(ca.fabs(value) < LARGEST, deviation < LARGEST)
    return ca.logic_and(usual, deviation > LEAST)


def filtering(rig: Rig) -> Filtering:
    """Return the functions that filters of a rig are made of; robots whose legs must be searched for are refused."""
    robot = rig.robot
    description = closed_description(robot, OBSERVER)
    placed = robot.placed(Acting())
    moving = robot_motion(description)
    lines = symbolic_rods(moving, rig.rods)
    rows = [
        ca.horzcat(
            line.A.T,
            line.x.T,
            ca.vec(ca.jacobian(line.A_dot, moving.velocity)).T,
            ca.vec(ca.jacobian(line.x_dot, moving.velocity)).T,
        )
        for line in lines
    ]
    sound = ca.Function("sound", [placed.place], [ca.logic_and(placed.reached, placed.regular)])(moving.pose)
    tau, q = (ca.SX.sym(name, len(robot.actuator_names)) for name in ("tau", "q"))
    return Filtering(
        rig,
        ca.Function("rods", [moving.pose], [ca.densify(ca.vertcat(*rows)), sound]),
        ca.Function("acceleration", [placed.place, placed.velocity, tau], [placed.forward_dynamics(tau)]),
        ca.Function("encoders", [moving.pose, q], [misfit(moving, q, description), ca.densify(moving.J_qv), sound]),
    )
