"""The two control laws of [Vivas2003], and readings of what it leaves open about the predictive one."""

from __future__ import annotations

from parakin.control import Law, PredictiveDesign, computed_torque, predictive_functional
from parakin.studies.vivas.machine import PERIOD, controller_model

CTC, PFC, PRINTED = "computed torque", "predictive", "predictive, as printed"
FAR = "predictive, far, no ramp"
DESIGNS = {
    PFC: PredictiveDesign(),
    PRINTED: PredictiveDesign(future=False),
    "predictive, no ramp": PredictiveDesign(error_degree=0),
    "predictive, far points": PredictiveDesign(coincidence=(18, 36, 54)),
    FAR: PredictiveDesign(coincidence=(18, 36, 54), error_degree=0),
}
"""The library's reading; eq. (30) without the set point's future; no ramp of the model's error; a longer horizon."""


def laws() -> dict[str, Law]:
    """All on the controller's model, with the gains of sec. 4."""
    model = controller_model()
    designed = {name: predictive_functional(model, PERIOD, design) for name, design in DESIGNS.items()}
    return {CTC: computed_torque(model, PERIOD)} | designed
