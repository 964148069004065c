"""The constants of a delta printer in Klipper's printer.cfg: [printer] and [stepper_a], [stepper_b], [stepper_c].

Klipper's own kinematics: carriage height = z + sqrt(arm_length^2 - (distance to the tower)^2), towers at `angle` and
`delta_radius` from the middle. What SAVE_CONFIG wrote at the end of the file, in lines that begin with `#*#`, counts
before what stands above.
"""

from __future__ import annotations

import math
import re

from parakin.description.values import LARGEST_NUMBER, shown
from parakin.errors import DescriptionError
from parakin.mechanism.readers.delta_printer import DeltaPrinter, Tower
from parakin.mechanism.readers.report import Journal

_ANGLES = {"a": 210.0, "b": 330.0, "c": 90.0}
"""Directions of the towers where the file does not say [degrees]."""
_READ = {
    "printer": {"kinematics", "delta_radius", "minimum_z_position", "print_radius"},
    "stepper_a": {"arm_length", "angle", "position_endstop", "rotation_distance"},
    "stepper_b": {"arm_length", "angle", "rotation_distance"},
    "stepper_c": {"arm_length", "angle", "rotation_distance"},
}
"""Keys that are read, by section."""

Sections = dict[str, dict[str, str]]
"""Values by section and key."""


def read_klipper(text: str, journal: Journal) -> DeltaPrinter:
    """Return the constants of a delta printer in the text of a printer.cfg."""
    sections = _sections(text, journal)
    kinematics = sections.get("printer", {}).get("kinematics", "")
    if kinematics != "delta":
        reason = f"only `delta` can be imported, got {shown(kinematics)}: rails, and rods that keep the effector level"
        raise DescriptionError(journal.file, (("[printer] kinematics", reason),))

    def number(section: str, key: str, default: float | None = None) -> float:
        return _number(sections, section, key, default, journal.file) * 1e-3

    radius = number("printer", "delta_radius")
    rod = number("stepper_a", "arm_length")
    height = number("stepper_a", "position_endstop")
    towers: list[Tower] = []
    for letter, usual in _ANGLES.items():
        section = f"stepper_{letter}"
        angle = math.radians(_number(sections, section, "angle", usual, journal.file))
        belt = number(section, "rotation_distance", 0.0)
        towers.append(Tower(angle, radius, number(section, "arm_length", rod * 1e3), belt if belt > 0.0 else None))
    floor = number("printer", "minimum_z_position", 0.0)
    print_radius = number("printer", "print_radius", radius * 1e3)
    _tell_rest(sections, journal)
    a, b, c = towers
    return DeltaPrinter("klipper_delta", (a, b, c), height, floor, print_radius)


def _number(sections: Sections, section: str, key: str, default: float | None, file: str) -> float:
    text = sections.get(section, {}).get(key)
    if text is None:
        if default is None:
            reason = "is not there: a delta printer needs it (included files are not read: put it into this one)"
            raise DescriptionError(file, ((f"[{section}] {key}", reason),))
        return default
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not abs(value) <= LARGEST_NUMBER:
        raise DescriptionError(file, ((f"[{section}] {key}", f"must be a number, got {shown(text)}"),))
    return value


def _sections(text: str, journal: Journal) -> Sections:
    """Return the values of a file; what SAVE_CONFIG wrote takes the place of what stands above it."""
    sections: Sections = {}
    current: dict[str, str] = {}
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.removeprefix("#*#").strip() if raw.startswith("#*#") else re.split(r"(?:^|\s)[#;]", raw)[0].rstrip()
        header = line[1:-1].strip() if line[:1] == "[" and line[-1:] == "]" else ""
        entry = re.match(r"([A-Za-z_]\w*)\s*[:=]\s*(.*)", line)
        if header.split()[:1] == ["include"]:
            journal.dropped(f"line {number}: [{header}]", "another file, which is not read: put what counts here")
        elif header:
            current = sections.setdefault(header, {})
        elif entry:
            current[entry[1].lower()] = entry[2].strip()
    return sections


def _tell_rest(sections: Sections, journal: Journal) -> None:
    """Note what of the sections that are read is not, and the other sections."""
    for section, known in _READ.items():
        rest = [key for key in sections.get(section, {}) if key not in known]
        if rest:
            journal.dropped(f"[{section}]", f"settings of motors and motions: {', '.join(rest)}")
    others = [f"[{section}]" for section in sections if section not in _READ]
    if others:
        journal.dropped(", ".join(others[:20]) + (", ..." if len(others) > 20 else ""), "no geometry of the printer")
