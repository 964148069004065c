"""A control law is data: a symbolic discrete-time update with named gains, and a list of what it needs to be told.

state, desired_*, measured_*, gains -> next_state, tau

Because it is an expression like every model, one definition simulates, runs in thousands of lanes and becomes C.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array
from parakin.control.tuning.delay import check_period
from parakin.control.tuning.proposal import Proposal
from parakin.dynamics.parameters import Label
from parakin.errors import ControlError, UnknownNameError
from parakin.robot import Robot

if TYPE_CHECKING:
    from parakin.control.guard import Guard

Given = Mapping[str, ca.SX]
"""Symbols by name: parts of the state, gains, and the ports desired_* and measured_*."""


@dataclass(frozen=True)
class Gain:
    """A gain is a kernel input with a default, so that it can be changed without compiling the law again.

    >>> gain = law.interface.gains[0]
    >>> gain.name, gain.unit, gain.meaning
    ('K_p', '1/s^2', 'stiffness')
    """

    name: str
    """Name of the gain, by which `Law.with_gains` and a scenario change it."""
    unit: str
    """Unit of every value, or one unit for each, separated by commas; empty where there is none."""
    values: tuple[float, ...]
    """Default: one value, one for each actuator, or as many as the law needs."""
    meaning: str
    """What the gain does, in a few words; exported controllers print it."""
    signed: bool = False
    """Whether negative values are allowed."""
    below: float = np.inf
    """What every value has to be below; infinite for no bound."""


@dataclass(frozen=True)
class StatePart:
    """A named part of the numbers that a law carries from tick to tick.

    >>> [(part.name, part.size, part.unit) for part in law.interface.state]
    [('pose', 3, 'm'), ('integral', 3, 'm/s^2 or rad/s^2')]
    """

    name: str
    """Name under which the law's functions find this part."""
    size: int
    """How many numbers the part has."""
    unit: str
    """Unit of all numbers, a list with one for each, or `a, then b` where the halves differ; empty for none."""
    meaning: str
    """What the part is, in a few words; exported controllers print it."""
    labels: tuple[str, ...] = ()
    """A name for each number, for the columns of logs; empty where the numbers have none."""
    parameters: tuple[Label, ...] = ()
    """What each number is where the part holds dynamic parameters of the robot; empty elsewhere."""


@dataclass(frozen=True)
class Wanted:
    """A set point that a law needs to be told at every tick, now or some ticks ahead.

    >>> pk.control.Wanted("q", ahead=(6, 12, 18)).port
    'desired_q_ahead'
    """

    quantity: str
    """Which quantity of the reference: pose, velocity, acceleration, q, q_dot or q_ddot."""
    ahead: tuple[int, ...] = (0,)
    """How many ticks after now, one column for each; the last set point stands for all after it."""
    name: str = ""
    """Name of the law's input; empty for `desired_<quantity>`, or `desired_<quantity>_ahead` for later ticks."""

    @property
    def port(self) -> str:
        """The name of the law's input that takes this set point."""
        return self.name or f"desired_{self.quantity}" + ("" if self.ahead == (0,) else "_ahead")


@dataclass(frozen=True)
class Signal:
    """A number that a law is told at every tick by what supervises it, neither a set point nor a measurement.

    >>> [signal.name for signal in pk.control.guarded(law).interface.supervision]
    ['heartbeat', 'reset']
    """

    name: str
    """Name of the law's input."""
    meaning: str
    """What the number says, in a few words; exported controllers print it."""
    choices: int = 0
    """How many whole numbers from 0 on it may be, where it chooses between some; 0 for any number."""


@dataclass(frozen=True)
class Update:
    """The result of one tick of a law, as expressions.

    >>> q, q_dot = ca.SX.sym("q", 3), ca.SX.sym("q_dot", 3)
    >>> update = pk.control.Update(state={}, tau=-30.0 * q - 2.0 * q_dot)
    >>> update.tau.shape
    (3, 1)
    """

    state: Mapping[str, ca.SX]
    """State for the next tick, by the names of its parts."""
    tau: ca.SX
    """Actuator forces until the next tick (actuators,) [N or N m]."""


