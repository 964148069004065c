"""From logs to parameters one can trust: docs/identification.md."""

from parakin.identification.column_map import ColumnMap, column_map_of_texts, load_column_map
from parakin.identification.excitation import Excitation, ExciteOptions, excite
from parakin.identification.log_source import LogSource, open_log
from parakin.identification.periods import MeanPeriod, mean_period
from parakin.identification.preparation import Preparation, Prepared, prepare
from parakin.identification.states import States

__all__ = [
    "ColumnMap",
    "Excitation",
    "ExciteOptions",
    "LogSource",
    "MeanPeriod",
    "Preparation",
    "Prepared",
    "States",
    "column_map_of_texts",
    "excite",
    "load_column_map",
    "mean_period",
    "open_log",
    "prepare",
]
