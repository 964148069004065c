"""Control laws: symbolic discrete-time updates that simulate, batch and export like any model."""

from parakin.control.adaptive import adaptive
from parakin.control.adaptive_feedforward import adaptive_feedforward
from parakin.control.computed_torque import computed_torque
from parakin.control.law import Gain, Given, Interface, Law, StatePart, Update, Wanted, assembled
from parakin.control.laws import LAWS, law
from parakin.control.model import ControlModel, next_integral
from parakin.control.predictive_functional import gain_values, predictive_functional
from parakin.control.predictive_gains import PredictiveDesign, PredictiveGains, predictive_gains
from parakin.control.reference import Reference, hold, reference, reference_of_samples, reference_of_states
from parakin.control.tuning import gains_for

__all__ = [
    "LAWS",
    "ControlModel",
    "Gain",
    "Given",
    "Interface",
    "Law",
    "PredictiveDesign",
    "PredictiveGains",
    "Reference",
    "StatePart",
    "Update",
    "Wanted",
    "adaptive",
    "adaptive_feedforward",
    "assembled",
    "computed_torque",
    "gain_values",
    "gains_for",
    "hold",
    "law",
    "next_integral",
    "predictive_functional",
    "predictive_gains",
    "reference",
    "reference_of_samples",
    "reference_of_states",
]
