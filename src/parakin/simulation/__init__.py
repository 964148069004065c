"""Closed-loop simulation: plant, sensors, law and drives over time, one scenario or thousands.

>>> import casadi as ca
>>> import numpy as np
>>> import parakin as pk
>>> robot = pk.load("delta")
>>> law = pk.control.law("computed_torque", robot, period=1e-3)
>>> motion = pk.trajectory.motion("pick_and_place", robot)
>>> reference = pk.control.reference(robot, motion, period=1e-3)
>>> scenario = pk.simulation.Scenario(counts=20_000, delay=True)
>>> log = pk.simulation.simulate(robot, law, reference, scenario)
>>> log.status.name, log["tau"].shape
('COMPLETED', (1001, 3))
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parakin.lazy import importer

if TYPE_CHECKING:
    from parakin.control.tuning.margins import Margins
    from parakin.simulation.comparison import RULES, Comparison, Rule, compare
    from parakin.simulation.imperfections import Cable, ElasticDrives, Stiction, TorqueRipple
    from parakin.simulation.linear import margins, matched
    from parakin.simulation.linear_plant import LinearPlant, linearize
    from parakin.simulation.log import Column, Log, read_log, write_log
    from parakin.simulation.platform_sensors import Measured, PlatformSensor, platform_sensor
    from parakin.simulation.run import Many, simulate, simulate_many
    from parakin.simulation.scenario import Scenario, family
    from parakin.simulation.sensors import Ending
    from parakin.simulation.step_size import StepCheck, check_step_size
    from parakin.simulation.stepwise import simulate_with
    from parakin.simulation.summary import Summary
    from parakin.simulation.sweeps import Setting, Sweep, bandwidth_settings, gain_settings, random_plants, sweep
    from parakin.simulation.verdicts import Verdict, verdict

__getattr__ = importer(
    __name__,
    {
        "parakin.control.tuning.margins": "Margins",
        "parakin.simulation.comparison": "RULES Comparison Rule compare",
        "parakin.simulation.imperfections": "Cable ElasticDrives Stiction TorqueRipple",
        "parakin.simulation.linear": "margins matched",
        "parakin.simulation.linear_plant": "LinearPlant linearize",
        "parakin.simulation.log": "Column Log read_log write_log",
        "parakin.simulation.platform_sensors": "Measured PlatformSensor platform_sensor",
        "parakin.simulation.run": "Many simulate simulate_many",
        "parakin.simulation.scenario": "Scenario family",
        "parakin.simulation.sensors": "Ending",
        "parakin.simulation.step_size": "StepCheck check_step_size",
        "parakin.simulation.stepwise": "simulate_with",
        "parakin.simulation.summary": "Summary",
        "parakin.simulation.sweeps": "Setting Sweep bandwidth_settings gain_settings random_plants sweep",
        "parakin.simulation.verdicts": "Verdict verdict",
    },
)

__all__ = [
    "RULES",
    "Cable",
    "Column",
    "Comparison",
    "ElasticDrives",
    "Ending",
    "LinearPlant",
    "Log",
    "Many",
    "Margins",
    "Measured",
    "PlatformSensor",
    "Rule",
    "Scenario",
    "Setting",
    "StepCheck",
    "Stiction",
    "Summary",
    "Sweep",
    "TorqueRipple",
    "Verdict",
    "bandwidth_settings",
    "check_step_size",
    "compare",
    "family",
    "gain_settings",
    "linearize",
    "margins",
    "matched",
    "platform_sensor",
    "random_plants",
    "read_log",
    "simulate",
    "simulate_many",
    "simulate_with",
    "sweep",
    "verdict",
    "write_log",
]
