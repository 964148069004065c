"""The numbers of imperfections, checked, scenario by scenario."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array
from parakin.dynamics.parameters import Quantity
from parakin.errors import SimulationError
from parakin.kernels.arguments import as_array
from parakin.robot import Robot
from parakin.simulation.imperfections import Cable, Effects, ElasticDrives, Stiction, TorqueRipple
from parakin.units import ANGLE

if TYPE_CHECKING:
    from parakin.simulation.scenario import Scenario

LARGEST = 1e18
"""Size that no number of an imperfection has, in SI units: products of a few of them must not overflow."""


def of_drives(robot: Robot, quantity: Quantity) -> list[int]:
    """Return which parameters are this quantity of the actuators, in their order."""
    places = {p.owner: k for k, p in enumerate(robot.parameter_table) if p.quantity is quantity}
    return [places[name] for name in robot.actuator_names]


def without_drives(robot: Robot, effects: Effects, parameters: Array) -> Array:
    """Return parameters (..., p) without what the motor's side of drives takes over.

    Springs have rotors and friction of the drives on their far side; stiction takes the place of Coulomb friction.
    """
    moved = (Quantity.ROTOR, Quantity.VISCOUS, Quantity.COULOMB) if effects.elastic else ()
    moved = (Quantity.COULOMB,) if effects.stiction and not effects.elastic else moved
    rest = parameters.copy()
    for quantity in moved:
        rest[..., of_drives(robot, quantity)] = 0.0
    return rest


def effect_numbers(
    robot: Robot, scenarios: Sequence[Scenario], effects: Effects, parameters: Array
) -> dict[str, Array]:
    """Check the imperfections of scenarios alike and stack their numbers, by name (scenarios, ...).

    parameters: those of the plants (scenarios, p), the drives' own among them.
    """
    rows: list[dict[str, Array]] = []
    known: dict[tuple[int, ...], dict[str, Array]] = {}
    for scenario, p in zip(scenarios, parameters, strict=True):
        parts = (scenario.elastic, scenario.stiction, scenario.ripple, scenario.cable, scenario.torque_step)
        key = (*(id(part) for part in parts), hash(p.tobytes()))
        if key not in known:
            known[key] = _numbers(robot, scenario, effects, p)
        rows.append(known[key])
    numbers = {name: np.stack([row[name] for row in rows]) for name in rows[0]}
    if effects.jitter:
        numbers["jitter"] = np.array([scenario.jitter for scenario in scenarios], float)
    return numbers


def _numbers(robot: Robot, scenario: Scenario, effects: Effects, p: Array) -> dict[str, Array]:
    """Return the numbers of one scenario, by name."""
    numbers: dict[str, Array] = {}
    if scenario.elastic is not None:
        numbers |= _elastic(robot, scenario.elastic, p)
        numbers["motor_viscous"] = p[of_drives(robot, Quantity.VISCOUS)]
        coulomb = p[of_drives(robot, Quantity.COULOMB)]
        numbers["motor_coulomb"] = 0 * coulomb if effects.stiction else coulomb
        numbers["on_motor"] = np.array(float(scenario.elastic.encoders == "motor"))
    if scenario.stiction is not None:
        numbers |= _stiction(robot, scenario.stiction, p)
    if scenario.ripple is not None:
        numbers |= _ripple(robot, scenario.ripple)
    if scenario.cable is not None:
        numbers["cable"] = _cable(robot, scenario.cable)
    if scenario.torque_step is not None:
        numbers["torque_step"] = _each(robot, "torque_step", scenario.torque_step, positive=True)
    return numbers


def _each(robot: Robot, name: str, given: ArrayLike, *, least: float = 0.0, positive: bool = False) -> Array:
    """Return a number for each actuator, or refuse what is not finite, too small, or of another count."""
    count = len(robot.actuator_names)
    values = as_array("simulation", name, given)
    if values.shape not in ((), (count,)):
        raise SimulationError(name, f"must be one number or {count}, got {values.shape[0] if values.ndim else 1}")
    values = np.broadcast_to(values, (count,)).copy()
    wrong = ~np.isfinite(values) | ((values <= least) if positive else (values < least))
    if wrong.any():
        rule = f"{'>' if positive else '>='} {least:g}"
        raise SimulationError(name, f"must be finite and {rule}, got {float(values[wrong][0]):g}")
    if values.max() > LARGEST:
        raise SimulationError(name, f"at most {LARGEST:g}, got {float(values.max()):g}")
    return values


def motor_inertias(robot: Robot, elastic: ElasticDrives, p: Array) -> Array:
    """Return the inertia before each spring [kg m^2 or kg], or refuse a motor without."""
    if elastic.motor_inertia is not None:
        return _each(robot, "elastic.motor_inertia", elastic.motor_inertia, positive=True)
    rotors = p[of_drives(robot, Quantity.ROTOR)]
    if not (rotors > 0).all():
        bare = robot.actuator_names[int(np.argmin(rotors))]
        reason = f"{bare} of {robot.name} has a rotor of {rotors.min():g}, and a spring needs one: give motor_inertia"
        raise SimulationError("elastic", reason)
    return rotors


def _elastic(robot: Robot, elastic: ElasticDrives, p: Array) -> dict[str, Array]:
    """Return inertia, stiffness, damping and backlash of elastic drives.

    With the inertia m of a motor and a of what it drives at home, k = (2 pi f)^2 m a/(m + a),  d = 2 ratio sqrt(k m
    a/(m + a)). Springs do not change with the parameters of a plant: frequencies are those of the robot file.
    """
    if (elastic.frequency is None) == (elastic.stiffness is None):
        raise SimulationError("elastic", "give either frequency or stiffness")
    if elastic.encoders not in ("motor", "joint"):
        raise SimulationError("elastic.encoders", f"must be 'motor' or 'joint', got {elastic.encoders!r}")
    motor = motor_inertias(robot, elastic, p)
    backlash = _each(robot, "elastic.backlash", elastic.backlash)
    ratio = _each(robot, "elastic.damping_ratio", elastic.damping_ratio)
    reduced = None
    if elastic.frequency is not None or elastic.damping is None:
        reduced = _reduced(robot, elastic)
    if elastic.frequency is None:
        assert elastic.stiffness is not None
        stiffness = _each(robot, "elastic.stiffness", elastic.stiffness, positive=True)
    else:
        assert reduced is not None
        stiffness = reduced * (2 * np.pi * _each(robot, "elastic.frequency", elastic.frequency, positive=True)) ** 2
    if elastic.damping is None:
        assert reduced is not None
        damping = 2 * ratio * np.sqrt(stiffness * reduced)
    else:
        damping = _each(robot, "elastic.damping", elastic.damping)
    return {"motor_inertia": motor, "stiffness": stiffness, "damping": damping, "backlash": backlash}


def _reduced(robot: Robot, elastic: ElasticDrives) -> Array:
    """Return m a/(m + a) of each drive at home, for the robot as its file has it."""
    file, driven = _at_home(robot)
    motor = motor_inertias(robot, elastic, file)
    return motor * driven / (motor + driven)


@functools.lru_cache(maxsize=32)
def _at_home(robot: Robot) -> tuple[Array, Array]:
    """Return the parameters of a robot file, and the inertia that each motor drives at home.

    The other joints are held. Where there are more drives than freedoms, holding the others would hold the machine:
    there they move freely, and a_i = 1/(J_qv M_v^-1 J_qv^T)_ii, with M_v without the rotors.
    """
    file = np.array([parameter.value for parameter in robot.parameter_table])
    rotors = file[of_drives(robot, Quantity.ROTOR)]
    if len(rotors) > robot.degrees_of_freedom:
        J_qv = robot.jacobian(robot.home)
        M_v = robot.mass_matrix(robot.home) - J_qv.T @ (rotors[:, None] * J_qv)
        driven = 1 / np.sum(J_qv.T * np.linalg.solve(M_v, J_qv.T), axis=0)
    else:
        driven = np.diag(robot.mass_matrix(robot.home, space="actuator")) - rotors
    if not (driven > 0).all():
        raise SimulationError("elastic", f"behind the rotors of {robot.name} something has no mass")
    return file, driven


def _stiction(robot: Robot, stiction: Stiction, p: Array) -> dict[str, Array]:
    """Return levels, speed, stiffness and damping of bristles."""
    known = p[of_drives(robot, Quantity.COULOMB)]
    if stiction.coulomb is None and not (known > 0).all():
        bare = robot.actuator_names[int(np.argmin(known))]
        raise SimulationError("stiction", f"{bare} of {robot.name} has no Coulomb friction: give coulomb")
    given = known if stiction.coulomb is None else stiction.coulomb
    coulomb = _each(robot, "stiction.coulomb", given, positive=True)
    return {
        "sliding": coulomb,
        "breakaway": coulomb * _each(robot, "stiction.breakaway", stiction.breakaway, least=1.0),
        "stribeck_speed": _each(robot, "stiction.stribeck_speed", stiction.stribeck_speed, positive=True),
        "bristle_stiffness": coulomb / _each(robot, "stiction.presliding", stiction.presliding, positive=True),
        "bristle_damping": _each(robot, "stiction.bristle_damping", stiction.bristle_damping),
    }


def _ripple(robot: Robot, ripple: TorqueRipple) -> dict[str, Array]:
    """Return amplitude, waves and phase of torque ripple; a motor turns gear_ratio times as far as its joint."""
    factors = [one.gear_ratio if one.units is ANGLE else 2 * math.pi for one in robot.actuators]
    return {
        "ripple": _each(robot, "ripple.amplitude", ripple.amplitude),
        "ripple_waves": _each(robot, "ripple.periods", ripple.periods) * np.array(factors),
        "ripple_phase": _each(robot, "ripple.phase", ripple.phase, least=-math.inf),
    }


def _cable(robot: Robot, cable: Cable) -> Array:
    """Return anchor, point, stiffness, length and pull of a cable (9,)."""
    if robot.motion_type.of_joints:
        raise SimulationError(
            "cable", f"{robot.name} is told by coordinates of joints: a cable needs a platform's pose"
        )
    ends = [np.asarray(end, float) for end in (cable.anchor, cable.point)]
    for name, end in zip(("cable.anchor", "cable.point"), ends, strict=True):
        if end.shape != (3,) or not (np.abs(end) <= LARGEST).all():
            raise SimulationError(name, f"must be three finite numbers in m, got {end.tolist()}")
    numbers = {"stiffness": cable.stiffness, "length": cable.length, "pull": cable.pull}
    for name, value in numbers.items():
        if not 0 <= value <= LARGEST:
            raise SimulationError(f"cable.{name}", f"must be finite and >= 0, got {value:g}")
    return np.concatenate([*ends, list(numbers.values())])


def checked_jitter(jitter: float, period: float) -> float:
    """Return the jitter of ticks [s], or refuse one by which two ticks could meet."""
    if not 0 <= jitter < period / 2:
        raise SimulationError("jitter", f"must be >= 0 and less than half a tick, {period / 2:g} s, got {jitter:g} s")
    return jitter
