"""Machines and set points are written as C99: source, header, self-test, Makefile and page.

How fast a move may be follows from what the robot file allows its actuators at home, all coordinates together:

v_k = u/s_k,    u = SHARE min_i speed_i / sum_k |J_ik|/s_k                    s_k: 1, the robot's length for an angle
a_k likewise, from the forces that are left beside the weight, and the mass matrix J_qv^-T M
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from parakin.arrays import Array
from parakin.control import Law, guarded
from parakin.control.common import PERIOD
from parakin.errors import ControlError
from parakin.export.makefile import makefile_text
from parakin.export.onboard.block import Block
from parakin.export.onboard.encoders import Encoders
from parakin.export.onboard.machine import Machine, machine_looks
from parakin.export.onboard.motion_table import MotionTable, motion_table
from parakin.export.onboard.page import page_text
from parakin.export.onboard.player import MoveLimits, Player
from parakin.export.onboard.recording import Recorded, recorded_machine, recorded_set_points
from parakin.export.onboard.selftest import selftest_text
from parakin.export.onboard.set_points import SetPoints
from parakin.export.onboard.source import header_text, source_text
from parakin.export.recording import FILTER, SENSED
from parakin.kernels.c_files import written
from parakin.kernels.c_source import check_c_name
from parakin.robot import Robot
from parakin.simulation.verdicts import admit, verdict
from parakin.trajectory import Motion, Samples
from parakin.trajectory.limits import limits_of

SHARE = 0.5
"""Part of what the actuators can do at home that a move takes: elsewhere they have to do more for the same."""
RISE = 0.1
"""Time in which the speed rises, where the file has no forces [s]."""
FLANK = 0.05
"""Time in which the acceleration rises [s]: three periods of a machine that shakes at 60 Hz."""


def move_limits(robot: Robot) -> MoveLimits:
    """Return the limits of moves that suit a robot's file; ControlError where it has no speeds.

    >>> pk.export.move_limits(robot).velocity
    (1.1, 1.1, 1.1)
    """
    limits = limits_of(robot)
    if not np.isfinite(limits.speed).all():
        reason = f"the file of {robot.name} has no speed for some actuators: give the largest velocity of a move"
        raise ControlError("move", "velocity", reason)
    scale = np.array(robot.motion_type.scale(robot.length))
    J: Array = robot.jacobian(robot.home)
    velocity = _shared(limits.speed, J, scale)
    acceleration = velocity / RISE
    if np.isfinite(limits.force).all():
        n = robot.degrees_of_freedom
        still = np.zeros(n)
        weight: Array = robot.inverse_dynamics(robot.home, still, still)
        left = limits.force - np.abs(weight)
        if (left > 0.0).all():
            columns = [np.asarray(robot.inverse_dynamics(robot.home, still, row)) - weight for row in np.eye(n)]
            acceleration = _shared(left, np.array(columns).T, scale)
    return MoveLimits(_numbers(velocity), _numbers(acceleration), _numbers(acceleration / FLANK))


def _shared(limit: Array, gains: Array, scale: Array) -> Array:
    """Return what each coordinate may have while all others have theirs: |gains x| <= SHARE limit."""
    return SHARE * float(np.min(limit / np.sum(np.abs(gains) / scale, axis=1))) / scale


def _numbers(values: Array) -> tuple[float, ...]:
    """Return numbers with two digits, rounded down: these are to be read, and changed."""
    size = 10.0 ** (np.floor(np.log10(values)) - 1)
    return tuple(float(f"{value:.6g}") for value in np.floor(values / size) * size)


@dataclass(frozen=True)
class OnboardFiles:
    """Where the files of an exported machine, or of set points, are."""

    source: Path
    """`name.c`: the step, with its constants."""
    header: Path
    """`name.h`: the structs and the function to call."""
    selftest: Path
    """`name_selftest.c`: a program that replays a recorded run and compares all that is said."""
    makefile: Path
    """`Makefile`, which builds everything in the directory and runs the self-tests."""
    readme: Path
    """`name.md`: how it is called, its states, and the meaning and unit of every number."""


@dataclass(frozen=True, eq=False)
class Playing:
    """Which set points a controller makes for itself.

    >>> pk.export.Playing(pk.trajectory.motion("lift", robot), rate=50.0).rate
    50.0
    """

    motion: Motion | Samples | None = None
    """The motion that a start plays; None for moves to a goal that is an input."""
    rate: float | None = None
    """About how many rows of it a second are kept [Hz]; None for 100 Hz, or more where that errs by more than 1 %."""
    limits: MoveLimits | None = None
    """How fast moves may be; None for what suits the robot's file."""

    def table(self, robot: Robot, period: float = PERIOD) -> MotionTable | None:
        """Return the table of the motion for ticks of `period` [s]; None without a motion.

        >>> pk.export.Playing(pk.trajectory.motion("lift", robot), rate=50.0).table(robot).step
        0.02
        """
        return None if self.motion is None else motion_table(robot, self.motion, self.rate, period=period)


