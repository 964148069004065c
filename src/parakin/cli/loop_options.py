"""Options that the commands about closed loops share, and what is made of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from parakin.cli import plausible
from parakin.cli.motion_options import motion_or_samples
from parakin.errors import DataError, SimulationError, UnknownNameError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from parakin.control import Law, Reference
    from parakin.robot import Payload, Robot
    from parakin.simulation import Scenario

SETTLE = 0.2
"""How long the end of a motion is held [s]."""
HEAVIEST = 20.0
"""Times all moving masses of a robot that a payload may have."""
REST = 1e-3
"""Part of the largest speed of a motion below which its end counts as at rest."""

Controller = Annotated[str, typer.Option(help="A law of parakin.control.LAWS.")]
"""The control law."""
MotionName = Annotated[
    str | None,
    typer.Option(
        help="A motion of parakin.trajectory.MOTIONS, or a file of `parakin motion` or `parakin excite`; by default "
        "pick_and_place, via_points of a mechanism."
    ),
]
"""The motion that the robot shall make."""
Period = Annotated[
    float, typer.Option(callback=plausible.PERIOD, help="Time from one tick of the controller to the next, in s.")
]
"""The controller's period [s]."""
Counts = Annotated[
    float | None,
    typer.Option(
        callback=plausible.COUNTS, help="Encoder counts per m or per rad; by default positions are measured exactly."
    ),
]
"""Resolution of the encoders [1/m or 1/rad]."""
Noise = Annotated[
    float,
    typer.Option(callback=plausible.NOISE, help="Standard deviation of the noise on a measured position, in m or rad."),
]
"""Noise of measured positions [m or rad]."""
Filter = Annotated[
    float | None,
    typer.Option(
        "--filter",
        callback=plausible.CUTOFF,
        help="Cut-off in Hz of the filter on differences of positions that gives rates; by default rates are exact.",
    ),
]
"""Cut-off of the velocity filter [Hz]."""
Delay = Annotated[bool, typer.Option("--delay", help="Let a force act one tick after it was asked for.")]
"""Whether computing takes a tick."""
Seed = Annotated[int, typer.Option(help="Seed of the noise and of random plants.")]
"""Seed of everything that is drawn at random."""
Substeps = Annotated[int, typer.Option(min=1, help="RK4 steps of the plant in each tick.")]
"""Integration steps of the plant in each tick."""

Force = Annotated[
    bool,
    typer.Option("--force", help="Go on with a loop that is unstable at rest, or with gains of another robot or law."),
]
"""Whether an unstable loop is let loose, and gains are taken for what they were not made for."""
Gains = Annotated[
    Path | None,
    typer.Option("--gains", help="Gains of the law from this file of `parakin tune` or `simulate --compare`."),
]
"""File with the gains of the law."""
Notch = Annotated[
    float | None,
    typer.Option(callback=plausible.CUTOFF, help="Put a notch at this frequency in Hz on the law's force."),
]
"""Frequency of a notch [Hz]."""
Shape = Annotated[
    float | None,
    typer.Option(
        callback=plausible.CUTOFF,
        help="Shape the set points so that a mode of this frequency in Hz stays at rest (ZV): the robot is at most "
        "half a period behind the motion, and errors count that.",
    ),
]
"""Frequency of the mode that a shaper leaves at rest [Hz]."""
Observer = Annotated[
    float | None,
    typer.Option(
        callback=plausible.BANDWIDTH,
        help="Estimate what acts on the platform with this bandwidth in rad/s, and let the drives work against it.",
    ),
]
"""Bandwidth of a disturbance observer [rad/s]."""


@dataclass(frozen=True)
class Worn:
    """What a law is to wear."""

    notch: float | None
    """Frequency of a notch on the force [Hz]; None for none."""
    shape: float | None
    """Frequency of a mode that the set points leave at rest [Hz]; None for set points as they are."""
    observer: float | None
    """Bandwidth of a disturbance observer [rad/s]; None for none."""
    delay: bool
    """Whether forces act one tick after they were asked for, which an observer has to know."""

    def refuse_alone(self, command: str) -> None:
        """Refuse these options where there is no law to wear anything."""
        given = {"--notch": self.notch, "--shape": self.shape, "--observer": self.observer}
        for name, value in given.items():
            if value is not None:
                raise DataError(command, name, "is worn by a law: give --controller as well")

    def put_on(self, law: Law) -> Law:
        """Return a law that wears all this; the observer comes last, for it has to see the force that acts."""
        from parakin import control

        if self.shape is not None:
            law = control.with_shaping(law, self.shape)
        if self.notch is not None:
            law = control.with_notch(law, self.notch)
        if self.observer is not None:
            law = control.with_disturbance_observer(law, self.observer, delay=self.delay)
        return law


