"""Least squares as the robot moves: one tick at a time, in compiled code, batched, and as C for the controller.

What is carried is the square root of the information, R and z with R p = z. Givens rotations turn rows into it,
so that nothing is subtracted and rounding stays as small as in a QR of all rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array
from parakin.identification.linear import LinearModel
from parakin.identification.states import States
from parakin.kernels import Kernel, Program, scan, stage
from parakin.kernels.c_files import CFiles
from parakin.kernels.program import Step
from parakin.kinematics.status import Status

C_STATES = 64
"""Recorded for the self-test of C code."""
STATE = ("pose", "velocity", "acceleration", "tau")


@dataclass(frozen=True, eq=False)
class Online:
    """Recursive least squares of a model.

    tick: information, pose, velocity, acceleration, tau, noise, forgetting -> information, p: one tick, for C and
    control loops; run: the same over many ticks. information: R by rows from its diagonal, then z. noise: standard
    deviation of each actuator [N or N m]. forgetting: from 0 to 1, how much of the information is left after a tick; 1
    forgets nothing and gives batch least squares. A state that is no good leaves the information as it is.
    """

    model: LinearModel
    tick: Kernel
    run: Kernel

    def start(self, values: ArrayLike | None = None, std: ArrayLike | None = None) -> Array:
        """Information that says p = values with standard deviations std; by default nothing is known."""
        k = len(self.model.names)
        known = np.zeros(k) if std is None else 1 / np.broadcast_to(np.asarray(std, float), (k,))
        p = self.model.values if values is None else np.asarray(values, float)
        return np.concatenate([np.diag(known)[np.triu_indices(k)], known * p])

    def over(self, states: States, noise: ArrayLike, *, start: Array | None = None, forgetting: float = 1.0) -> Array:
        """p after every tick (N, parameters); zero as long as nothing is known of a parameter."""
        information = self.start() if start is None else start
        given = dict(zip(STATE, (states.pose, states.velocity, states.acceleration, states.tau), strict=True))
        size = len(self.model.robot.actuator_names)
        deviations = np.broadcast_to(np.asarray(noise, float), (size,))
        return self.run(information=information, noise=deviations, forgetting=forgetting, **given)["p"]

    def to_c(self, directory: str | Path, name: str | None = None) -> CFiles:
        """Write the C99 of one tick, with a self-test on states of the robot's own box."""
        robot = self.model.robot
        states, noise = robot.sample_states(C_STATES), np.ones((C_STATES, len(robot.actuator_names)))
        tau = np.nan_to_num(robot.inverse_dynamics(*states))
        start = self.start(std=np.abs(self.model.values) + 1.0)
        information = np.broadcast_to(start, (C_STATES, len(start)))
        given = dict(zip(STATE, (*states, tau), strict=True)) | {"information": information, "noise": noise}
        return self.tick.to_c(directory, name, samples=given | {"forgetting": np.full(C_STATES, 0.99)})


def online(model: LinearModel) -> Online:
    """The steps are written out: k parameters and m actuators take about 4 m k^2 operations, best below 50."""
    update = stage(_update(model), next_information="information")
    body: tuple[Step, ...] = (*model.kernel.program.steps, update)
    name = f"{model.robot.name}_online"
    tick = Program(*body, outputs=("information", "p", "status"), name=name)
    loop = Program(scan(*body, inputs=STATE, outputs=("p",)), outputs=("information",), name=f"{name}_run")
    return Online(model, Kernel(tick, status="status"), Kernel(loop))


def _update(model: LinearModel) -> ca.Function:
    k, m = len(model.names), len(model.robot.actuator_names)
    information, rows = ca.SX.sym("information", k * (k + 1) // 2 + k), ca.SX.sym("rows", m, k + 1)
    noise, forgetting, status = ca.SX.sym("noise", m), ca.SX.sym("forgetting"), ca.SX.sym("status")
    good = ca.eq(status, Status.GOOD)
    kept = ca.if_else(good, ca.sqrt(forgetting), 1)
    R, first = list[list[ca.SX]](), 0
    for i in range(k):
        R.append([kept * information[first + j] for j in range(k - i)] + [kept * information[k * (k + 1) // 2 + i]])
        first += k - i
    for actuator in range(m):
        row = [ca.if_else(good, rows[actuator, j], 0) / noise[actuator] for j in range(k + 1)]
        turn_in(R, row)
    packed = ca.vertcat(*(entry for own in R for entry in own[:-1]), *(own[-1] for own in R))
    names = ["information", "rows", "noise", "forgetting", "status"]
    inputs = [information, rows, noise, forgetting, status]
    outputs = [packed, _solved(R)]
    return ca.Function(f"{model.robot.name}_update", inputs, outputs, names, ["next_information", "p"], {"cse": True})


def turn_in(R: list[list[ca.SX]], row: list[ca.SX]) -> None:
    """Givens rotations of each row of [R z] with the new one, until nothing of it is left of the last column."""
    for i, own in enumerate(R):
        a, b = own[0], row[i]
        length = ca.sqrt(a * a + b * b)
        nothing = ca.eq(length, 0)
        safe = ca.if_else(nothing, 1, length)
        c, s = ca.if_else(nothing, 1, a / safe), b / safe
        for j in range(len(own)):
            old, new = own[j], row[i + j]
            own[j], row[i + j] = c * old + s * new, c * new - s * old


def _solved(R: list[list[ca.SX]]) -> ca.SX:
    """R p = z from below; a parameter of which nothing is known is zero."""
    k = len(R)
    p: list[ca.SX] = [ca.SX(0)] * k
    for i in range(k - 1, -1, -1):
        rest = R[i][-1] - sum((R[i][j - i] * p[j] for j in range(i + 1, k)), ca.SX(0))
        known = ca.ne(R[i][0], 0)
        p[i] = ca.if_else(known, rest / ca.if_else(known, R[i][0], 1), 0)
    return ca.vertcat(*p)
