"""A robot's graph around a pose, in numbers for many configurations at once: what searches for singularities look at.

Velocities count without units, lengths in sizes of the graph; distances are lengths of offsets of the pose,

    |dp|^2 + length^2 |rotation vector|^2      under the root, with the robot's `length`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parakin.analysis.singularities.singularity import UniversalRoot, universal_roots
from parakin.arrays import Array, frozen_arrays
from parakin.mechanism.assembling import null_space, scales
from parakin.mechanism.platform_parts import is_pin
from parakin.mechanism.skeleton import BASE_LINK, Place
from parakin.mechanism.twists import claimed_twists
from parakin.motions.offsets import frame_at, offset_between
from parakin.poses import quaternion_from_matrix
from parakin.robot import Robot

if TYPE_CHECKING:
    from parakin.kernels import Kernel, Program

DIFFERENCE = 1e-5
"""Step of the differences that give slopes of the conditions [rad, and lengths in sizes]; their error is its square."""


@frozen_arrays
class Seen:
    """What the graph is like at configurations (N, c)."""

    rows: Array
    """The closing conditions, free of units (N, m)."""
    J: Array
    """Their Jacobian, free of units (N, m, v)."""
    twist: Array
    """Twist of the output at its origin for each velocity, lengths in sizes (N, 6, v)."""
    p: Array
    """Origin of the output (N, 3) [m]."""
    R: Array
    """Its axes (N, 3, 3)."""
    coordinates: Array
    """The graph's own pose (N, k): its independent coordinates."""
    across: Array
    """x cross a of each universal joint at a root, its line and its axis 1 (N, joints, 3)."""
    roots: Array
    """Where each of these joints is [m], its line x and its axis 2 (N, joints, 9)."""


class Chart:
    """The graph of a robot around a pose."""

    def __init__(self, robot: Robot, start: Array) -> None:
        from parakin.kernels import Derivation, Kernel

        self.robot, self.start = robot, start
        self.plan = robot.graph.plan
        self.tree = self.plan.skeleton
        self.of_rows, self.of_columns = scales(self.tree)
        self.roots = universal_roots(robot.description, robot.graph_description) if robot.legs else ()
        content = robot.graph.content(f"singularities {[(one.body, one.carrier) for one in self.roots]}")
        self._seen: Kernel = Kernel(Derivation(content, lambda: _program(robot, self.roots)))
        self._step: Kernel = Kernel(Derivation(robot.graph.content("steps"), lambda: _stepping(robot)))
        self.metric = np.array(robot.motion_type.scale(robot.length))
        self.pin = bool(robot.legs) and is_pin(robot.description, robot.legs)
        self._held = np.zeros((0, 6))
        if robot.legs:
            claimed = claimed_twists(robot.motion_type)[: 3 if self.pin else 6]
            self._held = null_space(claimed.T, 0.5).T
            self._p_start = frame_at(robot.motion_type, start)[0]

    def at(self, configurations: Array) -> Seen:
        """Return what the graph is like at configurations (N, c)."""
        out = {name: np.asarray(value) for name, value in self._seen(configuration=configurations).items()}
        count, size, m = len(configurations), self.tree.size, len(self.of_rows)
        lengths = np.array([1 / size] * 3 + [1.0] * 3)[:, None]
        return Seen(
            out["rows"].reshape(count, -1)[:, :m] * self.of_rows,
            out["J"].reshape(count, m + 1, -1)[:, :m] * self.of_rows[:, None] * self.of_columns,
            out["twist"].reshape(count, 6, -1) * lengths * self.of_columns,
            out["p"].reshape(count, 3),
            out["R"].reshape(count, 3, 3),
            out["coordinates"].reshape(count, -1),
            out["across"].reshape(count, -1, 3)[:, : len(self.roots)],
            out["roots"].reshape(count, -1, 9)[:, : len(self.roots)],
        )

    def off_motion(self, seen: Seen) -> tuple[Array, Array]:
        """Return how far the platform is from its type of motion (N, k), and its rates for each velocity (N, k, v).

        Where a platform gains a motion its graph can leave that type, and close its loops in another one.
        """
        if not self.robot.legs:
            return seen.rows[:, :0], seen.J[:, :0]
        turn = seen.R - np.swapaxes(seen.R, 1, 2)
        turned = 0.5 * np.stack([turn[:, 2, 1], turn[:, 0, 2], turn[:, 1, 0]], axis=1)
        away = np.concatenate([(seen.p - self._p_start) / self.tree.size, turned], axis=1)
        size = self._held.shape[1]
        return away[:, :size] @ self._held.T, self._held @ seen.twist[:, :size]

    def pose_rates(self, seen: Seen) -> Array:
        """Return how the pose moves for each velocity (N, n, v), in the metric of distances [m]."""
        if self.robot.legs:
            turning = np.array([self.tree.size] * 3 + [self.robot.length] * 3)[:, None]
            return claimed_twists(self.robot.motion_type).T @ (turning * seen.twist)
        chosen = np.eye(self.tree.velocities)[list(self.plan.independent)] * self.of_columns
        return np.broadcast_to(self.metric[:, None] * chosen, (len(seen.rows), *chosen.shape))

    def poses(self, seen: Seen) -> Array:
        """Return the robot's poses (N, coordinates); an angle of the platform within half a turn of the start's."""
        if not self.robot.legs:
            return seen.coordinates
        motion = self.robot.motion_type
        places = seen.p[:, list(motion.linear)]
        if motion.quaternion is not None:
            return np.concatenate([places, quaternion_from_matrix(seen.R)], axis=1)
        if not motion.turns:
            return places
        turn: Array = np.arctan2(seen.R[:, 1, 0], seen.R[:, 0, 0]) - self.start[-1]
        near: Array = self.start[-1] + turn - 2 * np.pi * np.round(turn / (2 * np.pi))
        return np.column_stack([places, near])

    def offsets(self, seen: Seen) -> Array:
        """Return how far poses are from the start (N, n), in the metric of distances [m]."""
        return offset_between(self.robot.motion_type, self.start, self.poses(seen)) * self.metric

    def short(self, offsets: Array) -> Array:
        """Return offsets (..., n), in the metric of distances, with whole turns of a platform's angle left out."""
        motion = self.robot.motion_type
        if motion.of_joints or motion.quaternion is not None or not motion.turns:
            return offsets
        whole = 2 * np.pi * self.metric[-1]
        result = np.array(offsets)
        result[..., -1] -= whole * np.round(result[..., -1] / whole)
        return result

    def stepped(self, configurations: Array, steps: Array) -> Array:
        """Return configurations (N, c) after steps (N, v) of velocities without units."""
        return np.asarray(self._step(configuration=configurations, step=steps * self.of_columns)["stepped"])

    def around(self, configuration: Array) -> Array:
        """Return the configurations (2 v, c) a small step of each velocity ahead of one (c,), and then behind it."""
        steps = DIFFERENCE * np.eye(self.tree.velocities)
        both = np.concatenate([steps, -steps])
        return self.stepped(np.broadcast_to(configuration, (len(both), len(configuration))), both)


