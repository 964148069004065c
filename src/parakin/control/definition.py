"""A control law as data: a symbolic discrete-time update with named gains, and what it wants to be told.

state, desired_*, measured_*, gains -> next_state, tau

Because it is an expression like every model, one definition simulates, runs in thousands of lanes and becomes C.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array
from parakin.control.proposal import Proposal
from parakin.errors import ControlError, UnknownNameError
from parakin.robot import Robot

Given = Mapping[str, ca.SX]
"""Symbols by name: parts of the state, gains, and the ports desired_* and measured_*."""


@dataclass(frozen=True)
class Gain:
    """One kernel input, of one value or one for each actuator, with its default. signed: may be negative."""

    name: str
    unit: str
    values: tuple[float, ...]
    meaning: str
    signed: bool = False


@dataclass(frozen=True)
class StatePart:
    """So many numbers that a law carries from tick to tick. labels: a name for each, for logs."""

    name: str
    size: int
    unit: str
    meaning: str
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Wanted:
    """What a law is told of the reference, as the input `desired_<quantity>`, `desired_<quantity>_ahead` or `name`.

    ahead: how many ticks after now, one column each; the last set point stands for all after it.
    """

    quantity: str
    ahead: tuple[int, ...] = (0,)
    name: str = ""

    @property
    def port(self) -> str:
        return self.name or f"desired_{self.quantity}" + ("" if self.ahead == (0,) else "_ahead")


@dataclass(frozen=True)
class Update:
    """What one tick gives: the next state by part, and the actuators' forces."""

    state: Mapping[str, ca.SX]
    tau: ca.SX


@dataclass(frozen=True)
class Interface:
    """Everything about a law but its equations."""

    gains: tuple[Gain, ...]
    state: tuple[StatePart, ...]
    reference: tuple[Wanted, ...]
    measurement: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Law:
    """A law for one robot and one sample time [s]. robot: the controller's model, which need not be the plant.

    start: desired_*, measured_*, gains, holding -> state: the state to begin with; `holding` are the forces that the
    drives hold the robot with before. step: state, desired_*, measured_*, gains -> next_state, tau. proposal: what
    `gains_for` asks.
    """

    name: str
    robot: Robot
    period: float
    interface: Interface
    start: ca.Function
    step: ca.Function
    proposal: Proposal | None = None

    def __repr__(self) -> str:
        return f"Law({self.name} of {self.robot.name}, every {1e3 * self.period:g} ms)"

    @property
    def gains(self) -> Array:
        """The default values of all gains, in one vector as the law takes them."""
        return np.concatenate([gain.values for gain in self.interface.gains])

    def gain_vector(self, values: Mapping[str, ArrayLike]) -> Array:
        """The gains with some of them changed; one value for all actuators, or one for each: (..., size) likewise."""
        known = {gain.name: gain for gain in self.interface.gains}
        for name in values:
            if name not in known:
                raise UnknownNameError(f"gain of {self.name}", name, tuple(known))
        parts = [_gain_values(self.name, gain, values.get(gain.name)) for gain in self.interface.gains]
        shape = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
        return np.concatenate([np.broadcast_to(part, (*shape, part.shape[-1])) for part in parts], axis=-1)

    def with_gains(self, **values: ArrayLike) -> Law:
        """The same law with other defaults."""
        vector = self.gain_vector(values).tolist()
        gains: list[Gain] = []
        for gain in self.interface.gains:
            size = len(gain.values)
            gains.append(replace(gain, values=tuple(vector[:size])))
            vector = vector[size:]
        return replace(self, interface=replace(self.interface, gains=tuple(gains)))


def _gain_values(law: str, gain: Gain, given: ArrayLike | None) -> Array:
    if given is None:
        return np.array(gain.values)
    values = np.asarray(given, float)
    if values.ndim == 0 or values.shape[-1] not in (1, len(gain.values)):
        values = values[..., None]
    if not (np.isfinite(values).all() and (gain.signed or (values >= 0.0).all())):
        rule = "finite" if gain.signed else f"finite and >= 0 {gain.unit}"
        raise ControlError(law, gain.name, f"must be {rule}, got {values.tolist()}")
    return np.broadcast_to(values, (*values.shape[:-1], len(gain.values)))


def assembled(
    name: str,
    robot: Robot,
    period: float,
    interface: Interface,
    *,
    start: Callable[[Given], Mapping[str, ca.SX]],
    step: Callable[[Given], Update],
    proposal: Proposal | None = None,
) -> Law:
    """A law from its interface and its two functions of symbols."""
    if not (np.isfinite(period) and period > 0.0):
        raise ControlError(name, "period", f"must be finite and > 0 s, got {period:g}")
    gains = ca.SX.sym("gains", sum(len(gain.values) for gain in interface.gains))
    state = ca.SX.sym("state", sum(part.size for part in interface.state))
    sizes = quantity_sizes(robot)
    desired = {w.port: ca.SX.sym(w.port, sizes[w.quantity], len(w.ahead)) for w in interface.reference}
    measured = {f"measured_{what}": ca.SX.sym(f"measured_{what}", sizes[what]) for what in interface.measurement}
    holding = ca.SX.sym("holding", sizes["q"])
    given = desired | measured | _parts(gains, {gain.name: len(gain.values) for gain in interface.gains})
    first, own = start(given | {"holding": holding}), _parts(state, {part.name: part.size for part in interface.state})
    update = step(given | own)
    inputs = desired | measured | {"gains": gains}
    label = f"{robot.name}_{name}"
    return Law(
        name,
        robot,
        period,
        interface,
        _function(f"{label}_start", inputs | {"holding": holding}, {"state": _joined(first, interface)}),
        _function(
            f"{label}_step",
            {"state": state} | inputs,
            {"next_state": _joined(update.state, interface)} | {"tau": update.tau},
        ),
        proposal,
    )


def quantity_sizes(robot: Robot) -> dict[str, int]:
    """How many numbers each quantity of a reference or measurement has."""
    actuators, freedom = len(robot.actuator_names), robot.degrees_of_freedom
    return {
        "pose": len(robot.home),
        "velocity": freedom,
        "acceleration": freedom,
        "q": actuators,
        "q_dot": actuators,
        "q_ddot": actuators,
    }


def _parts(vector: ca.SX, sizes: Mapping[str, int]) -> dict[str, ca.SX]:
    found: dict[str, ca.SX] = {}
    first = 0
    for name, size in sizes.items():
        found[name] = vector[first : first + size]
        first += size
    return found


def _joined(parts: Mapping[str, ca.SX], interface: Interface) -> ca.SX:
    return ca.vertcat(*(parts[part.name] for part in interface.state))


def _function(name: str, inputs: Mapping[str, ca.SX], outputs: Mapping[str, ca.SX]) -> ca.Function:
    dense = [ca.densify(value) for value in outputs.values()]
    return ca.Function(name, list(inputs.values()), dense, list(inputs), list(outputs), {"cse": True})
