"""Operations in the columns of [Ozgur2013] Table 3, for two arms in a plane; how the paper counts is not said."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from parakin.description import Leg, RobotDescription, Vector, expanded_legs
from parakin.dynamics.kinematic_elements.balance import balance, solved
from parakin.dynamics.kinematic_elements.encoders import encoded, measured, refuse_others
from parakin.dynamics.kinematic_elements.observed import elements_seen, seen
from parakin.dynamics.kinematic_elements.reduced import reduced_tau
from parakin.dynamics.mechanics import Mechanics, mechanics
from parakin.kernels import Kernel
from parakin.motions import TRANSLATION


@dataclass(frozen=True)
class Count:
    """Operations in the columns of [Ozgur2013] Table 3. Constants, comparisons, signs and selections are free."""

    additions: int
    """Additions, subtractions and negations."""
    multiplications: int
    """Multiplications, squares and divisions."""
    square_roots: int = 0
    """Square roots."""
    trigonometric: int = 0
    """Sines, cosines and their inverses."""

    @property
    def total(self) -> int:
        """Additions and multiplications."""
        return self.additions + self.multiplications

    def within(self, other: Count) -> bool:
        """Return whether there are no more additions and no more multiplications than in another count."""
        return self.additions <= other.additions and self.multiplications <= other.multiplications


PAPER = {"observed": Count(404, 656), "encoders": Count(484, 778, 0, 4)}
"""What [Ozgur2013] Table 3 prints, by where the state comes from."""


def paper_count(function: ca.Function) -> Count:
    """Count the operations that the outputs of a function need, constants folded and nothing computed twice."""
    counted = Kernel(function).operations
    multiplications = counted.multiplications + counted.divisions
    return Count(counted.additions, multiplications, counted.square_roots, counted.trigonometric)


def five_bar_counts(description: RobotDescription) -> dict[str, Count]:
    """Return what tau of a five-bar costs, by where its state comes from; statuses are not counted.

    In three dimensions the plane is not one of the base's: all components of all vectors are there.
    """
    flat = mechanics(description, None)
    refuse_others(flat)
    tilted, q = mechanics(turned(description), None), measured(flat)
    inputs = {"q": q.q, "q_dot": q.q_dot, "q_ddot": q.q_ddot}
    functions = {
        "observed elements, 3-D": _observed(tilted, False, True),
        "observed elements, planar": _observed(flat, True, True),
        "encoders": _function(inputs, encoded(flat, q).tau),
        "observed elements by A Gamma + b = 0, 3-D": _observed(tilted, False, False),
        "observed elements by A Gamma + b = 0, planar": _observed(flat, True, False),
    }
    return {label: paper_count(function) for label, function in functions.items()}


def _observed(subject: Mechanics, flat: bool, reduced: bool) -> ca.Function:
    observed = seen(subject.legs, flat)
    forces = reduced_tau(subject, observed) if reduced else solved(balance(subject, elements_seen(subject, observed)))
    return _function(observed.inputs, forces.tau)


def _function(inputs: dict[str, ca.SX], tau: ca.SX) -> ca.Function:
    return ca.Function("counted", list(inputs.values()), [tau], list(inputs), ["tau"], {"cse": True})


TURN = np.array([[2.0, 3.0, 6.0], [3.0, -6.0, 2.0], [6.0, 2.0, -3.0]]) / 7
"""A rotation after which no component of the plane's normal is zero or equals another, so that none comes free."""


def turned(description: RobotDescription) -> RobotDescription:
    """Return the robot with its plane turned in space, its tip a point with three components."""
    legs = tuple(_turned(leg) for leg in expanded_legs(description))
    changes = {"legs": legs, "gravity": _rotated(description.gravity), "motion": TRANSLATION.name}
    return description.model_copy(update=changes)


def _turned(leg: Leg) -> Leg:
    """Only what is given in base axes: the second element's axis is in the frame of the first."""
    arm, bar = leg.elements
    assert arm.joint.axis is not None and arm.actuator is not None and arm.actuator.reference is not None  # noqa: PT018
    joint = arm.joint.model_copy(update={"axis": _rotated(arm.joint.axis)})
    actuator = arm.actuator.model_copy(update={"reference": _rotated(arm.actuator.reference)})
    attachment = leg.attachment.model_copy(update={"b": _rotated(leg.attachment.b), "c": _rotated(leg.attachment.c)})
    elements = (arm.model_copy(update={"joint": joint, "actuator": actuator}), bar)
    changes = {"root": _rotated(leg.root), "elements": elements, "attachment": attachment, "symmetry": None}
    return leg.model_copy(update=changes)


def _rotated(vector: Vector) -> Vector:
    x, y, z = (TURN @ np.array(vector)).tolist()
    return x, y, z
