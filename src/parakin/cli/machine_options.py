"""Options of `parakin simulate` for what a machine has and a model leaves out, and what is made of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from parakin.cli import plausible
from parakin.errors import SimulationError

if TYPE_CHECKING:
    from parakin.simulation import Cable, ElasticDrives, Scenario, Stiction, TorqueRipple

PANEL = "The machine as it is"
"""Heading of these options in the help."""

Elastic = Annotated[
    float | None,
    typer.Option(
        rich_help_panel=PANEL,
        callback=plausible.CUTOFF,
        help="Frequency in Hz of each motor against what it drives at home, on the spring between them; by default "
        "drives are rigid.",
    ),
]
"""Frequency of elastic drives [Hz]."""
Stiffness = Annotated[
    float | None,
    typer.Option(rich_help_panel=PANEL, help="Stiffness of these springs in N m/rad or N/m, instead of a frequency."),
]
"""Stiffness of elastic drives [N m/rad or N/m]."""
Damping = Annotated[
    float, typer.Option(rich_help_panel=PANEL, help="Damping of these springs in % of critical damping.")
]
"""Damping of elastic drives [%]."""
Backlash = Annotated[
    float,
    typer.Option(
        rich_help_panel=PANEL, callback=plausible.NOISE, help="Play of the springs, side to side, in m or rad."
    ),
]
"""Play of elastic drives [m or rad]."""
Encoders = Annotated[
    Literal["motor", "joint"],
    typer.Option(rich_help_panel=PANEL, help="On which side of the springs the encoders are."),
]
"""On which side of the springs the encoders are."""
Breakaway = Annotated[
    float | None,
    typer.Option(
        rich_help_panel=PANEL,
        help="Force in % of Coulomb friction that breaks a drive away from rest, at least 100; by default friction is "
        "smooth about rest and nothing sticks.",
    ),
]
"""Breakaway force of drives that stick [%]."""
Stribeck = Annotated[
    float,
    typer.Option(rich_help_panel=PANEL, help="Speed in rad/s or m/s by which that has fallen to Coulomb friction."),
]
"""Stribeck speed [rad/s or m/s]."""
Presliding = Annotated[
    float,
    typer.Option(
        rich_help_panel=PANEL,
        callback=plausible.NOISE,
        help="How far a drive that sticks gives way under Coulomb friction, in m or rad.",
    ),
]
"""Bend of the bristles under Coulomb friction [m or rad]."""
Ripple = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=PANEL,
        help="Torque ripple: amplitude in N m or N, periods in a turn of the motor (of a linear drive in a metre), and "
        "perhaps a phase in rad, as 0.05,24 or 0.05,24,1.57.",
    ),
]
"""Torque ripple."""
CableText = Annotated[
    str | None,
    typer.Option(
        "--cable",
        rich_help_panel=PANEL,
        help="A cable from the base to the platform's origin: its anchor in m, stiffness in N/m, length in m up to "
        "which it is slack, and perhaps a constant pull in N, as 0,0,0.5:20:0.6 or 0,0,0.5:0:0:5.",
    ),
]
"""A cable at the platform."""
TorqueStep = Annotated[
    float | None, typer.Option(rich_help_panel=PANEL, help="Steps in N or N m in which the forces of the drives come.")
]
"""Resolution of forces [N or N m]."""
Jitter = Annotated[
    float,
    typer.Option(
        rich_help_panel=PANEL,
        callback=plausible.SHORT_TIME,
        help="How much a tick may come early or late, in s: evenly drawn, less than half a tick.",
    ),
]
"""Jitter of ticks [s]."""


@dataclass(frozen=True)
class Machine:
    """What the options say of a machine."""

    elastic: float | None
    """Frequency of elastic drives [Hz]; None for rigid ones, or for those of a stiffness."""
    stiffness: float | None
    """Stiffness of elastic drives [N m/rad or N/m]."""
    damping: float
    """Damping of elastic drives [%]."""
    backlash: float
    """Play of elastic drives [m or rad]."""
    encoders: Literal["motor", "joint"]
    """On which side of the springs the encoders are."""
    breakaway: float | None
    """Breakaway force of drives that stick [%]; None for drives that do not."""
    stribeck: float
    """Stribeck speed [rad/s or m/s]."""
    presliding: float
    """Bend of the bristles under Coulomb friction [m or rad]."""
    ripple: str | None
    """Amplitude, periods and perhaps phase of torque ripple."""
    cable: str | None
    """Anchor, stiffness, length and perhaps pull of a cable."""
    torque_step: float | None
    """Resolution of forces [N or N m]."""
    jitter: float
    """Jitter of ticks [s]."""

    def applied(self, scenario: Scenario) -> Scenario:
        """Return a scenario on this machine."""
        return replace(
            scenario,
            elastic=self._springs(),
            stiction=self._stiction(),
            ripple=None if self.ripple is None else _ripple(self.ripple),
            cable=None if self.cable is None else _cable(self.cable),
            torque_step=self.torque_step,
            jitter=self.jitter,
        )

    def _springs(self) -> ElasticDrives | None:
        from parakin.simulation import ElasticDrives

        if self.elastic is None and self.stiffness is None:
            if self.backlash or self.encoders == "joint":
                raise SimulationError("backlash, encoders", "rigid drives have neither: give --elastic or --stiffness")
            return None
        return ElasticDrives(
            frequency=self.elastic,
            stiffness=self.stiffness,
            damping_ratio=self.damping / 100,
            backlash=self.backlash,
            encoders=self.encoders,
        )

    def _stiction(self) -> Stiction | None:
        from parakin.simulation import Stiction

        if self.breakaway is None:
            return None
        if self.breakaway < 100:
            raise SimulationError("breakaway", f"must be at least 100 % of Coulomb friction, got {self.breakaway:g}")
        return Stiction(self.breakaway / 100, stribeck_speed=self.stribeck, presliding=self.presliding)


def _ripple(text: str) -> TorqueRipple:
    from parakin.simulation import TorqueRipple

    try:
        amplitude, periods, *phase = (float(number) for number in text.split(","))
        (angle,) = phase or [0.0]
    except ValueError:
        raise SimulationError("ripple", f"must read like 0.05,24 or 0.05,24,1.57, got {text!r}") from None
    return TorqueRipple(amplitude, periods, angle)


def _cable(text: str) -> Cable:
    from parakin.simulation import Cable

    try:
        ends, stiffness, length, *pull = text.split(":")
        x, y, z = (float(number) for number in ends.split(","))
        (constant,) = pull or ["0"]
        return Cable((x, y, z), stiffness=float(stiffness), length=float(length), pull=float(constant))
    except ValueError:
        raise SimulationError("cable", f"must read like 0,0,0.5:20:0.6 or 0,0,0.5:0:0:5, got {text!r}") from None
