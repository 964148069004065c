"""Control laws: symbolic discrete-time updates that simulate, batch and export like any model."""

from parakin.control.computed_torque import computed_torque
from parakin.control.law import Gain, Given, Interface, Law, StatePart, Update, Wanted, assembled
from parakin.control.laws import LAWS, law
from parakin.control.model import ControlModel, next_integral
from parakin.control.reference import Reference, hold, reference, reference_of_samples, reference_of_states
from parakin.control.tuning import gains_for

__all__ = [
    "LAWS",
    "ControlModel",
    "Gain",
    "Given",
    "Interface",
    "Law",
    "Reference",
    "StatePart",
    "Update",
    "Wanted",
    "assembled",
    "computed_torque",
    "gains_for",
    "hold",
    "law",
    "next_integral",
    "reference",
    "reference_of_samples",
    "reference_of_states",
]
