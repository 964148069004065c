"""A scenario says what differs from one simulation to the next: true parameters, loads, sensors, gains."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.arrays import Array
from parakin.control import Law
from parakin.control.switching import SELECTED
from parakin.dynamics.payload import mass_alone
from parakin.errors import SimulationError
from parakin.robot import Payload, Robot
from parakin.simulation.effect_numbers import checked_jitter, effect_numbers, without_drives
from parakin.simulation.imperfections import NO_EFFECTS, Cable, Effects, ElasticDrives, Stiction, TorqueRipple
from parakin.simulation.platform_sensors import PlatformSensor
from parakin.trajectory.limits import limits_of

_T = TypeVar("_T")

Wrench = ArrayLike | Callable[[Array], ArrayLike]
"""Force and moment on the platform [N, N m]: constant (n,), a row for each tick (ticks, n), or a function of times.

The function is called with times (ticks,) [s] and gives a row for each.
"""

SWITCHES = 8
"""How many times a law made of several can be told to go on to the next in one run."""
NEVER = 1e300
"""Stands for a tick that does not come, because kernels take finite numbers."""
NO_FORCE_LIMIT = 1e300
"""Stands for the limit of an actuator without one [N or N m], because kernels take finite numbers."""


@dataclass(frozen=True, eq=False)
class Scenario:
    """What one run is like. By default the plant is the robot of its file, all is seen exactly and acts at once.

    >>> hard = pk.simulation.Scenario(payload=pk.Payload(mass=0.5), payload_time=0.3, counts=20_000, delay=True)
    >>> pk.simulation.simulate(robot, law, reference, hard).status.name
    'COMPLETED'
    """

    parameters: ArrayLike | None = None
    """True parameters of the plant, as `Robot.parameters` has them; None for those of the robot file."""
    payload: Payload | None = None
    """What the plant carries from `payload_time` on; None for the payload of the robot."""
    payload_time: float = 0.0
    """When the payload is taken up [s]."""
    wrench: Wrench | None = None
    """Force and moment on the platform [N, N m]; None for none."""
    counts: ArrayLike | None = None
    """Counts of the encoders per rad or m, one number or one for each actuator; None for encoders without steps."""
    noise: float = 0.0
    """Standard deviation of an actuator's position before its encoder [rad or m]."""
    pose_noise: ArrayLike = 0.0
    """Standard deviation of a measured pose [m, rad], one number or one for each degree of freedom."""
    sensor: PlatformSensor | None = None
    """What measures pose and velocity for a law that is told them; None for a pose with `pose_noise`.

    It takes the place of `pose_noise`, and of `velocity_filter` for the platform.
    """
    velocity_filter: float | None = None
    """Cutoff of the first-order filter through which rates come from differences of positions [Hz].

    Infinite for differences without a filter; None for rates that are exact.
    """
    delay: bool = False
    """Whether a force acts one tick after it was asked for."""
    elastic: ElasticDrives | None = None
    """Springs and play between motors and joints; None for rigid drives."""
    stiction: Stiction | None = None
    """Friction of the drives that sticks; None for Coulomb friction that is smooth about rest."""
    ripple: TorqueRipple | None = None
    """Force of the motors that comes and goes with their positions; None for none."""
    cable: Cable | None = None
    """A cable or hose that pulls at the platform; None for none."""
    torque_step: ArrayLike | None = None
    """Steps in which the force of each drive comes, its current being quantised [N m or N]; None for none."""
    jitter: float = 0.0
    """How early or late a tick may be, evenly drawn: sensors, law and drives of tick k at k period +- jitter [s]."""
    smoothing: float = 0.01
    """Rate below which the sign in the plant's Coulomb friction is smooth [rad/s or m/s]."""
    gains: Mapping[str, ArrayLike] = field(default_factory=dict[str, ArrayLike])
    """Gains of the law that differ from its defaults, by name."""
    pose: ArrayLike | None = None
    """Where the platform begins; None for the first set point."""
    velocity: ArrayLike | None = None
    """How fast the platform begins [m/s, rad/s]; None for the velocity of the first set point."""
    reset_time: float | None = None
    """When a guarded law is told to leave a fault [s]; None for never."""
    switches: tuple[float, ...] = ()
    """When a law made of several is told to go on to the next of them, and from the last to the first [s]."""
    seed: int = 0
    """First key of the noise, common to a family."""
    stream: int = 0
    """Second key of the noise, which tells members of a family apart."""

    def __post_init__(self) -> None:
        for name, good, rule in self._rules():
            if not good:
                raise SimulationError(name, f"must be {rule}, got {_said(getattr(self, name))}")

    def _rules(self) -> tuple[tuple[str, bool, str], ...]:
        """Return what every scenario keeps whatever its robot is: fields, whether they do, and the rule in words."""
        counts = self.counts is None or _all_numbers(self.counts, lambda v: v > 0)
        return (
            ("noise", 0 <= self.noise < math.inf, "finite and >= 0"),
            ("pose_noise", _all_numbers(self.pose_noise, lambda v: v >= 0), "finite and >= 0"),
            ("counts", counts, "finite and > 0 per rad or m"),
            ("velocity_filter", self.velocity_filter is None or self.velocity_filter > 0, "> 0 Hz"),
            ("smoothing", 0 < self.smoothing < math.inf, "finite and > 0"),
            ("payload_time", math.isfinite(self.payload_time), "finite and a time in s"),
            ("reset_time", self.reset_time is None or math.isfinite(self.reset_time), "finite and a time in s"),
            ("seed", 0 <= self.seed < 2**64, "at least 0 and below 2^64"),
            ("stream", 0 <= self.stream < 2**64, "at least 0 and below 2^64"),
        )

    @property
    def noisy(self) -> bool:
        """Whether forces will be noisy, because of noise in positions, pose or sensor, or of the steps of encoders."""
        drawn = self.sensor is not None and self.sensor.stage.draws
        return bool(self.noise or self.counts is not None or np.any(self.pose_noise) or drawn)


