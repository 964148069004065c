"""The closed loop is one program: sensors, law, drives and plant run once a tick, all inside compiled code.

tick k, t = k period:   look at the plant → step the law → force of this tick (or, delayed, of the tick before) → RK4

Where a `PlatformSensor` measures the platform, it looks several times while the plant is stepped on.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace

import casadi as ca

from parakin.control import Law
from parakin.control.definition import quantity_sizes
from parakin.control.switching import SELECTED
from parakin.kernels import Derivation, Kernel, Program, repeat, scan, stage
from parakin.kernels.program import Stage, Step
from parakin.motions import MotionType
from parakin.robot import Robot
from parakin.robot.limits import all_limits
from parakin.simulation.imperfections import NO_EFFECTS, Effects
from parakin.simulation.noise import drawing, shifting, silence, source_of
from parakin.simulation.plant import Pattern, Plant, plant_of, rk4_steps
from parakin.simulation.platform_sensors import SensorStage, looking, reading, recording
from parakin.simulation.ports import NUMBERS
from parakin.simulation.scenario import SWITCHES
from parakin.simulation.sensors import Ending, Symbols, sensor_stage
from parakin.units import ANGLE, LENGTH

FINITE = 1e200
"""Bound on the sum of squares of finite forces and states: a sum that is not below it has overflowed, or is NaN."""
SENSED = ("measured_q", "rate", "q")
"""Signals of the encoders that go on from tick to tick: last position, filtered rate, true position."""
SENSED_POSE = ("measured_pose", "platform_rate")
"""Signals of the sensor of the pose that go on from tick to tick: last pose, filtered velocity."""
SUMS = ("error_sum", "error_peak", "platform_sum", "platform_peak", "force_sum", "force_peak", "saturated", "ticks_run")
"""What the loop gathers for every summary while it runs."""
_RECORDED = ("pose", "velocity", "q", "q_dot", "measured_q", "measured_q_dot", "command", "tau", "saturated", "status")
STATE = "state"
"""Name of the law's state among the recorded signals; it is recorded only when asked for."""
SENSOR = "sensor"
"""Name of a platform sensor's state among the recorded signals; it is recorded only when asked for."""


def uses_pose(law: Law) -> bool:
    """Return whether a law is told the measured pose or velocity of the platform."""
    return not {"pose", "velocity"}.isdisjoint(law.interface.measurement)


def summed(robot: Robot) -> tuple[str, ...]:
    """Return what the loop gathers for a summary: where there are limits, also how far each was left."""
    return (*SUMS, "excess") if all_limits(robot).names else SUMS


def channels(robot: Robot, law: Law, sensing: SensorStage | None = None) -> dict[str, int]:
    """Return the sensors at a tick that may have noise: the signal of it and how many numbers it has."""
    pose = {"pose_noise": robot.degrees_of_freedom} if uses_pose(law) and sensing is None else {}
    return {"noise": len(robot.actuator_names)} | pose


def drawn_within(effects: Effects, sensing: SensorStage | None) -> tuple[str, ...]:
    """Return the channels that are always drawn: the clock's, and that of a platform sensor."""
    clock = ("jitter",) if effects.jitter else ()
    return (*clock, "sensor_noise") if sensing is not None and sensing.draws else clock


def carried(
    robot: Robot,
    law: Law,
    noisy: tuple[str, ...],
    effects: Effects = NO_EFFECTS,
    sensing: SensorStage | None = None,
) -> tuple[str, ...]:
    """Return the signals that go on from one block of ticks to the next; noisy: channels whose noise is drawn."""
    of_platform = SENSED_POSE if sensing is None else ("sensor_state",)
    sensed = SENSED + (of_platform if uses_pose(law) else ())
    sources = tuple(source_of(channel) for channel in (*noisy, *drawn_within(effects, sensing)))
    state = ("place", "velocity", "held_place", *sensed, "law_state", "pending", "tick", "status")
    return (*state, *effects.carried, *summed(robot), *sources)


