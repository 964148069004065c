"""Many runs: the rows of a pure function computed here, in processes of this machine or on a cluster, and resumed.

>>> import math
>>> from pathlib import Path
>>> import numpy as np
>>> from parakin import executors
>>> from parakin.executors.job import new_job
>>> def roots(values):
...     return {"root": [math.sqrt(value) for value in values]}
"""

from parakin.executors.cluster import Cluster
from parakin.executors.computing import Work, row_generators
from parakin.executors.crew import Executor
from parakin.executors.driving import OnRows, Progress, evaluate, map_rows, run
from parakin.executors.fingerprints import fingerprint
from parakin.executors.local_processes import LocalProcesses
from parakin.executors.placement import Placement, placed
from parakin.executors.results import Results, read_results
from parakin.executors.row_results import RowResults, RowStatus
from parakin.executors.this_process import ThisProcess

__all__ = [
    "Cluster",
    "Executor",
    "LocalProcesses",
    "OnRows",
    "Placement",
    "Progress",
    "Results",
    "RowResults",
    "RowStatus",
    "ThisProcess",
    "Work",
    "evaluate",
    "fingerprint",
    "map_rows",
    "placed",
    "read_results",
    "row_generators",
    "run",
]
