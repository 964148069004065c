"""The numbers, vectors and names that tables of a robot file consist of, each checked as it is read."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from parakin.motions import MOTIONS

UNIT_TOLERANCE = 1e-15
"""A direction this close to unit length is left as it is, so that writing and reading a file changes nothing."""
LARGEST_NUMBER = 1e100
"""No robot has a larger number in SI units; squares of such numbers do not overflow."""
ROUNDING = 1e-7
"""A length below this share of the robot's, or a part of a direction below this, is rounding where zero is demanded:
what files of eight digits leave. Machines are not built to hundredths of a micrometre."""
INERTIA_TOLERANCE = 1e-9
"""Relative to the largest moment of inertia: rounding in printed tensors must not make a real body impossible."""


def shown(value: object) -> str:
    """Return a value as messages show it, however long it is; whole numbers of thousands of digits have no repr."""
    try:
        text = repr(value)
    except ValueError:
        return "a number of thousands of digits"
    return text if len(text) <= 200 else f"{text[:197]}..."


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"must be a number, got {shown(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"must be finite, got {number}")
    if abs(number) > LARGEST_NUMBER:
        raise ValueError(f"must be at most {LARGEST_NUMBER:g} in size, got {number:g}")
    return number


def _no_truth(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError(f"must be -1 or 1, got {str(value).lower()}")
    return value


def _unit(vector: tuple[float, float, float]) -> tuple[float, float, float]:
    norm = math.hypot(*vector)
    if norm == 0.0:
        raise ValueError("must not be the zero vector")
    if abs(norm - 1.0) <= UNIT_TOLERANCE:
        return vector
    return (vector[0] / norm, vector[1] / norm, vector[2] / norm)


Number = Annotated[float, BeforeValidator(_number)]
"""A finite number in SI units."""
Positive = Annotated[Number, Field(gt=0)]
"""A number above zero."""
NonNegative = Annotated[Number, Field(ge=0)]
"""A number that is zero or above."""
Vector = tuple[Number, Number, Number]
"""Three numbers along the axes of a frame."""
Direction = Annotated[Vector, AfterValidator(_unit)]
"""A vector that is brought to unit length."""
Matrix = tuple[Vector, Vector, Vector]
"""Three rows of three numbers."""
Name = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]*$", max_length=64)]
"""A letter, then letters, digits and underscores."""
Source = Annotated[str, Field(min_length=1, max_length=500)]
"""Where the numbers of a table come from: a paper and its equation, a data sheet, "assumed"."""
Sign = Annotated[Literal[-1, 1], BeforeValidator(_no_truth)]
"""Which way, or which of two branches."""


def _motion(value: Any) -> str:
    if not isinstance(value, str) or value not in MOTIONS:
        raise UnknownMotionError(value)
    return value


class UnknownMotionError(ValueError):
    """A motion that is not in the table of motions; its message lists those that are."""

    def __init__(self, value: object) -> None:
        names = [f"'{name}'" for name in MOTIONS]
        known = f"must be {', '.join(names[:-1])} or {names[-1]}, got {shown(value)}"
        super().__init__(f"{known}; for a platform that moves otherwise write a mechanism: docs/mechanisms.md")
        self.value = value
        """What the file says instead of a motion's name."""


MotionName = Annotated[str, BeforeValidator(_motion), WithJsonSchema({"type": "string", "enum": list(MOTIONS)})]
"""The name of a platform motion, one of `parakin.motions.MOTIONS`."""


class Table(BaseModel):
    """A table of a robot file: complete at birth, never changed.

    >>> isinstance(robot.description, pk.description.Table)
    True
    """

    model_config = ConfigDict(frozen=True, extra="forbid")


def inertia_fault(tensor: NDArray[np.float64]) -> str | None:
    """Return why no mass distribution has a symmetric tensor, None if some has.

    A principal moment is below zero, or above the sum of the others.
    """
    allowed = INERTIA_TOLERANCE * float(np.max(np.abs(tensor)))
    moments = np.linalg.eigvalsh(tensor)
    if moments[0] < -allowed:
        return f"must be positive semi-definite, but a principal moment is {moments[0]:.6g} kg m^2"
    if moments[2] > moments[0] + moments[1] + allowed:
        values = ", ".join(f"{m:.6g}" for m in moments)
        return f"no body has principal moments {values} kg m^2: the largest exceeds the sum of the others"
    return None


def _check_inertia(inertia: Matrix) -> Matrix:
    """A tensor that some mass distribution can have."""
    tensor = np.array(inertia)
    if np.max(np.abs(tensor - tensor.T)) > INERTIA_TOLERANCE * np.max(np.abs(tensor)):
        raise ValueError(f"must be symmetric, got {tensor.tolist()}")
    fault = inertia_fault(tensor)
    if fault is not None:
        raise ValueError(fault)
    return inertia


Inertia = Annotated[Matrix, AfterValidator(_check_inertia)]
"""An inertia tensor that some body can have [kg m^2]. Products are entries of the tensor: Ixy = -integral of x y dm."""
