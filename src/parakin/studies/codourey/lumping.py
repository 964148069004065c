"""The linear form of [Codourey1997] eq. (45), and what the lumping behind it costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.description import library
from parakin.dynamics.count import paper_count
from parakin.dynamics.mechanics import actuator_forces, frictionless, mechanics
from parakin.dynamics.simplified import lumped_form
from parakin.errors import UnsupportedRobotError
from parakin.kernels import Kernel
from parakin.robot import Robot, load
from parakin.studies.common import percent, relative, rms, without_friction, workspace_states
from parakin.trajectory import pick_and_place
from parakin.trajectory.states import State

STATES = 2000
"""Number of random states over the workspace."""
ACCELERATIONS = np.geomspace(0.3, 300.0, 16)
"""Accelerations of the plate at which losses are measured [m/s^2]."""
TRAVEL = 0.15
"""Half the box [m]: states that move have the speed that goes with their acceleration, v = sqrt(a TRAVEL)."""
CYCLES = (2.0, 1.4, 1.0, 0.8, 0.6, 0.5, 0.43, 0.38, 0.34, 0.3)
"""Durations of the pick-and-place cycle [s]; a Delta takes about 0.4 s."""
FAST = 0.43
"""The entry of CYCLES that the finding on fast pick-and-place quotes [s]."""
FOREARMS = {
    "forearms as in the library": 1.0,
    "forearms of a quarter": 0.25,
    "forearms of half": 0.5,
    "forearms of twice": 2.0,
    "forearms of four times": 4.0,
}
"""Configurations of the Delta: name -> factor on the mass of its forearms."""
TYPICAL = (1.0, 10.0)
"""Speed [m/s] and acceleration [m/s^2] at which robots are compared."""


@frozen_arrays(eq=True)
class LumpedDelta:
    """The linear form tau = Psi p of a Delta whose forearms are lumped into points, [Codourey1997] eq. (45)."""

    kernel: Kernel
    """Computes Psi from pose, velocity and acceleration."""
    p: Array
    """(7,) First moment [kg m] and inertia [kg m^2] of each arm with its lump, and mass of plate and lumps [kg]."""

    def Psi(self, state: State) -> Array:
        """Return Psi (..., 3, 7) at states."""
        return self.kernel(*state)["Psi"]


def lumped(robot: Robot) -> LumpedDelta:
    """Compile the linear form of a Delta with lumped forearms and without friction."""
    made = frictionless(mechanics(robot.description, robot.payload))
    form, moving = lumped_form(made), made.moving
    inputs = {"pose": moving.pose, "velocity": moving.velocity, "acceleration": moving.acceleration}
    function = ca.Function("lumped", list(inputs.values()), [ca.densify(form.Psi)], list(inputs), ["Psi"])
    return LumpedDelta(Kernel(function), np.array(ca.evalf(form.p), float).ravel())


def eq_45(robot: Robot, state: State) -> Array:
    """Write out Psi (N, 3, 7) from q, q_ddot and J alone: g cos q_i, q_ddot_i and J^T (x_ddot - G), J = J_qv^-1."""
    q, q_ddot = robot.inverse_kinematics(state.pose), robot.actuator_acceleration(*state)
    J: Array = np.asarray(np.linalg.inv(robot.jacobian(state.pose)), float)
    G = np.array(robot.description.gravity)
    Psi = np.zeros((len(q), 3, 7))
    for k in range(3):
        Psi[:, k, 2 * k] = np.linalg.norm(G) * np.cos(q[:, k])
        Psi[:, k, 2 * k + 1] = q_ddot[:, k]
    Psi[:, :, 6] = np.einsum("nij,ni->nj", J, state.acceleration - G)
    return Psi


@frozen_arrays(eq=True)
class Losses:
    """Torque errors of the lumped model, by acceleration."""

    acceleration: Array
    """(N,) Acceleration of the plate, its peak along a motion [m/s^2]."""
    rms: Array
    """(N,) Rms error [% of the exact torques' rms]."""
    largest: Array
    """(N,) Largest error of a single torque [% of the exact torques' rms]."""


def workspace_losses(robot: Robot, moving: bool) -> Losses:
    """Measure the losses at random states all over the box, which move or are at rest."""
    losses = [
        _loss(robot, workspace_states(robot, STATES, np.sqrt(a * TRAVEL) if moving else 0.0, float(a)))
        for a in ACCELERATIONS
    ]
    return Losses(ACCELERATIONS, *np.array(losses).T)


def cycle_losses(robot: Robot) -> Losses:
    """Measure the losses along the pick-and-place, from the slowest to the fastest of CYCLES."""
    losses: list[tuple[float, float]] = []
    peaks: list[float] = []
    for cycle in CYCLES:
        samples = pick_and_place(robot, cycle=cycle).sampled(400 / cycle)
        peaks.append(float(np.linalg.norm(samples.acceleration, axis=1).max()))
        losses.append(_loss(robot, State(samples.pose, samples.velocity, samples.acceleration)))
    return Losses(np.array(peaks), *np.array(losses).T)


def six_dof_differences() -> dict[str, float]:
    """Return for every library robot of six freedoms how far Psi p is from the forces, relative."""
    differences: dict[str, float] = {}
    for name in library():
        robot = load(name)
        if robot.degrees_of_freedom == 6:
            state = workspace_states(robot, 50, *TYPICAL)
            differences[name] = relative(robot.regressor(*state) @ robot.parameters, robot.inverse_dynamics(*state))
    return differences


def robot_losses() -> dict[str, float]:
    """Return the rms error at typical states [%] of each library robot that can be lumped, smallest first."""
    losses: dict[str, float] = {}
    for name in library():
        robot = without_friction(load(name))
        lumped_robot = _with_points(robot) if _telescopic(robot) else None
        try:
            losses[name] = _loss(robot, typical_states(robot), lumped_robot)[0]
        except UnsupportedRobotError:
            continue
    return dict(sorted(losses.items(), key=lambda item: item[1]))


def typical_states(robot: Robot) -> State:
    """Draw 500 states of TYPICAL speed and acceleration."""
    return workspace_states(robot, 500, *TYPICAL)


def fitted_loss(robot: Robot, form: LumpedDelta) -> tuple[float, float]:
    """Return the rms errors with thirds of the forearms, and with p fitted to the exact torques [%]."""
    state = workspace_states(robot, STATES, *TYPICAL)
    tau, Psi = robot.inverse_dynamics(*state), form.Psi(state)
    p = fitted(Psi, tau)
    return percent(Psi @ form.p - tau, tau), percent(Psi @ p - tau, tau)


def fitted(Psi: Array, tau: Array) -> Array:
    """Return p with the least squares of Psi p - tau."""
    solution: Any = np.linalg.lstsq(Psi.reshape(-1, Psi.shape[-1]), tau.ravel(), rcond=None)
    return solution[0]


def jacobian_share(robot: Robot) -> tuple[int, int]:
    """Count the operations of J^T f, J = J_qv^-1, from a pose, and of all of Psi from pose, q_ddot and x_ddot."""
    made = frictionless(mechanics(robot.description, robot.payload))
    moving, form = made.moving, lumped_form(made)
    q_ddot = ca.SX.sym("q_ddot", 3)
    Psi = ca.densify(form.Psi)
    for k in range(3):
        Psi[k, 2 * k + 1] = q_ddot[k]
    f = ca.SX.sym("f", 3)
    lifted = actuator_forces(moving.J_qv, f, ca.SX.zeros(3)).tau

    def operations(inputs: dict[str, ca.SX], out: ca.SX) -> int:
        count = paper_count(ca.Function("counted", list(inputs.values()), [out], list(inputs), ["out"], {"cse": True}))
        return count.additions + count.multiplications + count.square_roots

    state = {"pose": moving.pose, "acceleration": moving.acceleration, "q_ddot": q_ddot}
    return operations({"pose": moving.pose, "f": f}, lifted), operations(state, Psi)


def omega_tilde(omega: Array) -> Array:
    """Return the matrix (N, 3, 6) of eq. (31), which should give I omega from [I_xx I_xy I_xz I_yy I_zy I_zz]."""
    x, y, z = omega.T
    zero = np.zeros_like(x)
    rows = ([x, y, z, zero, zero, zero], [zero, x, y, z, zero, zero], [zero, zero, x, zero, y, z])
    return np.moveaxis(np.array(rows), -1, 0)


def eq_41(q: float) -> Array:
    """Return the rotation from an arm's frame to the base's as eq. (41) prints it: x is along the arm."""
    c, s = np.cos(q), np.sin(q)
    return np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])


