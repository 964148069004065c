"""A camera and an observer as a sensor of the platform inside compiled closed loops.

At each look one region of interest shows both contours of one rod, with noise, as they were a latency ago. The observer
(`observers.filtering`) steps its belief to that time with the forces that acted, is corrected by the region, and tells
the law pose and velocity a latency ahead, from the forces that were given meanwhile.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca
import numpy as np

from parakin.control import Given, StatePart
from parakin.errors import VisionError
from parakin.robot import Robot
from parakin.simulation import Measured, PlatformSensor, platform_sensor
from parakin.vision.loops.true_regions import DRAWS, TrueRods
from parakin.vision.loops.watching import EdgeNoise, Watching
from parakin.vision.observers.beliefs import Belief
from parakin.vision.observers.filtering import Filtering, filtering
from parakin.vision.observers.kernels import BELIEF
from parakin.vision.observers.settings import SETTING_NAMES, ObserverSettings
from parakin.vision.rigs.rig import Rig

MEANINGS = {
    "pose": ("m and rad", "where the platform is believed to be, or to have been a latency ago"),
    "velocity": ("m/s and rad/s", "its velocity"),
    "corrections": ("m", "by how much rods are thicker than the rig says"),
    "excess": ("1", "by what share the robot accelerates more than the observer's model"),
    "disturbance": ("m/s^2 and rad/s^2", "acceleration beside that"),
    "root": ("", "root of the covariance"),
    "health": ("", "what the filter thinks of itself"),
}
"""Units and meanings of the parts of a belief."""
FIRST_POSITION, FIRST_VELOCITY = 1e-4, 1e-2
"""Standard deviations of the first belief [m, m/s]: a loop begins with a robot that stands where it is believed to."""


def camera_sensor(
    rig: Rig,
    period: float,
    watching: Watching | None = None,
    noise: EdgeNoise | None = None,
    *,
    truth: Rig | None = None,
    settings: ObserverSettings | None = None,
) -> PlatformSensor:
    """Return the sensor that a rig with an observer is, for `simulation.Scenario(sensor=...)`.

    rig: what the observer believes, its robot being the observer's model; period: of the control law [s]; truth: the
    rods, cameras and robot that are really there, those of the rig by default. Numbers that scenarios may change by
    `with_numbers`: those of `EdgeNoise.numbers`; `expected`, the deviation of an edge point that the observer believes
    [px], that of `noise` by default and 0.001 at least; `thicker`, by how much each true rod exceeds the radius of
    `truth` [m]; and all of `ObserverSettings`.

    >>> sensor = pk.vision.camera_sensor(rig, period=2e-3)
    >>> law = pk.control.law("computed_torque_platform", robot, period=2e-3)
    >>> still = pk.control.hold(robot, robot.home, 0.02, law.period)
    >>> log = pk.simulation.simulate(robot, law, still, pk.simulation.Scenario(sensor=sensor, seed=1))
    >>> bool(log.platform_errors.max() < 3e-4)  # 300 um, while radii are being estimated
    True
    """
    watched, edges = watching or Watching(), noise or EdgeNoise()
    there = truth or rig
    if there.rod_names != rig.rod_names or len(there.cameras) != len(rig.cameras):
        names = f"{', '.join(there.rod_names)} and {', '.join(rig.rod_names)}"
        raise VisionError(rig.robot.name, "truth", f"must have the rods and cameras of the rig, got rods {names}")
    seeing = _Seeing(filtering(rig), TrueRods(there, watched), watched, period)
    tuned = dict(zip(SETTING_NAMES, (settings or ObserverSettings()).values.tolist(), strict=True))
    return platform_sensor(
        f"{rig.robot.name}_camera",
        rig.robot,
        seeing.parts,
        first=seeing.first,
        look=seeing.look,
        read=seeing.read,
        draws=DRAWS,
        looks=watched.looks(period),
        numbers=edges.numbers | {"expected": edges.deviation, "thicker": np.zeros(len(rig.rods))} | tuned,
    )


def encoder_sensor(
    rig: Rig, period: float, *, looks: int = 8, counts: float = 0.0, settings: ObserverSettings | None = None
) -> PlatformSensor:
    """Return the sensor that encoders are in the same observer, for `simulation.Scenario(sensor=...)`.

    The pose is that of the rig's robot, the observer's model, with the positions that encoders read; nothing is seen.
    looks: readings in a period [s]; counts: of each encoder per rad or m, 0 for encoders without steps. Numbers that
    scenarios may change: `quantum`, the step of encoders [rad or m], `expected`, the deviation that the observer
    believes, a step over sqrt(12) by default and at least 1e-6, and all of `ObserverSettings`.

    >>> sensor = pk.vision.encoder_sensor(rig, period=2e-3, counts=2**17 / (2 * np.pi))
    >>> law = pk.control.law("computed_torque_platform", robot, period=2e-3)
    >>> still = pk.control.hold(robot, robot.home, 0.02, law.period)
    >>> log = pk.simulation.simulate(robot, law, still, pk.simulation.Scenario(sensor=sensor))
    >>> bool(log.platform_errors.max() < 2e-5)
    True
    """
    quantum = 1 / counts if counts else 0.0
    made = filtering(rig)
    tuned = dict(zip(SETTING_NAMES, (settings or ObserverSettings()).values.tolist(), strict=True))
    sizes = made.belief_sizes

    def first(given: Given) -> Mapping[str, ca.SX]:
        pose, velocity = given["true_pose"], given["true_velocity"]
        begun = made.started(pose, velocity, (ca.SX(FIRST_POSITION), ca.SX(FIRST_VELOCITY)), given)
        return {name: getattr(begun, name) for name in BELIEF}

    def look(given: Given) -> Mapping[str, ca.SX]:
        step = given["quantum"]
        steps = ca.floor(given["positions"] / ca.if_else(step > 0, step, 1) + 0.5)
        q = ca.if_else(step > 0, step * steps, given["positions"])
        belief = Belief(**{name: given[name] for name in BELIEF})
        now = made.predicted(belief, given["tau"], ca.SX(period / looks), given)
        after = made.corrected_by_encoders(now, q, ca.repmat(given["expected"], q.shape[0], 1), given)
        return {name: getattr(after, name) for name in BELIEF}

    return platform_sensor(
        f"{rig.robot.name}_encoders",
        rig.robot,
        tuple(StatePart(name, sizes[name], *MEANINGS[name]) for name in BELIEF),
        first=first,
        look=look,
        read=lambda given: Measured(given["pose"], given["velocity"]),
        looks=looks,
        numbers={"quantum": quantum, "expected": max(1e-6, quantum / 12**0.5)} | tuned,
    )


@dataclass(frozen=True, eq=False)
class _Seeing:
    """The observer of a rig in a loop, with what it has to remember of a latency."""

    made: Filtering
    truth: TrueRods
    watching: Watching
    period: float

    @property
    def robot(self) -> Robot:
        return self.made.rig.robot

    @property
    def parts(self) -> tuple[StatePart, ...]:
        """What the sensor carries: a belief, whose turn it is, and poses and forces on their way."""
        sizes = self.made.belief_sizes
        belief = tuple(StatePart(name, sizes[name], *MEANINGS[name]) for name in BELIEF)
        turn = StatePart("turn", 1, "", "number of the next region in the cycle")
        late, coordinates = self.watching.late, len(self.robot.home)
        if not late:
            return (*belief, turn)
        poses = StatePart("late_poses", late * coordinates, "m and rad", "poses that will be known, the oldest first")
        forces = StatePart("late_forces", late * len(self.robot.actuator_names), "", "forces before each of them")
        return (*belief, turn, poses, forces)

    def first(self, given: Given) -> Mapping[str, ca.SX]:
        """A robot that has moved on evenly, and an observer that knows it."""
        pose, velocity, late = given["true_pose"], given["true_velocity"], self.watching.late
        step = 1 / self.watching.rate
        motion = self.robot.motion_type
        poses = [motion.stepped(pose, -velocity * (k * step)) for k in range(late, 0, -1)]
        deviations = (ca.SX(FIRST_POSITION), ca.SX(FIRST_VELOCITY))
        begun = self.made.started(poses[0] if late else pose, velocity, deviations, given)
        known = {name: getattr(begun, name) for name in BELIEF} | {"turn": ca.SX(0)}
        if not late:
            return known
        return known | {
            "late_poses": ca.vertcat(*poses[1:], pose),
            "late_forces": ca.vertcat(*[given["tau"]] * late),
        }

    def look(self, given: Given) -> Mapping[str, ca.SX]:
        """One region: seen now, known after the latency."""
        late = self.watching.late
        pose, tau, memory = given["true_pose"], given["tau"], dict[str, ca.SX]()
        if late:
            coordinates, count = pose.shape[0], tau.shape[0]
            poses, forces = ca.vertcat(given["late_poses"], pose), ca.vertcat(given["late_forces"], tau)
            pose, tau = poses[:coordinates], forces[:count]
            memory = {"late_poses": poses[coordinates:], "late_forces": forces[count:]}
        belief = Belief(**{name: given[name] for name in BELIEF})
        now = self.made.predicted(belief, tau, ca.SX(1 / self.watching.rate), given)
        region = self.truth.region(pose, given)
        after = self.made.corrected(now, region, given)
        count = len(self.watching.turns(self.made.rig))
        turn = ca.if_else(given["turn"] >= count - 1, 0, given["turn"] + 1)
        return {name: getattr(after, name) for name in BELIEF} | {"turn": turn} | memory

    def read(self, given: Given) -> Measured:
        """What the law is told: the belief, or where that leads after the latency."""
        late = self.watching.late
        if not late or not self.watching.compensated:
            return Measured(given["pose"], given["velocity"])
        forces = ca.reshape(given["late_forces"], len(self.robot.actuator_names), late)
        taus = [forces[:, k] for k in self.watching.ahead(self.period)]
        belief = Belief(**{name: given[name] for name in BELIEF})
        now = self.made.ahead(belief, taus, ca.SX(self.watching.latency / len(taus)), given)
        return Measured(now.pose, now.velocity)
