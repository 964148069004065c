"""Options that commands about closed loops share, and what follows from them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Annotated

import typer

from parakin.errors import SimulationError, UnknownNameError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from parakin.control import Law, Reference
    from parakin.robot import Payload, Robot
    from parakin.simulation import Scenario

Controller = Annotated[str, typer.Option(help="A law of parakin.control.LAWS.")]
MotionName = Annotated[str, typer.Option(help="A motion of parakin.trajectory.MOTIONS.")]
Period = Annotated[float, typer.Option(help="Of the controller [s].")]
Counts = Annotated[float | None, typer.Option(help="Encoder counts per m or rad; exact by default.")]
Noise = Annotated[float, typer.Option(help="Standard deviation of a measured position [m or rad].")]
Filter = Annotated[
    float | None, typer.Option("--filter", help="Rates are filtered differences, cutoff [Hz]; exact by default.")
]
Delay = Annotated[bool, typer.Option("--delay", help="A force acts one tick after it was asked for.")]
Seed = Annotated[int, typer.Option(help="Of noise and random plants.")]
Substeps = Annotated[int, typer.Option(min=1, help="RK4 steps of the plant in a tick.")]


@dataclass(frozen=True)
class Sensing:
    """What the controller sees, and how late it acts."""

    counts: float | None
    noise: float
    filter: float | None
    delay: bool
    seed: int

    def scenario(self) -> Scenario:
        from parakin.simulation import Scenario

        return Scenario(
            counts=self.counts, noise=self.noise, velocity_filter=self.filter, delay=self.delay, seed=self.seed
        )


def laws_and_reference(robot: Robot, controllers: list[str], motion: str, period: float) -> tuple[list[Law], Reference]:
    """The motion, its end held for 0.2 s."""
    from parakin import control, trajectory

    laws = [control.law(name, robot, period) for name in controllers]
    planned = trajectory.motion(motion, robot)
    if period > planned.duration:
        raise SimulationError("period", f"must be shorter than the motion, {planned.duration:g} s, got {period:g} s")
    return laws, control.reference(robot, planned, period, settle=0.2)


def carried(mass: float) -> Payload | None:
    """What the robot carries, a point at E [kg]; None for nothing."""
    from parakin.robot import Payload

    if not 0 <= mass < math.inf:
        raise SimulationError("payload", f"must be finite and >= 0 kg, got {mass:g}")
    return Payload(mass=mass) if mass else None


def mismatched(robot: Robot, given: list[str]) -> NDArray[np.float64] | None:
    """True parameters from entries such as 20 (all, in %) or platform.*=-30 (those whose names match)."""
    if not given:
        return None
    parameters = robot.parameters.copy()
    for entry in given:
        pattern, found, percent = entry.rpartition("=")
        try:
            factor = 1 + float(percent) / 100
            if not 0 <= factor < math.inf:
                raise ValueError
        except ValueError:
            reason = f"must read like 20 or 'platform.*=-30', in %, -100 or more, got {entry!r}"
            raise SimulationError("mismatch", reason) from None
        chosen = [k for k, name in enumerate(robot.parameter_names) if not found or fnmatchcase(name, pattern)]
        if not chosen:
            raise UnknownNameError("parameter", pattern, robot.parameter_names)
        parameters[chosen] *= factor
    return parameters
