"""Whether a loop may be let loose: it is linearised at rest, and called unstable, thin or sound."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

from numpy.typing import ArrayLike

from parakin.blas import one_numpy_thread
from parakin.control import Law
from parakin.control.tuning.margins import STABLE, Margins, margins_of
from parakin.description.loader import levels_inside
from parakin.errors import LoopWarning, UnstableLoopError
from parakin.robot import Robot
from parakin.simulation.linear import linear_loop
from parakin.simulation.scenario import Scenario

LEAST_DELAY = 1.5
"""Least delay margin of a sound loop [ticks]: the tick that computing takes, and half a tick for drives and buses."""
LEAST_GAIN = 2.0
"""Least gain margin of a sound loop: the rule of thumb of 6 dB."""


@dataclass(frozen=True, eq=False)
class Verdict:
    """What the linearised loop says of a law on a robot.

    >>> pk.simulation.verdict(robot, law.with_gains(K_d=5000.0)).said.split(":")[0]
    'unstable'
    """

    law: str
    """Name of the law."""
    robot: str
    """Name of the robot."""
    period: float
    """Time from one control tick to the next [s]."""
    radius: float
    """Magnitude of the largest pole of the sampled loop, stable up to 1."""
    margins: Margins | None
    """Margins of a stable loop that is thin; None of one that is sound or unstable."""

    @property
    def stable(self) -> bool:
        """Whether small errors die out."""
        return self.radius <= STABLE

    @property
    def said(self) -> str | None:
        """What is wrong with the loop, in words and numbers; None of a sound one."""
        if not self.stable:
            doubled = 1e3 * self.period * math.log(2) / math.log(self.radius)
            return f"unstable: its largest pole is {self.radius:.4g}, so that errors double every {doubled:.3g} ms"
        if self.margins is None:
            return None
        gain, delay = self.margins.gain, 1e3 * self.margins.delay
        wanted = f"{LEAST_GAIN:g} and {1e3 * LEAST_DELAY * self.period:.3g} ms"
        return f"nearly unstable: gain margin {gain:.3g}, delay margin {delay:.3g} ms, where {wanted} are wanted"


def verdict(robot: Robot, law: Law, scenario: Scenario | None = None, pose: ArrayLike | None = None) -> Verdict:
    """Judge a loop at rest about a pose (home by default), with the gains, sensors and delay of the scenario.

    Three poles decide: of the loop as it is, with twice the force, and with 1.5 ticks of additional delay.
    The margins themselves are looked for only where one of the latter is unstable. A law that follows no set points
    carries the weight and nothing else: twice its force lifts the robot, by nature, and is not looked at.

    >>> pk.simulation.verdict(robot, law, scenario).stable
    True
    """
    with one_numpy_thread():
        loop = linear_loop(robot, law, scenario, pose)
        radius = loop.radius()
        late = LEAST_DELAY * loop.period
        louder = 1.0 if math.isinf(law.interface.lag) else LEAST_GAIN
        thin = radius <= STABLE < max(loop.radius(gain=louder), loop.radius(extra_delay=late))
        return Verdict(law.name, robot.name, law.period, radius, margins_of(loop) if thin else None)


def warn_of(found: Verdict) -> None:
    """Give a LoopWarning if a loop is unstable or nearly so."""
    if found.said is not None:
        warnings.warn(LoopWarning(found.law, found.robot, found.said), stacklevel=levels_inside())


def admit(found: Verdict, force: bool) -> None:
    """Refuse a loop that is unstable, unless it is forced; a LoopWarning if it is forced, or nearly unstable."""
    if not (found.stable or force):
        raise UnstableLoopError(found.law, found.robot, str(found.said))
    warn_of(found)