def slopes(values: Array) -> Array:
    """Return derivatives (..., v) by the velocities, from values (2 v, ...) at the configurations of `Chart.around`."""
    ahead, behind = np.split(values, 2)
    return np.moveaxis((ahead - behind) / (2 * DIFFERENCE), 0, -1)


def _program(robot: Robot, roots: tuple[UniversalRoot, ...]) -> Program:
    """The program from a configuration to everything that `Seen` has."""
    import casadi as ca

    from parakin.kernels import Program
    from parakin.kinematics.graph.closing import coordinates_of_pose
    from parakin.kinematics.graph.loops import graph_motion
    from parakin.kinematics.graph.rod_frames import file_bodies
    from parakin.kinematics.graph.rows import twist_columns

    moving = graph_motion(robot.graph.plan)
    tree, output = moving.plan.skeleton, moving.plan.skeleton.output
    frame, bodies = moving.standing.at(output), file_bodies(tree, moving.standing)
    twist = ca.SX.zeros(6, tree.velocities)
    ground = Place(BASE_LINK, np.zeros(3), np.eye(3))
    for k, (v, w) in twist_columns(tree, moving.standing, ground, output, frame.p).items():
        twist[:, k] = ca.vertcat(v, w)
    elements = [bodies[one.body] for one in roots]
    across = [
        ca.cross(element.spin.R[:, 0], bodies[one.carrier].spin.R @ ca.DM(one.axis))
        for one, element in zip(roots, elements, strict=True)
    ]
    placed = [ca.vertcat(element.p, element.spin.R[:, 0], element.spin.R[:, 1]) for element in elements]
    outputs = {  # a last row of zeros each, for a kernel has no empty output
        "rows": ca.vertcat(moving.rows.values, 0),
        "J": ca.vertcat(ca.densify(moving.rows.J), ca.SX.zeros(1, tree.velocities)),
        "twist": twist,
        "p": frame.p,
        "R": frame.spin.R,
        "coordinates": coordinates_of_pose(moving.plan, moving.c),
        "across": ca.horzcat(*across, ca.SX.zeros(3)).T,
        "roots": ca.horzcat(*placed, ca.SX.zeros(9)).T,
    }
    name = f"{robot.name}_singularities"
    function = ca.Function(name, [moving.c], list(outputs.values()), ["configuration"], list(outputs), {"cse": True})
    return Program(function, outputs=tuple(outputs), name=name)


def _stepping(robot: Robot) -> Program:
    """The program from a configuration and a step of velocities to the next configuration."""
    import casadi as ca

    from parakin.kernels import Program
    from parakin.kinematics.graph.closing import stepped

    tree, name = robot.graph.plan.skeleton, f"{robot.name}_steps"
    c, step = ca.SX.sym("configuration", tree.coordinates), ca.SX.sym("step", tree.velocities)
    function = ca.Function(name, [c, step], [stepped(tree, c, step)], ["configuration", "step"], ["stepped"])
    return Program(function, outputs=("stepped",), name=name)
