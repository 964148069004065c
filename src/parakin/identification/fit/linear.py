"""What is estimated: forces that are linear in some parameters, tau = known + Psi p, as one compiled kernel."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.dynamics.linear_models import Estimated
from parakin.dynamics.mechanics import mechanics
from parakin.dynamics.parameters import BODY_UNITS, PAYLOAD, Label, Quantity
from parakin.dynamics.simplified import nacelle_form
from parakin.errors import UnsupportedRobotError
from parakin.identification.fit.triangles import triangle
from parakin.identification.states import States
from parakin.kernels import Kernel
from parakin.robot import Robot, leg_description
from parakin.robot.base_parameters import BaseParameters
from parakin.robot.base_parameters.sharing import Sharing
from parakin.robot.triangle import triangle_of

NO_PART = 1e-9
"""Factor in a sum of parameters, relative to the largest, below which a parameter has no part in it."""
START_STATES = 500
"""Random states from which a model's triangle `start` is made."""


class FrictionColumns(NamedTuple):
    """Columns of Psi of the joints with Coulomb friction: lever sign(rate) and lever rate."""

    coulomb: Array
    """Columns of Coulomb friction (N, actuators, joints)."""
    viscous: Array
    """Columns of viscous friction of the same joints (N, actuators, joints); infinite where it is no parameter."""


@frozen_arrays
class LinearModel:
    """Named parameters p of a robot with tau = known + Psi p."""

    robot: Robot
    """The robot whose parameters they are; values that are not estimated are those of its file."""
    title: str
    """What the parameters are, in words."""
    names: tuple[str, ...]
    """Name of each parameter; that of a base parameter is written out, with all that is grouped in it."""
    labels: tuple[Label, ...]
    """Owner, quantity and unit of each parameter; those of a base parameter's representative."""
    values: Array
    """Value of each parameter in the robot file (parameters,), in `units`."""
    kernel: Kernel
    """Takes pose (of a mechanism: configuration), velocity, acceleration, tau; gives [Psi, tau - known] (actuators,
    parameters + 1)."""
    residual_kernel: Kernel
    """Takes these and p and gives tau - known - Psi p (actuators,), without making Psi."""
    friction_kernel: Kernel | None
    """Takes pose or configuration and velocity and gives the columns of Psi that are Coulomb friction, and after them
    those of viscous friction of the same joints; None where there are none."""
    start: Array
    """Triangle (parameters + 1, parameters + 1) of such rows at random states: Psi start^-1 is neither large nor small.
    """
    base: BaseParameters | None = None
    """The base parameters, where p are base parameters."""
    shared: Sharing = False
    """What identical legs have in common."""

    @property
    def units(self) -> tuple[str, ...]:
        """Unit of each parameter."""
        return tuple(label.unit for label in self.labels)

    @cached_property
    def never_negative(self) -> NDArray[np.bool_]:
        """Whether no machine has a negative value of a parameter (parameters,).

        That is so of masses, moments of inertia about an axis, rotors and friction, and of sums of such with positive
        factors; not of sums with first moments or with negative factors.
        """
        if self.base is None:
            return np.array([label.quantity.is_never_negative for label in self.labels])
        either = np.array([not one.quantity.is_never_negative for one in self.robot.parameter_table])
        sizes = np.abs(self.base.map).max(axis=1, keepdims=True)
        takes_part = np.abs(self.base.map) > NO_PART * sizes
        return ~np.any(takes_part & (either | (self.base.map < 0)), axis=1)

    def rows(self, states: States) -> Array:
        """Return [Psi, tau - known] (N, actuators, parameters + 1); NaN where a pose is out of reach or singular.

        >>> rows = model.rows(states[0])
        >>> rows.shape == (*states[0].tau.shape, len(model.names) + 1)
        True
        """
        return self._at(self.kernel, states, velocity=states.velocity, **_forces(states))["rows"]

    def residuals(self, states: States, p: Array) -> Array:
        """Return tau - known - Psi p (N, actuators) [N or N m]; NaN where a pose is out of reach or singular.

        >>> residuals = model.residuals(states[0], model.values)
        >>> float(np.sqrt(np.mean(residuals**2))) < 0.05  # N m
        True
        """
        return self._at(self.residual_kernel, states, velocity=states.velocity, **_forces(states), p=p)["remainder"]

    @property
    def coulomb(self) -> list[int]:
        """The parameters that are Coulomb friction, by number."""
        return _coulomb(self.labels)

    def friction_columns(self, states: States) -> FrictionColumns:
        """Return the columns of Psi that are friction of joints with Coulomb friction; NaN as in `rows`.

        >>> columns = model.friction_columns(states[0])
        >>> columns.coulomb.shape == columns.viscous.shape == (*states[0].tau.shape, len(model.coulomb))
        True
        """
        if self.friction_kernel is None:
            none = np.zeros((len(states), len(self.robot.actuator_names), 0))
            return FrictionColumns(none, none)
        columns = self._at(self.friction_kernel, states, velocity=states.velocity)["columns"]
        partners = _viscous_partners(self.labels)
        coulomb = columns[..., : len(partners)]
        viscous = np.full_like(coulomb, np.inf)
        viscous[..., [place is not None for place in partners]] = columns[..., len(partners) :]
        return FrictionColumns(coulomb, viscous)

    @property
    def state_inputs(self) -> tuple[str, str, str, str]:
        """What `kernel` takes, by name: the pose, or a mechanism's configuration; velocity, acceleration, tau.

        >>> model.state_inputs
        ('pose', 'velocity', 'acceleration', 'tau')
        """
        return self.kernel.inputs[0].name, "velocity", "acceleration", "tau"

    def inputs_of(self, states: States) -> dict[str, Array]:
        """Return what `kernel` takes at states, by name; configurations are searched for if states have none.

        >>> list(model.inputs_of(states[0])) == list(model.state_inputs)
        True
        """
        values = self._places(states), states.velocity, states.acceleration, states.tau
        return dict(zip(self.state_inputs, values, strict=True))

    def _places(self, states: States) -> Array:
        """The configurations of states, of legs their poses."""
        known = states.configuration
        return self.robot.configurations(states.pose) if known is None else known

    def _at(self, kernel: Kernel, states: States, **inputs: Array) -> dict[str, Array]:
        """The outputs of a kernel at states."""
        return self.robot.run_at(kernel, self._places(states), **inputs)


