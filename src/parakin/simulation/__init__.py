"""Closed-loop simulation: plant, sensors, law and drives over time, one scenario or thousands."""

from parakin.simulation.comparison import RULES, Comparison, Rule, compare
from parakin.simulation.log import Column, Log
from parakin.simulation.log_files import read_log, write_log
from parakin.simulation.run import Many, simulate, simulate_many
from parakin.simulation.scenario import Scenario, family
from parakin.simulation.sensors import Ending
from parakin.simulation.stability import Margins, margins, matched
from parakin.simulation.step_size import StepCheck, check_step_size
from parakin.simulation.summary import Summary
from parakin.simulation.sweeps import Setting, Sweep, bandwidth_settings, gain_settings, random_plants, sweep
from parakin.simulation.verdicts import Verdict, verdict

__all__ = [
    "RULES",
    "Column",
    "Comparison",
    "Ending",
    "Log",
    "Many",
    "Margins",
    "Rule",
    "Scenario",
    "Setting",
    "StepCheck",
    "Summary",
    "Sweep",
    "Verdict",
    "bandwidth_settings",
    "check_step_size",
    "compare",
    "family",
    "gain_settings",
    "margins",
    "matched",
    "random_plants",
    "read_log",
    "simulate",
    "simulate_many",
    "sweep",
    "verdict",
    "write_log",
]