def rate_of(rotation: Callable[[float], Array], q: float) -> Array:
    """Return the angular velocity in body axes that a rotation has at a unit rate of q.

    w~ = R^T dR/dq; sines and cosines have the exact derivative (f(q + pi/2) - f(q - pi/2))/2.
    """
    w = rotation(q).T @ (rotation(q + np.pi / 2) - rotation(q - np.pi / 2)) / 2
    return np.array([w[2, 1], w[0, 2], w[1, 0]])


def gravity_column(rotation: Callable[[float], Array], q: float) -> float:
    """Return the torque on q that holds 1 kg m of first moment along an arm's x in the gravity of 1 m/s^2.

    It is the derivative of the height of a point on x.
    """
    slope = (rotation(q + np.pi / 2) - rotation(q - np.pi / 2)) / 2
    return float(slope[2, 0])


def _loss(robot: Robot, state: State, lumped_robot: Robot | None = None) -> tuple[float, float]:
    """Return the rms error and the largest error of the lumped model [% of the rms torque].

    lumped_robot: the robot whose exact model is the lumped one; None for bars by thirds
    """
    exact = robot.inverse_dynamics(*state)
    simple = lumped_robot.inverse_dynamics(*state) if lumped_robot else _by_thirds(robot, state)
    return percent(simple - exact, exact), 100 * float(np.abs(simple - exact).max()) / rms(exact)


def _by_thirds(robot: Robot, state: State) -> Array:
    return robot.inverse_dynamics(*state, formulation="simplified")


def _telescopic(robot: Robot) -> bool:
    return all(len(leg.elements) == 1 and leg.elements[0].type == "telescopic" for leg in robot.legs)


def _with_points(robot: Robot) -> Robot:
    """Return a robot of telescopic legs with each part as a point at the end that it is fixed to."""
    legs: list[dict[str, Any]] = robot.description.model_dump(exclude_defaults=True)["legs"]
    for body in (body for leg in legs for element in leg["elements"] for body in element["bodies"]):
        body["com"], body["inertia"] = (0.0,) * 3, ((0.0,) * 3,) * 3
    return robot.replace(legs=legs)


def with_forearms(robot: Robot, factor: float) -> Robot:
    """Return a robot whose forearms have so many times the mass."""
    legs: list[dict[str, Any]] = robot.description.model_dump(exclude_defaults=True)["legs"]
    for body in (body for leg in legs for body in leg["elements"][-1]["bodies"]):
        body["mass"] *= factor
        body["inertia"] = (factor * np.array(body["inertia"])).tolist()
    return robot.replace(legs=legs)