def _forces(states: States) -> dict[str, Array]:
    return {"acceleration": states.acceleration, "tau": states.tau}


@frozen_arrays
class _Names:
    """A title, and names, labels and values in the robot file of parameters."""

    title: str
    names: tuple[str, ...]
    labels: tuple[Label, ...]
    values: Array


def base_model(robot: Robot, *, shared: Sharing = False) -> LinearModel:
    """Build the model of the base parameters of the exact dynamics, friction and rotors among them.

    shared: what identical legs have in common. "bodies" is right for real machines, whose drives differ; True takes
    friction and rotors to be alike as well.

    >>> model = pk.identification.base_model(robot, shared="bodies")
    >>> len(model.names) < len(robot.parameters)
    True
    """
    base = robot.base_parameters(shared=shared)
    named = _Names("base parameters", base.names, base.representatives, base.values)
    return replace(_assembled(robot, base.places, named), base=base, shared=shared)


def nacelle_model(robot: Robot) -> LinearModel:
    """Build the simplified model of [Vivas2003] eq. (13): the parameters of its Table 1, and friction of the drives.

    >>> pk.identification.nacelle_model(pk.load("h4")).names[:2]
    ('leg1.arm.I_mot', 'leg2.arm.I_mot')
    """
    made = mechanics(leg_description(robot, "the model 'nacelle'"), robot.payload)
    form = nacelle_form(made)
    home = ca.Function("at_home", [made.moving.pose], [form.p])(robot.home)
    values = np.asarray(home, float).ravel()
    return _assembled(robot, "nacelle", _labelled("nacelle", form.labels, values))


def payload_model(robot: Robot) -> LinearModel:
    """Build the model of the ten parameters of a payload, everything else being as in the robot file.

    Of the ten columns a motion shows some: those without effect are reported as such.

    >>> len(pk.identification.payload_model(robot).names)
    10
    """
    labels = tuple(Label(PAYLOAD, quantity, unit) for quantity, unit in BODY_UNITS.items())
    return _assembled(robot, "payload", _labelled("payload", labels, np.array(robot.payload.about_E)))


def _labelled(title: str, labels: tuple[Label, ...], values: Array) -> _Names:
    return _Names(title, tuple(label.name for label in labels), labels, values)


def _coulomb(labels: tuple[Label, ...]) -> list[int]:
    return [k for k, label in enumerate(labels) if label.quantity is Quantity.COULOMB]


def _viscous_partners(labels: tuple[Label, ...]) -> list[int | None]:
    """The viscous friction of each joint with Coulomb friction, by number; None where it is no parameter."""
    places = {label.owner: k for k, label in enumerate(labels) if label.quantity is Quantity.VISCOUS}
    return [places.get(labels[k].owner) for k in _coulomb(labels)]


def _assembled(robot: Robot, estimated: Estimated, named: _Names) -> LinearModel:
    actuators, freedom = len(robot.actuator_names), robot.degrees_of_freedom
    if actuators != freedom:
        reason = f"identification needs as many actuators as degrees of freedom, not {actuators} for {freedom}"
        raise UnsupportedRobotError(robot.name, reason)
    friction = [*_coulomb(named.labels), *(k for k in _viscous_partners(named.labels) if k is not None)]
    kernels = robot.linear_kernels(estimated, friction)
    return LinearModel(
        robot=robot,
        title=named.title,
        names=named.names,
        labels=named.labels,
        values=named.values,
        kernel=kernels.rows,
        residual_kernel=kernels.residual,
        friction_kernel=kernels.friction,
        start=_start(robot, kernels.rows, len(named.names)),
    )


def _start(robot: Robot, kernel: Kernel, count: int) -> Array:
    """The triangle of Psi at random states; a column without length gets one, and forces have the size they have."""
    state = robot.sample_states(START_STATES)
    tau = robot.inverse_dynamics(*state)
    pose, velocity, acceleration = state
    inputs = {"velocity": velocity, "acceleration": acceleration, "tau": np.nan_to_num(tau)}
    rows = robot.run_at(kernel, robot.configuration(pose), **inputs)["rows"]
    lengths = np.sqrt(np.nansum(rows**2, axis=(0, 1)))
    lengths[count] = np.sqrt(np.nansum(tau**2))
    lengths[lengths == 0.0] = 1.0
    R = triangle_of([rows[..., :count] / lengths[:count]], count).R
    U = triangle(np.concatenate([R, 1e-6 * np.eye(count)]))
    start = np.zeros((count + 1, count + 1))
    start[:count, :count] = U * lengths[:count]
    start[count, count] = lengths[count]
    return start
