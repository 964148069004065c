"""Closed-loop simulation: plant, sensors, law and drives over time, one scenario or thousands."""

from parakin.simulation.log import Column, Log
from parakin.simulation.log_files import read_log, write_log
from parakin.simulation.margins import Margins, margins, matched
from parakin.simulation.run import Many, law_states, simulate, simulate_many
from parakin.simulation.scenario import Scenario, family
from parakin.simulation.sensors import Ending
from parakin.simulation.step_size import StepCheck, check_step_size
from parakin.simulation.summary import Summary

__all__ = [
    "Column",
    "Ending",
    "Log",
    "Many",
    "Margins",
    "Scenario",
    "StepCheck",
    "Summary",
    "check_step_size",
    "family",
    "law_states",
    "margins",
    "matched",
    "read_log",
    "simulate",
    "simulate_many",
    "write_log",
]
