"""Methods of a robot about derivatives of its models, for optimal control, estimation and design."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.dynamics.choices import DEFAULT
from parakin.errors import UnknownNameError
from parakin.kernels.ports import names_of
from parakin.kinematics.derivative_names import NOT_DERIVED_BY, POSE, derivative_name
from parakin.kinematics.status import Status
from parakin.robot.engine import Input, asked_for
from parakin.robot.kinematics import Kinematics
from parakin.robot.linear_form import LinearForm

if TYPE_CHECKING:
    import casadi as ca

NUMBERS = frozenset({"smoothing"})
"""Inputs of models that are one number a state, and no vector."""


@frozen_arrays
class Derivatives:
    """The outputs of a model, and their derivatives by its inputs; NaN where a state is not GOOD.

    out["tau"] is an output (..., m), out["tau", "pose"] its derivative (..., m, n): the input's axis comes last.
    """

    values: dict[str, Array]
    """Output name -> its value, as `evaluate` gives it."""
    slopes: dict[tuple[str, str], Array]
    """(output, input) -> derivative: the shape of the output, then one entry for each number of the input. By "pose"
    they are small displacements, as many as a velocity has numbers: of a quaternion small rotations in base axes."""
    status: NDArray[np.int32]
    """One of Status for each state; limits of joints are not looked at."""

    def __getitem__(self, name: str | tuple[str, str]) -> Array:
        known = self.values if isinstance(name, str) else self.slopes
        if name not in known:
            words = tuple(key if isinstance(key, str) else ", ".join(key) for key in (*self.values, *self.slopes))
            raise UnknownNameError("output or derivative", name if isinstance(name, str) else ", ".join(name), words)
        return self.values[name] if isinstance(name, str) else self.slopes[name]


class ModelDerivatives(Kinematics, LinearForm):
    """Derivatives of every model, along motions that keep all loops closed."""

    def derivatives(
        self,
        model: str,
        *,
        by: Iterable[str] | None = None,
        formulation: str = DEFAULT,
        near: ArrayLike | None = None,
        **inputs: Input,
    ) -> Derivatives:
        """Return the outputs of a model with their derivatives by its inputs, exact, on one state or many.

            out = robot.derivatives("inverse_dynamics", pose=pose, velocity=v, acceleration=a)
            out["tau", "pose"]  # (..., m, n)

        model and inputs are those of `evaluate`. by: names of inputs, by default all that are given; "parameters",
        "geometry" and "directions" need not be given, and are then the robot's. Dependent joints follow by the implicit
        function theorem: docs/derivatives.md. A single state that is no good raises; in a batch its row is NaN.

        >>> out = robot.derivatives("inverse_dynamics", pose=pose, velocity=velocity, acceleration=acceleration)
        >>> out["tau", "acceleration"].round(3)
        array([[ 0.113, -0.01 ,  0.131],
               [-0.09 ,  0.116,  0.097],
               [-0.09 , -0.138,  0.069]])
        """
        given = self.engine.given(model, inputs, near)
        names = _derivable(given) if by is None else names_of(by)
        if "parameters" in names:
            given.setdefault("parameters", self.parameters)
        if "geometry" in names:
            given.setdefault("geometry", self.geometry)
        if "directions" in names:
            given.setdefault("directions", self.directions)
        out = self.engine.outputs(model, formulation, given, names)
        status = np.asarray(out["status"], np.int32)
        if status.ndim == 0 and int(status) != Status.GOOD:
            raise self.engine.error(given, out)
        values = {name: value for name, value in out.items() if any(derivative_name(name, one) in out for one in names)}
        sizes = {name: 1 if name in NUMBERS else np.shape(given[name])[-1] for name in names if name != POSE}
        sizes[POSE] = self.degrees_of_freedom
        slopes = {
            (output, name): out[derivative_name(output, name)].reshape(*value.shape, sizes[name])
            for name in names
            for output, value in values.items()
        }
        return Derivatives(values, slopes, status)

    def casadi(
        self, model: str, *, formulation: str = DEFAULT, free: Iterable[str] = (), by: Iterable[str] = ()
    ) -> ca.Function:
        """Return a model as a casadi.Function of its variables, for optimal control and other optimisation.

        A robot of legs has its pose as a variable. A mechanism has its `configuration`; the model "closure" of
        `configuration` and `pose` is what must be zero, and "configuration_rate" its time derivative. Expressions are
        as they are, without a status, since a solver's iterates need not be states that exist; CasADi derives them to
        any order. free and by: as in `kernel`. docs/derivatives.md has an example with IPOPT.

        >>> tau = robot.casadi("inverse_dynamics")
        >>> tau(pose, velocity, acceleration)
        DM([1.77458, 0.868658, 0.521198])
        """
        return self.engine.function(asked_for(model, formulation, free, False, by))


def _derivable(given: Mapping[str, ArrayLike]) -> tuple[str, ...]:
    """Return by what a model is derived unless asked otherwise: all that is given; the pose for a configuration."""
    names = [POSE if name == "configuration" else name for name in given]
    return tuple(name for name in names if name not in NOT_DERIVED_BY)
