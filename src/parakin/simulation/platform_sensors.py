"""What measures the platform in a closed loop: data and three symbolic functions, which run inside the loop's kernel.

By default a scenario measures the pose with noise and its rate by filtered differences. A `PlatformSensor` takes the
place of that: it carries numbers of its own from tick to tick, looks at the plant several times a tick, and tells the
law a pose and a velocity. Layers above make them, such as cameras with an observer; simulation knows none of those.

    tick k:   read(state) -> measured pose and velocity -> law -> forces
              `looks` times:   plant goes on by T/looks;   state <- look(state, true pose and velocity, forces, noise)
    tick k + 1
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array, lock_arrays
from parakin.control import StatePart
from parakin.control.definition import joined_parts, named_function, quantity_sizes, split_parts
from parakin.dynamics.mechanics import Acting
from parakin.errors import SimulationError, UnknownNameError
from parakin.robot import Robot
from parakin.simulation.sensors import LARGEST_SPEED, Ending, Symbols

Given = Mapping[str, ca.SX]
"""Symbols by name: `true_pose`, `true_velocity`, `positions`, `tau`, parts of the sensor's state, numbers, `noise`."""
TRUTH = {"true_pose": "pose", "true_velocity": "velocity", "positions": "q", "tau": "q"}
"""What a sensor is told of the plant, and the quantity whose size that has."""


@dataclass(frozen=True)
class Measured:
    """What a sensor tells a law at a tick, as expressions.

    >>> pose, velocity = ca.SX.sym("pose", 3), ca.SX.sym("velocity", 3)
    >>> pk.simulation.Measured(pose, velocity).pose.shape
    (3, 1)
    """

    pose: ca.SX
    """Measured pose (coordinates,) [m, rad]."""
    velocity: ca.SX
    """Measured velocity (freedoms,) [m/s, rad/s]."""


@dataclass(frozen=True, eq=False)
class SensorStage:
    """What all sensors of one kind share: equations that are compiled into the loop. Such scenarios run together."""

    name: str
    """What the kind of sensor is called."""
    robot: Robot
    """The robot whose coordinates it measures."""
    state: tuple[StatePart, ...]
    """Parts of what it carries from look to look."""
    draws: int
    """How many standard normal numbers it draws at each look."""
    looks: int
    """How often it looks in a tick, evenly: the last time at the next tick, before the law acts."""
    numbers: tuple[tuple[str, int], ...]
    """Names and sizes of the numbers in which one sensor differs from another, inputs of the loop."""
    first: ca.Function
    """The state to begin with: true_pose, true_velocity, positions, tau, sensor_numbers -> sensor_state."""
    look: ca.Function
    """One look: sensor_state, those four, sensor_noise, sensor_numbers -> next_sensor_state."""
    read: ca.Function
    """What the law is told: sensor_state, sensor_numbers -> measured_pose, measured_velocity."""

    @property
    def content(self) -> str:
        """Everything that decides the loop's program, as text."""
        functions = (self.look.serialize(), self.read.serialize())
        return repr((self.name, self.state, self.draws, self.looks, self.numbers, functions))


@dataclass(frozen=True, eq=False)
class PlatformSensor:
    """A sensor of the platform's pose and velocity that takes the place of a scenario's own; see `platform_sensor`."""

    stage: SensorStage
    """Its equations."""
    numbers: Array
    """Its numbers, as the stage has them in order."""

    def __post_init__(self) -> None:
        lock_arrays(self)
        count = sum(size for _, size in self.stage.numbers)
        if self.numbers.shape != (count,) or not np.isfinite(self.numbers).all():
            raise SimulationError("sensor", f"{self.stage.name} takes {count} finite numbers, got {self.numbers!r}")

    def with_numbers(self, **values: ArrayLike) -> PlatformSensor:
        """Return the same sensor with some of its numbers changed, which compiles nothing.

        >>> state = (pk.control.StatePart("seen", 3, "m", "where the platform was seen"),)
        >>> noisy = pk.simulation.platform_sensor(
        ...     "noisy",
        ...     robot,
        ...     state,
        ...     first=lambda given: {"seen": given["true_pose"]},
        ...     look=lambda given: {"seen": given["true_pose"] + given["deviation"] * given["noise"]},
        ...     read=lambda given: pk.simulation.Measured(given["seen"], ca.SX.zeros(3)),
        ...     draws=3,
        ...     numbers={"deviation": 1e-5},
        ... )
        >>> noisy.with_numbers(deviation=2e-5).numbers
        array([2.e-05])
        """
        known = dict(self.stage.numbers)
        for name in values:
            if name not in known:
                raise UnknownNameError(f"number of {self.stage.name}", name, tuple(known))
        parts: list[Array] = []
        first = 0
        for name, size in known.items():
            old = self.numbers[first : first + size]
            first += size
            parts.append(np.broadcast_to(np.asarray(values.get(name, old), float), (size,)))
        return replace(self, numbers=np.concatenate([np.empty(0), *parts]))


