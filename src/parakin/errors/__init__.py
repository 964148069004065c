"""Every error parakin raises on purpose. Each carries its data, and says what was wrong and what would be right.

>>> import casadi as ca
>>> import numpy as np
>>> import parakin as pk
>>> from parakin import errors
>>> robot, linkage, hexapod = pk.load("delta"), pk.load("four_bar"), pk.load("gough_stewart")
>>> law = pk.control.law("computed_torque", robot)
>>> motion = pk.trajectory.motion("circle", robot)
"""

from parakin.errors.base import LISTED, DataError, ParakinError, ProblemsError, SubjectError, UnknownNameError
from parakin.errors.kernels import (
    CExportError,
    KernelError,
    KernelInputError,
    ProgramError,
    UnsupportedModelError,
    UnsupportedOperationError,
)
from parakin.errors.robots import (
    DescriptionError,
    ForwardKinematicsError,
    ImplausibleValueWarning,
    JointLimitError,
    LegsOnlyError,
    LimitError,
    LoopClosureError,
    MeasurementError,
    NotLinearInParametersError,
    OverflowStateError,
    PoseError,
    QuaternionError,
    RefusedImportError,
    RobotFileWarning,
    SingularHomeWarning,
    SingularPoseError,
    StrokeError,
    UnclearRankError,
    UnreachablePoseError,
    UnsupportedRobotError,
    range_text,
)
from parakin.errors.work import (
    BadLogError,
    ColumnMapError,
    ControlError,
    EstimationError,
    FileError,
    LogFileError,
    LoopWarning,
    MotionError,
    MotionFileError,
    MotionLimitError,
    SimulationError,
    StudyError,
    UnmatchedLawError,
    UnstableLoopError,
)

__all__ = [
    "LISTED",
    "BadLogError",
    "CExportError",
    "ColumnMapError",
    "ControlError",
    "DataError",
    "DescriptionError",
    "EstimationError",
    "FileError",
    "ForwardKinematicsError",
    "ImplausibleValueWarning",
    "JointLimitError",
    "KernelError",
    "KernelInputError",
    "LegsOnlyError",
    "LimitError",
    "LogFileError",
    "LoopClosureError",
    "LoopWarning",
    "MeasurementError",
    "MotionError",
    "MotionFileError",
    "MotionLimitError",
    "NotLinearInParametersError",
    "OverflowStateError",
    "ParakinError",
    "PoseError",
    "ProblemsError",
    "ProgramError",
    "QuaternionError",
    "RefusedImportError",
    "RobotFileWarning",
    "SimulationError",
    "SingularHomeWarning",
    "SingularPoseError",
    "StrokeError",
    "StudyError",
    "SubjectError",
    "UnclearRankError",
    "UnknownNameError",
    "UnmatchedLawError",
    "UnreachablePoseError",
    "UnstableLoopError",
    "UnsupportedModelError",
    "UnsupportedOperationError",
    "UnsupportedRobotError",
    "range_text",
]
