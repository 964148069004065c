"""Whether the plant's step is short enough: by a second run with steps half as long, and by the machine's modes."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from parakin.control import Law, Reference
from parakin.errors import LoopWarning
from parakin.motions.offsets import squared_errors
from parakin.robot import Robot
from parakin.simulation.log import Log
from parakin.simulation.run import SUBSTEPS, simulate, stepped_mode
from parakin.simulation.scenario import Scenario
from parakin.simulation.stepped_modes import SteppedMode


@dataclass(frozen=True)
class StepCheck:
    """The largest differences between a run and one with steps half as long."""

    substeps: int
    """RK4 steps in a tick of the coarser run; the finer has twice as many."""
    distance: float
    """Distance between the platforms [m]; of mechanisms, between all lengths of their poses."""
    angle: float
    """Angle between the platforms [rad]; NaN where the platform does not turn."""
    q: float
    """Difference of an actuator's position [rad or m]."""
    force: float
    """Difference of an actuator's force [N or N m]."""
    mode: SteppedMode | None = None
    """The mode of the machine at rest that the coarser run reproduces worst; None where it cannot be linearised."""

    @property
    def sufficient(self) -> bool:
        """Whether no mode of the machine gains or loses 5 % of its amplitude by the steps of the coarser run.

        A mode that is damped away by steps that are too long is away in both runs, which then agree.
        """
        return self.mode is None or self.mode.resolved

    def __str__(self) -> str:
        angle = f", {self.angle:.2g} rad" if np.isfinite(self.angle) else ""
        platform, others = f"platform {self.distance:.2g} m{angle}", f"actuators {self.q:.2g}, forces {self.force:.2g}"
        compared = f"{self.substeps} steps a tick against {2 * self.substeps}: {platform}, {others}"
        if self.mode is None:
            return compared
        return f"{compared}; {'short enough' if self.sufficient else 'TOO LONG'} for the worst {self.mode}"


def check_step_size(
    robot: Robot, law: Law, reference: Reference, scenario: Scenario | None = None, *, substeps: int = SUBSTEPS
) -> StepCheck:
    """Run a scenario with `substeps` RK4 steps in a tick and with twice as many, and compare the two.

    `sufficient` is the verdict: whether the machine's modes keep the amplitude they should have.

    >>> check = pk.simulation.check_step_size(robot, law, reference)
    >>> check.distance < 1e-9  # metres
    False
    >>> check.sufficient
    True
    """
    mode = stepped_mode(robot, law, reference, scenario or Scenario(), substeps)
    with warnings.catch_warnings():
        if mode is not None and not mode.resolved:  # which the verdict says
            warnings.simplefilter("ignore", LoopWarning)
        coarse, fine = (simulate(robot, law, reference, scenario, substeps=n) for n in (substeps, 2 * substeps))
    apart = np.sqrt(squared_errors(robot.motion_type, coarse["pose"], fine["pose"]).max(axis=0))
    angle = float(apart[1]) if robot.motion_type.turns else np.nan
    others = _apart(coarse, fine, "q"), _apart(coarse, fine, "tau")
    return StepCheck(substeps, float(apart[0]), angle, *others, mode)


def _apart(coarse: Log, fine: Log, name: str) -> float:
    """Return the largest difference of a quantity between two logs."""
    return float(np.max(np.abs(coarse[name] - fine[name])))
