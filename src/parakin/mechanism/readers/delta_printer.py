"""A delta printer as a robot of three rails and three pairs of rods, from the constants of its firmware.

A firmware knows the machine by a rod's length, a tower's angle, and the horizontal way from the joints on the carriage
to the joints on the effector when that is in the middle. Where carriages and effector really have their joints it does
not know, and need not: both move along with what they belong to. What is not there, all masses above all, is assumed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from parakin.description.loader import describe
from parakin.description.model import RobotDescription
from parakin.errors import DescriptionError
from parakin.mechanism.readers.finishing import legal_name
from parakin.mechanism.readers.report import Journal

EFFECTOR_RADIUS = 0.03
"""Assumed distance of the rods' joints from the middle of the effector [m]; it shifts the rails, nothing else."""
EFFECTOR_MASS = 0.15
"""Assumed mass of the effector with its hot end [kg]."""
CARRIAGE_MASS = 0.08
"""Assumed mass of a carriage [kg]."""
ROD_MASS = 0.06
"""Assumed mass of a rod for each metre of its length [kg/m]: a carbon tube of 6 mm with its ends."""
ROD_SPACING = 0.05
"""Assumed distance of the two rods of a pair [m]."""
ROTOR_INERTIA = 5.4e-6
"""Assumed inertia of a motor's rotor [kg m^2]: a NEMA 17 stepper."""
BELT_IN_A_TURN = 0.04
"""Assumed way of a carriage in a turn of its motor [m]: a pulley of 20 teeth of 2 mm."""
BOX = 0.5
"""Half the side of the box beside the printable radius."""


@dataclass(frozen=True)
class Tower:
    """One of the three towers of a delta printer."""

    angle: float
    """Direction of the tower from the middle [rad]."""
    radius: float
    """Horizontal way from the carriage's joints to the effector's, with the effector in the middle [m]."""
    rod: float
    """Length of its rods [m]."""
    belt: float | None = None
    """Way of the carriage in a turn of its motor [m]; assumed if the file does not say."""


@dataclass(frozen=True)
class DeltaPrinter:
    """The constants of a delta printer."""

    name: str
    """What the robot is to be called."""
    towers: tuple[Tower, Tower, Tower]
    """Its towers."""
    height: float
    """Height of the nozzle over the bed with all carriages at their end stops [m]."""
    floor: float
    """Lowest height of the nozzle [m]."""
    print_radius: float
    """How far from the middle the nozzle may go [m]."""


def printer_robot(printer: DeltaPrinter, journal: Journal) -> RobotDescription:
    """Return the robot; what is assumed is noted and stands in the sources of its numbers."""
    _refuse_impossible(printer, journal.file)
    of_file = f"{journal.file} ({journal.dialect})"
    of_firmware = f"{journal.dialect} knows none: effector {EFFECTOR_MASS} kg, carriages {CARRIAGE_MASS} kg"
    journal.approximated("masses", f"{of_firmware} and rods {ROD_MASS} kg/m are assumed")
    journal.approximated("motors", f"rotors of {ROTOR_INERTIA} kg m^2 are assumed; forces and speeds are not limited")
    words = f"rods end {EFFECTOR_RADIUS} m from the middle, {ROD_SPACING} m apart, assumed"
    journal.approximated("effector", f"{words}: it shifts the rails, not the motion")
    tables = {
        "name": legal_name(printer.name, "printer"),
        "title": f"Delta printer of {journal.file}"[:200],
        "motion": "translation",
        "length": max(tower.rod for tower in printer.towers),
        "source": f"{of_file}; masses and motors assumed",
        "workspace": _workspace(printer, of_file),
        "platform": {
            "source": "assumed",
            "bodies": [
                {
                    "name": "effector",
                    "mass": EFFECTOR_MASS,
                    "b": [0.0, 0.0, 0.0],
                    "inertia": _disc(EFFECTOR_MASS, EFFECTOR_RADIUS),
                    "turns": False,
                    "source": "assumed",
                }
            ],
        },
        "legs": [_leg(printer, tower, name, of_file) for tower, name in zip(printer.towers, "abc", strict=True)],
    }
    return describe(tables, journal.file)


