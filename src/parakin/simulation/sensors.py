"""Sensors: what is measured of the plant at a tick, and whether the plant is still fit to go on."""

from __future__ import annotations

import math
from enum import IntEnum

import casadi as ca

from parakin.dynamics.equation import EquationOfMotion
from parakin.dynamics.mechanics import Acting
from parakin.robot import Robot
from parakin.robot.limits import all_limits

LARGEST_SPEED = 1e3
"""Speed beyond which a platform has diverged [m/s, rad/s]: no actuator limit lets a robot get near."""


class Ending(IntEnum):
    """How a scenario ended. One that stopped holds its state, without force, from the tick at which it stopped."""

    UNUSABLE = -1
    """Some of its numbers were not finite."""
    COMPLETED = 0
    """It ran to the end of the reference."""
    UNREACHABLE = 1
    """The plant left the reach of a leg, or had no finite acceleration: nothing in it has mass."""
    SINGULAR = 2
    """The plant came to a singular pose or went through one, or the law found no finite forces."""
    DIVERGED = 3
    """The platform became faster than any robot."""
    OPEN = 4
    """Loops of the plant came open: the steps are too long for how it moves, or its parts cannot be where they are."""
    FAILED = 5
    """It could not be run: an error was raised, or its process ended. Only where an executor runs it."""

    @property
    def words(self) -> str:
        """What happened, in words."""
        return {
            Ending.UNUSABLE: "numbers that are not finite",
            Ending.COMPLETED: "ran to the end",
            Ending.UNREACHABLE: "the platform left the reach of a leg, or nothing in the plant has mass",
            Ending.SINGULAR: "the platform came to a singular pose, or the law found no finite forces",
            Ending.DIVERGED: "the platform became faster than any robot",
            Ending.OPEN: "loops came open: the robot cannot be there, or steps are too long",
            Ending.FAILED: "it could not be run: an error was raised, or its process ended",
        }[self]


Symbols = dict[str, ca.SX]
"""Symbols by the names of their signals."""


def sensor_stage(robot: Robot, period: float, with_pose: bool, *, elastic: bool = False) -> ca.Function:
    """Return the function that gives true and measured values at a tick.

    Where the plant has stopped it gives what they were, at rest.
    `beyond`, left out where there are no limits, is how far each of `all_limits` is outside, negative inside, and
    `residual`, left out where a place is the pose, how far loops are open.
    Encoders: q_m = quantum round((q + noise)/quantum). Rates: (q_m - last q_m)/period through a first-order filter,
    y + share (x - y), or exact. With `with_pose` a sensor measures the pose and its rate in the same way, unquantised.
    With `elastic` drives encoders see the motors or the joints, and motors of a plant that has stopped stand still.
    """
    placed = robot.placed(Acting())
    count, freedom, poses = placed.q.shape[0], placed.velocity.shape[0], len(robot.home)
    x: Symbols = {"place": placed.place, "velocity": placed.velocity}
    sizes = {"held_place": len(robot.place_names), "status": 1, "side": placed.orientation.shape[0]}
    sizes |= {"q": count, "measured_q": count, "rate": count, "quantum": count, "noise": count, "noise_q": 1}
    sizes |= {"share": 1, "exact_rate": 1}
    if with_pose:
        sizes |= {"measured_pose": poses, "platform_rate": freedom, "pose_noise": freedom, "noise_pose": freedom}
    if elastic:
        sizes |= dict.fromkeys(("motor", "motor_rate", "held_motor"), count) | {"on_motor": 1}
    x |= {name: ca.SX.sym(name, size) for name, size in sizes.items()}
    status = ca.if_else(x["status"], x["status"], _ending(placed, x["side"]))
    good = ca.eq(status, 0)
    seen = _encoders(placed, x, period) | (_pose_sensor(robot, placed, x, period) if with_pose else {})
    seen |= {"held_place": placed.place, "held_velocity": placed.velocity, "q": placed.q, "q_dot": placed.q_dot}
    if elastic:
        seen |= {"held_motor": x["motor"], "motor_rate": x["motor_rate"]}
    before = x | dict.fromkeys(("q_dot", "measured_q_dot"), ca.SX.zeros(count))
    before |= dict.fromkeys(("held_velocity", "measured_velocity"), ca.SX.zeros(freedom))
    before |= {"motor_rate": ca.SX.zeros(count)} if elastic else {}
    kept = {name: ca.if_else(good, value, before[name]) for name, value in seen.items()}
    outputs = {f"next_{name}": value for name, value in kept.items()} | {"next_status": status}
    if all_limits(robot).names:
        outputs["next_beyond"] = _beyond(robot, placed)
    if not robot.place_is_pose:
        outputs["next_residual"] = placed.residual
    pose = ca.Function("pose", [placed.place], [placed.pose])
    outputs |= {"next_pose": pose(kept["held_place"]), "next_place": kept["held_place"]}
    outputs["next_velocity"] = kept["held_velocity"]
    outputs |= {"next_motor": kept["held_motor"] + 0} if elastic else {}
    dense = [ca.densify(value) for value in outputs.values()]
    return ca.Function("sensors", list(x.values()), dense, list(x), list(outputs), {"cse": True})