@dataclass(frozen=True)
class Sensing:
    """What the controller sees, and how late it acts."""

    counts: float | None
    """Encoder counts [1/m or 1/rad]; None for exact positions."""
    noise: float
    """Standard deviation of a measured position [m or rad]."""
    filter: float | None
    """Cut-off of the velocity filter [Hz]; None for exact rates."""
    delay: bool
    """Whether a force acts one tick after it was asked for."""
    seed: int
    """Seed of noise and random plants."""

    def scenario(self) -> Scenario:
        """Return the scenario with these sensors and the robot as its file has it."""
        from parakin.simulation import Scenario

        return Scenario(
            counts=self.counts, noise=self.noise, velocity_filter=self.filter, delay=self.delay, seed=self.seed
        )


def motion_for(robot: Robot, named: str | None) -> str:
    """Return the motion that was asked for, or else one that is there for the robot's kind of pose."""
    if named is not None:
        return named
    return "via_points" if robot.motion_type.of_joints else "pick_and_place"


def with_gains(law: Law, file: Path | None, force: bool) -> Law:
    """Return a law with the gains of a file, or with its own where none is given; the law's guard stays."""
    from parakin.control import read_gains

    return law if file is None else read_gains(file).applied(law, force=force)


def laws_and_reference(robot: Robot, controllers: list[str], motion: str, period: float) -> tuple[list[Law], Reference]:
    """Return the laws, and the motion, by name or from a file, at their ticks; an end at rest is held for 0.2 s."""
    from parakin import control
    from parakin.trajectory import Samples

    laws = [control.law(name, robot, period) for name in controllers]
    planned = motion_or_samples(motion, robot)
    moving = control.reference(robot, planned, period)
    if moving.ticks < 2:
        duration = planned.t[-1] - planned.t[0] if isinstance(planned, Samples) else planned.duration
        raise SimulationError("period", f"must be shorter than the motion, {duration:g} s, got {period:g} s")
    return laws, control.reference(robot, planned, period, settle=SETTLE if _ends_at_rest(moving) else 0.0)


def _ends_at_rest(reference: Reference) -> bool:
    """Whether a motion stops at its end; one that does not, such as a period to be repeated, cannot be held there."""
    speed = abs(reference.velocity).max(axis=1)
    return bool(speed[-1] <= REST * speed.max())


def carried(robot: Robot, mass: float) -> Payload | None:
    """Return a payload of this mass [kg], a point at the platform's origin E, or None for no mass.

    Refuse one so heavy beside the robot that another unit must be meant.
    """
    from parakin.robot import Payload

    check_payload(robot, mass)
    return Payload(mass=mass) if mass else None


def check_payload(robot: Robot, mass: float) -> None:
    """Refuse a payload [kg] that is no mass, or so heavy beside what moves of the robot that grams must be meant."""
    from parakin.dynamics.parameters import PAYLOAD, Quantity

    if not 0 <= mass < math.inf:
        raise SimulationError("payload", f"must be finite and >= 0 kg, got {mass:g}")
    moving = sum(p.value for p in robot.parameter_table if p.quantity is Quantity.M and p.owner != PAYLOAD)
    if moving and mass > HEAVIEST * moving:
        reason = f"{mass:g} kg is more than {HEAVIEST:g} times all that moves of {robot.name} ({moving:.3g} kg)"
        raise SimulationError("payload", f"{reason}. Were {mass:g} g meant? Then give {mass / 1000:g}")


def picked_up(time: float, reference: Reference) -> float:
    """Return the time at which a payload is picked up [s], or refuse one after the end of the motion."""
    end = float(reference.t[-1])
    if time > end:
        hint = f". Were {time:g} ms meant? Then give {time / 1000:g}" if time / 1000 <= end else ""
        raise SimulationError("payload-time", f"{time:g} s is after the end of the motion, {end:g} s{hint}")
    return time


def mismatched(robot: Robot, entries: list[str]) -> NDArray[np.float64] | None:
    """Return the plant's parameters from entries such as 20 (all, in %) or platform.*=-30 (names that match).

    Returns None, for the parameters of the file, without entries.
    """
    if not entries:
        return None
    parameters = robot.parameters.copy()
    for entry in entries:
        pattern, equals, percent = entry.rpartition("=")
        try:
            factor = 1 + float(percent) / 100
            if not 0 <= factor < math.inf:
                raise ValueError
        except ValueError:
            reason = f"must read like 20 or 'platform.*=-30', in %, -100 or more, got {entry!r}"
            raise SimulationError("mismatch", reason) from None
        chosen = [k for k, name in enumerate(robot.parameter_names) if not equals or fnmatchcase(name, pattern)]
        if not chosen:
            raise UnknownNameError("parameter", pattern, robot.parameter_names)
        parameters[chosen] *= factor
    return parameters
