"""Input shaping: set points are led through impulses that leave a vibration of a known frequency at rest.

    c'(k) = sum_i A_i c(k - d_i),        sum_i A_i = 1,        sum_i A_i z^-d_i = 0 at z = exp((-zeta w + j w_d) T)

A mode with the pole z is not moved by set points whose shaper has a zero there [Singer1990]. Half a period of the mode
is seldom a whole number of ticks, so the second impulse of the ZV shaper is divided between the two ticks beside it,
with the amplitudes that make the zero exact at every sample time. ZVD is ZV twice: a double zero, which bears a
frequency that is not known well.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import casadi as ca
import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.control.definition import Gain, Given, Law, StatePart, Update
from parakin.control.model import ControlModel
from parakin.control.parts.wearing import Answer, Part, label_of, wear
from parakin.control.units import unit_of
from parakin.errors import ControlError

Kind = Literal["ZV", "ZVD"]
"""Shapers: zero vibration, and zero vibration and derivative."""
LONGEST = 2000
"""Ticks beyond which a shaper is refused: every one of them is a number of the state for each set point."""
WHOLE = 1e-9
"""Part of a tick by which half a period may miss a whole number of ticks and still count as one."""
_PLATFORM = ("pose", "velocity", "acceleration")


@frozen_arrays
class Impulses:
    """The impulses of a shaper.

    >>> impulses = pk.control.impulses(33.0, damping=0.05, period=1e-3)
    >>> impulses.ticks, impulses.sizes.round(2).tolist()
    ((0, 15, 16), [0.54, 0.38, 0.08])
    """

    ticks: tuple[int, ...]
    """How many ticks late each impulse is."""
    sizes: Array
    """Amplitudes, whose sum is 1."""


def impulses(frequency: float, damping: float, period: float, kind: Kind = "ZV") -> Impulses:
    """Return the impulses that leave a mode of this frequency [Hz] and damping ratio at rest.

    `frequency` is that of the undamped mode, `period` the time between ticks [s].

    >>> pk.control.impulses(33.0, damping=0.05, period=1e-3, kind="ZVD").ticks
    (0, 15, 16, 30, 31, 32)
    """
    pole = 2 * np.pi * frequency * (-damping + 1j * np.sqrt(1 - damping**2)) * period
    half = int(np.pi / pole.imag + WHOLE)
    once = (0, half, half + 1)
    waves = np.exp(-pole * np.array(once))
    sizes = np.linalg.solve(np.array([np.ones(3), waves.real, waves.imag]), [1.0, 0.0, 0.0])
    single = np.zeros(half + 2)
    single[list(once)] = sizes
    whole = single if kind == "ZV" else np.convolve(single, single)
    late = tuple(sorted({a + b for a in once for b in (once if kind == "ZVD" else once[:1])}))
    return Impulses(late, whole[list(late)])


def with_shaping(law: Law, frequency: float, damping: float = 0.0, kind: Kind = "ZV") -> Law:
    """Return a law whose set points leave a vibration at rest: `frequency` [Hz] of the mode, and its damping ratio.

    The motion takes longer by half a period of the mode with ZV, by a whole one with ZVD. Laws that compute only with
    positions of the actuators have these shaped. Laws that compute along the reference have the platform's motion
    shaped, and the actuators' computed from it: the set points then fit each other. The amplitudes are gains; their
    ticks are not, so that the line of earlier set points in the law's state has a constant length.

    >>> gentle = pk.control.with_shaping(law, frequency=20.0, kind="ZVD")
    >>> gentle.interface.gains[-1].name, len(gentle.interface.gains[-1].values)
    ('shaping_sizes', 6)
    """
    label = label_of(law, "shaping")
    _check(law, label, frequency, damping, kind)
    shaper = impulses(frequency, damping, law.period, kind)
    longest = shaper.ticks[-1]
    if longest > LONGEST:
        reason = f"{frequency:g} Hz takes a line of {longest} ticks, more than {LONGEST}: choose a longer period"
        raise ControlError(law.name, label, reason)
    ports = _shaped_ports(law, label)
    sizes = f"{label}_sizes"

    def start(given: Given) -> Mapping[str, ca.SX]:
        return {f"{label}_{port}": ca.repmat(ca.vec(given[port]), longest) for port in ports}

    def tick(given: Given, answer: Answer) -> Update:
        told: dict[str, ca.SX] = {}
        lines: dict[str, ca.SX] = {}
        for port in ports:
            now = ca.vec(given[port])
            line = ca.vertcat(now, given[f"{label}_{port}"])
            count = now.shape[0]
            late = (line[k * count : (k + 1) * count] for k in shaper.ticks)
            mixed = sum((given[sizes][i] * value for i, value in enumerate(late)), ca.SX.zeros(count))
            told[port] = ca.reshape(mixed, *given[port].shape)
            lines[f"{label}_{port}"] = line[: longest * count]
        return Update(lines, answer(told if ports[0] != "desired_pose" else told | _actuators(law, told)))

    late = ", ".join(map(str, shaper.ticks))
    gain = Gain(sizes, "", tuple(shaper.sizes.tolist()), f"impulses, {late} ticks late", signed=True)
    quantities = {wanted.port: wanted.quantity for wanted in law.interface.reference}
    parts = (
        StatePart(
            f"{label}_{port}",
            longest * law.step.numel_in(port),
            _one_unit(unit_of(law.robot, quantities[port])),
            "set points of earlier ticks, the newest first",
        )
        for port in ports
    )
    return wear(law, Part(label, (gain,), tuple(parts), start, tick, acts=False, lag=longest * law.period))


def _check(law: Law, label: str, frequency: float, damping: float, kind: str) -> None:
    most = 0.5 / law.period
    rules = (
        ("frequency", frequency, 0.0 < frequency < most, f"> 0 and below {most:g} Hz, half the rate of the ticks"),
        ("damping", damping, 0.0 <= damping < 1.0, "at least 0 and below 1"),
        ("kind", kind, kind in ("ZV", "ZVD"), "ZV or ZVD"),
    )
    for name, value, good, rule in rules:
        if not good:
            raise ControlError(law.name, f"{label}_{name}", f"must be {rule}, got {value}")


def _one_unit(listed: str) -> str:
    """Return a unit for a line of vectors: a list with one unit for each number would have to be repeated."""
    return " or ".join(dict.fromkeys(listed.split(", ")))


def _shaped_ports(law: Law, label: str) -> tuple[str, ...]:
    """Return the set points that are shaped: the platform's where the law computes with them, else the actuators'."""
    ports = {wanted.port: wanted.quantity for wanted in law.interface.reference}
    used = [port for port in ports if _depends(law.step, port)]
    if not any(ports[port] in _PLATFORM for port in used):
        return tuple(port for port in used)
    robot = law.robot
    if not robot.place_is_pose or robot.motion_type.quaternion is not None:
        reason = (
            f"{law.name} computes with set points of the platform, and those of {robot.name} cannot be added: choose a "
            "law that computes with the actuators' (pid, computed_torque, predictive_functional), or shape the motion"
        )
        raise ControlError(law.name, label, reason)
    ahead = [wanted.port for wanted in law.interface.reference if wanted.ahead != (0,) and wanted.port in used]
    missing = [f"desired_{what}" for what in _PLATFORM if f"desired_{what}" not in ports]
    if ahead or missing:
        reason = f"needs pose, velocity and acceleration of the platform at this tick; {(ahead + missing)[0]} differs"
        raise ControlError(law.name, label, reason)
    return tuple(f"desired_{what}" for what in _PLATFORM)


def _depends(step: ca.Function, port: str) -> bool:
    """Return whether a tick makes use of one of its inputs."""
    inputs = [ca.SX.sym(name, *step.size_in(name)) for name in step.name_in()]
    outputs = ca.vertcat(*(ca.vec(each) for each in step.call(inputs)))
    return bool(ca.depends_on(outputs, inputs[step.index_in(port)]))


def _actuators(law: Law, told: Mapping[str, ca.SX]) -> dict[str, ca.SX]:
    """Return the actuators' set points that belong to shaped ones of the platform, as far as the law is told them."""
    model = ControlModel(law.robot)
    pose, v, a = (told[f"desired_{what}"] for what in _PLATFORM)
    rates = {
        "desired_q": model.positions(pose)[0],
        "desired_q_dot": model.rates(pose, v),
        "desired_q_ddot": model.accelerations(pose, v, a),
    }
    return {port: value for port, value in rates.items() if port in law.interface.told}
