"""What RK4 makes of the modes of a machine: the factor of a step beside the one that is right.

A mode with pole lambda is multiplied by exp(lambda h) in a time h, and by RK4 with steps of h by

    R(z) = 1 + z + z^2/2 + z^3/6 + z^4/24,    z = lambda h

Oscillations with omega h above about 0.5 lose amplitude that no damper takes, and beyond 2.83 they grow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array
from parakin.robot import Robot
from parakin.simulation.linear_plant import about_rest
from parakin.simulation.scenario import Scenario

LARGEST_AMPLITUDE_ERROR = 0.05
"""Largest error of the amplitude of a mode, as a fraction of what it began with, that a step may make in a run."""
PLACES = 9
"""Poses of a reference at which modes are looked at."""
TIMES = 100
"""Times of a run at which amplitudes are compared."""
LARGEST_EXPONENT = 690.0
"""Exponents are cut here, before exp() overflows."""


@dataclass(frozen=True)
class SteppedMode:
    """The mode of a machine at rest whose amplitude steps of RK4 reproduce worst during a run."""

    pole: complex
    """Pole of the mode, of the linearised machine [1/s]."""
    step: float
    """Length of a step [s]."""
    duration: float
    """Length of the run [s]."""

    @property
    def factor(self) -> float:
        """|R(pole step)|: what a step of RK4 multiplies the amplitude by."""
        z = self.pole * self.step
        return abs(1 + z * (1 + z / 2 * (1 + z / 3 * (1 + z / 4))))

    @property
    def exact_factor(self) -> float:
        """exp(Re pole step): what it should be multiplied by in a step."""
        return math.exp(self.pole.real * self.step)

    @property
    def error(self) -> float:
        """Largest error of the amplitude during the run, as a fraction of the larger of first and true amplitude."""
        rate = math.log(max(self.factor, 1e-300)) / self.step
        t = np.geomspace(self.step, max(self.duration, self.step), TIMES)
        true, found = (np.exp(np.clip(one * t, -LARGEST_EXPONENT, LARGEST_EXPONENT)) for one in (self.pole.real, rate))
        return float(np.max(np.abs(found - true) / np.maximum(true, 1.0)))

    @property
    def resolved(self) -> bool:
        """Whether the steps are short enough for this mode, and so for every other."""
        return self.error <= LARGEST_AMPLITUDE_ERROR

    def __str__(self) -> str:
        size = abs(self.pole)
        mode = (
            f"mode of {size:,.4g} rad/s ({size / 2 / math.pi:,.4g} Hz), damping ratio {0.0 - self.pole.real / size:.2g}"
        )
        end = self.factor ** (self.duration / self.step) if self.factor <= 1 else math.inf
        true = math.exp(min(self.pole.real * self.duration, LARGEST_EXPONENT))
        made = f"keeps {end:.2g} of its amplitude" if self.factor <= 1 else f"makes it grow by {self.factor:.3g} a step"
        text = f"{mode}: RK4 with steps of {self.step:.3g} s {made} in {self.duration:.3g} s, where {true:.2g} is right"
        return text if self.resolved else f"{text}; take {self.finer} times as many substeps"

    @property
    def finer(self) -> int:
        """How many times shorter steps have to be for this mode: a power of two."""
        factor = 1
        while not SteppedMode(self.pole, self.step / factor, self.duration).resolved:
            factor *= 2
        return factor


def worst_mode(robot: Robot, scenario: Scenario, poses: Array, step: float, duration: float) -> SteppedMode | None:
    """Return the mode that steps of RK4 reproduce worst at rest along poses (N, coordinates); None if nothing moves.

    Masses and friction are those of `robot`; springs are those of its joints and of the scenario's elastic drives.
    """
    along = np.unique(poses[np.unique(np.linspace(0, len(poses) - 1, PLACES).astype(int))], axis=0)
    plants = [about_rest(robot, scenario, pose, robot.static_forces(pose)) for pose in along]
    poles = np.unique(np.concatenate([np.linalg.eigvals(plant.A) for plant in plants]).round(6))
    modes = [SteppedMode(complex(pole), step, duration) for pole in poles if pole and np.imag(pole) >= 0]
    return max(modes, key=lambda mode: (mode.error, abs(mode.pole)), default=None)


def has_springs(robot: Robot) -> bool:
    """Tell whether joints of a mechanism have springs; those of a robot of legs have none."""
    return robot.motion_type.of_joints and any(
        freedom.spring is not None for joint in robot.graph_description.joints for freedom in joint.freedoms.values()
    )