def _beyond(robot: Robot, placed: EquationOfMotion) -> ca.SX:
    """Return how far actuators are beyond their strokes and passive joints beyond their limits [m or rad]."""
    bounds, values = all_limits(robot), placed.limited
    excess: list[ca.SX] = []
    for name, lower, upper in zip(bounds.names, bounds.lower.tolist(), bounds.upper.tolist(), strict=True):
        value = values[name]
        sides = ([lower - value] if lower > -math.inf else []) + ([value - upper] if upper < math.inf else [])
        excess.append(ca.fmax(*sides) if len(sides) == 2 else sides[0])
    return ca.vertcat(*excess)


def _ending(placed: EquationOfMotion, side: ca.SX) -> ca.SX:
    """Return how the plant stands, an `Ending`.

    Comparisons are written so that a NaN fails them: a plant whose legs cannot close has nothing but NaN left.
    """
    from parakin.kinematics.graph.closing import LOOP_CLOSURE_TOLERANCE  # not read where the loop is in the cache

    reached = ca.logic_and(ca.sumsqr(placed.place) < LARGEST_SPEED**2, placed.reached)
    slow = ca.sumsqr(placed.velocity) < LARGEST_SPEED**2
    sound = placed.regular
    for k in range(side.shape[0]):
        sound = ca.logic_and(sound, placed.orientation[k] * side[k] > 0)
    status = ca.if_else(sound, Ending.COMPLETED, Ending.SINGULAR)
    status = ca.if_else(placed.residual < LOOP_CLOSURE_TOLERANCE, status, Ending.OPEN)
    return ca.if_else(reached, ca.if_else(slow, status, Ending.DIVERGED), Ending.UNREACHABLE)


def _encoders(placed: EquationOfMotion, x: Symbols, period: float) -> Symbols:
    """Write measured_q, measured_q_dot, and the memory of the filter, `rate`."""
    elastic = "motor" in x
    position = ca.if_else(x["on_motor"], x["motor"], placed.q) if elastic else placed.q
    speed = ca.if_else(x["on_motor"], x["motor_rate"], placed.q_dot) if elastic else placed.q_dot
    exact = position + x["noise_q"] * x["noise"]
    measured: list[ca.SX] = []
    for k in range(exact.shape[0]):
        quantum = x["quantum"][k]
        steps = ca.floor(exact[k] / ca.if_else(quantum > 0, quantum, 1) + 0.5)
        measured.append(ca.if_else(quantum > 0, quantum * steps, exact[k]))
    q = ca.vertcat(*measured)
    rate = x["rate"] + x["share"] * ((q - x["measured_q"]) / period - x["rate"])
    seen = ca.if_else(x["exact_rate"], speed, rate)
    return {"measured_q": q, "measured_q_dot": seen, "rate": rate}


def _pose_sensor(robot: Robot, placed: EquationOfMotion, x: Symbols, period: float) -> Symbols:
    """Write measured_pose, measured_velocity, and the memory of the filter, `platform_rate`."""
    motion = robot.motion_type
    pose = motion.stepped(placed.pose, x["noise_pose"] * x["pose_noise"])
    raw = motion.displacement(x["measured_pose"], pose) / period
    rate = x["platform_rate"] + x["share"] * (raw - x["platform_rate"])
    seen = ca.if_else(x["exact_rate"], placed.velocity, rate)
    return {"measured_pose": pose, "measured_velocity": seen, "platform_rate": rate}