def family(base: Scenario, count: int, **varied: Sequence[object] | Array) -> tuple[Scenario, ...]:
    """Make `count` scenarios of one, the k-th with the k-th entry of every varied field and with noise of its own.

    >>> payloads = [pk.Payload(mass=mass) for mass in (0.0, 0.25, 0.5)]
    >>> scenarios = pk.simulation.family(scenario, 3, payload=payloads)
    >>> [one.payload.mass for one in scenarios]
    [0.0, 0.25, 0.5]
    """
    known = {entry.name for entry in fields(Scenario)}
    for name, values in varied.items():
        if name not in known:
            raise SimulationError(name, f"a scenario has no such field; it has {', '.join(sorted(known))}")
        if len(values) != count:
            raise SimulationError(name, f"{count} scenarios need as many entries, got {len(values)}")
    if "stream" not in varied:
        varied = varied | {"stream": range(count)}
    return tuple(replace(base, **{name: values[k] for name, values in varied.items()}) for k in range(count))


def unloaded(robot: Robot) -> Robot:
    """Return the robot with an empty hand."""
    return robot.with_payload(0.0) if robot.payload.mass else robot


@functools.lru_cache(maxsize=32)
def file_parameters(robot: Robot) -> Array:
    """Return the parameters in the file of a robot, without any payload."""
    return unloaded(robot).parameters


def constants_of(
    robot: Robot, law: Law, scenarios: Sequence[Scenario], effects: Effects = NO_EFFECTS
) -> dict[str, Array]:
    """Check scenarios and stack what the loop takes once for each of them, by name (scenarios, ...).

    All scenarios have the same effects, and sensors of the same stage.
    """
    file = file_parameters(robot)
    count, freedom, period = len(robot.actuator_names), robot.degrees_of_freedom, law.period
    parameters = stacked("parameters", [s.parameters for s in scenarios], file)
    limits = np.minimum(limits_of(robot).force, NO_FORCE_LIMIT)
    payloads = [_payload(robot, s.payload) for s in scenarios]
    times = np.array([s.payload_time for s in scenarios])
    filters = np.array([np.inf if s.velocity_filter is None else s.velocity_filter for s in scenarios])
    resets = np.array([-1.0 if s.reset_time is None else s.reset_time for s in scenarios])
    supervised = {} if law.guard is None else {"reset_tick": _first_ticks(resets, period)}
    if effects.any:
        for s in scenarios:
            checked_jitter(s.jitter, period)
        supervised |= effect_numbers(unloaded(robot), scenarios, effects, parameters)
    if sensors := [s.sensor for s in scenarios if s.sensor is not None]:
        supervised["sensor_numbers"] = np.array([_checked_sensor(robot, law, sensor).numbers for sensor in sensors])
    if SELECTED in {signal.name for signal in law.interface.supervision}:
        supervised["switch_ticks"] = _each_once([s.switches for s in scenarios], lambda t: _switch_ticks(t, period))
    return supervised | {
        "parameters": without_drives(unloaded(robot), effects, parameters) if effects.any else parameters,
        "payload": _each_once(payloads, lambda payload: np.array(payload.about_E)),
        "payload_tick": _first_ticks(times, period),
        "smoothing": np.array([s.smoothing for s in scenarios], float),
        "limits": np.broadcast_to(limits, (len(scenarios), count)),
        "quantum": _each_once([s.counts for s in scenarios], lambda counts: _quantum(counts, count)),
        "noise_q": np.array([s.noise for s in scenarios], float),
        "noise_pose": _each_once([s.pose_noise for s in scenarios], lambda noise: _pose_noise(noise, freedom)),
        "share": 1 - np.exp(-2 * np.pi * filters * period),
        "exact_rate": np.array([float(s.velocity_filter is None) for s in scenarios]),
        "delayed": np.array([float(s.delay) for s in scenarios]),
        "gains": _each_once([s.gains or None for s in scenarios], lambda g: law.gain_vector(g or {})),
    }


