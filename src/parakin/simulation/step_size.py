"""Whether the plant's step is short enough is told by a second run with steps half as long."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parakin.control import Law, Reference
from parakin.motions.offsets import squared_errors
from parakin.robot import Robot
from parakin.simulation.log import Log
from parakin.simulation.run import SUBSTEPS, simulate
from parakin.simulation.scenario import Scenario


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

    def __str__(self) -> str:
        angle = f", {self.angle:.2g} rad" if np.isfinite(self.angle) else ""
        platform, others = f"platform {self.distance:.2g} m{angle}", f"actuators {self.q:.2g}, forces {self.force:.2g}"
        return f"{self.substeps} steps a tick against {2 * self.substeps}: {platform}, {others}"


def check_step_size(
    robot: Robot, law: Law, reference: Reference, scenario: Scenario | None = None, *, substeps: int = SUBSTEPS
) -> StepCheck:
    """Run a scenario with `substeps` RK4 steps in a tick and with twice as many, and compare the two.

    >>> check = pk.simulation.check_step_size(robot, law, reference)
    >>> check.distance < 1e-9  # metres
    False
    """
    coarse, fine = (simulate(robot, law, reference, scenario, substeps=n) for n in (substeps, 2 * substeps))
    apart = np.sqrt(squared_errors(robot.motion_type, coarse["pose"], fine["pose"]).max(axis=0))
    angle = float(apart[1]) if robot.motion_type.turns else np.nan
    return StepCheck(substeps, float(apart[0]), angle, _apart(coarse, fine, "q"), _apart(coarse, fine, "tau"))


def _apart(coarse: Log, fine: Log, name: str) -> float:
    """Return the largest difference of a quantity between two logs."""
    return float(np.max(np.abs(coarse[name] - fine[name])))