def platform_sensor(
    name: str,
    robot: Robot,
    state: tuple[StatePart, ...],
    *,
    first: Callable[[Given], Mapping[str, ca.SX]],
    look: Callable[[Given], Mapping[str, ca.SX]],
    read: Callable[[Given], Measured],
    draws: int = 0,
    looks: int = 1,
    numbers: Mapping[str, ArrayLike] | None = None,
) -> PlatformSensor:
    """Make a sensor from three Python functions that write its equations on symbols.

    `first` is given true_pose, true_velocity, positions and tau at the first tick, and the numbers by name; it returns
    the state by part. `look` is given these, the parts of the state and `noise` (draws,), and returns the next state.
    `read` is given the state's parts and the numbers. `positions` are what encoders see, of the actuators or of motors
    on springs; `tau` are the forces of the drives since the last tick, which a controller knows.

    >>> part = pk.control.StatePart
    >>> seen = {"seen": "true_pose", "rate": "true_velocity"}
    >>> sensor = pk.simulation.platform_sensor(
    ...     "exact",
    ...     robot,
    ...     (part("seen", 3, "m", "pose"), part("rate", 3, "m/s", "velocity")),
    ...     first=lambda given: {name: given[true] for name, true in seen.items()},
    ...     look=lambda given: {name: given[true] for name, true in seen.items()},
    ...     read=lambda given: pk.simulation.Measured(given["seen"], given["rate"]),
    ...     looks=4,
    ... )
    >>> platform_law = pk.control.law("computed_torque_platform", robot)
    >>> still = pk.control.hold(robot, robot.home, 0.02, platform_law.period)
    >>> pk.simulation.simulate(robot, platform_law, still, pk.simulation.Scenario(sensor=sensor)).status.name
    'COMPLETED'
    """
    if looks < 1 or draws < 0:
        raise SimulationError("sensor", f"{name} must look at least once a tick and draw >= 0, got {looks}, {draws}")
    given = {key: np.atleast_1d(np.asarray(value, float)) for key, value in (numbers or {}).items()}
    names = [*TRUTH, "noise", *(part.name for part in state), *given]
    if len(set(names)) < len(names):
        raise SimulationError("sensor", f"{name} must have names of its own for all its parts, got {', '.join(names)}")
    sizes = quantity_sizes(robot)
    truth = {key: ca.SX.sym(key, sizes[of]) for key, of in TRUTH.items()}
    carried = ca.SX.sym("sensor_state", sum(part.size for part in state))
    noise, told = ca.SX.sym("sensor_noise", draws), ca.SX.sym("sensor_numbers", sum(map(len, given.values())))
    parts = split_parts(carried, {part.name: part.size for part in state})
    known = split_parts(told, {key: len(value) for key, value in given.items()})
    named = {"sensor_numbers": told}
    begun = joined_parts(first(truth | known), state)
    after = joined_parts(look(truth | parts | known | {"noise": noise}), state)
    seen = read(parts | known)
    stage = SensorStage(
        name,
        robot,
        state,
        draws,
        looks,
        tuple((key, len(value)) for key, value in given.items()),
        named_function(f"{name}_first", truth | named, {"sensor_state": begun}),
        named_function(
            f"{name}_look",
            {"sensor_state": carried} | truth | {"sensor_noise": noise} | named,
            {"next_sensor_state": after},
        ),
        named_function(
            f"{name}_read",
            {"sensor_state": carried} | named,
            {"measured_pose": seen.pose, "measured_velocity": seen.velocity},
        ),
    )
    return PlatformSensor(stage, np.concatenate([np.empty(0), *given.values()]))


def reading(sensing: SensorStage) -> ca.Function:
    """Return what a platform sensor tells the law; at rest where the plant has stopped."""
    names = ("sensor_state", "sensor_numbers")
    x: Symbols = {name: ca.SX.sym(name, sensing.read.size1_in(name)) for name in names} | {"status": ca.SX.sym("s")}
    seen = sensing.read(*[x[name] for name in names])
    moving = ca.if_else(ca.eq(x["status"], Ending.COMPLETED), seen[1], 0)
    told = ["measured_pose", "measured_velocity"]
    return ca.Function("sensor_reading", list(x.values()), [seen[0], moving], list(x), told, {"cse": True})


def looking(robot: Robot, sensing: SensorStage, *, elastic: bool = False) -> ca.Function:
    """Return one look of a platform sensor at the plant; where that has stopped the sensor keeps what it has.

    So it does where the plant has lost all finite numbers between two ticks, which is said at the next. With `elastic`
    drives encoders see the motors or the joints.
    """
    placed = robot.placed(Acting())
    sizes = {name: sensing.look.size1_in(name) for name in ("sensor_state", "tau", "sensor_noise", "sensor_numbers")}
    x: Symbols = {"place": placed.place, "velocity": placed.velocity, "status": ca.SX.sym("s")}
    x |= {name: ca.SX.sym(name, size) for name, size in sizes.items()}
    positions = placed.q
    if elastic:
        x |= {"motor": ca.SX.sym("motor", placed.q.shape[0]), "on_motor": ca.SX.sym("on_motor")}
        positions = ca.if_else(x["on_motor"], x["motor"], placed.q)
    seen = (placed.pose, placed.velocity, positions, x["tau"])
    after = sensing.look(x["sensor_state"], *seen, x["sensor_noise"], x["sensor_numbers"])
    there = ca.sumsqr(placed.place) + ca.sumsqr(placed.velocity) < 2 * LARGEST_SPEED**2
    kept = ca.if_else(ca.logic_and(there, ca.eq(x["status"], Ending.COMPLETED)), after, x["sensor_state"])
    if not sensing.draws:
        del x["sensor_noise"]
    return ca.Function("sensor_look", list(x.values()), [kept], list(x), ["next_sensor_state"], {"cse": True})


def recording(sensing: SensorStage, name: str) -> ca.Function:
    """Return what records the state of a platform sensor, as the law was told of it, under a name."""
    state = ca.SX.sym("sensor_state", sensing.look.size1_in("sensor_state"))
    return ca.Function("record_sensor", [state], [state + 0], ["sensor_state"], [f"log_{name}"])