@dataclass(frozen=True)
class Interface:
    """Everything that has to be known about a law to call it, without its equations.

    >>> law.interface.measurement, [want.port for want in law.interface.reference]
    (('q', 'q_dot'), ['desired_q', 'desired_q_dot', 'desired_q_ddot', 'desired_pose'])
    """

    gains: tuple[Gain, ...]
    """Gains in the order in which the law takes them."""
    state: tuple[StatePart, ...]
    """Parts of the state in the order in which the law keeps them; empty for a law without memory."""
    reference: tuple[Wanted, ...]
    """Set points that the law is told at every tick."""
    measurement: tuple[str, ...]
    """Measured quantities that the law is told, such as q and q_dot: inputs `measured_<quantity>`."""
    supervision: tuple[Signal, ...] = ()
    """What a law is told by its supervisor: a guarded law, and one that is made of several; empty for others."""
    lag: float = 0.0
    """By how much the law lets the robot be behind its set points on purpose [s]; infinite if it follows none."""

    @property
    def told(self) -> tuple[str, ...]:
        """Names of the inputs for set points and measurements, in the order of `step`."""
        return (*(wanted.port for wanted in self.reference), *(f"measured_{what}" for what in self.measurement))


@dataclass(frozen=True, eq=False)
class Law:
    """A control law made for one robot and one sample time.

    >>> law.name, law.period, len(law.gains)
    ('computed_torque', 0.001, 3)
    """

    name: str
    """Name of the law, as in `LAWS`."""
    robot: Robot
    """The controller's model of the robot, which need not be the plant."""
    period: float
    """Time from one control tick to the next [s]."""
    interface: Interface
    """Gains, state, set points and measurements that the two functions take."""
    start: ca.Function
    """The state to begin with: desired_*, measured_*, gains, holding, first_place -> state.

    `holding` (actuators,) [N or N m] are the forces with which the drives held the robot before the first tick;
    `first_place`, which is there only where a place is no pose, the place of the first desired pose.
    """
    step: ca.Function
    """One tick: state, desired_*, measured_*, gains -> next_state, tau; a guarded law also takes its supervision."""
    proposal: Proposal | None = None
    """Gains for a bandwidth, which `gains_for` asks for; None where a law cannot say."""
    guard: Guard | None = None
    """What the law believes and does, where it is guarded; None for a law that takes every number as it comes."""
    single: bool = False
    """Whether it runs in single precision, in simulation as in C: `in_single` makes such a law."""
    worn: tuple[str, ...] = ()
    """Names of the parts that the law wears, in the order in which they were put on."""

    def __repr__(self) -> str:
        return f"Law({self.name} of {self.robot.name}, every {1e3 * self.period:g} ms)"

    def in_single(self) -> Law:
        """Return this law in single precision: simulations round after each of its operations, C has `float`.

        >>> still = pk.control.hold(robot, robot.home, 0.1, 1e-3)
        >>> runs = [pk.simulation.simulate(robot, each, still).summary() for each in (law, law.in_single())]
        >>> bool(abs(runs[0].distance_peak - runs[1].distance_peak) < 1e-6)
        True
        """
        return replace(self, single=True)

    @property
    def carries_place(self) -> bool:
        """Whether the law's state has a place, with how far its loops are open, because a place is no pose."""
        return any(part.name == "residual" for part in self.interface.state)

    @property
    def gains(self) -> Array:
        """Return the default values of all gains as the one vector that the law takes."""
        return np.array([value for gain in self.interface.gains for value in gain.values])

    def gain_vector(self, values: Mapping[str, ArrayLike]) -> Array:
        """Return the vector of all gains with some of them changed.

        A gain is given as one value for all actuators or as one value for each. Leading dimensions stand for a batch:
        values (..., 1) or (..., size) give vectors (..., gains).

        >>> name = law.interface.gains[0].name
        >>> law.gain_vector({name: 900.0}).shape
        (3,)
        """
        known = {gain.name: gain for gain in self.interface.gains}
        for name in values:
            if name not in known:
                raise UnknownNameError(f"gain of {self.name}", name, tuple(known))
        parts = [np.empty(0), *(_gain_values(self.name, gain, values.get(gain.name)) for gain in self.interface.gains)]
        shape = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
        return np.concatenate([np.broadcast_to(part, (*shape, part.shape[-1])) for part in parts], axis=-1)

    def with_gains(self, **values: ArrayLike) -> Law:
        """Return this law with other default gains; see `gain_vector` for how a gain is given.

        >>> stiffer = law.with_gains(**pk.control.gains_for(law, bandwidth=120.0))
        >>> pk.simulation.margins(robot, stiffer).delay < pk.simulation.margins(robot, law).delay
        True
        """
        vector = self.gain_vector(values).tolist()
        gains: list[Gain] = []
        for gain in self.interface.gains:
            size = len(gain.values)
            gains.append(replace(gain, values=tuple(vector[:size])))
            vector = vector[size:]
        return replace(self, interface=replace(self.interface, gains=tuple(gains)))