def _refuse_impossible(printer: DeltaPrinter, file: str) -> None:
    for tower, name in zip(printer.towers, "abc", strict=True):
        if not 0.0 < tower.radius < tower.rod:
            reason = f"rods of {tower.rod * 1e3:g} mm cannot span a radius of {tower.radius * 1e3:g} mm"
            raise DescriptionError(file, ((f"tower {name}", f"{reason}: rods are longer than the radius"),))
    if not printer.floor < printer.height:
        reason = f"the end stops, {printer.height * 1e3:g} mm, must be above the lowest height"
        raise DescriptionError(file, (("height", f"{reason}, {printer.floor * 1e3:g} mm"),))


def _top(tower: Tower, height: float) -> float:
    """Return the height of a carriage with the nozzle in the middle at a height: z + sqrt(rod^2 - radius^2)."""
    return height + math.sqrt(tower.rod**2 - tower.radius**2)


def _workspace(printer: DeltaPrinter, of_file: str) -> dict[str, object]:
    """Return a box inside the printable cylinder, low enough that no carriage meets its end stop."""
    side = BOX * min(printer.print_radius, *(tower.radius for tower in printer.towers))
    away = side * math.sqrt(2)
    rise = max(
        math.sqrt(max(tower.rod**2 - (tower.radius - away) ** 2, 0.0)) - math.sqrt(tower.rod**2 - tower.radius**2)
        for tower in printer.towers
    )
    ceiling = max(printer.height - rise, printer.floor + 0.1 * (printer.height - printer.floor))
    home = (printer.floor + ceiling) / 2
    room = 0.98 * (ceiling - printer.floor) / 2
    return {
        "home": [0.0, 0.0, home],
        "lower": [-side, -side, -room],
        "upper": [side, side, room],
        "source": f"{of_file}: inside the printable radius and below the end stops",
    }


def _leg(printer: DeltaPrinter, tower: Tower, name: str, of_file: str) -> dict[str, object]:
    c, s = math.cos(tower.angle), math.sin(tower.angle)
    out = tower.radius + EFFECTOR_RADIUS
    belt = BELT_IN_A_TURN if tower.belt is None else tower.belt
    reach = min(tower.radius + printer.print_radius, 0.999 * tower.rod)
    rod = ROD_MASS * tower.rod
    across = rod * tower.rod**2 / 12
    rods = [
        {
            "name": f"rod_{side}",
            "mass": rod,
            "com": [tower.rod / 2, 0.0, 0.0],
            "inertia": [[0.0, 0.0, 0.0], [0.0, across, 0.0], [0.0, 0.0, across]],
            "source": "assumed",
        }
        for side in "ab"
    ]
    carriage = {
        "name": "carriage",
        "part": "tip",
        "mass": CARRIAGE_MASS,
        "com": [0.0, 0.0, 0.0],
        "inertia": _disc(CARRIAGE_MASS, EFFECTOR_RADIUS),
        "source": "assumed",
    }
    rail = {
        "name": "rail",
        "type": "telescopic",
        "joint": {"type": "fixed", "axis": [-s, c, 0.0]},
        "direction": [0.0, 0.0, 1.0],
        "source": of_file,
        "actuator": {
            "coordinate": "length",
            "rotor_inertia": ROTOR_INERTIA,
            "gear_ratio": 2 * math.pi / belt,
            "lower": printer.floor + math.sqrt(tower.rod**2 - reach**2),
            "upper": _top(tower, printer.height),
            "source": f"{of_file}; rotor{' and belt' if tower.belt is None else ''} assumed",
        },
        "bodies": [carriage],
    }
    rods_bar = {
        "name": "rods",
        "type": "bar",
        "joint": {"type": "parallelogram", "axis": [0.0, 0.0, 1.0], "spacing": ROD_SPACING},
        "length": tower.rod,
        "source": f"{of_file}; spacing assumed",
        "bodies": rods,
    }
    return {
        "name": f"tower_{name}",
        "root": [out * c, out * s, 0.0],
        "attachment": {"b": [EFFECTOR_RADIUS * c, EFFECTOR_RADIUS * s, 0.0]},
        "branch": -1,
        "source": f"{of_file}; joints on the effector assumed",
        "elements": [rail, rods_bar],
    }


def _disc(mass: float, radius: float) -> list[list[float]]:
    """Return the tensor of a thin disc about z."""
    side, about = mass * radius**2 / 4, mass * radius**2 / 2
    return [[side, 0.0, 0.0], [0.0, side, 0.0], [0.0, 0.0, about]]
