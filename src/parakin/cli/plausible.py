"""Values that are numbers, and yet hardly what was meant: refused with the unit that they were probably given in."""

from __future__ import annotations

import math
from collections.abc import Callable

import typer

from parakin.cli.application import fail
from parakin.errors import DataError

Judge = Callable[[typer.Context, typer.CallbackParam, float | None], float | None]
"""Looks at the value of an option and passes it on, or ends the command."""


def plausible(
    unit: str,
    *,
    least: float = -math.inf,
    most: float = math.inf,
    smaller: tuple[str, float] | None = None,
    larger: tuple[str, float] | None = None,
    signed: bool = False,
) -> Judge:
    """Return a callback that refuses values of an option below `least` or above `most`, in `unit`.

    `smaller` and `larger` name the unit that a value too large or too small was probably given in, and how much of
    `unit` one of it is: ("ms", 1e-3). Zero, infinity, NaN and, unless `signed`, negative values are left to the
    library, which knows their rule.
    """

    def judge(context: typer.Context, param: typer.CallbackParam, value: float | None) -> float | None:
        if value is None or not 0.0 < abs(value) < math.inf or context.resilient_parsing:
            return value
        size = abs(value) if signed else value
        reason = reason_against(value, size, unit, least=least, most=most, smaller=smaller, larger=larger)
        if reason:
            fail(DataError(context.info_name or "parakin", max(param.opts, key=len), reason))
        return value

    return judge


def reason_against(
    value: float,
    size: float,
    unit: str,
    *,
    least: float = -math.inf,
    most: float = math.inf,
    smaller: tuple[str, float] | None = None,
    larger: tuple[str, float] | None = None,
) -> str:
    """Return why a value is hardly what was meant, by its size; empty if it may well be, or is no finite number."""
    if not 0.0 < size < math.inf or least <= size <= most:
        return ""
    expected = f"at most {most:g} {unit} is expected" if size > most else f"at least {least:g} {unit} is expected"
    guess, hint = (smaller if size > most else larger), ""
    if guess is not None and least <= size * guess[1] <= most:
        hint = f". Were {value:g} {guess[0]} meant? Then give {value * guess[1]:.6g}"
    return f"{value:g} {unit} is implausible, {expected}{hint}"


PERIOD = plausible("s", least=1e-6, most=0.1, smaller=("ms", 1e-3))
"""A controller's period."""
TIME = plausible("s", least=1e-6, most=36000.0, smaller=("ms", 1e-3))
"""The duration of a motion or of a search."""
SHORT_TIME = plausible("s", most=10.0, smaller=("ms", 1e-3))
"""A time over which something is averaged or left out."""
RATE = plausible("Hz", least=10.0, most=1e5, larger=("kHz", 1e3))
"""The rate of samples."""
CUTOFF = plausible("Hz", least=0.5, most=1e5, larger=("kHz", 1e3))
"""The cut-off of a filter."""
BANDWIDTH = plausible("rad/s", least=0.1, most=1e4)
"""The bandwidth of a loop or of an observer."""
NOISE = plausible("m or rad", most=0.01, smaller=("mm or mrad", 1e-3))
"""Noise of a measured position."""
COUNTS = plausible("counts per m or rad", least=10.0, most=1e12)
"""Resolution of an encoder."""
SHARE = plausible("of the limit", most=1.0, smaller=("%", 1e-2))
"""A share, from 0 to 1."""
CLEARANCE = plausible("m", most=1.0, smaller=("mm", 1e-3))
"""A distance between parts."""
LENGTH = plausible("m", least=1e-6, most=10.0, smaller=("mm", 1e-3))
"""The size of a motion."""
SPEED = plausible("m/s", least=1e-6, most=100.0, smaller=("mm/s", 1e-3))
"""The speed along a path."""
ANGLE = plausible("rad", most=6.5, smaller=("degrees", math.pi / 180), signed=True)
"""An angle."""
