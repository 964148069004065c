"""What the models of a mechanism start from, and what each of them is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca

from parakin.dynamics.graph.mechanics import GraphMechanics
from parakin.kinematics.graph.loops import GraphMotion


@dataclass(frozen=True)
class Subject:
    """A mechanism with the symbols that its models take besides the state."""

    mechanics: GraphMechanics
    """The mechanism and what acts on it."""
    extras: Mapping[str, ca.SX]
    """Symbols of what was freed, by name."""
    p: ca.SX
    """Its parameters: symbols where a model is asked for them, else numbers."""
    given: Mapping[str, ca.SX]
    """Symbols from which formulas give the configuration, or the rest of it; none where it is a symbol itself."""

    @property
    def moving(self) -> GraphMotion:
        """The mechanism in motion."""
        return self.mechanics.moving


@dataclass(frozen=True)
class GraphModel:
    """Expressions with the inputs that they take besides the configuration."""

    inputs: Mapping[str, ca.SX]
    """Symbols by name, in the order of a call."""
    outputs: Mapping[str, ca.SX]
    """What it gives, by name; NaN where the status is not GOOD."""
    pivot: ca.SX | None = None
    """A number that is zero where the motors lose hold, if the model divides by such a number."""


def velocity_of(subject: Subject) -> dict[str, ca.SX]:
    """Return the inputs of a model that takes a velocity."""
    return {"velocity": subject.moving.u}


def motion_of(subject: Subject) -> dict[str, ca.SX]:
    """Return the inputs of a model that takes a velocity and an acceleration."""
    return {"velocity": subject.moving.u, "acceleration": subject.moving.u_dot}
