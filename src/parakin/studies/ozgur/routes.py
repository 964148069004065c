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
from parakin.studies.ozgur.transcribed import transcribed_count

ROBOTS = ("five_bar", "planar_3rrr", "delta", "orthoglide", "quattro", "gough_stewart", "delta_shaft")
"""The robots that [Ozgur2013] names in sec. 5 and 8, and a Delta with the shaft that turns its tool."""
PRINTED = "eqs. (29) to (65), line by line"
"""Name of the transcription among the routes of the five-bar."""
STATES = 200
"""Random states at which forces are compared."""
POSES = 5
"""Random poses at which A is compared with the Jacobian, and at which directions of elements are differentiated."""
UNSEEN = 1e-9
"""Singular value, beside the largest, below which a motion of the platform leaves all directions as they are."""


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
    unseen: int
    """Motions of the platform, at most at a pose, that turn no element."""

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
        unseen_motions(robot),
    )


def five_bar_routes() -> dict[str, Count]:
    """Return route -> operations of the five-bar with uniform bars; eqs. (29) to (65) as printed among them."""
    uniform = uniform_five_bar().description
    return five_bar_counts(uniform) | {PRINTED: transcribed_count(uniform)}


def uniform_five_bar() -> Robot:
    """Return the library's five-bar with thin uniform bars, as [Ozgur2013] sec. 5.2 has it."""
    library = load("five_bar")
    legs: list[dict[str, Any]] = library.description.model_dump(exclude_defaults=True)["legs"]
    for element in (element for leg in legs for element in leg["elements"]):
        for body in element["bodies"]:
            length = element["length"]
            across = body["mass"] * length**2 / 12
            body["com"] = (length / 2, 0.0, 0.0)
            body["inertia"] = ((0.0, 0.0, 0.0), (0.0, across, 0.0), (0.0, 0.0, across))
    return library.replace(legs=legs)


def unseen_motions(robot: Robot) -> int:
    """Return how many motions of the platform leave the directions of all elements as they are, at most at a pose."""
    n = robot.degrees_of_freedom
    pose = np.repeat(robot.sample(POSES), n, axis=0)
    velocity = np.tile(np.eye(n), (POSES, 1))
    x_dot = robot.elements(pose, velocity, 0 * velocity).x_dot.reshape(POSES, n, -1)
    sizes = np.linalg.svd(x_dot, compute_uv=False)
    return int((sizes < UNSEEN * sizes[:, :1]).sum(axis=1).max())


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
