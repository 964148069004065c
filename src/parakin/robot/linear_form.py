"""Methods of a robot about the linear form tau = Psi p: parameters, regressors, base parameters."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array, read_only
from parakin.dynamics.choices import DEFAULT
from parakin.errors import KernelInputError
from parakin.kernels.arguments import as_array, whole_number
from parakin.robot.core import RobotCore
from parakin.robot.engine import Asked

if TYPE_CHECKING:
    from parakin.dynamics.linear_models import Estimated, LinearPart
    from parakin.dynamics.parameters import Parameter
    from parakin.kernels import Kernel
    from parakin.robot.base_parameters import BaseParameters
    from parakin.robot.base_parameters.sharing import Sharing
    from parakin.robot.triangle import Triangle

BLOCK = 1000
"""States taken at a time: 10 MB of a hexapod's regressor. 500 and 2000 take as long."""


class LinearKernels(NamedTuple):
    """Kernels of forces that are linear in some parameters, tau = known + Psi p; `run_at` evaluates them."""

    rows: Kernel
    """Gives rows [Psi, tau - known] (m, parameters + 1) of velocity, acceleration and tau."""
    residual: Kernel
    """Gives the `remainder` tau - known - Psi p (m,) of velocity, acceleration, tau and p, without making Psi."""
    friction: Kernel | None
    """Gives the columns of Psi that are friction, of the velocity; None where none were asked for."""


