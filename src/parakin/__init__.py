"""parakin: exact kinematics and dynamics, identification and control of parallel robots.

Names and modules are imported when first used, so that `import parakin` itself costs next to nothing. docs/api.md lists
all of them.

>>> import casadi as ca
>>> import numpy as np
>>> import parakin as pk
>>> robot = pk.load("delta")  # a robot of the library, or your own .toml
>>> linkage = pk.load("four_bar")  # any closed chain of bodies and joints, likewise
>>> pose, velocity, acceleration = [0.1, 0.05, -0.45], [0.5, 0.2, -0.1], [1.0, 0.0, 2.0]
>>> robot.inverse_dynamics(pose, velocity, acceleration).round(3)
array([1.775, 0.869, 0.521])
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parakin.lazy import importer

if TYPE_CHECKING:
    from parakin import (
        analysis,
        control,
        design,
        executors,
        export,
        identification,
        plots,
        poses,
        simulation,
        trajectory,
        viewer,
        vision,
    )
    from parakin.description import library
    from parakin.errors import ImplausibleValueWarning, ParakinError
    from parakin.kernels import BoundKernel, Kernel, OperationCount, Program, iterate, repeat, scan, shortcut, stage
    from parakin.mechanism import mechanism_library
    from parakin.robot import Evaluation, Payload, Robot, Status, load, survey
    from parakin.viewer import draw, view

__version__ = "0.1.0"

_HOMES = {
    "ImplausibleValueWarning": "parakin.errors",
    "ParakinError": "parakin.errors",
    "BoundKernel": "parakin.kernels",
    "Kernel": "parakin.kernels",
    "OperationCount": "parakin.kernels",
    "Program": "parakin.kernels",
    "iterate": "parakin.kernels",
    "repeat": "parakin.kernels",
    "scan": "parakin.kernels",
    "shortcut": "parakin.kernels",
    "stage": "parakin.kernels",
    "library": "parakin.description",
    "mechanism_library": "parakin.mechanism",
    "Evaluation": "parakin.robot",
    "Payload": "parakin.robot",
    "Robot": "parakin.robot",
    "Status": "parakin.robot",
    "load": "parakin.robot",
    "survey": "parakin.robot",
    "analysis": "parakin.analysis",
    "control": "parakin.control",
    "design": "parakin.design",
    "draw": "parakin.viewer",
    "executors": "parakin.executors",
    "export": "parakin.export",
    "identification": "parakin.identification",
    "plots": "parakin.plots",
    "poses": "parakin.poses",
    "simulation": "parakin.simulation",
    "trajectory": "parakin.trajectory",
    "view": "parakin.viewer",
    "viewer": "parakin.viewer",
    "vision": "parakin.vision",
}

__all__ = [
    "BoundKernel",
    "Evaluation",
    "ImplausibleValueWarning",
    "Kernel",
    "OperationCount",
    "ParakinError",
    "Payload",
    "Program",
    "Robot",
    "Status",
    "analysis",
    "control",
    "design",
    "draw",
    "executors",
    "export",
    "identification",
    "iterate",
    "library",
    "load",
    "mechanism_library",
    "plots",
    "poses",
    "repeat",
    "scan",
    "shortcut",
    "simulation",
    "stage",
    "survey",
    "trajectory",
    "view",
    "viewer",
    "vision",
]


__getattr__ = importer(__name__, _HOMES)


def __dir__() -> list[str]:
    return __all__
