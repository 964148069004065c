"""Control laws: symbolic discrete-time updates that simulate, batch and export like any model.

>>> import casadi as ca
>>> import numpy as np
>>> import parakin as pk
>>> robot = pk.load("delta")
>>> law = pk.control.law("computed_torque", robot, period=1e-3)
>>> motion = pk.trajectory.motion("pick_and_place", robot)
>>> set_points = pk.control.reference(robot, motion, period=1e-3, settle=0.1)
>>> pk.simulation.simulate(robot, law, set_points).status.name
'COMPLETED'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parakin.lazy import importer

if TYPE_CHECKING:
    from parakin.control.definition import Gain, Given, Interface, Law, Signal, StatePart, Update, Wanted, assembled
    from parakin.control.gains_file import GainSet, read_gains, write_gains
    from parakin.control.guard import Guard, GuardCause, GuardStatus, SafeForce
    from parakin.control.guarding import guarded
    from parakin.control.laws.adaptive import adaptive
    from parakin.control.laws.adaptive_feedforward import adaptive_feedforward
    from parakin.control.laws.computed_torque import computed_torque
    from parakin.control.laws.computed_torque_platform import computed_torque_platform
    from parakin.control.laws.decoupling import decoupling
    from parakin.control.laws.feedforward import feedforward
    from parakin.control.laws.hand_guiding import hand_guiding
    from parakin.control.laws.pid import pid
    from parakin.control.laws.predictive_functional import gain_values, predictive_functional
    from parakin.control.laws.table import HAND_LAWS, LAWS, law
    from parakin.control.model import ControlModel, next_integral
    from parakin.control.parts.filters import with_lead, with_notch
    from parakin.control.parts.observing import with_disturbance_observer
    from parakin.control.parts.shaping import Impulses, impulses, with_shaping
    from parakin.control.parts.standstill import with_standstill_friction
    from parakin.control.parts.weighing import payload_of, with_payload_estimate
    from parakin.control.predictive_design import PredictiveDesign, PredictiveGains, predictive_gains
    from parakin.control.references import Reference, hold, reference, reference_of_samples, reference_of_states
    from parakin.control.switching import switched
    from parakin.control.tuning.delay import default_delay_margin
    from parakin.control.tuning.gains import gains_for

__getattr__ = importer(
    __name__,
    {
        "parakin.control.definition": "Gain Given Interface Law Signal StatePart Update Wanted assembled",
        "parakin.control.gains_file": "GainSet read_gains write_gains",
        "parakin.control.guard": "Guard GuardCause GuardStatus SafeForce",
        "parakin.control.guarding": "guarded",
        "parakin.control.laws.adaptive": "adaptive",
        "parakin.control.laws.adaptive_feedforward": "adaptive_feedforward",
        "parakin.control.laws.computed_torque": "computed_torque",
        "parakin.control.laws.computed_torque_platform": "computed_torque_platform",
        "parakin.control.laws.decoupling": "decoupling",
        "parakin.control.laws.feedforward": "feedforward",
        "parakin.control.laws.hand_guiding": "hand_guiding",
        "parakin.control.laws.pid": "pid",
        "parakin.control.laws.predictive_functional": "gain_values predictive_functional",
        "parakin.control.laws.table": "HAND_LAWS LAWS law",
        "parakin.control.model": "ControlModel next_integral",
        "parakin.control.parts.filters": "with_lead with_notch",
        "parakin.control.parts.observing": "with_disturbance_observer",
        "parakin.control.parts.shaping": "Impulses impulses with_shaping",
        "parakin.control.parts.standstill": "with_standstill_friction",
        "parakin.control.parts.weighing": "payload_of with_payload_estimate",
        "parakin.control.predictive_design": "PredictiveDesign PredictiveGains predictive_gains",
        "parakin.control.references": "Reference hold reference reference_of_samples reference_of_states",
        "parakin.control.switching": "switched",
        "parakin.control.tuning.delay": "default_delay_margin",
        "parakin.control.tuning.gains": "gains_for",
    },
)

__all__ = [
    "HAND_LAWS",
    "LAWS",
    "ControlModel",
    "Gain",
    "GainSet",
    "Given",
    "Guard",
    "GuardCause",
    "GuardStatus",
    "Impulses",
    "Interface",
    "Law",
    "PredictiveDesign",
    "PredictiveGains",
    "Reference",
    "SafeForce",
    "Signal",
    "StatePart",
    "Update",
    "Wanted",
    "adaptive",
    "adaptive_feedforward",
    "assembled",
    "computed_torque",
    "computed_torque_platform",
    "decoupling",
    "default_delay_margin",
    "feedforward",
    "gain_values",
    "gains_for",
    "guarded",
    "hand_guiding",
    "hold",
    "impulses",
    "law",
    "next_integral",
    "payload_of",
    "pid",
    "predictive_functional",
    "predictive_gains",
    "read_gains",
    "reference",
    "reference_of_samples",
    "reference_of_states",
    "switched",
    "with_disturbance_observer",
    "with_lead",
    "with_notch",
    "with_payload_estimate",
    "with_shaping",
    "with_standstill_friction",
    "write_gains",
]
