"""An observer as a block: a region of interest and the encoders at every tick, and where the robot is or soon will be.

begun?      the belief is that of first_pose and first_velocity, with the deviations of a search
time passes predicted by dt under tau, corrected by the region, corrected by the encoders
said        what is believed now, and what it becomes after a latency under the forces that act meanwhile
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from parakin.control.units import listed, unit_of
from parakin.export.interface import Member
from parakin.export.onboard.block import Block, assembled, member
from parakin.vision import Observer
from parakin.vision.observers.beliefs import POINTS, Belief, SeenRegion
from parakin.vision.observers.filtering import Filtering, filtering
from parakin.vision.observers.health import HEALTH
from parakin.vision.observers.rows import row_deviations
from parakin.vision.observers.settings import SETTING_NAMES

SETTINGS = {
    "acceleration_share": ("1", "error of the model's acceleration as a whole, as a share"),
    "acceleration_memory": ("s", "how long such a share lasts"),
    "disturbance_deviation": ("m/s^2", "error of the acceleration beside that, at rest"),
    "disturbance_share": ("1", "the same as a share of the acceleration's size"),
    "disturbance_memory": ("s", "how long these keep their sign"),
    "radius_drift": ("m", "how far the radius of a rod walks in a second"),
    "gate": ("1", "deviations beyond which a point is refused"),
    "search_gate": ("1", "the same while lost"),
    "curvature": ("1", "how far contours are bent, in squares of the pose's deviation over the depth"),
    "time_deviation": ("s", "error of the regions' times"),
    "averaging": ("1", "over how many regions refused_share and innovation are averaged"),
    "most_refused": ("1", "share of refused points beyond which it is lost"),
    "largest_innovation": ("1", "innovation beyond which it is doubtful"),
    "largest_deviation": ("m", "deviation of the pose beyond which it is lost"),
    "settled_deviation": ("m", "deviation of the pose below which it is found again"),
    "search_deviation": ("m", "deviation of the pose from which it searches"),
    "search_velocity": ("m/s", "deviation of the velocity from which it searches"),
    "largest_acceleration": ("m/s^2 or rad/s^2", "accelerations of the model beyond this count as none"),
}
"""Setting of an observer -> its unit and its meaning in a header of C."""


@dataclass(frozen=True, eq=False)
class ObserverBlock:
    """An observer while its tick is written."""

    observer: Observer
    """What becomes C."""
    period: float
    """About how often regions come [s]; each tells its own time since the last."""
    latency_steps: int
    """How many forces act, one after the other, in the latency that is predicted over."""

    @cached_property
    def filtering(self) -> Filtering:
        """The functions that its filter is made of."""
        return filtering(self.observer.rig)

    def block(self) -> Block:
        """Return the observer as a block, which begins lost, at home."""
        robot = self.observer.rig.robot
        first = self.observer.first(robot.home)
        settings = self.observer.settings
        listed_settings = [member(name, 1, *SETTINGS[name], [getattr(settings, name)]) for name in SETTING_NAMES]
        believed = {name: np.atleast_1d(values) for name, values in first.belief().items()}
        state = [member(name, values.size, *self._meanings[name], values) for name, values in believed.items()]
        described = {
            "settings": ("chosen once; nothing changes them", listed_settings),
            "state": ("what is carried from tick to tick; only step writes it", state),
            "input": ("what is known of a region, of the encoders and of the forces", self._inputs()),
            "output": ("where the robot is, and how well that is known", self._outputs()),
        }
        return assembled(f"an observer of {robot.name}", self.period, described, self.tick, None)

    @cached_property
    def _meanings(self) -> dict[str, tuple[str, str]]:
        robot = self.observer.rig.robot
        acceleration = unit_of(robot, "acceleration")
        return {
            "pose": (unit_of(robot, "pose"), "pose of the platform"),
            "velocity": (unit_of(robot, "velocity"), "its velocity"),
            "corrections": ("m", "by how much each rod is thicker than the rig says"),
            "excess": ("1", "by what share the robot accelerates more than its model"),
            "disturbance": (acceleration, "acceleration beside that"),
            "root": ("SI", "root of the covariance of radii, excess, disturbance, pose and velocity, by columns"),
            "health": ("1", ", ".join(HEALTH)),
        }

    def _inputs(self) -> list[Member]:
        robot = self.observer.rig.robot
        actuators, rods = len(robot.actuator_names), self.observer.rig.rod_names
        force, position = unit_of(robot, "tau"), unit_of(robot, "q")
        numbers = ", ".join(f"{k} {name}" for k, name in enumerate(rods))
        steps = self.latency_steps
        return [
            member("begin", 1, "1", "1 to begin anew from first_pose and first_velocity, as widely as a search"),
            member("first_pose", len(robot.pose_names), unit_of(robot, "pose"), "where to begin"),
            member("first_velocity", robot.degrees_of_freedom, unit_of(robot, "velocity"), "how fast to begin"),
            member("dt", 1, "s", "time since what was seen at the tick before"),
            member("tau", actuators, force, "actuator forces since then"),
            member("camera", 1, "1", "number of the camera of the region"),
            member("rod", 1, "1", f"number of its rod, -1 for no region: {numbers}"),
            Member("m", (POINTS, 2), "1", "points of the normalised picture, two of each contour of the rod"),
            member("deviation", POINTS, "1", "their standard deviations across the contours; 0 or NaN: not seen"),
            member("q", actuators, position, "positions that encoders read at the same time"),
            member("q_deviation", actuators, position, "their standard deviations; 0 or NaN: not read"),
            member("latency", 1, "s", "how old all this is now"),
            Member("latency_tau", (steps, actuators), force, "forces meanwhile, the oldest first, equally long each"),
        ]

    def _outputs(self) -> list[Member]:
        robot, rods = self.observer.rig.robot, len(self.observer.rig.rods)
        n, pose = robot.degrees_of_freedom, len(robot.pose_names)
        units = {name: self._meanings[name][0] for name in ("pose", "velocity")}
        offsets = listed([axis.position for axis in robot.motion_type.axes])
        return [
            member(
                "status", 1, "1", "0 it follows the robot, 1 what it sees does not fit its deviations, 2 it searches"
            ),
            member("pose", pose, units["pose"], "pose of the platform when the region was seen"),
            member("velocity", n, units["velocity"], "its velocity then"),
            member("radii", rods, "m", "radii of the rods as they are seen"),
            member("excess", 1, "1", self._meanings["excess"][1]),
            member("disturbance", n, *self._meanings["disturbance"]),
            member("pose_deviation", n, offsets, "standard deviations of the pose"),
            member("velocity_deviation", n, units["velocity"], "standard deviations of the velocity"),
            member("pose_now", pose, units["pose"], "pose after the latency"),
            member("velocity_now", n, units["velocity"], "velocity after the latency"),
            member("refused_share", 1, "1", "share of points that were refused lately"),
            member("innovation", 1, "1", "mean square of innovations over their variances lately: about 1"),
        ]

    def tick(self, symbols: Mapping[str, ca.SX]) -> dict[str, ca.SX]:
        """Write a tick."""
        made = self.filtering
        told = {name.removeprefix("input_"): value for name, value in symbols.items() if name.startswith("input_")}
        settings = {name: symbols[f"setting_{name}"] for name in SETTING_NAMES}
        belief = Belief(**{name: symbols[f"state_{name}"] for name in made.belief_sizes})
        wide = (settings["search_deviation"], settings["search_velocity"])
        anew = made.started(told["first_pose"], told["first_velocity"], wide, settings)
        begun = {
            name: ca.if_else(told["begin"] > 0.5, getattr(anew, name), getattr(belief, name))
            for name in made.belief_sizes
        }
        seen = made.predicted(Belief(**begun), told["tau"], told["dt"], settings)
        region = SeenRegion(told["camera"], told["rod"], told["m"], told["deviation"])
        seen = made.corrected(seen, region, settings)
        seen = made.corrected_by_encoders(seen, told["q"], told["q_deviation"], settings)
        taus = [told["latency_tau"][k, :].T for k in range(self.latency_steps)]
        now = made.ahead(seen, taus, told["latency"] / self.latency_steps, settings)
        health = dict(zip(HEALTH, ca.vertsplit(seen.health), strict=True))
        first, n = made.first_of_pose, made.freedom
        deviations = row_deviations(seen.root, made.size)
        said = {name: health[name] for name in ("status", "refused_share", "innovation")}
        said |= {name: getattr(seen, name) for name in ("pose", "velocity", "excess", "disturbance")}
        said |= {"pose_now": now.pose, "velocity_now": now.velocity}
        said["radii"] = ca.DM(np.array([rod.radius for rod in self.observer.rig.rods])) + seen.corrections
        said |= {"pose_deviation": deviations[first : first + n], "velocity_deviation": deviations[first + n :]}
        after = {f"next_{name}": getattr(seen, name) for name in made.belief_sizes}
        return after | {f"output_{name}": value for name, value in said.items()}
