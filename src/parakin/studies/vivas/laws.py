"""The two control laws of [Vivas2003], the predictive one in several readings of what the paper leaves open."""

from __future__ import annotations

from parakin.control import Law, PredictiveDesign, computed_torque, predictive_functional
from parakin.robot import Robot
from parakin.studies.vivas.machine import PERIOD

CTC, PFC, PRINTED = "computed torque", "predictive", "predictive, as printed"
"""Names of computed torque, of predictive control in the library's reading, and of that as eq. (30) prints it."""
FAR = "predictive, far, no ramp"
"""Name of predictive control with far coincidence points and without a ramp of the model's error."""
DESIGNS = {
    PFC: PredictiveDesign(),
    PRINTED: PredictiveDesign(future=False),
    "predictive, no ramp": PredictiveDesign(error_degree=0),
    "predictive, far points": PredictiveDesign(coincidence=(18, 36, 54)),
    FAR: PredictiveDesign(coincidence=(18, 36, 54), error_degree=0),
}
"""Readings of predictive control: the library's; without the set point's future; no ramp; far points; both."""
GAINS = {"K_p": 10_000.0, "K_d": 90.0, "K_i": 0.0}
"""Gains of computed torque in sec. 4.2, where K_d is called K_v [1/s^2, 1/s, 1/s^3]."""
READINGS = tuple(name for name in DESIGNS if name != PRINTED)
"""Names of the readings that follow a moving set point, with which the claims of sec. 5 are judged."""


def laws(model: Robot) -> dict[str, Law]:
    """Return all laws by name, built on the controller's model with the gains of sec. 4."""
    designed = {name: predictive_functional(model, PERIOD, design) for name, design in DESIGNS.items()}
    return {CTC: computed_torque(model, PERIOD).with_gains(**GAINS)} | designed
