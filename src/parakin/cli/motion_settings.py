"""Options of `parakin motion`, each with its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from parakin.cli import plausible

Name = Annotated[str, typer.Argument(help="A motion of parakin.trajectory.MOTIONS, such as pick_and_place.")]
"""The motion."""
Cycle = Annotated[
    float | None,
    typer.Option(callback=plausible.TIME, help="Time of a pick-and-place cycle there and back, in s."),
]
"""Time of a pick-and-place cycle [s]."""
Duration = Annotated[
    float | None, typer.Option(callback=plausible.TIME, help="Time of the whole motion, in s; for every motion.")
]
"""Time of the whole motion [s]."""
Width = Annotated[float | None, typer.Option(callback=plausible.LENGTH, help="Way across of pick_and_place, in m.")]
"""Way across [m]."""
Height = Annotated[
    float | None, typer.Option(callback=plausible.LENGTH, help="Way up of pick_and_place and lift, in m.")
]
"""Way up [m]."""
Turn = Annotated[
    float | None,
    typer.Option(callback=plausible.ANGLE, help="Turn of the platform during pick_and_place, in rad."),
]
"""Turn of the platform [rad]."""
Diameter = Annotated[float | None, typer.Option(callback=plausible.LENGTH, help="Diameter of the circle, in m.")]
"""Diameter of the circle [m]."""
Speed = Annotated[float | None, typer.Option(callback=plausible.SPEED, help="Speed along the circle, in m/s.")]
"""Speed along the circle [m/s]."""
Tilt = Annotated[float | None, typer.Option(callback=plausible.ANGLE, help="Tilt of the circle's plane, in rad.")]
"""Tilt of the circle's plane [rad]."""
Turns = Annotated[float | None, typer.Option(help="Number of turns round the circle, ramps included.")]
"""Turns round the circle."""
Ramp = Annotated[
    float | None, typer.Option(help="Part of a turn over which the circle gets up to speed, and down again.")
]
"""Part of a turn over which the circle gets up to speed."""
Periods = Annotated[int | None, typer.Option(help="Number of periods of fourier.")]
"""Periods of fourier."""
Blend = Annotated[
    float | None,
    typer.Option(help="Rounding of corners of pick_and_place, from 0 to 1; time from and to rest of fourier, in s."),
]
"""Rounding of corners, or time from and to rest [s]."""
Start = Annotated[
    str | None,
    typer.Option(
        help="First pose of a point-to-point motion: numbers in m and rad, as 0,0.1,-0.8, or a position and w,x,y,z "
        "of a quaternion."
    ),
]
"""First pose."""
Goal = Annotated[str | None, typer.Option(help="Last pose of a point-to-point motion, written the same way.")]
"""Last pose."""
Poses = Annotated[
    list[str] | None, typer.Option(help="A pose that via_points goes through, written the same way. Repeatable.")
]
"""Poses that via_points goes through."""
Times = Annotated[str | None, typer.Option(help="Times in s of these poses, the first at 0, as 0,0.4,1.")]
"""Times of these poses [s]."""
Stretch = Annotated[
    bool, typer.Option("--stretch", help="Slow the motion down as little as brings it within speeds and forces.")
]
"""Whether the motion is slowed down into limits."""
Fastest = Annotated[
    bool,
    typer.Option(
        "--fastest",
        help="Go along the path of the motion as fast as speeds and forces allow, whatever time it takes itself. "
        "Forces jump.",
    ),
]
"""Whether the motion is made as fast as limits allow."""
Acceleration = Annotated[
    float | None,
    typer.Option(help="With --fastest: largest acceleration of the platform along each of its axes, in m/s^2."),
]
"""Largest acceleration of the platform along each axis [m/s^2]."""
Anyway = Annotated[
    bool, typer.Option("--anyway", help="Write the motion even where it is beyond strokes, speeds or forces.")
]
"""Whether it is written beyond limits."""
Payload = Annotated[float, typer.Option(help="Mass in kg that the robot carries, at the platform's origin E.")]
"""Mass that the robot carries [kg]."""
Rate = Annotated[float, typer.Option(callback=plausible.RATE, help="Rate of the samples that are written, in Hz.")]
"""Rate of the samples [Hz]."""
Output = Annotated[Path, typer.Option("-o", "--output", help="File for the motion: .csv, .npz or .parquet.")]
"""File for the motion."""
