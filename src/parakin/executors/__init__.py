"""Many runs: the rows of a pure function computed here, in processes of this machine or on a cluster, and resumed.

>>> import math
>>> from pathlib import Path
>>> import numpy as np
>>> from parakin import executors
>>> from parakin.executors.job import new_job
>>> def roots(values):
...     return {"root": [math.sqrt(value) for value in values]}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parakin.lazy import importer

if TYPE_CHECKING:
    from parakin.executors.cluster import Cluster
    from parakin.executors.computing import Work, placed, row_generators
    from parakin.executors.crew import Executor
    from parakin.executors.driving import OnRows, Progress, evaluate, map_rows, run
    from parakin.executors.fingerprints import fingerprint
    from parakin.executors.local_processes import LocalProcesses
    from parakin.executors.placement import Placement
    from parakin.executors.results import Results, read_results
    from parakin.executors.row_results import RowResults, RowStatus
    from parakin.executors.this_process import ThisProcess

__getattr__ = importer(
    __name__,
    {
        "parakin.executors.cluster": "Cluster",
        "parakin.executors.computing": "Work placed row_generators",
        "parakin.executors.crew": "Executor",
        "parakin.executors.driving": "OnRows Progress evaluate map_rows run",
        "parakin.executors.fingerprints": "fingerprint",
        "parakin.executors.local_processes": "LocalProcesses",
        "parakin.executors.placement": "Placement",
        "parakin.executors.results": "Results read_results",
        "parakin.executors.row_results": "RowResults RowStatus",
        "parakin.executors.this_process": "ThisProcess",
    },
)

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
