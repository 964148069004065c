"""From logs to parameters one can trust: docs/identification.md."""

from parakin.identification.column_map import ColumnMap, column_map_of_texts, load_column_map
from parakin.identification.consistent import Consistent, consistent
from parakin.identification.estimate import Estimate, estimate
from parakin.identification.excitation import Excitation, ExciteOptions, excite
from parakin.identification.identified import with_parameters
from parakin.identification.judgement import Judgement, Question
from parakin.identification.judging import judge
from parakin.identification.kalman import KalmanFilter, extended, random_walk
from parakin.identification.linear import LinearModel, base_model, nacelle_model, payload_model
from parakin.identification.log_source import LogSource, open_log
from parakin.identification.moments import Cut
from parakin.identification.payload import FoundPayload, identify_payload
from parakin.identification.periods import MeanPeriod, mean_period
from parakin.identification.preparation import Preparation, Prepared, prepare
from parakin.identification.states import States
from parakin.identification.validation import Validation, validate

__all__ = [
    "ColumnMap",
    "Consistent",
    "Cut",
    "Estimate",
    "Excitation",
    "ExciteOptions",
    "FoundPayload",
    "Judgement",
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
    "identify_payload",
    "judge",
    "load_column_map",
    "mean_period",
    "nacelle_model",
    "open_log",
    "payload_model",
    "prepare",
    "random_walk",
    "validate",
    "with_parameters",
]
