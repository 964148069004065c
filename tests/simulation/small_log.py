"""A log of three ticks."""

from __future__ import annotations

import numpy as np

from parakin.simulation import Column, Log


def log_of(status: tuple[float, ...] = (0.0, 0.0, 0.0)) -> Log:
    """Three ticks of a five-bar, 10 ms apart."""
    values = {
        "t": [0.0, 0.01, 0.02],
        "desired_pose.x": [0.0, 3.0, 0.0],
        "desired_pose.y": [0.0, 4.0, 0.0],
        "pose.x": [0.0, 0.0, 0.0],
        "pose.y": [0.0, 0.0, 12.0],
        "desired_q.a": [1.0, 1.0, 1.0],
        "q.a": [1.0, 3.0, 0.0],
        "tau.a": [-5.0, 1.0, 2.0],
        "saturated.a": [1.0, 0.0, 1.0],
        "status": status,
    }
    columns = tuple(Column(name.partition(".")[0], name.partition(".")[2], "1") for name in values)
    return Log(columns, np.column_stack(list(values.values())))
