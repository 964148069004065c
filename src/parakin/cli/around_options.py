"""Options of `parakin export-c` for what surrounds a law, each with its help, and what is made of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from parakin.cli.motion_options import motion_or_samples, numbers_of
from parakin.errors import DataError

if TYPE_CHECKING:
    from parakin.control import Law
    from parakin.export import MoveLimits, Playing
    from parakin.robot import Robot

Machine = Annotated[
    bool, typer.Option("--machine", help="Write the states of a machine around the law, with encoders and set points.")
]
"""Whether a machine is written around the law."""
PlayedMotion = Annotated[
    str | None,
    typer.Option(
        "--motion",
        help="Set points from a table of this motion of parakin.trajectory.MOTIONS, or of a file of `parakin motion`.",
    ),
]
"""The motion whose table is written."""
PointToPoint = Annotated[
    bool,
    typer.Option("--point-to-point", help="Set points of moves from rest to rest, which a machine has anyway."),
]
"""Whether set points of moves are written."""
TableRate = Annotated[
    float | None,
    typer.Option(
        help="Rows of the table a second, in Hz; quintics go between them. By default 100, or as many as keep the "
        "acceleration within 1 % of its peak, up to a row for every tick."
    ),
]
"""Rate of the table [Hz]."""
Velocity = Annotated[
    str | None,
    typer.Option(
        help="Largest velocity of a move, in m/s and rad/s: one number, or one for each coordinate with commas "
        "between; by default half of what the speeds of the robot file allow at home."
    ),
]
"""Largest velocity of moves [m/s, rad/s]."""
Acceleration = Annotated[
    str | None,
    typer.Option(
        help="Largest acceleration of a move, in m/s^2 and rad/s^2, likewise; by default half of what its forces allow."
    ),
]
"""Largest acceleration of moves [m/s^2, rad/s^2]."""
Jerk = Annotated[
    str | None,
    typer.Option(help="Largest jerk of a move, in m/s^3 and rad/s^3, likewise; by default it rises within 50 ms."),
]
"""Largest jerk of moves [m/s^3, rad/s^3]."""
StopTime = Annotated[float, typer.Option(help="Time in s in which a stop brings the set point to rest.")]
"""Time of a stop [s]."""
CountsPerUnit = Annotated[
    str | None,
    typer.Option(
        help="Encoder counts per m or per rad of a machine: one number, or one for each actuator with commas between, "
        "negative where they fall as q rises; by default 1: positions."
    ),
]
"""Counts of the encoders [1/m or 1/rad]."""
RateFilter = Annotated[
    float, typer.Option("--filter", help="Cut-off in Hz of the filter on differences of positions that gives rates.")
]
"""Cut-off of the filter of rates [Hz]."""


@dataclass(frozen=True)
class Around:
    """What is to be written around a law, as it was asked for."""

    machine: bool
    """Whether a machine is written."""
    motion: str | None
    """Name or file of the motion that is played; None for moves."""
    point_to_point: bool
    """Whether set points of moves are written."""
    rate: float | None
    """Rate of the table [Hz]; None for what its accelerations need."""
    velocity: str | None
    """Largest velocity of moves, as it was written."""
    acceleration: str | None
    """Largest acceleration of moves, as it was written."""
    jerk: str | None
    """Largest jerk of moves, as it was written."""
    stop_time: float
    """Time of a stop [s]."""
    counts: str | None
    """Counts of the encoders, as they were written."""
    cutoff: float
    """Cut-off of the filter of rates [Hz]."""

    @property
    def points(self) -> bool:
        """Whether set points are asked for."""
        return self.point_to_point or self.motion is not None

    def check(self, controller: str | None, guard: bool) -> None:
        """Refuse options that do not go together."""
        if self.machine and not guard:
            raise DataError("export-c", "machine", "a machine needs the guard: leave --no-guard out")
        if self.machine and controller is None:
            raise DataError("export-c", "machine", "there is one around a law: name it with --controller")
        if self.motion is not None and self.point_to_point:
            raise DataError("export-c", "motion", "a start moves to it and plays it: leave --point-to-point out")
        limits = {"velocity": self.velocity, "acceleration": self.acceleration, "jerk": self.jerk}
        for name, value in limits.items():
            if value is not None and not (self.machine or self.points):
                raise DataError("export-c", name, "is for moves: add --machine, --motion or --point-to-point")
        if self.counts is not None and not self.machine:
            raise DataError("export-c", "counts", "are read by a machine: add --machine")

    def write(self, law: Law, output: Path, name: str) -> list[Path]:
        """Write what was asked for around a law that is written as `name`; return the paths of the files."""
        from parakin.export import export_machine

        if not self.machine:
            return self.write_set_points(law.robot, output, f"{name}_set_points", law.period) if self.points else []
        listed = (1.0,) if self.counts is None else tuple(numbers_of("counts", self.counts))
        counts = listed * len(law.robot.actuator_names) if len(listed) == 1 else listed
        playing = self._playing(law.robot, law.period)
        label = f"{name}_machine"
        files = export_machine(law, output, label, playing=playing, counts=counts, cutoff=self.cutoff, force=True)
        return list(vars(files).values())

    def write_set_points(self, robot: Robot, output: Path, name: str | None, period: float) -> list[Path]:
        """Write set points; return the paths of their files."""
        from parakin.export import export_set_points

        files = export_set_points(robot, output, name, playing=self._playing(robot, period), period=period)
        return list(vars(files).values())

    def _playing(self, robot: Robot, period: float) -> Playing:
        """Return the set points that were asked for; say of a motion's table how fine and how accurate it is."""
        from parakin.export import Playing

        played = None if self.motion is None else motion_or_samples(self.motion, robot)
        playing = Playing(played, self.rate, self._limits(robot))
        table = playing.table(robot, period)
        if table is not None:
            size = f"a table of {len(table.rows)} rows, {table.rate:.6g} Hz"
            typer.echo(f"{self.motion}: {size}: {table.accuracy(period)}", err=True)
        return playing

    def _limits(self, robot: Robot) -> MoveLimits:
        """Return the limits that were given, and what suits the robot's file for the others."""
        from parakin.export import MoveLimits, move_limits

        texts = {"velocity": self.velocity, "acceleration": self.acceleration, "jerk": self.jerk}
        given = {name: _each(name, text, robot) for name, text in texts.items() if text is not None}
        if len(given) == len(texts):
            return MoveLimits(**given, stop_time=self.stop_time)
        return replace(move_limits(robot), **given, stop_time=self.stop_time)


def _each(name: str, text: str, robot: Robot) -> tuple[float, ...]:
    """Return a limit of each coordinate, where one may stand for all."""
    values = tuple(numbers_of(name, text))
    return values * robot.degrees_of_freedom if len(values) == 1 else values
