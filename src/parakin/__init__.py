"""parakin: exact kinematics and dynamics, identification and control of parallel robots.

    import parakin as pk
    kernel = pk.Kernel(function)        # any CasADi SX model as a fast function of numpy arrays

Names are imported when first used, so that `import parakin` itself costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from parakin import control, simulation, trajectory
    from parakin.errors import ParakinError
    from parakin.kernels import BoundKernel, Kernel, OperationCount, Program, iterate, repeat, scan, shortcut, stage
    from parakin.robot import Payload, Robot, Status, load

__version__ = "0.1.0"

_HOMES = {
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
    "Payload": "parakin.robot",
    "Robot": "parakin.robot",
    "Status": "parakin.robot",
    "load": "parakin.robot",
}

_MODULES = ("control", "simulation", "trajectory")

__all__ = [
    "BoundKernel",
    "Kernel",
    "OperationCount",
    "ParakinError",
    "Payload",
    "Program",
    "Robot",
    "Status",
    "control",
    "iterate",
    "load",
    "repeat",
    "scan",
    "shortcut",
    "simulation",
    "stage",
    "trajectory",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    if name in _MODULES:
        return importlib.import_module(f"parakin.{name}")
    raise AttributeError(f"module 'parakin' has no attribute '{name}'")


def __dir__() -> list[str]:
    return __all__
