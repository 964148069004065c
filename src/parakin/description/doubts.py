"""How numbers are told that a machine can have but hardly has: what is doubtful, and the unit that was probably meant.

Robot files and mechanism files are looked at by the same law (`description.plausible`, `mechanism.plausible`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

Doubt = tuple[str, str]
"""(key, what is doubtful about its value and what was probably meant)."""

WIDEST_BODY = 6.0
"""Largest radius of gyration in lengths of its bar, or sizes of the robot; the library has 2."""
DENSEST = 20_000.0
"""Density that no body exceeds [kg/m^3]; osmium has 22,600, tungsten 19,300, steel 7,900."""
TURN = 2 * math.pi
"""One turn [rad]."""
MOST_TURNS = 2.1
"""Largest angle of a joint, in turns: wrists turn once or twice in either direction, and files round."""
NEARLY_WHOLE = 1e-4
"""How far a range may be from a whole number of turns, in turns, to count as one: files round."""
DENSEST_BODY = 180_000.0
"""Largest mass of a body over the cube of its radius of gyration [kg/m^3] that its moments bear out: that of a solid
ball of the density above. Links full of motors have 100,000, bodies with their mass in grams a million and more."""
LARGEST_GRAVITY = 50.0
"""Largest acceleration of free fall [m/s^2]; Jupiter has 25."""
CLOSE = 50.0
"""A value in another unit is what was meant if it is within this factor of what is plausible."""
AMBIGUOUS = 3.0
"""A second unit is named too if the value in it is less than this times what is plausible."""

LENGTHS = ((1e3, "millimetres"), (1e2, "centimetres"))
"""Other units of length, in parts of a metre."""
MOMENTS = ((1e9, "g mm^2"), (1e7, "g cm^2"), (1e6, "kg mm^2"), (1e4, "kg cm^2"), (1e3, "g m^2"))
"""Other units of inertia, in parts of a kg m^2."""


def likely(value: float, wanted: float, units: Sequence[tuple[float, str]], unit: str) -> str:
    """Return the unit in which a value is closest to what is wanted, with its value; the next unit too if it may be."""
    size = abs(value)
    first, second, *_ = sorted(units, key=lambda entry: abs(math.log(size / entry[0] / wanted)))
    if not 1 / CLOSE < size / first[0] / wanted < CLOSE:
        return f"values are in {unit}"
    meant = [first, second] if 1 / CLOSE < size / second[0] / wanted < AMBIGUOUS else [first]
    names, values = " or ".join(name for _, name in meant), " or ".join(f"{value / parts:.3g}" for parts, _ in meant)
    return f"probably in {names}, which would be {values} {unit}"


def ratio_text(ratio: float) -> str:
    """Return how many times one number is another, for messages."""
    return f"{ratio:.2g}" if ratio < 10 or ratio > 1e6 else f"{ratio:,.0f}"


def too_long(
    key: str, given: float | Sequence[float], reference: float, most: float, what: str, *, part: float = 1.0
) -> Iterator[Doubt]:
    """Yield a length, or a vector, that is more than `most` times what it is compared with.

    A vector along an axis is told by its one number, with its sign; any other by its length. part: how much of what it
    is compared with such a length usually is.
    """
    parts = [given] if isinstance(given, float | int) else [part for part in given if part]
    value = parts[0] if len(parts) == 1 else math.hypot(*parts)
    if abs(value) > most * reference:
        many = f"{value:.4g} m is {ratio_text(abs(value) / reference)} times {what} of {reference:.3g} m"
        yield key, f"{many}: {likely(value, part * reference, LENGTHS, 'm')}"


def degrees(key: str, angles: Sequence[float | None], most: float = MOST_TURNS) -> Iterator[Doubt]:
    """Yield angles of more than so many turns."""
    largest = max((angle for angle in angles if angle is not None), default=0.0, key=abs)
    if abs(largest) > most * TURN:
        turns, radians = ratio_text(abs(largest) / TURN), f"{math.radians(largest):.4g} rad"
        yield key, f"{largest:.4g} rad is {turns} turns: probably in degrees, which would be {radians}"


def whole_turns(lower: float | None, upper: float | None) -> bool:
    """Tell whether a range of angles is a whole number of turns, which shows that it is in radians.

    ToddlerBot's neck has -18.4889 to 6.6439 rad, four turns; of ranges in degrees hardly one is a multiple of 2 pi.
    """
    if lower is None or upper is None:
        return False
    turns = (upper - lower) / TURN
    return turns > 0.5 and abs(turns - round(turns)) < NEARLY_WHOLE


def heavy(key: str, mass: float, moment: float, limit: float, of: str) -> Iterator[Doubt]:
    """Yield a mass beyond a limit [kg] unless its moments are those of a body so heavy: then the limit is wrong.

    moment: half of the sum of the three moments [kg m^2], 0 where they follow from the mass; of: robot or mechanism.
    """
    if mass > limit and mass > DENSEST_BODY * (moment / mass) ** 1.5:
        grams = f"probably in grams, which would be {mass / 1e3:.3g} kg"
        yield f"{key}.mass", f"{mass:.4g} kg is much for a body of a {of} of this size: {grams}"


def dense(key: str, mass: float, moment: float) -> Iterator[Doubt]:
    """Yield moments within which no metal has the mass; moment: half of the sum of the three [kg m^2]."""
    ball = _least_moment(mass)
    if 0.0 < moment < ball:
        least = f"the moments of {mass:.3g} kg of any metal add up to {2 * ball:.2g} kg m^2 or more"
        meant = 'is the mass in grams, or the inertia in another unit? A mass without inertia is shape = "point"'
        yield f"{key}.inertia", f"they add up to {2 * moment:.3g} kg m^2, which is too little: {least}; {meant}"


def _least_moment(mass: float) -> float:
    """Return half of the sum of the three moments [kg m^2] that any metal has at least.

    Of all bodies of one mass and density a ball has the least: its three moments, 2/5 m r^2 each, add up to 6/5 m r^2.
    """
    return 0.6 * mass * (3 * mass / (4 * math.pi * DENSEST)) ** (2 / 3)


def doubtful_gravity(gravity: Sequence[float]) -> Iterator[Doubt]:
    """Yield accelerations of free fall that no planet has, and directions given for them."""
    strength = math.hypot(*gravity)
    if strength > LARGEST_GRAVITY:
        units = ((1e3, "mm/s^2"), (1e2, "cm/s^2"))
        yield "gravity", f"{strength:.4g} m/s^2: {likely(strength, 9.81, units, 'm/s^2')}"
    if abs(strength - 1.0) < 1e-6:
        yield "gravity", "1 m/s^2: probably a direction or a multiple of g, which would be 9.81 m/s^2"


def wide(key: str, mass: float, moment: float, reference: float, what: str) -> Iterator[Doubt]:
    """Yield a moment of inertia whose radius of gyration is far beyond what it is compared with.

    It is not doubted where no metal has the mass with that moment in any other unit: then what it is compared with is
    wrong. moment: half of the sum of the three moments [kg m^2].
    """
    gyration = math.sqrt(max(moment, 0.0) / mass)
    possible = moment / min(parts for parts, _ in MOMENTS) > _least_moment(mass)
    if gyration > WIDEST_BODY * reference and possible:
        meant = likely(moment, mass * (0.3 * reference) ** 2, MOMENTS, "kg m^2")
        radius = f"{moment:.3g} kg m^2 for {mass:.3g} kg is a radius of gyration of {gyration:.3g} m"
        yield key, f"{radius}, beside {what} of {reference:.3g} m: {meant}"
