"""The linear form of eq. (45), and what the lumping behind it costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from parakin.arrays import Array
from parakin.description import library
from parakin.dynamics.actuation import actuator_forces
from parakin.dynamics.count import paper_count
from parakin.dynamics.mechanics import frictionless, mechanics
from parakin.dynamics.simplified import lumped_form
from parakin.errors import UnsupportedRobotError
from parakin.kernels import Kernel
from parakin.robot import Robot, load
from parakin.studies.common import percent, rms, without_friction, workspace_states
from parakin.trajectory import pick_and_place
from parakin.trajectory.states import State

STATES = 2000
ACCELERATIONS = np.geomspace(0.3, 300.0, 16)
"""[m/s^2]"""
TRAVEL = 0.15
"""[m] Half the box: a state that has speed has what its acceleration gives over this way, v = sqrt(a TRAVEL)."""
CYCLES = (2.0, 1.4, 1.0, 0.8, 0.6, 0.5, 0.43, 0.38, 0.34, 0.3)
"""[s] Of the pick-and-place; a Delta takes about 0.4 s."""
FAST = 0.43
"""[s]"""
HEAVIER = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Times the forearms' mass."""
TYPICAL = (1.0, 10.0)
"""[m/s, m/s^2] At which robots are compared."""


@dataclass(frozen=True)
class LumpedDelta:
    """Psi (..., 3, 7) of eq. (45) as a function of states, and p."""

    kernel: Kernel
    p: Array

    def Psi(self, state: State) -> Array:
        return self.kernel(*state)["Psi"]


def lumped(robot: Robot) -> LumpedDelta:
    made = frictionless(mechanics(robot.description, robot.payload))
    form, moving = lumped_form(made), made.moving
    inputs = {"pose": moving.pose, "velocity": moving.velocity, "acceleration": moving.acceleration}
    function = ca.Function("lumped", list(inputs.values()), [ca.densify(form.Psi)], list(inputs), ["Psi"])
    return LumpedDelta(Kernel(function), np.array(ca.evalf(form.p), float).ravel())


def eq_45(robot: Robot, state: State) -> Array:
    """Psi written out from q, q_ddot and J alone: g cos q_i, q_ddot_i, J^T (x_ddot - G)."""
    q, q_ddot = robot.inverse_kinematics(state.pose), robot.actuator_acceleration(*state)
    J: Array = np.asarray(np.linalg.inv(robot.jacobian(state.pose)), float)
    G = np.array(robot.description.gravity)
    Psi = np.zeros((len(q), 3, 7))
    for k in range(3):
        Psi[:, k, 2 * k] = np.linalg.norm(G) * np.cos(q[:, k])
        Psi[:, k, 2 * k + 1] = q_ddot[:, k]
    Psi[:, :, 6] = np.einsum("nij,ni->nj", J, state.acceleration - G)
    return Psi


@dataclass(frozen=True)
class Losses:
    """Errors of the lumped model [% of the exact torques' rms], at peak accelerations [m/s^2]."""

    acceleration: Array
    rms: Array
    largest: Array


def workspace_losses(robot: Robot, moving: bool) -> Losses:
    """At states all over the box; moving: with speed, or at rest."""
    found = [
        _loss(robot, workspace_states(robot, STATES, np.sqrt(a * TRAVEL) if moving else 0.0, float(a)))
        for a in ACCELERATIONS
    ]
    return Losses(ACCELERATIONS, *np.array(found).T)


def cycle_losses(robot: Robot) -> Losses:
    """Along the pick-and-place, from leisurely to fast."""
    found: list[tuple[float, float]] = []
    peaks: list[float] = []
    for cycle in CYCLES:
        samples = pick_and_place(robot, cycle=cycle).sampled(400 / cycle)
        peaks.append(float(np.linalg.norm(samples.acceleration, axis=1).max()))
        found.append(_loss(robot, State(samples.pose, samples.velocity, samples.acceleration)))
    return Losses(np.array(peaks), *np.array(found).T)


def forearm_losses(robot: Robot) -> Array:
    """With forearms HEAVIER than they are; typical states [%]."""
    return np.array([_loss(_with_forearms(robot, factor), typical_states(robot))[0] for factor in HEAVIER])


def robot_losses() -> dict[str, float]:
    """Of every library robot whose legs end in bars, at typical states [%]."""
    found: dict[str, float] = {}
    for name in library():
        robot = without_friction(load(name))
        try:
            found[name] = _loss(robot, typical_states(robot))[0]
        except UnsupportedRobotError:
            continue
    return dict(sorted(found.items(), key=lambda item: item[1]))


def typical_states(robot: Robot) -> State:
    return workspace_states(robot, 500, *TYPICAL)


def fitted_loss(robot: Robot, form: LumpedDelta) -> tuple[float, float]:
    """Errors with thirds, and with p of eq. (45) fitted to the exact torques of the same states [% rms]."""
    state = workspace_states(robot, STATES, *TYPICAL)
    tau, Psi = robot.inverse_dynamics(*state), form.Psi(state)
    p = fitted(Psi, tau)
    return percent(Psi @ form.p - tau, tau), percent(Psi @ p - tau, tau)


def fitted(Psi: Array, tau: Array) -> Array:
    """p of least squares, Psi p = tau."""
    found: Any = np.linalg.lstsq(Psi.reshape(-1, Psi.shape[-1]), tau.ravel(), rcond=None)
    return found[0]


def jacobian_share(robot: Robot) -> tuple[int, int]:
    """Operations of J = J_qv^-1 from a pose, and of all of Psi from pose, q_ddot and x_ddot."""
    made = frictionless(mechanics(robot.description, robot.payload))
    moving, form = made.moving, lumped_form(made)
    q_ddot = ca.SX.sym("q_ddot", 3)
    Psi = ca.densify(form.Psi)
    for k in range(3):
        Psi[k, 2 * k + 1] = q_ddot[k]
    f = ca.SX.sym("f", 3)
    lifted = actuator_forces(moving.J_qv, f, ca.SX.zeros(3)).tau

    def operations(inputs: dict[str, ca.SX], out: ca.SX) -> int:
        found = paper_count(ca.Function("counted", list(inputs.values()), [out], list(inputs), ["out"], {"cse": True}))
        return found.additions + found.multiplications + found.square_roots

    state = {"pose": moving.pose, "acceleration": moving.acceleration, "q_ddot": q_ddot}
    return operations({"pose": moving.pose, "f": f}, lifted), operations(state, Psi)


def _loss(robot: Robot, state: State) -> tuple[float, float]:
    exact = robot.inverse_dynamics(*state)
    error = robot.inverse_dynamics(*state, formulation="simplified") - exact
    return percent(error, exact), 100 * float(np.abs(error).max()) / rms(exact)


def _with_forearms(robot: Robot, factor: float) -> Robot:
    legs: list[dict[str, Any]] = robot.description.model_dump(exclude_defaults=True)["legs"]
    for body in (body for leg in legs for body in leg["elements"][-1]["bodies"]):
        body["mass"] *= factor
        body["inertia"] = (factor * np.array(body["inertia"])).tolist()
    return robot.replace(legs=legs)