def _checked_sensor(robot: Robot, law: Law, sensor: PlatformSensor) -> PlatformSensor:
    """Return a sensor that fits a robot and a law, or say why it does not."""
    stage = sensor.stage
    if stage.robot.motion_type != robot.motion_type or stage.robot.actuator_names != robot.actuator_names:
        reason = f"is for {stage.robot.name}, whose actuators or motion differ from those of {robot.name}"
        raise SimulationError("sensor", f"{stage.name} {reason}")
    if {"pose", "velocity"}.isdisjoint(law.interface.measurement):
        told = ", ".join(law.interface.measurement)
        reason = f"measures the platform, but {law.name} is told {told}: take a law that is told the pose"
        raise SimulationError("sensor", f"{stage.name} {reason}, such as computed_torque_platform")
    return sensor


def _payload(robot: Robot, given: object) -> Payload:
    """Return what the plant of a scenario carries, or refuse what is no payload."""
    if given is None:
        return robot.payload
    if isinstance(given, Payload):
        return given
    if isinstance(given, int | float):
        raise mass_alone(given)
    raise SimulationError("payload", f"must be a Payload, got {given!r}")


def _first_ticks(times: Array, period: float) -> Array:
    """Return the first tick at or after each time, rounding aside."""
    return np.ceil(times / period - 1e-9)


def _switch_ticks(times: tuple[float, ...], period: float) -> Array:
    """Return the ticks at which a law made of several goes on to the next (SWITCHES,), those after the last never."""
    given = np.asarray(times, float)
    if given.ndim != 1 or len(given) > SWITCHES or not np.isfinite(given).all():
        raise SimulationError("switches", f"must be at most {SWITCHES} times in s, got {given.tolist()}")
    return np.concatenate([_first_ticks(given, period), np.full(SWITCHES - len(given), NEVER)])


def _quantum(counts: ArrayLike | None, count: int) -> Array:
    """Return the step of each encoder [rad or m]; 0 for an encoder without steps."""
    return np.zeros(count) if counts is None else 1 / _every(counts, count)


def _pose_noise(noise: ArrayLike, freedom: int) -> Array:
    """Return the standard deviation of a measured pose for each degree of freedom."""
    return stacked("pose_noise", [_every(noise, freedom)], np.zeros(freedom))[0]


def _every(value: ArrayLike, count: int) -> Array:
    """Repeat a single number `count` times; leave anything else as it is."""
    array = np.asarray(value, float)
    return np.full(count, float(array)) if array.ndim == 0 else array


def _all_numbers(given: ArrayLike, good: Callable[[Array], NDArray[np.bool_]]) -> bool:
    """Whether all numbers that were given are finite and good."""
    values = np.asarray(given, float)
    return bool((np.isfinite(values) & good(values)).all())


def _said(value: ArrayLike) -> str:
    """Return a number, or several, as an error tells them."""
    values = np.asarray(value, float)
    return f"{float(values):g}" if values.ndim == 0 else str(values.tolist())


def stacked(name: str, given: Sequence[ArrayLike | None], default: Array) -> Array:
    """Return a row for each scenario (scenarios, ...), the default where a scenario gives none."""

    def row(value: ArrayLike | None) -> Array:
        numbers = default if value is None else np.asarray(value, float)
        if numbers.shape != default.shape:
            raise SimulationError(name, f"must have shape {default.shape}, got {numbers.shape}")
        return numbers

    return _each_once(given, row)


def _each_once(given: Sequence[_T], row: Callable[[_T], Array]) -> Array:
    """Return a row for each scenario (scenarios, ...), computed once for an object however many scenarios share it."""
    rows = {key: row(value) for key, value in {id(value): value for value in given}.items()}
    if len(rows) == 1:
        (only,) = rows.values()
        return np.tile(only, (len(given), *[1] * only.ndim))
    return np.array([rows[id(value)] for value in given])
