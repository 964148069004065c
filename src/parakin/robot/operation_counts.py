"""What the models of a machine cost in operations: in the formulations of its legs, and as bodies and joints."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from parakin.errors import ImplausibleValueWarning

if TYPE_CHECKING:
    from parakin.dynamics.count_table import Row
    from parakin.robot.robot import Robot

COUNTED = {"mass matrix": "mass_matrix", "inverse dynamics": "inverse_dynamics"}
"""What is counted of bodies and joints: heading -> model."""
FORM = "bodies and joints"
"""What such rows are called: they start from the configuration, as the closing of loops is another matter."""


def operation_counts(robot: Robot) -> Iterator[Row]:
    """Yield the costs of a machine's models row by row, for each takes a moment.

    Formulations stand first, where the machine has legs. Friction is left out, statuses are not counted.
    """
    from parakin.dynamics.count import paper_count
    from parakin.dynamics.count_table import Row, count_table

    if robot.legs:
        yield from count_table(robot.description)
    with warnings.catch_warnings(action="ignore", category=ImplausibleValueWarning):  # of the file, which has told them
        graph = robot.graph
        friction = np.array([one.quantity.is_friction for one in graph.parameter_table])
        subject = graph.with_parameters(np.where(friction, 0.0, graph.parameters), "without friction")
    for heading, model in COUNTED.items():
        yield Row(heading, FORM, paper_count(subject.casadi(model)))