def _gain_values(law: str, gain: Gain, given: ArrayLike | None) -> Array:
    """Check what was given for one gain and spread it to the gain's size; its default where nothing was given."""
    if given is None:
        return np.array(gain.values)
    values = np.asarray(given, float)
    if values.ndim == 0 or values.shape[-1] not in (1, len(gain.values)):
        values = values[..., None]
    if not (np.isfinite(values).all() and (gain.signed or (values >= 0.0).all())):
        rule = "finite" if gain.signed else f"finite and >= 0 {gain.unit}"
        raise ControlError(law, gain.name, f"must be {rule}, got {values.tolist()}")
    if not (values < gain.below).all():
        raise ControlError(law, gain.name, f"must be below {gain.below:g} {gain.unit}, got {values.tolist()}")
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
    """Make a law from its interface and from two Python functions that write its equations on symbols.

    `start` is given gains, set points, measurements, `holding` and, if the law is told the desired pose, `first_place`,
    the place of that; it returns the first state by part. `step` is given gains, set points, measurements and the parts
    of the state.

    >>> interface = pk.control.Interface((), (), (pk.control.Wanted("q"),), ("q",))
    >>> def step(given):
    ...     return pk.control.Update({}, 20 * (given["desired_q"] - given["measured_q"]))
    ...
    >>> spring = pk.control.assembled("spring", robot, 1e-3, interface, start=lambda given: {}, step=step)
    >>> pk.simulation.simulate(robot, spring, pk.control.hold(robot, robot.home, 0.1, 1e-3)).status.name
    'COMPLETED'
    """
    check_period(name, period)
    gains = ca.SX.sym("gains", sum(len(gain.values) for gain in interface.gains))
    state = ca.SX.sym("state", sum(part.size for part in interface.state))
    sizes = quantity_sizes(robot)
    desired = {w.port: ca.SX.sym(w.port, sizes[w.quantity], len(w.ahead)) for w in interface.reference}
    measured = {f"measured_{what}": ca.SX.sym(f"measured_{what}", sizes[what]) for what in interface.measurement}
    holding = ca.SX.sym("holding", sizes["q"])
    given = desired | measured | split_parts(gains, {gain.name: len(gain.values) for gain in interface.gains})
    first_place = ca.SX.sym("first_place", len(robot.place_names))
    begun = {"holding": holding}
    if not robot.place_is_pose:
        begun["first_place"] = first_place
    elif "desired_pose" in given:
        first_place = given["desired_pose"]
    first = start(given | {"holding": holding, "first_place": first_place})
    update = step(given | split_parts(state, {part.name: part.size for part in interface.state}))
    inputs = desired | measured | {"gains": gains}
    label = f"{robot.name}_{name}"
    return Law(
        name,
        robot,
        period,
        interface,
        named_function(f"{label}_start", inputs | begun, {"state": joined_parts(first, interface.state)}),
        named_function(
            f"{label}_step",
            {"state": state} | inputs,
            {"next_state": joined_parts(update.state, interface.state)} | {"tau": update.tau},
        ),
        proposal,
    )


def quantity_sizes(robot: Robot) -> dict[str, int]:
    """Return how many numbers each quantity of a reference or of a measurement has."""
    actuators, freedom = len(robot.actuator_names), robot.degrees_of_freedom
    return {
        "pose": len(robot.home),
        "velocity": freedom,
        "acceleration": freedom,
        "q": actuators,
        "q_dot": actuators,
        "q_ddot": actuators,
    }


def split_parts(vector: ca.SX, sizes: Mapping[str, int]) -> dict[str, ca.SX]:
    """Cut a vector into named parts of the given sizes."""
    parts: dict[str, ca.SX] = {}
    first = 0
    for name, size in sizes.items():
        parts[name] = vector[first : first + size]
        first += size
    return parts


def joined_parts(parts: Mapping[str, ca.SX], state: Sequence[StatePart]) -> ca.SX:
    """Join the parts of a state in their order."""
    return ca.vertcat(*(parts[part.name] for part in state))


def named_function(name: str, inputs: Mapping[str, ca.SX], outputs: Mapping[str, ca.SX]) -> ca.Function:
    """Return the dense function from symbols to expressions, both by their names."""
    dense = [ca.densify(value) for value in outputs.values()]
    return ca.Function(name, list(inputs.values()), dense, list(inputs), list(outputs), {"cse": True})
