"""From logs to parameters one can trust: docs/identification.md.

The data go one way through these rooms, and each imports from those before it only:

    logs          columns of a file as signals of a robot
    damage        what is wrong with them
    preparation   smoothing and differentiation: rows become states
    fit           least squares over states, and an assessment of each parameter
    online        the same, one tick at a time
    bodies        real bodies behind parameters, and a robot file
    identifying   all of it at once, and validation

`excitation` comes before any log: it finds the motion to log.

>>> import numpy as np
>>> import parakin as pk
>>> robot = pk.load("five_bar")
>>> motion = pk.trajectory.fourier(robot, periods=2)
>>> law = pk.control.law("computed_torque", robot)
>>> run = pk.simulation.simulate(robot, law, pk.control.reference(robot, motion, 1e-3))
>>> path = pk.simulation.write_log("run.csv", run)
>>> model = pk.identification.base_model(robot)
>>> prepared = pk.identification.prepare(robot, pk.identification.open_log(robot, path))
>>> states = list(prepared.states())
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parakin.lazy import importer

if TYPE_CHECKING:
    from parakin.identification.bodies.consistent import Consistent, consistent
    from parakin.identification.excitation import Excitation, ExciteOptions, excite
    from parakin.identification.fit.assessment import Assessment
    from parakin.identification.fit.estimate import Estimate, estimate
    from parakin.identification.fit.linear import LinearModel, base_model, nacelle_model, payload_model
    from parakin.identification.fit.moments import Cut
    from parakin.identification.fit.payload import FoundPayload, identify_payload
    from parakin.identification.identifying.identification import Identification, Question
    from parakin.identification.identifying.identify import identify
    from parakin.identification.identifying.validation import Validation, validate
    from parakin.identification.logs.column_map import ColumnMap, column_map_of_texts, load_column_map
    from parakin.identification.logs.log_source import LogSource, open_log
    from parakin.identification.online.kalman import KalmanFilter, extended, random_walk
    from parakin.identification.preparation import Preparation, Prepared, prepare
    from parakin.identification.preparation.periods import MeanPeriod, mean_period
    from parakin.identification.states import States

__getattr__ = importer(
    __name__,
    {
        "parakin.identification.bodies.consistent": "Consistent consistent",
        "parakin.identification.excitation": "Excitation ExciteOptions excite",
        "parakin.identification.fit.assessment": "Assessment",
        "parakin.identification.fit.estimate": "Estimate estimate",
        "parakin.identification.fit.linear": "LinearModel base_model nacelle_model payload_model",
        "parakin.identification.fit.moments": "Cut",
        "parakin.identification.fit.payload": "FoundPayload identify_payload",
        "parakin.identification.identifying.identification": "Identification Question",
        "parakin.identification.identifying.identify": "identify",
        "parakin.identification.identifying.validation": "Validation validate",
        "parakin.identification.logs.column_map": "ColumnMap column_map_of_texts load_column_map",
        "parakin.identification.logs.log_source": "LogSource open_log",
        "parakin.identification.online.kalman": "KalmanFilter extended random_walk",
        "parakin.identification.preparation": "Preparation Prepared prepare",
        "parakin.identification.preparation.periods": "MeanPeriod mean_period",
        "parakin.identification.states": "States",
    },
)

__all__ = [
    "Assessment",
    "ColumnMap",
    "Consistent",
    "Cut",
    "Estimate",
    "Excitation",
    "ExciteOptions",
    "FoundPayload",
    "Identification",
    "KalmanFilter",
    "LinearModel",
    "LogSource",
    "MeanPeriod",
    "Preparation",
    "Prepared",
    "Question",
    "States",
    "Validation",
    "base_model",
    "column_map_of_texts",
    "consistent",
    "estimate",
    "excite",
    "extended",
    "identify",
    "identify_payload",
    "load_column_map",
    "mean_period",
    "nacelle_model",
    "open_log",
    "payload_model",
    "prepare",
    "random_walk",
    "validate",
]
