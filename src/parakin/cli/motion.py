"""`parakin motion` makes a motion that a robot can make, and writes it to a file."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from parakin.cli import motion_settings as option
from parakin.cli.application import AnyName, app, fail
from parakin.cli.loop_options import check_payload
from parakin.cli.motion_options import numbers_of, pose_of, refuse_file
from parakin.cli.outputs import check_room, finite, working
from parakin.errors import MotionFileError, MotionLimitError, ParakinError

if TYPE_CHECKING:
    from parakin.robot import Robot
    from parakin.trajectory import Fastest, Motion, Slowed

_ROUNDING = 1e-9
"""Part of a duration that rounding may add to a whole number of samples."""


@app.command()
def motion(
    robot: AnyName,
    name: option.Name,
    *,
    cycle: option.Cycle = None,
    duration: option.Duration = None,
    width: option.Width = None,
    height: option.Height = None,
    turn: option.Turn = None,
    diameter: option.Diameter = None,
    speed: option.Speed = None,
    tilt: option.Tilt = None,
    turns: option.Turns = None,
    ramp: option.Ramp = None,
    periods: option.Periods = None,
    blend: option.Blend = None,
    start: option.Start = None,
    goal: option.Goal = None,
    pose: option.Poses = None,
    times: option.Times = None,
    stretch: option.Stretch = False,
    fastest: option.Fastest = False,
    acceleration: option.Acceleration = None,
    anyway: option.Anyway = False,
    payload: option.Payload = 0.0,
    rate: option.Rate = 1000.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the check as JSON, for programs.")] = False,
    output: option.Output = Path("motion.csv"),
) -> None:
    """Make a motion, check it against a robot's reach and limits, and write it with the set points of the actuators.

    A motion that the robot cannot make is not written; --stretch slows one down that asks too much of the drives,
    --fastest goes along its path as fast as they allow. The duration is rounded up to whole samples, so that the last
    sample is the end.

    Example: parakin motion delta pick_and_place --cycle 0.3 --stretch -o m.csv
    """
    _refuse_together(fastest=fastest, stretch=stretch, anyway=anyway, acceleration=acceleration)
    try:
        with working(f"{robot}: {name}") as tell:
            from parakin.robot import load
            from parakin.trajectory import motion as make
            from parakin.trajectory import time_optimal, write_csv
            from parakin.trajectory.files import check_ending

            refuse_file(name)
            loaded = load(robot)
            options: dict[str, object] = {
                "cycle": cycle, "duration": duration, "width": width, "height": height, "turn": turn,
                "diameter": diameter, "speed": speed, "tilt": tilt, "turns": turns, "ramp": ramp,
                "periods": periods, "blend": blend,
                "start": None if start is None else pose_of("--start", start, loaded),
                "goal": None if goal is None else pose_of("--goal", goal, loaded),
                "poses": [pose_of("--pose", entry, loaded) for entry in pose] if pose else None,
                "times": None if times is None else numbers_of("--times", times),
            }  # fmt: skip
            check_payload(loaded, payload)
            carrying = loaded.with_payload(payload) if payload else loaded
            check_ending(output)
            if output.is_dir():
                raise MotionFileError(str(output), "is a directory: name a file in it")
            check_room(output.parent)
            exact = make(name, carrying, **{key: value for key, value in options.items() if value is not None})
            made = _whole(exact, exact.duration, rate)
            found = None
            if fastest:
                tell(f"{robot}: {name}: looking for the fastest pace")
                found = time_optimal(carrying, exact, acceleration=acceleration)
                slowed = _rounded(carrying, found, rate)
            else:
                slowed = _within(carrying, made, rate, stretch=stretch, anyway=anyway)
            samples = slowed.motion.sampled(rate)
            output.parent.mkdir(parents=True, exist_ok=True)
            write_csv(output, samples, loaded)
    except ParakinError as error:
        fail(error)
    if as_json:
        data = asdict(slowed.check) | {"factor": slowed.factor, "note": made.note, "samples": len(samples.t)}
        if found is not None:
            data |= {"fastest": found.duration, "iterations": found.iterations, "held_back": dict(found.held_back)}
        typer.echo(json.dumps(finite({"good": slowed.check.good} | data), indent=1))
        return
    if made.note:
        typer.echo(f"{name}: {made.note}")
    typer.echo(str(slowed) if found is None else f"{found.summary}\n{slowed.check}")
    typer.echo(f"written: {output}, {len(samples.t)} samples at {rate:g} Hz")


def _refuse_together(*, fastest: bool, stretch: bool, anyway: bool, acceleration: float | None) -> None:
    """Refuse options that contradict each other, as a command that was called wrongly."""
    for option_name, given in (("--stretch", stretch), ("--anyway", anyway)):
        if fastest and given:
            raise typer.BadParameter(f"--fastest keeps limits by itself: leave out {option_name}")
    if acceleration is not None and not fastest:
        raise typer.BadParameter("--acceleration limits the fastest motion: give --fastest with it")


def _rounded(robot: Robot, found: Fastest, rate: float) -> Slowed:
    """Return the fastest motion with whole samples, checked at every one; as it is where slower were beyond limits."""
    from parakin.trajectory import Slowed, check

    longer = _whole(found.motion, found.duration, rate)
    checked = check(longer, robot, _states(longer, rate))
    if checked.good:
        return Slowed(longer, longer.duration / found.duration, found.check, checked)
    return Slowed(found.motion, 1.0, found.check, found.check)


def _within(robot: Robot, made: Motion, rate: float, *, stretch: bool, anyway: bool) -> Slowed:
    """Check a motion, slow it down where that was asked for, and refuse one that the robot cannot make.

    Every sample that will be written is looked at: near a singularity forces have peaks of a few milliseconds.
    """
    from parakin.trajectory import Slowed, check, within_limits

    states = _states(made, rate)
    if stretch:
        slowed = within_limits(made, robot, states)
        if slowed.factor == 1.0:
            return slowed
        longer = _whole(made, slowed.motion.duration, rate)
        checked = check(longer, robot, _states(longer, rate))
        whole = Slowed(longer, longer.duration / made.duration, slowed.asked, checked)
        return whole if whole.check.good else slowed
    checked = check(made, robot, states)
    if checked.troubles:
        raise MotionLimitError(robot.name, str(made), tuple(map(str, checked.troubles)))
    if checked.excesses and not anyway:
        raise _BeyondLimitsError(robot.name, str(made), tuple(map(str, checked.excesses)))
    return Slowed(made, 1.0, checked, checked)


def _states(motion: Motion, rate: float) -> int:
    """Return how many states of a motion are checked: as many as will be written, and no fewer than usual."""
    from parakin.trajectory.checking import STATES

    return max(STATES, motion.ticks(rate) + 1)


def _whole(motion: Motion, duration: float, rate: float) -> Motion:
    """Return a motion of this duration [s], or of the next that is a whole number of samples at this rate [Hz].

    So the last sample is the end, at rest; one before the end would still move.
    """
    from parakin.trajectory.states import MOST_STATES, positive

    positive(motion.name, "rate", rate, "Hz")
    ticks = duration * rate
    if ticks > MOST_STATES:
        return motion
    longer = math.ceil(ticks * (1 - _ROUNDING)) / rate
    return motion.stretched(longer / motion.duration) if abs(longer / motion.duration - 1) > _ROUNDING else motion


class _BeyondLimitsError(MotionLimitError):
    """A motion that is beyond limits, and was to be neither slowed down nor written all the same."""

    def __str__(self) -> str:
        remedy = "--stretch slows it down where that helps, --anyway writes it as it is"
        return "\n".join((f"{self.robot}: {self.motion}: beyond limits:", *self.reasons, remedy))
