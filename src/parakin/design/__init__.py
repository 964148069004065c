"""Which design would be better: keys of a robot file varied, objectives, fronts, and the chosen design as a file.

>>> from pathlib import Path
>>> import numpy as np
>>> import parakin as pk
>>> lines = [
...     'name = "delta_arms"',
...     'title = "Arm and forearm of a Delta"',
...     'robot = "delta"',
...     'parameters.arm = { lower = 0.22, upper = 0.26, key = "legs[leg].elements[arm].length" }',
...     'parameters.forearm = { lower = 0.48, upper = 0.54, key = "legs[leg].elements[forearm].length" }',
...     'sampling = { method = "sobol", count = 8 }',
...     'cycle = { motion = "pick_and_place", rate = 50 }',
...     'objectives = { force = { of = "cycle_force" }, room = { of = "condition", reduce = "mean" } }',
... ]
>>> _ = Path("delta.toml").write_text("\\n".join(lines))
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parakin.lazy import importer

if TYPE_CHECKING:
    from parakin.design.evaluating import DesignStatus, Evaluator, StudyWork
    from parakin.design.expressions import Expression
    from parakin.design.files import load_study, read_subject, robot_file, work_of
    from parakin.design.optimising import Improved, improve
    from parakin.design.quantities import QUANTITIES, Quantity
    from parakin.design.running import Found, front_of, gather, run_study, write_designs
    from parakin.design.study import (
        AnalysisOptions,
        Box,
        Constraint,
        Cycle,
        Objective,
        Optimise,
        Parameter,
        Sampling,
        Study,
    )
    from parakin.design.subject import Subject

__getattr__ = importer(
    __name__,
    {
        "parakin.design.evaluating": "DesignStatus Evaluator StudyWork",
        "parakin.design.expressions": "Expression",
        "parakin.design.files": "load_study read_subject robot_file work_of",
        "parakin.design.optimising": "Improved improve",
        "parakin.design.quantities": "QUANTITIES Quantity",
        "parakin.design.running": "Found front_of gather run_study write_designs",
        "parakin.design.study": "AnalysisOptions Box Constraint Cycle Objective Optimise Parameter Sampling Study",
        "parakin.design.subject": "Subject",
    },
)

__all__ = [
    "QUANTITIES",
    "AnalysisOptions",
    "Box",
    "Constraint",
    "Cycle",
    "DesignStatus",
    "Evaluator",
    "Expression",
    "Found",
    "Improved",
    "Objective",
    "Optimise",
    "Parameter",
    "Quantity",
    "Sampling",
    "Study",
    "StudyWork",
    "Subject",
    "front_of",
    "gather",
    "improve",
    "load_study",
    "read_subject",
    "robot_file",
    "run_study",
    "work_of",
    "write_designs",
]
