"""Closed-loop simulation: plant, sensors, law and drives over time, one scenario or thousands."""

from parakin.simulation.log import Column, Log
from parakin.simulation.run import Many, simulate, simulate_many
from parakin.simulation.scenario import Scenario, family
from parakin.simulation.sensors import Ending
from parakin.simulation.summary import Summary

__all__ = ["Column", "Ending", "Log", "Many", "Scenario", "Summary", "family", "simulate", "simulate_many"]