class LinearForm(RobotCore):
    """The dynamic parameters p of a robot, and what is linear in them."""

    @functools.cached_property
    def parameter_table(self) -> tuple[Parameter, ...]:
        """Every dynamic parameter with owner, quantity, unit and value: bodies, actuators, joints, what is carried."""
        return self.engine.parameters()

    @functools.cached_property
    def parameters(self) -> Array:
        """The vector p of the linear form tau = Psi p, in the order of `parameter_table`; read-only."""
        return read_only([parameter.value for parameter in self.parameter_table])

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of the dynamic parameters, such as leg1.arm.Izz."""
        return tuple(parameter.name for parameter in self.parameter_table)

    def regressor(
        self,
        pose: ArrayLike,
        velocity: ArrayLike,
        acceleration: ArrayLike,
        *,
        reference_velocity: ArrayLike | None = None,
        near: ArrayLike | None = None,
    ) -> Array:
        """Return Psi (..., m, parameters) with Psi @ robot.parameters = tau, columns named by `parameter_names`.

        With a reference velocity v_r: Psi p = J_qv^-T (M a + C(v) v_r + g) and friction. Springs of a mechanism are not
        in it, and accelerations of its freedoms without a motor are taken as given.

        >>> Psi = robot.regressor(pose, velocity, acceleration)
        >>> np.allclose(Psi @ robot.parameters, robot.inverse_dynamics(pose, velocity, acceleration))
        True
        """
        return self.engine.call(
            "regressor" if reference_velocity is None else "regressor_reference",
            near=near,
            pose=pose,
            velocity=velocity,
            acceleration=acceleration,
            reference_velocity=reference_velocity,
        )["Psi"]

    def regressors(
        self,
        pose: Array,
        velocity: Array,
        acceleration: Array,
        gravity: Array | None = None,
        smoothing: Array | None = None,
    ) -> Array:
        """Return Psi of a batch of states; gravity: accelerations of free fall (..., 3), or None for the robot's.

        smoothing: the rate in `friction.smooth_sign`, which then takes the place of sign(rate) in Coulomb friction.

        >>> poses, velocities, accelerations = robot.sample_states(100)
        >>> robot.regressors(poses, velocities, accelerations, gravity=np.array([0, 0, -1.62])).shape
        (100, 3, 70)
        """
        return self.engine.call(
            "regressor",
            pose=pose,
            velocity=velocity,
            acceleration=acceleration,
            gravity=gravity,
            smoothing=smoothing,
        )["Psi"]

    # What identification asks --------------------------------------------------------------------------------------

    def linear_kernels(self, estimated: Estimated, friction: Sequence[int] = ()) -> LinearKernels:
        """Return kernels of forces that are linear in some parameters: tau = known + Psi p.

        estimated: which parameters p are. friction: those of them that are friction, whose columns are wanted alone.

        >>> kernels = robot.linear_kernels(robot.base_parameters().places)
        >>> [(socket.name, socket.shape) for socket in kernels.rows.outputs[:1]]
        [('rows', (3, 23))]
        """
        from parakin.kernels import Derivation

        programs, columns = self.engine.linear_programs(estimated), tuple(friction)

        def kernel(part: LinearPart, *matrices: str) -> Kernel:
            content = self.engine.content(
                Asked(f"linear_{part}", DEFAULT, (), self.engine.place_input == "configuration", ())
            )
            derivation = Derivation(repr((content, estimated, columns)), lambda: programs(part, columns))
            return self.engine.kernel_of(derivation, matrices)

        columns_of_friction = kernel("friction", "columns") if columns else None
        return LinearKernels(kernel("rows", "rows"), kernel("residual"), columns_of_friction)

    def run_at(self, kernel: Kernel, configuration: Array, **inputs: ArrayLike) -> dict[str, Array]:
        """Return the outputs of one of the `linear_kernels` at configurations (..., c), poses of a robot of legs.

        >>> rows = robot.linear_kernels("payload").rows
        >>> inputs = {"velocity": velocity, "acceleration": acceleration, "tau": np.zeros(3)}
        >>> robot.run_at(rows, np.array(pose), **inputs)["rows"].shape
        (3, 11)
        """
        return kernel.evaluate({self.engine.place_input: configuration, **inputs})

    def known_forces(self, pose: ArrayLike, *, near: ArrayLike | None = None) -> Array | float:
        """Return what no parameter changes of tau at poses: the forces (..., m) that hold springs, 0 without any.

        >>> leg = pk.load("four_bar_leg")  # which has a spring
        >>> leg.known_forces(leg.home).round(3)
        array([-2.16,  3.36])
        """
        start = None if near is None else as_array(self.name, "near", near)
        return self.engine.known_forces(as_array(self.name, "pose", pose), start)

    def spin_inertia(self, owner: str) -> float:
        """Return the inertia about its line of a body that has no parameter for it [kg m^2].

        >>> robot.spin_inertia("leg1.forearm.rod_a")
        0.0
        """
        return self.engine.spin_inertia(owner)

    def regressor_triangle(
        self,
        pose: ArrayLike,
        velocity: ArrayLike,
        acceleration: ArrayLike,
        tau: ArrayLike | None = None,
        *,
        base: BaseParameters | None = None,
        block: int = BLOCK,
        progress: Callable[[int], None] | None = None,
    ) -> Triangle:
        """Return R of [Psi tau] = Q R over many states (count, ...), block by block: memory does not grow with count.

        base: takes only the columns of these. block: states taken at a time, a whole number of at least 1. progress:
        called after each block with the number of states so far. States that are no good are skipped and counted.

        >>> base = robot.base_parameters()
        >>> triangle = robot.regressor_triangle(*robot.sample_states(5000), base=base)
        >>> triangle.R.shape, triangle.rows
        ((22, 22), 15000)
        """
        from parakin.robot.triangle import triangle_of

        given = {"pose": pose, "velocity": velocity, "acceleration": acceleration}
        state: dict[str, Array] = {name: as_array(self.name, name, values) for name, values in given.items()}
        measured = None if tau is None else as_array(self.name, "tau", tau)
        whole = whole_number(self.name, "block", block, 1)
        sizes = {"pose": len(self.home), "tau": len(self.actuator_names)}
        sizes |= dict.fromkeys(("velocity", "acceleration"), self.degrees_of_freedom)
        for name, values in (state if measured is None else state | {"tau": measured}).items():
            if values.shape != (len(state["pose"]) if state["pose"].ndim else 0, sizes[name]):
                expected = f"an array of shape (count, {sizes[name]}) with the same count for all"
                raise KernelInputError(self.name, name, expected, f"shape {values.shape}")

        def rows(first: int) -> Array:
            some = slice(first, first + whole)
            given = self.engine.given("regressor", {name: values[some] for name, values in state.items()}, None)
            Psi = self.engine.outputs("regressor", DEFAULT, given)["Psi"]
            Psi_b = Psi if base is None else base.columns(Psi)
            return Psi_b if measured is None else np.concatenate([Psi_b, measured[some, :, None]], axis=-1)

        columns = (len(self.parameters) if base is None else base.rank) + (measured is not None)
        return triangle_of((rows(first) for first in range(0, len(state["pose"]), whole)), columns, progress)

    def base_parameters(self, *, shared: Sharing = False, gravity: str | None = None, seed: int = 0) -> BaseParameters:
        """Return the fewest combinations of parameters that the forces depend on, dependencies through loops included.

        shared: what identical legs have in common: False for nothing, True for all parameters, "bodies" for all but
        friction and rotors, which differ even between drives of one kind; a mechanism has no legs. gravity: None for
        the robot's, "general" for parameters that matter in any direction of it. seed: decides the random states.

        >>> base = robot.base_parameters()
        >>> len(robot.parameters), base.rank  # numbers in the file, and combinations that forces depend on
        (70, 22)
        """
        from parakin.robot.base_parameters import base_parameters

        return base_parameters(self, self.parameter_table, shared=shared, gravity=gravity, seed=seed)
