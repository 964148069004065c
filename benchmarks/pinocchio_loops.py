"""A mechanism's tree in Pinocchio, and its loops closed around it as a good user would write it.

    J t = 0,  t = S u,  J_d S_d = -J_u        J_d t_dot_d = -J_u u_dot - (drift)        Q = S^T rnea(q, t, t_dot)

The rows J are the velocities of both ends of every cut ball beside each other, in base axes; the drift is their
acceleration while the tree coasts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin  # pyright: ignore[reportMissingModuleSource] cmeel installs it out of pyright's sight
from numpy.typing import NDArray
from scipy.linalg.lapack import dgesv, dgetrs

from parakin.arrays import Array
from parakin.mechanism.kinds import Move
from parakin.mechanism.numeric import loop_rows, posture
from parakin.mechanism.plan import Plan
from parakin.mechanism.skeleton import BASE_LINK, Place
from parakin.robot import Robot

Bodies = dict[int, list[tuple[float, Array, Array]]]
"""The bodies of each link as (mass, centre, tensor) in its frame."""


def bodies_of(mechanism: Robot) -> Bodies:
    """The bodies of each link that moves."""
    bodies: Bodies = {}
    for body, place in zip(mechanism.graph_description.bodies, mechanism.plan.skeleton.bodies, strict=True):
        tensor = place.R @ np.array(body.inertia) @ place.R.T
        bodies.setdefault(place.link, []).append((body.mass, place.p + place.R @ np.array(body.com), tensor))
    return {k: v for k, v in bodies.items() if k != BASE_LINK}


def pinocchio_tree(plan: Plan, inertias: Bodies) -> pin.Model:
    """The tree of a plan as a Pinocchio model."""
    kinds = {Move.TURN: pin.JointModelRZ, Move.SLIDE: pin.JointModelPZ, Move.BALL: pin.JointModelSpherical}
    model = pin.Model()
    model.gravity.linear = np.array(plan.skeleton.description.gravity)
    for k, link in enumerate(plan.skeleton.links):
        moves = link.joint.kind.moves
        joint = pin.JointModelFreeFlyer() if link.joint.type == "free" else kinds[moves[0][0]]()
        place = pin.SE3(np.array(link.inner.R), np.array(link.inner.p))
        index = model.addJoint(0 if link.inner.link == BASE_LINK else link.inner.link + 1, joint, place, f"link{k}")
        for mass, centre, tensor in inertias.get(k, []):
            model.appendBodyToJoint(index, pin.Inertia(mass, centre, tensor), pin.SE3.Identity())
    return model


def projection(plan: Plan, configuration: Array) -> Array:
    """Velocities of the tree for unit independent velocities (velocities, n), by numpy."""
    _, J = loop_rows(plan.skeleton, configuration)
    S = np.zeros((plan.skeleton.velocities, len(plan.independent)))
    rows, columns = list(plan.pivots.rows), list(plan.pivots.columns)
    S[list(plan.independent)] = np.eye(len(plan.independent))
    S[columns] = -np.linalg.solve(J[np.ix_(rows, columns)], J[np.ix_(rows, plan.independent)])
    return S


def pinocchio_configuration(plan: Plan, c: Array) -> Array:
    """Coordinates of a configuration in Pinocchio's order: quaternions end with w."""
    parts: list[Array] = []
    for link in plan.skeleton.links:
        values = c[link.coordinate : link.coordinate + len(link.joint.kind.home)]
        parts.append(np.concatenate([values[:-4], values[-3:], values[-4:-3]]) if len(values) >= 4 else values)
    return np.concatenate(parts)


def pinocchio_velocities(plan: Plan, c: Array, S: Array) -> Array:
    """Velocities in Pinocchio's coordinates: those of a floating body along its own axes."""
    result, at = S.copy(), posture(plan.skeleton, c)
    for k, link in enumerate(plan.skeleton.links):
        if link.joint.type == "free":
            result[link.velocity : link.velocity + 3] = at.R[k].T @ S[link.velocity : link.velocity + 3]
            if link.floats:
                span = slice(link.velocity + 3, link.velocity + 6)
                result[span] = at.R[k].T @ S[span]
    return result


@dataclass(frozen=True)
class ClosedTree:
    """Forces of one state by Pinocchio, from the tree's configuration, which is given, and independent velocities."""

    model: Any
    """The tree, with a frame at both ends of every cut ball."""
    data: Any
    """What Pinocchio computes."""
    ends: tuple[tuple[int, int], ...]
    """Frames of every cut ball on its parent and on its child."""
    dependent: NDArray[np.intp]
    """Numbers of velocities that the loops determine."""
    independent: NDArray[np.intp]
    """Numbers of the independent velocities."""

    def forces(self, q: Array, u: Array, u_dot: Array) -> Array:
        """Forces on the independent velocities."""
        model, data, axes = self.model, self.data, pin.LOCAL_WORLD_ALIGNED
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacements(model, data)
        jacobian = pin.getFrameJacobian
        J = np.vstack([jacobian(model, data, c, axes)[:3] - jacobian(model, data, p, axes)[:3] for p, c in self.ends])
        S = np.zeros((model.nv, len(u)))
        S[self.independent] = np.eye(len(u))
        factors, pivots, S[self.dependent], _ = dgesv(J[:, self.dependent], -J[:, self.independent])
        t = S @ u
        pin.forwardKinematics(model, data, q, t, np.zeros(model.nv))
        moving = pin.getFrameClassicalAcceleration
        drift = [moving(model, data, c, axes).linear - moving(model, data, p, axes).linear for p, c in self.ends]
        t_dot = S @ u_dot
        t_dot[self.dependent] -= dgetrs(factors, pivots, np.concatenate(drift))[0]
        return S.T @ pin.rnea(model, data, q, t, t_dot)


def closed_tree(plan: Plan, bodies: Bodies) -> ClosedTree:
    """A mechanism whose cut joints are balls and whose independent velocities are not those of a floating link."""
    skeleton = plan.skeleton
    assert all(cut.joint.position_rows == (0, 1, 2) and not cut.joint.kind.orientation_rows for cut in skeleton.cuts)
    floating = [range(link.velocity, link.velocity + 6) for link in skeleton.links if link.joint.type == "free"]
    assert not any(k in span for k in plan.independent for span in floating)
    model = pinocchio_tree(plan, bodies)

    def frame(name: str, place: Place) -> int:
        at = pin.SE3(np.array(place.R), np.array(place.p))
        return model.addFrame(pin.Frame(name, place.link + 1, at, pin.FrameType.OP_FRAME))

    ends = tuple((frame(f"{c.joint.name}.in", c.parent), frame(f"{c.joint.name}.out", c.child)) for c in skeleton.cuts)
    independent = np.array(plan.independent, np.intp)
    dependent = np.setdiff1d(np.arange(model.nv), independent)
    return ClosedTree(model, model.createData(), ends, dependent, independent)
