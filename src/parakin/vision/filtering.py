"""A Kalman filter that follows a robot through sequential regions of interest, symbolic: what observers are made of.

The state is the platform's pose and velocity, and how far the radius of each rod is from that of the rig. Its errors
are ordered radii, pose (a twist), velocity, and their covariance is carried as a root (`control.estimators`):

    predicted    pose by v dt + a dt^2/2, velocity by a dt, where a is the model's acceleration under the forces tau
    corrected    by the two contours of one rod in one region, two points each: rows of `contours.tangency`
    corrected_by_encoders        by positions of the actuators: rows of J_qv
    ahead        pose and velocity after a latency, from the forces that were given meanwhile

The acceleration counts as an input with an error of its own: how it changes with the state is far less than that.
Every function does the same work for all numbers: which rod, which camera, and whether a point is believed are selects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import casadi as ca

from parakin.control.estimators.rotations import turn_in
from parakin.control.estimators.square_root import Columns, moved, packed, unpacked
from parakin.dynamics.mechanics import Acting
from parakin.errors import UnsupportedRobotError
from parakin.kinematics.forward import misfit
from parakin.kinematics.robot_motion import robot_motion
from parakin.motions import MotionType
from parakin.units import ANGLE
from parakin.vision.contours import SMALLEST_SHARE, contours
from parakin.vision.filter_health import HEALTH, Judged, judged, pose_variance
from parakin.vision.filter_rows import Measured, camera_rows, chosen, foot, is_one_of, weighed
from parakin.vision.rig import Rig
from parakin.vision.rods import symbolic_rods

POINTS = 4
"""Points of a region: two of the first contour of its rod, then two of the second."""
SIDES = (0, 0, 1, 1)
"""On which contour each point lies."""
Settings = Mapping[str, ca.SX]
"""Settings of an observer as expressions, by the names of `ObserverSettings`."""


@dataclass(frozen=True)
class Belief:
    """What a filter believes of a robot, as expressions."""

    pose: ca.SX
    """The platform's pose."""
    velocity: ca.SX
    """The platform's velocity."""
    radii: ca.SX
    """By how much each rod's radius exceeds that of the rig (rods,) [m]."""
    root: ca.SX
    """Root of the covariance of radii, pose and velocity, by columns from their diagonals."""
    health: ca.SX
    """What the filter thinks of itself, as `filter_health.HEALTH` names it."""