def recorded_names(law: Law) -> tuple[str, ...]:
    """Return the signals that a log has a row of for each tick: among them all measurements the law is told."""
    searched = () if law.robot.place_is_pose else ("residual",)
    return _RECORDED + (("measured_pose", "measured_velocity") if uses_pose(law) else ()) + searched


def ticked(law: Law) -> tuple[str, ...]:
    """Return the inputs of the loop that have a row for each tick: loads and set points."""
    ports = dict.fromkeys(("desired_q", "desired_pose", *(wanted.port for wanted in law.interface.reference)))
    return ("wrench", *ports)


@functools.lru_cache(maxsize=32)
def loop_kernel(
    robot: Robot,
    law: Law,
    pattern: Pattern,
    substeps: int,
    recorded: tuple[str, ...] = (),
    *,
    noisy: tuple[str, ...] = (),
    contraction: bool = True,
    effects: Effects = NO_EFFECTS,
    sensing: SensorStage | None = None,
) -> Kernel:
    """Compile the loop: one call runs a block of ticks for all scenarios.

    `recorded` names the signals that it gives a row of for each tick, `noisy` the channels whose noise is drawn;
    `contraction` is that of `Kernel`, `effects` are the imperfections of the machine, and `sensing` measures the
    platform in place of the scenario's own sensor.
    """
    asked = _Asked(robot, law, pattern, substeps, recorded, noisy, effects, sensing)
    return Kernel(Derivation(asked.content, asked.program), status="status", numbers=NUMBERS, contraction=contraction)


