"""Slopes of objectives and constraints by a study's parameters, through the exact model.

A model's expressions are composed with those of the design, and derived by CasADi; quantities give their own slopes by
the outputs of models. The worst of many values has the slope of the value that is worst.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.design.designs import MODEL_OUTPUTS, is_kinematic
from parakin.design.lanes import Lanes
from parakin.design.quantities import QUANTITIES, Quantity
from parakin.design.sampling import bounds_of
from parakin.design.study import Wanted
from parakin.errors import DesignError
from parakin.kernels import Kernel
from parakin.kinematics.geometry import shaped_by
from parakin.kinematics.robot_motion import robot_motion

Indices = NDArray[np.intp]
"""Numbers of poses or channels."""
REACH = "reach"
"""Name under which it is asked how far legs are from closing."""
DIFFERENCE = 1e-4
"""Step of central differences, of the range of a parameter: large against rounding, small against curvature."""
MOST_ROWS = 48
"""Values of a quantity that are followed at once: those next to the worst."""


@frozen_arrays
class Linear:
    """A quantity at a point: values, of which the worst counts, and their slopes."""

    values: Array
    """Values (rows,)."""
    slopes: Array
    """Slopes by the parameters (rows, parameters)."""


class Slopes:
    """Values and slopes of what a study wants, at one point; refuses what is counted and has no slope.

    values: gives values (designs, rows) of what is wanted at points (designs, parameters), the worst of which counts.
    """

    def __init__(self, lanes: Lanes, names: tuple[str, ...], values: Callable[[str, Array], Array]) -> None:
        self._lanes, self._subject, self._values = lanes, lanes.subject, values
        self._kernels: dict[str, Kernel] = {}
        for name in names:
            self._refuse(name)

    def _refuse(self, name: str) -> None:
        study, subject = self._subject.study, self._subject
        quantity = QUANTITIES[subject.wanted[name].of]
        assert subject.variation is not None
        turned = subject.robot.motion_type.quaternion
        if quantity.over == "volume":
            reason = 'is counted pose by pose and has no slope: take method = "evolution"'
            raise DesignError(study.name, ((f"optimise: {name}", f"{quantity.name} {reason}"),))
        if quantity.over == "region" and turned is not None and not subject.variation.home[turned].is_constant():
            reason = 'home turns with the parameters, of which no slopes are known: take method = "evolution"'
            raise DesignError(study.name, (("optimise", reason),))

    def at(self, name: str, x: Array) -> Linear:
        """Return values of an objective or a constraint next to its worst, with slopes; one value for a mean."""
        wanted = self._subject.wanted[name]
        quantity = QUANTITIES[wanted.of]
        if quantity.over == "design":
            return self._of_design(x)
        if quantity.sloped is None:
            return self._by_differences(name, x)
        state = self._state(quantity.over, x)
        outputs = {
            key: value[None] for model in quantity.models for key, value in self._outputs(model, x, state).items()
        }
        values = quantity.sloped.values(outputs, self._subject.scale)[0]
        if (wanted.reduce or "worst") == "worst":
            return self._worst(quantity, outputs, values)
        return self._averaged(quantity, wanted, outputs, values)

    def _by_differences(self, name: str, x: Array) -> Linear:
        """Return the values of a quantity without slopes of its own: central differences, all points at once.

        The mean and the root of the mean square are one value; of the worst all poses are, for which one is may change.
        """
        lower, upper = bounds_of(self._subject.study)
        h = DIFFERENCE * (upper - lower)
        around = np.concatenate([x[None], x + np.diag(h), x - np.diag(h)])
        values = self._values(name, around)
        slopes = ((values[1 : 1 + len(x)] - values[1 + len(x) :]).T / (2 * h)).reshape(values.shape[1], len(x))
        quantity = QUANTITIES[self._subject.wanted[name].of]
        order = np.argsort(-values[0] if quantity.goal == "least" else values[0], kind="stable")[:MOST_ROWS]
        return Linear(values[0][order], slopes[order])

    def _of_design(self, x: Array) -> Linear:
        variation = self._subject.variation
        assert variation is not None
        function = ca.Function("mass", [variation.x], [variation.mass, ca.jacobian(variation.mass, variation.x)])
        value, slope = function(x)
        return Linear(np.array([float(value)]), np.array(slope).reshape(1, -1))

    def limits(self, over: Iterable[str], x: Array) -> Iterator[Linear]:
        """Yield what may not rise above zero at poses of the cycle or the region: reach, strokes and joint limits."""
        robot = self._subject.robot
        for poses in over:
            state = self._state(poses, x)
            yield self._next_to_limit(self._outputs(REACH, x, state), "excess", 1.0, np.zeros(1))
            for model, name, bounds in (
                ("inverse_kinematics", "q", robot.strokes),
                ("joint_coordinates", "coordinate", robot.joint_limits),
            ):
                if bounds.any:
                    outputs = self._outputs(model, x, state)
                    yield self._next_to_limit(outputs, name, 1.0, bounds.upper)
                    yield self._next_to_limit(outputs, name, -1.0, bounds.lower)

    def _next_to_limit(self, outputs: dict[str, Array], name: str, sign: float, bound: Array) -> Linear:
        """Return the values of sign (output - bound) that are largest, with slopes."""
        beyond = sign * (outputs[name] - bound)
        flat = beyond.ravel()
        order = np.argsort(-flat, kind="stable")[:MOST_ROWS]
        order = order[np.isfinite(flat[order])]
        return Linear(flat[order], sign * outputs[f"{name}_by_x"].reshape(flat.size, -1)[order])

    def _state(self, over: str, x: Array) -> dict[str, Array]:
        """Return the states (poses, ...) of the cycle or the region at a point, and its home."""
        home = self._lanes.designs(x[None]).home
        home = home if home.ndim == 1 else home[0, 0]
        if over == "cycle":
            state = dict(zip(("pose", "velocity", "acceleration"), self._subject.cycle, strict=True))
            return state | {"home": np.zeros(0)}
        return {"pose": self._subject.poses(home, self._subject.region), "home": home}

    def _outputs(self, model: str, x: Array, state: dict[str, Array]) -> dict[str, Array]:
        """Return the output of a model (poses, ...), and its slopes as output_by_x (poses, entries, parameters)."""
        kernel = self._kernel(model, follows_home=bool(state["home"].size))
        point = x if len(x) > 1 else x[0]  # a single number has no axis
        inputs = {one.name: point if one.name == "x" else state[one.name] for one in kernel.inputs}
        return {name: np.asarray(value) for name, value in kernel.evaluate(inputs).items()}

    def _kernel(self, model: str, *, follows_home: bool) -> Kernel:
        """The kernel of a model and its slopes; poses that are offsets from home move with it."""
        key = f"{model}{follows_home}"
        if key not in self._kernels:
            variation = self._subject.variation
            assert variation is not None
            free = tuple(name for name in self._lanes.free if not (is_kinematic(model) and name == "parameters"))
            function = self._function(model, free)
            names = [name for name in function.name_in() if name not in free]
            symbols = {name: ca.SX.sym(name, *function.size_in(name)) for name in names}
            given: dict[str, ca.SX] = symbols | {name: variation.inputs[name] for name in free}
            inputs = {"x": variation.x, **symbols}
            if follows_home:
                inputs["home"] = ca.SX.sym("home", variation.home.shape[0])
                given["pose"] = symbols["pose"] + (variation.home - inputs["home"])
            output = MODEL_OUTPUTS[model]
            value = function(**given)[output]
            slopes = ca.densify(ca.jacobian(ca.vec(value.T), variation.x))
            outputs = {output: value, f"{output}_by_x": slopes}
            made = ca.Function(
                f"{model}_slopes", list(inputs.values()), list(outputs.values()), list(inputs), list(outputs)
            )
            self._kernels[key] = Kernel(made, matrices=(f"{output}_by_x", *([output] if value.shape[1] > 1 else [])))
        return self._kernels[key]

    def _function(self, model: str, free: tuple[str, ...]) -> ca.Function:
        """The expressions of a model; of REACH how far each leg is from closing [m], positive where it cannot."""
        robot = self._subject.robot
        if model != REACH:
            return robot.casadi(model, free=free)
        shaped = shaped_by(robot.description, free)
        moving = robot_motion(shaped.moved)
        inputs = {"pose": moving.pose, **shaped.inputs}
        return ca.Function(REACH, list(inputs.values()), [moving.excess], list(inputs), ["excess"])

    def _worst(self, quantity: Quantity, outputs: dict[str, Array], values: Array) -> Linear:
        flat = values.ravel()
        order = np.argsort(-flat if quantity.goal == "least" else flat, kind="stable")[:MOST_ROWS]
        poses, channels = np.unravel_index(order, values.shape)
        return Linear(flat[order], self._chained(quantity, outputs, poses, channels))

    def _averaged(self, quantity: Quantity, wanted: Wanted, outputs: dict[str, Array], values: Array) -> Linear:
        poses, channels = (one.ravel() for one in np.indices(values.shape))
        slopes = self._chained(quantity, outputs, poses, channels)
        if wanted.reduce == "mean":
            return Linear(np.array([values.mean()]), slopes.mean(axis=0, keepdims=True))
        root = np.sqrt((values**2).mean())
        return Linear(np.array([root]), (values.ravel() @ slopes / (values.size * root))[None])

    def _chained(self, quantity: Quantity, outputs: dict[str, Array], poses: Indices, channels: Indices) -> Array:
        """Return slopes (rows, parameters) of values at some poses and channels: d value/d output · d output/dx."""
        plain = {name: value[0][poses][:, None] for name, value in outputs.items()}
        result = np.zeros((len(poses), len(self._subject.study.parameters)))
        assert quantity.sloped is not None
        for name, slope in quantity.sloped.slopes(plain, self._subject.scale, channels).items():
            result += np.einsum("re,rex->rx", slope.reshape(len(poses), -1), plain[f"{name}_by_x"][:, 0])
        return result