def export_machine(
    law: Law,
    directory: str | Path,
    name: str | None = None,
    *,
    playing: Playing | None = None,
    counts: float | tuple[float, ...] = 1.0,
    cutoff: float = FILTER,
    force: bool = False,
) -> OnboardFiles:
    """Write a law with all that surrounds it: encoders and homing, set points, and the states of a machine.

    counts: encoder counts for a unit of q, for all actuators or for each, negative where they fall as q rises
    [1/m or 1/rad]. cutoff: that of the filter of rates [Hz]. A law that has no guard gets that of its robot's file.
    UnstableLoopError, unless `force`, if the loop is unstable at home. `name` is `<robot>_<law>_machine` by default.

    >>> files = pk.export.export_machine(law, "machine", counts=1e5)
    >>> files.header.name
    'delta_computed_torque_machine.h'
    """
    robot = law.robot
    label = name or f"{robot.name}_{law.name}_machine"
    check_c_name(label, label)
    n = len(robot.actuator_names)
    each = (float(counts),) * n if isinstance(counts, int | float) else tuple(map(float, counts))
    if len(each) != n or not all(0.0 < abs(one) < 1e15 for one in each):
        reason = f"must be {n} numbers, finite and not 0, in 1/m or 1/rad, got {each}"
        raise ControlError(law.name, "counts", reason)
    if not 0.0 < cutoff < float("inf"):
        raise ControlError(law.name, "cutoff", f"must be finite and > 0 Hz, got {cutoff:g}")
    admit(verdict(robot, law, SENSED), force)
    safe = guarded(law) if law.guard is None else law
    player, table = _player(robot, law.period, playing or Playing(), machine_looks(safe))
    encoders = Encoders(robot, law.period, each, cutoff)
    block = Machine(safe, player, encoders).block()
    return _written(block, label, directory, table, recorded_machine(block, robot, encoders))


def export_set_points(
    robot: Robot,
    directory: str | Path,
    name: str | None = None,
    *,
    playing: Playing | None = None,
    period: float = PERIOD,
) -> OnboardFiles:
    """Write set points as C, for drives that close their own loops: poses, and q, q_dot, q_ddot by inverse kinematics.

    `name` is `<robot>_set_points` by default, `period` the time from one tick to the next [s].

    >>> files = pk.export.export_set_points(robot, "points")
    >>> files.source.name
    'delta_set_points.c'
    """
    if not 0.0 < period < float("inf"):
        raise ControlError("set points", "period", f"must be finite and > 0 s, got {period:g}")
    label = name or f"{robot.name}_set_points"
    check_c_name(label, label)
    player, table = _player(robot, period, playing or Playing(), (0,))
    block = SetPoints(player).block()
    return _written(block, label, directory, table, recorded_set_points(block, robot))


def _player(robot: Robot, period: float, playing: Playing, ahead: tuple[int, ...]) -> tuple[Player, MotionTable | None]:
    table = playing.table(robot, period)
    limits = move_limits(robot) if playing.limits is None else playing.limits
    n = robot.degrees_of_freedom
    rows = (("velocity", limits.velocity), ("acceleration", limits.acceleration), ("jerk", limits.jerk))
    for name, values in (*rows, ("stop_time", (limits.stop_time,) * n)):
        if len(values) != n or not all(0.0 < value < float("inf") for value in values):
            raise ControlError("move", name, f"must be {n} numbers, finite and > 0, got {values}")
    return Player(robot, period, limits, table, ahead), table


def _written(
    block: Block, label: str, directory: str | Path, table: MotionTable | None, recorded: Recorded
) -> OnboardFiles:
    ticks = len(next(iter(recorded.told.values())))
    texts = {
        f"{label}.c": source_text(block, label),
        f"{label}.h": header_text(block, label),
        f"{label}_selftest.c": selftest_text(block, label, recorded.told, recorded.ticked),
        "Makefile": makefile_text(),
        f"{label}.md": page_text(block, label, table, ticks),
    }
    return OnboardFiles(*written(label, Path(directory), texts))