@dataclass(frozen=True)
class _Asked:
    """What a loop is made of."""

    robot: Robot
    law: Law
    pattern: Pattern
    substeps: int
    recorded: tuple[str, ...]
    noisy: tuple[str, ...]
    effects: Effects
    sensing: SensorStage | None

    @property
    def content(self) -> str:
        """Everything that `program` reads, as text; default gains are not among it, for gains are inputs."""
        law, interface = self.law, self.law.interface
        told = (interface.reference, interface.measurement, recorded_names(law))
        controller = (law.name, law.period, told, law.step.serialize(), law.single)
        choices = (self.pattern, self.substeps, self.recorded, self.noisy)
        real = (self.effects,) if self.effects.any else ()
        seeing = () if self.sensing is None else (self.sensing.content,)
        return repr((self.robot.content("closed_loop"), controller, (*choices, *real, *seeing)))

    def program(self) -> Program:
        """The loop as a program."""
        robot, law, recorded, effects, sensing = self.robot, self.law, self.recorded, self.effects, self.sensing
        plant = plant_of(robot, self.pattern, effects)
        drawn = channels(robot, law, sensing).items()
        own = uses_pose(law) and sensing is None
        body: list[Step] = [
            *(_renamed(drawing(name, size) if name in self.noisy else silence(name, size)) for name, size in drawn),
            _renamed(sensor_stage(robot, law.period, own, elastic=effects.elastic)),
            *([] if sensing is None else [_renamed(reading(sensing))]),
            *([_state_stage(law)] if STATE in recorded else []),
            *([stage(recording(sensing, SENSOR))] if sensing is not None and SENSOR in recorded else []),
            *([stage(_supervision())] if law.guard is not None else []),
            *(stage(_selection(signal.choices)) for signal in law.interface.supervision if signal.name == SELECTED),
            _law_stage(law, "asked" if effects.torque_step else "command"),
            *([_renamed(_stepped_forces(robot))] if effects.torque_step else []),
            _renamed(_drive_stage(robot, law)),
            *([_record_stage(robot, recorded_names(law))] if recorded else []),
            _renamed(_sum_stage(robot)),
            stage(plant.constants),
            *([_renamed(shifting(law.period, self.steps))] if effects.jitter else []),
            *self._onward(plant),
            _renamed(_clock()),
        ]
        loop = scan(*body, inputs=ticked(law), outputs=tuple(f"log_{name}" for name in recorded))
        going_on = carried(robot, law, self.noisy, effects, sensing)
        return Program(loop, outputs=going_on, name=f"{robot.name}_{law.name}_loop")

    @property
    def looks(self) -> int:
        """How often a platform sensor looks in a tick; once where there is none."""
        return 1 if self.sensing is None else self.sensing.looks

    @property
    def steps(self) -> int:
        """Steps of the plant in a tick: at least those that are asked for, and as many from each look to the next."""
        return self.looks * math.ceil(self.substeps * self.effects.finer / self.looks)

    def _onward(self, plant: Plant) -> list[Step]:
        """The plant's steps to the next tick, and what a platform sensor sees meanwhile."""
        step = ca.SX.sym("step") if self.effects.jitter else self.law.period / self.steps
        rk4 = rk4_steps(plant, step, self.steps // self.looks)
        if self.sensing is None:
            return [rk4]
        noise = [_renamed(drawing("sensor_noise", self.sensing.draws))] if self.sensing.draws else []
        return [
            repeat(self.looks, rk4, *noise, _renamed(looking(self.robot, self.sensing, elastic=self.effects.elastic)))
        ]


def _law_stage(law: Law, command: str) -> Stage:
    """One tick of the law, whose forces go to this signal."""
    return replace(stage(law.step, state="law_state", next_state="law_next", tau=command), single=law.single)


def _renamed(function: ca.Function) -> Step:
    """Make a stage of a function whose outputs next_x go to the signals x."""
    return stage(function, **{name: name.removeprefix("next_") for name in function.name_out()})


def _drive_stage(robot: Robot, law: Law) -> ca.Function:
    """Return what drives do with a command: wait a tick or not, and give what their limits allow.

    Once the run has stopped they give nothing. A law without finite forces has met a singular pose.
    """
    count, size = len(robot.actuator_names), law.step.size1_in("state")
    sizes = {"status": 1, "command": count, "pending": count, "limits": count, "delayed": 1}
    x: Symbols = {name: ca.SX.sym(name, n) for name, n in (sizes | {"law_state": size, "law_next": size}).items()}
    finite = ca.sumsqr(x["command"]) + ca.sumsqr(x["law_next"]) < FINITE
    status = ca.if_else(x["status"], x["status"], ca.if_else(finite, Ending.COMPLETED, Ending.SINGULAR))
    good = ca.eq(status, Ending.COMPLETED)
    asked, limit = ca.if_else(x["delayed"], x["pending"], x["command"]), x["limits"]
    given = ca.if_else(asked > limit, limit, ca.if_else(asked < -limit, -limit, asked))
    outputs = {
        "next_tau": ca.if_else(good, given, 0),
        "next_command": ca.if_else(good, x["command"], 0),
        "next_pending": ca.if_else(good, x["command"], 0),
        "next_law_state": ca.if_else(good, x["law_next"], x["law_state"]),
        "next_at_limit": ca.if_else(good, ca.fabs(asked) >= limit, 0),
        "next_status": status,
    }
    return ca.Function("drives", list(x.values()), list(outputs.values()), list(x), list(outputs))


def _stepped_forces(robot: Robot) -> ca.Function:
    """Return what becomes of forces in drives whose current comes in steps: command = step round(asked/step)."""
    asked, step = (ca.SX.sym(name, len(robot.actuator_names)) for name in ("asked", "torque_step"))
    rounded = step * ca.floor(asked / step + 0.5)
    return ca.Function("stepped_forces", [asked, step], [rounded], ["asked", "torque_step"], ["command"])


def _supervision() -> ca.Function:
    """Return what a guarded law is told by its supervisor: a heart that beats, and a reset at its tick."""
    tick, reset_tick = ca.SX.sym("tick"), ca.SX.sym("reset_tick")
    names = ["tick", "reset_tick"], ["heartbeat", "reset"]
    return ca.Function("supervision", [tick, reset_tick], [tick + 1, ca.eq(tick, reset_tick)], *names)


def _selection(count: int) -> ca.Function:
    """Return which of several laws is to act: the next one from each of some ticks on, after the last the first."""
    tick, switch_ticks = ca.SX.sym("tick"), ca.SX.sym("switch_ticks", SWITCHES)
    passed = ca.sum1(tick >= switch_ticks)
    selected = passed - count * ca.floor(passed / count)
    return ca.Function("selection", [tick, switch_ticks], [selected], ["tick", "switch_ticks"], [SELECTED])


def _state_stage(law: Law) -> Step:
    """Record the law's state as the tick finds it."""
    state = ca.SX.sym("law_state", law.step.size1_in("state"))
    return stage(ca.Function("record_state", [state], [state + 0], ["law_state"], [f"log_{STATE}"]))


def _record_stage(robot: Robot, names: tuple[str, ...]) -> Step:
    """Record a row of the log: values at the tick, and the force from the tick on."""
    sizes = quantity_sizes(robot)
    count = sizes["q"]
    sources = {"velocity": "held_velocity", "saturated": "at_limit"}
    widths = {name: sizes.get(name.removeprefix("measured_"), count) for name in names}
    widths |= {"status": 1, "residual": 1}
    x = {sources.get(name, name): ca.SX.sym(name, widths[name]) for name in names}
    function = ca.Function(
        "record", list(x.values()), [value + 0 for value in x.values()], list(x), [f"log_{name}" for name in names]
    )
    return stage(function)


def platform_error(motion: MotionType, pose: ca.SX, desired: ca.SX) -> ca.SX:
    """Return the squares of distance [m^2] and angle [rad^2] from one pose to the other; 0 where nothing turns.

    Of joints: sums of the squares of all lengths, and of all angles.
    """
    error = motion.displacement(pose, desired)
    parts = [[k for k, axis in enumerate(motion.axes) if axis is kind] for kind in (LENGTH, ANGLE)]
    return ca.vertcat(*(ca.sumsqr(error[part]) if part else 0 for part in parts))


def _sum_stage(robot: Robot) -> ca.Function:
    """Gather what summaries need while the loop runs; both sums and peaks of the platform are those of squares."""
    count, poses = len(robot.actuator_names), len(robot.home)
    sizes = {"status": 1, "pose": poses, "desired_pose": poses, "ticks_run": 1}
    sizes |= dict.fromkeys(("q", "desired_q", "tau", "at_limit", "saturated"), count)
    sizes |= dict.fromkeys(("error_sum", "error_peak", "force_sum", "force_peak"), count)
    sizes |= dict.fromkeys(("platform_sum", "platform_peak"), 2)
    limited = len(all_limits(robot).names)
    sizes |= {"beyond": limited, "excess": limited} if limited else {}
    x = {name: ca.SX.sym(name, size) for name, size in sizes.items()}
    error = x["desired_q"] - x["q"]
    squares = platform_error(robot.motion_type, x["pose"], x["desired_pose"])
    good = ca.eq(x["status"], Ending.COMPLETED)
    sums = {
        "error_sum": x["error_sum"] + error * error,
        "error_peak": ca.fmax(x["error_peak"], ca.fabs(error)),
        "platform_sum": x["platform_sum"] + squares,
        "platform_peak": ca.fmax(x["platform_peak"], squares),
        "force_sum": x["force_sum"] + x["tau"] * x["tau"],
        "force_peak": ca.fmax(x["force_peak"], ca.fabs(x["tau"])),
        "saturated": x["saturated"] + x["at_limit"],
        "ticks_run": x["ticks_run"] + 1,
    }
    if limited:
        sums["excess"] = ca.fmax(x["excess"], x["beyond"])
    outputs = {f"next_{name}": ca.if_else(good, value, x[name]) for name, value in sums.items()}
    return ca.Function("sums", list(x.values()), list(outputs.values()), list(x), list(outputs))


def _clock() -> ca.Function:
    """Count the ticks."""
    tick = ca.SX.sym("tick")
    return ca.Function("clock_tick", [tick], [tick + 1], ["tick"], ["next_tick"])
