"""`parakin motion` makes a motion that a robot can make, and writes it to a file."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from parakin.cli import plausible
from parakin.cli.application import RobotName, app, fail
from parakin.cli.loop_options import check_payload
from parakin.cli.motion_options import numbers_of, refuse_file
from parakin.cli.outputs import check_room, finite, working
from parakin.errors import MotionFileError, MotionLimitError, ParakinError

if TYPE_CHECKING:
    from parakin.robot import Robot
    from parakin.trajectory import Motion, Slowed

_ROUNDING = 1e-9
"""Part of a duration that rounding may add to a whole number of samples."""


@app.command()
def motion(
    robot: RobotName,
    name: Annotated[str, typer.Argument(help="A motion of parakin.trajectory.MOTIONS, such as pick_and_place.")],
    *,
    cycle: Annotated[
        float | None,
        typer.Option(callback=plausible.TIME, help="Time of a pick-and-place cycle there and back, in s."),
    ] = None,
    duration: Annotated[
        float | None, typer.Option(callback=plausible.TIME, help="Time of the whole motion, in s; for every motion.")
    ] = None,
    width: Annotated[
        float | None, typer.Option(callback=plausible.LENGTH, help="Way across of pick_and_place, in m.")
    ] = None,
    height: Annotated[
        float | None, typer.Option(callback=plausible.LENGTH, help="Way up of pick_and_place and lift, in m.")
    ] = None,
    turn: Annotated[
        float | None,
        typer.Option(callback=plausible.ANGLE, help="Turn of the platform during pick_and_place, in rad."),
    ] = None,
    diameter: Annotated[
        float | None, typer.Option(callback=plausible.LENGTH, help="Diameter of the circle, in m.")
    ] = None,
    speed: Annotated[
        float | None, typer.Option(callback=plausible.SPEED, help="Speed along the circle, in m/s.")
    ] = None,
    tilt: Annotated[
        float | None, typer.Option(callback=plausible.ANGLE, help="Tilt of the circle's plane, in rad.")
    ] = None,
    turns: Annotated[float | None, typer.Option(help="Number of turns round the circle, ramps included.")] = None,
    ramp: Annotated[
        float | None, typer.Option(help="Part of a turn over which the circle gets up to speed, and down again.")
    ] = None,
    periods: Annotated[int | None, typer.Option(help="Number of periods of fourier.")] = None,
    blend: Annotated[
        float | None,
        typer.Option(
            help="Rounding of corners of pick_and_place, from 0 to 1; time from and to rest of fourier, in s."
        ),
    ] = None,
    start: Annotated[
        str | None, typer.Option(help="First pose of a point-to-point motion: numbers in m and rad, as 0,0.1,-0.8.")
    ] = None,
    goal: Annotated[
        str | None, typer.Option(help="Last pose of a point-to-point motion, written the same way.")
    ] = None,
    pose: Annotated[
        list[str] | None, typer.Option(help="A pose that via_points goes through, written the same way. Repeatable.")
    ] = None,
    times: Annotated[str | None, typer.Option(help="Times in s of these poses, the first at 0, as 0,0.4,1.")] = None,
    stretch: Annotated[
        bool, typer.Option("--stretch", help="Slow the motion down as little as brings it within speeds and forces.")
    ] = False,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Write the motion even where it is beyond strokes, speeds or forces.")
    ] = False,
    payload: Annotated[
        float, typer.Option(help="Mass in kg that the robot carries, at the platform's origin E.")
    ] = 0.0,
    rate: Annotated[
        float, typer.Option(callback=plausible.RATE, help="Rate of the samples that are written, in Hz.")
    ] = 1000.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the check as JSON, for programs.")] = False,
    output: Annotated[Path, typer.Option("-o", "--output", help="File for the motion: .csv, .npz or .parquet.")] = Path(
        "motion.csv"
    ),
) -> None:
    """Make a motion, check it against a robot's reach and limits, and write it with the set points of the actuators.

    A motion that the robot cannot make is not written; --stretch slows one down that asks too much of the drives. The
    duration is rounded up to whole samples, so that the last sample is the end.

    Example: parakin motion delta pick_and_place --cycle 0.3 --stretch -o m.csv
    """
    try:
        with working(f"{robot}: {name}"):
            from parakin.robot import load
            from parakin.trajectory import motion as make
            from parakin.trajectory import write_csv
            from parakin.trajectory.files import check_ending

            refuse_file(name)
            options: dict[str, object] = {
                "cycle": cycle, "duration": duration, "width": width, "height": height, "turn": turn,
                "diameter": diameter, "speed": speed, "tilt": tilt, "turns": turns, "ramp": ramp,
                "periods": periods, "blend": blend,
                "start": None if start is None else numbers_of("--start", start),
                "goal": None if goal is None else numbers_of("--goal", goal),
                "poses": [numbers_of("--pose", entry) for entry in pose] if pose else None,
                "times": None if times is None else numbers_of("--times", times),
            }  # fmt: skip
            loaded = load(robot)
            check_payload(loaded, payload)
            carrying = loaded.with_payload(payload) if payload else loaded
            check_ending(output)
            if output.is_dir():
                raise MotionFileError(str(output), "is a directory: name a file in it")
            check_room(output.parent)
            exact = make(name, carrying, **{key: value for key, value in options.items() if value is not None})
            made = _whole(exact, exact.duration, rate)
            slowed = _within(carrying, made, rate, stretch=stretch, anyway=anyway)
            samples = slowed.motion.sampled(rate)
            output.parent.mkdir(parents=True, exist_ok=True)
            write_csv(output, samples, loaded)
    except ParakinError as error:
        fail(error)
    if as_json:
        data = asdict(slowed.check) | {"factor": slowed.factor, "note": made.note, "samples": len(samples.t)}
        typer.echo(json.dumps(finite({"good": slowed.check.good} | data), indent=1))
        return
    if made.note:
        typer.echo(f"{name}: {made.note}")
    typer.echo(str(slowed))
    typer.echo(f"written: {output}, {len(samples.t)} samples at {rate:g} Hz")


def _within(robot: Robot, made: Motion, rate: float, *, stretch: bool, anyway: bool) -> Slowed:
    """Check a motion, slow it down where that was asked for, and refuse one that the robot cannot make."""
    from parakin.trajectory import Slowed, check, within_limits

    if stretch:
        slowed = within_limits(made, robot)
        if slowed.factor == 1.0:
            return slowed
        longer = _whole(made, slowed.motion.duration, rate)
        whole = Slowed(longer, longer.duration / made.duration, slowed.asked, check(longer, robot))
        return whole if whole.check.good else slowed
    checked = check(made, robot)
    if checked.troubles:
        raise MotionLimitError(robot.name, str(made), tuple(map(str, checked.troubles)))
    if checked.excesses and not anyway:
        raise _BeyondLimitsError(robot.name, str(made), tuple(map(str, checked.excesses)))
    return Slowed(made, 1.0, checked, checked)


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
