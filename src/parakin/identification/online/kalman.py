"""Kalman filters of parameters, tick by tick: compiled, batched, and as C. The root of the covariance is carried."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array
from parakin.control.estimators.square_root import (
    covariance_of_root,
    diagonal,
    drifted,
    measured,
    moved,
    packed,
    root_of_deviations,
    unpacked,
)
from parakin.dynamics.friction import smooth_sign
from parakin.dynamics.leg_equation import LegEquation
from parakin.errors import UnsupportedRobotError
from parakin.identification.fit.linear import LinearModel
from parakin.kernels import Kernel, Program, scan, stage
from parakin.kernels.c_files import CFiles
from parakin.kernels.program import Step
from parakin.kinematics.model import Model, program_of
from parakin.kinematics.status import Status
from parakin.robot import leg_description
from parakin.robot.base_parameters import base_mechanics

SMOOTHING = 0.01
"""Rate over which the sign in Coulomb friction is smoothed [rad/s or m/s], for the extended filter differentiates it.
"""


@dataclass(frozen=True, eq=False)
class KalmanFilter:
    """A Kalman filter of parameters.

        random_walk  pose, velocity, acceleration, tau, noise, drift, p, root -> p, root
        extended     q, tau, noise, drift, pose, velocity, p, root -> pose, velocity, p, root

        noise   standard deviation of each actuator's force [N or N m], or position [m or rad]
        drift   standard deviation by which each entry of the state walks in a tick
        root    root of the covariance, by columns from their diagonals

    The state is p, or p, pose, velocity. A pose that is out of reach or singular leaves all as it was. Of a mechanism
    `random_walk` takes the configuration in place of the pose.
    """

    model: LinearModel
    """The parameters that are estimated."""
    size: int
    """Number of entries of the state."""
    tick: Kernel
    """One tick, for C and control loops."""
    run: Kernel
    """Many ticks in one call; gives p and root after every tick."""

    def root(self, std: ArrayLike) -> Array:
        """Return the root of a covariance with these standard deviations and no correlation.

        >>> watching = pk.identification.random_walk(model)
        >>> watching.root(0.1 * np.ones(watching.size)).shape
        (190,)
        """
        deviations = np.broadcast_to(np.asarray(std, float), (self.size,))
        return root_of_deviations(deviations)

    def covariance(self, root: ArrayLike) -> Array:
        """Return the covariance (..., size, size) of a root (..., size (size + 1)/2).

        >>> watching = pk.identification.random_walk(model)
        >>> watching.covariance(watching.root(0.1 * np.ones(watching.size))).shape
        (19, 19)
        """
        return covariance_of_root(root, self.size)

    def to_c(self, directory: str | Path, name: str | None = None, *, samples: dict[str, Array]) -> CFiles:
        """Write the C99 of one tick, with a self-test on these inputs.

        >>> watching = pk.identification.random_walk(model)
        >>> one, n = states[0], watching.size
        >>> inputs = {"pose": one.pose[:40], "velocity": one.velocity[:40], "acceleration": one.acceleration[:40]}
        >>> same = {"noise": np.ones(2), "drift": np.zeros(n), "p": model.values, "root": watching.root(np.ones(n))}
        >>> inputs |= {"tau": one.tau[:40]} | {name: np.tile(value, (40, 1)) for name, value in same.items()}
        >>> watching.to_c("c", samples=inputs).source.name
        'five_bar_kalman.c'
        """
        return self.tick.to_c(directory, name, samples=samples)


def random_walk(model: LinearModel) -> KalmanFilter:
    """Build a filter for parameters that may change, with forces as measurements.

    tau = known + Psi p + noise,   p_next = p + drift

    >>> watching = pk.identification.random_walk(model)
    >>> watching.size == len(model.names)
    True
    """
    k, m = len(model.names), len(model.robot.actuator_names)
    p, root, rows = ca.SX.sym("p", k), ca.SX.sym("root", k * (k + 1) // 2), ca.SX.sym("rows", m, k + 1)
    noise, drift = ca.SX.sym("noise", m), ca.SX.sym("drift", k)
    S, x = unpacked(root, k), p
    for j in range(m):
        psi = [rows[j, i] for i in range(k)]
        expected = ca.dot(ca.vertcat(*psi), x)
        x = x + measured(S, psi, noise[j]) * (rows[j, k] - expected)
    drifted(S, ca.vertsplit(drift))
    inputs = {"p": p, "root": root, "rows": rows, "noise": noise, "drift": drift}
    step = _held(f"{model.robot.name}_walk", inputs, {"p": x, "root": packed(S)})
    body = (*model.kernel.program.steps, step)
    return _filter(model, k, body, ("p", "root"), model.state_inputs)


def extended(model: LinearModel, period: float) -> KalmanFilter:
    """Build a filter with encoders as measurements and forward dynamics between them: no log has to be differentiated.

        q_k = q(pose_k) + noise,   pose_dot = velocity,   velocity_dot = M(p)^-1 (J_qv^T tau_k - h(p))

    by the midpoint rule over a period [s] in which tau is held; F is its derivative. For base parameters of robots that
    do not turn about several axes; the steps are written out, so best below 25 parameters.

    >>> watching = pk.identification.extended(model, period=1e-3)
    >>> watching.size == len(model.names) + 4  # parameters, pose and velocity
    True
    """
    robot, base = model.robot, model.base
    description = leg_description(robot, "the extended filter")
    if base is None or robot.motion_type.quaternion is not None:
        reason = "the extended filter needs base parameters and a platform that turns about one axis at most"
        raise UnsupportedRobotError(robot.name, reason)
    made, p = base_mechanics(robot, base, sign=lambda rate: smooth_sign(rate, SMOOTHING))
    moving = made.moving
    n, k, m = robot.degrees_of_freedom, len(model.names), moving.q.shape[0]
    size = k + 2 * n
    tau, q, noise = ca.SX.sym("tau", m), ca.SX.sym("q", m), ca.SX.sym("noise", m)
    drift, root = ca.SX.sym("drift", size), ca.SX.sym("root", size * (size + 1) // 2)
    S, x = unpacked(root, size), ca.vertcat(p, moving.pose, moving.velocity)
    correction = ca.SX.zeros(size)
    for j in range(m):
        h = [ca.SX(0)] * k + ca.horzsplit(moving.J_qv[j, :]) + [ca.SX(0)] * n
        correction += measured(S, h, noise[j]) * (q[j] - moving.q[j] - ca.dot(ca.vertcat(*h), correction))
    x = x + correction
    symbols = [p, moving.pose, moving.velocity, tau]
    acceleration = ca.Function("acceleration", symbols, [LegEquation(made).forward_dynamics(tau)])
    following = _midpoint(acceleration, symbols, period)
    after = following(x[:k], x[k : k + n], x[k + n :], tau)
    next_S = moved(S, after[1], after[2], diagonal(ca.vertsplit(drift)))
    inputs = {"q": q, "tau": tau, "noise": noise, "drift": drift}
    states = {"pose": moving.pose, "velocity": moving.velocity, "p": p, "root": root}
    next_state = {"pose": after[0][:n], "velocity": after[0][n:], "p": x[:k], "root": packed(next_S)}
    program = program_of(
        "extended",
        Model(inputs | states, {f"found_{name}": value for name, value in next_state.items()}),
        moving,
        description,
    )
    next_symbols = {f"found_{name}": ca.SX.sym(f"found_{name}", value.shape[0]) for name, value in states.items()}
    symbols = {name: ca.SX.sym(name, value.shape[0]) for name, value in states.items()}
    hold = _held(f"{robot.name}_hold", symbols | next_symbols, {name: next_symbols[f"found_{name}"] for name in states})
    return _filter(model, size, (*program.steps, hold), ("pose", "velocity", "p", "root"), ("q", "tau"))


def _midpoint(acceleration: ca.Function, symbols: list[ca.SX], period: float) -> ca.Function:
    """p, pose, velocity, tau -> [pose; velocity] a period later, its derivatives by p and by [pose; velocity]."""
    p, pose, velocity, tau = symbols
    half = velocity + period / 2 * acceleration(p, pose, velocity, tau)
    later = acceleration(p, pose + period / 2 * velocity, half, tau)
    after = ca.vertcat(pose + period * half, velocity + period * later)
    A, B = ca.jacobian(after, p), ca.jacobian(after, ca.vertcat(pose, velocity))
    return ca.Function("midpoint", symbols, [after, ca.densify(A), ca.densify(B)])


def _held(name: str, inputs: dict[str, ca.SX], outputs: dict[str, ca.SX]) -> Step:
    """A step whose outputs replace the inputs of the same name, unless the pose is out of reach or singular."""
    status = ca.SX.sym("status")
    good = ca.eq(status, Status.GOOD)
    values = [ca.if_else(good, value, inputs[key]) for key, value in outputs.items()]
    names = [f"next_{key}" for key in outputs]
    function = ca.Function(name, [*inputs.values(), status], values, [*inputs, "status"], names, {"cse": True})
    return stage(function, **{f"next_{key}": key for key in outputs})


def _filter(
    model: LinearModel, size: int, body: tuple[Step, ...], carried: tuple[str, ...], measurements: tuple[str, ...]
) -> KalmanFilter:
    name = f"{model.robot.name}_kalman"
    tick = Program(*body, outputs=(*carried, "status"), name=name)
    loop = Program(scan(*body, inputs=measurements, outputs=("p", "root")), outputs=carried[:-2], name=f"{name}_run")
    return KalmanFilter(model, size, Kernel(tick, status="status", numbers=("status",)), Kernel(loop, numbers=()))
