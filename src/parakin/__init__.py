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
    from parakin.errors import ImplausibleValueWarning, ParakinError
    from parakin.kernels import BoundKernel, Kernel, OperationCount, Program, iterate, repeat, scan, shortcut, stage
    from parakin.mechanism import mechanism_library
    from parakin.robot import Evaluation, Payload, Robot, Status, library, load, survey
    from parakin.viewer import draw, view

__version__ = "0.1.0"

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


__getattr__ = importer(
    __name__,
    {
        "parakin.errors": "ImplausibleValueWarning ParakinError",
        "parakin.kernels": "BoundKernel Kernel OperationCount Program iterate repeat scan shortcut stage",
        "parakin.mechanism": "mechanism_library",
        "parakin.robot": "Evaluation Payload Robot Status library load survey",
        "parakin.analysis": "analysis",
        "parakin.control": "control",
        "parakin.design": "design",
        "parakin.viewer": "draw view viewer",
        "parakin.executors": "executors",
        "parakin.export": "export",
        "parakin.identification": "identification",
        "parakin.plots": "plots",
        "parakin.poses": "poses",
        "parakin.simulation": "simulation",
        "parakin.trajectory": "trajectory",
        "parakin.vision": "vision",
    },
)


def __dir__() -> list[str]:
    return __all__
