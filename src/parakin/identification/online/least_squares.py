"""Least squares as the robot moves: one tick at a time, in compiled code, batched, and as C for the controller.

What is carried is the square root of the information, R and z with R p = z. Givens rotations turn rows into it, so that
nothing is subtracted and rounding stays as small as in a QR of all rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array
from parakin.control.estimators.square_root import solved, turn_in
from parakin.identification.fit.linear import LinearModel
from parakin.identification.states import States
from parakin.kernels import Kernel, Program, scan, stage
from parakin.kernels.c_files import CFiles
from parakin.kernels.program import Step
from parakin.kinematics.status import Status

C_STATES = 64
"""States that are recorded for the self-test of C code."""


@dataclass(frozen=True, eq=False)
class Online:
    """Recursive least squares of a model.

        information: R by rows from its diagonal, then z
        noise:       standard deviation of each actuator's force [N or N m]
        forgetting:  part of the information that is left after a tick, from 0 to 1

    forgetting 1 forgets nothing and gives batch least squares. A state that is out of reach or singular leaves the
    information as it is, and so does a configuration of a mechanism at which loops are open.
    """

    model: LinearModel
    """The parameters that are estimated."""
    tick: Kernel
    """One tick, for C and control loops.

        information, pose, velocity, acceleration, tau, noise, forgetting -> information, p

    A mechanism's tick takes `configuration` in place of `pose`.
    """
    run: Kernel
    """Many ticks in one call: the inputs of `tick` -> information after the last tick, p after every tick."""

    def start(self, values: ArrayLike | None = None, std: ArrayLike | None = None) -> Array:
        """Return information that says p = values with standard deviations std; by default nothing is known."""
        k = len(self.model.names)
        known = np.zeros(k) if std is None else 1 / np.broadcast_to(np.asarray(std, float), (k,))
        p = self.model.values if values is None else np.asarray(values, float)
        return np.concatenate([np.diag(known)[np.triu_indices(k)], known * p])

    def over(self, states: States, noise: ArrayLike, *, start: Array | None = None, forgetting: float = 1.0) -> Array:
        """Return p after every tick (N, parameters); zero as long as nothing is known of a parameter."""
        information = self.start() if start is None else start
        size = len(self.model.robot.actuator_names)
        deviations = np.broadcast_to(np.asarray(noise, float), (size,))
        given: dict[str, Any] = {"information": information, "noise": deviations, "forgetting": forgetting}
        given.update(self.model.inputs_of(states))
        return self.run(**given)["p"]

    def to_c(self, directory: str | Path, name: str | None = None) -> CFiles:
        """Write the C99 of one tick, with a self-test on states of the robot's own box."""
        robot = self.model.robot
        pose, velocity, acceleration = robot.sample_states(C_STATES)
        tau = np.nan_to_num(robot.inverse_dynamics(pose, velocity, acceleration))
        at = robot.configuration(pose)
        inputs = self.model.inputs_of(States(np.arange(float(C_STATES)), pose, velocity, acceleration, tau, at))
        start = self.start(std=np.abs(self.model.values) + 1.0)
        information, noise = np.tile(start, (C_STATES, 1)), np.ones(tau.shape)
        samples = inputs | {"information": information, "noise": noise}
        return self.tick.to_c(directory, name, samples=samples | {"forgetting": np.full(C_STATES, 0.99)})


def online(model: LinearModel) -> Online:
    """Build recursive least squares for a model.

    The steps are written out: k parameters and m actuators take about 4 m k^2 operations, best below 50 parameters.
    """
    update = stage(_update(model), next_information="information")
    body: tuple[Step, ...] = (*model.kernel.program.steps, update)
    name = f"{model.robot.name}_online"
    tick = Program(*body, outputs=("information", "p", "status"), name=name)
    loop = Program(scan(*body, inputs=model.state_inputs, outputs=("p",)), outputs=("information",), name=f"{name}_run")
    single = ("forgetting",)
    return Online(model, Kernel(tick, status="status", numbers=("status", *single)), Kernel(loop, numbers=single))


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
    packed = ca.vertcat(*(entry for row_of_R in R for entry in row_of_R[:-1]), *(row_of_R[-1] for row_of_R in R))
    names = ["information", "rows", "noise", "forgetting", "status"]
    inputs = [information, rows, noise, forgetting, status]
    outputs = [packed, solved(R)]
    return ca.Function(f"{model.robot.name}_update", inputs, outputs, names, ["next_information", "p"], {"cse": True})
