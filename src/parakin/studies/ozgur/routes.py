"""Forces by A Gamma + b = 0, from observed elements and from encoders: do they agree, and what do they cost?"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import casadi as ca
import numpy as np

from parakin.arrays import Array
from parakin.dynamics.count import Count, five_bar_counts
from parakin.dynamics.formulations import FORMULATIONS
from parakin.dynamics.kinematic_elements.balance import balance, solved
from parakin.dynamics.kinematic_elements.bar_legs import reducible
from parakin.dynamics.kinematic_elements.observed import elements_seen, seen
from parakin.dynamics.mechanics import mechanics
from parakin.kernels import Kernel, OperationCount
from parakin.robot import Robot, load
from parakin.studies.common import relative, workspace_states

ROBOTS = ("five_bar", "planar_3rrr", "delta", "orthoglide", "quattro", "gough_stewart", "delta_shaft")
"""The robots that [Ozgur2013] names in sec. 5 and 8, and a Delta with the shaft that turns its tool."""
BARS = ("bars as in the library", "thin uniform bars")
"""Configurations of the five-bar whose operations are counted."""
STATES = 200
"""Random states at which forces are compared."""
POSES = 5
"""Random poses at which A is compared with the Jacobian."""


@dataclass(frozen=True)
class Route:
    """How well the forces of one robot agree, and how many operations they take."""

    disagreement: float
    """Largest relative difference from the forces of the other exact formulations, observed form included."""
    matrix: float
    """Largest relative difference between A and the transposed J_qv."""
    equations: OperationCount
    """Operations of A and b from observed elements."""
    observed: OperationCount
    """Operations of A, b and the solution Gamma from observed elements."""
    regrouped: OperationCount | None
    """Operations of the regrouped form from observed elements; None for robots that have none."""
    encoders: OperationCount
    """Operations from q, q_dot, q_ddot: forward kinematics (closed form or one Newton step), then A Gamma + b = 0."""

    @property
    def trigonometric(self) -> int:
        """Sines and cosines of the route from observed elements."""
        return self.observed.trigonometric


def route_of(name: str) -> Route:
    """Compare the forces of a library robot, and count the operations of each way to them."""
    robot = load(name)
    made = mechanics(robot.description, robot.payload)
    given = seen(made.legs, made.moving.motion.planar)
    implicit = balance(made, elements_seen(made, given))
    Ab = ca.horzcat(implicit.A, implicit.b)
    equations = Kernel(ca.Function("equations", list(given.inputs.values()), [Ab], list(given.inputs), ["Ab"]))
    tau = solved(implicit).tau
    observed = Kernel(ca.Function("observed", list(given.inputs.values()), [tau], list(given.inputs), ["tau"]))
    steps = ("forward_kinematics", "platform_velocity", "platform_acceleration")
    encoders = sum((robot.kernel(step).operations for step in steps), _from_pose(robot).operations)
    regrouped = robot.kernel("inverse_dynamics_observed").operations if reducible(made) else None
    return Route(
        _disagreement(robot),
        _matrix(robot, equations),
        equations.operations,
        observed.operations,
        regrouped,
        encoders,
    )


def five_bar_routes() -> dict[str, dict[str, Count]]:
    """Return bars -> route -> operations of the five-bar, with the library's bars and with thin uniform ones."""
    library = load("five_bar")
    legs: list[dict[str, Any]] = library.description.model_dump(exclude_defaults=True)["legs"]
    for element in (element for leg in legs for element in leg["elements"]):
        for body in element["bodies"]:
            length = element["length"]
            across = body["mass"] * length**2 / 12
            body["com"] = (length / 2, 0.0, 0.0)
            body["inertia"] = ((0.0, 0.0, 0.0), (0.0, across, 0.0), (0.0, 0.0, across))
    robots = (library, library.replace(legs=legs))
    return {name: five_bar_counts(robot.description) for name, robot in zip(BARS, robots, strict=True)}


def _from_pose(robot: Robot) -> Kernel:
    return robot.kernel("inverse_dynamics", formulation="kinematic-elements")


def _disagreement(robot: Robot) -> float:
    state = workspace_states(robot, STATES, 1.0, 10.0)
    tau = robot.inverse_dynamics(*state, formulation="kinematic-elements")
    others = [name for name, row in FORMULATIONS.items() if row.exact and name != "kinematic-elements"]
    differences = [relative(robot.inverse_dynamics(*state, formulation=name), tau) for name in others]
    return max(*differences, relative(robot.inverse_dynamics_observed(robot.elements(*state)), tau))


def _matrix(robot: Robot, equations: Kernel) -> float:
    pose = robot.sample(POSES)
    still = np.zeros((POSES, robot.degrees_of_freedom))
    elements = asdict(robot.elements(pose, still, still))
    Ab: Array = equations.evaluate({socket.name: elements[socket.name] for socket in equations.inputs})["Ab"]
    return relative(np.swapaxes(Ab[..., :-1], -1, -2), robot.jacobian(pose))
