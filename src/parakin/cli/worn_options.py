"""Options for what a law is to wear: notches, a shaper of its set points, a disturbance observer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from parakin.cli import plausible
from parakin.errors import DataError

if TYPE_CHECKING:
    from parakin.control import Law

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