@dataclass(frozen=True)
class SeenRegion:
    """What one region of interest shows, as expressions: both contours of one rod, two points each."""

    camera: ca.SX
    """Number of the camera."""
    rod: ca.SX
    """Number of the rod; a number that no rod has is a region without points."""
    m: ca.SX
    """Points in the normalised picture (4, 2): two of the rod's first contour, two of its second."""
    deviation: ca.SX
    """Standard deviation of each point across its contour (4,), in the normalised picture; 0 or NaN: not seen."""


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
        """How many numbers the error of a state has: radii, pose, velocity."""
        return len(self.rig.rods) + 2 * self.freedom

    @property
    def belief_sizes(self) -> dict[str, int]:
        """How many numbers each part of a belief has, in their order."""
        pose, root = len(self.motion.coordinates), self.size * (self.size + 1) // 2
        sizes = {"pose": pose, "velocity": self.freedom, "radii": len(self.rig.rods), "root": root}
        return sizes | {"health": len(HEALTH)}

    @property
    def lengths(self) -> list[float]:
        """For each component of a velocity 1, or the robot's length [m] where it is a turn."""
        return self.motion.scale(self.rig.robot.length)

    # Prediction ----------------------------------------------------------------------------------------------------

    def accelerated(self, belief: Belief, tau: ca.SX, settings: Settings) -> ca.SX:
        """Return the model's acceleration under actuator forces; none where the model has none to be believed."""
        a = self.acceleration(belief.pose, belief.velocity, tau)
        sane = ca.SX(1)
        for k in range(self.freedom):
            sane = ca.logic_and(sane, ca.fabs(a[k]) <= settings["largest_acceleration"])
        return ca.if_else(sane, a, 0)

    def predicted(self, belief: Belief, tau: ca.SX, dt: ca.SX, settings: Settings) -> Belief:
        """Return the belief a time dt [s] later, with forces tau in between; a time that ran backwards is none.

        An error of the acceleration with deviation s that keeps its sign for a time T is, over longer times, white
        noise of density 2 s^2 T: velocities walk by s sqrt(2 T dt), poses by that times dt/sqrt(3).
        """
        dt = ca.fmax(dt, 0)
        a = self.accelerated(belief, tau, settings)
        pose, velocity = self._stepped(belief.pose, belief.velocity, a, dt)
        walk = [s * ca.sqrt(2 * settings["acceleration_memory"] * dt) for s in self._acceleration_errors(a, settings)]
        rods = len(self.rig.rods)
        drift = [settings["radius_drift"] * ca.sqrt(dt)] * rods
        noise = [*drift, *(each * dt / 3**0.5 for each in walk), *walk]
        B = self._transition(belief, pose, a, dt)
        S = moved(unpacked(belief.root, self.size), ca.SX(2 * self.freedom, rods), B, noise)
        return replace(belief, pose=pose, velocity=velocity, root=packed(S))

    def ahead(self, belief: Belief, taus: Sequence[ca.SX], dt: ca.SX, settings: Settings) -> tuple[ca.SX, ca.SX]:
        """Return pose and velocity after a latency, in which forces taus acted one after the other, a time dt each."""
        later = belief
        for tau in taus:
            a = self.accelerated(later, tau, settings)
            pose, velocity = self._stepped(later.pose, later.velocity, a, dt)
            later = replace(later, pose=pose, velocity=velocity)
        return later.pose, later.velocity

    def _stepped(self, pose: ca.SX, velocity: ca.SX, a: ca.SX, dt: ca.SX) -> tuple[ca.SX, ca.SX]:
        return self.motion.stepped(pose, velocity * dt + a * (dt * dt / 2)), velocity + a * dt

    def _acceleration_errors(self, a: ca.SX, settings: Settings) -> list[ca.SX]:
        """Return the deviation of each component of the acceleration: a constant, and a share of its size.

        Lengths and turns each have their size; the constant of a turn is that of a length over the robot's length.
        """
        axes = self.motion.axes
        turns = [k for k, axis in enumerate(axes) if axis == ANGLE]
        sizes: list[ca.SX] = []
        for k, length in enumerate(self.lengths):
            same = turns if k in turns else [j for j in range(len(axes)) if j not in turns]
            size = ca.norm_2(ca.vertcat(*(a[j] for j in same)))
            sizes.append(settings["acceleration_deviation"] / length + settings["acceleration_share"] * size)
        return sizes

    def _transition(self, belief: Belief, pose: ca.SX, a: ca.SX, dt: ca.SX) -> ca.SX:
        """Return the derivative of the errors of pose and velocity by those a time dt before."""
        n = self.freedom
        error = ca.SX.sym("error", 2 * n)
        other = self._stepped(self.motion.stepped(belief.pose, error[:n]), belief.velocity + error[n:], a, dt)
        after = ca.vertcat(self.motion.displacement(pose, other[0]), other[1])
        return ca.densify(ca.substitute(ca.jacobian(after, error), error, ca.SX.zeros(2 * n)))

    # Correction ----------------------------------------------------------------------------------------------------

    def corrected(self, belief: Belief, region: SeenRegion, settings: Settings) -> Belief:
        """Return the belief after one region: both contours of a rod, each point one scalar measurement.

        A time stamp that is off moves all points of a region by their rates: its error is the first of all errors while
        they are weighed, and is forgotten thereafter.
        """
        S = [[settings["time_deviation"], *([ca.SX(0)] * self.size)], *unpacked(belief.root, self.size)]
        correction, marks = weighed(S, self._points(belief, region, settings), self._gate(belief, settings))
        turn_in(S[1:], S[0][1:])
        return self._believed(belief, correction[1:], S[1:], marks, settings)

    def _points(self, belief: Belief, region: SeenRegion, settings: Settings) -> list[Measured]:
        """Return the points of a region as measurements: rows by time stamp, radii, pose and velocity.

        All rows are those at the belief before, of the contour's points nearest to those that were seen. Rows are
        straight and contours are not: where the pose is uncertain by s, contours are off by (s/Z)^2, which deviations
        are increased by. A filter that knows its pose to some micrometres does not see that.
        """
        n, rods = self.freedom, len(self.rig.rods)
        table, sound = self.rods(belief.pose)
        line, placed = chosen(table, region.rod), chosen(camera_rows(self.rig.cameras), region.camera)
        R_KO = ca.reshape(placed[3:], 3, 3)
        A, x = R_KO @ (line[:3] - placed[:3]), R_KO @ line[3:6]
        J_A, J_x = (ca.reshape(line[first : first + 3 * n], 3, n) for first in (6, 6 + 3 * n))
        radius = chosen(ca.DM([rod.radius for rod in self.rig.rods]) + belief.radii, region.rod)
        touched = contours(A, x, radius)
        known = ca.logic_and(is_one_of(region.rod, rods), is_one_of(region.camera, len(self.rig.cameras)))
        usable = ca.logic_and(ca.logic_and(known, sound), touched.seen > SMALLEST_SHARE)
        spread = pose_variance(unpacked(belief.root, self.size), rods, self.lengths)
        points: list[Measured] = []
        for k, side in enumerate(SIDES):
            distance, point = foot(A, x, touched.n[side], region.m[k, :].T)
            by_pose = point.row @ R_KO @ (J_A + point.t * J_x)
            by_radius = [ca.if_else(ca.eq(region.rod, j), ca.norm_2(point.row.T), 0) for j in range(rods)]
            h = [-(by_pose @ belief.velocity), *by_radius, *ca.horzsplit(by_pose), *([ca.SX(0)] * n)]
            bent = settings["curvature"] * spread / point.Z**2
            offered = ca.logic_and(region.deviation[k] > 0, ca.logic_and(usable, point.Z > 0))
            points.append(Measured(h, -distance, ca.sqrt(region.deviation[k] ** 2 + bent**2), offered))
        return points

    def corrected_by_encoders(self, belief: Belief, q: ca.SX, deviation: ca.SX, settings: Settings) -> Belief:
        """Return the belief after positions q of the actuators were read, with standard deviations; 0 or NaN: not read.

        Lost observers take them as well, and are found by them where they are enough for a pose.
        """
        missing, J_qv, sound = self.encoders(belief.pose, q)
        before, after = [ca.SX(0)] * len(self.rig.rods), [ca.SX(0)] * self.freedom
        points: list[Measured] = []
        for k in range(q.shape[0]):
            h = [*before, *ca.horzsplit(J_qv[k, :]), *after]
            offered = ca.logic_and(deviation[k] > 0, sound)
            points.append(Measured(h, missing[k], deviation[k], offered))
        S = unpacked(belief.root, self.size)
        correction, marks = weighed(S, points, self._gate(belief, settings))
        return self._believed(belief, correction, S, marks, settings)

    def _gate(self, belief: Belief, settings: Settings) -> ca.SX:
        """Return how many deviations a point may be off."""
        return ca.if_else(belief.health[HEALTH.index("lost")], settings["search_gate"], settings["gate"])

    def _believed(self, belief: Belief, correction: ca.SX, S: Columns, marks: Judged, settings: Settings) -> Belief:
        """Return the belief after a correction; a filter that is found to be lost searches from a wide covariance."""
        n, rods = self.freedom, len(self.rig.rods)
        variance = pose_variance(S, rods, self.lengths)
        health, tripped = judged(belief.health, marks, variance, settings)
        wide = packed(self.diagonal(settings["search_deviation"], settings["search_velocity"]))
        return Belief(
            self.motion.stepped(belief.pose, correction[rods : rods + n]),
            belief.velocity + correction[rods + n :],
            ca.if_else(tripped, 0, belief.radii + correction[:rods]),
            ca.if_else(tripped, wide, packed(S)),
            health,
        )

    # Beginning -----------------------------------------------------------------------------------------------------

    def diagonal(self, position: ca.SX, velocity: ca.SX) -> Columns:
        """Return the root of a covariance: radii as the rig knows them, pose [m] and velocity [m/s] as told."""
        known = [ca.SX(rod.radius_deviation) for rod in self.rig.rods]
        entries = [*known, *(position / each for each in self.lengths), *(velocity / each for each in self.lengths)]
        return [[entry, *([ca.SX(0)] * (self.size - j - 1))] for j, entry in enumerate(entries)]

    def started(self, pose: ca.SX, velocity: ca.SX, position_deviation: ca.SX, velocity_deviation: ca.SX) -> Belief:
        """Return a first belief, which counts as lost until its covariance has settled."""
        root = packed(self.diagonal(position_deviation, velocity_deviation))
        health = ca.SX([float(name in ("lost", "innovation")) for name in HEALTH])
        return Belief(pose, velocity, ca.SX.zeros(len(self.rig.rods)), root, health)

    def symbols(self) -> Belief:
        """Return a belief made of symbols."""
        return Belief(**{name: ca.SX.sym(name, size) for name, size in self.belief_sizes.items()})


def filtering(rig: Rig) -> Filtering:
    """Return the functions that filters of a rig are made of; robots whose legs must be searched for are refused."""
    robot = rig.robot
    placed = robot.placed(Acting())
    if placed.place.shape[0] != placed.pose.shape[0]:
        reason = "has legs without a closed form, whose joints an observer would have to follow as well"
        raise UnsupportedRobotError(robot.name, f"{reason}: observers follow robots whose pose tells where all is")
    moving = robot_motion(robot.description)
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
        ca.Function(
            "encoders", [moving.pose, q], [misfit(moving, q, robot.description), ca.densify(moving.J_qv), sound]
        ),
    )
